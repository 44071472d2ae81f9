"""What goes into an archive: everything a reader needs, nothing of the machine or the clock."""

import json
import os
import re
import socket
from dataclasses import dataclass, field
from pathlib import Path

from recoco import cocluster_plan, plan, word_plan
from recoco.archive.digests import DIGESTS, digest_of_arrays
from recoco.config import Config
from recoco.datasets.card import load_card
from recoco.errors import RecocoError
from recoco.job import FINISHED
from recoco.store import read_json

DOCUMENTS = (
    *("CITATION.cff", "LICENSE", "README.md", "Makefile", "Snakefile"),
    *("pyproject.toml", "requirements.lock", "environment.yml"),
)
_SOURCES = ("config", "workflow", "src/recoco")
_SKIPPED = {"__pycache__", ".snakemake_timestamp"}
# The workflow's own log has dates and the name of the host; the job that packs is at work.
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
    """Return what the project has to give, the report apart."""
    found = Contents()
    for name in DOCUMENTS:
        if (root / name).is_file():
            found.files[name] = root / name
    for folder in _SOURCES:
        _add(found, root, _walk(root / folder))
    _add(found, root, planned_results(config, root))
    _add_data(found, config, root)
    for path in _logs(config, root):
        found.made[_name(root, path)] = steady_log(path.read_text("utf-8", "replace"), root)
    return found


def _name(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix()


def _add(found: Contents, root: Path, files) -> None:
    found.files.update((_name(root, path), path) for path in files)


def _walk(folder: Path):
    """Yield the files below a folder, without caches and what is hidden."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        hidden = any(part in _SKIPPED or part.startswith(".") for part in parts)
        if path.is_file() and not hidden and path.suffix != ".pyc":
            yield path


# ---- results ------------------------------------------------------------------------------


def planned_blocks(config: Config, root: Path) -> dict[plan.Setting, tuple[list, int]]:
    """Return the blocks of every setting whose data is at hand, and the runs that are used."""
    missing = plan.unreachable(root)
    return {
        setting: plan.blocks_of(config, setting, total, root)
        for setting, total in plan.settings_of(config).items()
        if setting.dataset not in missing
    }


def planned_results(config: Config, root: Path):
    """Yield the results that the configuration asks for; what is left from others stays."""
    blocks = planned_blocks(config, root)
    for setting, (ranges, _) in blocks.items():
        for start, stop in ranges:
            path = plan.block_path(setting, start, stop, root)
            if not path.is_file():
                raise RecocoError(
                    f"The runs {start} to {stop} of {setting.name} are missing: "
                    "run `make reproduce` to the end, then archive."
                )
            yield path
    datasets = {setting.dataset for setting in blocks}
    words = {word_plan.words_path(s).as_posix(): s.dataset for s in word_plan.words_of(config)}
    looked_into = {
        cocluster_plan.coclusters_path(s).as_posix(): s.dataset
        for s in cocluster_plan.coclusters_of(config)
    }
    asked = {
        "consensus": lambda path: path.stem in datasets,
        "scores": lambda path: path.stem in datasets,
        "compare": lambda path: path.parent.name in config.papers,
        "words": lambda path: _name(root, path) in words,
        "coherence": lambda path: path.stem in words.values(),
        "densities": lambda path: bool(word_plan.shifts_of(config, path.stem)),
        "coclusters": lambda path: _name(root, path) in looked_into,
        "neighbours": lambda path: path.stem in looked_into.values(),
    }
    for folder in sorted((root / "results").iterdir()):
        if folder.is_dir() and folder.name != "runs":
            wanted = asked.get(folder.name, lambda path: True)
            yield from (path for path in _walk(folder) if wanted(path))


# ---- data ---------------------------------------------------------------------------------


def _add_data(found: Contents, config: Config, root: Path) -> None:
    """Add the receipts and measured characteristics; the data itself where it may be given."""
    digests = {}
    for dataset in plan.datasets_of(config):
        stem = root / "resources" / "prepared" / dataset
        if not stem.with_suffix(".json").is_file():
            continue
        found.files[f"resources/prepared/{dataset}.json"] = stem.with_suffix(".json")
        receipt = root / "resources" / "raw" / dataset / "receipt.json"
        if receipt.is_file():
            text = without_host(receipt.read_text("utf-8"), root)
            found.made[f"resources/raw/{dataset}/receipt.json"] = text.encode()
        if read_json(stem.with_suffix(".json"))["status"] == "ok":
            digests[dataset] = digest_of_arrays(stem.with_suffix(".npz"))
            if may_be_given(dataset):
                found.files[f"resources/prepared/{dataset}.npz"] = stem.with_suffix(".npz")
    found.made[DIGESTS] = as_json(digests)


def may_be_given(dataset: str) -> bool:
    """Say whether the prepared data may be part of an archive: drawn, or its licence allows it."""
    card = load_card(dataset)
    drawn = all(source["kind"] == "synthetic" for source in card["sources"])
    return drawn or card.get("redistributable", False)


# ---- logs ---------------------------------------------------------------------------------


def _logs(config: Config, root: Path):
    planned = {setting.name for setting in plan.settings_of(config)}
    for path in _walk(root / "logs"):
        stage, *rest = path.relative_to(root / "logs").with_suffix("").parts
        left_over = stage == "runs" and "/".join(rest[:3]) not in planned
        if path.suffix == ".log" and not left_over and not _LOGS_LEFT_OUT.fullmatch(stage):
            yield path


def steady_log(text: str, root: Path) -> bytes:
    """Return a job's log without what differs from one time and machine to the next."""
    return without_host(FINISHED.sub("finished", text), root).encode()


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
