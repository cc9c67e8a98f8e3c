"""The figure that a page shows first: the one that fits the study."""

from collections.abc import Iterator
from dataclasses import replace

from ..judgments.count import NUMBER
from ..showing.document import Figure
from . import right, steady
from .analysis import Analysis

_WIDE, _HALF = 10.5, 4.8
"""Inches of a figure as wide as the page, and of one of several."""

_MOST_GRADES = 11
"""Most grades of a scale whose cells can be read."""

_MOST_MAPS = 3
"""Most judges whose grades are beside each other."""


def pictured(analysis: Analysis) -> list[Figure]:
    """Right or wrong, grades beside those of people, or omega; a single one as wide as the page."""
    if steady.is_sweep(analysis):
        found = [*steady.chart(analysis, "benchmark")]
    else:
        found = [*right.split(analysis)] or [*grades(analysis)][:_MOST_MAPS]
    found = found or [*steady.chart(analysis)]
    return [replace(one, width=_HALF if found[1:] else _WIDE) for one in found]


def grades(analysis: Analysis) -> Iterator[Figure]:
    """Grades of each judge beside those of people, on a scale of few grades: the best first."""
    for row in analysis.best_first:
        records = analysis.of(row, "confusion")
        names = {one[key] for one in records for key in ("label", "verdict")}
        known = [name for name in names if NUMBER.fullmatch(name)]
        scale = any(map(right.of_scale, analysis.of(row, "validity")))
        if records and scale and len(known) <= _MOST_GRADES:
            title = f"Grades of {row.name if analysis.rows[1:] else 'the judge'} and of people"
            yield Figure(
                title,
                "Share of all verdicts with each grade of the judge (from left to right) and of "
                "people (from bottom to top). In framed cells both are the same.",
                records,
                x="verdict",
                y="share",
                by="label",
                kind="heat",
                x_label="grade of the judge",
                y_label="grade of people",
            )
