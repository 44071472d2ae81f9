"""The receipt: one page by which two reproductions can be compared."""

from pathlib import Path

from recoco import plan
from recoco.config import Config
from recoco.core.checksums import DIGESTS, digest_of_arrays, digest_of_cells, digest_of_lines
from recoco.core.errors import NoResults, RecocoError
from recoco.core.files import read_json


def receipt_text(config: Config, root: Path, provenance: dict) -> str:
    """Return the receipt of the results under ``root``: no machine, no date, no path."""
    import pandas as pd

    from recoco.compare.verdicts import COMPARED

    folder = root / "results" / "compare"
    cells = digest_of_cells(folder)
    cells = {key: digest for key, digest in cells.items() if key in config.papers}
    if not cells:
        raise NoResults
    changed = " with uncommitted changes" if provenance["dirty"] else ""
    fingerprints = provenance.get("fingerprints", {})
    code = digest_of_lines(f"{name} {value}" for name, value in fingerprints.items())
    lines = [
        "recoco: receipt of a reproduction",
        "",
        f"commit       {provenance['commit']}{changed}",
        f"lock         {provenance['lock_sha256']}",
        f"methods      {code}",
        f"python       {provenance['python']}",
        f"master seed  {provenance['master_seed']}",
        f"runs         {provenance['runs']}",
        "",
        "data, by the hash of the files fetched and of the arrays prepared from them",
        *_data(config, root),
        "",
    ]
    frames = {
        key: pd.read_csv(folder / key / "cells.csv", dtype=str, keep_default_na=False)
        for key in cells
    }
    lines.append("  ".join([f"{'cells':22}", *(name.rjust(11) for name in COMPARED)]).rstrip())
    for key, frame in frames.items():
        for item, rows in frame.groupby("item", sort=True):
            counts = rows["verdict"].value_counts()
            row = [f"{key + ' ' + item:22}", *(str(counts.get(n, 0)).rjust(11) for n in COMPARED)]
            lines.append("  ".join(row))
    lines.append("")
    lines += [f"cells of {key:12} {digest}" for key, digest in cells.items()]
    every = digest_of_lines(f"{key} {digest}" for key, digest in cells.items())
    lines.append(f"{'all cells':21} {every}")
    return "\n".join(lines) + "\n"


def _data(config: Config, root: Path):
    digests = root / DIGESTS
    known = read_json(digests) if digests.is_file() else None
    for dataset in plan.datasets_of(config):
        stem = root / "resources" / "prepared" / dataset
        if not stem.with_suffix(".json").is_file():
            yield f"{dataset:18} not looked for"
            continue
        if read_json(stem.with_suffix(".json"))["status"] != "ok":
            yield f"{dataset:18} unreachable"
            continue
        receipt = read_json(root / "resources" / "raw" / dataset / "receipt.json")
        hashes = [entry["sha256"] for entry in receipt.get("files", [])]
        files = hashes[0] if len(hashes) == 1 else digest_of_lines(hashes)
        prepared = known[dataset] if known else digest_of_arrays(stem.with_suffix(".npz"))
        yield f"{dataset:18} {files[:24]}  {prepared[:24]}"


def show_receipt(archive: str | None = None) -> int:
    """Print the receipt of the results in this folder or of an archive."""
    from recoco.archive.pack import steady_provenance
    from recoco.core import paths

    if archive:
        from recoco.archive.opening import open_archive

        with open_archive(Path(archive)) as opened:
            print(opened.read("receipt.txt").decode(), end="")
        return 0
    root = paths.root()
    config, provenance = last_config(root)
    print(receipt_text(config, root, steady_provenance(provenance, config)), end="")
    return 0


def last_config(root: Path) -> tuple[Config, dict]:
    """Return the configuration of the present report, and its provenance."""
    from recoco.config import load_config

    written = root / "results" / "provenance.json"
    if not written.is_file():
        raise NoResults
    provenance = read_json(written)
    if "settings" not in provenance:
        raise RecocoError(
            "The report here does not say how it was made: write it again with this version, "
            "by the command that made it."
        )
    return load_config(provenance["settings"]), provenance
