"""Figures drawn with matplotlib."""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.ticker import NullFormatter, PercentFormatter

from ....judgments.count import NUMBER
from ....verdicts import INVALID, NON_RESPONSE
from ...document import Figure
from ...printable import one_line
from ...values import Record, text
from .svg import INK, PAPER, STYLE

# Okabe & Ito's colours, told apart with any kind of colour vision; shapes tell them apart too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C8C00")
_PALETTE = (*COLOURS, *map(mpl.colors.to_hex, mpl.colormaps["tab20b"](range(20))))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_SILENT = {NON_RESPONSE: ("none", "#9a9a9a"), INVALID: ("inv.", "#5f5f5f")}
_PARTS = ("#b9c4d0", "#f0b27a", "#a8322a")
"""From right to wrong, in colours that no judge has."""

_IN_LEGEND, _IN_KEY, _AT_TICK = 34, 22, 18
"""Most characters of a name, by place."""

_IN_A_ROW = 38
"""Characters that fit below a figure."""

_TICKS = (1, 3, 5, 9, 15, 25, 49, 99, 199, 499)


_SYMBOLS = dict(zip(MARKERS, "●■▲◆▼✚✖", strict=True))
"""The markers as characters."""


def draw(
    figure: Figure, to_svg: Callable[[Picture, str, dict[str, str]], str], legend: bool = True
) -> str:
    """A figure as `inline_svg` or `svg_file` writes it; figures of a page share one `key`."""
    with mpl.rc_context(STYLE):
        picture = _FORMS.get(figure.kind, _points)(figure)
        for axes in picture.axes:
            if not legend and (drawn := axes.get_legend()):
                drawn.remove()
        return to_svg(picture, figure.words, _cut_names(figure))


def key(figures: Sequence[Figure]) -> list[tuple[str, list[tuple[str, str, str]]]]:
    """The legend of several figures: symbol, colour and name of each series, once."""
    found: dict[str, dict[str, tuple[str, str, str]]] = {}
    for figure in figures:
        if figure.by in ("", figure.x):  # one series, or names below it
            continue
        for name in _by(figure.records, figure.by):
            colour, marker = _look(figure, name)
            symbol = "■" if figure.kind in ("bars", "effects") else _SYMBOLS[marker]
            found.setdefault(figure.by, {})[name] = symbol, colour, one_line(name)
    order = {name: k for figure in figures for k, name in enumerate(figure.names)}
    return [
        (
            "" if by in _OWN_NAMES else f"{by}: ",
            sorted(looks.values(), key=lambda one: order.get(one[2], 0)),
        )
        for by, looks in found.items()
        if len(looks) > 1
    ]


_OWN_NAMES = ("judge", "of", "part", "verdict")
"""Series whose names say what they are."""


def _look(figure: Figure, name: str) -> tuple[str, str]:
    """Colour and marker of a series: each name keeps one on the whole page, numbers shade.

    Non-responses and invalid outputs are grey.
    """
    if name in _SILENT:
        return _SILENT[name][1], MARKERS[0]
    names = list(dict.fromkeys([*figure.names, *_by(figure.records, figure.by)]))
    choices = [one for one in names if one not in _SILENT]
    k = choices.index(name)
    if figure.by == "part":
        colour = _PARTS[k]
    elif figure.kind == "bars" and len(choices) > 2 and all(map(NUMBER.fullmatch, choices)):
        colour = mpl.colors.to_hex(mpl.colormaps["viridis"](k / (len(choices) - 1)))
    else:
        colour = _PALETTE[k % len(_PALETTE)]
    return colour, MARKERS[k % len(MARKERS)]


def _points(figure: Figure) -> Picture:
    series = _by(figure.records, figure.by)
    # Numbers of votes are far apart; temperatures are names of places.
    places = None if figure.x == "votes" else _places(figure)
    picture = Picture(figsize=(max(3.6, 0.3 * len(places or ())), 2.6))
    axes = picture.subplots()
    for k, (name, own) in enumerate(series.items()):
        own = [record for record in own if record[figure.y] is not None]
        x: list[Any] = [record.get(figure.x) for record in own]
        if places is not None:
            own.sort(key=lambda record: places[_name(record, figure.x)])
            # Beside each other over a name, so that none hides another.
            shift = (k - (len(series) - 1) / 2) * min(0.14, 0.6 / len(series))
            x = [places[_name(record, figure.x)] + shift for record in own]
        y = [record[figure.y] for record in own]
        colour, marker = _look(figure, name)
        ends = np.array([_ends(record, figure.y) for record in own]).reshape(-1, 2)
        axes.vlines(x, *ends.T, color=colour, linewidth=1.5, alpha=0.75)
        axes.plot(
            x,
            y,
            linestyle="-" if figure.kind == "lines" else "none",
            label=_label(name, _IN_LEGEND),
            color=colour,
            marker=marker,
            markersize=4.5,
            linewidth=1.1,
            clip_on=figure.kind == "lines",
        )
    axes.axhline(figure.reference, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    if places is None:
        axes.set_xscale("log")
        axes.xaxis.set_minor_formatter(NullFormatter())
        ticks = sorted({record[figure.x] for record in figure.records} & set(_TICKS))
        axes.set_xticks(ticks, map(str, ticks))
        axes.minorticks_off()
    else:
        slanted = len(places) * min(max(map(len, places)), _AT_TICK) > _IN_A_ROW
        turned: dict[str, Any] = {"rotation": 25, "ha": "right"} if slanted else {}
        axes.set_xticks([*places.values()], [_cut(name, _AT_TICK) for name in places], **turned)
        axes.set_xlim(min(places.values()) - 0.5, max(places.values()) + 0.5)
        axes.grid(axis="x", visible=False)
    if figure.y == "share":
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.set_ylim(figure.lowest, 1 if figure.kind == "points" else 1.04)
    axes.set_xlabel("" if figure.x == "option" else one_line(figure.x))
    axes.set_ylabel(figure.y_label)
    judges = figure.by == "judge"
    axes.legend(
        title=None if judges else one_line(figure.by) or None,
        ncols=1 if judges else 5,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.02),
        borderaxespad=0.0,
        handletextpad=0.2,
        columnspacing=0.8,
    )
    return picture


def _plane(figure: Figure) -> Picture:
    picture = Picture(figsize=(3.6, 3.2))
    axes = picture.subplots()
    shares = np.linspace(0, 1, 101)
    axes.plot(shares, np.sqrt(shares), color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    for record in figure.records:
        x, y = record[figure.x], record[figure.y]
        colour, marker = _look(figure, _name(record, figure.by))
        axes.hlines(y, *_ends(record, figure.x), color=colour, linewidth=1.5, alpha=0.75)
        axes.vlines(x, *_ends(record, figure.y), color=colour, linewidth=1.5, alpha=0.75)
        label = _label(_name(record, figure.by), _IN_LEGEND)
        axes.plot(x, y, marker, color=colour, markersize=4.5, label=label)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel=figure.x_label, ylabel=figure.y_label)
    axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.02), borderaxespad=0.0, handletextpad=0.2)
    return picture


_BOX = (Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO)


def _bars(figure: Figure) -> Picture:
    names = list(dict.fromkeys(record[figure.x] for record in figure.records))
    segments = _by(figure.records, figure.by)
    width, height = (4.6, 0.2) if figure.x == "question" else (3.0, 0.4)
    picture = Picture(figsize=(width, height * len(names)))
    axes = picture.subplots()
    left = np.zeros(len(names))
    for name, own in segments.items():
        widths = np.array([record[figure.y] for record in own])
        short, colour = _SILENT.get(name, (name,))[0], _look(figure, name)[0]
        # One path for all segments of a verdict: each on its own is four times as long.
        parts = [
            Path([(x, k - 0.41), (x + w, k - 0.41), (x + w, k + 0.41), (x, k + 0.41)], _BOX)
            for k, (x, w) in enumerate(zip(left, widths, strict=True))
            if w > 0
        ]
        shape = Path.make_compound_path(*parts)
        axes.add_patch(
            PathPatch(shape, fc=colour, ec=PAPER, linewidth=0.6, label=_label(name, _IN_KEY))
        )
        _name_segments(axes, left, widths, short, colour)
        left = left + widths
    if figure.x == "question":
        names = [*map(_bare, names)]
    shown = [_cut(name, _IN_LEGEND) for name in names]
    axes.set_yticks(range(len(names)), shown, fontsize=8 if figure.x == "question" else 9)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(PercentFormatter(1))
    axes.grid(visible=False)
    axes.spines[["left", "bottom"]].set_visible(False)
    above = (-0.5, 1.0, 1.5, 0.1)
    axes.legend(
        loc="lower left", bbox_to_anchor=above, ncols=4, handlelength=0.9, columnspacing=1.0
    )
    return picture


def _effects(figure: Figure) -> Picture:
    series = _by(figure.records, figure.by)
    names = list(dict.fromkeys(record[figure.x] for record in figure.records))
    lanes = 1 if figure.by == figure.x else len(series)
    height = 0.8 / lanes
    picture = Picture(figsize=(4.6, 0.5 + 0.2 * len(names) * max(lanes, 1.5)))
    axes = picture.subplots()
    for k, (name, own) in enumerate(series.items()):
        own = [record for record in own if record[figure.y] is not None]
        at = [names.index(record[figure.x]) + (k % lanes + 0.5) * height - 0.4 for record in own]
        widths = [record[figure.y] for record in own]
        colour, label = _look(figure, name)[0], _label(name, _IN_LEGEND)
        axes.barh(at, widths, height=0.9 * height, color=colour, alpha=0.75, label=label)
        axes.hlines(at, *np.array([_ends(record, figure.y) for record in own]).T, color=INK)
    axes.axvline(figure.reference, color=INK, linewidth=0.8)
    axes.set_yticks(range(len(names)), [_cut(name, _IN_LEGEND) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlabel(figure.y_label)
    axes.grid(axis="y", visible=False)
    if figure.by and lanes > 1:
        axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=1)
    return picture


_FORMS = {"bars": _bars, "effects": _effects, "plane": _plane}


def _name_segments(axes: Axes, left: Any, widths: Any, name: str, colour: str) -> None:
    """Write a category's initial if there is room, because colour alone is not enough."""
    short = one_line(name) if len(name) <= 4 else one_line(name)[:1]
    dark = sum(int(colour[i : i + 2], 16) * w for i, w in ((1, 0.3), (3, 0.59), (5, 0.11))) < 140
    ink = "white" if dark else "black"
    for row, width in enumerate(widths):
        if width >= 0.035 * (len(short) + 0.6):
            middle = left[row] + width / 2
            axes.text(
                middle, row, short, ha="center", va="center_baseline", fontsize=6.5, color=ink
            )


def _places(figure: Figure) -> dict[str, float]:
    """Places along the axis: true distances for numbers, in order for names."""
    values = {_name(record, figure.x): record.get(figure.x) for record in figure.records}
    numbers = {name: value for name, value in values.items() if isinstance(value, int | float)}
    ordered = sorted(numbers, key=numbers.__getitem__)
    if len(ordered) < 2:
        return {name: float(k) for k, name in enumerate(values)}
    unit = min(numbers[b] - numbers[a] for a, b in pairwise(ordered))
    places = {name: (numbers[name] - numbers[ordered[0]]) / unit for name in ordered}
    end = places[ordered[-1]]
    return places | {name: end + k + 1 for k, name in enumerate(set(values) - set(numbers))}


def _by(records: Any, key: str) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(_name(record, key), []).append(record)
    return found


def _name(record: Record, key: str) -> str:
    return text(record.get(key), missing="not known" if key in record else "all judgments")


def _ends(record: Record, key: str) -> tuple[float, float]:
    low, high = record.get(f"{key}_interval") or (record[key], record[key])
    return low, high


def _bare(name: str) -> str:
    """A question's name without its benchmark."""
    return re.sub(r"^[\w-]+:(?=.)", "", name)


def _cut(name: str, longest: int) -> str:
    """The beginning and end of a long name, since names often differ only at the end."""
    line = one_line(name)
    end = longest // 3
    return line if len(line) <= longest else f"{line[: longest - end - 1]}…{line[-end:]}"


def _label(name: str, longest: int) -> str:
    """A name in a legend; matplotlib leaves out those that are empty or begin with "_"."""
    shown = _cut(name, longest)
    return shown if shown and shown[0] != "_" else f" {shown}"


def _cut_names(figure: Figure) -> dict[str, str]:
    """Text cut in a drawing -> the whole name, or several that look alike."""
    keys = (figure.by, figure.x)
    names = dict.fromkeys(_name(record, key) for record in figure.records for key in keys)
    found: dict[str, list[str]] = {}
    for name in names:
        for longest in (_IN_LEGEND, _IN_KEY, _AT_TICK):
            for shown in dict.fromkeys((_cut(name, longest), _cut(_bare(name), longest))):
                if "…" in shown:
                    found.setdefault(shown, []).append(one_line(name))
    return {shown: " or ".join(dict.fromkeys(wholes)) for shown, wholes in found.items()}
