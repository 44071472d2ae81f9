"""The same table as Markdown, LaTeX (booktabs) and CSV."""

import csv
import io

from recoco.compare.verdicts import VERDICTS
from recoco.report.formats import latex, markdown, spreadsheet
from recoco.report.overlay import LABEL, SIGN
from recoco.report.tables import Column, Entry, Table

# The most lines and columns that fit on a page.
_LONG, _WIDE = 60, 8


def _legend(table: Table) -> str:
    used = {entry.mark.removesuffix(SIGN) for row in table.rows for entry in row if entry.mark}
    words = [f"{v.letter} {v.label}" for v in VERDICTS.values() if v.letter in used]
    words += [
        f"{mark} {word}" for mark, word in (("=", "agrees"), ("≠", "differs")) if mark in used
    ]
    text = ", ".join(words)
    return f"{text}; {SIGN} {LABEL}" if table.overlaid else text


def _spread_out(row: list[Entry]) -> list[Entry]:
    """Replace an entry that spans columns by one entry per column, with the text in the first."""
    return [part for e in row for part in (e, *[Entry()] * (e.span - 1))]


def to_markdown(table: Table) -> str:
    """Return the table as GitHub Markdown."""
    heads = [markdown(" · ".join(column.path)) for column in table.columns]
    lines = [f"# {markdown(table.title)}", ""]
    if table.caption:
        lines += [markdown(table.caption), ""]
    lines.append("| " + " | ".join(heads) + " |")
    lines.append("|" + "|".join("---:" if c.numeric else ":---" for c in table.columns) + "|")
    for row in [*table.rows, *table.nulls]:
        texts = [markdown(f"{e.text} {e.mark}".strip()) for e in _spread_out(row)]
        lines.append("| " + " | ".join(texts) + " |")
    for note in [_legend(table), *table.notes]:
        if note:
            lines += ["", markdown(note)]
    return "\n".join(lines) + "\n"


def to_latex(table: Table) -> str:
    """Return a table environment that needs the package booktabs."""
    align = "".join(_latex_align(column) for column in table.columns)
    label = table.name.replace("_", ":", 1)
    caption = " ".join(text for text in (table.title + ".", table.caption) if text)
    if legend := _legend(table):
        caption += f" Signs: {legend}."
    named = f"\\caption{{{latex(caption)}}}", f"\\label{{tab:{latex(label)}}}"
    body = ["\\toprule"]
    for heading in table.header():
        body.append(" & ".join(_latex_heading(*part[:2]) for part in heading) + r" \\")
        body += _latex_rules(heading)
    body.append("\\midrule")
    body += [_latex_row(row) for row in table.rows]
    if table.nulls:
        body += ["\\midrule", *(_latex_row(row) for row in table.nulls)]
    body.append("\\bottomrule")
    return "\n".join(_latex_frame(table, named, align, body)) + "\n"


def _latex_frame(table: Table, named: tuple[str, str], align: str, body: list[str]) -> list[str]:
    lines = len(table.rows) * (3 if any(column.wrap for column in table.columns) else 1)
    wide = len(table.columns) > _WIDE
    if lines > _LONG and not wide:
        return [
            "% needs \\usepackage{booktabs} and \\usepackage{longtable}",
            f"{{\\scriptsize\\begin{{longtable}}{{{align}}}",
            f"{named[0]}{named[1]}\\tabularnewline",
            *body,
            "\\end{longtable}}",
        ]
    # A wide table is shrunk to the page.
    return [
        "% needs \\usepackage{booktabs}" + (" and \\usepackage{graphicx}" if wide else ""),
        "\\begin{table}",
        "\\centering\\scriptsize",
        *named,
        *(["\\resizebox{\\textwidth}{!}{%"] if wide else []),
        f"\\begin{{tabular}}{{{align}}}",
        *body,
        "\\end{tabular}" + ("}" if wide else ""),
        "\\end{table}",
    ]


def _latex_align(column: Column) -> str:
    if column.wrap:
        return "p{0.4\\textwidth}"
    return "r" if column.numeric else "l"


def _latex_heading(text: str, width: int) -> str:
    return f"\\multicolumn{{{width}}}{{c}}{{{latex(text)}}}" if width > 1 else latex(text)


def _latex_rules(heading) -> list[str]:
    rules, position = [], 1
    for text, width, _ in heading:
        if width > 1 and text:
            rules.append(f"\\cmidrule(lr){{{position}-{position + width - 1}}}")
        position += width
    return ["".join(rules)] if rules else []


def _latex_row(row: list[Entry]) -> str:
    parts = []
    for entry in row:
        text = latex(entry.text)
        if entry.mark:
            text += f"\\textsuperscript{{{latex(entry.mark)}}}"
        if entry.span > 1:
            text = f"\\multicolumn{{{entry.span}}}{{c}}{{{text}}}"
        parts.append(text)
    return " & ".join(parts) + r" \\"


def _verdict(entry: Entry) -> str:
    return f"{entry.verdict} ({LABEL})" if entry.own else entry.verdict


def to_csv(table: Table) -> str:
    """Return the table as CSV, with separate columns for spreads and verdicts."""
    heads, kept = [], []
    rows = [_spread_out(row) for row in [*table.rows, *table.nulls]]
    for position, column in enumerate(table.columns):
        name = " ".join(column.path)
        entries = [row[position] for row in rows]
        parts = [("", lambda e: e.text)]
        if column.numeric and any(" ± " in e.text for e in entries):
            parts = [
                ("", lambda e: e.text.partition(" ± ")[0]),
                (" sd", lambda e: e.text.partition(" ± ")[2]),
            ]
        if any(e.verdict for e in entries):
            parts.append((" verdict", _verdict))
        for suffix, read in parts:
            heads.append(name + suffix)
            kept.append([read(entry) for entry in entries])
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([spreadsheet(head) for head in heads])
    writer.writerows([spreadsheet(text) for text in row] for row in zip(*kept, strict=True))
    return buffer.getvalue()
