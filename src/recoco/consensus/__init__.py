"""Consensus: one partition from many."""

from recoco.consensus.medoid import medoid

__all__ = ["medoid"]
