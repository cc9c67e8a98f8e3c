"""Outputs to read: those without a verdict."""

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, cast

from ..judgments.text import judgment_text
from ..showing.document import Text
from ..showing.values import Record, describe
from ..verdicts import INVALID, NON_RESPONSE
from .analysis import Analysis
from .cautions import MANY_WITHOUT_VERDICT
from .row import Row

SHOWN = 3
"""Most outputs without a verdict per row."""

_MOST_SHOWN = 3
"""Outputs without a verdict below the main tables; the page and JSON have three of each row."""

_LONGEST = 200
"""Most characters of an output."""

_LOOKED_AT = 12
"""Outputs among which one with a label is looked for, where a third have no verdict."""


def outputs_without_verdict(analysis: Analysis) -> Iterator[Record]:
    """A few outputs without a verdict, for each row with many of them."""
    for row in analysis.rows:
        yield from _silent_outputs(row)


def _silent_outputs(row: Row) -> list[Record]:
    """Outputs spread over the row; if a third are silent, first one that contains a label."""
    if row.judged.exact or row.without_verdict < MANY_WITHOUT_VERDICT:
        return []
    silent = row.table[row.table["verdict"].isin([NON_RESPONSE, INVALID])]
    many = _LOOKED_AT if row.silent else SHOWN
    names = sorted(set(row.judged.declared or ()) - {NON_RESPONSE, INVALID}, key=len)
    labels = "|".join(map(re.escape, names[::-1]))
    named = re.compile(rf"(?<!\w)(?:{labels or '(?!)'})(?!\w)")
    missed, silent_ones, several = list[Record](), list[Record](), list[Record]()
    spread = silent.iloc[:: max(len(silent) // many, 1)][:many]
    each = range(len(spread))
    for _, judgment in spread.iloc[sorted(each, key=lambda i: i % (many // SHOWN))].iterrows():
        text = judgment_text(cast("dict[str, Any]", judgment.to_dict()))
        found = named.search(text.output) if text else None
        kind = missed if found else silent_ones
        kind = several if judgment["verdict"] == INVALID else kind
        kind.append(
            row.keys
            | {
                "question": str(judgment["question"]),
                "replication": int(judgment["replication"]),
                "verdict": str(judgment["verdict"]),
                "label": found and found[0],
                "prompt": text and text.prompt,
                "text": text and text.output,
            }
        )
    turns = zip_longest(missed, silent_ones, several)
    return [one for turn in turns for one in turn if one is not None][:SHOWN]


def read_without_verdict(analysis: Analysis, number: int) -> list[Record]:
    """So many of these with their texts, or fewer: the first of each row, then the second of each.

    No more rows are read than that takes.
    """
    rows: list[list[Record]] = []
    for row in analysis.rows:
        own = _silent_outputs(row)
        rows += filter(None, [[one for one in own if one["text"] is not None]])
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
