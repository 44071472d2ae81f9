"""Speed of the block models against dense NumPy, and against sparsebm where it is installed.

The dense versions take the same steps from the same labels and must reach the same criterion.
sparsebm fits Bernoulli block models, ours are Poisson models: on a sparse graph of 0 and 1 they
are nearly, but not quite, the same. The two programs are therefore judged by one criterion, the
Bernoulli likelihood of the partition that each finds, and ours is given as many starts as it
takes to be no worse. sparsebm is no part of the lock: `pip install sparsebm` adds the row.
"""

import contextlib
import tempfile
from importlib.util import find_spec

import numpy as np
from scipy import sparse

from benchmarks.timing import Target, in_turn, threads

STARTS, STEPS = 20, 20
NODES, CLUSTERS, INSIDE, OUTSIDE = 2000, 4, 0.035, 0.005
MOST_STARTS = (10, 20, 40, 80, 160, 320)  # of PSBM, to be as good as sparsebm


def measure(repetitions: int) -> dict:
    """Measure on one thread; see :func:`markdown`."""
    from benchmarks.coclus import _matrix as classic4

    results = {"starts": STARTS, "steps": STEPS, "repetitions": repetitions, "dense": {}}
    with threads(1):
        graph, planted = _graph()
        X, data = classic4()
        results["dense"]["PSBM"] = {
            "data": f"planted graph of {NODES} nodes",
            **_psbm(graph, planted, repetitions),
        }
        results["dense"]["PLBM"] = {"data": data, **_plbm(sparse.csr_matrix(X), repetitions)}
        results["sparsebm"] = _sparsebm(graph) if find_spec("sparsebm") else None
    return results


def _graph():
    """A planted symmetric graph of 0 and 1, and its clusters."""
    rng = np.random.Generator(np.random.PCG64(0))
    z = rng.integers(CLUSTERS, size=NODES)
    chance = np.where(z[:, None] == z, INSIDE, OUTSIDE)
    upper = np.triu(rng.random((NODES, NODES)) < chance, 1)
    return sparse.csr_matrix((upper | upper.T).astype(float)), z


def _compare(ours, dense, repetitions: int) -> dict:
    """Time per step of a start, of all starts together and of the first one densely."""
    ours()  # compiled
    seconds, values = in_turn(repetitions, {"recoco": ours, "dense": dense})
    found = values["recoco"]
    # starts that have come to rest end before the others: time is compared per step
    per_step = seconds["recoco"] / int(found.n_iter.sum())
    dense_step = seconds["dense"] / STEPS
    return {
        "milliseconds_per_step": {"recoco": 1e3 * per_step, "dense": 1e3 * dense_step},
        "ratio": dense_step / per_step,
        "criterion_difference": float(abs(values["dense"] / found.criterion[0] - 1.0)),
    }


def _psbm(graph, planted, repetitions: int) -> dict:
    from recoco.kernels import block_models as kernel
    from recoco.methods.block_engine import run_graphs
    from recoco.methods.block_models import PSBM

    model = PSBM(CLUSTERS, max_iter=STEPS, tol=0.0)
    problem = model._prepare(model._check(graph))
    rng = np.random.Generator(np.random.PCG64(1))
    # from labels that are wholly random the soft steps soon rest where all nodes are alike
    drawn = rng.integers(CLUSTERS, size=(STARTS, NODES))
    labels = np.where(rng.random((STARTS, NODES)) < 0.5, drawn, planted)
    X = graph.toarray()
    return _compare(
        lambda: run_graphs(problem, labels, CLUSTERS, kernel.PSBM, True, model)[0],
        lambda: dense_psbm(X, labels[0], CLUSTERS, STEPS),
        repetitions,
    )


def dense_psbm(X, labels, g: int, steps: int) -> float:
    """PSBM on a dense graph with an empty diagonal, without drawing back; the bound in the end."""
    n = len(X)
    Z = np.eye(g)[labels]

    def estimates(Z):
        sizes = Z.sum(axis=0)
        between = Z.T @ X @ Z
        pairs = np.outer(sizes, sizes) - Z.T @ Z
        gamma = between / pairs
        pi = Z.mean(axis=0)
        bound = n * pi @ np.log(pi) - np.sum(Z * np.log(np.where(Z > 0, Z, 1.0)))
        bound += 0.5 * ((between * np.log(gamma)).sum() - (pairs * gamma).sum())
        return bound, gamma, pi

    bound, gamma, pi = estimates(Z)
    for _ in range(steps):
        scores = np.log(pi) + (X @ Z) @ np.log(gamma) - (Z.sum(axis=0) - Z) @ gamma
        new = np.exp(scores - scores.max(axis=1, keepdims=True))
        new /= new.sum(axis=1, keepdims=True)
        reached = estimates(new)
        while reached[0] < bound - 1e-13 * abs(bound):
            new = (new + Z) / 2
            reached = estimates(new)
        Z, (bound, gamma, pi) = new, reached
    return float(bound)


def _plbm(A, repetitions: int) -> dict:
    from recoco.methods.base import start_generator
    from recoco.methods.block_models import PLBM

    model = PLBM(CLUSTERS, em="classification", max_iter=STEPS, tol=0.0)
    problem = model._prepare(model._check(A))
    X, rng = A.toarray(), start_generator(0, 0)
    labels = [rng.integers(CLUSTERS, size=size) for size in X.shape]

    def ours():
        return model._run(problem, [start_generator(b, 0) for b in range(STARTS)], None)

    return _compare(ours, lambda: dense_plbm(X, *labels, CLUSTERS, STEPS), repetitions)


def dense_plbm(X, z, w, g: int, steps: int) -> float:
    """PLBM by CEM on a dense matrix; the classification likelihood in the end."""
    one_hot = np.eye(g)
    rows, columns, total = X.sum(axis=1), X.sum(axis=0), X.sum()

    def rates(Z, W):
        table = Z.T @ X @ W
        first, second = rows @ Z, columns @ W
        cells = np.outer(first, second)
        share = np.divide(table, cells, out=np.zeros((g, g)), where=cells > 0)
        logs = np.log(share, out=np.full((g, g), -1e300), where=share > 0)
        return table, logs, [_log_shares(F) for F in (Z, W)]

    Z, W = one_hot[z], one_hot[w]
    table, logs, (log_z, _) = rates(Z, W)
    for _ in range(steps):
        Z = one_hot[(log_z + (X @ W) @ logs.T).argmax(axis=1)]
        table, logs, (log_z, log_w) = rates(Z, W)
        W = one_hot[(log_w + (X.T @ Z) @ logs).argmax(axis=1)]
        table, logs, (log_z, log_w) = rates(Z, W)
    sizes = Z.sum(axis=0) @ log_z + W.sum(axis=0) @ log_w
    return float(sizes + (table * np.where(table > 0, logs, 0.0)).sum() - total)


def _log_shares(F):
    share = F.mean(axis=0)
    return np.log(share, out=np.full(share.size, -1e300), where=share > 0)


def _sparsebm(graph) -> dict:
    """sparsebm as it comes, and ours with as many starts as it takes to be as good, once each."""
    # it opens a log in the working folder when it is imported
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        from sparsebm import SBM

    from recoco.methods.block_models import PSBM

    np.random.seed(0)  # noqa: NPY002, sparsebm draws from NumPy's global state
    theirs = SBM(CLUSTERS, verbosity=0, use_gpu=False)
    seconds, _ = in_turn(1, {"sparsebm": lambda: theirs.fit(graph, symmetric=True)})
    likelihoods = {"sparsebm": bernoulli(graph, theirs.labels)}
    PSBM(CLUSTERS, n_init=2, hard_steps=2, random_state=0).fit(graph)  # compiled
    for starts in MOST_STARTS:
        ours = PSBM(CLUSTERS, n_init=starts, hard_steps=20, random_state=0)
        spent, _ = in_turn(1, {"recoco": lambda model=ours: model.fit(graph)})
        seconds |= spent
        likelihoods["recoco"] = bernoulli(graph, ours.row_labels_)
        # the share is rounding: where the partitions are the same but for names, so are these
        if likelihoods["recoco"] >= likelihoods["sparsebm"] * (1 + 1e-12):
            break
    return {
        "starts": starts,
        "seconds": seconds,
        "ratio": seconds["sparsebm"] / seconds["recoco"],
        "likelihoods": likelihoods,
        "as_good": bool(likelihoods["recoco"] >= likelihoods["sparsebm"] * (1 + 1e-12)),
    }


def bernoulli(graph, labels) -> float:
    """Log-likelihood of a partition of a graph of 0 and 1, each pair counted once."""
    Z = np.eye(int(labels.max()) + 1)[labels]
    ones = Z.T @ (graph @ Z)
    sizes = Z.sum(axis=0)
    pairs = np.outer(sizes, sizes) - np.diag(sizes)
    share = np.divide(ones, pairs, out=np.zeros_like(ones), where=pairs > 0)
    terms = np.zeros_like(share)
    inner = (share > 0) & (share < 1)
    p = share[inner]
    terms[inner] = ones[inner] * np.log(p) + (pairs - ones)[inner] * np.log1p(-p)
    return float(0.5 * terms.sum() + sizes @ _log_shares(Z))


def targets(results: dict) -> list[Target]:
    rows = [
        Target(
            name,
            "dense NumPy",
            found["ratio"],
            20,
            note=f"{found['data']}; criteria differ by {found['criterion_difference']:.0e}",
        )
        for name, found in results["dense"].items()
    ]
    them = results["sparsebm"]
    note, value = "sparsebm is not installed: `pip install sparsebm` adds this row", None
    if them:
        likelihoods = them["likelihoods"]
        note = (
            f"its model is Bernoulli, ours Poisson; Bernoulli likelihood of the partitions "
            f"{likelihoods['recoco']:.0f} against {likelihoods['sparsebm']:.0f}"
        )
        value = them["ratio"] if them["as_good"] else None
    return [*rows, Target("PSBM", "sparsebm SBM", value, 20, note=note)]


def markdown(results: dict) -> str:
    """The results as a table."""
    lines = [
        "## Block models",
        "",
        f"Time of a step of a start, {results['starts']} starts together, one thread; the dense "
        "versions take the same steps from the same labels.",
        "",
        "| model | data | ours, ms | dense, ms | ratio | difference of the criterion |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for name, found in results["dense"].items():
        spent = found["milliseconds_per_step"]
        lines.append(
            f"| {name} | {found['data']} | {spent['recoco']:.2f} | {spent['dense']:.1f} | "
            f"{found['ratio']:.0f} | {found['criterion_difference']:.0e} |"
        )
    them = results["sparsebm"]
    if them:
        spent, likelihoods = them["seconds"], them["likelihoods"]
        lines += [
            "",
            f"sparsebm takes {spent['sparsebm']:.1f} s on the planted graph, PSBM "
            f"{spent['recoco']:.2f} s with {them['starts']} starts, the fewest tried that are as "
            f"good: {them['ratio']:.0f}. Its model is Bernoulli, ours Poisson; the partitions have "
            f"Bernoulli likelihoods {likelihoods['sparsebm']:.1f} and "
            f"{likelihoods['recoco']:.1f}.",
        ]
    else:
        lines += ["", "sparsebm is not installed (`pip install sparsebm` adds a comparison)."]
    return "\n".join(lines) + "\n"
