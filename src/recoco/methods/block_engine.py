"""What the block models share: random starts, batches of starts through EM, and the ICL."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from recoco.datasets.similarity_graphs import Cooccurrence
from recoco.methods.base import Starts, finished, label_dtype
from recoco.methods.checks import check_integer, check_labels
from recoco.methods.graph_clusterer import GraphClusterer, Graphs, degrees

# for less work per step, starting threads takes longer than they save
SMALL = 2_000_000


class BlockModel(GraphClusterer):
    """Base class of the block models.

    ``fit`` sets ``posteriors_`` of shape (n, g) as well as the labels. The posteriors of models
    with hard labels are 0 and 1.
    """

    # run r of all models on the same graphs starts from the same partition
    shared_starts = True

    def _check_init(self, A, init):
        return check_labels(init, A.shape[1], self.n_clusters, "node")

    def _random_nodes(self, problem, generators, init) -> list[np.ndarray]:
        """Return the labels of the nodes that each start begins with."""
        if init is not None:
            return [init]
        n = problem.degree.shape[1]
        return [rng.integers(self.n_clusters, size=n) for rng in generators]

    def _batch_size(self, A):
        return int(np.clip(256 // self.n_clusters, 2, 32))

    def _keep(self, criterion, posteriors) -> None:
        """Remember the posteriors of the best start, which become ``posteriors_``."""
        best = int(np.argmax(criterion))
        super()._keep(criterion[best], {"posteriors": posteriors[best].copy()})


@dataclass(eq=False, repr=False, kw_only=True)
class VariationalModel(BlockModel):
    """Base class of the block models that EM fits."""

    monotone = True

    max_iter: int = 300
    tol: float = 1e-8
    hard_steps: int = 0

    def _check_numbers(self, graphs) -> None:
        super()._check_numbers(graphs)
        check_integer(self.hard_steps, "hard_steps", 0)

    def _advice(self, data) -> str:
        graphs = data.graphs if isinstance(data, Graphs) else [data]
        entries = [graph.data for graph in graphs if sparse.issparse(graph)]
        if all(values.max() <= 1 for values in entries) and any(v.min() < 1 for v in entries):
            return (
                "a Poisson model takes entries for counts, and those of rows scaled to length one "
                "are too small to tell clusters apart, so fit counts or unscaled weights, with "
                "hard_steps=10"
            )
        if self._soft and self.hard_steps == 0:
            return (
                "soft posteriors from a random start often become the same for all, so set "
                "hard_steps=10, request fewer or try more starts (n_init)"
            )
        return super()._advice(data)

    @property
    def _soft(self) -> bool:
        """Whether posteriors are soft from the first step on, unless ``hard_steps`` is set."""
        return True

    def _run_em(self, problem, generators, init, model: int, derived: bool = True) -> Starts:
        labels = self._random_nodes(problem, generators, init)
        starts, Z = run_graphs(problem, labels, self.n_clusters, model, derived, self)
        self._keep(starts.criterion, Z)
        return starts


def one_hot(labels: Any, g: int) -> np.ndarray:
    """Turn labels of shape (T, n) into posteriors of shape (n, T, g)."""
    return np.ascontiguousarray(np.eye(g)[np.asarray(labels).T])


@dataclass
class Stack:
    """Several graphs as the rows (v n) of one matrix.

    Its columns are the nodes, followed by the features of graphs that are stored as products;
    ``inner`` computes the latter from the nodes.
    """

    rows: sparse.csr_matrix
    inner: sparse.csr_matrix | None
    degree: np.ndarray

    def product(self, Z: Any, threads: bool, out: Any = None) -> np.ndarray:
        """Multiply all graphs by Z of shape (n, T, g); return an array of shape (v, n, T, g)."""
        n, T, g = Z.shape
        source = Z.reshape(n, T * g)
        if self.inner is not None:
            both = np.empty((n + self.inner.shape[0], T * g))
            both[:n] = source
            multiply(self.inner, source, threads, both[n:])
            source = both
        if out is None:
            out = np.empty((len(self.degree), n, T, g))
        multiply(self.rows, source, threads, out.reshape(-1, T * g))
        return out


def multiply(
    A: sparse.csr_matrix, source: np.ndarray, threads: bool, out: Any = None
) -> np.ndarray:
    """Multiply a sparse matrix by a dense one."""
    from recoco.kernels import block_models as kernel

    out = np.empty((A.shape[0], source.shape[1])) if out is None else out
    run = kernel.product_parallel if threads else kernel.product
    source = np.ascontiguousarray(source)  # the kernel assumes contiguous memory
    run(A.indptr, A.indices, A.data, source, out)
    return out


def stack(graphs: Graphs, diagonal: bool = True) -> Stack:
    """Put the graphs below each other, with or without their diagonals."""
    n = graphs.shape[0]
    inner: Any = [graph.B.T.tocsr() for graph in graphs.graphs if isinstance(graph, Cooccurrence)]
    width = n + sum(part.shape[0] for part in inner)
    parts, first, degree = [], n, []
    for graph in graphs.graphs:
        if isinstance(graph, Cooccurrence) and diagonal:
            part, shift = graph.B, first
            first += graph.B.shape[1]
            degree.append(graph.degrees())
        else:
            part, shift = (graph if sparse.issparse(graph) else graph.matrix()), 0
            if not diagonal:
                part = sparse.csr_matrix(part - sparse.diags(part.diagonal()))
                part.eliminate_zeros()
            degree.append(degrees(part))
        moved = (part.data, part.indices + np.int32(shift), part.indptr)
        parts.append(sparse.csr_matrix(moved, shape=(n, width)))
    rows = parts[0] if len(parts) == 1 else sparse.vstack(parts, format="csr")
    inner = sparse.vstack(inner, format="csr") if inner and diagonal else None
    return Stack(_plain(rows), None if inner is None else _plain(inner), np.array(degree))


def _plain(A: sparse.csr_matrix) -> sparse.csr_matrix:
    """Use one index type for all matrices, so that the kernels are compiled once."""
    parts = (A.data, A.indices.astype(np.int32, copy=False), A.indptr.astype(np.int64))
    return sparse.csr_matrix(parts, shape=A.shape)


def run_graphs(
    problem: Stack, labels: Any, g: int, model: int, derived: bool, settings: Any
) -> tuple[Starts, np.ndarray]:
    """Run EM on graphs from every given partition of the nodes.

    Returns
    -------
    starts : Starts
    posteriors : ndarray of shape (T, n, g)
    """
    import numba

    from recoco.kernels import block_models as kernel

    T, (v, n) = len(labels), problem.degree.shape
    max_iter, tol = settings.max_iter, settings.tol
    threads = numba.get_num_threads() > 1 and problem.rows.nnz * g * T > SMALL
    expect = kernel.expect_parallel if threads else kernel.expect
    accept = kernel.accept_parallel if threads else kernel.accept
    degree = problem.degree
    Z = one_hot(labels, g)
    P = problem.product(Z, threads)
    height = 1 if model == kernel.SPLBM else g
    rates = (T, v, g, g) if model == kernel.PSBM else (T, 1, 1, 1)
    estimates = [np.empty((T, g)), np.empty((T, v, height, g)), np.empty((T, v, g)),
                 np.empty(rates)]  # fmt: skip
    bound = np.empty(T)
    kernel.maximise(model, Z, P, degree, *estimates, bound)
    for _ in range(settings.hard_steps):
        new = np.empty_like(Z)
        expect(model, derived, True, Z, P, degree, *estimates, new)
        Z, P = new, problem.product(new, threads)
        kernel.maximise(model, Z, P, degree, *estimates, bound)
    posteriors = np.empty((T, n, g))
    histories: Any = np.full((T, max_iter), -np.inf)
    n_iter = np.zeros(T, np.int32)
    active = np.arange(T)
    new, products = np.empty_like(Z), np.empty_like(P)
    for iteration in range(max_iter):
        expect(model, derived, False, Z, P, degree, *estimates, new)
        problem.product(new, threads, products)
        old = bound.copy()
        accept(model, derived, new, products, degree, *estimates, bound, Z, P)
        Z, P, new, products = new, products, Z, P
        histories[active, iteration] = bound
        n_iter[active] = iteration + 1
        change = bound - old if derived else np.abs(bound - old)
        ended = (change <= tol * np.abs(bound)) | (iteration + 1 == max_iter)
        if not ended.any():
            continue
        posteriors[active[ended]] = np.moveaxis(Z[:, ended], 1, 0)
        active = active[~ended]
        if active.size == 0:
            break
        Z = np.ascontiguousarray(Z[:, ~ended])
        P = np.ascontiguousarray(P[:, :, ~ended])
        new, products = np.empty_like(Z), np.empty_like(P)
        bound = bound[~ended]
        estimates = [part[~ended] for part in estimates]
    histories = finished(histories, n_iter)
    labels = posteriors.argmax(axis=2).astype(label_dtype(g))
    starts = Starts.from_histories(labels, None, histories)
    starts.details["icl"] = graph_icl(problem, labels, g, model)
    return starts, posteriors


def graph_icl(problem: Stack, labels: Any, g: int, model: int) -> np.ndarray:
    """Return the ICL of partitions (T, n) of nodes; see :func:`recoco.methods.block_choice.icl`."""
    from recoco.kernels import block_models as kernel

    T, (v, n) = len(labels), problem.degree.shape
    diagonal, simple = model == kernel.SPLBM, model == kernel.PSBM
    Z = one_hot(labels, g)
    bound = np.empty(T)
    estimates = (np.empty((T, g)), np.empty((T, v, 1 if diagonal else g, g)), np.empty((T, v, g)),
                 np.empty((T, v, g, g)))  # fmt: skip
    kernel.maximise(model, Z, problem.product(Z, False), problem.degree, *estimates, bound)
    pairs = n * (n - 1) / 2 if simple else n * (n + 1) / 2
    gammas = v * free_gammas(g, g * (g + 1) / 2, diagonal)
    return bound - 0.5 * gammas * np.log(pairs) - 0.5 * (g - 1) * np.log(n)


def free_gammas(g: int, blocks: float, diagonal: bool) -> float:
    """Return the number of free gammas; with one cluster, no block lies off the diagonal."""
    return g + (g > 1) if diagonal else blocks
