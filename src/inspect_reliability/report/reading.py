"""How verdicts were read in the outputs, and some outputs in which none was found."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, cast

from ..published.text import judgment_text
from ..verdicts import INVALID, NON_RESPONSE
from .row import Row
from .wording import Record

SHOWN = 3
"""Outputs without a verdict that a row shows."""


def read_by(row: Row) -> Iterator[Record]:
    """The forms in which verdicts were found, and how often; nothing where scores do not say."""
    if "read_by" not in row.table or row.exact:
        return
    found = row.table["read_by"]
    names = found.where(found.notna(), row.table["verdict"])
    for name, count in Counter(names).most_common():
        yield row.keys | {"read_by": str(name), "count": count, "share": count / len(names)}


def without_verdict(row: Row) -> Iterator[Record]:
    """A few outputs without a verdict, of a row that has many of them.

    They are spread over the row, and their texts are read from the logs; None if they cannot be.
    """
    if not row.lacks_verdicts or row.exact:
        return
    silent = row.table[row.table["verdict"].isin([NON_RESPONSE, INVALID])]
    for _, judgment in silent.iloc[:: max(len(silent) // SHOWN, 1)][:SHOWN].iterrows():
        text = judgment_text(cast("dict[str, Any]", judgment.to_dict()))
        yield row.keys | {
            "question": str(judgment["question"]),
            "replication": int(judgment["replication"]),
            "verdict": str(judgment["verdict"]),
            "prompt": text and text.prompt,
            "text": text and text.output,
        }
