"""Every run behind the numbers, one page per dataset: seed, parameters, data, code, seconds."""

import json
from collections import defaultdict
from urllib.parse import quote

import pandas as pd

from recoco.report import formats
from recoco.report.inputs import Material

_SCORES = ("acc", "nmi", "ari")


def page_name(dataset: str) -> str:
    return f"data/trials_{dataset}.html"


def address_of(dataset: str, anchor: str) -> str:
    """Return the address of a setting's runs, as seen from the report."""
    return f"{quote(page_name(dataset))}#{quote(anchor)}"


def trial_pages(material: Material):
    """Yield (name of the file, what its template shows) for every dataset with scores."""
    if not material.score_files:
        return
    seconds = _seconds(material.timings)
    data = {entry["dataset"]: entry for entry in material.provenance.get("data", [])}
    codes = material.provenance.get("fingerprints", {})
    scores = material.scores
    shown = ("seed", "params", "error", "criterion", "n_iter", "n_clusters", *_SCORES)
    scores = scores.reindex(columns=list(dict.fromkeys([*scores.columns, *shown])))
    for dataset, rows in scores.groupby("dataset", sort=True):
        settings = [
            _setting(weighting, slug, found, codes, seconds.get(f"{dataset}/{weighting}/{slug}"))
            for (weighting, slug), found in rows.groupby(["weighting", "slug"], sort=True)
        ]
        known = material.datasets.get(dataset, {})
        yield (
            page_name(dataset),
            {
                "dataset": dataset,
                "title": known.get("title", dataset),
                "source": data.get(dataset, {}).get("source", ""),
                "hashes": data.get(dataset, {}).get("sha256", []),
                "settings": settings,
            },
        )


def _setting(weighting: str, slug: str, rows: pd.DataFrame, codes: dict, seconds) -> dict:
    first = rows.iloc[0]
    params = json.loads(first["params"]) if isinstance(first["params"], str) else {}
    error = next((e for e in rows["error"] if isinstance(e, str) and e), "")
    return {
        "anchor": f"{weighting}/{slug}",
        "name": slug,
        "weighting": weighting,
        "params": sorted(params.items()),
        "code": codes.get(first["method"], ""),
        "seconds": formats.number(seconds, 3) if seconds is not None else "",
        "error": error,
        "runs": [_run(row) for row in rows.to_dict("records")],
    }


def _run(row: dict) -> list[str]:
    criterion = formats.as_float(row["criterion"])
    status = "" if row["status"] == "ok" else row["status"]
    return [
        formats.whole(row["run"]),
        row["seed"] if isinstance(row["seed"], str) else "",
        f"{criterion:.8g}" if criterion == criterion else "",
        *(formats.whole(row[c]) for c in ("n_iter", "n_clusters")),
        *(formats.number(formats.as_float(row[c]), 4) for c in _SCORES),
        status,
    ]


def _seconds(timings: pd.DataFrame) -> dict[str, float]:
    """Return the seconds of one run of each setting, from the jobs that did its blocks."""
    totals: dict[str, list[float]] = defaultdict(lambda: [0.0, 0])
    for row in timings.to_dict("records"):
        setting, _, block = str(row.get("name", "")).rpartition("/")
        first, _, last = block.partition("-")
        if row.get("stage") == "runs" and first.isdigit() and last.isdigit():
            totals[setting][0] += formats.as_float(row["seconds"])
            totals[setting][1] += int(last) - int(first)
    return {name: total / runs for name, (total, runs) in totals.items() if runs}
