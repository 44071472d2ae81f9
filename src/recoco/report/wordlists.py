"""Clusters of words: cards for the page and a table for the files."""

import re

from recoco.report import formats
from recoco.report.inputs import Material, Paper, PrintedCell
from recoco.report.tables import Column, Entry, Table, measured_entry

_CLUSTERS = 10
_WORDS = 20


def word_groups(material: Material, paper: Paper, item: str) -> list[dict]:
    """Return the clusters of each dataset, method and m, those that the paper prints first.

    A printed cluster stands beside the measured one of the same place in the order of PMI.
    Where nothing was measured for the printed ones, their cards are there all the same.
    """
    block = paper.config["items"][item]
    if block["kind"] != "words" or _is_about_cosines(paper, item):
        return []
    printed = _printed(material, paper, item)
    groups = []
    for key, rows in _measured(material, paper, item).items():
        places = printed.pop(key[:2], {})
        known = _first_words(places)
        cards = [
            _card(row, places.get(place), known)
            for place, row in sorted(rows.items())
            if place <= _CLUSTERS
        ]
        cards += [_card({}, places[p], known) for p in sorted(set(places) - set(rows))]
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


def _is_about_cosines(paper: Paper, item: str) -> bool:
    """Tell whether an item is there for the closeness of words only, not for its clusters."""
    drawn = {
        block.get("draw") for block in paper.config["items"].values() if block.get("of") == item
    }
    printed = paper.config["items"][item].get("published")
    return drawn == {"cosine_distributions"} and not printed


def _printed(material: Material, paper: Paper, item: str) -> dict[tuple, dict[int, PrintedCell]]:
    """Return the printed clusters by (dataset, method) and place; their notes say the place."""
    found: dict[tuple, dict[int, PrintedCell]] = {}
    for cell in material.cells_of(paper.key, item):
        places = found.setdefault((cell.dataset, cell.method), {})
        said = re.search(r"cluster=(\d+)", cell.note)
        places[int(said[1]) if said else len(places) + 1] = cell
    return found


def _measured(material: Material, paper: Paper, item: str) -> dict[tuple, dict[int, dict]]:
    """Return rows by (dataset, method, m) and place.

    Groups of a dataset stand in order of m: what the paper prints has the least, m = g.
    """
    found: dict[tuple, dict[int, dict]] = {}
    for row in paper.of_item("words", item).to_dict("records"):
        key = (row["dataset"], row["method"], int(formats.as_float(row["column_clusters"])))
        found.setdefault(key, {})[int(formats.as_float(row["place"]))] = row
    datasets = list(dict.fromkeys(key[0] for key in found))
    return dict(sorted(found.items(), key=lambda pair: (datasets.index(pair[0][0]), pair[0][2])))


def _title(material: Material, dataset: str, method: str, columns: int, rows: dict) -> str:
    card = next(iter(rows.values()))["card"]
    same = material.datasets.get(card, {}).get("classes") == columns
    return f"{dataset}, {method}, m = {'g = ' if same else ''}{columns}"


def _first_words(places: dict[int, PrintedCell]) -> dict[str, str]:
    """Return the printed first words, each with the cluster that it opens."""
    return {
        word: f"among the first words of printed cluster {place}, PMI {cell.value}"
        for place, cell in places.items()
        for word in first_words(cell.note)
    }


def first_words(note: str) -> list[str]:
    """Return the words of a note such as ``cluster=1; first words: armenia/turk``."""
    said = re.search(r"first words:\s*([^;]+)", note)
    return [word.strip() for word in said[1].split("/") if word.strip()] if said else []


def _card(row: dict, cell: PrintedCell | None, known: dict[str, str]) -> dict:
    pmi = formats.number(formats.as_float(row.get("pmi")), 3)
    entry = measured_entry(cell) if cell else Entry(pmi or formats.NOTHING)
    if cell and pmi:
        entry = Entry(pmi, entry.verdict, entry.mark, entry.cell, entry.note)
    words = row.get("words", "").split()[:_WORDS]
    pairs, found = (formats.as_float(row.get(c)) for c in ("pairs", "pairs_found"))
    return {
        "place": formats.whole(row.get("place")) or _place(cell),
        "pmi": entry,
        "words": [(word, known.get(word, "")) for word in words],
        "printed": cell.printed if cell else "",
        "first": first_words(cell.note) if cell else [],
        "found": f"{100 * found / pairs:.0f} % of the pairs found" if pairs > 0 else "",
    }


def _place(cell: PrintedCell | None) -> str:
    said = re.search(r"cluster=(\d+)", cell.note) if cell else None
    return said[1] if said else ""


def words_table(material: Material, paper: Paper, item: str) -> Table | None:
    """Return what the cards show as a table: a row per cluster; or the cosines."""
    if _is_about_cosines(paper, item):
        return _cosines_table(paper, item)
    groups = word_groups(material, paper, item)
    if not groups:
        return None
    block = paper.config["items"][item]
    several = len(groups) > 1
    beside = any(group["printed"] for group in groups)
    columns = [Column(("Clusters of",), numeric=False)] * several
    columns += [Column(("Place",)), *(Column(("PMI", s)) for s in ("printed", "measured"))]
    if beside:
        columns.append(Column(("First words, printed",), numeric=False))
    else:
        columns.pop(-2)
    columns.append(Column(("Words, the most typical first",), numeric=False, wrap=True))
    rows = []
    for group in groups:
        for card in group["cards"]:
            row = [Entry(group["title"])] * several + [Entry(card["place"])]
            row += [Entry(card["printed"])] * beside + [card["pmi"]]
            row += [Entry(" ".join(card["first"]))] * beside
            rows.append([*row, Entry(" ".join(word for word, _ in card["words"]))])
    name = f"{paper.key}_{item}"
    return Table(name, block["title"], block.get("caption", ""), columns, rows)


def _cosines_table(paper: Paper, item: str) -> Table | None:
    """Return the distributions of cosines by their quantiles."""
    found = paper.of_item("cosines", item)
    if found.empty:
        return None
    block = paper.config["items"][item]
    counts = {"column_clusters": "m", "pairs": "Pairs", "n_runs": "Runs"}
    shares = {"mean": "Mean", "q05": "5 %", "q25": "25 %", "median": "Median"}
    shares |= {"q75": "75 %", "q95": "95 %"}
    columns = [Column((name,), numeric=False) for name in ("Dataset", "Method")]
    columns += [Column((name,)) for name in (*counts.values(), *shares.values())]
    rows = [
        [
            *(Entry(row[key]) for key in ("dataset", "method")),
            *(Entry(formats.whole(row[key])) for key in counts),
            *(Entry(formats.number(formats.as_float(row[key]), 3)) for key in shares),
        ]
        for row in found.to_dict("records")
    ]
    name = f"{paper.key}_{item}"
    return Table(name, block["title"], block.get("caption", ""), columns, rows)
