"""Rebuilt matrices: made from the raw corpus by the description of the matrix that papers used.

The card of a rebuilt source says, in pairs (rebuilt, exact), what was measured on both matrices.
Whether the rebuilt one is close enough to be judged follows from these numbers alone.
"""

# A rebuilt matrix is close if the number of documents differs by at most 1 %, and the mean NMI of
# the probe methods by at most 0.02 on average: the floor of the tolerance of a printed score.
MOST_DOCUMENTS = 0.01
MOST_NMI = 0.02


def nmi_difference(rebuilt: dict) -> float:
    """Return the mean absolute difference of the mean NMI over the probe methods."""
    pairs = rebuilt["nmi"].values()
    return sum(abs(ours - exact) for ours, exact in pairs) / len(pairs)


def is_close(rebuilt: dict) -> bool:
    """Return whether cells on a rebuilt matrix are judged like those on the exact one."""
    ours, exact = rebuilt["documents"]
    few = abs(ours - exact) <= MOST_DOCUMENTS * exact
    # the means in a card have a few digits; a difference of exactly the limit is still close
    return few and nmi_difference(rebuilt) <= MOST_NMI + 1e-9


def agreement(rebuilt: dict) -> str:
    """Return in one clause how close a rebuilt matrix is to the exact one."""
    sizes = ", ".join(
        f"{ours} of {exact} {name}" if ours <= exact else f"{ours} instead of {exact} {name}"
        for name in ("documents", "terms", "nonzeros")
        for ours, exact in [rebuilt[name]]
    )
    scores = ", ".join(
        f"{method} {ours:.3f} instead of {exact:.3f}"
        for method, (ours, exact) in rebuilt["nmi"].items()
    )
    difference = nmi_difference(rebuilt)
    return f"{sizes.replace('nonzeros', 'non-zeros')}; NMI differs by {difference:.3f} ({scores})"


def description(rebuilt: dict) -> str:
    """Return how a matrix was rebuilt and how close it is to the exact one."""
    return f"{rebuilt['how'].rstrip('.')}: {agreement(rebuilt)}"


def mark(source: dict) -> dict[str, str]:
    """Return ``{"rebuilt": description}`` for a source that is rebuilt and close, else {}."""
    rebuilt = source.get("rebuilt")
    return {"rebuilt": description(rebuilt)} if rebuilt and is_close(rebuilt) else {}
