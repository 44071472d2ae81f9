"""Co-clusters: reorganised matrices, topics of their documents, and their words."""

import base64
import math
from collections import Counter

import numpy as np

from recoco.report import formats, svg
from recoco.report.drawing import COLOURS, Subject, drawing, nothing, patch
from recoco.report.inputs import Material, Paper
from recoco.report.tables import Column, Entry, Table, measured_entry

_WORDS = 15
_INK = (11, 111, 176)  # a blue that shows on either ground; how full a field is, is its opacity


@drawing
def reordered_matrices(subject: Subject):
    """Documents by words in the order of their co-clusters, a picture per dataset."""
    from matplotlib.figure import Figure

    rows = subject.paper.of_item("pictures", subject.of).to_dict("records")
    first = {}
    for row in rows:  # as many co-clusters as classes, where there are several
        first.setdefault(row["dataset"], row)
    names = list(subject.datasets)
    across = min(3, len(names))
    down = math.ceil(len(names) / across)
    figure = Figure(figsize=(3.5 * across, 3.6 * down), layout="constrained")
    board = figure.subplots(down, across, squeeze=False).ravel()
    for axes in board[len(names) :]:
        axes.set_axis_off()
    for axes, dataset in zip(board, names, strict=False):
        axes.set_title(dataset, loc="left")
        axes.set_xticks([])
        axes.set_yticks([])
        for spine in axes.spines.values():
            spine.set_visible(True)
        if dataset in first:
            _picture(axes, first[dataset])
        else:
            nothing(axes, "no data")
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
    k = len([1 for a, b in zip(borders[0], borders[0][1:], strict=False) if b > a])
    axes.set_title(f"{k} co-clusters", loc="right", fontweight="normal", fontsize=8.5)


@drawing
def topic_shares(subject: Subject):
    """Classes of the documents of each co-cluster as bars, a panel per dataset and number."""
    from matplotlib.figure import Figure

    rows = subject.paper.of_item("coclusters", subject.of).to_dict("records")
    panels = _panels(rows)
    names = list(subject.datasets)
    shown = [name for name in names if any(key[0] == name for key in panels)]
    lines = [(name, [key for key in panels if key[0] == name]) for name in shown]
    if not lines:
        figure = Figure(figsize=(6, 1.6), layout="constrained")
        axes = figure.subplots()
        axes.set_axis_off()
        nothing(axes, "nothing was measured")
        return figure
    most = max(len(keys) for _, keys in lines)
    tallest = [max(len(panels[key]) for key in keys) for _, keys in lines]
    figure = Figure(
        figsize=(2.5 * most + 0.6, sum(0.3 * t + 1.15 for t in tallest)), layout="constrained"
    )
    parts = figure.subfigures(
        len(lines), 1, squeeze=False, height_ratios=[t + 3.8 for t in tallest]
    )
    missing = [name for name in names if name not in shown]
    for part, (name, keys), height in zip(parts.ravel(), lines, tallest, strict=True):
        part.set_facecolor("none")
        board = part.subplots(1, most, squeeze=False).ravel()
        classes = list(next(iter(panels[keys[0]].values())))
        for axes in board[len(keys) :]:
            axes.set_axis_off()
        for axes, key in zip(board, keys, strict=False):
            _shares(axes, panels[key], classes, height)
            axes.set_title(f"g′ = {key[1]}", loc="left", fontsize=9)
        handles = [patch(_colour(c), label) for c, label in enumerate(classes)]
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
    order = (*COLOURS[1:], COLOURS[0])
    return order[place % len(order)]


def _panels(rows: list[dict]) -> dict[tuple[str, int], dict[int, dict[str, int]]]:
    """Return documents by class for every co-cluster of each (dataset, number asked)."""
    panels: dict[tuple[str, int], dict[int, dict[str, int]]] = {}
    for row in rows:
        clusters = panels.setdefault((row["dataset"], int(row["asked"])), {})
        clusters.setdefault(int(row["cluster"]), {})[row["class"]] = int(row["of_class"])
    return panels


def _shares(axes, clusters: dict[int, dict[str, int]], classes: list[str], height: int) -> None:
    for place, (number, found) in enumerate(clusters.items()):
        total, left = sum(found.values()), 0.0
        for c, name in enumerate(classes):
            share = found.get(name, 0) / total if total else 0.0
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


def coclusters_table(material: Material, paper: Paper, item: str) -> Table | None:
    """Return a row per co-cluster: documents, words, classes, and the words with their NPMI."""
    block = paper.config["items"][item]
    found = paper.of_item("coclusters", item).to_dict("records")
    cells = material.cells_of(paper.key, item) if block.get("published") else []
    if not found and not cells:
        return None
    said = paper.of_item("neighbours", item).to_dict("records")
    with_words = bool(said or cells)
    columns = [Column(("Dataset",), numeric=False), Column(("g′",)), Column(("Co-cluster",))]
    columns += [Column(("Documents",)), Column(("Words",))]
    columns.append(Column(("Classes, share of the documents in %",), numeric=False))
    if with_words:
        heading = "Words by the NPMI with their nearest"
        columns.append(Column((heading,), numeric=False, wrap=True))
    words: dict[tuple, list[str]] = {}
    for row in said:
        score = formats.number(formats.as_float(row["npmi"]), 2) or formats.NOTHING
        key = (row["dataset"], row["asked"], row["cluster"])
        words.setdefault(key, []).append(f"{row['word']} {score}")
    groups: dict[tuple, list[dict]] = {}
    for row in found:
        groups.setdefault((row["dataset"], row["asked"], row["cluster"]), []).append(row)
    # a method that chooses its number of co-clusters has other than were asked
    sizes = Counter(key[:2] for key in groups)
    lines = _printed_lines(cells)
    for key, rows in groups.items():
        line = [Entry(key[0]), Entry(str(sizes[key[:2]])), Entry(key[2])]
        line += [Entry(formats.whole(rows[0][c])) for c in ("documents", "words")]
        line.append(Entry(_classes(rows)))
        if with_words:
            line.append(Entry(", ".join(words.get(key, [])[:_WORDS])))
        lines.append(line)
    counted = dict.fromkeys((row["dataset"], row["corpus"]) for row in said)
    notes = [f"{dataset}: pairs of words counted in {corpus}." for dataset, corpus in counted]
    at_hand = {row["dataset"] for row in found}
    missing = [name for name in block["datasets"] if name not in at_hand]
    notes += [f"No data: {', '.join(missing)}."] if missing else []
    name = f"{paper.key}_{item}"
    return Table(name, block["title"], block.get("caption", ""), columns, lines, notes=notes)


def _classes(rows: list[dict]) -> str:
    total = sum(int(row["of_class"]) for row in rows)
    shares = sorted(((int(r["of_class"]), r["class"]) for r in rows), reverse=True)
    told = [f"{name} {100 * n / total:.0f}" for n, name in shares if total and n / total >= 0.05]
    return ", ".join(told)


def _printed_lines(cells) -> list[list[Entry]]:
    """Return a row per printed co-cluster; its first word stands for the verdict on all."""
    clusters: dict[tuple, list] = {}
    for cell in cells:
        note = dict(part.strip().split("=", 1) for part in cell.note.split(";") if "=" in part)
        clusters.setdefault((cell.dataset, note.get("cluster", "")), []).append((cell, note))
    lines = []
    for place, ((dataset, name), found) in enumerate(clusters.items(), 1):
        judged = measured_entry(found[0][0])
        words = ", ".join(f"{note.get('word', '')} {cell.value}" for cell, note in found)
        line = [Entry(f"{dataset}, printed"), Entry(str(len(clusters))), Entry(str(place))]
        line += [Entry(), Entry(), Entry(name.replace("|", ", "))]
        lines.append([*line, Entry(words, judged.verdict, judged.mark, judged.cell, judged.note)])
    return lines


def gains_table(material: Material, paper: Paper, item: str) -> Table | None:
    """Return what one method has over each other: printed beside measured, and the means."""
    block = paper.config["items"][item]
    rows = paper.of_item("gains", item).to_dict("records")
    if not rows:
        return None
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    columns = [Column((key,), numeric=False) for key in ("Dataset", f"{block['over']} minus")]
    for metric in metrics:
        columns += [Column((formats.metric_name(metric), s)) for s in ("printed", "measured")]
    by_key: dict[tuple, dict[str, dict]] = {}
    for row in rows:
        by_key.setdefault((row["dataset"], row["method"]), {})[row["metric"]] = row
    lines = _mean_lines(material, paper, item, metrics, rows)
    for (dataset, method), found in by_key.items():
        line = [Entry(dataset), Entry(method)]
        for metric in metrics:
            row = found.get(metric, {})
            line += [Entry(_signed(row.get(c), p)) for c, p in (("printed", 2), ("measured", 3))]
        lines.append(line)
    name = f"{paper.key}_{item}"
    return Table(name, block["title"], block.get("caption", ""), columns, lines)


def _signed(text, places: int) -> str:
    value = formats.as_float(text)
    return f"{value:+.{places}f}" if math.isfinite(value) else formats.NOTHING


def _mean_lines(material, paper, item, metrics, rows) -> list[list[Entry]]:
    cells = {
        cell.metric.removesuffix("_mean_gain"): cell for cell in material.cells_of(paper.key, item)
    }
    text = [Entry("all"), Entry("mean, as the text says")]
    again = [Entry("all"), Entry("mean of the cells")]
    there = [Entry("at hand"), Entry("mean of the cells")]
    for metric in metrics:
        cell = cells.get(metric)
        text += [Entry(cell.printed), measured_entry(cell)] if cell else [Entry(), Entry()]
        here = [row for row in rows if row["metric"] == metric]
        both = [r for r in here if math.isfinite(formats.as_float(r["measured"]))]
        again += [Entry(_signed(_mean(here, "printed"), 4)), Entry()]
        there += [Entry(_signed(_mean(both, c), 4)) for c in ("printed", "measured")]
    return [text, again, there]


def _mean(rows: list[dict], column: str) -> float:
    values = [formats.as_float(row[column]) for row in rows]
    return sum(values) / len(values) if values else math.nan
