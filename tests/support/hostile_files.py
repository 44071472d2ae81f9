"""Cards that are harmless by themselves, and what somebody put where they lead.

Each case is a function that places the files around a project and returns the card, and a word of
the sentence in which it must end. The project lies in ``home.root``; ``outside(home)`` is a folder
beside it, with a secret that no card may read.
"""

import gzip
import io
import os
import pickle
import socket
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from support.datasets_fixture import MATRIX, Home, card, files, sha
from support.fuzz_corpus import tarred, zipped

SECRET = "a secret of the user"


def outside(home: Home) -> Path:
    folder = home.root.parent / "outside"
    folder.mkdir(exist_ok=True)
    (folder / "secret.csv").write_text(f"y,{SECRET}\n1,2\n")
    return folder


class Ran:
    """Leaves a trace when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ("ran",)


# ---- local files -----------------------------------------------------------------------------


def local(at, parser=None, **more) -> dict:
    parser = parser or {"name": "csv", "file": "secret.csv", "labels": "y"}
    source = {"kind": "local", "files": [{"at": str(at), "name": "secret.csv", **more}]}
    return card(printed_as={}, parser=parser, sources=[source])


def folder(at, **more) -> dict:
    parser = {"name": "text", "archive": "mine.zip"}
    source = {"kind": "local", "files": [{"at": str(at), "name": "mine.zip", **more}]}
    return card(printed_as={}, parser=parser, sources=[source])


def _linked_file(home):
    (home.root / "data.csv").symlink_to(outside(home) / "secret.csv")
    return local("data.csv")


def _linked_folder(home):
    (home.root / "data").symlink_to(outside(home))
    return local("data/secret.csv")


def _linked_git(home):
    (home.root / ".git").mkdir()
    (home.root / ".git" / "config").write_text(SECRET)
    (home.root / "config.csv").symlink_to(".git/config")
    return local("config.csv")


def _link_in_a_folder(home):
    (home.root / "mine" / "a").mkdir(parents=True)
    (home.root / "mine" / "a" / "1.txt").symlink_to(outside(home) / "secret.csv")
    return folder("mine")


def _packed_link(home):
    (home.root / "mine").symlink_to(outside(home))
    return folder("mine")


def _hidden(home):
    (home.root / ".netrc").write_text(SECRET)
    return local(".netrc")


def _loop(home):
    (home.root / "loop").symlink_to("loop")
    return local("loop")


def _pipe(home):
    os.mkfifo(home.root / "pipe")
    return local("pipe")


def _folder_of_pipes(home):
    (home.root / "mine" / "a").mkdir(parents=True)
    os.mkfifo(home.root / "mine" / "a" / "1.txt")
    return folder("mine")


def _socket(home):
    # a path of a socket is short, so it is made from within its folder
    here = Path.cwd()
    os.chdir(home.root)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("socket")
    os.chdir(here)
    return local("socket")


def _device(home):
    (home.root / "zero").symlink_to("/dev/zero")
    return local("zero")


def _larger(home):
    (home.root / "secret.csv").write_bytes(b"y,a\n" + b"1,2\n" * 100_000)
    return local("secret.csv", bytes=10)


def _sparse(home):
    with (home.root / "secret.csv").open("wb") as stream:
        stream.truncate(1 << 40)  # a terabyte that takes no space
    return local("secret.csv")


def _larger_folder(home):
    (home.root / "mine" / "a").mkdir(parents=True)
    for number in range(50):
        content = np.random.default_rng(number).bytes(10_000)
        (home.root / "mine" / "a" / f"{number}.txt").write_bytes(content)
    return folder("mine", bytes=20_000)


def _closed(home):
    """A list of allowed paths that leads elsewhere."""
    (home.root / ".recoco-data").symlink_to(outside(home) / "secret.csv")
    return local(outside(home) / "secret.csv")


def _one_folder_as_two(home):
    for name in ("a", "b"):
        (home.root / name / "mine").mkdir(parents=True)
    (home.root / "mine.zip").write_bytes(b"")
    source = {"kind": "local", "files": [{"at": "mine.zip"}, {"at": "a/mine"}]}
    return card(printed_as={}, parser={"name": "text", "archive": "mine.zip"}, sources=[source])


# ---- mirrors ---------------------------------------------------------------------------------


def mirror(home, content: bytes, at: str, parser: dict) -> dict:
    home.put(at, content)
    return card(printed_as={}, parser=parser, sources=[{"kind": "mirror", "files": [{"at": at}]}])


def _mirrored_pipe(home):
    (home.mirror / "tiny" / "tiny.mat").unlink()
    os.mkfifo(home.mirror / "tiny" / "tiny.mat")
    return card(printed_as={})


def _mirrored_device(home):
    (home.mirror / "tiny" / "tiny.mat").unlink()
    (home.mirror / "tiny" / "tiny.mat").symlink_to("/dev/zero")
    return card(printed_as={})


def _mirrored_terabyte(home):
    with (home.mirror / "tiny" / "tiny.mat").open("wb") as stream:
        stream.truncate(1 << 40)
    return card(printed_as={})


def _pickled_matrix(home):
    buffer = io.BytesIO()
    np.save(buffer, np.array([[Ran()]], dtype=object), allow_pickle=True)
    parser = {"name": "matrix-file", "matrix": "x.npy", "labels": "x.npy"}
    return mirror(home, buffer.getvalue(), "x.npy", parser)


def _pickle_as_matrix(home):
    parser = {"name": "matrix-file", "matrix": "x.npy", "labels": "x.npy"}
    return mirror(home, pickle.dumps(Ran()), "x.npy", parser)


def _pickled_array(home):
    buffer = io.BytesIO()
    np.savez(buffer, X=np.array([[Ran()]], dtype=object), allow_pickle=True)
    parser = {"name": "matrix-file", "matrix": "x.npz", "array": "X", "labels_array": "X"}
    return mirror(home, buffer.getvalue(), "x.npz", parser)


def _pickled_graph(home):
    value = pickle.dumps(Ran())
    head = b"\xe2\x9b\xbe gt\x01\x00" + struct.pack("<Q", 0) + b"\x01" + struct.pack("<Q", 1)
    prop = b"\x01" + struct.pack("<Q", 5) + b"value" + b"\x0e" + struct.pack("<Q", len(value))
    content = head + struct.pack("<QQ", 0, 1) + prop + value
    return mirror(home, content, "g.gt", {"name": "gt", "file": "g.gt"})


# ---- archives --------------------------------------------------------------------------------

_TEXT = {"name": "text", "archive": "x.zip"}


def lying_zip(size: int) -> bytes:
    """Return a zip whose member unpacks to 128 MiB but says that it has a few bytes."""
    name, packer = b"a/1.txt", zlib.compressobj(1, zlib.DEFLATED, -15)
    packed = packer.compress(bytes(128 << 20)) + packer.flush()
    sizes = struct.pack("<LLL", zlib.crc32(bytes(size)), len(packed), size)
    local = b"PK\3\4" + struct.pack("<HHHHH", 20, 0, 8, 0, 33) + sizes
    local += struct.pack("<HH", len(name), 0) + name + packed
    central = b"PK\1\2" + struct.pack("<HHHHHH", 20, 20, 0, 8, 0, 33) + sizes
    central += struct.pack("<HHHHHLL", len(name), 0, 0, 0, 0, 0, 0) + name
    counts = struct.pack("<HHHHLLH", 0, 0, 1, 1, len(central), len(local), 0)
    return local + central + b"PK\5\6" + counts


def _zip_of_many_bytes() -> bytes:
    """Return a zip whose members say that they unpack to more than any corpus has."""
    members = zipped({f"a/{number}.txt": b"x" for number in range(3)})
    parts = members.split(b"PK\1\2")
    huge = [part[:20] + struct.pack("<L", 0xFFFFFFF0) + part[24:] for part in parts[1:]]
    return b"PK\1\2".join([parts[0], *huge])


def _linking_zip() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        info = zipfile.ZipInfo("a/1.txt")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    return buffer.getvalue()


def _tar(kind: bytes, name: str = "a/1.txt", size: int = 0, content: bytes = b"") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        info = tarfile.TarInfo(name)
        info.type, info.linkname, info.size = kind, "/etc/passwd", size
        archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def _long_header() -> bytes:
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 1 << 30
    return gzip.compress(info.tobuf() + bytes(4 << 20))


def _text(content: Callable[[], bytes]):
    return lambda home: mirror(home, content(), "x.zip", _TEXT)


def _package(content: bytes, at: str = "a/1.txt", **member):
    """A package whose archive was made by a stranger, who also wrote its hash into the card."""

    def placed(home):
        archive = {"registry": "pypi", "package": "p", "version": "1", "file": "p.whl"}
        archive |= {"sha256": sha(content), "bytes": len(content)}
        downloads = home.root / "resources" / "downloads"
        downloads.mkdir(parents=True)
        (downloads / f"{sha(content)[:16]}-p.whl").write_bytes(content)
        source = {"kind": "package", "archive": archive, "files": [{"at": at, **member}]}
        return card(printed_as={}, sources=[source])

    return placed


# ---- the file of the card --------------------------------------------------------------------


def instead(make: Callable[[Path], None]):
    """Replace the file of the card itself."""

    def placed(home):
        path = home.root / "config" / "datasets" / "tiny.yaml"
        path.unlink()
        make(path)

    return placed


CASES: dict[str, tuple[Callable, str]] = {
    "absolute path": (lambda home: local(outside(home) / "secret.csv"), "RECOCO_DATA"),
    "path up": (lambda home: outside(home) and local("../outside/secret.csv"), "RECOCO_DATA"),
    "path up from below": (lambda home: local("config/../../outside/x.csv"), "RECOCO_DATA"),
    "path of the home": (lambda home: local("~/.ssh/id_rsa"), "RECOCO_DATA"),
    "path of somebody's home": (lambda home: local("~nobody-at-all/x"), "home folder"),
    "folder outside": (lambda home: folder(outside(home)), "RECOCO_DATA"),
    "everything": (lambda home: folder("/"), "RECOCO_DATA"),
    "environment of the process": (lambda home: local("/proc/self/environ"), "RECOCO_DATA"),
    "link to a file": (_linked_file, "RECOCO_DATA"),
    "link to a folder": (_linked_folder, "RECOCO_DATA"),
    "link to a hidden file": (_linked_git, "RECOCO_DATA"),
    "link inside a folder": (_link_in_a_folder, "RECOCO_DATA"),
    "folder is a link": (_packed_link, "RECOCO_DATA"),
    "link to itself": (_loop, "cannot be read"),
    "hidden file": (_hidden, "hidden"),
    "pipe": (_pipe, "a pipe"),
    "folder of pipes": (_folder_of_pipes, "no files"),
    "socket": (_socket, "a socket"),
    "link to a device": (_device, "RECOCO_DATA"),
    "device": (lambda home: local("/dev/zero"), "RECOCO_DATA"),
    "standard input": (lambda home: local("/dev/stdin"), "RECOCO_DATA"),
    "terminal": (lambda home: local("/dev/tty"), "RECOCO_DATA"),
    "file larger than said": (_larger, "more than the 10 bytes"),
    "file of a terabyte": (_sparse, "more than"),
    "folder larger than said": (_larger_folder, "more than the 20000 bytes"),
    "list of paths is a link": (_closed, ".recoco-data"),
    "folder named like a file": (_one_folder_as_two, "two files"),
    "mirrored pipe": (_mirrored_pipe, "no tiny/tiny.mat"),
    "mirrored device": (_mirrored_device, "no tiny/tiny.mat"),
    "mirrored terabyte": (_mirrored_terabyte, "more than"),
    "pickled matrix": (_pickled_matrix, "x.npy cannot be read"),
    "pickle as a matrix": (_pickle_as_matrix, "x.npy cannot be read"),
    "pickle in an npz": (_pickled_array, "x.npz cannot be read"),
    "pickle in a graph": (_pickled_graph, "type 14"),
    "zip that lies": (_text(lambda: lying_zip(5)), "not a single word"),
    "zip of many bytes": (_text(_zip_of_many_bytes), "GiB"),
    "zip with a link": (_text(_linking_zip), "a link"),
    "zip that leads up": (_text(lambda: zipped({"../../x": b"x"})), "outside of the archive"),
    "zip with an absolute path": (_text(lambda: zipped({"/etc/x": b"x"})), "outside of"),
    "zip with two lines": (_text(lambda: zipped({"a\n/../../x": b"x"})), "outside of"),
    "tar with a link": (_text(lambda: _tar(tarfile.SYMTYPE)), "a link"),
    "tar with a hard link": (_text(lambda: _tar(tarfile.LNKTYPE)), "a link"),
    "tar with a device": (_text(lambda: _tar(tarfile.CHRTYPE)), "a device"),
    "tar with a pipe": (_text(lambda: _tar(tarfile.FIFOTYPE)), "a device"),
    "tar with a sparse file": (_text(lambda: _tar(tarfile.GNUTYPE_SPARSE)), "sparse"),
    "tar with a long header": (_text(_long_header), "header"),
    "tar that leads up": (_text(lambda: tarred({"../x": b"x"})), "outside of the archive"),
    "package with a large member": (_package(zipped({"a/1.txt": b"xx"}), bytes=1), "2 bytes"),
    "package that lies": (_package(lying_zip(5), bytes=4), "5 bytes"),
    "package with a link": (_package(_linking_zip()), "a link"),
    "package without the member": (_package(zipped({"b": b"x"})), "no member"),
    "package that is none": (_package(b"nothing"), "cannot be read"),
    "card is a pipe": (instead(os.mkfifo), "a pipe"),
    "card is a folder": (instead(Path.mkdir), "a folder"),
    "card is a device": (instead(lambda path: path.symlink_to("/dev/zero")), "a device"),
    "card is a link to nothing": (instead(lambda path: path.symlink_to("nothing")), "missing"),
    "card is a link to itself": (instead(lambda path: path.symlink_to(path)), "cannot be read"),
}


def swollen(home: Home) -> dict:
    """Return a card whose downloads and packages a server makes larger than it says."""
    archive = {"registry": "pypi", "package": "p", "version": "1", "file": "p.whl"}
    archive |= {"sha256": sha(MATRIX), "bytes": len(MATRIX)}
    sources = [
        {"kind": "url", "files": files("https://example.org/")},
        {"kind": "package", "archive": archive},
    ]
    return card(printed_as={}, sources=sources)
