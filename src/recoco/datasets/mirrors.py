"""Mirror folders, and which datasets they contain."""

from pathlib import Path

from recoco.core import paths
from recoco.datasets.card import load_card


def at_hand(name: str, mirrors: list[Path] | None = None) -> bool:
    """Return whether `fetch` needs no network, because a mirror has all files or none is needed.

    Only presence and size are checked here; `fetch` checks the hashes.
    """
    mirrors = paths.mirrors() if mirrors is None else mirrors
    for source in load_card(name)["sources"]:
        if source["kind"] == "synthetic":
            return True
        if source["kind"] == "mirror" and any(_has(mirror, source) for mirror in mirrors):
            return True
    return False


def _has(mirror: Path, source: dict) -> bool:
    for file in source["files"]:
        path = mirror / file["at"]
        if not path.is_file() or path.stat().st_size != file.get("bytes", path.stat().st_size):
            return False
    return True


def mirror_name(mirror: Path) -> str:
    """Return a name of a mirror that does not contain a path of this machine."""
    if mirror.resolve() == (paths.root().parent / "shared" / "datasets").resolve():
        return "shared/datasets beside the checkout"
    return f"the folder {mirror.name} of RECOCO_MIRROR"
