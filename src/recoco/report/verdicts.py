"""How verdicts are counted and coloured."""

from recoco.compare.verdicts import VERDICTS


def count_verdicts(verdicts) -> dict[str, int]:
    """Count verdicts, in the order in which they are always shown."""
    verdicts = list(verdicts)
    return {key: verdicts.count(key) for key in VERDICTS}


def summary_line(cells) -> str:
    """Return one line with the number of cells by verdict in some ``cells.csv`` frames."""
    counts = count_verdicts(verdict for frame in cells for verdict in frame["verdict"])
    parts = [
        f"{counts[key]} {verdict.label}"
        for key, verdict in VERDICTS.items()
        if key != "absent" and (verdict.always or counts[key])
    ]
    return "cells: " + " / ".join(parts)


def style_of_verdicts() -> str:
    """Return the CSS of the verdicts on measured numbers: squares, bars and table cells."""
    rules, soft = [], ([], [])
    for key, verdict in VERDICTS.items():
        if not verdict.measured:
            continue
        rules.append(
            f".sq.v-{key}, .bar .v-{key} {{ --fill: {verdict.fill}; background: var(--fill); "
            f"color: {verdict.ink}; }}"
        )
        for shade, ground in zip(soft, verdict.soft, strict=True):
            shade.append(f":is(td, .soft).v-{key} {{ background: {ground}; }}")
    light, dark = soft
    by_choice = [f':root[data-theme="dark"] {rule}' for rule in dark]
    by_system = [f':root:not([data-theme="light"]) {rule}' for rule in dark]
    system = ["@media (prefers-color-scheme: dark) {", *by_system, "}"]
    return "\n".join([*rules, *light, *by_choice, *system, ""])
