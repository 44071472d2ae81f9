"""The command ``recoco``."""

from recoco.cli.main import main

__all__ = ["main"]
