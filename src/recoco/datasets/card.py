"""Cards: one YAML file per dataset that describes it and its sources."""

import re
from functools import cache
from pathlib import Path

from recoco.config.papers import DATASETS, all_papers
from recoco.config.schema import check, nearest, read_yaml
from recoco.core import paths
from recoco.core.errors import RecocoError
from recoco.datasets.card_checks import check_card
from recoco.datasets.rebuilt import description, is_close

# A name becomes part of file names.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def _cards() -> dict[str, Path]:
    """Return the files of all cards, in config/datasets and in the folders of the papers."""
    files = (paths.config() / "datasets").glob("*.yaml")
    cards = {path.stem: path for path in files if not path.name.startswith(".")}
    for paper in all_papers().values():
        for name, path in paper.cards.items():
            if name in cards:
                raise RecocoError(
                    f"There are two cards {name!r}: {_where(cards[name])} and {_where(path)}: "
                    "rename one."
                )
            cards[name] = path
    return cards


def list_cards() -> list[str]:
    """Return the sorted names of all datasets that have a card."""
    return sorted(_cards())


def card_path(name: str) -> Path:
    """Return the file of a card."""
    cards = _cards()
    if name not in cards:
        raise RecocoError(f"No dataset is called {name!r}: {nearest(name, cards)}")
    if not _NAME.fullmatch(name):
        raise RecocoError(
            f"The card {name!r} cannot be used: rename its file to letters, digits and hyphens."
        )
    return cards[name]


def load_card(name: str) -> dict:
    """Read and check the card of one dataset.

    Parameters
    ----------
    name : str
        The stem of a file in ``config/datasets``, or in ``cards`` of a paper's folder.

    Returns
    -------
    card : dict
        The card with its ``name``, completed by the card it is based on. Every source is completed
        by what it shares with the card (parser, rows and columns to keep, expected shape, names of
        the classes).
    """
    path = card_path(name)
    own = read_yaml(path)
    card = _inherit(own, _where(path))
    check(card, "dataset", _where(path))
    check_card(card, _where(path))
    card = {"name": name, "printed_as": {}, "variant": {}, **card}
    shared = {key: card[key] for key in _SHARED if key in card}
    card["sources"] = [shared | source for source in card["sources"]]
    if "expected" in own and "sources" not in own:
        for source in card["sources"]:
            if "other_preparation" in source:  # its shape is known for the other card only
                source["expected"] = None
    for number, source in enumerate(card["sources"], 1):
        missing = [key for key in ("parser", "expected") if key not in source]
        if source["kind"] != "synthetic" and missing:
            raise RecocoError(
                f"{_where(path)}: source {number} has no {' and no '.join(missing)}, "
                "neither of its own nor from the card: add it."
            )
    return card


# keys of a card that apply to every source without its own
_SHARED = ("parser", "keep", "expected", "class_names")

# keys that decide nothing about prepared data that was fetched
NOT_DATA = ("title", "description", "citation", "licence", "redistributable", "notes", "twin")

# keys that a card does not inherit from the card it is based on
_OWN = ("title", "description", "notes", "printed_as", "variant", "keep", "twin")


def _inherit(card: dict, where: str) -> dict:
    """Complete a card that reads the files of another one by the card of those files."""
    parent = card.get("based_on")
    if parent is None:
        return card
    cards = _cards()
    if not isinstance(parent, str) or parent not in cards:
        known, shown = nearest(str(parent), cards), repr(parent)[:80]
        raise RecocoError(f"{where}: based_on names {shown}, which has no card: {known}")
    inherited = read_yaml(cards[parent])
    if "based_on" in inherited:
        raise RecocoError(
            f"{where}: based_on names {parent!r}, which is itself based on a card: "
            f"name {repr(inherited['based_on'])[:80]}."
        )
    merged = {key: value for key, value in inherited.items() if key not in _OWN} | card
    if "sources" not in card and isinstance(inherited.get("sources"), list):
        merged["sources"] = [_derived(source, card, inherited) for source in inherited["sources"]]
    return merged


def _derived(source: dict, card: dict, parent: dict) -> dict:
    """Return a source of the card that another one is based on, as the latter reads it.

    What a source says for itself is for the parent's dataset. So the options in which the parsers
    of the two cards differ are applied to the parser of the source, and the card's own rule of what
    to keep is added to that of the source. Its expected shape is replaced.
    """
    if not isinstance(source, dict):
        return source  # the schema rejects it
    source = dict(source)
    ours, theirs, its = card.get("parser"), parent.get("parser"), source.get("parser")
    if isinstance(ours, dict) and isinstance(theirs, dict) and isinstance(its, dict):
        absent = object()
        changed = {key: v for key, v in ours.items() if theirs.get(key, absent) != v}
        source["parser"] = {k: v for k, v in its.items() if k in ours or k not in theirs} | changed
    if isinstance(source.get("keep"), dict) and isinstance(card.get("keep"), dict):
        source["keep"] = source["keep"] | card["keep"]
    if "expected" in card and "other_preparation" not in source:
        source.pop("expected", None)
    return source


def expected_of(name: str) -> dict:
    """Return the rows, columns, non-zeros and classes that a card expects; do not modify them.

    Results are cached, because planning asks thousands of times and reading a card takes
    milliseconds.
    """
    path = paths.config() / "datasets" / f"{name}.yaml"
    return _expected(name, path, path.stat().st_mtime_ns if path.is_file() else 0)


@cache
def _expected(name: str, path: Path, changed: int) -> dict:
    return load_card(name).get("expected") or {}


def entries_of(name: str) -> list[str]:
    """Return the functions whose code determines the prepared dataset."""
    from recoco.datasets.parsers import module_of

    parsers = [source.get("parser", {"name": "planted"}) for source in load_card(name)["sources"]]
    used = {f"{module_of(parser['name'])}:parse" for parser in parsers}
    return ["recoco.datasets.preparation:prepare", *sorted(used)]


def printed_rows(card: dict) -> dict[str, dict]:
    """Return, by paper, the printed characteristics that the card answers."""
    if not card["printed_as"]:
        return {}
    known, found = all_papers(), {}
    for key, printed in card["printed_as"].items():
        # A project with other papers has no folder for this one; some print no characteristics.
        rows = known[key].datasets if key in known else {}
        if rows and printed not in rows:
            raise RecocoError(
                f"{_where(card_path(card['name']))}: printed_as names {printed!r} of {key}, which "
                f"{known[key].where(DATASETS)} does not have: {nearest(printed, rows)}"
            )
        if rows:
            found[key] = rows[printed]
    return found


def variants(card: dict, source: dict) -> dict[str, dict[str, str]]:
    """Return {paper: {weighting or "*": reason}} for the cells that a source answers only in part.

    A source with another preparation of the corpus, or with a rebuilt matrix that is not close,
    makes every cell of every paper a variant, whatever the card says about single weightings.
    """
    other, rebuilt = source.get("other_preparation"), source.get("rebuilt")
    if rebuilt and not is_close(rebuilt):
        other = description(rebuilt)
    if other:
        return {paper: {"*": other} for paper in card["printed_as"]}
    return {paper: dict(cells) for paper, cells in card["variant"].items()}


def _where(path: Path) -> str:
    root = paths.root()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
