"""A small citation graph in the files of Planetoid, as Python 2 wrote them."""

import io
import pickle
import struct
from collections import defaultdict

import numpy as np
from scipy.sparse import csr_matrix


class _Old(pickle._Pickler):  # type: ignore[name-defined]
    """Writes bytes as the strings of Python 2."""

    def save(self, obj: object, save_persistent_id: bool = True) -> None:
        if isinstance(obj, bytes):
            self.write(b"T" + struct.pack("<i", len(obj)) + obj)
        else:
            super().save(obj, save_persistent_id)


def old_pickle(content: object) -> bytes:
    stream = io.BytesIO()
    _Old(stream, protocol=2).dump(content)
    for new, old in (
        (b"numpy._core.", b"numpy.core."),
        (b"scipy.sparse._csr", b"scipy.sparse.csr"),
    ):
        stream = io.BytesIO(stream.getvalue().replace(new, old))
    return stream.getvalue()


def planetoid_files() -> dict[str, bytes]:
    """Return four papers, two of them for testing and out of order; paper 3 is not described."""
    graph = defaultdict(list, {0: [1, 1, 4], 1: [0], 2: [4, 2], 3: [0], 4: [0, 2]})
    return {
        "g.allx": old_pickle(csr_matrix(np.array([[1.0, 0, 0], [0, 1, 0]], dtype=np.float32))),
        "g.ally": old_pickle(np.array([[1, 0], [0, 1]], dtype=np.int32)),
        "g.tx": old_pickle(csr_matrix(np.array([[0, 0, 1.0], [1, 1, 0]], dtype=np.float32))),
        "g.ty": old_pickle(np.array([[0, 1], [1, 0]], dtype=np.int32)),
        "g.graph": old_pickle(graph),
        "g.test.index": b"4\n2\n",
    }
