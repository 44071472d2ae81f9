"""Pages of all runs, one per dataset: seeds, parameters, data, code and seconds."""

import json
from urllib.parse import quote

import pandas as pd

from recoco.report import formats
from recoco.report.inputs import Material
from recoco.report.speeds import seconds_per_run

_SCORES = ("acc", "nmi", "ari")


def page_name(dataset: str) -> str:
    return f"data/trials_{dataset}.html"


def address_of(dataset: str, anchor: str) -> str:
    """Return the address of a setting's runs, relative to the report."""
    return f"{quote(page_name(dataset))}#{quote(anchor)}"


def trial_pages(material: Material):
    """Yield (name of the file, values for its template) for every dataset with scores."""
    if not material.score_files:
        return
    seconds = seconds_per_run(material.timings)
    data = {entry["dataset"]: entry for entry in material.provenance.get("data", [])}
    codes = material.provenance.get("fingerprints", {})
    scores = material.scores
    shown = ("seed", "params", "error", "criterion", "n_iter", "n_clusters", *_SCORES)
    scores = scores.reindex(columns=list(dict.fromkeys([*scores.columns, *shown])))
    for dataset, rows in scores.groupby("dataset", sort=True):
        settings = [
            _setting(weighting, slug, runs, codes, seconds.get(f"{dataset}/{weighting}/{slug}"))
            for (weighting, slug), runs in rows.groupby(["weighting", "slug"], sort=True)
        ]
        files = data.get(dataset, {})
        yield (
            page_name(dataset),
            {
                "dataset": dataset,
                "title": material.datasets.get(dataset, {}).get("title", dataset),
                "source": files.get("source", ""),
                "hashes": files.get("sha256", []),
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
        "seconds": formats.number(seconds, 3),
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
        *(formats.number(row[c], 4) for c in _SCORES),
        status,
    ]
