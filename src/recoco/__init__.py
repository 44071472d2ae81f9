"""recoco: co-clustering methods and the reproduction of the papers that introduced them."""

__version__ = "0.1.0"
