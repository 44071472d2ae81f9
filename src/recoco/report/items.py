"""What each kind of item of a paper has: a table, a figure, or both."""

from recoco.report import (
    coclusters,
    curves,
    densities,
    graph_tables,
    histograms,
    leaderboard,
    standings,
    studies,
    tables,
    wordlists,
)
from recoco.report.inputs import Material, Paper

_TABLES = {
    "coclusters": coclusters.coclusters_table,
    "gains": coclusters.gains_table,
    "densities": densities.densities_table,
    "sweep": curves.sweep_table,
    "words": wordlists.words_table,
    "ranks": standings.ranks_table,
    "clusters": histograms.clusters_table,
    "representatives": studies.representatives_table,
    "scaling": studies.scaling_table,
    "convergence": studies.convergence_table,
    "views": graph_tables.views_table,
    "ensembles": graph_tables.ensembles_table,
    "topics": graph_tables.topics_table,
    "orders": graph_tables.orders_table,
    "leaderboard": leaderboard.standings_table,
}
# Items that are drawn, with the drawing of those that need not name one.
DRAWN = {
    "figure": "",
    "sweep": "parameter_curves",
    "clusters": "cluster_histograms",
    "scaling": "scaling_curves",
    "convergence": "convergence_curves",
}
# The frame in which the numbers of a drawing stand, for those that have no table.
_FRAMES = {
    "coherence_bars": "coherence",
    "cosine_distributions": "cosines",
    "reordered_matrices": "pictures",
    "topic_shares": "coclusters",
    "critical_differences": "ranks",
    "correspondence_map": "topics",
    "term_frequencies": "topics",
    "board_ranks": "standings",
    "board_times": "tradeoffs",
    "board_spread": "leaderboard",
}


def is_drawn(block: dict) -> bool:
    """Tell whether an item has a figure: by its kind, or because it names a drawing."""
    return block["kind"] in DRAWN or "draw" in block


def item_table(material: Material, paper: Paper, item: str) -> tables.Table | None:
    """Return the table of an item, or None for one that has no numbers to tabulate."""
    block = paper.config["items"][item]
    kind = block["kind"]
    if kind == "scores" and not block.get("published"):
        return graph_tables.plain_table(material, paper, item)
    return _TABLES.get(kind, tables.item_table)(material, paper, item)


def data_file(paper: Paper, item: str) -> str:
    """Return the name of the CSV with the numbers of a drawing, if compare wrote one."""
    name = _FRAMES.get(paper.config["items"][item].get("draw", ""), "")
    return f"{name}.csv" if name and (paper.folder / f"{name}.csv").is_file() else ""
