"""``recoco fit``: fit one method to a dataset or to matrix files and print the clusters."""

import contextlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from recoco.core.errors import RecocoError
from recoco.datasets.graph_weightings import (
    GRAPH_WEIGHTINGS,
    check_weighting,
    is_graph_weighting,
    split_name,
)
from recoco.datasets.weighting import WEIGHTINGS

SHOWN = ("acc", "nmi", "ari", "purity")
USUAL, USUAL_GRAPH = "tfidf-l2", "cosine-q97"


def show_fit(
    method: str,
    dataset: str | None,
    matrices: list[str] | None,
    clusters: int | None,
    weighting: str | None,
    seed: int,
    starts: int,
    words: int,
    transpose: bool,
    out: str | None,
) -> int:
    """Fit one method and print its criterion, its scores and what is in its clusters.

    A single matrix file is read from disk by the methods that can, and may be larger than memory.
    """
    from recoco.apps import fit_file
    from recoco.datasets import load_dataset
    from recoco.methods import get_method
    from recoco.methods.streamed import STREAMED
    from recoco.runs.block import data_of

    if matrices and len(matrices) == 1 and method in STREAMED:
        with _plain_warnings():
            return fit_file.show_big_fit(
                method, matrices[0], clusters, weighting or USUAL, seed, starts, transpose, out
            )
    kind = get_method(method)
    if matrices:
        _check_number(kind, len(matrices))
        data = fit_file.read_matrices(matrices, transpose)
    else:
        data = load_dataset(dataset)
    weighting = _weighting(kind, data, weighting)
    model = _model(kind, clusters or data.n_classes, seed, starts)
    X = data_of(kind, data, weighting)
    with _plain_warnings():
        model.fit(X)
    _print(model, data, X, weighting, words)
    if matrices:
        folder = fit_file.folder_of(matrices, out)
        sources = list(zip(matrices, data.views, strict=True))
        fit_file.write_result(folder, model, method, sources, weighting, seed, starts)
    return 0


@contextlib.contextmanager
def _plain_warnings() -> Iterator[None]:
    """Print warnings as sentences, without the line of code that caused them."""

    def show(message, *_, **__):
        print(f"recoco: {message}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


def _check_number(kind: type, given: int) -> None:
    """Raise if a method that takes one matrix was given several."""
    from recoco.methods import METHODS, get_method

    if kind.views == "many" or given == 1:  # type: ignore[attr-defined]
        return
    graphs = _graphs_only(kind)
    several = [
        name
        for name in METHODS
        if get_method(name).views == "many" and _graphs_only(get_method(name)) == graphs  # type: ignore[attr-defined]
    ]
    raise RecocoError(
        f"{kind.title} takes one {'graph' if graphs else 'matrix'}, but --matrix names {given} "  # type: ignore[attr-defined]
        f"files: give one, or use a method for several views ({', '.join(several)})."
    )


def _graphs_only(kind: Any) -> bool:
    return getattr(kind, "graphs_only", False)


def _weighting(kind: Any, data: Any, asked: str | None) -> str:
    """Return the weighting to use, or say why a method cannot use the one that was asked for."""
    if asked is None:
        return _usual(kind, data)
    check_weighting(asked, "--weighting")
    if not is_graph_weighting(asked):
        if _graphs_only(kind) and not _square(data):
            raise RecocoError(
                f"{kind.title} clusters graphs, and {asked} makes none of {data.name}: give "
                f"--weighting with one of {', '.join(GRAPH_WEIGHTINGS)}."
            )
    elif not hasattr(kind, "graphs_of"):
        raise RecocoError(
            f"{kind.title} takes a matrix, and {asked} makes graphs: give --weighting with one of "
            f"{', '.join(WEIGHTINGS)}."
        )
    elif kind.views == "one" and len(data.views) > 1 and split_name(asked)[1] is None:
        raise RecocoError(
            f"{kind.title} takes one graph, and {data.name} has {len(data.views)} views: give "
            f"--weighting {asked}-view1 for the first."
        )
    return asked


def _usual(kind: Any, data: Any) -> str:
    if not _graphs_only(kind):
        return USUAL
    if not _square(data):
        # SwMV refuses nodes without edges, and its paper uses all cosines
        rule = "cosine" if kind.name == "swmv" else USUAL_GRAPH
    elif not data.class_names:  # a file: its rows and columns are in the same order
        return "count"
    else:
        rule = "links"
    return f"{rule}-view1" if kind.views == "one" and len(data.views) > 1 else rule


def _square(data: Any) -> bool:
    return all(view.shape[0] == view.shape[1] for view in data.views)


def _model(kind: Any, clusters: int, seed: int, starts: int) -> Any:
    number = {"n_clusters": clusters} if clusters else {}
    model = kind(**number, n_init=starts, random_state=seed)
    if not number and getattr(model, "expected_clusters", 0) is not None:
        raise RecocoError("The number of clusters is unknown: give --clusters.")
    return model


def _print(model: Any, data: Any, X: Any, weighting: str, words: int) -> None:
    from recoco.apps.fit_account import account, views_of
    from recoco.methods.graph_clusterer import GraphClusterer
    from recoco.metrics import score_partitions

    graphs = _graphs_only(model) or (
        isinstance(model, GraphClusterer) and is_graph_weighting(weighting)
    )
    # the columns of a graph are objects, whatever the features are called
    names = [] if is_graph_weighting(weighting) and weighting != "nonnegative" else data.terms
    views = views_of(model, X, names, graphs)
    n, widths = len(model.row_labels_), " + ".join(str(view.matrix.shape[1]) for view in views)
    size = f"{len(views)} graphs of {n} nodes" if graphs and len(views) > 1 else f"{n} x {widths}"
    part = f", view 1 of {len(data.views)}" if len(views) < len(data.views) and not graphs else ""
    print(f"{model.title} on {data.name} ({size}{part}, {weighting})")
    print(f"criterion {model.criterion_:.6f} after {model.n_iter_} iterations")
    if data.class_names:
        scores = score_partitions(data.labels, np.asarray(model.row_labels_)[None, :])
        print("  ".join(f"{name} {scores[name][0]:.4f}" for name in SHOWN))
    for line in account(model, views, words, graphs):
        print(line)
