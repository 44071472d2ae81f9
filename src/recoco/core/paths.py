"""The project folder and the fixed paths inside it."""

import os
from pathlib import Path

from recoco.core.errors import RecocoError


def root() -> Path:
    """Return the project folder: $RECOCO_ROOT, else the nearest one above the working folder."""
    named = os.environ.get("RECOCO_ROOT")
    if named:
        if (Path(named) / "config" / "config.yaml").is_file():
            return Path(named).resolve()
        raise RecocoError(
            f"RECOCO_ROOT names {named}, which has no config/config.yaml: "
            "point it at a recoco checkout or unset it."
        )
    here = Path.cwd().resolve()
    for folder in (here, *here.parents):
        if (folder / "config" / "config.yaml").is_file() and (folder / "Snakefile").is_file():
            return folder
    checkout = Path(__file__).resolve().parents[3]
    if (checkout / "config" / "config.yaml").is_file():
        return checkout
    raise RecocoError(
        f"No recoco project at or above {here}: run the command inside a checkout "
        "or set RECOCO_ROOT to one."
    )


def config() -> Path:
    return root() / "config"


def raw(dataset: str) -> Path:
    return root() / "resources" / "raw" / dataset


def downloads() -> Path:
    """Return the folder of files as they were downloaded, by hash."""
    return root() / "resources" / "downloads"


def prepared(dataset: str) -> Path:
    """Return the path of a prepared dataset without its ending, ``.npz`` or ``.json``."""
    return root() / "resources" / "prepared" / dataset


def mirrors() -> list[Path]:
    """Return the folders that may contain copies of the data, in the order of their use.

    $RECOCO_MIRROR may list several, separated like $PATH; ``shared/datasets`` next to the
    checkout is a convention for groups that share data.
    """
    named = [Path(p) for p in os.environ.get("RECOCO_MIRROR", "").split(os.pathsep) if p]
    shared = root().parent / "shared" / "datasets"
    return [folder for folder in [*named, shared] if folder.is_dir()]
