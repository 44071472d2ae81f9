"""Cards: one YAML file per dataset that says what it is and where it comes from."""

import csv
import difflib
import functools
from pathlib import Path

from recoco import paths
from recoco.errors import RecocoError


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
        The card, with ``name`` added and every source completed by the parser and the
        expected shape that it shares with the card.
    """
    path = paths.config() / "datasets" / f"{name}.yaml"
    if not path.is_file():
        near = difflib.get_close_matches(name.lower(), list_cards(), n=3, cutoff=0.5)
        advice = f"did you mean {' or '.join(near)}?" if near else "see `recoco datasets`."
        raise RecocoError(f"No dataset is called {name!r}: {advice}")
    card = _read_yaml(path)
    _validate(card, path)
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


def _read_yaml(path: Path):
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=loader)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        text = " ".join(str(error).split())
        raise RecocoError(f"{_where(path)} is not valid YAML ({text}): correct it.") from None


@functools.cache
def _validator(schema_path: Path):
    from jsonschema import Draft202012Validator

    return Draft202012Validator(_read_yaml(schema_path))


def _where(path: Path) -> str:
    return f"config/datasets/{path.name}"


def _validate(card, path: Path) -> None:
    """Raise one sentence about what is wrong with a card, if anything is."""
    from jsonschema.exceptions import best_match

    schema = paths.root() / "workflow" / "schemas" / "dataset.schema.yaml"
    errors = list(_validator(schema).iter_errors(card))
    if not errors:
        return
    # a misspelt key is unknown and leaves another one missing: the first says more
    unknown_keys = [error for error in errors if error.validator == "additionalProperties"]
    error = unknown_keys[0] if unknown_keys else best_match(errors)
    place = "".join(
        f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path
    ).lstrip(".")
    place = f" at {place}" if place else ""
    if error.validator == "additionalProperties":
        known = list(error.schema.get("properties", {}))
        unknown = sorted(set(error.instance) - set(known))
        near = difflib.get_close_matches(unknown[0], known, n=1)
        advice = f"did you mean {near[0]!r}" if near else f"the known keys are {', '.join(known)}"
        raise RecocoError(f"{_where(path)}: unknown key {unknown[0]!r}{place}; {advice}.")
    raise RecocoError(
        f"{_where(path)}: {error.message}{place}; workflow/schemas/dataset.schema.yaml "
        "describes every key."
    )
