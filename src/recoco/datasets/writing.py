"""Write the card of the user's own dataset: inspect the data, guess little, measure the rest."""

import re
import tempfile
from pathlib import Path

import numpy as np

from recoco.config.schema import check
from recoco.core import paths
from recoco.core.errors import RecocoError
from recoco.core.files import write_text
from recoco.datasets.card import list_cards
from recoco.datasets.card_checks import check_card
from recoco.datasets.local import local_path, remember
from recoco.datasets.parsers import Parsed, get_parser
from recoco.datasets.preparation import _canonical, _classes, keep
from recoco.datasets.raw_files import Unavailable
from recoco.datasets.sources import LOADERS, SOURCES, Tools

_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
_BUNCH = "sklearn:"


def write_card(where: str, name: str, options: dict) -> tuple[Path, dict]:
    """Write ``config/datasets/NAME.yaml`` for the user's own data.

    Parameters
    ----------
    where : str
        A folder of text files in class folders, a .csv, .tsv, .mtx, .npz, .npy or .mat file, or
        ``sklearn:load_NAME``.
    name : str
        Name of the dataset.
    options : dict
        What the user specified: labels, text, matrix, terms, transpose, leave_out, min_df. Other
        keys are absent.

    Returns
    -------
    path : Path
        The file of the card.
    card : dict
        The card.
    """
    import yaml

    if not _NAME.fullmatch(name):
        raise RecocoError(f"{name!r} is not a valid name: use lower-case letters, digits and -.")
    path = paths.config() / "datasets" / f"{name}.yaml"
    if name in list_cards():
        raise RecocoError(
            f"There already is a dataset {name!r} ({path.name}): choose another name."
        )
    source, parser = _source_and_parser(where, options)
    named = [local_path(file["at"]) for file in source.get("files", [])]
    with tempfile.TemporaryDirectory(prefix="recoco-card-") as folder:
        raw = Path(folder)
        try:
            _, files = SOURCES[source["kind"]](source, raw, Tools(own=named))
        except Unavailable as error:
            raise RecocoError(f"{where} is not available: {error}.") from None
        parsed = get_parser(parser["name"])(raw, parser)
    if source["kind"] == "local":
        for entry, record in zip(source["files"], files, strict=True):
            entry |= {"bytes": record["bytes"], "sha256": record["sha256"]}
    card = {
        "title": name,
        "description": f"Data of one's own, read from {Path(where).name}.",
        "citation": "none",
        "licence": "The owner's.",
        "by_hand": f"Put {Path(where).name} where config/datasets/{name}.yaml expects it.",
        **_measured(parsed),
        "parser": parser,
        "sources": [source],
    }
    check(dict(card), "dataset", f"config/datasets/{name}.yaml")
    check_card(card, f"config/datasets/{name}.yaml")
    remember(named)
    write_text(path, yaml.safe_dump(card, sort_keys=False, allow_unicode=True, width=100))
    return path, card


def _measured(parsed: Parsed) -> dict:
    """Return the kind of values, and the shape that the data must have from now on."""
    values = np.concatenate([_canonical(view, "real").data for view in parsed.views])
    if values.size == 0:
        raise RecocoError("All values are zero: there is nothing to cluster.")
    if values.min() < 0:
        content = "real"
    elif np.array_equal(values, np.round(values)):
        content = "binary" if (values == 1).all() else "counts"
    else:
        content = "weights"
    keep(parsed, content)
    views = [_canonical(view, content) for view in parsed.views]
    left_out = f"Left out: {'; '.join(parsed.dropped)}." if parsed.dropped else ""
    return {
        **({"notes": left_out} if left_out else {}),
        "content": content,
        "expected": {
            "rows": views[0].shape[0],
            "columns": [view.shape[1] for view in views],
            "nonzeros": [int(view.nnz) for view in views],
            "classes": len(_classes(parsed, {})[1]),
        },
    }


def _source_and_parser(where: str, options: dict) -> tuple[dict, dict]:
    if where.startswith(_BUNCH):
        loader = where.removeprefix(_BUNCH)
        if loader not in LOADERS:
            raise RecocoError(
                f"A card cannot use {loader!r} of scikit-learn, only {', '.join(LOADERS)}: save "
                "the data as .npz or .csv and name that file."
            )
        return {"kind": "sklearn", "loader": loader}, {"name": "bunch", **_some(options, "min_df")}
    path = Path(where).expanduser()
    if not path.exists():
        raise RecocoError(f"There is no {where}: give a folder, a file, or sklearn:load_NAME.")
    files = [{"at": _at(path)}]
    if path.is_dir():
        parser = {"name": "text", "archive": f"{path.resolve().name}.zip"}
        return _local(files), parser | _some(options, "min_df")
    return _of_file(path, files, options)


def _of_file(path: Path, files: list[dict], options: dict) -> tuple[dict, dict]:
    ending = path.suffix.lower()
    if ending in (".csv", ".tsv"):
        parser = {"name": "csv", "file": path.name}
        if ending == ".tsv":
            parser["separator"] = "\t"
        return _local(files), parser | _some(options, "labels", "text", "leave_out", "min_df")
    if ending == ".mat":
        return _local(files), _matlab(path, options)
    parser = {"name": "matrix-file", "matrix": path.name, **_some(options, "transpose")}
    if ending == ".npz" and "matrix" in options:
        parser["array"] = options["matrix"]
    for key in ("labels", "terms"):
        if key not in options:
            continue
        extra = Path(options[key]).expanduser()
        if ending == ".npz" and not extra.is_file():
            parser[f"{key}_array"] = options[key]
            continue
        if not extra.is_file():
            raise RecocoError(f"There is no file {options[key]} with the {key}: check --{key}.")
        if {"at": _at(extra)} not in files:
            files.append({"at": _at(extra)})
        parser[key] = extra.name
    return _local(files), parser


def _matlab(path: Path, options: dict) -> dict:
    from scipy.io import whosmat

    if missing := [key for key in ("matrix", "labels") if key not in options]:
        try:
            held = ", ".join(f"{n} ({' x '.join(map(str, s))})" for n, s, _ in whosmat(path))
        except (ValueError, NotImplementedError, OSError) as error:
            raise RecocoError(f"{path.name} cannot be read as MATLAB ({error}).") from None
        flags = " and ".join(f"--{key}" for key in missing)
        raise RecocoError(f"{path.name} contains {held}: choose with {flags}.")
    parser = {"name": "matlab", "files": [path.name]}
    return parser | _some(options, "matrix", "labels", "terms", "transpose")


def _some(options: dict, *keys: str) -> dict:
    return {key: options[key] for key in keys if key in options}


def _local(files: list[dict]) -> dict:
    return {"kind": "local", "files": files}


def _at(path: Path) -> str:
    """Return a path as written in a card: relative to the project if it is inside."""
    path = path.resolve()
    root = paths.root()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
