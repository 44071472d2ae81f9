"""Mirror folders: what they contain, and under which name.

A mirror has the files of a card's source of kind mirror at the paths that the card names. Other
downloads, such as archives of packages, are in its folder ``downloads`` under a name with their
hash, so a mirror may have them without being named in a card.
"""

from collections.abc import Collection
from pathlib import Path

from recoco.core import paths
from recoco.datasets.card import load_card
from recoco.datasets.raw_files import HASHES, Unavailable, check, most_bytes, name_of
from recoco.datasets.receipts import hashes_of

DOWNLOADS = "downloads"


def at_hand(name: str, mirrors: list[Path] | None = None) -> bool:
    """Return whether `fetch` needs no network, because a mirror has all files or none is needed.

    Only presence and size are checked here; `fetch` checks the hashes.
    """
    mirrors = paths.mirrors() if mirrors is None else mirrors
    for source in load_card(name)["sources"]:
        if source["kind"] == "synthetic":
            return True
        if any(_has(mirror, source) for mirror in mirrors):
            return True
    return False


def _has(mirror: Path, source: dict) -> bool:
    if source["kind"] == "mirror":
        wanted = [(mirror / file["at"], file) for file in source["files"]]
    else:
        folder = mirror / DOWNLOADS
        named = downloads_of(source)
        wanted = [(folder / download_name(name, file), file) for name, file in named]
    return bool(wanted) and all(
        path.is_file() and path.stat().st_size == file.get("bytes", path.stat().st_size)
        for path, file in wanted
    )


def downloads_of(source: dict) -> list[tuple[str, dict]]:
    """Return name and expectation of what is downloaded for a source."""
    if source["kind"] == "url":
        return [(name_of(file), file) for file in source["files"]]
    if source["kind"] == "package":
        return [(source["archive"]["file"], source["archive"])]
    return []


def download_name(name: str, expected: dict) -> str:
    """Return the name of a download in a folder of downloads: half of its hash, then its name."""
    key = next(expected[kind] for kind in HASHES if kind in expected)
    return f"{key[:16]}-{name}"


def find_download(
    name: str, expected: dict, folders: Collection[Path], mirrors: Collection[Path] = ()
) -> Path | None:
    """Return the file with the expected hash in folders of downloads, or those of mirrors."""
    for folder in [*folders, *(mirror / DOWNLOADS for mirror in mirrors)]:
        path = folder / download_name(name, expected)
        if not path.is_file() or path.stat().st_size > most_bytes(expected):
            continue
        try:
            check(name, hashes_of(path), expected)
        except (Unavailable, OSError):
            continue
        return path
    return None


def mirror_name(mirror: Path) -> str:
    """Return a name of a mirror that does not contain a path of this machine."""
    if mirror.resolve() == (paths.root().parent / "shared" / "datasets").resolve():
        return "shared/datasets beside the checkout"
    return f"the folder {mirror.name} of RECOCO_MIRROR"
