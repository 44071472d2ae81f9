"""Data that are prepared again to the same bytes: nothing that stands on them is computed again.

An edit in a parser makes the data that it reads old, and Snakemake would compute every run on
them again, though most edits change no byte. So data of another code are prepared before all else,
and files that come out the same take back their old time stamps.
"""

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from recoco.datasets.card import load_card, modules_of
from recoco.datasets.receipts import digest
from recoco.fingerprint import fingerprint
from recoco.store import read_json, write_json

_NOTE = Path(".snakemake", "recoco-prepared.json")


def made_of(dataset: str) -> str:
    """Return a hash of what decides the bytes of a prepared dataset: its code and its card."""
    card = json.dumps(load_card(dataset), sort_keys=True, default=str)
    return hashlib.sha256(f"{fingerprint(*modules_of(dataset))} {card}".encode()).hexdigest()[:16]


def up_to_date(root: Path, datasets: Iterable[str]) -> bool:
    """Say whether all datasets are there and were prepared by the code and the cards of today."""
    try:
        noted = read_json(root / _NOTE)
    except (OSError, ValueError):
        noted = {}
    return all(
        (root / "resources" / "prepared" / f"{name}.json").is_file()
        and noted.get(name) == made_of(name)
        for name in datasets
    )


@contextlib.contextmanager
def keep_times(root: Path, datasets: Iterable[str]) -> Iterator[None]:
    """Give files that are written again with the same bytes their old time stamps."""
    names = list(datasets)
    before = {}
    for path in sorted((root / "resources" / "prepared").glob("*")):
        if path.stem in names:
            before[path] = path.stat().st_mtime_ns, digest(path)
    yield
    for path, (stamp, content) in before.items():
        if path.is_file() and path.stat().st_mtime_ns != stamp and digest(path) == content:
            os.utime(path, ns=(stamp, stamp))


def note(root: Path, datasets: Iterable[str]) -> None:
    """Remember what the data were prepared of."""
    write_json(root / _NOTE, {name: made_of(name) for name in datasets})
