"""From a folder of text files to a folder with a page and tables."""

import csv
import io
import json
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recoco import __version__
from recoco.cocluster.ensemble import Effort, Found, find_coclusters
from recoco.cocluster.reading import MOST_WORDS, Texts, read_folder
from recoco.cocluster.topics import Topic, topics
from recoco.errors import RecocoError
from recoco.report.formats import spreadsheet
from recoco.store import atomic, write_text
from recoco.weighting import weight

WEIGHTING = "tfidf-l2"
GENERATOR = "recoco cocluster"


@dataclass
class Result:
    """All that the page is made of."""

    name: str
    texts: Texts
    found: Found
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
    out : path of the folder to be written, by default ``NAME-coclusters`` in the working folder
    clusters : int or None, number of co-clusters; None chooses it
    seed : int
    most_words, skip_headers, stop_words : see `read_folder`
    progress : callable, told what is done, how many steps are, and how many there are

    Returns
    -------
    Result, and the folder that was written
    """
    began = time.perf_counter()
    folder = Path(folder)
    name = folder.resolve().name or "documents"
    out = Path(out) if out is not None else Path(f"{name}-coclusters")
    _check_out(out, folder)
    texts = read_folder(folder, most_words, skip_headers, stop_words, progress)
    A = weight(texts.X, WEIGHTING)
    effort = Effort.for_size(A.shape)
    found = find_coclusters(A, clusters, seed, effort, progress)
    described = topics(A, found.row_labels, found.column_labels, found.n_clusters)
    seconds = time.perf_counter() - began
    result = Result(name, texts, found, described, seed, clusters, seconds, effort)
    progress("writing the report", 0, 0)
    _write(result, A, out)
    return result, out


def _check_out(out: Path, folder: Path) -> None:
    """Refuse a place where something else would be overwritten, or read as a document next time."""
    if out.resolve() == folder.resolve() or folder.resolve() in out.resolve().parents:
        raise RecocoError(
            f"{out} lies in the folder of the documents, so the report would be read as one: "
            "name another place with --out."
        )
    if out.exists() and not out.is_dir():
        raise RecocoError(f"{out} is no folder: name another place with --out.")
    if out.is_dir() and any(out.iterdir()):
        page = out / "index.html"
        if not page.is_file() or GENERATOR not in page.read_text("utf-8", "replace")[:2000]:
            raise RecocoError(
                f"{out} has files that are no report of this command: name another place "
                "with --out."
            )


def _write(result: Result, A, out: Path) -> None:
    from recoco.cocluster.page import draw_choice, draw_matrices, render

    matrices, choice_svg = draw_matrices(result), draw_choice(result)
    tables = {
        "coclusters.csv": _coclusters(result),
        "documents.csv": _documents(result, A),
        "words.csv": _words(result, A),
    }
    if result.found.tried:
        tables["choice.csv"] = [
            ["coclusters", "modularity"],
            *([g, f"{q:.6f}"] for g, q in sorted(result.found.tried.items())),
        ]
    if "choice.csv" not in tables:
        (out / "choice.csv").unlink(missing_ok=True)  # of an earlier report
    for name, rows in tables.items():
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="\n").writerows(
            [spreadsheet(value) for value in row] for row in rows
        )
        write_text(out / name, buffer.getvalue())
    from recoco.report import svg

    write_text(out / "matrix.svg", svg.for_file(matrices[1]))
    write_text(out / "summary.json", json.dumps(summary(result), indent=1) + "\n")
    with atomic(out / "index.html", "w") as stream:
        stream.write(render(result, matrices, choice_svg, summary(result), sorted(tables)))


def summary(result: Result) -> dict:
    """Return what was done and found, as plain values."""
    found, effort = result.found, result.effort
    return {
        "folder": result.name,
        "documents": len(result.texts.files),
        "documents_without_words": int((found.row_labels < 0).sum()),
        "words": len(result.texts.terms),
        "nonzeros": int(result.texts.X.nnz),
        "coclusters": found.n_clusters,
        "chosen": result.asked is None,
        "weighting": WEIGHTING,
        "bases": found.bases,
        "bases_used": found.bases_used,
        "base_coclusters": list(found.numbers),
        "starts": effort.starts,
        "iterations": effort.iterations,
        "choice_starts": effort.choice_starts,
        "choice_iterations": effort.choice_iterations,
        "chosen_on_sample": found.sampled,
        "sample": effort.sample,
        "modularity": round(found.modularity, 6),
        "agreement_of_halves": round(float(found.agreement.mean()), 4),
        "lowest_agreement_of_halves": round(float(found.agreement.min()), 4),
        "agreement_with_bases": round(float(found.base_agreement.mean()), 4),
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
        said = " ".join(result.texts.terms[j] for j in topic.top)
        stable = number(result.found.stability[k])
        sizes = [k + 1, topic.documents, topic.words]
        rows.append([*sizes, number(topic.npmi), stable, number(topic.inside), said])
    return rows


def _documents(result: Result, A) -> list[list]:
    rows = [["document", "cocluster", "stability"]]
    labels, stable = result.found.row_labels, result.found.row_stability
    for i, name in enumerate(result.texts.files):
        place = labels[i] + 1 if labels[i] >= 0 else ""
        rows.append([name, place, number(stable[i], 2)])
    return rows


def _words(result: Result, A) -> list[list]:
    frequency = np.bincount(A.indices, minlength=A.shape[1])
    mass = np.asarray(A.sum(axis=0)).ravel()
    labels = result.found.column_labels
    order = np.lexsort((-mass, labels))
    rows = [["word", "cocluster", "documents", "weight"]]
    for j in order:
        rows.append([result.texts.terms[j], labels[j] + 1, frequency[j], number(mass[j])])
    return rows
