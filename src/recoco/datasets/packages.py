"""Archives from package registries, downloaded by name and version with the usual client.

The client uses the registry it is configured for. Nothing is installed, and no code of an archive
is run.
"""

import importlib.util
import logging
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
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
    registry: str,
    package: str,
    version: str,
    folder: Path,
    most: int = MOST_BYTES,
    *,
    file: str = "",
    release: str | None = None,
) -> Path:
    """Download the archive of one release into the empty ``folder`` and return its path.

    The system stops the client when it writes a file that is much larger than ``most`` bytes.

    Parameters
    ----------
    registry : {"pypi", "npm", "debian"}
    package, version : str
    folder : Path
    most : int, default=MOST_BYTES
    file : str, default=""
        Name of the archive. The name of a wheel says for which Python and machine it was built.
    release : str, default=None
        A release of Debian, of which the source of the package is downloaded. By default the
        package is one that is built for the release of this machine.
    """
    with tempfile.TemporaryDirectory(prefix="recoco.") as state:
        if release:
            commands = _apt_source(package, version, release, Path(state))
        elif registry == "pypi":
            commands = [_pip(package, version, file)]
        else:
            commands = [_COMMANDS[registry](package, version)]
        status = _run(commands, folder, most + _OWN_FILES)
    downloaded = [path for path in folder.iterdir() if path.is_file() and not path.is_symlink()]
    if status != 0 or len(downloaded) != 1:
        raise PackageError(
            f"the client of {registry} downloaded no archive of {package} {version} "
            f"(exit status {status})"
        )
    return downloaded[0]


def _run(commands: Iterable[list[str]], folder: Path, largest: int) -> int:
    """Run commands in a folder up to the first that fails; return the exit status of the last."""
    for command in commands:
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
        # stderr may name servers and folders of this machine, so it is not put into the receipt
        LOG.debug("%s: %s", " ".join(command), done.stderr.strip())
        if done.returncode != 0:
            break
    return done.returncode


def _pip(package: str, version: str, file: str) -> list[str]:
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
        *_built_for(file),
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


def _built_for(wheel: str) -> list[str]:
    """Return the options by which pip downloads a wheel that was built for another Python."""
    tags = wheel.removesuffix(".whl").split("-")[-3:]
    if not wheel.endswith(".whl") or len(tags) < 3 or tags[1:] == ["none", "any"]:
        return []
    python, abi, platform = tags
    return [
        f"--implementation={python[:2]}",
        f"--python-version={python[2:]}",
        f"--abi={abi}",
        f"--platform={platform}",
    ]


def _apt_get() -> str:
    if not (client := shutil.which("apt-get")):
        raise PackageError("there is no apt-get on this machine")
    return client


_APT_OPTIONS = (
    "-qq",
    "-o=Acquire::Retries=0",
    f"-o=Acquire::http::Timeout={_CONNECT}",
    f"-o=Acquire::https::Timeout={_CONNECT}",
)


def _apt(package: str, version: str) -> list[str]:
    return [_apt_get(), "download", *_APT_OPTIONS, f"{package}={version}"]


# Everything that apt writes is in a folder of its own: the lists of the system stay as they are.
# The hooks of the system would clean up its caches or tell its desktop about new packages.
_APT_CONFIGURATION = """\
Dir::State::lists "{state}/lists/";
Dir::State::status "/dev/null";
Dir::Cache "{state}/cache/";
Dir::Etc::sourcelist "{state}/own.sources";
Dir::Etc::sourceparts "/dev/null";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
"""
_APT_SOURCES = """\
Types: deb-src
URIs: {address}
Suites: {release}
Components: main
"""


def _apt_source(package: str, version: str, release: str, state: Path) -> list[list[str]]:
    """Return the commands that bring a source archive of Debian, whatever release this machine has.

    They use the server that apt is configured for. Its index of sources costs ten megabytes more.
    """
    client = _apt_get()
    for folder in ("lists/partial", "cache/archives/partial"):
        (state / folder).mkdir(parents=True)
    state.chmod(0o755)  # apt downloads as a user of its own
    address = _debian_server(client)
    (state / "own.conf").write_text(_APT_CONFIGURATION.format(state=state))
    (state / "own.sources").write_text(_APT_SOURCES.format(address=address, release=release))
    options = [f"-c={state / 'own.conf'}", *_APT_OPTIONS]
    wanted = f"{package}={version}"
    return [
        [client, "update", *options],
        [client, "source", *options, "--download-only", "--tar-only", wanted],
    ]


def _debian_server(client: str) -> str:
    """Return the address from which this machine gets the packages of Debian."""
    try:
        targets = subprocess.run(
            [client, "indextargets", "--format", "$(REPO_URI)"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_CONNECT,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        targets = ""
    for address in targets.split():
        if address.rstrip("/").endswith("/debian"):
            return address
    raise PackageError("apt-get knows no server of Debian on this machine")


_COMMANDS = {"npm": _npm, "debian": _apt}
