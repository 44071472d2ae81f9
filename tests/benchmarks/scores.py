"""Speed of scoring many partitions against scikit-learn, one call for each.

scikit-learn has no clustering accuracy: its contingency table and SciPy's assignment are what
people put together for it.
"""

import numpy as np

from benchmarks.timing import Target, in_turn, threads

PARTITIONS, OBJECTS, CLASSES = 1000, 7094, 4  # objects and classes of CLASSIC4
SCORES = ("nmi", "ari", "acc")


def measure(repetitions: int) -> dict:
    """Time both in turn on one thread; the best time of each counts.

    Returns
    -------
    dict with ``seconds`` of all partitions, ``ratio`` (scikit-learn over recoco) and
    ``largest_difference`` of any score
    """
    from recoco.metrics import score_partitions

    truth, partitions = _partitions()
    score_partitions(truth, partitions[:2])  # compiled
    runs = {
        "recoco": lambda: score_partitions(truth, partitions),
        "sklearn": lambda: one_call_each(truth, partitions),
    }
    with threads(1):
        seconds, values = in_turn(min(repetitions, 3), runs)
    apart = max(np.abs(values["recoco"][name] - values["sklearn"][name]).max() for name in SCORES)
    return {
        "partitions": PARTITIONS,
        "objects": OBJECTS,
        "classes": CLASSES,
        "repetitions": repetitions,
        "seconds": seconds,
        "ratio": seconds["sklearn"] / seconds["recoco"],
        "largest_difference": float(apart),
    }


def targets(results: dict) -> list[Target]:
    return [
        Target(
            f"NMI, ARI, ACC of {results['partitions']} partitions",
            "scikit-learn, one call each",
            results["ratio"],
            20,
            note=f"scores differ by at most {results['largest_difference']:.0e}",
        )
    ]


def markdown(results: dict) -> str:
    """The results as a table."""
    spent = results["seconds"]
    return (
        "## Scores of partitions\n\n"
        "| what | ratio | what it says |\n|---|---:|---|\n"
        f"| scikit-learn / ours | {results['ratio']:.0f} | NMI, ARI and ACC of "
        f"{results['partitions']} partitions of {results['objects']} objects: "
        f"{spent['sklearn']:.2f} s, a call for each, against {spent['recoco']:.3f} s; ours has "
        "two more scores; scores differ by at most "
        f"{results['largest_difference']:.0e} |\n"
    )


def one_call_each(truth, partitions) -> dict[str, np.ndarray]:
    """The scores as one gets them from scikit-learn."""
    from scipy.optimize import linear_sum_assignment
    from sklearn import metrics

    found = {name: [] for name in SCORES}
    for labels in partitions:
        found["nmi"].append(
            metrics.normalized_mutual_info_score(truth, labels, average_method="geometric")
        )
        found["ari"].append(metrics.adjusted_rand_score(truth, labels))
        table = metrics.cluster.contingency_matrix(truth, labels)
        rows, columns = linear_sum_assignment(table, maximize=True)
        found["acc"].append(table[rows, columns].sum() / truth.size)
    return {name: np.array(values) for name, values in found.items()}


def _partitions():
    """Classes, and partitions that agree with them more or less."""
    rng = np.random.Generator(np.random.PCG64(0))
    truth = rng.integers(CLASSES, size=OBJECTS)
    partitions = rng.integers(CLASSES, size=(PARTITIONS, OBJECTS))
    kept = rng.random((PARTITIONS, OBJECTS)) < np.linspace(0.1, 0.9, PARTITIONS)[:, None]
    return truth, np.where(kept, truth, partitions)
