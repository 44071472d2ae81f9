"""Clusters of words in the report: cards for the page and a table for the files."""

import re

from recoco.report import formats, tables
from recoco.report.inputs import Material, Paper, PrintedCell

_CLUSTERS = 10
_WORDS = 20


def word_groups(material: Material, paper: Paper, name: str) -> list[dict]:
    """Return the clusters of each dataset, method and m, those that the paper prints first.

    A printed cluster is shown beside the measured one at the same place in the order of PMI, or
    alone if nothing was measured.
    """
    if paper.items[name]["kind"] != "words" or _is_about_cosines(paper, name):
        return []
    printed = _printed(material, paper, name)
    groups = []
    for key, rows in _measured(paper, name).items():
        places = printed.pop(key[:2], {})
        remarks = _first_words(places)
        cards = [
            _card(row, places.get(place), remarks)
            for place, row in sorted(rows.items())
            if place <= _CLUSTERS
        ]
        cards += [_card({}, places[p], remarks) for p in sorted(set(places) - set(rows))]
        runs = {row["run"] for row in rows.values() if row["run"]}
        groups.append(
            {"title": _title(material, *key, rows), "cards": cards, "printed": bool(places)}
            | {"of": len(rows), "run": runs.pop() if len(runs) == 1 else ""}
        )
    for (dataset, method), places in printed.items():
        cards = [_card({}, cell, {}) for _, cell in sorted(places.items())]
        groups.append({"title": f"{dataset}, {method}", "cards": cards, "printed": True})
        groups[-1] |= {"of": 0, "run": ""}
    return sorted(groups, key=lambda group: not group["printed"])


def _is_about_cosines(paper: Paper, name: str) -> bool:
    """Tell whether an item only serves a figure of cosines: then its clusters are not shown."""
    drawings = {item["draw"] for item in paper.items.values() if item.get("of") == name}
    return drawings == {"cosine_distributions"} and not paper.items[name]["published"]


def _printed(material: Material, paper: Paper, name: str) -> dict[tuple, dict[int, PrintedCell]]:
    """Return the printed clusters by (dataset, method) and place, which their notes give."""
    clusters: dict[tuple, dict[int, PrintedCell]] = {}
    for cell in material.cells_of(paper.key, name):
        places = clusters.setdefault((cell.dataset, cell.method), {})
        places[int(_place(cell) or len(places) + 1)] = cell
    return clusters


def _measured(paper: Paper, name: str) -> dict[tuple, dict[int, dict]]:
    """Return rows by (dataset, method, m) and place, those of a dataset in order of m.

    The printed clusters have the smallest m, the number of classes.
    """
    clusters: dict[tuple, dict[int, dict]] = {}
    for row in paper.rows_of("words", name):
        key = (row["dataset"], row["method"], int(formats.as_float(row["column_clusters"])))
        clusters.setdefault(key, {})[int(formats.as_float(row["place"]))] = row
    datasets = list(dict.fromkeys(key[0] for key in clusters))
    return dict(sorted(clusters.items(), key=lambda pair: (datasets.index(pair[0][0]), pair[0][2])))


def _title(material: Material, dataset: str, method: str, columns: int, rows: dict) -> str:
    card = next(iter(rows.values()))["card"]
    same = material.datasets.get(card, {}).get("classes") == columns
    return f"{dataset}, {method}, m = {'g = ' if same else ''}{columns}"


def _first_words(places: dict[int, PrintedCell]) -> dict[str, str]:
    """Return a remark for each of the first words that the paper prints of a cluster."""
    return {
        word: f"among the first words of printed cluster {place}, PMI {cell.value}"
        for place, cell in places.items()
        for word in first_words(cell.note)
    }


def first_words(note: str) -> list[str]:
    """Return the words of a note such as ``cluster=1; first words: armenia/turk``."""
    match = re.search(r"first words:\s*([^;]+)", note)
    return [word.strip() for word in match[1].split("/") if word.strip()] if match else []


def _card(row: dict, cell: PrintedCell | None, remarks: dict[str, str]) -> dict:
    pmi = formats.number(row.get("pmi"), 3)
    entry = tables.measured_entry(cell) if cell else tables.Entry(pmi or formats.NOTHING)
    if cell and pmi:
        entry = (entry.own or entry).saying(pmi)
    words = row.get("words", "").split()[:_WORDS]
    pairs, counted = (formats.as_float(row.get(c)) for c in ("pairs", "pairs_found"))
    return {
        "place": formats.whole(row.get("place")) or _place(cell),
        "pmi": entry,
        "words": [(word, remarks.get(word, "")) for word in words],
        "printed": cell.printed if cell else "",
        "first": first_words(cell.note) if cell else [],
        "found": f"{100 * counted / pairs:.0f} % of the pairs found" if pairs > 0 else "",
    }


def _place(cell: PrintedCell | None) -> str:
    match = re.search(r"cluster=(\d+)", cell.note) if cell else None
    return match[1] if match else ""


def words_table(material: Material, paper: Paper, name: str) -> tables.Table | None:
    """Return a row per cluster that the cards show; or the cosines."""
    if _is_about_cosines(paper, name):
        return _cosines_table(paper, name)
    groups = word_groups(material, paper, name)
    if not groups:
        return None
    several = len(groups) > 1
    beside = any(group["printed"] for group in groups)
    columns = tables.text_columns("Clusters of") * several + tables.number_columns("Place")
    columns += tables.number_columns(*["printed"] * beside, "measured", under="PMI")
    columns += tables.text_columns("First words, printed") * beside
    columns.append(tables.Column(("Words, the most typical first",), numeric=False, wrap=True))
    rows = []
    for group in groups:
        for card in group["cards"]:
            row = [tables.Entry(group["title"])] * several + [tables.Entry(card["place"])]
            row += [tables.Entry(card["printed"])] * beside + [card["pmi"]]
            row += [tables.Entry(" ".join(card["first"]))] * beside
            rows.append([*row, tables.Entry(" ".join(word for word, _ in card["words"]))])
    return tables.table_of(paper, name, columns, rows)


def _cosines_table(paper: Paper, name: str) -> tables.Table | None:
    """Return the distributions of cosines by their quantiles."""
    rows = paper.rows_of("cosines", name)
    if not rows:
        return None
    counts = {"column_clusters": "m", "pairs": "Pairs", "n_runs": "Runs"}
    shares = {"mean": "Mean", "q05": "5 %", "q25": "25 %", "median": "Median"}
    shares |= {"q75": "75 %", "q95": "95 %"}
    columns = tables.text_columns("Dataset", "Method")
    columns += tables.number_columns(*counts.values(), *shares.values())
    lines = [
        tables.entries(
            *(row[key] for key in ("dataset", "method")),
            *(formats.whole(row[key]) for key in counts),
            *(formats.number(row[key], 3) for key in shares),
        )
        for row in rows
    ]
    return tables.table_of(paper, name, columns, lines)
