"""What goes into an archive: everything a reader needs, but neither machine nor clock."""

import json
import os
import re
import socket
from dataclasses import dataclass, field
from pathlib import Path

from recoco import plan
from recoco.compare.outputs import OUTPUTS
from recoco.config import Config
from recoco.config.papers import paper_folders
from recoco.core.checksums import DIGESTS, digest_of_arrays
from recoco.core.errors import RecocoError
from recoco.core.files import read_json
from recoco.datasets.card import load_card
from recoco.engine.job import AGAIN, FINISHED, USED
from recoco.items.kind import readings_path

DOCUMENTS = (
    *("CITATION.cff", "LICENSE", "README.md", "Makefile", "Snakefile"),
    *("pyproject.toml", "requirements.lock", "bootstrap.lock", "environment.yml"),
)
_SOURCES = ("config", "profiles", "workflow", "src/recoco")
_SKIPPED = {"__pycache__", ".snakemake_timestamp"}
# Snakemake's own log contains dates and the host name; that of this job is not finished.
_LOGS_LEFT_OUT = re.compile(r"snakemake-.*|archive")


@dataclass
class Contents:
    """Members of an archive by name: a file to copy, or the bytes themselves."""

    files: dict[str, Path] = field(default_factory=dict)
    made: dict[str, bytes] = field(default_factory=dict)

    def read(self, name: str) -> bytes:
        return self.made[name] if name in self.made else self.files[name].read_bytes()

    @property
    def names(self) -> list[str]:
        return sorted({*self.files, *self.made})

    def under(self, folder: str) -> list[str]:
        return [name for name in self.names if name.startswith(folder)]


def as_json(content) -> bytes:
    text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False)
    return f"{text}\n".encode()


def gather(config: Config, root: Path) -> Contents:
    """Return all members of the archive except the report."""
    contents = Contents()
    for name in DOCUMENTS:
        if (root / name).is_file():
            contents.files[name] = root / name
    for folder in _SOURCES:
        _add(contents, root, _walk(root / folder))
    for key, folder in paper_folders(root / "config").items():
        # In the archive, a paper from another folder lies where all papers are contents.
        home = f"config/papers/{key}"
        contents.files.update(
            (f"{home}/{path.relative_to(folder).as_posix()}", path) for path in _walk(folder)
        )
    _add(contents, root, planned_results(config, root))
    _add_data(contents, config, root)
    for path in _logs(config, root):
        contents.made[_name(root, path)] = steady_log(path.read_text("utf-8", "replace"), root)
    return contents


def _name(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix()


def _add(contents: Contents, root: Path, files) -> None:
    contents.files.update((_name(root, path), path) for path in files)


def _walk(folder: Path):
    """Yield the files below a folder, without caches and hidden files."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        hidden = any(part in _SKIPPED or part.startswith(".") for part in parts)
        if path.is_file() and not hidden and path.suffix != ".pyc":
            yield path


# ---- results ------------------------------------------------------------------------------


def planned_blocks(config: Config, root: Path) -> dict[plan.Setting, tuple[list, int]]:
    """Return the blocks of every setting whose data is available, and the runs that are used."""
    missing = plan.missing(config, root)
    return {
        setting: plan.blocks_of(config, setting, total, root)
        for setting, total in plan.settings_of(config).items()
        if setting.dataset not in missing
    }


def planned_results(config: Config, root: Path):
    """Yield the results that the configuration needs, without leftovers of other papers."""
    whole = plan.Plan(config, root)
    names = [block for name in whole.settings for block in whole.blocks(name)]
    for path in map(Path, whole.analyses):
        names += [path, readings_path(path)]
    for dataset in whole.datasets:
        names += [f"results/consensus/{dataset}.npz", f"results/scores/{dataset}.parquet"]
    for paper in config.papers:
        names += [f"results/compare/{paper}/{table}.csv" for table in OUTPUTS]
    for name in names:
        if not (root / name).is_file():
            raise RecocoError(f"{name} is missing: run `make reproduce` to the end, then archive.")
        yield root / name


# ---- data ---------------------------------------------------------------------------------


def _add_data(contents: Contents, config: Config, root: Path) -> None:
    """Add receipts and measured characteristics, and the data itself if it may be passed on."""
    digests = {}
    for dataset in plan.datasets_of(config):
        stem = root / "resources" / "prepared" / dataset
        if not stem.with_suffix(".json").is_file():
            continue
        contents.files[f"resources/prepared/{dataset}.json"] = stem.with_suffix(".json")
        receipt = root / "resources" / "raw" / dataset / "receipt.json"
        if receipt.is_file():
            text = without_host(receipt.read_text("utf-8"), root)
            contents.made[f"resources/raw/{dataset}/receipt.json"] = text.encode()
        if read_json(stem.with_suffix(".json"))["status"] == "ok":
            digests[dataset] = digest_of_arrays(stem.with_suffix(".npz"))
            if may_be_archived(dataset):
                contents.files[f"resources/prepared/{dataset}.npz"] = stem.with_suffix(".npz")
    contents.made[DIGESTS] = as_json(digests)


def may_be_archived(dataset: str) -> bool:
    """Say whether prepared data may be part of an archive: synthetic, or its licence allows it."""
    card = load_card(dataset)
    synthetic = all(source["kind"] == "synthetic" for source in card["sources"])
    return synthetic or card["redistributable"]


# ---- logs ---------------------------------------------------------------------------------


def _logs(config: Config, root: Path):
    planned = {setting.name for setting in plan.settings_of(config)}
    for path in _walk(root / "logs"):
        stage, *rest = path.relative_to(root / "logs").with_suffix("").parts
        left_over = stage == "runs" and plan.name_from_path("/".join(rest[:3])) not in planned
        if path.suffix == ".log" and not left_over and not _LOGS_LEFT_OUT.fullmatch(stage):
            yield path


def steady_log(text: str, root: Path) -> bytes:
    """Return a job's log without what differs between runs and machines."""
    for line, steady in ((FINISHED, "finished"), (USED, ""), (AGAIN, "")):
        text = line.sub(steady, text)
    lines = [line for line in text.splitlines() if line]
    return without_host("".join(f"{line}\n" for line in lines), root).encode()


def without_host(text: str, root: Path) -> str:
    """Return a text without the paths and the name of this machine."""
    text = re.sub(r"[^\s\"']*/site-packages/", "site-packages/", text)
    for path, name in ((str(root), "."), (os.path.expanduser("~"), "~")):
        if len(path) > 1:
            text = text.replace(path, name)
    host = socket.gethostname()
    if len(host) > 3 and host != "localhost":
        text = re.sub(rf"\b{re.escape(host)}\b", "host", text)
    return text
