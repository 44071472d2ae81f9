"""The binary format of graph-tool: adjacency lists, then property maps."""

import gzip
import io
import struct
from pathlib import Path

from recoco.core.errors import RecocoError
from recoco.datasets.parsers import Parsed, reading
from recoco.datasets.parsers.gml import graph

_MAGIC = b"\xe2\x9b\xbe gt"
# value types 0 to 4; 5 is a long double of 16 bytes, 6 a string, 7 to 13 vectors of 0 to 6
_SCALARS = {0: "B", 1: "h", 2: "i", 3: "q", 4: "d"}
_STRING = 6
# a compressed file of zeros may be a thousand times smaller than this
_MOST_BYTES = 2 << 30


class _Reader:
    def __init__(self, content: bytes):
        self.content, self.position, self.order = content, 0, "<"

    def take(self, length: int) -> bytes:
        end = self.position + length
        if end > len(self.content):
            raise ValueError("the file ends too early")
        piece, self.position = self.content[self.position : end], end
        return piece

    def numbers(self, kind: str, count: int) -> tuple:
        layout = f"{self.order}{count}{kind}"
        return struct.unpack(layout, self.take(struct.calcsize(layout)))

    def text(self) -> str:
        return self.take(self.numbers("Q", 1)[0]).decode("utf-8")

    def value(self, kind: int):
        if kind in _SCALARS:
            return self.numbers(_SCALARS[kind], 1)[0]
        if kind == 5:
            return self.take(16)
        if kind == _STRING:
            return self.text()
        if 7 <= kind <= 13:
            return [self.value(kind - 7) for _ in range(self.numbers("Q", 1)[0])]
        # 14 is a pickled Python object, which would be unsafe to read
        raise ValueError(f"values of type {kind} are not read")


def parse(folder: Path, options: dict) -> Parsed:
    path = folder / options["file"]
    with reading(path, "a graph-tool file"):
        content = path.read_bytes()
        content = _unpacked(content) if content[:2] == b"\x1f\x8b" else content
        lists, properties = _read(content)
    for key in ("value", "label"):
        if key not in properties:
            raise RecocoError(f"{path.name} has no vertex property {key!r}; correct its card.")
    source = [i for i, neighbours in enumerate(lists) for _ in neighbours]
    target = [j for neighbours in lists for j in neighbours]
    labels = [int(value) for value in properties["value"]]
    names = [str(label) for label in properties["label"]]
    return graph(source, target, labels, names, options.get("linked", False))


def _unpacked(content: bytes) -> bytes:
    with gzip.GzipFile(fileobj=io.BytesIO(content)) as stream:
        unpacked = stream.read(_MOST_BYTES + 1)
    if len(unpacked) > _MOST_BYTES:
        raise ValueError(f"it unpacks to more than {_MOST_BYTES >> 30} GiB")
    return unpacked


def _read(content: bytes) -> tuple[list[tuple], dict[str, list]]:
    """Return the out-neighbours of every vertex and the vertex properties."""
    reader = _Reader(content)
    if reader.take(len(_MAGIC)) != _MAGIC or reader.take(1) != b"\x01":
        raise ValueError("it does not begin like one")
    reader.order = ">" if reader.take(1) == b"\x01" else "<"
    reader.text()  # a comment
    reader.take(1)  # whether it is directed; the lists are used as they are
    (n,) = reader.numbers("Q", 1)
    width = next(kind for kind, most in zip("BHIQ", (8, 16, 32, 64), strict=True) if n < 2**most)
    lists = [reader.numbers(width, reader.numbers("Q", 1)[0]) for _ in range(n)]
    if any(j >= n for neighbours in lists for j in neighbours):
        raise ValueError("an edge refers to a missing vertex")
    edges = sum(len(neighbours) for neighbours in lists)
    properties = {}
    for _ in range(reader.numbers("Q", 1)[0]):
        (of,) = reader.take(1)
        name = reader.text()
        (kind,) = reader.take(1)
        values = [reader.value(kind) for _ in range((1, n, edges)[of])]
        if of == 1:
            properties[name] = values
    return lists, properties
