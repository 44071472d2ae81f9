"""How an item of each kind is answered: a function that fills tables and returns cells."""

from recoco.compare import graphs
from recoco.compare.characteristics import compare_characteristics
from recoco.compare.clusters import answer_clusters_found, compare_clusters
from recoco.compare.coclusters import answer_words, compare_coclusters
from recoco.compare.comparison import cell_of
from recoco.compare.densities import compare_densities
from recoco.compare.examples import compute_example, misread_example
from recoco.compare.gains import answer_gains, gain_rows
from recoco.compare.leaderboard import compare_leaderboard
from recoco.compare.published import read_published
from recoco.compare.rankings import (
    PRINTED,
    answer_ranks,
    compare_ranks,
    printed_scores,
    sources_of,
)
from recoco.compare.scores import answer_scores
from recoco.compare.studies import STUDIES
from recoco.compare.sweeps import compare_sweep
from recoco.compare.transfer import remarks, transfer_rows
from recoco.compare.verdicts import Answer, is_rounded
from recoco.compare.words import answer_clusters, compare_words
from recoco.leaderboard_plan import printed_tables

# Each takes (comparison, name of the item, its configuration, its printed rows).
KINDS = {}


def kind(*names):
    def register(function):
        KINDS.update(dict.fromkeys(names, function))
        return function

    return register


@kind("scores")
def _scores(comparison, item, block, rows):
    if block.get("published"):
        return answer_scores(comparison, item, block, rows)
    table = comparison.table(block)
    comparison.add({"extra": graphs.compare_plain(item, table), "twins": graphs.twins(item, table)})
    return []


@kind("characteristics")
def _characteristics(comparison, item, block, rows):
    made = compare_characteristics(comparison.key, block["datasets"], comparison.records)
    comparison.add({"characteristics": made})
    return []


@kind("sweep")
def _sweep(comparison, item, block, rows):
    comparison.add({"sweeps": compare_sweep(item, comparison.table(block))})
    return []


@kind("densities")
def _densities(comparison, item, block, rows):
    files = comparison.found.densities
    made = compare_densities(comparison.key, item, block["datasets"], comparison.records, files)
    comparison.add({"densities": made})
    return []


@kind("words")
def _words(comparison, item, block, rows):
    found = comparison.found
    coherence = {path.stem: path for path in found.coherence}
    made = compare_words(comparison.config, item, block, set(found.words), coherence)
    comparison.add(made)
    return [
        cell_of(row, item, block["datasets"][row.dataset], *rest)
        for row, *rest in answer_clusters(rows, made["words"], made["coherence"])
    ]


@kind("gains")
def _gains(comparison, item, block, rows):
    made = gain_rows(item, block["over"], block["of"], comparison.tables["cells"])
    comparison.add({"gains": made})
    floor = comparison.config.settings["verdicts"]["tolerance"]
    return [cell_of(row, item, "", *rest) for row, *rest in answer_gains(rows, made, floor)]


@kind("coclusters")
def _coclusters(comparison, item, block, rows):
    found = comparison.found
    counted = {path.stem: path for path in found.neighbours}
    comparison.add(
        compare_coclusters(comparison.config, item, block, set(found.coclusters), counted)
    )
    return [
        cell_of(row, item, block["datasets"][row.dataset], *rest)
        for row, *rest in answer_words(rows, comparison.records, block["datasets"])
    ]


@kind("ranks")
def _ranks(comparison, item, block, rows):
    paper = comparison.config.papers[comparison.key]
    scores = printed_scores(paper, comparison.printed)
    sources = sources_of(block, comparison.score_tables[block["of"]], scores)
    comparison.add(compare_ranks(item, block, sources))
    cells = []
    for row, said, answer, reason, values in answer_ranks(rows, block, sources):
        told = {"combination": PRINTED, "combination_text": "from the printed scores"}
        cells.append({**cell_of(row, item, "", said, answer, reason), **told})
        comparison.tables["measures"] += [
            {"cell": row.cell, "combination": source, "measured": value, "status": "ok"}
            | {"within": is_rounded(value, row.value)[0]}
            for source, value in values.items()
        ]
    return cells


@kind("clusters")
def _clusters(comparison, item, block, rows):
    made = compare_clusters(item, comparison.table(block))
    comparison.add({"clusters": made})
    answered = answer_clusters_found(rows, block, comparison.records, made)
    return [cell_of(row, item, *rest) for row, *rest in answered]


@kind(*STUDIES)
def _studies(comparison, item, block, rows):
    study = STUDIES[block["kind"]]
    comparison.add(study(comparison.config, comparison.key, item, comparison.found.studies))
    return []


@kind("views")
def _views(comparison, item, block, rows):
    comparison.add({"views": graphs.compare_views(item, comparison.table(block))})
    return []


@kind("ensembles")
def _ensembles(comparison, item, block, rows):
    datasets = comparison.items[block["of"]]["datasets"]
    files = comparison.found.ensembles
    made = graphs.compare_ensembles(comparison.key, item, datasets, files)
    comparison.add({"ensembles": made})
    return []


@kind("topics")
def _topics(comparison, item, block, rows):
    made = graphs.compare_topics(comparison.key, item, block, comparison.found.topics)
    comparison.add({"topics": made})
    return []


@kind("orders")
def _orders(comparison, item, block, rows):
    comparison.add({"orders": graphs.compare_orders(item, comparison.table(block))})
    return []


@kind("leaderboard")
def _leaderboard(comparison, item, block, rows):
    board, made = compare_leaderboard(comparison, item, block)
    papers = printed_tables()
    made["transfer"] = transfer_rows(
        board, papers, read_published(comparison.published / "published.csv")
    )
    made["remarks"] = remarks(board, papers, made["transfer"])
    comparison.add(made)
    return []


@kind("points")
def _points(comparison, item, block, rows):
    of = comparison.items[block["of"]]
    rows = rows[rows["dataset"].isin(of["datasets"])]
    answered = graphs.answer_gains(rows, comparison.table(of), block["over"])
    return [cell_of(row, item, of["datasets"][row.dataset], *rest) for row, *rest in answered]


@kind("example")
def _example(comparison, item, block, rows):
    """Check a worked example: exact arithmetic, so only the printed rounding is allowed."""
    values = compute_example(block["example"], comparison.published)
    how, others = misread_example(block["example"], comparison.published)
    cells = []
    for row in rows.itertuples():
        name = row.note.split(":")[0]
        name = name if name in values else f"{row.method}_{row.metric}"
        found = values[name]
        within, tolerance = is_rounded(found, row.value)
        digits = len(row.value.partition(".")[2])
        why = f"{found:.{digits + 2}f} computed against {row.value} printed"
        said = "reproduced" if within else "better" if found > float(row.value) else "worse"
        if not within and name in others and is_rounded(others[name], row.value)[0]:
            said = "explained"
            why += f"; {others[name]:.{digits + 2}f} {how}"
        answer = Answer("ok", found, None, None, None, 1, tolerance, within, why=why)
        cells.append(cell_of(row, item, "", said, answer, f"{why}."))
    return cells
