"""Frames of compare as files, with all the columns that compare would write."""

from pathlib import Path

import pandas as pd

from recoco.compare.outputs import OUTPUTS


def write_frame(path: Path, rows: list[dict]) -> None:
    frame = pd.DataFrame(rows)
    wanted = [column for column in OUTPUTS.get(path.stem, []) if column != "choice_*"]
    frame = frame.reindex(columns=list(dict.fromkeys([*frame.columns, *wanted])))
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.to_csv(path, index=False, lineterminator="\n")
