"""Matplotlib figures as SVG inside a page."""

import re
import warnings
from collections.abc import Mapping
from io import StringIO
from itertools import count
from typing import Any
from xml.sax.saxutils import escape

from markupsafe import Markup
from matplotlib.figure import Figure

from ...printable import one_line

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
    "axes.titlesize": 10,
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
}

_numbers = count(1)


def svg_file(figure: Figure, label: str, whole: Mapping[str, str]) -> str:
    """A figure as a file, in dark ink on white; arguments as of `inline_svg`."""
    svg = _saved(figure, whole, _FILE, PAPER)
    title = f"<title>{escape(one_line(label))}</title>"
    return re.sub(
        r"<svg([^>]*)>",
        lambda opening: f'<svg font-family="sans-serif"{opening[1]}>{title}',
        svg,
        count=1,
    )


def inline_svg(figure: Figure, label: str, whole: Mapping[str, str]) -> Markup:
    """A figure, drawn in `STYLE`, as an SVG element.

    The label is for readers who cannot see it; pointing at a cut name shows the whole name.
    """
    svg = _saved(figure, whole, _PAGE, "none")
    svg = svg[svg.index("<svg") :]
    # Its style would hold for the whole page, which has the same rule of its own.
    svg = re.sub(r"<(metadata|style)\b.*?</\1>\s*", "", svg, flags=re.DOTALL)
    # Ids are unique within a figure; a page holds many figures.
    figure_number = next(_numbers)
    used = dict.fromkeys(re.findall(r"#([\w.-]+)", svg))
    short = {one: f"f{figure_number}-{k}" for k, one in enumerate(used)}
    svg = re.sub(
        r' id="([^"]*)"', lambda one: f' id="{short[one[1]]}"' if one[1] in short else "", svg
    )
    svg = re.sub(r'(url\(#|href="#)([\w.-]+)', lambda one: one[1] + short[one[2]], svg)
    # Groups of one thing say nothing without a name.
    svg = re.sub(r"<g>(<(text|path|use)\b[^>]*(?:/>|>[^<]*</\2>))</g>|<g/>", r"\1", svg)
    width = re.search(r'viewBox="0 0 ([\d.]+)', svg)
    limit = f"max-width:{float(width[1]) * 4 / 3:.0f}px" if width else ""
    opening = f'<svg role="img" aria-label="{Markup.escape(one_line(label))}" style="{limit}"'
    svg = re.sub(
        r'<svg[^>]*?(viewBox="[^"]*")[^>]*>',
        lambda found: (
            f"{opening} {found[1]} "
            'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
        ),
        svg,
        count=1,
    )
    return Markup(svg)


def _saved(
    figure: Figure, whole: Mapping[str, str], theme: Mapping[str, str], background: str
) -> str:
    out = StringIO()
    with warnings.catch_warnings():
        # The reader's fonts show the text, not those of this machine.
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        figure.savefig(
            out,
            format="svg",
            bbox_inches="tight",
            pad_inches=0.04,
            metadata={"Date": None},
            facecolor=background,
        )
    svg = re.sub(r"<[^>]+>", _short, re.sub(r">\s+<", "><", out.getvalue()))
    for drawn, themed in theme.items():
        svg = svg.replace(drawn, themed)
    for cut, name in whole.items():
        text = f"{escape(cut)}</text>"
        svg = svg.replace(f">{text}", f"><title>{escape(name)}</title>{text}")
    return svg


def _short(tag: re.Match[str]) -> str:
    """A tag without invisible parts: fonts, rotations by zero, excess digits."""
    found = re.sub(r" font-family: [^;\"]*;?", "", tag[0])
    found = re.sub(r" transform=\"rotate\(-?0 [^)]*\)\"", "", found)
    found = re.sub(r"\d+\.\d{2,}", lambda number: f"{round(float(number[0]), 1):g}", found)
    return " ".join(found.split())
