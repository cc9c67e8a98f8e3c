"""Outputs to read: those without a verdict."""

from collections.abc import Iterator
from itertools import zip_longest

from ..showing.document import Text
from ..showing.values import Record, describe
from ..verdicts import NON_RESPONSE
from .analysis import Analysis

_MOST_SHOWN = 3
"""Outputs without a verdict below the main tables; the page and JSON have three of each row."""

_LONGEST = 200
"""Most characters of an output."""


def outputs_without_verdict(analysis: Analysis) -> Iterator[Record]:
    """A few outputs without a verdict, for each row with many of them."""
    for row in analysis.rows:
        yield from row.outputs


def read_without_verdict(analysis: Analysis, number: int) -> list[Record]:
    """So many of these with their texts, or fewer: the first of each row, then the second of each.

    No more rows are read than that takes.
    """
    rows: list[list[Record]] = []
    for row in analysis.rows:
        rows += filter(None, [[one for one in row.outputs if one["text"] is not None]])
        if len(rows) == number:
            break
    return [one for turn in zip_longest(*rows) for one in turn if one is not None][:number]


def some_without_verdict(analysis: Analysis) -> Iterator[Text]:
    """The first such output of each row, or more if rows are few."""
    for found in read_without_verdict(analysis, _MOST_SHOWN):
        name = describe(analysis.keys(found))
        start = " ".join(found["text"].split())[:_LONGEST]
        what = f"{name}, question {found['question']}, replication {found['replication']}"
        missed = found["label"] and found["verdict"] == NON_RESPONSE
        label = f", though it contains {found['label']!r}" if missed else ""
        yield Text(f"Read as {found['verdict']}{label} ({what}): {start or '(empty)'}")
