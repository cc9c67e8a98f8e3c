"""Matplotlib figures as SVG: inside a page, or as a file."""

import re
import warnings
from collections.abc import Mapping
from io import StringIO
from itertools import count
from typing import Any
from xml.sax.saxutils import escape

from markupsafe import Markup
from matplotlib.figure import Figure

from ..printable import one_line

INK = "#010203"
"""Drawn as the page's text colour, so that a figure follows light and dark."""

FAINT = "#040506"
"""Drawn as the page's colour for grids and reference lines."""

PAPER = "#070809"
"""Drawn as the page's background."""

_PAGE = {INK: "var(--ink)", FAINT: "var(--faint)", PAPER: "var(--paper)"}
_FILE = {INK: "#1c1f23", FAINT: "#d5d9de", PAPER: "#ffffff"}

STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "inspect-reliability",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": FAINT,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.5,
    "axes.axisbelow": True,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "legend.columnspacing": 0.8,
    "legend.handletextpad": 0.2,
}

_numbers = count(1)


def svg_file(figure: Figure, label: str) -> str:
    """A figure as a file, in dark ink on white."""
    title = f"<title>{escape(one_line(label))}</title>"
    svg = _saved(figure, _FILE, PAPER)
    opening = r'<svg font-family="sans-serif"\1>'
    return re.sub(r"<svg([^>]*)>", lambda found: found.expand(opening) + title, svg, count=1)


def inline_svg(figure: Figure, label: str) -> Markup:
    """A figure as an SVG element of a page; the label is for readers who cannot see it."""
    svg = _saved(figure, _PAGE, "none")
    # Its style would hold for the whole page, which has the same rule of its own.
    svg = re.sub(r"<(metadata|style)\b.*?</\1>\s*", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    # Ids are unique within a figure; a page holds many figures.
    number = next(_numbers)
    svg = re.sub(r'( id="|url\(#|href="#)', lambda one: f"{one[1]}f{number}-", svg)
    said = f'role="img" aria-label="{Markup.escape(one_line(label))}"'
    return Markup(
        re.sub(
            r'<svg([^>]*?) width="([^"]*)" height="[^"]*"',
            lambda found: f'<svg {said} style="max-width:{found[2]}"{found[1]}',
            svg,
            count=1,
        )
    )


def _saved(figure: Figure, theme: Mapping[str, str], background: str) -> str:
    out = StringIO()
    with warnings.catch_warnings():
        # The reader's fonts show the text, not those of this machine.
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        looks: dict[str, Any] = {"bbox_inches": "tight", "pad_inches": 0.04}
        figure.savefig(out, format="svg", metadata={"Date": None}, facecolor=background, **looks)
    svg = re.sub(r"<[^>]+>", _short, re.sub(r">\s+<", "><", out.getvalue()))
    for drawn, themed in theme.items():
        svg = svg.replace(drawn, themed)
    return svg


def _short(tag: re.Match[str]) -> str:
    """A tag without excess digits, and in the reader's font."""
    found = re.sub(r" font-family: [^;\"]*;?", "", tag[0])
    return re.sub(r"(\d\.\d)\d+", r"\1", found)
