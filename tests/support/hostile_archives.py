"""Archives that somebody made to do harm, each from a good one; what verify must make of them.

``FORGED`` changes members, and the checksums are corrected as a careful forger would do.
``BROKEN`` writes the file anew, byte by byte if need be.
"""

import io
import json
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import yaml

from recoco.archive.crate import METADATA
from recoco.archive.format import FORMAT
from recoco.archive.pack import MANIFEST
from recoco.core.checksums import DIGESTS

PROVENANCE = "results/provenance.json"
PAPER = "config/papers/mini/paper.yaml"
PRINTED = "config/papers/mini/published.csv"
CARD = "config/datasets/planted-small.yaml"
METHODS = "config/methods.yaml"
PREPARED = "resources/prepared/planted-small.npz"
RECORD = "resources/prepared/planted-small.json"
SCORES = "results/scores/planted-small.parquet"

DEEP = b"[" * 100_000
BOMB = "\n".join(
    ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
).encode()


def _json(content) -> bytes:
    return json.dumps(content).encode()


def _yaml(content) -> bytes:
    return yaml.safe_dump(content, sort_keys=False).encode()


def block_of(members: dict[str, bytes]) -> str:
    """Return the name of a block of runs."""
    return next(n for n in sorted(members) if n.startswith("results/runs/") and n.endswith(".npz"))


def _changed_json(name: str, change: Callable[[dict], None]):
    def changing(members):
        content = json.loads(members[name])
        return {name: _json(change(content) or content)}

    return changing


def _changed_yaml(name: str, change: Callable[[dict], None]):
    def changing(members):
        content = yaml.safe_load(members[name])
        return {name: _yaml(change(content) or content)}

    return changing


def _arrays(content: bytes) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(content)) as stored:
        return dict(stored)


def _npz(arrays: dict) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def _changed_block(change: Callable[[dict], dict]):
    def changing(members):
        name = block_of(members)
        return {name: _npz(change(_arrays(members[name])))}

    return changing


def _huge_array() -> bytes:
    """Return an .npz whose only array says that it has 10^13 elements."""
    head = io.BytesIO()
    described = {"descr": "<f8", "fortran_order": False, "shape": (10**7, 10**6)}
    np.lib.format.write_array_header_1_0(head, described)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        packed.writestr("row_labels.npy", head.getvalue() + b"0" * 64)
        packed.writestr("record.npy", head.getvalue())
    return buffer.getvalue()


def _set(*keys, value):
    def change(content):
        for key in keys[:-1]:
            content = content[key]
        content[keys[-1]] = value

    return change


def _replace(name: str, content: bytes):
    return lambda members: {name: content}


FORGED: dict[str, Callable[[dict[str, bytes]], dict[str, bytes | None]]] = {
    "provenance is a list": _replace(PROVENANCE, b"[]"),
    "provenance is deep": _replace(PROVENANCE, DEEP),
    "provenance is missing": lambda members: {PROVENANCE: None},
    "settings are a text": _changed_json(PROVENANCE, _set("settings", value="x")),
    "settings have an unknown key": _changed_json(PROVENANCE, _set("settings", "run", value="x")),
    "settings ask for another paper": _changed_json(
        PROVENANCE, _set("settings", "papers", value=["../../etc"])
    ),
    "settings ask for endless runs": _changed_json(
        PROVENANCE, _set("settings", "runs", "first", value=10**9)
    ),
    "digests are a list": _replace(DIGESTS, b"[1, 2]"),
    "digests are deep": _replace(DIGESTS, DEEP),
    "digests name a path": _replace(DIGESTS, _json({"../../../etc/passwd": "0" * 64})),
    "digests are numbers": _replace(DIGESTS, _json({"planted-small": 1})),
    "format is later": _replace(FORMAT, _json({"format": 99})),
    "format is a text": _replace(FORMAT, _json({"format": "2"})),
    "format is a list": _replace(FORMAT, b"[2]"),
    "format is negative": _replace(FORMAT, _json({"format": -1})),
    "format is true": _replace(FORMAT, _json({"format": True})),
    "crate is deep": _replace(METADATA, DEEP),
    "crate is a list": _replace(METADATA, b"[]"),
    "crate of texts": _replace(METADATA, _json({"@graph": ["a", "b"]})),
    "crate of lists": _replace(METADATA, _json({"@graph": [{"@id": ["a"]}]})),
    "crate of numbers": _replace(METADATA, _json({"@graph": [{"@id": 1}, {"@id": None}]})),
    "paper is a bomb": _replace(PAPER, BOMB),
    "paper is deep": _replace(PAPER, b"key: " + DEEP),
    "paper is binary": _replace(PAPER, bytes(range(256))),
    "paper has another key": _changed_yaml(PAPER, _set("key", value="../mini")),
    "paper runs an object": _replace(PAPER, b"key: !!python/object/apply:os.system ['true']\n"),
    "paper has an unknown kind": _changed_yaml(PAPER, _set("items", "table2", "kind", value="os")),
    "paper has endless runs": _changed_yaml(PAPER, _set("runs", value=10**12)),
    "printed numbers are binary": _replace(PRINTED, bytes(range(256))),
    "printed numbers are one field": _replace(PRINTED, b"x" * 1_000_000),
    "card is a bomb": _replace(CARD, BOMB),
    "card is deep": _replace(CARD, DEEP),
    "card has an invalid date": _replace(CARD, b"title: 2001-99-99\n"),
    "card is based on itself": _changed_yaml(CARD, _set("based_on", value="planted-small")),
    "methods are a bomb": _replace(METHODS, BOMB),
    "methods are a list": _replace(METHODS, b"- coclus\n"),
    "block is empty": _changed_block(lambda arrays: {}),
    "block is text": lambda members: {block_of(members): b"text"},
    "block is huge": lambda members: {block_of(members): _huge_array()},
    "block has no record": _changed_block(lambda a: {k: v for k, v in a.items() if k != "record"}),
    "record is deep": _changed_block(lambda a: a | {"record": np.array(DEEP.decode())}),
    "record is a number": _changed_block(lambda a: a | {"record": np.array("1")}),
    "labels are texts": _changed_block(lambda a: a | {"row_labels": np.array([["x"]])}),
    "labels are few": _changed_block(lambda a: a | {"row_labels": a["row_labels"][:, :3]}),
    "labels are negative": _changed_block(
        lambda a: a | {"row_labels": a["row_labels"].astype(np.int64) - 5}
    ),
    "labels are enormous": _changed_block(
        lambda a: a | {"row_labels": a["row_labels"].astype(np.int64) + 2**62}
    ),
    "block is missing": lambda members: {block_of(members): None},
    "data is text": _replace(PREPARED, b"text"),
    "data is huge": _replace(PREPARED, _huge_array()),
    "record of the data is deep": _replace(RECORD, DEEP),
    "record of the data is a list": _replace(RECORD, b"[]"),
    "scores are text": _replace(SCORES, b"text"),
    "scores are missing": lambda members: {SCORES: None},
    "receipt is another": _replace("receipt.txt", b"all is well\n"),
    "report is another": _replace("reports/index.html", b"<script>alert(1)</script>"),
    "table with an escape": _replace("reports/tables/mini_table2.csv", b"\x1b]0;owned\x07,1\n"),
}


# ---- broken as a file ------------------------------------------------------------------------


def _add(name: str, content: bytes = b"x", mode: int = 0, flags: int = 0):
    def breaking(good: Path, out: Path) -> None:
        out.write_bytes(good.read_bytes())
        member = zipfile.ZipInfo("placeholder")
        member.filename = name
        member.create_system, member.external_attr = 3, mode << 16
        with zipfile.ZipFile(out, "a") as opened:
            opened.writestr(member, content)
            member.flag_bits |= flags

    return breaking


def _two_encodings(good: Path, out: Path) -> None:
    _add("results/\u00e9")(good, out)
    _add("results/e\u0301")(out, out)


def _bytes(change: Callable[[bytes], bytes]):
    def breaking(good: Path, out: Path) -> None:
        out.write_bytes(change(good.read_bytes()))

    return breaking


def _many(good: Path, out: Path) -> None:
    out.write_bytes(good.read_bytes())
    with zipfile.ZipFile(out, "a") as opened:
        for number in range(100_001):
            opened.writestr(zipfile.ZipInfo(f"many/{number}"), b"")


def _packed_bomb(good: Path, out: Path) -> None:
    out.write_bytes(good.read_bytes())
    with zipfile.ZipFile(out, "a") as opened:
        opened.writestr("results/zeros.csv", bytes(64 << 20), zipfile.ZIP_DEFLATED, 9)


def _lying_size(good: Path, out: Path) -> None:
    """Write a member that says it unpacks to little, and does not."""
    _packed_bomb(good, out)
    content = bytearray(out.read_bytes())
    at = content.rindex(b"results/zeros.csv") - 46  # its entry in the directory at the end
    content[at + 24 : at + 28] = struct.pack("<I", 1000)
    out.write_bytes(content)


def _overlapping(good: Path, out: Path) -> None:
    """Write members that all stand for the same packed bytes."""
    packed = zlib.compressobj(9, wbits=-15)
    body = packed.compress(bytes(1 << 20)) + packed.flush()
    crc, names = zlib.crc32(bytes(1 << 20)), [f"results/{n}.csv".encode() for n in range(2000)]
    sizes = struct.pack("<III", crc, len(body), 1 << 20)
    local = struct.pack("<IHHHHH", 0x04034B50, 20, 0, 8, 0, 0x21) + sizes
    head = local + struct.pack("<HH", len(names[0]), 0) + names[0] + body
    directory = b"".join(
        struct.pack("<IHHHHHH", 0x02014B50, 20, 20, 0, 8, 0, 0x21)
        + sizes
        + struct.pack("<HHHHHII", len(name), 0, 0, 0, 0, 0, 0)
        + name
        for name in names
    )
    end = struct.pack(
        "<IHHHHIIH", 0x06054B50, 0, 0, len(names), len(names), len(directory), len(head), 0
    )
    out.write_bytes(head + directory + end)


def _without_manifest(good: Path, out: Path) -> None:
    with zipfile.ZipFile(good) as opened, zipfile.ZipFile(out, "w") as written:
        for info in opened.infolist():
            if info.filename != MANIFEST:
                written.writestr(info, opened.read(info))


def _other_manifest(content: bytes):
    def breaking(good: Path, out: Path) -> None:
        _without_manifest(good, out)
        with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as written:
            written.writestr(MANIFEST, content)

    return breaking


BROKEN: dict[str, Callable[[Path, Path], None]] = {
    "a name that leads up": _add("../outside"),
    "a name that leads up from below": _add("results/../../outside"),
    "an absolute name": _add("/tmp/outside"),
    "a name with a drive": _add("C:/outside"),
    "a name with backslashes": _add("results\\..\\..\\outside"),
    "a name with a line break": _add("results/a\nb"),
    "a name with an escape": _add("results/\x1b[2Jb"),
    "a hidden name": _add("config/.hidden"),
    "a folder of git": _add(".git/config"),
    "an empty part": _add("results//a"),
    "a very long name": _add("results/" + "a" * 60_000),
    "a name of many parts": _add("a/" * 20_000 + "b"),
    "another case": _add("snakefile"),
    "another encoding": _two_encodings,
    "below a file": _add("Snakefile/inside"),
    "a link": _add("results/link", b"/etc/passwd", stat.S_IFLNK | 0o777),
    "a pipe": _add("results/pipe", b"", stat.S_IFIFO | 0o666),
    "a device": _add("results/device", b"", stat.S_IFCHR | 0o666),
    "a socket": _add("results/socket", b"", stat.S_IFSOCK | 0o666),
    "encrypted": _add("results/secret", flags=1),
    "100,001 members": _many,
    "a packed bomb": _packed_bomb,
    "a size that lies": _lying_size,
    "overlapping members": _overlapping,
    "no manifest": _without_manifest,
    "an empty manifest": _other_manifest(b""),
    "a manifest of prose": _other_manifest(b"all files are fine\n"),
    "a manifest of zeros": _other_manifest(bytes(1 << 20)),
    "cut in the middle": _bytes(lambda content: content[: len(content) // 2]),
    "cut at the end": _bytes(lambda content: content[:-10]),
    "without a start": _bytes(lambda content: content[5000:]),
    "only zeros": _bytes(lambda content: bytes(1000)),
    "nothing": _bytes(lambda content: b""),
    "a text": _bytes(lambda content: b"a text\n"),
    "another zip": lambda good, out: zipfile.ZipFile(out, "w").close(),
}
