"""How well a partition agrees with the known classes."""

from recoco.metrics.partitions import (
    accuracy,
    ari,
    canonical,
    contingency,
    nmi,
    purity,
    score_partitions,
)

__all__ = ["accuracy", "ari", "canonical", "contingency", "nmi", "purity", "score_partitions"]
