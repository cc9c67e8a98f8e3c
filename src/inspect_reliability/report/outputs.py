"""Outputs to read: forms of verdicts, outputs without one, and contradictions."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, cast

import numpy as np

from ..judgments.text import TextOf
from ..stats import Counts
from ..verdicts import INVALID, NON_RESPONSE
from .cautions import MANY_WITHOUT_VERDICT
from .results import Analysis, result
from .row import Row
from .values import Record

SHOWN = 3
"""Most outputs without a verdict per row."""

_QUESTIONS = 2
"""Least stable questions of each row."""

_LOOKED_AT = 12
"""Outputs among which one with a label is looked for, where a third have no verdict."""


@result("read_by")
def read_by(analysis: Analysis) -> Iterator[Record]:
    """Forms in which verdicts were found, with frequencies; empty if scores do not say."""
    for row in analysis.rows:
        if "read_by" not in row.table or row.exact:
            continue
        found = row.table["read_by"]
        names = found.where(found.notna(), row.table["verdict"])
        for name, count in Counter(names).most_common():
            yield row.keys | {"read_by": str(name), "count": count, "share": count / len(names)}


@result("without_verdict")
def outputs_without_verdict(analysis: Analysis) -> Iterator[Record]:
    """A few outputs without a verdict, for each row with many of them."""
    for row in analysis.rows:
        yield from _silent_outputs(row, analysis.study.text)


def _silent_outputs(row: Row, text_of: TextOf) -> list[Record]:
    """Outputs spread over the row; if a third are silent, first one that contains a label."""
    if row.exact or row.without_verdict < MANY_WITHOUT_VERDICT:
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
        text = text_of(cast("dict[str, Any]", judgment.to_dict()))
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
        own = _silent_outputs(row, analysis.study.text)
        rows += filter(None, [[one for one in own if one["text"] is not None]])
        if len(rows) == number:
            break
    return [one for turn in zip_longest(*rows) for one in turn if one is not None][:number]


def least_stable(counts: Counts) -> list[int]:
    """Positions of the questions, by the share of their most frequent verdict, least first."""
    order: list[int] = np.argsort(counts.shares.max(axis=1), kind="stable").tolist()
    return order


@result("least_stable")
def contradictions(analysis: Analysis) -> Iterator[Record]:
    """The least stable questions of each row, with outputs of two different verdicts."""
    rows, text_of = analysis.rows, analysis.study.text if analysis.texts else None
    for row in analysis.progress(rows, "Reading texts") if text_of else rows:
        yield from _contradictions(row, text_of)


def _contradictions(row: Row, text_of: TextOf | None) -> Iterator[Record]:
    """These of one row; prompts and outputs are None without `text_of`, which reads them."""
    if row.exact:
        return  # no output was drawn
    for i in least_stable(row.counts)[:_QUESTIONS]:
        question = row.counts.questions[i]
        places: dict[str, list[int]] = {}
        judgments = zip(row.judged.questions, row.judged.choices, strict=True)
        for place, (name, choice) in enumerate(judgments):
            if name == question and choice is not None:
                places.setdefault(choice, []).append(place)
        given = sorted(places, key=lambda choice: -len(places[choice]))
        # Two choices contradict each other more than a choice and none.
        choices = [name for name in given if name not in (NON_RESPONSE, INVALID)]
        shown = choices if len(choices) > 1 else given
        if len(shown) < 2:
            continue
        prompt, outputs = None, []
        for verdict in shown[:2]:
            judgment = cast("dict[str, Any]", row.table.iloc[places[verdict][0]].to_dict())
            text = text_of(judgment) if text_of else None
            prompt = prompt or (text and text.prompt)
            outputs.append(
                {
                    "verdict": verdict,
                    "share": len(places[verdict]) / sum(map(len, places.values())),
                    "replication": int(judgment["replication"]),
                    "text": text and text.output,
                }
            )
        yield row.keys | {"question": question, "prompt": prompt, "outputs": outputs}
