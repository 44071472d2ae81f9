"""Write the archive: the same commit and results give the same bytes on any day."""

import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from recoco.archive.contents import Contents, as_json, gather
from recoco.archive.crate import METADATA, crate
from recoco.archive.format import FORMAT, VERSION
from recoco.archive.receipt import receipt_text
from recoco.config import Config
from recoco.core.checksums import sha256, sha256_of
from recoco.core.errors import NoResults
from recoco.core.files import atomic, read_json, write_json
from recoco.report.provenance import commit_date, commit_now

MANIFEST = "manifest-sha256.txt"
# Files of the reports that are not rendered.
SHOWN = ("README.md", "reference/verdicts.svg")
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest date a zip can hold
_FILE = 0o100644 << 16  # a plain file that its owner may write
# Keys of the provenance that depend on the machine and the day.
_OF_THE_MACHINE = ("machine", "stages")
_UNIX = 3  # on every platform


@dataclass(frozen=True)
class Packed:
    """The archive that was written."""

    path: Path
    members: int
    bytes: int
    sha256: str


def pack(config: Config, root: Path, out: Path, machine: Path | None = None) -> Packed:
    """Write the archive of a finished reproduction.

    Parameters
    ----------
    out : the zip
    machine : a JSON file for what is not part of the archive because it differs each time:
        the machine and the seconds
    """
    written = root / "results" / "provenance.json"
    if not written.is_file():
        raise NoResults
    provenance = read_json(written)
    contents = gather(config, root)
    contents.files.pop("results/provenance.json", None)
    steady = steady_provenance(provenance, config)
    contents.made["results/provenance.json"] = as_json(steady)
    with tempfile.TemporaryDirectory() as scratch:
        render_archived(config, root, steady, Path(scratch) / "reports")
        for path in sorted((Path(scratch) / "reports").rglob("*")):
            if path.is_file():
                name = path.relative_to(scratch).as_posix()
                contents.made[name] = path.read_bytes()
    for name in SHOWN:
        if (root / "reports" / name).is_file():
            contents.files[f"reports/{name}"] = root / "reports" / name
    contents.made["receipt.txt"] = receipt_text(config, root, steady).encode()
    contents.made[FORMAT] = as_json({"format": VERSION})
    name = f"recoco: {', '.join(config.papers)}"
    described = crate(config, contents, steady, commit_date(), name)
    contents.made[METADATA] = as_json(described)
    contents.made[MANIFEST] = manifest_of(contents)
    write_zip(contents, out)
    if machine:
        write_json(machine, {key: provenance.get(key) for key in _OF_THE_MACHINE})
    return Packed(out, len(contents.names), out.stat().st_size, sha256_of(out))


def steady_provenance(provenance: dict, config: Config) -> dict:
    """Return the provenance without machine and clock, with the present commit."""
    kept = {key: value for key, value in provenance.items() if key not in _OF_THE_MACHINE}
    settings = {**config.settings, "coherence": dict(config.settings["coherence"])}
    corpus = settings["coherence"]["corpus"]
    if corpus:  # the user's own texts: their folder names this machine
        settings["coherence"]["corpus"] = Path(corpus).name
    return {**kept, **commit_now(), "machine": {}, "stages": [], "settings": settings}


def render_archived(config: Config, root: Path, provenance: dict, out: Path) -> None:
    """Render the report for an archive: without seconds and machine."""
    from recoco.plan import datasets_of
    from recoco.report import render

    results, prepared = root / "results", root / "resources" / "prepared"
    known = [prepared / f"{dataset}.json" for dataset in datasets_of(config)]
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "provenance.json"
        write_json(path, provenance)
        render(
            compare_dirs={key: results / "compare" / key for key in config.papers},
            scores=scores_of(config, root),
            characteristics=[path for path in known if path.is_file()],
            provenance=path,
            config_dir=root / "config",
            out_dir=out,
        )


def scores_of(config: Config, root: Path) -> list[Path]:
    """Return the existing score tables of the configured datasets."""
    from recoco.plan import missing, settings_of

    datasets = sorted({s.dataset for s in settings_of(config)} - missing(config, root))
    paths = [root / "results" / "scores" / f"{dataset}.parquet" for dataset in datasets]
    return [path for path in paths if path.is_file()]


def manifest_of(contents: Contents) -> bytes:
    """Return the hash of every member, in the form that ``sha256sum --check`` reads."""
    names = [name for name in contents.names if name != MANIFEST]
    return "".join(f"{sha256(contents.read(name))}  {name}\n" for name in names).encode()


def write_zip(contents: Contents, out: Path) -> None:
    """Write members in the order of their names, with one date and one mode, uncompressed.

    What is large in them is compressed already, and a compressor's bytes differ from one
    version of zlib to the next.
    """
    with atomic(out) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name in contents.names:
            member = zipfile.ZipInfo(name, _EPOCH)
            member.create_system = _UNIX
            member.external_attr = _FILE
            archive.writestr(member, contents.read(name))
