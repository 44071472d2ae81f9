"""Figure: a drawing of what another item has measured."""

from recoco.items.kind import Kind
from recoco.items.properties import DATASETS, DRAWN, METHODS, METRICS, OF, WEIGHTINGS


class Figure(Kind):
    name = "figure"
    about = "A drawing of what another item has measured."
    schema = {
        "of": OF,
        "datasets": DATASETS,
        "weightings": WEIGHTINGS,
        "methods": METHODS,
        "metrics": METRICS,
        "drawn": DRAWN,
    }
    required = ("draw",)
    figures = ("recoco.items.figure.bars", "recoco.items.figure.ensembles")

    def table(self, material, paper, name):
        return None


KIND = Figure()
