"""What the items about graphs need: each view alone and all together, ensembles, topics, orders.

- ``views``: some methods on the graph of each view, others on all graphs at once;
- ``ensembles``: the consensus of the best runs of the settings of a ``views`` item, inside every
  graph and then across the graphs;
- ``topics``: what the clusters of the best run of a method say of the features of a view;
- ``orders``: the number of clusters by the ICL of the best run.
"""

from recoco.config import Config
from recoco.expected import expected_of
from recoco.plan import Setting, blocks_of_kind, classes_of, with_params

ALL = "all"


def _views_of(card: str) -> int:
    return len(expected_of(card).get("columns", ()))


def view_settings(block: dict):
    """Yield (setting, details) of a ``views`` item; details have the graph, its number or all."""
    weighting = next(iter(block["weightings"].values()))
    for dataset, card in block["datasets"].items():
        about = {"dataset": dataset, "card": card}
        for view in range(1, _views_of(card) + 1):
            for name, method in block["methods"].items():
                setting = Setting(card, f"{weighting}-view{view}", method)
                yield setting, {**about, "graph": str(view), "method": name}
        for name, method in block["together"].items():
            yield Setting(card, weighting, method), {**about, "graph": ALL, "method": name}


def topic_settings(block: dict):
    """Yield (setting, details) of a ``topics`` item."""
    weighting = next(iter(block["weightings"].values()))
    for dataset, card in block["datasets"].items():
        yield Setting(card, weighting, block["method"]), {"dataset": dataset, "card": card}


def order_settings(config: Config, block: dict):
    """Yield (setting, details) of an ``orders`` item, a setting for each number of clusters."""
    weighting = next(iter(block["weightings"].values()))
    for dataset, card in block["datasets"].items():
        plain = Setting(card, weighting, block["method"])
        for number in block["values"]:
            # the number of classes is what all other items run with
            told = {} if number == classes_of(card) else {"n_clusters": number}
            setting = with_params(config, plain, told)
            yield setting, {"dataset": dataset, "card": card, "n_clusters": number}


def graph_settings(config: Config):
    """Yield (paper, item, setting) of all items about graphs."""
    for paper, block in blocks_of_kind(config, "views"):
        yield from ((paper, block, setting) for setting, _ in view_settings(block))
    for paper, block in blocks_of_kind(config, "topics"):
        yield from ((paper, block, setting) for setting, _ in topic_settings(block))
    for paper, block in blocks_of_kind(config, "orders"):
        yield from ((paper, block, setting) for setting, _ in order_settings(config, block))


def ensembles_of(config: Config, card: str) -> list[dict]:
    """Return the ensembles of a dataset: item, method, best runs taken, and groups of settings.

    A group is the runs on one graph; methods on all graphs have one group.
    """
    tasks: dict[tuple, dict] = {}
    for paper in config.papers.values():
        for item, block in paper["items"].items():
            if block["kind"] != "ensembles":
                continue
            for setting, details in view_settings(paper["items"][block["of"]]):
                if details["card"] != card:
                    continue
                key = (paper["key"], item, details["method"])
                task = tasks.setdefault(
                    key,
                    {"paper": key[0], "item": item, "method": key[2], "top": block["top"]}
                    | {"groups": {}},
                )
                task["groups"][details["graph"]] = setting.name
    return list(tasks.values())


def topics_of(config: Config, card: str) -> list[dict]:
    """Return the settings of a dataset whose topics are asked for."""
    asked = []
    for paper in config.papers.values():
        for item, block in paper["items"].items():
            if block["kind"] == "topics":
                asked += [
                    {"paper": paper["key"], "item": item, "setting": setting.name}
                    | {"view": block.get("view", 1), "top": block.get("top", 30)}
                    for setting, details in topic_settings(block)
                    if details["card"] == card
                ]
    return asked
