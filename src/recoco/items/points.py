"""Points: a gain in points that a paper states in its text."""

from recoco.items.kind import Kind
from recoco.items.properties import OF, OVER

# "about 25 points" is read as the nearest multiple of five
_ROUGHLY = 2.5


class Points(Kind):
    name = "points"
    about = "Gains in points that the text states for one method of an item of scores."
    schema = {"of": OF, "over": OVER}
    required = ("of", "over")

    def compare(self, comparison, name, item, printed):
        from recoco.compare.comparison import cell_of

        of = comparison.items[item["of"]]
        rows = printed[printed["dataset"].isin(of["datasets"])]
        answers = answer_gains(rows, comparison.table(of), item["over"])
        return [cell_of(row, name, of["datasets"][row.dataset], *rest) for row, *rest in answers]


def answer_gains(rows, table, method: str):
    """Yield (printed row, verdict, answer, reason) of gains in points over the other methods.

    The gain is that over the best of the others; the reason also states the mean over all.
    """
    import numpy as np

    from recoco.compare.answers import Answer, exact_answer, unreachable

    others = [m for m in table.methods if m != method]
    weighting = next(iter(table.item["weightings"]))
    for row in rows.itertuples():
        record = table.records[table.item["datasets"][row.dataset]]
        if record["status"] != "ok":
            answer = unreachable(record)
            yield row, "unreachable", answer, answer.why
            continue
        metric = row.metric.removesuffix("_gain_points")
        means = {
            m: np.mean(values)
            for m in [method, *others]
            if len(values := table.values(row.dataset, weighting, m, metric))
        }
        if method not in means or len(means) < 2:
            why = "there is no run of these methods"
            yield row, "not-run", Answer("not-run", why=why), why
            continue
        ours = means.pop(method)
        best = max(means, key=means.get)
        gain, printed = 100 * float(ours - means[best]), float(row.value)
        why = (
            f"{gain:+.1f} points over {best}, the best of {len(means)}, and "
            f"{100 * float(ours - np.mean(list(means.values()))):+.1f} over their mean, against "
            f"about {printed:g} printed"
        )
        runs = len(table.values(row.dataset, weighting, method, metric))
        answer = exact_answer(gain, row.value, why, tolerance=_ROUGHLY, runs=runs)
        yield row, answer.outcome, answer, f"{why}."


KIND = Points()
