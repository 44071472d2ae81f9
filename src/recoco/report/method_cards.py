"""The card of each method: its aim, equations beside their code, speed and standing."""

import inspect
import re

import pandas as pd
from markupsafe import Markup, escape

from recoco.core.errors import RecocoError
from recoco.report import formats, speeds
from recoco.report.code_lines import find_line
from recoco.report.inputs import Material

METRIC = "nmi"
# Methods on a dataset that are needed for a comparison with their median.
_RIVALS = 3
_SHOWN = 3
_NO_CARD = {"cite": "", "paper": "", "aim": "", "equations": [], "complexity": ""}


def method_cards(material: Material) -> list[dict]:
    """Return the card of every registered and every configured method."""
    from recoco.methods import METHODS, get_method

    timed, standing = speeds.speeds(material), standings(material.scores)
    classes = {where: name for name, where in METHODS.items()}
    cards = []
    for name in dict.fromkeys([*METHODS, *material.methods]):
        configured = material.methods.get(name, {"params": {}})
        where = configured.get("class", METHODS.get(name, name))
        method = get_method(where)
        title = getattr(method, "title", name)
        own = material.cards.get(name) or material.cards.get(classes.get(where, ""), {})
        card = {**_NO_CARD, **own}
        parameters = inspect.signature(method.__init__).parameters
        speed = timed.get(name)
        cards.append(
            {
                "name": name,
                "title": title,
                "reference": getattr(method, "reference", ""),
                "cite": card["cite"],
                "paper": card["paper"] if card["paper"] in material.papers else "",
                "aim": formula(card["aim"]),
                "equations": [_equation(entry) for entry in card["equations"]],
                "complexity": formula(card["complexity"]),
                "notes": getattr(method, "equation_notes", ""),
                "monotone": getattr(method, "monotone", False),
                "larger": getattr(method, "larger_is_better", True),
                "views": getattr(method, "views", "one"),
                "where": where.replace(":", "."),
                "parameters": [
                    (key, "required" if p.default is p.empty else repr(p.default))
                    for key, p in parameters.items()
                    if key != "self"
                ],
                "configured": sorted(configured["params"].items()),
                "plot": speeds.plot(speed, title) if speed else "",
                "slope": formula(speed.text) if speed else "",
                "timed": len(speed.points) if speed else 0,
                **_ends(standing.get(name, [])),
            }
        )
    return cards


def _equation(entry: dict) -> dict:
    """Return an equation and its line; None if this version of the code does not have it."""
    try:
        line = find_line(entry["code"], entry["eq"])
    except RecocoError:
        line = None
    label = entry["label"] or _label(entry["eq"])
    return {
        "eq": formula(label),
        "text": formula(entry["text"]),
        "line": line,
        "code": entry["code"],
    }


def _label(eq: str) -> str:
    """Return the text for a tag: eq. (7a) for 7a, words as they are."""
    return re.sub(r"^(\d+[a-z]?)(?= of |$)", r"eq. (\1)", eq)


def formula(text: str) -> Markup:
    """Return an equation with its subscripts and superscripts, e.g. x_{ij}, x_i, W^T."""

    def small(tag: str):
        return lambda m: Markup(f"<{tag}>{m[1].strip('{}')}</{tag}>")

    safe = str(escape(text))
    safe = re.sub(r"_(\{[^}]*\}|\w)", small("sub"), safe)
    return Markup(re.sub(r"\^(\{[^}]*\}|\w)", small("sup"), safe))


# ---- where a method is best and worst -------------------------------------------------------


def standings(scores: pd.DataFrame) -> dict[str, list[dict]]:
    """Return how each method compares with the others on each dataset, the best dataset first.

    Its mean over the runs is compared with those of the others on the same dataset and weighting.
    A method that has a weighting to itself is compared with all on the dataset, by means over the
    weightings. ``ahead`` is the difference from the median of the others.
    """
    if METRIC not in scores.columns:
        return {}
    runs = scores[scores[METRIC].notna() & ~scores["method"].isin(list(formats.NULLS))]
    if runs.empty:
        return {}
    keys = ["dataset", "weighting", "method"]
    means = speeds.plainest(runs).groupby(keys, sort=True)[METRIC].mean()
    rows = list(_compared(means.reset_index(), ["dataset", "weighting"]))
    compared = {row["method"] for row in rows}
    whole = means.groupby(["dataset", "method"]).mean().reset_index()
    rows += [row for row in _compared(whole, ["dataset"]) if row["method"] not in compared]
    if not rows:
        return {}
    by_method: dict[str, list[dict]] = {}
    for (method, dataset), group in pd.DataFrame(rows).groupby(["method", "dataset"], sort=True):
        by_method.setdefault(method, []).append(
            {
                "dataset": dataset,
                "score": float(group["score"].mean()),
                "ahead": float(group["ahead"].mean()),
                "rank": float(group["rank"].mean()),
                "of": int(group["of"].max()),
            }
        )
    for entries in by_method.values():
        entries.sort(key=lambda entry: (-entry["ahead"], entry["dataset"]))
    return by_method


def _compared(means: pd.DataFrame, keys: list[str]):
    """Yield each method of every group that is large enough, compared with the others."""
    for _, group in means.groupby(keys, sort=True):
        if len(group) < _RIVALS:
            continue
        ranks = group[METRIC].rank(ascending=False)
        for place, row in group.iterrows():
            others = group[METRIC].drop(place)
            yield {
                "method": row["method"],
                "dataset": row["dataset"],
                "score": row[METRIC],
                "ahead": row[METRIC] - others.median(),
                "rank": ranks[place],
                "of": len(group),
            }


def _ends(entries: list[dict]) -> dict:
    """Return the best and the worst datasets, none in both lists, and the number of all."""
    shown = min(_SHOWN, len(entries) // 2) if len(entries) > 1 else len(entries)
    worst = entries[::-1][:shown] if len(entries) > 1 else []
    return {
        "best": [_place(entry) for entry in entries[:shown]],
        "worst": [_place(entry) for entry in worst],
        "compared": len(entries),
    }


def _place(entry: dict) -> dict:
    ahead = formats.number(entry["ahead"], 3)
    return {
        "dataset": entry["dataset"],
        "score": formats.number(entry["score"], 3),
        "ahead": ahead if ahead.startswith("-") else f"+{ahead}",
        "rank": formats.number(entry["rank"], 1).removesuffix(".0"),
        "of": entry["of"],
    }
