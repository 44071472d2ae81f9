"""Seconds of a run of each method on each dataset."""

from recoco.report.figures.drawing import Subject, drawing, grid, nothing, panels
from recoco.report.figures.method_bars import bars_beside, looks, method_legend, place_names
from recoco.report.speeds import seconds_per_run


@drawing
def run_seconds(subject: Subject):
    """Seconds of a run of each method on each dataset, on a logarithmic axis."""
    rows = subject.paper.of_item("extra", subject.of)
    names = {ours: name for name, ours in subject.drawn["extra_methods"].items()}
    weighting = next(iter(subject.drawn["weightings"].values()))
    seconds = seconds_per_run(subject.material.timings)
    methods = list(subject.drawn["extra_methods"])
    datasets = [d for d in subject.datasets if (rows["dataset"] == d).any()]
    look = looks(methods)
    figure, (axes,) = panels(1, 1, 9, 3.2)
    for place, dataset in enumerate(datasets):
        card = subject.datasets[dataset]
        bars = [
            ({"measured": seconds.get(f"{card}/{weighting}/{ours}", "")}, look[name])
            for ours, name in names.items()
        ]
        bars_beside(axes, place, bars)
    if seconds and datasets:
        from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

        axes.set_yscale("log")
        # otherwise an axis of times that are close together would have no number
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
        place_names(axes, datasets)
        axes.minorticks_off()
        grid(axes, "y")
    else:
        nothing(axes, "no times were measured")
    axes.set_ylabel("seconds of a run")
    method_legend(figure, methods, look)
    return figure
