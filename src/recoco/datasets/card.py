"""Cards: one YAML file per dataset that says what it is and where it comes from."""

import csv
from pathlib import Path

from recoco import paths
from recoco.errors import RecocoError
from recoco.schema import check, nearest, read_yaml


def list_cards() -> list[str]:
    """Return the names of all datasets that have a card, sorted."""
    return sorted(card.stem for card in (paths.config() / "datasets").glob("*.yaml"))


def load_card(name: str) -> dict:
    """Read and check the card of one dataset.

    Parameters
    ----------
    name : str
        The stem of a file in ``config/datasets``.

    Returns
    -------
    dict
        The card, with ``name`` added, completed by the card it is based on, and every source
        completed by the parser and the expected shape that it shares with the card.
    """
    path = paths.config() / "datasets" / f"{name}.yaml"
    if not path.is_file():
        raise RecocoError(f"No dataset is called {name!r}: {nearest(name, list_cards())}")
    card = _inherit(read_yaml(path), _where(path))
    check(card, "dataset", _where(path))
    card = {"name": name, "printed_as": {}, "variant": {}, **card}
    shared = {key: card[key] for key in ("parser", "expected", "class_names") if key in card}
    card["sources"] = [shared | source for source in card["sources"]]
    for number, source in enumerate(card["sources"], 1):
        missing = [key for key in ("parser", "expected") if key not in source]
        if source["kind"] != "synthetic" and missing:
            raise RecocoError(
                f"{_where(path)}: source {number} has no {' and no '.join(missing)}, "
                "neither of its own nor from the card: add it."
            )
    return card


# what a card says of its own data and cannot take over from the card it is based on
_OWN = ("title", "description", "notes", "printed_as", "variant", "keep")


def _inherit(card: dict, where: str) -> dict:
    """Complete a card that is another reading of the same files by the card of those files."""
    parent = card.get("based_on")
    if parent is None:
        return card
    path = paths.config() / "datasets" / f"{parent}.yaml"
    if not path.is_file():
        known = nearest(str(parent), list_cards())
        raise RecocoError(f"{where}: based_on names {parent!r}, which has no card: {known}")
    inherited = read_yaml(path)
    if "based_on" in inherited:
        raise RecocoError(
            f"{where}: based_on names {parent!r}, which is itself based on a card: "
            f"name {inherited['based_on']!r}."
        )
    return {key: value for key, value in inherited.items() if key not in _OWN} | card


def modules_of(name: str) -> list[str]:
    """Return the modules whose code decides what `prepare` makes of a dataset."""
    from recoco.datasets.parsers import module_of

    parsers = [source.get("parser", {"name": "planted"}) for source in load_card(name)["sources"]]
    used = {module_of(parser["name"]) for parser in parsers}
    return ["recoco.datasets.preparation", *sorted(used)]


def printed_rows(card: dict) -> dict[str, dict]:
    """Return, per paper, the row of config/published/datasets.csv that the card answers."""
    table = paths.config() / "published" / "datasets.csv"
    if not card["printed_as"] or not table.is_file():
        return {}
    with table.open(encoding="utf-8", newline="") as stream:
        rows = {(row["paper"], row["dataset"]): row for row in csv.DictReader(stream)}
    found = {}
    papers = {paper for paper, _ in rows}
    for paper, printed in card["printed_as"].items():
        if paper not in papers:  # a project about other papers
            continue
        if (paper, printed) not in rows:
            raise RecocoError(
                f"config/datasets/{card['name']}.yaml: printed_as names {printed!r} of {paper}, "
                "which config/published/datasets.csv does not have: correct one of the two."
            )
        found[paper] = rows[paper, printed]
    return found


def variants(card: dict, source: dict) -> dict[str, dict[str, str]]:
    """Return {paper: {weighting or "*": reason}}: the cells this source answers only in part.

    A source that holds another preparation of the corpus makes every cell of every paper a
    variant, whatever the card says about single weightings.
    """
    other = source.get("other_preparation")
    if other:
        return {paper: {"*": other} for paper in card["printed_as"]}
    return {paper: dict(cells) for paper, cells in card["variant"].items()}


def _where(path: Path) -> str:
    return f"config/datasets/{path.name}"
