"""Write the card of a dataset of one's own: look at the data, guess little, measure the rest."""

import re
import tempfile
from pathlib import Path

import numpy as np

from recoco import paths
from recoco.datasets import fetching, own
from recoco.datasets.card import list_cards
from recoco.datasets.parsers import Parsed, get_parser
from recoco.datasets.preparation import _canonical, _classes
from recoco.errors import RecocoError
from recoco.schema import check
from recoco.store import write_text

_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
_BUNCH = "sklearn:"


def write_card(where: str, name: str, options: dict) -> tuple[Path, dict]:
    """Write ``config/datasets/NAME.yaml`` for data of one's own.

    Parameters
    ----------
    where : str
        A folder of text files in class folders, a .csv, .tsv, .mtx, .npz, .npy or .mat, or
        ``sklearn:load_NAME``.
    name : str, of the dataset
    options : dict
        What was said about the data: labels, text, matrix, terms, transpose, leave_out, min_df;
        a key is absent where nothing was said.

    Returns
    -------
    The path of the card, and the card.
    """
    import yaml

    own.register()
    if not _NAME.fullmatch(name):
        raise RecocoError(f"{name!r} is no name of a dataset: use small letters, digits and -.")
    path = paths.config() / "datasets" / f"{name}.yaml"
    if name in list_cards():
        raise RecocoError(f"There is a dataset {name!r} already ({path.name}): take another name.")
    source, parser = _source_and_parser(where, options)
    with tempfile.TemporaryDirectory(prefix="recoco-card-") as folder:
        raw = Path(folder)
        try:
            _, files = fetching._BRING[source["kind"]](source, raw, None)
        except fetching._Unavailable as error:
            raise RecocoError(f"{where} cannot be had: {error}.") from None
        parsed = get_parser(parser["name"])(raw, parser)
    if source["kind"] == "local":
        for entry, found in zip(source["files"], files, strict=True):
            entry |= {"bytes": found["bytes"], "sha256": found["sha256"]}
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
    write_text(path, yaml.safe_dump(card, sort_keys=False, allow_unicode=True, width=100))
    return path, card


def _measured(parsed: Parsed) -> dict:
    """Return what the values are and the shape that the data must have from now on."""
    views = [_canonical(view, "real") for view in parsed.views]
    values = np.concatenate([view.data for view in views])
    if values.size == 0:
        raise RecocoError("All values are zero: there is nothing to cluster.")
    if values.min() < 0:
        content = "real"
    elif np.array_equal(values, np.round(values)):
        content = "binary" if (values == 1).all() else "counts"
    else:
        content = "weights"
    return {
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
        if not re.fullmatch(r"(load|fetch)_[a-z0-9_]+", loader):
            raise RecocoError(
                f"{loader!r} is no loader of scikit-learn: name one as sklearn:load_wine."
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
        beside = Path(options[key]).expanduser()
        if ending == ".npz" and not beside.is_file():
            parser[f"{key}_array"] = options[key]
            continue
        if not beside.is_file():
            raise RecocoError(f"There is no file {options[key]} with the {key}: check --{key}.")
        files.append({"at": _at(beside)})
        parser[key] = beside.name
    return _local(files), parser


def _matlab(path: Path, options: dict) -> dict:
    from scipy.io import whosmat

    if missing := [key for key in ("matrix", "labels") if key not in options]:
        try:
            held = ", ".join(f"{n} ({' x '.join(map(str, s))})" for n, s, _ in whosmat(path))
        except (ValueError, NotImplementedError, OSError) as error:
            raise RecocoError(f"{path.name} cannot be read as MATLAB ({error}).") from None
        raise RecocoError(
            f"{path.name} holds {held}: say which by {' and '.join(f'--{key}' for key in missing)}."
        )
    parser = {"name": "matlab", "files": [path.name]}
    return parser | _some(options, "matrix", "labels", "terms", "transpose")


def _some(options: dict, *keys: str) -> dict:
    return {key: options[key] for key in keys if key in options}


def _local(files: list[dict]) -> dict:
    return {"kind": "local", "files": files}


def _at(path: Path) -> str:
    """Return a path as a card has it: below the project where it lies there."""
    path = path.resolve()
    root = paths.root()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
