"""Pictures inside a page: the dots of a table's cells, and Matplotlib figures, also as files."""

import re
import warnings
from io import BytesIO, StringIO
from itertools import count
from typing import Any
from xml.sax.saxutils import escape

from markupsafe import Markup
from matplotlib.figure import Figure

from ..document import Axis, Estimates, NumberCell
from ..formats import one_line


def dot(cell: NumberCell, axis: Axis, shares: bool) -> Markup:
    """A number on its axis; nothing without a value.

    Places are percents of the width, so that the dot stays round and type keeps its size.
    """
    if cell.value is None:
        return Markup("")
    mark = Markup('<line class="tick" x1="{0}%" x2="{0}%" y1="0" y2="100%"/>')
    drawn = [mark.format(percent_on_axis(one, axis)) for one in axis.ticks]
    said = (
        f"{cell.text} on an axis from {tick(axis.lowest, shares)} to {tick(axis.highest, shares)}"
    )
    if cell.low is not None and cell.high is not None:
        low, high = (percent_on_axis(one, axis) for one in (cell.low, cell.high))
        ends = '<line class="ends" x1="{}%" x2="{}%" y1="50%" y2="50%"/>'
        drawn.append(Markup(ends).format(low, high))
    drawn.append(
        Markup('<circle cx="{}%" cy="50%" r="4"/>').format(percent_on_axis(cell.value, axis))
    )
    return Markup('<svg class="dot" role="img" aria-label="{}">{}</svg>').format(
        one_line(said), Markup("").join(drawn)
    )


def tick(value: float, shares: bool) -> str:
    """A number of the axis."""
    return f"{100 * value:.3g}%" if shares else f"{value:.3g}"


def column(estimates: Estimates, k: int) -> tuple[Axis, bool, bool]:
    """The axis of a column, whether it is of shares (texts have percents), and has a number."""
    cells = [row.cells[k] for row in estimates.rows]
    drawn = any(cell.value is not None for cell in cells)
    return estimates.axes[k], any("%" in cell.text for cell in cells), drawn


def percent_on_axis(value: float, axis: Axis) -> float:
    """Percents from the left; what is beyond an end is drawn at it."""
    share = (value - axis.lowest) / ((axis.highest - axis.lowest) or 1.0)
    return round(100 * min(max(share, 0.0), 1.0), 2)


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
