"""How well a partition agrees with the known classes."""

from recoco.metrics.partitions import (
    METRICS,
    accuracy,
    ari,
    canonical,
    contingency,
    nmi,
    purity,
    score_partitions,
)

__all__ = [
    "METRICS",
    "accuracy",
    "ari",
    "canonical",
    "contingency",
    "nmi",
    "purity",
    "score_partitions",
]
