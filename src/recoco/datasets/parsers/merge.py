"""Classes of several corpora, merged by the names of their terms."""

from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from recoco.core.errors import RecocoError
from recoco.datasets.parsers import Parsed, arff, cluto, matrix

_READERS = {"arff": arff.parse, "cluto": cluto.parse}


def parse(folder: Path, options: dict) -> Parsed:
    """Stack the named classes of each part; columns are the terms that occur in them.

    With ``categories`` there is a second view: the fraction of each class's vocabulary (the
    terms of its documents) that a document contains. "all" compares every document with every
    class, "own" only with the classes of its own part.
    """
    names: list[str] = []
    number: dict[str, int] = {}
    rows, columns, values, classes = [], [], [], []
    sources: list[int] = []
    for place, part in enumerate(options["parts"]):
        parsed = _part(folder, part)
        view, terms = parsed.views[0].tocoo(), parsed.terms[0]
        if terms is None:
            raise RecocoError("a part has no terms to merge by; correct the card.")
        lookup = np.array([number.setdefault(term, len(number)) for term in terms])
        rows.append(view.row + len(sources))
        columns.append(lookup[view.col])
        values.append(view.data)
        classes.append(parsed.labels)
        sources += [place] * len(parsed.labels)
        names += part["classes"]
    labels = np.concatenate(classes)
    merged = matrix(
        np.concatenate(values),
        np.concatenate(rows),
        np.concatenate(columns),
        (labels.size, len(number)),
    )
    words = np.array(list(number))
    filled = np.bincount(merged.indices, minlength=words.size) > 0
    kept = np.flatnonzero(filled)[np.argsort(words[filled])]
    dropped = [f"{words.size - kept.size} of {words.size} terms are in none of the documents"]
    merged = csr_matrix(merged[:, kept])
    views, all_terms = [merged], [words[kept].tolist()]
    if "categories" in options:
        own = np.array(sources)
        views.append(_categories(merged, labels, own, names, options["categories"]))
        all_terms.append(list(names))
    return Parsed(views, labels, all_terms, class_order=names, dropped=dropped)


def _part(folder: Path, part: dict) -> Parsed:
    parsed = _READERS[part["parser"]["name"]](folder, part["parser"])
    missing = sorted(set(part["classes"]) - set(parsed.labels.tolist()))
    if missing:
        raise RecocoError(f"there is no class {', '.join(missing)}; correct the card.")
    chosen = np.isin(parsed.labels, part["classes"])
    return Parsed([parsed.views[0][chosen]], parsed.labels[chosen], parsed.terms)


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
