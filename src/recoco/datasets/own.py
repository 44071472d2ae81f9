"""Data of one's own: files and folders of this machine, bunches of scikit-learn.

These sources and the parsers that go with them are entered from here, and not in the modules
that they extend: prepared data carry the fingerprint of those, and would all be made anew.
"""

import io
import os
import zipfile
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix, issparse

from recoco import paths, store
from recoco.datasets import fetching, parsers
from recoco.datasets.receipts import digest
from recoco.schema import nearest

BUNCH = "bunch.npz"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # no clock in our bytes


def register() -> None:
    """Make the sources and parsers of this module known."""
    parsers._PARSERS.update({"csv": "csv_table", "matrix-file": "matrix_file", "bunch": "bunch"})
    fetching._BRING.update({"local": _from_local, "sklearn": _from_sklearn})


def local_path(at: str) -> Path:
    """Return a path of a card: absolute, in the home folder (~), or below the project folder."""
    return paths.root() / Path(at).expanduser()


def _from_local(source: dict, raw_dir: Path, tools):
    files = []
    for file in source["files"]:
        path = local_path(file["at"])
        name = file.get("name") or (f"{path.name}.zip" if path.is_dir() else path.name)
        try:
            content = _packed(path) if path.is_dir() else path.read_bytes()
        except FileNotFoundError:
            raise fetching._Unavailable(f"there is no {file['at']} on this machine") from None
        except OSError as error:
            raise fetching._Unavailable(f"{file['at']}: {error.strerror}") from None
        files.append(fetching._admit(content, raw_dir, name, file))
    return "files of this machine", files


def _packed(folder: Path) -> bytes:
    """Return the files of a folder as a zip archive whose bytes depend on their content only."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files_below(folder):
            member = zipfile.ZipInfo(path.relative_to(folder).as_posix(), _EPOCH)
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, path.read_bytes(), compresslevel=1)
    return buffer.getvalue()


def files_below(folder: Path) -> list[Path]:
    """Return the regular files below a folder in order of path; hidden ones are left out."""
    found = []
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [Path(where, name) for name in names if not name.startswith(".")]
    return sorted(path for path in found if path.is_file())


def _from_sklearn(source: dict, raw_dir: Path, tools):
    import sklearn.datasets

    name = source["loader"]
    loader = getattr(sklearn.datasets, name, None)
    if loader is None:
        known = [n for n in sklearn.datasets.__all__ if n.startswith(("load_", "fetch_"))]
        raise fetching._Unavailable(f"scikit-learn has no {name}: {nearest(name, known)}")
    try:
        bunch = loader(**source.get("options", {}))
    except Exception as error:  # a loader may ask the network, or refuse its options
        text = " ".join(str(error).split())[:200]
        raise fetching._Unavailable(
            f"{name} gave nothing ({type(error).__name__}: {text})"
        ) from None
    if not hasattr(bunch, "data") or not hasattr(bunch, "target"):
        raise fetching._Unavailable(f"{name} gives no bunch with data and target")
    store.write_arrays(raw_dir / BUNCH, _arrays_of(bunch))
    found, size = digest(raw_dir / BUNCH)
    return f"scikit-learn's {name}", [{"file": BUNCH, "sha256": found, "bytes": size}]


def _arrays_of(bunch) -> dict[str, np.ndarray]:
    """Return a bunch as plain arrays: texts, or a dense or a sparse matrix, and the classes."""
    data, arrays = bunch.data, {"target": np.asarray(bunch.target)}
    if issparse(data):
        data = csr_matrix(data)
        arrays |= {"data": data.data, "indices": data.indices, "indptr": data.indptr}
        arrays["shape"] = np.array(data.shape)
    elif isinstance(data, list):
        arrays["texts"] = np.array([str(text) for text in data])
    else:
        arrays["dense"] = np.asarray(data)
    for key in ("target_names", "feature_names"):
        names = getattr(bunch, key, None)
        if names is not None and len(names):
            arrays[key] = np.array([str(name) for name in names])
    return arrays
