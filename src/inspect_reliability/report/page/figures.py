"""The page's figures, each with its numbers as text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, PercentFormatter

from ...stats import ChoiceShares, Counts, StableMajority
from ...stats.sums import FloatArray
from ...verdicts import INVALID, NON_RESPONSE
from ..cells import Cell, number
from ..printable import one_line
from ..rows import interval
from ..summary import with_interval
from .svg import INK, PAPER, drawing, inline_svg

# Okabe & Ito's colours, told apart with any kind of colour vision; shapes tell them apart too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C8C00")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_SILENT = {NON_RESPONSE: "#9a9a9a", INVALID: "#5f5f5f"}

MOST_QUESTIONS = 40
"""Rows of a figure; a figure of more questions shows the least stable ones."""

_LONGEST_NAME = 34
_LOWEST = -0.25


@dataclass(frozen=True)
class Drawn:
    """A figure and its text alternative.

    Attributes:
        title: What it is of.
        svg: The figure.
        headings: Headings of the table of its numbers.
        rows: The table.
    """

    title: str
    svg: Markup
    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def omega_by_temperature(benchmark: str, cells: Sequence[Cell]) -> Drawn:
    """Omega with its interval, one series a judge."""
    judges = list(dict.fromkeys(cell.group.get("judge") for cell in cells))
    known = sorted({t for cell in cells if (t := cell.group.get("temperature")) is not None})
    places = {t: place for place, t in enumerate(known)}
    with drawing():
        figure = Figure(figsize=(3.6, 2.7))
        axes = figure.subplots()
        for k, judge in enumerate(judges):
            shown = sorted(
                (
                    (places.get(cell.group.get("temperature"), len(known)), omega.value, cell)
                    for cell in cells
                    if cell.group.get("judge") == judge
                    and (omega := cell.panel["omega"]).value is not None
                ),
                key=lambda item: item[0],
            )
            shift = (k - (len(judges) - 1) / 2) * min(0.12, 0.5 / len(judges))
            for place, value, cell in shown:
                low, high = interval(cell.panel["omega"]) or (value, value)
                axes.plot(
                    [place + shift] * 2, [low, high], color=_colour(k), linewidth=1.6, alpha=0.75
                )
            axes.plot(
                [place + shift for place, _, _ in shown],
                [value for _, value, _ in shown],
                color=_colour(k),
                marker=_marker(k),
                markersize=5,
                linewidth=1,
                linestyle="-" if len(shown) > 1 else "none",
                label=_short(judge),
            )
        unknown = any(cell.group.get("temperature") is None for cell in cells)
        labels = [f"{number(t)}" for t in known] + (["not known"] if unknown else [])
        axes.set_xticks(range(len(labels)), labels)
        axes.set_xlim(-0.5, len(labels) - 0.5)
        values = [cell.panel["omega"].value or 0.0 for cell in cells]
        axes.set_ylim(min(_LOWEST, *(value - 0.05 for value in values)), 1.04)
        axes.axhline(0, color=INK, linewidth=0.6)
        axes.grid(axis="x", visible=False)
        axes.set_xlabel("temperature")
        axes.set_ylabel("omega, one verdict")
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=1)
        svg = inline_svg(figure, f"{benchmark}: omega of one verdict, by temperature and judge.")
    rows = [
        (
            str(cell.group.get("judge")),
            _text(cell.group.get("temperature")),
            with_interval(cell.panel["omega"]),
        )
        for cell in cells
    ]
    return Drawn(benchmark, svg, ("Judge", "Temperature", "Omega [95%]"), rows)


def verdicts_by_question(name: str, counts: Counts) -> Drawn:
    """How each question was judged, the least stable first."""
    order = least_stable(counts)
    shown = order[:MOST_QUESTIONS]
    used = [k for k in range(len(counts.categories)) if counts.table[:, k].any()]
    with drawing():
        figure = Figure(figsize=(4.6, 0.62 + 0.185 * len(shown)))
        axes = figure.subplots()
        left = np.zeros(len(shown))
        shares = counts.table[shown] / np.maximum(counts.replications[shown], 1)[:, None]
        for k in used:
            colour = category_colour(counts.categories, k)
            axes.barh(
                range(len(shown)),
                shares[:, k],
                left=left,
                height=0.82,
                color=colour,
                edgecolor=PAPER,
                linewidth=0.6,
                label=_short(counts.categories[k], 22),
            )
            _name_segments(axes, left, shares[:, k], counts.categories[k], colour)
            left = left + shares[:, k]
        names = [
            _short(counts.questions[i].partition(":")[2] or counts.questions[i]) for i in shown
        ]
        axes.set_yticks(range(len(shown)), names, fontsize=8)
        axes.set_ylim(len(shown) - 0.5, -0.5)
        axes.set_xlim(0, 1)
        axes.xaxis.set_major_formatter(PercentFormatter(1))
        axes.grid(visible=False)
        axes.spines[["left", "bottom"]].set_visible(False)
        axes.legend(
            loc="lower left",
            bbox_to_anchor=(-0.5, 1.0, 1.5, 0.1),
            ncols=4,
            mode=None,
            handlelength=0.9,
            columnspacing=1.0,
        )
        some = f" (the first {len(shown)} of {len(order):,})" if len(shown) < len(order) else ""
        title = f"Verdicts of each question, the least stable first{some}"
        svg = inline_svg(figure, f"{name}. {title}.")
    rows = [(counts.questions[i], *(f"{counts.table[i, k]}" for k in used)) for i in shown]
    return Drawn(title, svg, ("Question", *(counts.categories[k] for k in used)), rows)


def shares_by_option(title: str, shares: Mapping[str, ChoiceShares]) -> Drawn:
    """How often each letter, or responder, is chosen: one series a temperature."""
    options = next(iter(shares.values())).options
    with drawing():
        figure = Figure(figsize=(3.6, 2.5))
        axes = figure.subplots()
        axes.axhline(1 / len(options), color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
        for k, (name, found) in enumerate(shares.items()):
            if found.shares is None:
                continue
            shift = (k - (len(shares) - 1) / 2) * min(0.14, 0.7 / len(shares))
            axes.errorbar(
                np.arange(len(options)) + shift,
                found.shares,
                yerr=found.standard_errors,
                fmt=_marker(k),
                color=_colour(k),
                markersize=4.5,
                linewidth=1.2,
                clip_on=False,
                label=name,
            )
        lengthy = max(map(len, options)) > 3
        axes.set_xticks(
            range(len(options)),
            [_short(option, 18) for option in options],
            rotation=25 if lengthy else 0,
            ha="right" if lengthy else "center",
        )
        axes.set_ylim(0, 1)
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        axes.grid(axis="x", visible=False)
        axes.legend(
            title="temperature",
            loc="upper center",
            bbox_to_anchor=(0.5, -0.32 if lengthy else -0.1),
            ncols=5,
            handletextpad=0.1,
            columnspacing=0.8,
        )
        svg = inline_svg(figure, f"{title}: share of each option among all choices.")
    rows = [
        (name, *(f"{share:.1%}" for share in found.shares or ()), _p_value(found))
        for name, found in shares.items()
    ]
    return Drawn(title, svg, ("Temperature", *options, "Equal shares?"), rows)


def votes_curve(title: str, found: Mapping[str, StableMajority]) -> Drawn:
    """How often two majorities of so many votes are the same: one series a temperature."""
    with drawing():
        figure = Figure(figsize=(3.6, 2.5))
        axes = figure.subplots()
        for k, (name, majority) in enumerate(found.items()):
            axes.plot(
                majority.votes,
                majority.agreement,
                color=_colour(k),
                marker=_marker(k),
                markersize=4,
                linewidth=1.2,
                label=name,
            )
        wanted = next(iter(found.values())).wanted
        axes.axhline(wanted, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
        votes = sorted({m for majority in found.values() for m in majority.votes})
        axes.set_xscale("log")
        axes.xaxis.set_minor_formatter(NullFormatter())
        ticks = [m for m in votes if m in (1, 3, 5, 9, 15, 25, 49, 99, 199, 499)]
        axes.set_xticks(ticks, [str(m) for m in ticks])
        axes.minorticks_off()
        axes.set_ylim(0, 1.03)
        axes.set_xlabel("votes")
        axes.set_ylabel("same majority again")
        axes.legend(
            title="temperature",
            fontsize=8,
            ncols=5,
            loc="upper center",
            bbox_to_anchor=(0.5, -0.2),
            handletextpad=0.2,
            columnspacing=0.8,
        )
        svg = inline_svg(figure, f"{title}: how often majorities of so many votes are the same.")
    rows = [
        (name, f"{m}", f"{agreement:.2f}", "not known" if stable is None else f"{stable:.0%}")
        for name, majority in found.items()
        for m, agreement, stable in zip(
            majority.votes, majority.agreement, majority.share_stable, strict=True
        )
    ]
    headings = ("Temperature", "Votes", "Same majority again", "Questions stable")
    return Drawn(title, svg, headings, rows)


def least_stable(counts: Counts) -> list[int]:
    """Rows of the counts from the smallest share of the most frequent verdict to the largest."""
    modal = counts.table.max(axis=1) / np.maximum(counts.replications, 1)
    return [int(i) for i in np.argsort(modal, kind="stable")]


def category_colour(categories: Sequence[str], k: int) -> str:
    """Colour of a category: greys for what is no choice."""
    choices = [name for name in categories if name not in _SILENT]
    return _SILENT.get(categories[k]) or COLOURS[choices.index(categories[k]) % len(COLOURS)]


def _name_segments(
    axes: Axes, left: FloatArray, widths: FloatArray, name: str, colour: str
) -> None:
    """Write a category's initial where there is room: colour alone tells nothing."""
    short = {NON_RESPONSE: "none", INVALID: "inv."}.get(name, name)
    short = short if len(short) <= 4 else one_line(short)[:1]
    dark = sum(int(colour[i : i + 2], 16) * w for i, w in ((1, 0.3), (3, 0.59), (5, 0.11))) < 140
    for row, width in enumerate(widths):
        if width >= 0.035 * (len(short) + 0.6):
            axes.text(
                left[row] + width / 2,
                row,
                short,
                ha="center",
                va="center_baseline",
                fontsize=6.5,
                color="white" if dark else "black",
            )


def _p_value(found: ChoiceShares) -> str:
    if found.p_value is None:
        return found.reason or "no test"
    return "p < 0.001" if found.p_value < 0.001 else f"p = {found.p_value:.3f}"


def _colour(k: int) -> str:
    return COLOURS[k % len(COLOURS)]


def _marker(k: int) -> str:
    return MARKERS[k % len(MARKERS)]


def _short(text: object, longest: int = _LONGEST_NAME) -> str:
    line = one_line(str(text))
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def _text(temperature: float | None) -> str:
    return "not known" if temperature is None else f"{number(temperature)}"
