"""From a folder of text files to a folder with a page and tables."""

import csv
import io
import json
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recoco import __version__
from recoco.apps.cocluster.ensemble import Coclustering, Effort, find_coclusters
from recoco.apps.cocluster.reading import MOST_WORDS, Texts, read_folder
from recoco.apps.cocluster.topics import Topic, topics
from recoco.core.errors import RecocoError
from recoco.core.files import atomic, write_text
from recoco.datasets.weighting import weight
from recoco.report.formats import spreadsheet

WEIGHTING = "tfidf-l2"
GENERATOR = "recoco cocluster"


@dataclass
class Result:
    """Everything the page shows."""

    name: str
    texts: Texts
    coclustering: Coclustering
    topics: list[Topic]
    seed: int
    asked: int | None
    seconds: float
    effort: Effort


def cocluster_folder(
    folder,
    out=None,
    clusters: int | None = None,
    seed: int = 0,
    most_words: int = MOST_WORDS,
    skip_headers: bool = False,
    stop_words: frozenset[str] = frozenset(),
    progress=lambda *_: None,
) -> tuple[Result, Path]:
    """Co-cluster the documents and words of a folder and write a report about it.

    Parameters
    ----------
    folder : path of the folder; all text files below it are read
    out : path of the folder to write, by default ``NAME-coclusters`` in the working folder
    clusters : int or None, number of co-clusters; None chooses it
    seed : int
    most_words, skip_headers, stop_words : see `read_folder`
    progress : callable ``progress(what, done, total)``

    Returns
    -------
    Result, and the path of the folder that was written
    """
    began = time.perf_counter()
    folder = Path(folder)
    name = folder.resolve().name or "documents"
    out = Path(out) if out is not None else Path(f"{name}-coclusters")
    _check_out(out, folder)
    texts = read_folder(folder, most_words, skip_headers, stop_words, progress)
    A = weight(texts.X, WEIGHTING)
    effort = Effort.for_size(A.shape)
    coclustering = find_coclusters(A, clusters, seed, effort, progress)
    described = topics(
        A, coclustering.row_labels, coclustering.column_labels, coclustering.n_clusters
    )
    seconds = time.perf_counter() - began
    result = Result(name, texts, coclustering, described, seed, clusters, seconds, effort)
    progress("writing the report", 0, 0)
    _write(result, A, out)
    return result, out


def _check_out(out: Path, folder: Path) -> None:
    """Refuse a folder where the report would overwrite files or be read as a document later."""
    if out.resolve() == folder.resolve() or folder.resolve() in out.resolve().parents:
        raise RecocoError(
            f"{out} is inside the folder of documents, so the report would be read as a document: "
            "choose another folder with --out."
        )
    if out.exists() and not out.is_dir():
        raise RecocoError(f"{out} is not a folder: choose another one with --out.")
    if out.is_dir() and any(out.iterdir()):
        page = out / "index.html"
        if not page.is_file() or GENERATOR not in page.read_text("utf-8", "replace")[:2000]:
            raise RecocoError(
                f"{out} contains files that this command did not write: choose another folder with "
                "--out."
            )


def _write(result: Result, A, out: Path) -> None:
    from recoco.apps.cocluster.page import draw_choice, draw_matrices, render

    matrices, choice_svg = draw_matrices(result), draw_choice(result)
    tables = {
        "coclusters.csv": _coclusters(result),
        "documents.csv": _documents(result, A),
        "words.csv": _words(result, A),
    }
    if result.coclustering.tried:
        tables["choice.csv"] = [
            ["coclusters", "modularity"],
            *([g, f"{q:.6f}"] for g, q in sorted(result.coclustering.tried.items())),
        ]
    if "choice.csv" not in tables:
        (out / "choice.csv").unlink(missing_ok=True)  # of an earlier report
    for name, rows in tables.items():
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="\n").writerows(
            [spreadsheet(value) for value in row] for row in rows
        )
        write_text(out / name, buffer.getvalue())
    from recoco.report.figures import svg

    write_text(out / "matrix.svg", svg.for_file(matrices[1]))
    write_text(out / "summary.json", json.dumps(summary(result), indent=1) + "\n")
    with atomic(out / "index.html", "w") as stream:
        stream.write(render(result, matrices, choice_svg, summary(result), sorted(tables)))


def summary(result: Result) -> dict:
    """Return parameters and results as plain values."""
    coclustering, effort = result.coclustering, result.effort
    return {
        "folder": result.name,
        "documents": len(result.texts.files),
        "documents_without_words": int((coclustering.row_labels < 0).sum()),
        "words": len(result.texts.terms),
        "nonzeros": int(result.texts.X.nnz),
        "coclusters": coclustering.n_clusters,
        "chosen": result.asked is None,
        "weighting": WEIGHTING,
        "bases": coclustering.bases,
        "bases_used": coclustering.bases_used,
        "base_coclusters": list(coclustering.numbers),
        "starts": effort.starts,
        "iterations": effort.iterations,
        "choice_starts": effort.choice_starts,
        "choice_iterations": effort.choice_iterations,
        "chosen_on_sample": coclustering.sampled,
        "sample": effort.sample,
        "modularity": round(coclustering.modularity, 6),
        "agreement_of_halves": round(float(coclustering.agreement.mean()), 4),
        "lowest_agreement_of_halves": round(float(coclustering.agreement.min()), 4),
        "agreement_with_bases": round(float(coclustering.base_agreement.mean()), 4),
        "encodings": dict(sorted(result.texts.encodings.items())),
        "notes": result.texts.notes,
        "seed": result.seed,
        "seconds": round(result.seconds, 1),
        "recoco": __version__,
    }


def number(value: float, places: int = 3) -> str:
    return f"{value:.{places}f}" if np.isfinite(value) else ""


def _coclusters(result: Result) -> list[list]:
    rows = [["cocluster", "documents", "words", "npmi", "stability", "weight_inside", "top_words"]]
    for k, topic in enumerate(result.topics):
        top = " ".join(result.texts.terms[j] for j in topic.top)
        stable = number(result.coclustering.stability[k])
        sizes = [k + 1, topic.documents, topic.words]
        rows.append([*sizes, number(topic.npmi), stable, number(topic.inside), top])
    return rows


def _documents(result: Result, A) -> list[list]:
    rows = [["document", "cocluster", "stability"]]
    labels, stable = result.coclustering.row_labels, result.coclustering.row_stability
    for i, name in enumerate(result.texts.files):
        place = labels[i] + 1 if labels[i] >= 0 else ""
        rows.append([name, place, number(stable[i], 2)])
    return rows


def _words(result: Result, A) -> list[list]:
    frequency = np.bincount(A.indices, minlength=A.shape[1])
    mass = np.asarray(A.sum(axis=0)).ravel()
    labels = result.coclustering.column_labels
    order = np.lexsort((-mass, labels))
    rows = [["word", "cocluster", "documents", "weight"]]
    for j in order:
        rows.append([result.texts.terms[j], labels[j] + 1, frequency[j], number(mass[j])])
    return rows
