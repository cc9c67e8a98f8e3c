"""What a judge gets wrong again and again, to read before another prompt is written."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd

from ..judgments.label_files import TEST
from ..judgments.text import case_of, judgment_text
from ..showing.formats import Record
from ..stats.labelled import WITHIN_ONE
from ..verdicts import NO_VERDICTS
from .analysis import Analysis
from .candidates import parts_of
from .row import Row

KEYS = ("judge", "question", "prompt", "output", "verdicts", "label", "explanation")
"""Keys that every line has, beside those of its row."""

_EXPLANATIONS = ("explanation", "rationale", "reasoning", "reason", "judge_output")
"""Usual columns of what a judge said beside its verdict."""


def repeated_errors(analysis: Analysis) -> Iterator[Record]:
    """The questions that each row gets wrong twice or more, those wrong most often first.

    On a scale, those that are more than a step off most often come first.
    Questions of the test part of the labels are left out: whoever writes a prompt after reading
    them has nothing left to measure it by.
    """
    for row in analysis.rows:
        yield from _of_row(row)


def wrong_again(row: Row) -> Sequence[int]:
    """The labelled questions, by number, that a row gets wrong twice or more."""
    known, part = row.labelled, parts_of(row)
    if known is None or known.other_scale or known.given.exact:
        return []
    times = known.kinds["wrong"] * known.given.replications
    names = known.given.questions
    return [at for at, n in enumerate(times) if n > 2 - 1e-9 and part.get(names[at]) != TEST]


def _of_row(row: Row) -> Iterator[Record]:
    found, known = wrong_again(row), row.labelled
    if not found or known is None:
        return
    wrong, given = known.kinds["wrong"], known.given
    far = 1 - np.nan_to_num(known.kinds[WITHIN_ONE], nan=1.0)
    table = row.table.assign(said=[*map(str, row.judged.choices)])
    asked = dict(list(table.groupby(table["question"].map(str), sort=False)))
    for at in sorted(found, key=lambda i: (-far[i], -wrong[i])):
        name = given.questions[at]
        labels = [given.categories[k] for k in known.truth[at].nonzero()[0]]
        yield _error(row, name, asked[name].to_dict("records"), labels)


def _error(row: Row, name: str, judgments: list[dict[Any, Any]], labels: list[str]) -> Record:
    counts = Counter(str(one["said"]) for one in judgments)
    others = [one for one, _ in counts.most_common() if one not in labels]
    wrong = next((one for one in others if one not in NO_VERDICTS), others[0])
    first = cast("dict[str, Any]", next(one for one in judgments if str(one["said"]) == wrong))
    text, case = judgment_text(first), case_of(first)
    said = [str(first[one]) for one in _EXPLANATIONS if isinstance(first.get(one), str)]
    outputs = (f"{key}: {of}" if key else of for key, of in case.outputs.items())
    return {
        "judge": None,
        **row.keys,
        "question": name,
        "prompt": (text and text.prompt) or case.question,
        "output": "\n\n".join(outputs) or None,
        "verdicts": dict(counts),
        "label": labels,
        "explanation": text.output if text else next(iter(said), None),
    }


def as_lines(records: Sequence[Record]) -> str:
    """Records as JSONL."""
    return "".join(f"{json.dumps(one, ensure_ascii=False, default=str)}\n" for one in records)


def as_sheet(records: Sequence[Record]) -> pd.DataFrame:
    """Records as a table for a person: verdicts with their numbers, and labels, in words."""
    frame = pd.DataFrame([*records])
    verdicts = [
        ", ".join(f"{name} ({n})" for name, n in one["verdicts"].items()) for one in records
    ]
    return frame.assign(verdicts=verdicts, label=[", ".join(one["label"]) for one in records])
