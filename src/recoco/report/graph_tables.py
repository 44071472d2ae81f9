"""Tables of the items about graphs: scores without printed ones, views, ensembles, orders."""

from recoco.graph_weightings import describe
from recoco.report import formats
from recoco.report.inputs import Material, Paper
from recoco.report.tables import Column, Entry, Table

LEVELS = {"across": "across the graphs", "all": "all graphs at once"}


def _table(paper: Paper, item: str, columns, rows, notes=()) -> Table:
    block = paper.config["items"][item]
    name = f"{paper.key}_{item}"
    return Table(name, block["title"], block.get("caption", ""), columns, rows, notes=[*notes])


def _heads(*names: str) -> list[Column]:
    return [Column((name,), numeric=False) for name in names]


def _score(row: dict | None, column: str = "measured", spread: str = "measured_sd") -> Entry:
    if row is None:
        return Entry()
    value = formats.as_float(row[column])
    sd = formats.as_float(row.get(spread))
    return Entry(formats.with_spread(value, sd, 3))


def _remarks(block: dict, found) -> list[str]:
    """Say how the graphs are made and for which datasets there is nothing."""
    rules = block.get("weightings", {})
    made = [f"{name}: {describe(rule)}" if len(rules) > 1 else describe(rule).capitalize()
            for name, rule in rules.items() if describe(rule)]  # fmt: skip
    there = {row["dataset"] for row in found}
    missing = [name for name in block.get("datasets", {}) if name not in there]
    return [*(f"{text}." for text in made), *_no_data(missing)]


def _no_data(missing: list[str]) -> list[str]:
    return [f"No data: {', '.join(missing)}."] if missing else []


def plain_table(material: Material, paper: Paper, item: str) -> Table | None:
    """Return measured scores for which nothing is printed: a column per metric and choice."""
    found = paper.of_item("extra", item).to_dict("records")
    if not found:
        return None
    block = paper.config["items"][item]
    several = list(dict.fromkeys(row["weighting"] for row in found))
    chosen = list(dict.fromkeys(row["combination"] for row in found))
    names = {
        n: o["text"] for c in block.get("choices", {}).values() for n, o in c["options"].items()
    }
    weighted = len(several) > 1
    columns = _heads("Dataset", *["Graph"] * weighted, "Method")
    across = [(metric, combination) for metric in block["metrics"] for combination in chosen]
    for metric, combination in across:
        path = (formats.metric_name(metric),)
        if len(chosen) > 1:
            path += (", ".join(names.get(o, o) for o in combination.split("+")),)
        columns.append(Column(path))
    columns.append(Column(("Runs",)))
    placed: dict[tuple, dict] = {}
    for row in found:
        key = (row["dataset"], *[row["weighting"]] * weighted, row["method"])
        placed.setdefault(key, {})[row["metric"], row["combination"]] = row
    rows = []
    for key, by in placed.items():
        runs = max(formats.as_float(row["n_runs"]) for row in by.values())
        scores = [_score(by.get(over)) for over in across]
        rows.append([*map(Entry, key), *scores, Entry(formats.whole(runs))])
    notes = [
        f"{row['dataset']}, {row['weighting']} ({row['combination']}): {row['first']} and "
        f"{row['second']} have the same scores in {row['same']} of {row['runs']} runs from the "
        "same start."
        for row in paper.of_item("twins", item).to_dict("records")
        if formats.as_float(row["same"]) > 0
    ]
    return _table(paper, item, columns, rows, [*notes, *_remarks(block, found)])


def views_table(material: Material, paper: Paper, item: str) -> Table | None:
    """Return the scores of every graph alone and of all together."""
    found = paper.of_item("views", item).to_dict("records")
    if not found:
        return None
    block = paper.config["items"][item]
    columns = _heads("Dataset", "Graph", "Method")
    for metric in block["metrics"]:
        name = formats.metric_name(metric)
        columns += [Column((name, kind)) for kind in ("mean", "largest likelihood")]
    columns.append(Column(("Runs",)))
    placed: dict[tuple, dict] = {}
    for row in found:
        placed.setdefault((row["dataset"], row["graph"], row["method"]), {})[row["metric"]] = row
    rows = []
    for (dataset, graph, method), by in placed.items():
        line = [Entry(dataset), Entry(LEVELS.get(graph, graph)), Entry(method)]
        for metric in block["metrics"]:
            line += [_score(by.get(metric)), _score(by.get(metric), "best", "")]
        runs = formats.as_float(next(iter(by.values()))["n_runs"])
        rows.append([*line, Entry(formats.whole(runs))])
    return _table(paper, item, columns, rows, _remarks(block, found))


def ensembles_table(material: Material, paper: Paper, item: str) -> Table | None:
    """Return the consensus inside and across graphs with what it was made of."""
    found = paper.of_item("ensembles", item).to_dict("records")
    if not found:
        return None
    columns = _heads("Dataset", "Method", "Consensus of", "Found by")
    columns += [Column((name,)) for name in ("Partitions", "NMI", "ACC")]
    columns += [Column(("NMI of the partitions", name)) for name in ("first", "mean")]
    rows = []
    for row in found:
        level = row["level"]
        text = LEVELS.get(level, f"graph {level}")
        keys = ("nmi", "acc", "first_nmi", "mean_nmi")
        scores = [Entry(formats.number(formats.as_float(row[key]), 3)) for key in keys]
        by = Entry(row["function"].upper() or formats.NOTHING, note=row["error"])
        partitions = Entry(formats.whole(formats.as_float(row["partitions"])))
        names = [Entry(row["dataset"]), Entry(row["method"]), Entry(text), by]
        rows.append([*names, partitions, *scores])
    block = paper.config["items"][paper.config["items"][item]["of"]]
    return _table(paper, item, columns, rows, _remarks(block, found))


def topics_table(material: Material, paper: Paper, item: str) -> Table | None:
    """Return the features that tell the topics apart, with their share in each topic."""
    found = paper.of_item("topics", item).to_dict("records")
    topics = [row for row in found if row["part"] == "topic"]
    if not topics:
        return None
    shares = {(r["name"], r["topic"]): r["value"] for r in found if r["part"] == "count"}
    columns = [*_heads("Word"), Column(("contribution %",))]
    columns += [Column(("share of the papers, %", f"topic {_whole(t)}")) for t in topics]
    rows = []
    for row in found:
        if row["part"] == "term":
            values = [shares.get((row["name"], topic["topic"]), "") for topic in topics]
            numbers = [row["value"], *values]
            rows.append([Entry(row["name"]), *(Entry(_percent(value)) for value in numbers)])
    notes = [f"Topic {_whole(t)}: {t['name']}, {formats.whole(t['value'])} papers." for t in topics]
    return _table(paper, item, columns, rows, notes)


def _whole(row: dict) -> str:
    return formats.whole(row["topic"])


def _percent(value: str) -> str:
    return formats.number(100 * formats.as_float(value), 1)


def orders_table(material: Material, paper: Paper, item: str) -> Table | None:
    """Return ICL and scores by number of clusters; what is chosen and what is true are marked."""
    found = paper.of_item("orders", item).to_dict("records")
    if not found:
        return None
    block = paper.config["items"][item]
    columns = [*_heads("Dataset"), Column(("Clusters",)), Column(("ICL",))]
    columns += [Column((name,)) for name in ("Filled", "NMI", "ACC", "Runs")]
    columns += _heads("Remark")
    rows = []
    for row in found:
        remarks = ["chosen"] * formats.as_bool(row["chosen"])
        remarks += ["number of classes"] * (
            formats.as_float(row["classes"]) == formats.as_float(row["n_clusters"])
        )
        scores = [Entry(formats.number(formats.as_float(row[key]), 3)) for key in ("nmi", "acc")]
        rows.append(
            [
                Entry(row["dataset"]),
                Entry(formats.whole(row["n_clusters"])),
                Entry(formats.number(formats.as_float(row["icl"]), 1)),
                Entry(formats.whole(row["filled"])),
                *scores,
                Entry(formats.whole(row["n_runs"])),
                Entry(", ".join(remarks)),
            ]
        )
    return _table(paper, item, columns, rows, _remarks(block, found))
