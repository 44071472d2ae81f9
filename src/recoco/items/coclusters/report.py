"""Co-clusters in the report: ordered matrices, classes of their documents, and a table."""

import base64
import itertools
import math
from collections import Counter

import numpy as np

from recoco.report import formats, tables
from recoco.report.figures import drawing as draw
from recoco.report.figures import svg
from recoco.report.inputs import Material, Paper

_WORDS = 15
_INK = (11, 111, 176)  # a blue visible on light and dark; its opacity is the density of a tile


@draw.drawing(data="pictures")
def reordered_matrices(subject: draw.Subject):
    """Documents by words in the order of their co-clusters, a picture per dataset."""
    first = {}
    for row in subject.rows("pictures"):  # the first one has as many co-clusters as classes
        first.setdefault(row["dataset"], row)
    names = list(subject.datasets)
    across = min(3, len(names))
    down = math.ceil(len(names) / across)
    size = (3.5 * across, 3.6 * down)
    figure, board = draw.panels(down, across, *size, used=len(names), sharex=False)
    for axes, dataset in zip(board, names, strict=False):
        axes.set_title(dataset, loc="left")
        axes.set_xticks([])
        axes.set_yticks([])
        for spine in axes.spines.values():
            spine.set_visible(True)
        if dataset in first:
            _picture(axes, first[dataset])
        else:
            draw.nothing(axes, "no data")
    return figure


def _picture(axes, row: dict) -> None:
    height, width, n, d = (int(row[key]) for key in ("height", "width", "rows", "columns"))
    shades = np.frombuffer(base64.b64decode(row["pixels"]), np.uint8).reshape(height, width)
    image = np.empty((height, width, 4), np.uint8)
    image[..., :3] = _INK
    image[..., 3] = shades
    axes.imshow(image, extent=(0, d, n, 0), aspect="auto", interpolation="nearest")
    borders = [[int(x) for x in row[f"{side}_borders"].split()] for side in ("row", "column")]
    for border in borders[0][1:-1]:
        axes.axhline(border, color=svg.INK, linewidth=0.5)
    for border in borders[1][1:-1]:
        axes.axvline(border, color=svg.INK, linewidth=0.5)
    axes.set_xlim(0, d)
    axes.set_ylim(n, 0)
    axes.set_xlabel(f"{d} words")
    axes.set_ylabel(f"{n} documents")
    k = sum(b > a for a, b in itertools.pairwise(borders[0]))
    axes.set_title(f"{k} co-clusters", loc="right", fontweight="normal", fontsize=8.5)


@draw.drawing(data="coclusters")
def topic_shares(subject: draw.Subject):
    """Classes of the documents of each co-cluster as bars, a panel per dataset and number."""
    clusters = _documents_by_class(subject.rows("coclusters"))
    names = list(subject.datasets)
    shown = [name for name in names if any(key[0] == name for key in clusters)]
    lines = [(name, [key for key in clusters if key[0] == name]) for name in shown]
    if not lines:
        return draw.empty_figure("nothing was measured", 6, 1.6)
    most = max(len(keys) for _, keys in lines)
    tallest = [max(len(clusters[key]) for key in keys) for _, keys in lines]
    figure = draw.new_figure(2.5 * most + 0.6, sum(0.3 * t + 1.15 for t in tallest))
    parts = figure.subfigures(
        len(lines), 1, squeeze=False, height_ratios=[t + 3.8 for t in tallest]
    )
    missing = [name for name in names if name not in shown]
    for part, (name, keys), height in zip(parts.ravel(), lines, tallest, strict=True):
        part.set_facecolor("none")
        board = part.subplots(1, most, squeeze=False).ravel()
        classes = list(next(iter(clusters[keys[0]].values())))
        for axes in board[len(keys) :]:
            axes.set_axis_off()
        for axes, key in zip(board, keys, strict=False):
            _shares(axes, clusters[key], classes, height)
            axes.set_title(f"g′ = {key[1]}", loc="left", fontsize=9)
        handles = [draw.patch(_colour(c), label) for c, label in enumerate(classes)]
        part.legend(
            handles=handles,
            loc="outside upper left",
            ncols=min(6, len(handles)),
            title=name,
            alignment="left",
            fontsize=7.5,
            title_fontproperties={"weight": "bold", "size": 10},
            handlelength=1.1,
            columnspacing=1.2,
        )
    if missing:
        figure.supxlabel(f"No data: {', '.join(missing)}.", fontsize=7.5, color=svg.FAINT)
    return figure


def _colour(place: int) -> str:
    order = (*draw.COLOURS[1:], draw.COLOURS[0])
    return order[place % len(order)]


def _documents_by_class(rows: list[dict]) -> dict[tuple[str, int], dict[int, dict[str, int]]]:
    """Return the documents by class of every co-cluster, by (dataset, number of co-clusters)."""
    by_number: dict[tuple[str, int], dict[int, dict[str, int]]] = {}
    for row in rows:
        clusters = by_number.setdefault((row["dataset"], int(row["asked"])), {})
        clusters.setdefault(int(row["cluster"]), {})[row["class"]] = int(row["of_class"])
    return by_number


def _shares(axes, clusters: dict[int, dict[str, int]], classes: list[str], height: int) -> None:
    for place, (number, documents) in enumerate(clusters.items()):
        total, left = sum(documents.values()), 0.0
        for c, name in enumerate(classes):
            share = documents.get(name, 0) / total if total else 0.0
            axes.barh(place, share, 0.72, left=left, color=_colour(c), linewidth=0)
            if share >= 0.14:
                bright = {"color": "#ffffff", "ha": "center", "va": "center", "fontsize": 7}
                axes.text(left + share / 2, place, f"{100 * share:.0f}", **bright)
            left += share
        size = {"fontsize": 7, "color": svg.FAINT, "va": "center"}
        axes.text(1.02, place, str(total), **size)
        axes.text(-0.02, place, str(number), ha="right", **size)
    axes.set_xlim(-0.08, 1.16)
    axes.set_ylim(height - 0.4, -0.6)
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_visible(False)


# ---- tables ------------------------------------------------------------------------------


def coclusters_table(material: Material, paper: Paper, name: str) -> tables.Table | None:
    """Return a row per co-cluster: documents, words, classes, and the words with their NPMI."""
    item, rows = paper.items[name], paper.rows_of("coclusters", name)
    cells = material.cells_of(paper.key, name) if item["published"] else []
    if not rows and not cells:
        return None
    neighbours = paper.rows_of("neighbours", name)
    with_words = bool(neighbours or cells)
    columns = tables.text_columns("Dataset")
    columns += tables.number_columns("g′", "Co-cluster", "Documents", "Words")
    columns += tables.text_columns("Classes, share of the documents in %")
    if with_words:
        heading = "Words by the NPMI with their nearest"
        columns.append(tables.Column((heading,), numeric=False, wrap=True))
    words: dict[tuple, list[str]] = {}
    for row in neighbours:
        score = formats.number(row["npmi"], 2) or formats.NOTHING
        words.setdefault(_cluster(row), []).append(f"{row['word']} {score}")
    groups: dict[tuple, list[dict]] = {}
    for row in rows:
        groups.setdefault(_cluster(row), []).append(row)
    # a method that chooses its number of co-clusters may return another one than asked for
    numbers = Counter(key[:2] for key in groups)
    lines = _printed_lines(cells)
    for key, group in groups.items():
        sizes = [formats.whole(group[0][column]) for column in ("documents", "words")]
        texts = [key[0], str(numbers[key[:2]]), key[2], *sizes, _classes(group)]
        if with_words:
            texts.append(", ".join(words.get(key, [])[:_WORDS]))
        lines.append(tables.entries(*texts))
    corpora = dict.fromkeys((row["dataset"], row["corpus"]) for row in neighbours)
    notes = [f"{dataset}: pairs of words counted in {corpus}." for dataset, corpus in corpora]
    return tables.table_of(paper, name, columns, lines, [*notes, *tables.no_data(item, rows)])


def _cluster(row: dict) -> tuple[str, str, str]:
    return row["dataset"], row["asked"], row["cluster"]


def _classes(rows: list[dict]) -> str:
    """Return the classes of a co-cluster with at least 5 % of its documents, largest first."""
    total = sum(int(row["of_class"]) for row in rows)
    sizes = sorted(((int(r["of_class"]), r["class"]) for r in rows), reverse=True)
    large = [(n, name) for n, name in sizes if total and n / total >= 0.05]
    return ", ".join(f"{name} {100 * n / total:.0f}" for n, name in large)


def _printed_lines(cells) -> list[list[tables.Entry]]:
    """Return a row per printed co-cluster, with the verdict on its first word."""
    clusters: dict[tuple, list] = {}
    for cell in cells:
        note = dict(part.strip().split("=", 1) for part in cell.note.split(";") if "=" in part)
        clusters.setdefault((cell.dataset, note.get("cluster", "")), []).append((cell, note))
    lines = []
    for place, ((dataset, name), words) in enumerate(clusters.items(), 1):
        text = ", ".join(f"{note.get('word', '')} {cell.value}" for cell, note in words)
        classes = name.replace("|", ", ")
        line = tables.entries(
            f"{dataset}, printed", str(len(clusters)), str(place), "", "", classes
        )
        lines.append([*line, tables.measured_entry(words[0][0]).saying(text)])
    return lines
