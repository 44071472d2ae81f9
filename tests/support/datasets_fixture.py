"""A small project with one tiny dataset, without any network."""

import hashlib
import json
from pathlib import Path

import pytest
import yaml

from recoco.core.errors import RecocoError
from recoco.datasets import fetch, prepare
from recoco.datasets.packages import PackageError
from recoco.datasets.parsers import get_parser

CHECKOUT = Path(__file__).resolve().parents[2]

MATRIX = b"4 3 5\n1 2.00 3 1.00\n2 3.00\n1 1.00\n3 4.00\n"
CLASSES = b"b\na\nb\na\n"


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def card(**changes) -> dict:
    content = {
        "title": "Tiny",
        "description": "four documents",
        "citation": "nobody",
        "licence": "none",
        "by_hand": "Write tiny/tiny.mat yourself.",
        "content": "counts",
        "printed_as": {"coclus": "CSTR"},
        "parser": {"name": "cluto", "matrix": "tiny.mat", "classes": "tiny.rclass"},
        "expected": {"rows": 4, "columns": [3], "nonzeros": [5], "classes": 2},
        "sources": [{"kind": "mirror", "files": files("tiny/")}],
    }
    return content | changes


def files(prefix: str = "") -> list[dict]:
    return [
        {"at": f"{prefix}tiny.mat", "sha256": sha(MATRIX), "bytes": len(MATRIX)},
        {"at": f"{prefix}tiny.rclass", "sha256": sha(CLASSES), "bytes": len(CLASSES)},
    ]


class Home:
    """A project folder with one card, one mirror and downloaders that record what they do."""

    def __init__(self, root: Path):
        self.root, self.mirror, self.raw = root, root / "mirror", root / "raw"
        (root / "config" / "datasets").mkdir(parents=True)
        (root / "config" / "config.yaml").write_text("{}\n")
        (root / "workflow").mkdir()
        (root / "workflow" / "schemas").symlink_to(CHECKOUT / "workflow" / "schemas")
        (root / "config" / "papers").symlink_to(CHECKOUT / "config" / "papers")
        self.put("tiny/tiny.mat", MATRIX)
        self.put("tiny/tiny.rclass", CLASSES)
        self.write_card(card())

    def write_card(self, content, name="tiny") -> None:
        text = content if isinstance(content, str) else yaml.safe_dump(content)
        (self.root / "config" / "datasets" / f"{name}.yaml").write_text(text)

    def put(self, at: str, content: bytes) -> None:
        (self.mirror / at).parent.mkdir(parents=True, exist_ok=True)
        (self.mirror / at).write_bytes(content)

    def fetch(self, name="tiny", **options) -> dict:
        options = {"mirrors": [self.mirror], "get_url": no_url, "get_package": no_package} | options
        receipt = fetch(name, self.raw, **options)
        assert json.loads((self.raw / "receipt.json").read_text()) == receipt
        kept = {path.name for path in self.raw.iterdir()} - {"receipt.json"}
        assert kept == {entry["file"] for entry in receipt["files"]}
        return receipt

    def prepare(self, name="tiny") -> tuple[Path, dict]:
        out = self.root / "out"
        prepare(name, self.raw, out / "x.npz", out / "x.json")
        return out / "x.npz", json.loads((out / "x.json").read_text())


def no_url(url, to):
    raise ConnectionError("no network in a test")


def no_package(registry, package, version, folder):
    raise PackageError("no registry in a test")


def make_home(folder: Path, monkeypatch) -> Home:
    monkeypatch.setenv("RECOCO_ROOT", str(folder))
    monkeypatch.setenv("RECOCO_MIRROR", "")
    return Home(folder)


def parse(where, name, /, **options):
    return get_parser(name)(where, options)


def refuses(where, name, /, *words, **options):
    """The parser must raise one sentence that has all of ``words``."""
    with pytest.raises(RecocoError) as caught:
        parse(where, name, **options)
    text = str(caught.value)
    assert "\n" not in text
    for word in words:
        assert word in text, text
