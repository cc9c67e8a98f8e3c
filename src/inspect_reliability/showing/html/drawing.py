"""Figures drawn with matplotlib: bars, points with their intervals, and shares in cells."""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypeVar

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.legend import Legend
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator, PercentFormatter
from matplotlib.transforms import ScaledTranslation

from ...judgments.count import NUMBER, by_value
from ...verdicts import INVALID, NON_RESPONSE
from ..document import Figure
from ..formats import ALL, Record, grouped_by, one_line, text
from .svg import STYLE

# Okabe & Ito's colours, told apart with any kind of colour vision; shapes tell them apart too.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C8C00")
_PALETTE = (*_COLOURS, *map(mpl.colors.to_hex, mpl.colormaps["tab20b"](range(20))))
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_SILENT = {NON_RESPONSE: ("none", "#9a9a9a"), INVALID: ("inv.", "#5f5f5f")}
_PARTS = mpl.colors.LinearSegmentedColormap.from_list(
    "parts", ["#b9c4d0", "#f4e3a1", "#f0b27a", "#d0714f", "#a8322a"]
)
"""From right to wrong, in colours that no judge has."""

_IN_LEGEND, _IN_KEY, _AT_TICK = 34, 24, 18
"""Most characters of a name, by place."""

_IN_A_ROW = 38
"""Characters that fit below a figure."""

_LETTER = 0.075
"""Inches of a letter, by which figures of a given width make room for whole labels."""
_MANY = 60
"""Records of a series above which each is small."""

_APART, _WIDEST = 0.04, 0.3
"""How far apart records of one price are drawn, each and all, as a part of it."""

_BELOW = -0.45
"""Inches from axes down to what is below their ticks and label."""

_FEW_TICKS = 9
"""Most values that each have a tick."""

_WHOLE = (1, 2, 5, 10)
"""Steps of ticks in percent: a label without decimals would round steps of 2.5."""

_TICKS = (1, 3, 5, 9, 15, 25, 49, 99, 199, 499)


Written = TypeVar("Written")


def draw(figure: Figure, save: Callable[[Picture, str], Written]) -> Written:
    """A figure as `save` writes it, from the picture and its label: `svg_file`, say."""
    with mpl.rc_context(STYLE):
        picture = _drawn(figure, None).get_figure(root=True)
        assert picture is not None
        return save(picture, figure.words)


def draw_on(figure: Figure, axes: Axes | None) -> Axes:
    """Draw a figure on axes, or on new ones of pyplot."""
    if axes is None:
        from matplotlib import pyplot

        axes = pyplot.subplots()[1]
    with mpl.rc_context(STYLE):
        drawn = _drawn(figure, axes)
        # Axes of somebody else were made in another style, and may have a title.
        drawn.spines[["top", "right"]].set_visible(False)
        if (key := drawn.get_legend()) is not None:
            _leave_room_for_a_title(figure, drawn, key)
        return drawn


def _leave_room_for_a_title(figure: Figure, axes: Axes, key: Legend) -> None:
    """Move the legend off the top: into the axes, or below them where bars fill these."""
    if figure.kind not in ("bars", "questions"):
        axes.legend(loc="best")
        return
    axes.set_xlabel("share of verdicts")
    longest = max(len(one.get_text()) for one in key.get_texts())
    picture = axes.get_figure(root=True)
    assert picture is not None
    inches = axes.get_window_extent().width / picture.dpi
    below = axes.transAxes + ScaledTranslation(0, _BELOW, picture.dpi_scale_trans)
    axes.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        bbox_transform=below,
        ncols=max(1, int(inches / _LETTER / (longest + 4))),
        handlelength=0.9,
    )


def _drawn(figure: Figure, axes: Axes | None) -> Axes:
    kinds = {"bars": _bars, "questions": _bars, "heat": _heat}
    return kinds.get(figure.kind, _points)(figure, axes)


def _new(size: tuple[float, float], whole: bool) -> Axes:
    """The axes of a new picture, which they fill as a whole or with room for their labels."""
    picture = Picture(figsize=size)
    return picture.add_axes((0, 0, 1, 1)) if whole else picture.subplots()


def _look(figure: Figure, name: str) -> tuple[str, str]:
    """Colour and marker of a series: each name keeps one on the whole page, numbers shade.

    Non-responses and invalid outputs are grey.
    """
    if name in _SILENT:
        return _SILENT[name][1], _MARKERS[0]
    names = list(dict.fromkeys([*figure.names, *_by(figure.records, figure.by)]))
    choices = [one for one in names if one not in _SILENT]
    k = choices.index(name)
    if figure.worsening:
        colour = mpl.colors.to_hex(_PARTS(k / max(1, len(choices) - 1)))
    elif (
        figure.kind in ("bars", "questions")
        and len(choices) > 2
        and all(map(NUMBER.fullmatch, choices))
    ):
        colour = mpl.colors.to_hex(mpl.colormaps["viridis"](k / (len(choices) - 1)))
    else:
        colour = _PALETTE[k % len(_PALETTE)]
    return colour, _MARKERS[k % len(_MARKERS)]


_APART = 0.03
"""Of a number, how far the intervals of two series that share it are drawn from each other."""


def _points(figure: Figure, axes: Axes | None) -> Axes:
    series = _by(figure.records, figure.by)
    places = _places(figure) if figure.axis == "names" else None
    prices = _beside(figure.records, figure.x) if figure.axis == "prices" else {}
    size = (max(3.6, 0.3 * len(places or ())), 2.6)
    if figure.width:
        size = (figure.width - 0.6, 2.9)
    axes = axes or _new(size, whole=bool(figure.width))
    # Beside each other where they share a name, so that none hides another.
    alone = len({_name(one, figure.x) for one in figure.records}) == len(figure.records)
    step = 0.0 if alone else min(0.05 if figure.width else 0.14, 0.6 / len(series))
    for k, (name, own) in enumerate(series.items()):
        x: list[Any] = [prices.get(id(record), record.get(figure.x)) for record in own]
        if places is not None:
            own.sort(key=lambda record: places[_name(record, figure.x)])
            shift = (k - (len(series) - 1) / 2) * step
            x = [places[_name(record, figure.x)] + shift for record in own]
        elif figure.axis == "numbers" and not (alone or figure.evenly) and min(x) > 0:
            apart = min(_APART, 5 * _APART / len(series))  # the axis is one of logs
            x = [float(one) * (1 + apart) ** (k - (len(series) - 1) / 2) for one in x]
        y = np.array([record[figure.y] for record in own])
        interval = f"{figure.y}_interval"
        ends = np.array([one.get(interval) or [one[figure.y]] * 2 for one in own])
        colour, marker = _look(figure, name)
        axes.errorbar(
            x,
            y,
            yerr=np.abs(ends.T - y),
            label=_label(name, int(figure.width / _LETTER) or _IN_LEGEND),
            color=colour,
            marker=marker,
            markersize=2 if len(own) > _MANY else 4.5,
            linestyle="-" if figure.kind == "lines" else "none",
            linewidth=1.1,
            elinewidth=1.5,
        )
    look: dict[str, Any] = {
        "color": mpl.rcParams["text.color"],
        "linewidth": 0.8,
        "linestyle": (0, (4, 3)),
    }
    axes.axhline(figure.reference, **look)
    _axis(figure, axes, places)
    if figure.lowest is not None:
        axes.set_ylim(figure.lowest, 1.04)
    if figure.percent:
        axes.yaxis.set_major_locator(MaxNLocator("auto", steps=_WHOLE))
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.set_xlabel(one_line(figure.x if figure.x_label is None else figure.x_label))
    axes.set_ylabel(figure.y_label)
    if figure.by != figure.x:
        key: dict[str, Any] = {
            "loc": "lower left",
            "bbox_to_anchor": (0.0, 1.02),
            "borderaxespad": 0.0,
        }
        axes.legend(ncols=_in_key(figure), **key)
    return axes


def _axis(figure: Figure, axes: Axes, places: dict[str, float] | None) -> None:
    if figure.evenly:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        return
    if figure.axis == "shares":
        axes.xaxis.set_major_locator(MaxNLocator("auto", steps=_WHOLE))
        axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        return
    if places is None:
        known = {record[figure.x] for record in figure.records}
        few = figure.axis == "prices" or len(known) <= _FEW_TICKS
        ticks = sorted(known if few else known & set(_TICKS))
        axes.set_xscale("linear" if 0 in ticks else "log")
        axes.set_xticks(ticks, [f"{one:g}" for one in ticks])
        axes.minorticks_off()
        return
    room = int(figure.width / _LETTER)
    longest = room // 2 or _AT_TICK
    slanted = len(places) * min(max(map(len, places)), longest) > (room or _IN_A_ROW)
    turned: dict[str, Any] = {"rotation": 25, "ha": "right"} if slanted else {}
    axes.set_xticks([*places.values()], [_cut(name, longest) for name in places], **turned)
    axes.set_xlim(min(places.values()) - 0.5, max(places.values()) + 0.5)
    axes.grid(axis="x", visible=False)


def _bars(figure: Figure, axes: Axes | None) -> Axes:
    of_questions = figure.kind == "questions"
    names = list(dict.fromkeys(record[figure.x] for record in figure.records))
    longest = min(max(len(one_line(name)) for name in names), int(figure.width / _LETTER))
    above = longest * _LETTER > figure.width / 3  # too long to be beside a bar
    width, height = (4.6, 0.2) if of_questions else (7.0, 0.34)
    if figure.width:
        width = figure.width - (0.1 if above else longest * _LETTER)
        height = 0.55 if above else 0.38
    axes = axes or _new((width, height * len(names)), whole=bool(figure.width))
    left = np.zeros(len(names))
    for name, own in _by(figure.records, figure.by).items():
        widths = np.array([record[figure.y] for record in own])
        colour = _look(figure, name)[0]
        label = _label(name, _IN_KEY)
        look: dict[str, Any] = {"edgecolor": mpl.rcParams["figure.facecolor"], "linewidth": 0.6}
        thick = 0.5 if above else 0.82
        drawn = axes.barh(range(len(names)), widths, thick, left, color=colour, label=label, **look)
        # Write a verdict's initial, or the share, where there is room: colour is not enough.
        short = one_line(_SILENT.get(name, (name,))[0])
        short = short if len(short) <= 4 else short[:1]
        each = [short if of_questions else f"{one:z.0%}" for one in widths]
        room = 0.035 if of_questions else 0.126 / width
        told = [
            text if one >= room * (len(text) + 0.6) else ""
            for text, one in zip(each, widths, strict=True)
        ]
        red, green, blue = mpl.colors.to_rgb(colour)
        ink = "white" if 0.3 * red + 0.59 * green + 0.11 * blue < 0.55 else "black"
        size = 6.5 if of_questions else 8
        axes.bar_label(drawn, told, label_type="center", color=ink, fontsize=size)
        left = left + widths
    # A question is named without its benchmark.
    shown = [re.sub(r"^[\w-]+:(?=.)", "", one) if of_questions else one for one in names]
    places = [_cut(one, longest if figure.width else _IN_LEGEND) for one in shown]
    if above:
        axes.set_yticks([])
        for place, name in enumerate(places):
            axes.text(0, place - 0.3, name, va="bottom", fontsize=9)
    else:
        axes.set_yticks(range(len(names)), places, fontsize=8 if of_questions else 9)
    axes.set(xlim=(0, 1), ylim=(len(names) - 0.5, -0.7 if above else -0.5))
    axes.set_xticks(np.linspace(0, 1, 6))
    axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.grid(visible=False)
    axes.spines[["left", "bottom"]].set_visible(False)
    key = (-0.5 if of_questions else 0.0, 1.0, 1.5, 0.1)
    ncols = _in_key(figure, _IN_KEY) if figure.width else 5
    axes.legend(loc="lower left", bbox_to_anchor=key, ncols=ncols, handlelength=0.9)
    return axes


def _in_key(figure: Figure, most: int = 1_000) -> int:
    """Columns of a legend above a figure of a given width, with names of `most` characters."""
    longest = max(min(len(name), most) for name in _by(figure.records, figure.by))
    return max(1, int(figure.width / _LETTER / (longest + 4)))


def _heat(figure: Figure, axes: Axes | None) -> Axes:
    """Shares in cells, names at the left and below; equal names meet in framed cells.

    A share is written in its cell, and is the part of the colour that covers the paper. Numbers
    have one scale on both axes, so a row between two columns is half as high; beside it, the cells
    of the nearest columns are framed.
    """
    rows, columns = (
        sorted({record[key] for record in figure.records}, key=by_value)
        for key in (figure.by, figure.x)
    )
    down, across, thick = _on_one_scale(rows, columns) or (
        {name: float(n) for n, name in enumerate(rows)},
        {name: float(n) for n, name in enumerate(columns)},
        1.0,
    )
    longest = min(max(map(len, down)), _AT_TICK)
    width = (figure.width or 3.6) - (longest + 3) * _LETTER
    if thick < 1:  # a step is as long on both axes
        width = min(width, 0.45 / thick * len(across))
    least, most = min(down.values()) - thick / 2, max(down.values()) + thick / 2
    high = min(0.45, width / len(across)) * (most - least) / thick
    axes = axes or _new((width, high), whole=True)
    top = max(record[figure.y] for record in figure.records)
    room = len(across) * 5 * _LETTER < width
    for record in figure.records:
        x, y = across[record[figure.x]], down[record[figure.by]]
        share = record[figure.y]
        place, cover = (x - 0.5, y - thick / 2), 0.7 * share / top
        axes.add_patch(Rectangle(place, 1, thick, facecolor=_COLOURS[0], alpha=cover))
        if room or share >= top / 10:
            axes.text(x, y, _percent(share), ha="center", va="center", fontsize=8.5)
    look: dict[str, Any] = {"edgecolor": mpl.rcParams["text.color"], "linewidth": 0.9, "zorder": 3}
    for name, column in ((one, near) for one in rows for near in _nearest(one, columns)):
        place = (across[column] - 0.5, down[name] - thick / 2)
        axes.add_patch(Rectangle(place, 1, thick, fill=False, clip_on=False, **look))
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.set(xlim=(-0.5, max(across.values()) + 0.5), ylim=(least, most))
    axes.set_xticks([*across.values()], [_cut(one, _AT_TICK) for one in across])
    axes.set_yticks([*down.values()], [_cut(one, _AT_TICK) for one in down])
    axes.grid(visible=False)
    axes.set_xlabel(figure.x_label or "")
    axes.set_ylabel(figure.y_label)
    return axes


_Places = dict[str, float]
"""Name -> place along an axis."""


def _on_one_scale(rows: list[str], columns: list[str]) -> tuple[_Places, _Places, float] | None:
    """Places of numbers on one scale, a column 1 apart; and how high a row is.

    Both axes go from the lowest to the highest number of either, also where it has no cell; names
    that are no numbers follow the columns. None unless rows are numbers, in equal steps that divide
    those of the columns, and most places of both have a name.
    """
    numbers, others = (
        [one for one in columns if bool(NUMBER.fullmatch(one)) is known] for known in (True, False)
    )
    if len(numbers) < 2 or not all(map(NUMBER.fullmatch, rows)):
        return None
    steps = min(float(b) - float(a) for a, b in pairwise(numbers))
    ends = sorted([*map(float, rows), *map(float, numbers)])
    low, high = ends[0], ends[-1]
    apart = min(b - a for a, b in pairwise([*dict.fromkeys(ends)]))
    found = []
    for names, step in ((rows, apart), (numbers, steps)):
        n = (high - low) / step
        places = (np.array([*map(float, names)]) - low) / step
        whole = np.abs([*(places - np.round(places)), n - round(n)]).max() < _CLOSE
        if not whole or 2 * len(names) < n + 1:
            return None
        grid = {f"{low + k * step:g}": k * step / steps for k in range(round(n) + 1)}
        if not {*names} <= {*grid}:
            return None
        found.append(grid)
    down, across = found
    end = max(across.values())
    across |= {name: end + k for k, name in enumerate(others, 1)}
    return down, across, apart / steps


def _nearest(row: str, columns: list[str]) -> list[str]:
    """The column of the same name; of a number between two columns, the nearest, or both."""
    if row in columns or not NUMBER.fullmatch(row):
        return [row] if row in columns else []
    numbers = [one for one in columns if NUMBER.fullmatch(one)]
    far = {one: abs(float(one) - float(row)) for one in numbers}
    least = min(far.values(), default=1.0)
    between = any(float(one) < float(row) for one in numbers) and any(
        float(one) > float(row) for one in numbers
    )
    return [one for one in numbers if between and least < 1 and far[one] - least < _CLOSE]


_CLOSE = 1e-6
"""What places may differ by rounding."""


def _percent(share: float) -> str:
    """A share in a cell: a small one is not 0%."""
    return f"{share:.0%}" if share >= 0.005 else "<1%"


def _beside(records: Any, x: str) -> dict[int, float]:
    """The place of each record by its price, those of one price beside each other."""
    found: dict[int, float] = {}
    for price, own in grouped_by(records, lambda record: float(record[x])).items():
        step = min(_APART, _WIDEST / len(own))
        for k, record in enumerate(own):
            found[id(record)] = price * (1 + (k - (len(own) - 1) / 2) * step)
    return found


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
    return grouped_by(records, lambda record: _name(record, key))


def _name(record: Record, key: str) -> str:
    return text(record.get(key), missing="not known" if key in record else ALL)


def _cut(name: str, longest: int) -> str:
    """The beginning and end of a long name, since names often differ only at the end."""
    line = one_line(name)
    end = longest // 3
    return line if len(line) <= longest else f"{line[: longest - end - 1]}…{line[-end:]}"


def _label(name: str, longest: int) -> str:
    """A name in a legend; matplotlib leaves out those that are empty or begin with "_"."""
    shown = _cut(name, longest)
    return shown if shown and shown[0] != "_" else f" {shown}"
