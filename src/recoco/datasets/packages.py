"""Archives from package registries, downloaded by name and version with the usual client.

The client uses the registry it is configured for. Nothing is installed.
"""

import importlib.util
import logging
import resource
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

from recoco.core.bounded import MOST_BYTES

LOG = logging.getLogger(__name__)

_CONNECT = 5  # seconds; an unreachable network should cost little
_WHOLE = 600  # seconds for the whole download of tens of megabytes
_OWN_FILES = 64 << 20  # bytes; clients also write indexes and caches


class PackageError(Exception):
    """The client is missing or did not download the archive."""


def download(
    registry: str, package: str, version: str, folder: Path, most: int = MOST_BYTES
) -> Path:
    """Download the archive of one release into the empty ``folder`` and return its path.

    The system stops the client when it writes a file that is much larger than ``most`` bytes.
    """
    largest = most + _OWN_FILES
    command = _COMMANDS[registry](package, version)
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_WHOLE,
            check=False,
            preexec_fn=partial(resource.setrlimit, resource.RLIMIT_FSIZE, (largest, largest)),
        )
    except subprocess.TimeoutExpired:
        raise PackageError(f"{Path(command[0]).name} did not finish in {_WHOLE} s") from None
    except OSError as error:
        raise PackageError(f"{Path(command[0]).name} cannot be run: {error.strerror}") from None
    downloaded = [path for path in folder.iterdir() if path.is_file() and not path.is_symlink()]
    if done.returncode != 0 or len(downloaded) != 1:
        # stderr may name servers and folders of this machine, so it is not put into the receipt
        LOG.debug("%s: %s", " ".join(command), done.stderr.strip())
        raise PackageError(
            f"the client of {registry} downloaded no archive of {package} {version} "
            f"(exit status {done.returncode})"
        )
    return downloaded[0]


def _pip(package: str, version: str) -> list[str]:
    if importlib.util.find_spec("pip"):
        client = [sys.executable, "-m", "pip"]
    elif program := shutil.which("pip") or shutil.which("pip3"):
        client = [program]
    else:
        raise PackageError("there is no pip on this machine")
    return [
        *client,
        "download",
        "--quiet",
        "--disable-pip-version-check",
        "--no-input",
        "--no-deps",
        "--only-binary=:all:",
        "--ignore-requires-python",  # nothing is executed; only data files are read
        f"--timeout={_CONNECT}",
        "--retries=0",
        "--dest=.",
        f"{package}=={version}",
    ]


def _npm(package: str, version: str) -> list[str]:
    if not (client := shutil.which("npm")):
        raise PackageError("there is no npm on this machine")
    return [
        client,
        "pack",
        "--silent",
        "--ignore-scripts",
        "--fetch-retries=0",
        f"--fetch-timeout={_CONNECT * 12000}",  # for npm this includes the whole download
        f"{package}@{version}",
    ]


def _apt(package: str, version: str) -> list[str]:
    if not (client := shutil.which("apt-get")):
        raise PackageError("there is no apt-get on this machine")
    return [
        client,
        "download",
        "-qq",
        "-o=Acquire::Retries=0",
        f"-o=Acquire::http::Timeout={_CONNECT}",
        f"-o=Acquire::https::Timeout={_CONNECT}",
        f"{package}={version}",
    ]


_COMMANDS = {"pypi": _pip, "npm": _npm, "debian": _apt}
