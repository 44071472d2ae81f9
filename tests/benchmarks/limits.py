"""Distance of the kernels to the machine's limit: reading memory from one end to the other.

An iteration of one start has to read the matrix, by rows and by columns, and its own labels or
factors. A batch of starts reads the matrix once for all of them, and can so be faster than that;
it is compared with what each of its starts would have to read, and with what the batch has to.
"""

import numpy as np

from benchmarks.timing import Target, in_turn, svg, threads

STARTS, CLUSTERS = 20, 20
LIMIT = 2.5
# kernels the bound is asked of; the others do more with a non-zero than to add it up
ASKED = ("CoClus assignment", "factor products, single", "factor products, double")


def measure(repetitions: int) -> dict:
    """Measure on NG20, one thread.

    Returns
    -------
    dict with ``read_gigabytes_per_second`` and ``kernels``: seconds of an iteration of the batch,
    its starts, bytes, and the ratios ``per_start``, ``per_batch`` and ``fetched``
    """
    from benchmarks.coclus import _bandwidth
    from benchmarks.spherical import _matrix
    from recoco.methods.base import check_matrix

    X, data = _matrix()
    A = check_matrix(X)
    cases = {}
    with threads(1):
        for make in (_assignments, _products, _block_product, _spherical):
            for name, case in make(A).items():
                case["run"]()  # compiled
                cases[name] = case
        before = _bandwidth(repetitions)
        seconds, _ = in_turn(repetitions, {name: case["run"] for name, case in cases.items()})
        # what else the machine does may change: the better of before and after counts
        bandwidth = max(before, _bandwidth(repetitions))
    kernels = {name: _ratios(case, seconds[name], bandwidth) for name, case in cases.items()}
    return {
        "data": data,
        "repetitions": repetitions,
        "read_gigabytes_per_second": bandwidth / 1e9,
        "kernels": kernels,
    }


def _ratios(case, seconds: float, bandwidth: float) -> dict:
    starts, matrix, own = case["starts"], case["matrix"], case["own"]
    seconds /= case.get("iterations", 1)
    return {
        "seconds": seconds,
        "starts": starts,
        "matrix_bytes": matrix,
        "own_bytes": own,
        "fetched_bytes": matrix + case["fetched"],
        "per_start": seconds / starts / ((matrix + own) / bandwidth),
        "per_batch": seconds / ((matrix + starts * own) / bandwidth),
        "fetched": seconds / ((matrix + case["fetched"]) / bandwidth),
        "giga_operations": case["operations"] / seconds / 1e9,
        # what the processor would have to do to be within the limit of each start's reading
        "needed": case["operations"] / starts / (LIMIT * (matrix + own) / bandwidth) / 1e9,
    }


def _bytes(*matrices) -> int:
    return sum(M.data.nbytes + M.indices.nbytes + M.indptr.nbytes for M in matrices)


def _assignments(A) -> dict:
    """Half-steps of the methods that assign rows and columns, all starts in the batch."""
    from recoco.kernels import croinfo, dcc, modularity

    At = A.T.tocsr()
    (n, d), B, g = A.shape, STARTS, CLUSTERS
    rng = np.random.Generator(np.random.PCG64(0))
    rows, columns = (
        (rng.integers(g, size=(size, B)) * B + np.arange(B)).astype(np.uint16) for size in (n, d)
    )
    degrees = [np.asarray(M.sum(axis=1)).ravel() for M in (A, At)]
    total = float(degrees[0].sum())
    masses = [
        modularity.cluster_masses(degree, slots, g * B)
        for degree, slots in zip(degrees, (rows, columns), strict=True)
    ]
    sides = [(A, columns, rows, 0), (At, rows, columns, 1)]
    out = [np.zeros_like(rows), np.zeros_like(columns)]
    scores = [np.zeros((size, B)) for size in (n, d)]
    seeds, scale = np.zeros(B, np.uint64), np.full(g * B, 0.01)
    logs = np.log(rng.random((g, g * B)))

    def coclus():
        for M, slots, _, side in sides:
            modularity.assign(
                M.indptr,
                M.indices,
                M.data,
                degrees[side],
                total,
                slots,
                masses[1 - side],
                out[side],
            )

    def with_conscience():
        for M, slots, _, side in sides:
            dcc.assign(
                M.indptr, M.indices, M.data, slots, scale, False, seeds, np.uint64(0), out[side],
                scores[side],
            )  # fmt: skip

    def information():
        for M, slots, _, side in sides:
            croinfo.assign(M.indptr, M.indices, M.data, slots, logs, out[side])

    labels = 2 * (n + d)  # two bytes each
    shared = {
        "starts": B,
        "matrix": _bytes(A, At),
        "own": 2 * labels,  # read on one side, written on the other
        "fetched": 2 * A.nnz * B * 2 + B * labels,
        "operations": 2 * A.nnz * B,
    }
    return {
        "CoClus assignment": {"run": coclus, **shared},
        "DCC assignment": {"run": with_conscience, **shared},
        "CROINFO assignment": {"run": information, **shared},
    }


def _products(A) -> dict:
    """X W and X'Z of the factorisations."""
    from recoco.methods.factor_algebra import Factor, SparseMatrix
    from recoco.methods.factorisation import PRECISIONS, TILE

    (n, d), cases = A.shape, {}
    rng = np.random.Generator(np.random.PCG64(0))
    for name, dtype in PRECISIONS.items():
        T = TILE[name] // CLUSTERS
        X = SparseMatrix.both_ways(A, dtype, T * CLUSTERS)
        Z, W = (Factor(rng.random((size, T, CLUSTERS)).astype(dtype)) for size in (n, d))
        size = np.dtype(dtype).itemsize
        parts = [p for M in (X, X.T) for p in (M.values, M.local, M.pointers)]
        factors = (n + d) * CLUSTERS * size
        cases[f"factor products, {name}"] = {
            "run": lambda X=X, Z=Z, W=W: (X @ W, X.T @ Z),
            "starts": T,
            "matrix": sum(part.nbytes for part in parts),
            "own": 2 * factors,
            "fetched": 2 * A.nnz * T * CLUSTERS * size + T * factors,
            "operations": 4 * A.nnz * T * CLUSTERS,
        }
    return cases


def _block_product(A) -> dict:
    """The product of the block models, whose graph is one matrix."""
    from recoco.methods.block_engine import _plain, multiply

    T = 256 // CLUSTERS
    M = _plain(A)
    source = np.random.Generator(np.random.PCG64(0)).random((A.shape[1], T * CLUSTERS))
    out = np.empty((A.shape[0], T * CLUSTERS))
    return {
        "block model product": {
            "run": lambda: multiply(M, source, False, out),
            "starts": T,
            "matrix": _bytes(M),
            "own": sum(A.shape) * CLUSTERS * 8,
            "fetched": A.nnz * T * CLUSTERS * 8 + out.nbytes,
            "operations": 2 * A.nnz * T * CLUSTERS,
        }
    }


def _spherical(A) -> dict:
    """Whole runs of spherical k-means; it reads rows only, and not all of them."""
    from recoco.methods import spherical
    from recoco.methods.base import start_generator

    problem = spherical._problem(A, "rows")
    iterations = 20

    def run():
        found = spherical._cluster(
            problem, [start_generator(0, 0)], None, CLUSTERS, iterations, 0.0, "rows"
        )
        assert found.n_iter[0] == iterations or A.shape[0] < 1000
        return found

    rows = problem.rows
    matrix = 4 * rows.nnz + rows.indices.nbytes + rows.indptr.nbytes  # single precision
    width = 4 * CLUSTERS * A.shape[1]
    return {
        "spherical k-means": {
            "run": run,
            "starts": 1,
            "iterations": iterations,
            "matrix": matrix,
            "own": width,
            "fetched": rows.nnz * 4 * CLUSTERS,
            "operations": 2 * rows.nnz * CLUSTERS,  # if no row were skipped
        }
    }


def targets(results: dict) -> list[Target]:
    rows = []
    for name in ASKED:
        found = results["kernels"][name]
        how = f"{found['starts']} starts together"
        rows += [
            Target(
                name,
                "reading what each start needs, NG20",
                found["per_start"],
                LIMIT,
                most=True,
                note=f"{how}; {found['giga_operations']:.2g} of {found['needed']:.2g} "
                "thousand million operations a second that this takes",
            ),
            Target(
                name,
                "reading all that is fetched for the non-zeros, NG20",
                found["fetched"],
                LIMIT,
                most=True,
                note=how,
            ),
        ]
    return rows


def markdown(results: dict) -> str:
    """The results as a table."""
    lines = [
        "## Distance to the limit",
        "",
        f"{results['data']}, {CLUSTERS} clusters, one thread, which reads memory from end to end "
        f"at {results['read_gigabytes_per_second']:.1f} GB/s. Time of an iteration over the time "
        "of reading: *per start* what each start of the batch has to read (the matrix by rows and "
        "by columns, its labels or factors); *per batch* the same, the matrix only once; *fetched* "
        "every number that is fetched for a non-zero, most of them from a cache. Below 1 is "
        "faster than reading. *10⁹/s*: additions and multiplications, and how many it would take "
        f"to be within {LIMIT} per start.",
        "",
        "| kernel | starts | ms | MB | per start | per batch | fetched | 10⁹/s | needed |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, found in results["kernels"].items():
        lines.append(
            f"| {name} | {found['starts']} | {1e3 * found['seconds']:.1f} | "
            f"{found['matrix_bytes'] / 1e6:.1f} | {found['per_start']:.2f} | "
            f"{found['per_batch']:.1f} | {found['fetched']:.2f} | "
            f"{found['giga_operations']:.1f} | {found['needed']:.1f} |"
        )
    lines += [
        "",
        "No batch comes near to reading its matrix once: the processor has its hands full long "
        "before the memory has. An assignment adds every non-zero to a sum of each start, at "
        "places that follow no order: one addition is a load, an addition and a store, and a core "
        "stores one or two numbers in a cycle. A product multiplies every non-zero with a row of "
        "each factor, from the second-level cache; it reads those faster than memory could give "
        "them, and more arithmetic than it does in a second is hardly to be had of one core. Fewer "
        "bytes per non-zero would move the limit further away, not the time. Spherical k-means is "
        "not batched; it skips rows whose cluster cannot have changed.",
    ]
    return "\n".join(lines) + "\n"


def chart(results: dict, path) -> None:
    """Bars of the time over that of reading what each start needs."""
    names = list(results["kernels"])
    values = [results["kernels"][name]["per_start"] for name in names]
    with svg(path, (7, 0.4 + 0.35 * len(names))) as axes:
        bars = axes.barh(names, values, color="#1f5fa8")
        axes.bar_label(bars, [f"{value:.2f}" for value in values], padding=4)
        axes.axvline(LIMIT, color="#c2571a", linewidth=1)
        axes.set_xlim(right=1.15 * max(*values, LIMIT))
        axes.invert_yaxis()
        axes.set_xlabel("time over reading what a start needs (line: asked)")
