"""How verdicts were read in the outputs, and some outputs in which none was found."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, cast

from ..judgments.text import TextOf
from ..verdicts import INVALID, NON_RESPONSE
from .cautions import MANY_WITHOUT_VERDICT, of_the_silent, without_verdict
from .row import Row
from .wording import Record

SHOWN = 3
"""Outputs without a verdict that a row shows."""

_LOOKED_AT = 12
"""Outputs among which one with a label is looked for, where a third have no verdict."""


def read_by(row: Row) -> Iterator[Record]:
    """The forms in which verdicts were found, and how often; nothing where scores do not say."""
    if "read_by" not in row.table or row.exact:
        return
    found = row.table["read_by"]
    names = found.where(found.notna(), row.table["verdict"])
    for name, count in Counter(names).most_common():
        yield row.keys | {"read_by": str(name), "count": count, "share": count / len(names)}


def silent_outputs(row: Row, text_of: TextOf) -> list[Record]:
    """A few outputs without a verdict, of a row that has many of them.

    They are spread over the row, and their texts are read by `text_of`; None if they cannot be.
    Where a third have no verdict, those that contain a label come first, then those that do not.
    """
    if row.exact or without_verdict(row.table) < MANY_WITHOUT_VERDICT:
        return []
    silent = row.table[row.table["verdict"].isin([NON_RESPONSE, INVALID])]
    many = _LOOKED_AT if of_the_silent(row.table) else SHOWN
    names = sorted(set(row.judged.declared or ()) - {NON_RESPONSE, INVALID}, key=len)
    labels = "|".join(map(re.escape, names[::-1]))
    named = re.compile(rf"(?<!\w)(?:{labels or '(?!)'})(?!\w)")
    missed: list[Record] = []
    silent_ones: list[Record] = []
    several: list[Record] = []
    spread = silent.iloc[:: max(len(silent) // many, 1)][:many]
    each = range(len(spread))
    for _, judgment in spread.iloc[sorted(each, key=lambda i: i % (many // SHOWN))].iterrows():
        text = text_of(cast("dict[str, Any]", judgment.to_dict()))
        found = named.search(text.output) if text else None
        kind = silent_ones if found is None else missed
        (several if judgment["verdict"] == INVALID else kind).append(
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
