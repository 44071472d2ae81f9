"""Example: a worked example of a paper, computed exactly."""

import numpy as np

from recoco.items.kind import Kind


class Example(Kind):
    name = "example"
    about = "A worked example, computed exactly: only the printed rounding is allowed."
    schema = {
        "example": {"description": "Key of the paper's worked examples.", "type": "string"},
    }
    required = ("example",)

    def compare(self, comparison, name, item, printed):
        from recoco.compare.answers import agrees, exact_answer
        from recoco.compare.comparison import cell_of

        example = comparison.paper.examples[item["example"]]
        values = compute_example(example)
        how, others = misread_example(example)
        cells = []
        for row in printed.itertuples():
            key = row.note.split(":")[0]
            key = key if key in values else f"{row.method}_{row.metric}"
            value = values[key]
            digits = len(row.value.partition(".")[2])
            why = f"{value:.{digits + 2}f} computed against {row.value} printed"
            answer = exact_answer(value, row.value, why)
            verdict = answer.outcome
            if not answer.within and key in others and agrees(others[key], row.value):
                verdict = "fits"
                why += f"; {others[key]:.{digits + 2}f} {how}"
            cells.append(cell_of(row, name, "", verdict, answer, f"{why}."))
        return cells

    def table(self, material, paper, name):
        from recoco.report.tables import list_table

        cells = material.cells_of(paper.key, name)
        return list_table(paper, name, cells) if cells else None


def _modularity_sweep(example: dict) -> dict[str, float]:
    """Return the modularity before and after the row step and after the column step."""
    from scipy.sparse import csr_matrix

    from recoco.methods.coclus import CoClus
    from recoco.metrics.coclusters import modularity

    inputs = example["inputs"]
    matrix = csr_matrix(np.array(inputs["A"], dtype=float))
    columns = np.argmax(inputs["W_initial"], axis=1)
    rows = np.argmax(inputs["Z_initial"], axis=1)
    sweep = CoClus(n_clusters=2, max_iter=1).fit(matrix, init=columns)
    return {
        "initial": modularity(matrix, rows, columns),
        "after_Z": modularity(matrix, sweep.row_labels_, columns),
        "after_W": sweep.criterion_,
    }


def _taus(example: dict, **other_features) -> dict[str, float]:
    """Return tau_X|Y and every tau_Yk|X of two co-clusterings of one or two views."""
    from recoco.metrics.tau import taus

    inputs = example["inputs"]
    views = [np.array(inputs[key], dtype=float) for key in ("D", "D1", "D2") if key in inputs]
    values = {}
    for name in ("C1", "C2"):
        groups = {**inputs[name], **(other_features if name == "C2" else {})}
        features = [_labels(group) for key, group in groups.items() if key.startswith("features")]
        computed = taus(views, _labels(groups["objects"]), features)
        of_views = ["y"] if len(views) == 1 else [f"y{k + 1}" for k in range(len(views))]
        names = ["tau_x_given_y", *(f"tau_{view}_given_x" for view in of_views)]
        values |= {f"{name}_{key}": float(v) for key, v in zip(names, computed, strict=True)}
    return values


def _labels(groups: list[list[int]]) -> np.ndarray:
    labels = np.zeros(sum(map(len, groups)), dtype=int)
    for number, group in enumerate(groups):
        labels[np.array(group) - 1] = number
    return labels


def _taus_misread(example: dict, other: dict) -> tuple[str, dict[str, float]]:
    """Return the same with the partition of view 1 that the printed values belong to."""
    used = other["features_view1_used"]
    shown = ", ".join("{" + ", ".join(f"f{f}" for f in group) + "}" for group in used)
    return f"with the clusters {shown} in view 1", _taus(example, features_view1=used)


# Functions by the value of ``compute`` in examples.yaml.
EXAMPLES = {"modularity_sweep": _modularity_sweep, "taus": _taus}


def compute_example(example: dict) -> dict[str, float]:
    """Return the values of a worked example by the name of the cell that prints them.

    The name is the first word of the cell's note, or method_metric.
    """
    return EXAMPLES[example["compute"]](example)


def misread_example(example: dict) -> tuple[str, dict[str, float]]:
    """Return which mistake leads to the printed values of an example, and these values."""
    other = example.get("alternative_that_reproduces_published")
    return _taus_misread(example, other) if other else ("", {})


KIND = Example()
