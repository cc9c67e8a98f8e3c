"""Matplotlib figures inside a page, and as files."""

import re
import warnings
from io import BytesIO, StringIO
from itertools import count
from typing import Any
from xml.sax.saxutils import escape

from markupsafe import Markup
from matplotlib.figure import Figure

from ..printable import one_line

_INK, _FAINT, _PAPER = "#1c1f23", "#d5d9de", "#fefefe"
"""Colours of text, of grids and reference lines, and of the background; nothing else has them.

A page has its own in their place, so that its figures follow light and dark.
"""

_PNG_DPI = 200

_numbers = count(1)


STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "inspect-reliability",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "axes.edgecolor": _FAINT,
    "axes.facecolor": "none",
    "figure.facecolor": _PAPER,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": _FAINT,
    "grid.linewidth": 0.5,
    "axes.axisbelow": True,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "legend.columnspacing": 0.8,
    "legend.handletextpad": 0.2,
}
"""Settings of matplotlib."""


def svg_file(picture: Figure, label: str) -> str:
    """A figure as an SVG file; the label is for readers who cannot see it."""
    title = f"<title>{escape(one_line(label))}</title>"
    return re.sub(
        "<svg([^>]*)>",
        lambda found: f'<svg font-family="sans-serif"{found[1]}>{title}',
        _svg(picture, _PAPER),
        count=1,
    )


def png_file(picture: Figure, label: str) -> bytes:
    """The same as a PNG file."""
    out = BytesIO()
    _save(picture, out, format="png", dpi=_PNG_DPI, metadata={"Description": one_line(label)})
    return out.getvalue()


def inline_svg(picture: Figure, label: str) -> Markup:
    """A figure as an SVG element of a page."""
    svg = _svg(picture, "none")
    for drawn, name in ((_INK, "ink"), (_FAINT, "faint"), (_PAPER, "paper")):
        svg = svg.replace(drawn, f"var(--{name})")
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


def _svg(picture: Figure, background: str) -> str:
    out = StringIO()
    _save(picture, out, format="svg", metadata={"Date": None}, facecolor=background)
    return re.sub(r"<[^>]+>", _short, re.sub(r">\s+<", "><", out.getvalue()))


def _save(picture: Figure, out: Any, **how: Any) -> None:
    with warnings.catch_warnings():
        # In an SVG the reader's fonts show the text, not those of this machine.
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        picture.savefig(out, bbox_inches="tight", pad_inches=0.04, **how)


def _short(tag: re.Match[str]) -> str:
    """A tag without excess digits, and in the reader's font."""
    found = re.sub(r" font-family: [^;\"]*;?", "", tag[0])
    return re.sub(r"(\d\.\d)\d+", r"\1", found)
