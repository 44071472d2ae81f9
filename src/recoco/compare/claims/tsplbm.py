"""Claims of the TSPLBM paper that have no form in common with others."""

from collections import defaultdict

from recoco.compare.claims.registry import grade, special
from recoco.items.views import ALL

OURS = "TSPLBM"


def _by_graph(table) -> dict[tuple[str, str], dict[tuple[str, str], float]]:
    """Return the means of Figure 10: (dataset, metric) -> (graph, method) -> value."""
    means: dict[tuple, dict] = defaultdict(dict)
    for row in table.frames.get("views", []):
        means[row["dataset"], row["metric"]][row["graph"], row["method"]] = row["measured"]
    return means


@special(once=True)
def all_graphs_beat_one(table, _, options):
    above = total = 0
    lost = defaultdict(int)
    for (dataset, _metric), values in _by_graph(table).items():
        ours = values.get((ALL, OURS))
        if ours is None:
            continue
        for (graph, _), value in values.items():
            if graph == ALL:
                continue
            total += 1
            above += ours > value
            lost[dataset] += ours <= value
    if not total:
        return "open", "no graph of the figure is available"
    worst = "; ".join(f"{dataset} {count}" for dataset, count in lost.items() if count)
    return grade(above / total), (
        f"the mean of {OURS} on all graphs is above that of PSBM, PLBM or SPLBM on one graph in "
        f"{above} of {total} comparisons (dataset x graph x method x metric)"
        + (f"; below it on {worst}" if worst else "")
        + "; the paper's own four datasets are not available"
    )


@special(once=True)
def degrees_help(table, _, options):
    outcomes, parts = [], []
    for rival in ("PLBM", "SPLBM"):
        better = every = better_best = best = 0
        for values in _by_graph(table).values():
            graphs = sorted({graph for graph, _ in values if graph != ALL})
            pairs = {
                g: (values[g, "PSBM"], values[g, rival])
                for g in graphs
                if (g, "PSBM") in values and (g, rival) in values
            }
            if not pairs:
                continue
            better += sum(b > a for a, b in pairs.values())
            every += len(pairs)
            richest = max(pairs, key=lambda g: max(pairs[g]))  # the graph with the best score
            better_best += pairs[richest][1] > pairs[richest][0]
            best += 1
        if every:
            outcomes.append(grade(better_best / best))
            parts.append(
                f"{rival} is above PSBM on the graph that tells most in {better_best} of {best} "
                f"(dataset x metric), and on any graph in {better} of {every}"
            )
    blogs = _blogs(table)
    if blogs:
        parts.append(blogs)
    if not outcomes:
        return "open", "; ".join(parts) or "no graph of the figure is available"
    return _joined(outcomes), "; ".join(parts)


def _blogs(table) -> str:
    """Return the accuracies on the political blogs, and how often PLBM and SPLBM end the same."""
    means: dict[str, dict[str, float]] = defaultdict(dict)
    for row in table.frames.get("extra", []):
        undirected = (row["metric"], row["weighting"]) == ("acc", "undirected")
        if row["item"] == "figure5" and undirected:
            means[row["combination"]][row["method"]] = row["measured"]
    if not means:
        return ""
    text = "accuracies on the political blogs: " + "; ".join(
        f"{combination}: " + ", ".join(f"{value:.2f} ({m})" for m, value in values.items())
        for combination, values in means.items()
    )
    for row in table.frames.get("twins", []):
        if row["item"] == "figure5" and {row["first"], row["second"]} == {"PLBM", "SPLBM"}:
            text += (
                f"; with {row['weighting']} links ({row['combination']}) PLBM and SPLBM end the "
                f"same in {row['same']} of {row['runs']} runs from the same start"
            )
    return text


def _joined(outcomes) -> str:
    """Return the outcome of a claim with several parts."""
    if set(outcomes) == {"holds"}:
        return "holds"
    return "fails" if set(outcomes) == {"fails"} else "partly"


@special(once=True)
def beats_decompositions(table, _, options):
    means: dict[tuple, dict] = defaultdict(dict)
    for row in table.frames.get("extra", []):
        if row["item"] == "figure11":
            key = (row["combination"], row["dataset"], row["metric"])
            means[key][row["method"]] = row["measured"]
    above = total = best = 0
    gains: dict[str, list[float]] = defaultdict(list)
    for (_rank, dataset, metric), values in means.items():
        ours = values.pop(OURS, None)
        if ours is None or not values:
            continue
        above += sum(ours > value for value in values.values())
        total += len(values)
        best += ours > max(values.values())
        if metric == "acc":
            gains[dataset].append(100 * (ours - max(values.values())))
    if not total:
        return "open", "the decompositions were not run"
    shown = ", ".join(f"{d} {min(g):+.0f} to {max(g):+.0f}" for d, g in gains.items())
    return grade(above / total), (
        f"{OURS} is above a decomposition in {above} of {total} (rank x dataset x metric x "
        f"method), above all six in {best} of {len(means)}; points of accuracy over the best of "
        f"the six at ranks 10 to 50: {shown}"
    )


@special(once=True)
def implicit_beats_explicit_consensus(table, _, options):
    final: dict[str, dict[str, float]] = defaultdict(dict)
    for row in table.frames.get("ensembles", []):
        if row["level"] in ("across", ALL):
            final[row["dataset"]][row["method"]] = row["nmi"]
    final = {d: v for d, v in final.items() if OURS in v and len(v) > 1}
    if not final:
        return "open", "no consensus was made"
    highest = sum(v[OURS] == max(v.values()) for v in final.values())
    lowest = sum(v.get("PSBM", 1.0) == min(v.values()) for v in final.values())
    both = [v for v in final.values() if {"SPLBM", "PLBM"} <= set(v)]
    sparse = sum(v["SPLBM"] >= v["PLBM"] for v in both)
    n = len(final)
    shares = (highest / n, lowest / n, sparse / max(1, len(both)))
    shown = "; ".join(
        f"{d}: " + ", ".join(f"{m} {value:.2f}" for m, value in v.items()) for d, v in final.items()
    )
    return _joined([grade(share) for share in shares]), (
        f"NMI of {OURS} is the highest in {highest} of {n} datasets, that of PSBM the lowest in "
        f"{lowest}, that of SPLBM at least that of PLBM in {sparse} of {len(both)} ({shown})"
    )
