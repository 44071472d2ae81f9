"""The scores of all runs in one small file, with a mark of the partition of each run.

The column ``seed`` has all 32 digits of a seed, as text, so a row reproduces its run. References
that were saved before have the first 16 digits only, as a whole number of eight bytes; these tell
which runs share a seed.
"""

import hashlib
from pathlib import Path

import numpy as np
import pandas as pd

from recoco.core.errors import RecocoError
from recoco.core.files import atomic
from recoco.runs.scoring import read_setting

# The slug already contains the parameters.
_LEFT_OUT = ["params"]
_FIRST_DIGITS = 16  # of a seed, in references that do not have the rest
_NAME = ["dataset", "weighting", "slug"]


def write_scores(
    files: list[Path], marks: dict[tuple, int], out: Path, asked: dict[str, int]
) -> None:
    """Write score tables as one.

    Parameters
    ----------
    marks : that of each (dataset, weighting, slug, run)
    asked : how many runs are kept of a setting, by its name
    """
    frames = []
    for path in sorted(files):
        frame = pd.read_parquet(path).drop(columns=_LEFT_OUT)
        most = (frame["dataset"] + "/" + frame["weighting"] + "/" + frame["slug"]).map(asked)
        frame = frame[most.notna() & ((frame["kind"] != "run") | (frame["run"] < most))].copy()
        names = frame[[*_NAME, "run", "kind"]].itertuples(index=False)
        partitions = [marks.get(tuple(n[:-1]), 0) if n.kind == "run" else 0 for n in names]
        frame["partition"] = np.array(partitions, dtype=np.int64)
        frames.append(frame)
    if not frames:
        raise RecocoError("No scores yet: run `make reproduce` first.")
    whole = pd.concat(frames, ignore_index=True)
    with atomic(out) as stream:
        whole.to_parquet(stream, index=False, compression="zstd", compression_level=19)


def split_scores(path: Path, folder: Path) -> list[Path]:
    """Write the score tables of the datasets as the stage score wrote them; return the files."""
    whole = pd.read_parquet(path)
    if pd.api.types.is_integer_dtype(whole["seed"]):
        whole["seed"] = [None if pd.isna(seed) else _as_text(seed) for seed in whole["seed"]]
    files = []
    for dataset, frame in whole.groupby("dataset", sort=True):
        files.append(folder / f"{dataset}.parquet")
        files[-1].parent.mkdir(parents=True, exist_ok=True)
        frame.drop(columns="partition").to_parquet(files[-1], index=False)
    return files


def read_marks(path: Path) -> dict[str, dict[int, int]]:
    """Return the mark of the partition of every run, by the name of its setting."""
    columns = [*_NAME, "kind", "run", "partition"]
    frame = pd.read_parquet(path, columns=columns)
    frame = frame[(frame["kind"] == "run") & (frame["partition"] != 0)]
    marks: dict[str, dict[int, int]] = {}
    for dataset, weighting, slug, _, run, mark in frame.itertuples(index=False):
        marks.setdefault(f"{dataset}/{weighting}/{slug}", {})[run] = mark
    return marks


def marks_of_blocks(blocks: list[Path], total: int | None = None) -> dict[int, int]:
    """Return the mark of every run of a setting: a hash of the clusters of its rows.

    Clusters are numbered by first appearance when a run is stored, so equal partitions have
    equal marks.
    """
    runs = read_setting(blocks, total if total is not None else 2**31)
    if "row_labels" not in runs.arrays:
        return {}
    labels = runs.arrays["row_labels"].astype("<i4")
    return {int(run): _mark(row) for run, row in zip(runs.run, labels, strict=True)}


def _mark(labels: np.ndarray) -> int:
    digest = hashlib.blake2b(labels.tobytes(), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True) or 1  # 0 stands for no partition


def _as_text(seed: int) -> str:
    return f"{int(seed) % 2**64:0{_FIRST_DIGITS}x}"
