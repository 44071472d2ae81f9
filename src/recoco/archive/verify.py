"""Verify an archive on any machine: what it says about itself, and what this machine says.

This process opens the archive, checks its files and gathers the verifier's own data. Everything
else, in :mod:`recoco.archive.inside`, happens in a confined process of its own.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from recoco.archive.data import own_data
from recoco.archive.format import check_format
from recoco.archive.opening import Opened, open_archive
from recoco.archive.signature import check_signature
from recoco.core import paths
from recoco.core.checksums import DIGESTS, sha256_of
from recoco.core.errors import RecocoError
from recoco.core.files import write_json
from recoco.core.processes import cores_here

_SOURCE = "src/recoco/"
# Imports recoco from where this process has it, and nothing from the working folder, the
# environment or the user's own site-packages.
_START = (
    "import sys; sys.path[:0] = [sys.argv[1]]; "
    "from recoco.archive.inside import main; sys.exit(main(sys.argv[2]))"
)


def verify(
    archive: Path,
    rerun: str | None = None,
    seed: int = 0,
    cores: int | None = None,
    download: bool = False,
    signer: Path | None = None,
    hours: float = 24.0,
) -> int:
    """Print the result of each check; return 0 if there is no difference, else 1.

    Parameters
    ----------
    rerun : share or number of runs to repeat
    seed : seed by which these runs are drawn
    download : whether data that is not on this machine may be downloaded
    signer : file with the public keys of those who may have signed the archive
    hours : limit of the whole verification
    """
    here = _own_project()
    with open_archive(archive) as opened, tempfile.TemporaryDirectory(prefix="recoco-") as name:
        scratch = Path(name).resolve()
        print(f"archive: {sha256_of(archive)}")
        check_format(opened)
        problems = _check_files(opened)
        if problems:
            for line in problems:
                print(f"  {line}")
            print(f"NOT consistent: {len(problems)} differences")
            return 1
        print(check_signature(opened, signer), flush=True)
        _say_code(opened)
        _say_unverified(opened)
        reasons = own_data(_datasets(opened), scratch / "own", here, download)
        task = {
            "archive": str(archive.resolve()),
            "scratch": str(scratch),
            "here": str(here),
            "papers": os.environ.get("RECOCO_PAPERS", ""),
            "reasons": reasons,
            "rerun": rerun,
            "seed": seed,
            "cores": cores or cores_here(),
        }
        return _confined(task, scratch, here, hours)


def _own_project() -> Path:
    """Return the verifier's own checkout, whatever folder the command is given in.

    Somebody may stand in the unpacked archive of a stranger, which looks like a project.
    """
    if os.environ.get("RECOCO_ROOT"):
        return paths.root()
    checkout = Path(__file__).resolve().parents[3]
    if not (checkout / "Snakefile").is_file():
        raise RecocoError(
            "verify needs recoco's own configuration and workflow: clone recoco, or set "
            "RECOCO_ROOT to your clone."
        )
    return checkout


def _check_files(opened: Opened) -> list[str]:
    problems = opened.problems_of_files()
    if not problems:
        print(f"checksums: all {len(opened.listed())} files are as listed")
    crate = opened.problems_of_crate()
    if not crate:
        print("crate: fits the files")
    return problems + [f"crate: {line}" for line in crate]


def _say_code(opened: Opened) -> None:
    """Say whether this recoco, whose code runs, is the archived one."""
    ours = Path(__file__).resolve().parents[1]
    mine = {path.relative_to(ours).as_posix(): sha256_of(path) for path in ours.rglob("*.py")}
    theirs = {
        name.removeprefix(_SOURCE): digest
        for name, digest in opened.listed().items()
        if name.startswith(_SOURCE) and name.endswith(".py")
    }
    changed = [n for n in sorted({*mine, *theirs}) if mine.get(n) != theirs.get(n)]
    if changed:
        print(
            f"program: {len(changed)} modules of this recoco differ from those of the archive "
            f"({', '.join(changed[:3])}{', ...' if len(changed) > 3 else ''}); "
            "this may cause differences"
        )
    else:
        print("program: this recoco is the archived one")


def _say_unverified(opened: Opened) -> None:
    """Say what has a checksum but is neither recomputed nor compared."""
    kinds = {
        "logs": lambda name: name.startswith("logs/"),
        "results taken as archived": lambda name: name.startswith("results/analyse/"),
        "program and documents": lambda name: (
            not name.startswith(("logs/", "results/", "resources/", "reports/", "config/", _SOURCE))
        ),
    }
    counts = {kind: sum(map(within, opened.listed())) for kind, within in kinds.items()}
    shown = [f"{kind} ({count} files)" for kind, count in counts.items() if count]
    print(f"not verified beyond their checksums: {', '.join(shown) or 'nothing'}")


def _datasets(opened: Opened) -> list[str]:
    digests = opened.json(DIGESTS)
    if not isinstance(digests, dict):
        raise RecocoError(f"{DIGESTS} in the archive is not a table of hashes: get it again.")
    return list(digests)


# ---- the confined process ------------------------------------------------------------------


def _confined(task: dict, scratch: Path, here: Path, hours: float) -> int:
    """Run the rest of the verification in a process without a way out; return its exit code."""
    for name in ("home", "tmp", "cache"):
        (scratch / name).mkdir()
    task["replaced"] = _copy_kernels(scratch / "kernels")
    write_json(scratch / "task.json", task)
    source = str(Path(__file__).resolve().parents[2])
    process = subprocess.Popen(
        [sys.executable, "-I", "-c", _START, source, str(scratch / "task.json")],
        cwd=scratch,
        env=_environment(scratch, here),
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        code = process.wait(hours * 3600)
    except subprocess.TimeoutExpired:
        raise RecocoError(
            f"The verification did not end within {hours:g} hours: give it more with --hours."
        ) from None
    finally:
        # All that it started is in its group, unless its job was to get away.
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if code < 0:
        raise RecocoError(
            f"The process that reads the archive ended by {signal.Signals(-code).name}: it may "
            "need more memory than there is, or the archive was made to crash it."
        )
    return code


def _environment(scratch: Path, here: Path) -> dict[str, str]:
    """Return the variables of the confined process: what it writes goes to the scratch folder."""
    kept = ("PATH", "LANG", "LC_ALL", "TZ", "PYTHONPATH", "OMP_NUM_THREADS", "NUMBA_CPU_NAME")
    known = {name: os.environ[name] for name in kept if name in os.environ}
    return known | {
        "HOME": str(scratch / "home"),
        "TMPDIR": str(scratch / "tmp"),
        "XDG_CACHE_HOME": str(scratch / "cache"),
        "MPLCONFIGDIR": str(scratch / "cache"),
        "RECOCO_CODE": str(here),
    }


def _copy_kernels(target: Path) -> dict[str, str]:
    """Copy the compiled kernels, which numba wants to write to; return copies by folder."""
    package = Path(__file__).resolve().parents[1]
    copies = {}
    for folder in sorted({path.parent for path in package.rglob("__pycache__/*.nbi")}):
        copy = target / folder.relative_to(package)
        shutil.copytree(folder, copy)
        copies[str(folder)] = str(copy)
    return copies
