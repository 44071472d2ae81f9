"""Speed of the factorisations against the same updates with scipy.sparse, one start at a time."""

import time

import numpy as np
from scipy import sparse

from benchmarks.timing import Target
from recoco.methods.base import check_matrix
from recoco.methods.factorisation import LEAST_START, SMOOTHING
from recoco.methods.nmtf import NMTF, WCNMTF


def baseline_wcnmtf(A, M, starts, g: int, iterations: int, lam: float = 1.0) -> np.ndarray:
    """WC-NMTF (NMTF if M is None) with scipy.sparse products in float64, start by start.

    Written as one would: no product is computed twice, the transpose is at hand as CSR, dense
    products are left to BLAS.

    Parameters
    ----------
    A : csr_matrix (n, d); M : csr_matrix (d, d), symmetric, or None
    starts : int array (T, n), row labels to start from
    iterations : int, of every start

    Returns
    -------
    float64 (T,): the criterion of every start at the end
    """
    At = sparse.csr_matrix(A.T)
    tiny = 1e-300
    result = []
    for labels in starts:
        H = np.eye(g)[labels]
        sizes = np.maximum(H.sum(axis=0), 1.0)
        totals = At @ H
        K = np.eye(g)[(totals / sizes).argmax(axis=1)]
        widths = np.maximum(K.sum(axis=0), 1.0)
        Z, W = H + SMOOTHING, K + SMOOTHING
        S = totals.T @ K / np.outer(sizes, widths)
        if M is not None:
            Q = np.maximum((M @ K) / widths, LEAST_START * M.mean())
        for _ in range(iterations):
            WtW = W.T @ W
            Z *= ((A @ W) @ S.T) / (Z @ (S @ WtW @ S.T) + tiny)
            P = At @ Z
            ZtZ = Z.T @ Z
            if M is None:
                W *= (P @ S) / (W @ (S.T @ ZtZ @ S) + tiny)
            else:
                W *= (P @ S + lam * (M @ Q)) / (W @ (S.T @ ZtZ @ S + lam * (Q.T @ Q)) + tiny)
            WtW = W.T @ W
            if M is not None:
                MW = M @ W
                Q *= MW / (Q @ WtW + tiny)
            B = P.T @ W
            S *= B / (ZtZ @ S @ WtW + tiny)
            F = A.data @ A.data - 2.0 * np.vdot(B, S) + np.vdot(S.T @ ZtZ @ S, WtW)
            if M is not None:
                regular = M.data @ M.data - 2.0 * np.vdot(MW, Q) + np.vdot(Q.T @ Q, WtW)
                F += lam * regular
        result.append(0.5 * F)
    return np.array(result)


def measure(repetitions: int) -> dict:
    """Measure NMTF and WC-NMTF on the data at hand, with all threads."""
    import numba

    from benchmarks.coclus import _matrix as classic4
    from benchmarks.spherical import _matrix as ng20

    before = numba.get_num_threads()
    numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)
    results = {}
    for name, (X, data), g in (("CLASSIC4", classic4(), 4), ("NG20", ng20(), 20)):
        for method in ("nmtf", "wcnmtf"):
            found = measure_factors(X, g, method, repetitions=repetitions)
            results[f"{method} {name}"] = {"data": data, **found}
    numba.set_num_threads(before)
    return results


def targets(results: dict) -> list[Target]:
    return [
        Target(
            name.replace("wcnmtf", "WC-NMTF").replace("nmtf", "NMTF"),
            f"scipy.sparse products, one start at a time, {found['threads']} cores",
            found["ratio"],
            5,
            note=f"criteria differ by at most {found['criterion_difference']:.0e}",
        )
        for name, found in results.items()
    ]


def markdown(results: dict) -> str:
    """The results as a table."""
    lines = [
        "## Factorisations",
        "",
        "The same updates with scipy.sparse products, one start at a time, in double precision, "
        "over ours, in batches and single precision; the same starts and iterations.",
        "",
        "| method and data | ratio | what it says |",
        "|---|---:|---|",
    ]
    for name, found in results.items():
        lines.append(
            f"| {name} | {found['ratio']:.1f} | an iteration of a start takes "
            f"{1e3 * found['baseline_seconds']:.1f} ms against {1e3 * found['seconds']:.2f} ms, "
            f"{found['threads']} threads, {found['starts']} starts together; criteria differ by at "
            f"most {found['criterion_difference']:.0e} |"
        )
    return "\n".join(lines) + "\n"


def measure_factors(
    X,
    n_clusters: int,
    method: str = "wcnmtf",
    precision: str = "single",
    iterations: int = 10,
    repetitions: int = 3,
    baseline_starts: int = 1,
) -> dict:
    """Seconds per start and iteration of a method and of its baseline, interleaved.

    Parameters
    ----------
    X : matrix (n, d), weighted
    method : "wcnmtf" or "nmtf"
    iterations : int, of every start, in both
    repetitions : int; the best time of each counts
    baseline_starts : int, starts the baseline is timed on

    Returns
    -------
    dict with ``seconds`` (per start and iteration), ``baseline_seconds``, ``ratio``, the number
    of threads, and ``criterion_difference``: the largest relative difference of the criterion
    """
    import numba

    A = check_matrix(X)
    kind = {"wcnmtf": WCNMTF, "nmtf": NMTF}[method]
    model = kind(n_clusters, max_iter=iterations, tol=0.0, precision=precision)
    problem = model._prepare(A)
    M = None
    if method == "wcnmtf":
        M = problem.extra.M.tocsr().astype(np.float64)
    T = model._tile()
    rng = np.random.Generator(np.random.PCG64(0))
    starts = rng.integers(n_clusters, size=(T, A.shape[0]))
    generators = [rng] * T
    model._descend(problem, starts, generators)  # compiles
    best = {"ours": np.inf, "baseline": np.inf}
    for _ in range(repetitions):
        begin = time.perf_counter()
        ours = model._descend(problem, starts, generators).criterion
        best["ours"] = min(best["ours"], (time.perf_counter() - begin) / T)
        begin = time.perf_counter()
        chosen = starts[:baseline_starts]
        theirs = baseline_wcnmtf(A, M, chosen, n_clusters, iterations, getattr(model, "lam", 0.0))
        best["baseline"] = min(best["baseline"], (time.perf_counter() - begin) / baseline_starts)
    difference = np.abs(ours[:baseline_starts] - theirs) / np.abs(theirs)
    return {
        "method": method,
        "precision": precision,
        "threads": numba.get_num_threads(),
        "starts": T,
        "iterations": iterations,
        "seconds": best["ours"] / iterations,
        "baseline_seconds": best["baseline"] / iterations,
        "ratio": best["baseline"] / best["ours"],
        "criterion_difference": float(difference.max()),
    }
