"""Consensus: one partition, or one co-clustering, from many of any methods."""

from importlib import import_module

from recoco.consensus.medoid import medoid

# Loaded on first use, because the medoid, which every score needs, uses no compiled kernels.
_HOMES = {
    "block_consensus": "recoco.consensus.blocks",
    "check_bases": "recoco.consensus.bases",
    "check_partitions": "recoco.consensus.bases",
    "consensus_matrix": "recoco.consensus.blocks",
    "consensus_modularity": "recoco.consensus.blocks",
    "consensus_svd": "recoco.consensus.spectral",
    "cspa": "recoco.consensus.graphs",
    "ensemble_clustering": "recoco.consensus.blocks",
    "graph_consensus": "recoco.consensus.graphs",
    "hgpa": "recoco.consensus.graphs",
    "hybrid_embedding": "recoco.consensus.hybrid",
    "mcla": "recoco.consensus.graphs",
    "spectral_consensus": "recoco.consensus.spectral",
}

__all__ = ["medoid", *_HOMES]


def __getattr__(name: str):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
