"""Full and read-only disks: which file system it is, how much is free, and what to do."""

import contextlib
import errno
import os
import re
from collections.abc import Iterator
from pathlib import Path

from recoco.core.errors import RecocoError

_CODES = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
_WORDS = {os.strerror(code): code for code in _CODES}
# As Python and `recoco.core.files.atomic` write it; the file is not always named.
_SAID = re.compile(
    rf"(?:Cannot write (?P<ours>\S+): )?(?P<words>{'|'.join(map(re.escape, _WORDS))})"
    r"(?:: '(?P<theirs>[^'\n]+)')?"
)
_FOLDERS = ("", "results", "resources", "reports", "logs", "dist", ".snakemake")
_FULL = 1 << 20  # bytes; with less, no result can be counted on to fit


def is_about_room(error: OSError) -> bool:
    """Say whether an error means that a disk is full or may not be written."""
    return error.errno in _CODES


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an error in writing a file into one sentence."""
    try:
        yield
    except OSError as error:
        raise RecocoError(sentence(error, path)) from None


def sentence(error: OSError, path: str | os.PathLike | None = None) -> str:
    """Say which file could not be written, why, and what to do."""
    name = os.fsdecode(path or error.filename or "")
    what = f"Cannot write {name or 'a file'}"
    if not is_about_room(error):
        return f"{what} ({error.strerror or error}): make its folder writable."
    here = Path.cwd()
    place = Path(name) if name else next(iter(_tight(here)), here)
    return f"{what}: {_state(error.errno, place)}."


def disk_problem_in(text: str, root: Path) -> str:
    """Return a sentence about the disk that some output complains of, or an empty text."""
    found = list(_SAID.finditer(text))
    if not found:
        return ""
    named = next((match for match in found if match["ours"] or match["theirs"]), found[0])
    code, name = _WORDS[named["words"]], named["ours"] or named["theirs"]
    if name:
        return f"{name} could not be written: {_state(code, root / name)}."
    if code == errno.ENOSPC and (tight := _tight(root)):
        return f"A file could not be written: {_state(code, tight[0])}."
    return f"A file could not be written: {_state(code, root)}."


def full_disk(root: Path) -> str:
    """Return a sentence about a disk of the project that is full now, or an empty text."""
    if not (tight := _tight(root)):
        return ""
    said = _state(errno.ENOSPC, tight[0])
    return f"{said[0].upper()}{said[1:]}."


def _state(code: int, path: Path) -> str:
    """Describe the file system of a path, and what to do."""
    place = _mount_of(path)
    again = "then rerun the same command to resume"
    if code == errno.EROFS:
        return f"the file system at {place} is read-only; make it writable, {again}"
    free, size, files = _room(place)
    if code == errno.EDQUOT:
        return f"your quota on the file system at {place} is used up; free some space, {again}"
    if files == 0:
        return f"the file system at {place} can hold no more files; delete some, {again}"
    if free < _FULL:
        return (
            f"the file system at {place} is full ({_bytes(free)} of {_bytes(size)} free); "
            f"free some space, {again}"
        )
    return (
        f"the file system at {place} was full and now has {_bytes(free)} of {_bytes(size)} free; "
        f"free more space if that is little, {again}"
    )


def _tight(root: Path) -> list[Path]:
    """Return the places that jobs write to and whose file system is full."""
    # Not tempfile.gettempdir(), which fails if there is no room.
    temporary = Path(os.environ.get("TMPDIR") or "/tmp")
    found = []
    for path in [*(root / name for name in _FOLDERS), temporary, *_mounted_below(root)]:
        free, size, files = _room(_mount_of(path))
        if size and (free < _FULL or files == 0):
            found.append(path)
    return found


def _mounted_below(root: Path) -> list[Path]:
    """Return the places in a folder where other file systems are mounted, as far as known."""
    with contextlib.suppress(OSError):
        lines = Path("/proc/self/mountinfo").read_text("utf-8", "replace").splitlines()
        places = [re.sub(r"\\(\d{3})", _character, line.split(" ")[4]) for line in lines]
        return [Path(place) for place in places if place.startswith(f"{root}/")]
    return []


def _character(octal: re.Match) -> str:
    return chr(int(octal[1], 8))  # blanks in paths are written so


def _mount_of(path: Path) -> Path:
    place = path.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    place = place.resolve()
    while not os.path.ismount(place) and place != place.parent:
        place = place.parent
    return place


def _room(place: Path) -> tuple[int, int, int | None]:
    """Return free and all bytes of a file system, and how many files may be added, if limited."""
    try:
        about = os.statvfs(place)
    except OSError:
        return 0, 0, None
    files = about.f_favail if about.f_files else None
    return about.f_bavail * about.f_frsize, about.f_blocks * about.f_frsize, files


def _bytes(number: int) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if number < 1000 or unit == "GB":
            break
        number /= 1000
    return f"{number:.0f} {unit}" if unit == "bytes" or number >= 10 else f"{number:.1f} {unit}"
