"""Every printed cell as a square in one self-contained picture, for a page or a README."""

from markupsafe import escape

from recoco.compare.verdicts import VERDICTS
from recoco.report import cells, formats
from recoco.report.inputs import Material
from recoco.report.overlay import LABEL, Tally, tally

# Fills are those of the site, inks those of it in light.
_FILLS = {key: verdict.fill for key, verdict in VERDICTS.items()}
_INK, _FAINT, _LINE = "#1b1c1e", "#63666b", "#8b8b88"
_OUTLINED = {"unreachable", "not-run", "absent", "unprinted"}
_WIDTH, _MARGIN = 880, 16
_SQUARE, _GAP, _GROUP = 9, 1.5, 4
_MOST = 36  # squares in a row
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
_PLAIN, _STRIPE = "#ececea", "#b9b9b5"


def verdict_picture(material: Material) -> str:
    """Return the map of all printed cells as an SVG file: by paper, item and dataset."""
    counts = tally(material.cells)
    parts, y = _legend(counts)
    for paper in cells.verdict_map(material):
        y += 24
        parts.append(_text(_MARGIN, y, paper["key"], size=13, weight=700))
        parts.append(_text(_MARGIN + 9 * len(paper["key"]) + 12, y, paper["title"], ink=_FAINT))
        y += 9
        x, tallest = _MARGIN, 0.0
        for item in paper["entries"]:
            drawn, width, height = _item(item)
            if x > _MARGIN and x + width > _WIDTH - _MARGIN:
                x, y, tallest = _MARGIN, y + tallest + 8, 0.0
            parts.append(f'<g transform="translate({x:g} {y:g})">{drawn}</g>')
            x += width + 20
            tallest = max(tallest, height)
        y += tallest + 6
    height = y + _MARGIN
    title = f"{len(material.cells)} printed cells and how each came out"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:g}" '
        f'width="{_WIDTH}" height="{height:g}" role="img" font-family="{_FONT}">'
        f"<title>{title}</title><defs>{''.join(_patterns(counts))}</defs>"
        f'<rect width="100%" height="100%" rx="8" fill="#ffffff"/>{"".join(parts)}</svg>\n'
    )


def _patterns(counts: Tally) -> list[str]:
    """Return the hatches: of what is unreachable, or of each verdict from the reference run."""
    known = [verdict for verdict, n in counts.known.items() if n]
    return [
        _pattern("hatch", _PLAIN, _PLAIN if known else _STRIPE),  # a hatch has one meaning only
        *(_pattern(f"known-{key}", _FILLS[key], "#ffffff") for key in known),
    ]


def _pattern(name: str, ground: str, stripe: str) -> str:
    return (
        f'<pattern id="{name}" width="4" height="4" patternUnits="userSpaceOnUse" '
        f'patternTransform="rotate(45)"><rect width="4" height="4" fill="{ground}"/>'
        f'<rect width="1.6" height="4" fill="{stripe}"/></pattern>'
    )


def _legend(counts: Tally) -> tuple[list[str], float]:
    """Return the verdicts with their counts, here and in addition from the reference run."""
    entries = []
    for key, verdict in VERDICTS.items():
        more = f" + {counts.known[key]}" if counts.known[key] else ""
        if counts.left[key] or more:
            entries.append((key, False, f"{verdict.label} {counts.left[key]}{more}"))
    if known := [key for key, n in counts.known.items() if n]:
        entries.append((known[0], True, f"hatched, after the +: {LABEL}"))
    parts, x, y = [], float(_MARGIN), 26.0
    for key, hatched, label in entries:
        width = 20 + 6.6 * len(label) + 14
        if x + width > _WIDTH - _MARGIN:
            x, y = float(_MARGIN), y + 20
        parts.append(_square(x, y - 9.5, key, 11, known=hatched))
        parts.append(_text(x + 17, y, label, size=12))
        x += width
    return parts, y


def _item(item: dict) -> tuple[str, float, float]:
    """Return the squares of an item, a row for each dataset, with their width and height."""
    name = item["title"].partition(",")[0]
    parts, widest, y = [_text(0, 12, name, ink=_FAINT, size=10.5)], 5.8 * len(name), 17.0
    for row in item["rows"]:
        x, placed = 0.0, 0
        for group in row["groups"]:
            for square in group["squares"]:
                if placed == _MOST:
                    widest = max(widest, x)
                    x, y, placed = 0.0, y + _SQUARE + _GAP, 0
                known = square["own"] is not None
                parts.append(_square(x, y, square["verdict"], _SQUARE, square["says"], known))
                x += _SQUARE + _GAP
                placed += 1
            widest = max(widest, x)
            x += _GROUP
        y += _SQUARE + _GAP
    return "".join(parts), widest, y


def _square(
    x: float, y: float, verdict: str, size: float, says: str = "", known: bool = False
) -> str:
    fill = f"url(#known-{verdict})" if known else _FILLS[verdict]
    edge = _FILLS[verdict] if known else _LINE
    line = f' stroke="{edge}" stroke-width="0.6"' if known or verdict in _OUTLINED else ""
    title = f"<title>{escape(says)}</title></rect>" if says else ""
    return (
        f'<rect x="{formats.number(x, 1)}" y="{formats.number(y, 1)}" width="{size}" '
        f'height="{size}" rx="1.5" fill="{fill}"{line}'
        f"{'>' + title if title else '/>'}"
    )


def _text(
    x: float, y: float, text: str, ink: str = _INK, size: float = 12, weight: int = 400
) -> str:
    heavy = f' font-weight="{weight}"' if weight != 400 else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{ink}"{heavy}>{escape(text)}</text>'
    )
