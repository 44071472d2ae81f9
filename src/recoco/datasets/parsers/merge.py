"""Classes of several corpora put together by the names of their terms."""

from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from recoco.datasets.parsers import Parsed, arff, cluto, matrix
from recoco.errors import RecocoError

_READERS = {"arff": arff.parse, "cluto": cluto.parse}


def parse(folder: Path, options: dict) -> Parsed:
    """Stack the named classes of each part; columns are the terms that occur in them.

    With ``categories`` there is a second view: the share of each class's vocabulary (the terms
    of its documents) that a document has. "all" measures every document against every class,
    "own" only against the classes of the part it comes from.
    """
    names: list[str] = []
    number: dict[str, int] = {}
    rows, columns, values, labels, sources = [], [], [], [], []
    for place, part in enumerate(options["parts"]):
        found = _part(folder, part)
        view, terms = found.views[0].tocoo(), found.terms[0]
        if terms is None:
            raise RecocoError("a part has no names of terms to merge by; correct the card.")
        lookup = np.array([number.setdefault(term, len(number)) for term in terms])
        rows.append(view.row + sum(len(part_labels) for part_labels in labels))
        columns.append(lookup[view.col])
        values.append(view.data)
        labels.append(found.labels)
        sources.append(np.full(len(found.labels), place))
        names += part["classes"]
    labels, sources = np.concatenate(labels), np.concatenate(sources)
    merged = matrix(
        np.concatenate(values),
        np.concatenate(rows),
        np.concatenate(columns),
        (labels.size, len(number)),
    )
    terms = np.array(list(number))
    filled = np.bincount(merged.indices, minlength=terms.size) > 0
    kept = np.flatnonzero(filled)[np.argsort(terms[filled])]
    dropped = [f"{terms.size - kept.size} of {terms.size} terms are in none of the documents"]
    merged = csr_matrix(merged[:, kept])
    parsed = Parsed([merged], labels, [terms[kept].tolist()], class_order=names, dropped=dropped)
    if "categories" in options:
        parsed.views.append(_categories(merged, labels, sources, names, options["categories"]))
        parsed.terms.append(list(names))
    return parsed


def _part(folder: Path, part: dict) -> Parsed:
    found = _READERS[part["parser"]["name"]](folder, part["parser"])
    missing = sorted(set(part["classes"]) - set(found.labels.tolist()))
    if missing:
        raise RecocoError(f"there is no class {', '.join(missing)}; correct the card.")
    chosen = np.isin(found.labels, part["classes"])
    return Parsed([found.views[0][chosen]], found.labels[chosen], found.terms)


def _categories(view: csr_matrix, labels, sources, names, which: str) -> csr_matrix:
    present = csr_matrix((np.ones(view.nnz), view.indices, view.indptr), shape=view.shape)
    member = csr_matrix(labels[:, None] == np.array(names)).astype(np.float64)
    vocabulary = (member.T @ present).tocsr()
    vocabulary.data[:] = 1.0
    sizes = np.asarray(vocabulary.sum(axis=1)).ravel()
    shares = (present @ vocabulary.T).toarray() / sizes
    if which == "own":
        source_of = np.array([sources[labels == name][0] for name in names])
        shares *= sources[:, None] == source_of
    return csr_matrix(shares)
