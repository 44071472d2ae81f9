"""Speed of NMF against scikit-learn's NMF(solver="mu"): same starts, iterations and updates.

scikit-learn is given one start at a time, in double precision, as it is used. Ours goes through
the matrix with several starts at once, in single precision and in double. Both must end with the
same criterion.
"""

import warnings

import numpy as np

from benchmarks.timing import Target, in_turn, thread_counts, threads

CLUSTERS, ITERATIONS = 20, 20


def measure(repetitions: int) -> dict:
    """Seconds per start, by program, precision and threads.

    Returns
    -------
    dict with ``seconds`` (by threads, then program), ``ratios`` (by threads, then precision),
    ``criterion_difference``: the largest relative difference of the criterion
    """
    from benchmarks.spherical import _matrix
    from recoco.methods.base import check_matrix
    from recoco.methods.nmf import NMF

    X, data = _matrix()
    A = check_matrix(X)
    rng = np.random.Generator(np.random.PCG64(0))
    models, cases = {}, {}
    for precision in ("single", "double"):
        model = NMF(CLUSTERS, max_iter=ITERATIONS, tol=0.0, precision=precision)
        problem = model._prepare(A)
        labels = rng.integers(CLUSTERS, size=(model._tile(), A.shape[0]))
        models[precision] = model
        cases[precision] = (problem, labels, [rng] * len(labels))
    # the first start of the batch in single precision is the one that scikit-learn gets
    problem, labels, generators = cases["single"]
    cases["double"] = (cases["double"][0], labels[: len(cases["double"][1])], generators)
    state = models["double"]._start(cases["double"][0], labels[:1], generators[:1])
    Z, W = state.Z.array[:, 0], state.W.array[:, 0]

    def theirs():
        return _sklearn(A, Z, W)

    runs = {
        **{p: lambda p=p: models[p]._descend(*cases[p]).criterion for p in models},
        "sklearn": theirs,
    }
    results = {"data": data, "repetitions": repetitions, "iterations": ITERATIONS}
    results["starts"] = {p: len(cases[p][1]) for p in models}
    seconds, apart = {}, 0.0
    for number in thread_counts():
        with threads(number):
            for precision in models:
                runs[precision]()  # compiled
            spent, values = in_turn(repetitions, runs, number)
        for precision in models:
            spent[precision] /= results["starts"][precision]
            apart = max(apart, abs(values[precision][0] / values["sklearn"] - 1.0))
        seconds[str(number)] = spent
    results["seconds"] = seconds
    results["ratios"] = {
        number: {p: spent["sklearn"] / spent[p] for p in models}
        for number, spent in seconds.items()
    }
    results["criterion_difference"] = float(apart)
    return results


def _sklearn(A, Z, W) -> float:
    """scikit-learn's updates from given factors; the criterion in the end."""
    from sklearn.decomposition import NMF

    model = NMF(Z.shape[1], init="custom", solver="mu", max_iter=ITERATIONS, tol=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it has not converged is meant
        rows = model.fit_transform(A, W=Z.copy(), H=np.ascontiguousarray(W.T))
    columns = model.components_
    inner = float(((A @ columns.T) * rows).sum())
    return 0.5 * (A.data @ A.data - 2 * inner + np.vdot(rows.T @ rows, columns @ columns.T))


def targets(results: dict) -> list[Target]:
    bounds = {"1": 3, "2": 5}
    return [
        Target(
            f"NMF, {number} core{'s' * (number != '1')}",
            'scikit-learn NMF(solver="mu"), NG20',
            ratios["single"],
            bounds[number],
            note=f"single precision; double: {ratios['double']:.2g}; criteria differ by at most "
            f"{results['criterion_difference']:.0e}",
        )
        for number, ratios in results["ratios"].items()
    ]


def markdown(results: dict) -> str:
    """The results as a table."""
    lines = [
        "## NMF",
        "",
        f'{results["data"]}; scikit-learn\'s NMF(solver="mu"), one start at a time in double '
        f"precision, over ours; the same starts and {results['iterations']} iterations; criteria "
        f"differ by at most {results['criterion_difference']:.0e}.",
        "",
        "| threads | precision | ratio | what it says |",
        "|---|---|---:|---|",
    ]
    for number, ratios in results["ratios"].items():
        spent = results["seconds"][number]
        for precision, ratio in ratios.items():
            lines.append(
                f"| {number} | {precision} | {ratio:.1f} | a start takes "
                f"{1e3 * spent['sklearn']:.0f} ms against {1e3 * spent[precision]:.0f} ms, "
                f"{results['starts'][precision]} together |"
            )
    return "\n".join(lines) + "\n"
