"""Numba kernels: arrays in, arrays out; no objects, no files, no hidden random numbers."""
