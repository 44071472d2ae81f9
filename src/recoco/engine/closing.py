"""The last lines that a reproduction prints: report, verdicts, agreement, leading methods."""

from pathlib import Path

from recoco.archive import reference
from recoco.compare.twins import MARK

LEADERS = 5


def closing(root: Path, papers: list[str]) -> str:
    """Return the last lines about some papers; the benchmark has no printed cells, but ranks."""
    import pandas as pd

    from recoco.report import overlay, summary_line

    folder = root / "results" / "compare"
    lines = [f"report: {root / 'reports' / 'index.html'}"]
    cells = {
        paper: pd.read_csv(folder / paper / "cells.csv", dtype=str, keep_default_na=False)
        for paper in papers
    }
    if any(len(frame) for frame in cells.values()):
        lines.append(summary_line(cells.values()))
        on_twins = sum(len(pd.read_csv(folder / paper / "drawn.csv")) for paper in papers)
        if on_twins:
            lines.append(f"twins: {on_twins} of the unreachable cells have numbers on {MARK}")
        if reference.is_there(root):
            from recoco.archive.reference.agreement import agreement, agreement_line

            rows = {paper: frame.to_dict("records") for paper, frame in cells.items()}
            lines.append(overlay.sentence(rows, overlay.known_cells(root, rows)))
            lines.append(agreement_line(agreement(root, papers)))
    for paper in papers:
        lines += leaders(pd.read_csv(folder / paper / "standings.csv"))
    return "\n".join(lines)


def leaders(standings) -> list[str]:
    """Return a line for each leaderboard: the methods of the best mean ranks by NMI."""
    lines = []
    chosen = standings.query("selection == 'mean' and metric == 'nmi' and kind == 'method'")
    for (item, weighting), rows in chosen.groupby(["item", "weighting"], sort=False):
        rows = rows.dropna(subset=["mean_rank"]).sort_values("mean_rank", kind="stable")
        best = ", ".join(
            f"{row.method} {row.mean_rank:.2f}" for row in rows.head(LEADERS).itertuples()
        )
        if best:
            lines.append(
                f"mean ranks by NMI, {item}, {weighting}: {best} "
                f"(of {len(rows)} methods on {rows.n_datasets.max():.0f} datasets)"
            )
    return lines
