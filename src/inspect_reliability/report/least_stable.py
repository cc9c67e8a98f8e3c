"""The questions on which a judge contradicts itself most, with two of its outputs."""

from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from ..judgments.text import TextOf
from ..stats import Counts
from ..verdicts import INVALID, NON_RESPONSE
from .row import Row
from .wording import Record

QUESTIONS = 2
"""Questions of each row."""


def least_stable(counts: Counts) -> list[int]:
    """Rows of the counts from the smallest share of the most frequent verdict to the largest."""
    modal = counts.shares.max(axis=1)
    return [int(i) for i in np.argsort(modal, kind="stable")]


def contradictions(row: Row, text_of: TextOf | None) -> Iterator[Record]:
    """The least stable questions of a row, with the first output of two different verdicts.

    Prompts and outputs are None without `text_of`, which reads them.
    """
    if row.exact:
        return  # no output was drawn
    for i in least_stable(row.counts)[:QUESTIONS]:
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
