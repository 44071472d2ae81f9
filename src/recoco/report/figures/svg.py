"""Figures as reproducible files, and as elements of a page that follow its theme.

Figures are drawn in three stand-in colours for ink, faint ink and paper. A file gets fixed
colours on white, the page gets the colours of its theme.
"""

import io
import re

INK, FAINT, PAPER = "#010203", "#767677", "#fdfefe"
_ON_PAGE = {INK: "currentColor", FAINT: "var(--faint)", PAPER: "var(--paper)"}
_IN_FILE = {INK: "#1b1b1b", FAINT: "#767676", PAPER: "#ffffff"}
_FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def style(name: str) -> dict:
    """Return matplotlib settings for a figure of that name."""
    return {
        "svg.hashsalt": f"recoco-{name}",
        "svg.fonttype": "none",
        "pdf.fonttype": 42,
        "font.family": "DejaVu Sans",
        "font.size": 9,
        "axes.edgecolor": FAINT,
        "axes.labelcolor": INK,
        "axes.titlecolor": INK,
        "axes.titlesize": 10,
        "axes.titleweight": "bold",
        "axes.linewidth": 0.6,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "text.color": INK,
        "xtick.color": FAINT,
        "ytick.color": FAINT,
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "figure.facecolor": "none",
        "axes.facecolor": "none",
        "savefig.facecolor": "none",
        "legend.frameon": False,
    }


def draw_svg(figure) -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": "recoco"})
    return buffer.getvalue().decode("utf-8")


def draw_pdf(figure) -> bytes:
    """Return the figure as PDF, on white, in the colours of a file."""
    _recolour(figure)
    buffer = io.BytesIO()
    figure.savefig(
        buffer, format="pdf", metadata={"CreationDate": None, "Creator": "recoco", "Producer": None}
    )
    return buffer.getvalue()


def _recolour(figure) -> None:
    """Replace the stand-in colours inside a figure: those of a PDF cannot be replaced later."""
    from matplotlib.collections import Collection
    from matplotlib.colors import to_hex, to_rgba

    fixed = {to_hex(stand_in): colour for stand_in, colour in _IN_FILE.items()}

    def swap(rgba):
        return to_rgba(fixed.get(to_hex(rgba), to_hex(rgba)), rgba[3]) if len(rgba) else rgba

    for artist in figure.findobj():
        if isinstance(artist, Collection):
            artist.set_facecolor([swap(c) for c in artist.get_facecolor()])
            artist.set_edgecolor([swap(c) for c in artist.get_edgecolor()])
            continue
        for part in ("color", "facecolor", "edgecolor", "markerfacecolor", "markeredgecolor"):
            read, write = (getattr(artist, f"{verb}_{part}", None) for verb in ("get", "set"))
            if read is None or write is None:
                continue
            value = read()
            if isinstance(value, str) and value in {"none", "auto"}:
                continue
            write(swap(to_rgba(value)))


def for_file(text: str) -> str:
    """Return an SVG file: fixed colours on a white ground."""
    for stand_in, colour in _IN_FILE.items():
        text = text.replace(stand_in, colour)
    ground = '<rect width="100%" height="100%" fill="#ffffff"/>'
    return re.sub(r"(<svg[^>]*>)", rf"\1{ground}", text, count=1)


def for_page(text: str, name: str, title: str) -> str:
    """Return an SVG element for a page: in its theme, and with unique ids."""
    from markupsafe import escape

    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->\s*", "", text, flags=re.DOTALL)
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', text))
    text = re.sub(r' id="([^"]+)"', lambda m: f' id="{name}-{m[1]}"' if m[1] in used else "", text)
    text = re.sub(r'(href="#|url\(#)', rf"\g<1>{name}-", text)
    for stand_in, colour in _ON_PAGE.items():
        text = text.replace(stand_in, colour)
    text = text.replace("'DejaVu Sans', sans-serif", _FONTS).replace("'DejaVu Sans'", _FONTS)
    text = re.sub(r"\n\s*", "\n", text)
    return re.sub(
        r"<svg[^>]*?viewBox=\"([^\"]+)\"[^>]*>",
        rf'<svg viewBox="\1" role="img" aria-label="{escape(title)}">',
        text,
        count=1,
    )
