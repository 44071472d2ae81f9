"""Compare what an archive was computed from with the verifier's own configuration, as data."""

from collections.abc import Iterator
from pathlib import Path

from recoco import plan
from recoco.archive.data import project_at
from recoco.archive.differences import of_csv
from recoco.archive.levels import INPUTS, Findings
from recoco.archive.trust import methods_of
from recoco.config import Config, load_config
from recoco.config.papers import paper_folders
from recoco.config.schema import read_yaml
from recoco.datasets.card import NOT_DATA, list_cards, load_card

# Keys of a card that decide nothing about data that was fetched.
_WORDS = (*NOT_DATA, "by_hand")
# Settings that say what is computed and where, not how; nothing is judged on twins.
_LEFT_OUT = ("papers", "coherence", "memory_limit", "twins")
_NUMBERS_OF_RUNS = ("first", "first_only", "most")
_SHOWN = 10


def compare_inputs(
    config: Config, folder: Path, here: Path, papers: str, findings: Findings
) -> None:
    """Add each difference between the archived configuration and the verifier's.

    Parameters
    ----------
    config : the configuration of the archive
    folder : the unpacked archive, which is the current project
    here : the project of the verifier
    papers : $RECOCO_PAPERS of the verifier, the folders of papers elsewhere
    """
    used = {
        "method": {
            key: {setting.method for setting in plan.settings_of(config.alone(key))}
            for key in config.papers
        },
        "card": {key: set(plan.datasets_of_paper(config, key)) for key in config.papers},
    }
    with project_at(here, papers):
        own, folders, known = load_config(), paper_folders(), set(list_cards())
        cards = {name: load_card(name) for name in _users(used["card"]) if name in known}
    settings = _changes(_settings(config), _settings(own), "")
    _report(findings, "config.yaml", settings, config.papers)
    for key in config.papers:
        _compare_papers(key, folder / "config" / "papers" / key, folders.get(key), findings)
    theirs, yours = methods_of(folder), methods_of(here)
    for name, papers in _users(used["method"]).items():
        changes = _changes(theirs.get(name, {}), yours.get(name, {}), "")
        _report(findings, f"methods.yaml, {name}", changes, papers)
    for name, papers in _users(used["card"]).items():
        if name not in cards:
            findings.missing(INPUTS, f"you have no card {name}", papers)
            continue
        changes = _changes(_card(load_card(name)), _card(cards[name]), "")
        _report(findings, f"card {name}", changes, papers)


def _users(used: dict[str, set[str]]) -> dict[str, list[str]]:
    """Return the papers that use each name, from the names that each paper uses."""
    names = sorted(set().union(*used.values()))
    return {name: [key for key, of_paper in used.items() if name in of_paper] for name in names}


def _settings(config: Config) -> dict:
    """Return the settings that decide a number; how many runs were asked for is not one."""
    settings = {key: value for key, value in config.settings.items() if key not in _LEFT_OUT}
    runs = config.settings["runs"]
    return settings | {"runs": {key: runs[key] for key in runs if key not in _NUMBERS_OF_RUNS}}


def _card(card: dict) -> dict:
    return {key: value for key, value in card.items() if key not in _WORDS}


def _report(findings: Findings, name: str, changes: Iterator[str], papers) -> None:
    lines = list(changes)
    for line in lines[:_SHOWN]:
        findings.differs(INPUTS, f"{name}: {line}", papers)
    if len(lines) > _SHOWN:
        findings.differs(INPUTS, f"{name}: {len(lines) - _SHOWN} more differences", papers)


def _compare_papers(key: str, theirs: Path, yours: Path | None, findings: Findings) -> None:
    """Compare the folders of one paper, file by file."""
    if yours is None:
        findings.missing(INPUTS, f"you have no paper {key}", [key])
        return
    files = [
        {path.relative_to(base).as_posix(): path for path in base.rglob("*") if path.is_file()}
        for base in (theirs, yours)
    ]
    for name in sorted({*files[0], *files[1]}):
        if name.startswith(".") or "/." in name:
            continue
        where = f"papers/{key}/{name}"
        if name not in files[0] or name not in files[1]:
            owner = "archived" if name in files[0] else "yours"
            findings.differs(INPUTS, f"{where}: only {owner}", [key])
        else:
            _report(findings, where, _changes_of_file(files[0][name], files[1][name]), [key])


def _changes_of_file(theirs: Path, yours: Path) -> Iterator[str]:
    before, now = theirs.read_bytes(), yours.read_bytes()
    if before == now:
        return
    if theirs.suffix == ".csv":
        texts = (content.decode("utf-8", "replace") for content in (before, now))
        yield from (line.replace(" now", " yours") for line in of_csv(*texts))
    elif theirs.suffix == ".yaml":
        yield from _changes(read_yaml(theirs), read_yaml(yours), "")
    else:
        yield "other bytes"


def _changes(theirs, yours, where: str) -> Iterator[str]:
    """Yield each value that differs, with its position."""
    if isinstance(theirs, dict) and isinstance(yours, dict):
        for key in [*theirs, *(key for key in yours if key not in theirs)]:
            position = f"{where}.{key}" if where else str(key)
            if key not in theirs or key not in yours:
                yield f"{position} is only {'archived' if key in theirs else 'yours'}"
            else:
                yield from _changes(theirs[key], yours[key], position)
    elif isinstance(theirs, list) and isinstance(yours, list) and len(theirs) == len(yours):
        for number, pair in enumerate(zip(theirs, yours, strict=True)):
            yield from _changes(*pair, f"{where}[{number}]")
    elif theirs != yours or type(theirs) is not type(yours):
        yield f"{where}: {_shown(theirs)} archived, {_shown(yours)} yours"


def _shown(value) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
