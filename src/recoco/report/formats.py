"""Numbers and names for readers, and text escaped for each file format."""

import json
import math
import re

from recoco.compare.published import BRACKET
from recoco.metrics import METRICS

# Labels of printed numbers that are not scores of partitions; those bring their own.
_LABELS = {
    "modularity": "Modularity",
    "npmi_i": "NPMI",
    "pmi": "PMI",
    "g_star": "g*",
    "n_clusters": "clusters",
    "base_modularity": "modularity on X",
    "base_modularity_M": "modularity on M",
    "threshold_bases": "bases",
    "threshold_smallest": "smallest",
    "threshold_largest": "largest",
    "expected_g": "g",
    "cd": "CD",
    "sparsity_percent": "sparsity %",
    "nonzero_percent": "non-zero %",
    "class_sizes": "sizes of the classes",
    "q_alpha": "q of Nemenyi",
    "friedman_critical": "critical Q",
    "acc_gain_points": "ACC, points gained",
}
PARAMETERS = {"lam": "λ", "n_column_clusters": "m", "shift": "N"}
# Prefixes of metrics that are derived from another one, and their names.
_COMPOSED = {
    "avg_rank_": "mean rank, ",
    "rank_diff_": "difference of mean ranks, ",
    "friedman_q_": "Friedman's Q, ",
    "words_": "words of view ",
}
NULLS = {"null": "random labels", "null-sorted": "random labels, sorted"}
NOTHING = "–"


def metric_name(metric: str) -> str:
    if metric.startswith("pvalue_"):
        return f"p-value, {metric_name(metric.removeprefix('pvalue_'))}"
    if is_bracket(metric):
        return f"{metric_name(metric.removesuffix(BRACKET))}, lowest criterion"
    for prefix, words in _COMPOSED.items():
        if metric.startswith(prefix):
            return f"{words}{metric_name(metric.removeprefix(prefix))}"
    if metric in METRICS:
        return METRICS[metric].label
    return _LABELS.get(metric, metric.replace("_", " "))


def is_bracket(metric: str) -> bool:
    """Tell whether a metric is a number in brackets: that of the run with the lowest criterion."""
    return metric.endswith(BRACKET)


def mean_of(metric: str) -> str:
    """Return the metric of the mean beside a number in brackets; any other metric as it is."""
    return metric.removesuffix(BRACKET)


def parameter_name(parameter: str) -> str:
    return PARAMETERS.get(parameter, parameter.replace("_", " "))


def item_name(item: str) -> str:
    """Return a heading for an item that is not configured, e.g. Figure 10 for ``fig10``."""
    match = re.fullmatch(r"(table|fig|figure|text|example)-?(.*)", item)
    if not match:
        return item
    words = {"table": "Table", "fig": "Figure", "text": "Text, Section", "example": "Example"}
    return f"{words.get(match[1], 'Figure')} {match[2]}".strip()


def as_float(text) -> float:
    """Return the number that a CSV field holds, or NaN."""
    try:
        return float(text)
    except (TypeError, ValueError):
        return math.nan


def as_bool(text) -> bool:
    return str(text).strip().lower() in {"true", "1", "1.0", "yes"}


def decimals(printed: str) -> int:
    """Return the number of decimals of a printed number."""
    match = re.search(r"\.(\d+)", str(printed))
    return len(match[1]) if match else 0


def number(value, places: int) -> str:
    """Return a number, or the text of one, with some decimals; empty if it is none."""
    value = as_float(value)
    if not math.isfinite(value):
        return ""
    text = f"{value:.{places}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def whole(text) -> str:
    """Return a count, which a CSV may hold as 50.0; empty if it is none."""
    value = as_float(text)
    return str(int(value)) if math.isfinite(value) else ""


def spread(value, places: int) -> str:
    """Return a standard deviation; one too small for the places keeps its magnitude."""
    value = as_float(value)
    if not math.isfinite(value):
        return ""
    if value and abs(value) < 0.5 * 10**-places:
        return f"{value:.0e}"
    return number(value, places)


def with_spread(value, sd, places: int) -> str:
    """Return e.g. ``0.905 ± 0.012``."""
    text, deviation = number(value, places), spread(sd, places)
    return f"{text} ± {deviation}" if text and deviation else text


def p_value(value) -> str:
    value = as_float(value)
    if not math.isfinite(value):
        return ""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def measured_text(metric: str, value, sd, places: int) -> str:
    return p_value(value) if metric.startswith("pvalue") else with_spread(value, sd, places)


def printed_text(value: str, sd: str, note: str) -> str:
    """Return a printed cell as in the paper, with its digits and its sign."""
    if not value:
        return NOTHING
    sign = "< " if note.strip() == "<" else ""
    return f"{sign}{value} ± {sd}" if sd else f"{sign}{value}"


def interval_text(low, high, places: int) -> str:
    ends = [number(low, places), number(high, places)]
    return " to ".join(ends) if all(ends) else ""


_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "±": r"$\pm$",
    "≠": r"$\neq$",
    "−": r"$-$",
    "–": r"--",
    "·": r"$\cdot$",
    "×": r"$\times$",
    "λ": r"$\lambda$",
    "′": "'",
    "\n": " ",
}


def latex(text) -> str:
    """Escape text for LaTeX."""
    return "".join(_LATEX.get(character, character) for character in str(text))


def markdown(text) -> str:
    """Escape text for a cell of a Markdown table; entities keep raw HTML out."""
    text = re.sub(r"([\\`*_\[\]|])", r"\\\1", " ".join(str(text).split()))
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def spreadsheet(text) -> str:
    """Defuse text that a spreadsheet would run as a formula; numbers stay as they are."""
    text = str(text)
    if text[:1] in {"=", "+", "-", "@", "\t", "\r"} and math.isnan(as_float(text)):
        return "'" + text
    return text


def json_in_script(content) -> str:
    """Return JSON that cannot end the script element that contains it."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
