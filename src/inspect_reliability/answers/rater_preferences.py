"""Which candidate do the labels of each person prefer? Where they differ, a judge has a policy."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ..showing.formats import ROUNDING, Record, amount
from ..stats import Cells, Labelled
from .candidates import Choosing, raters_of
from .row import Row

_MOST_NAMED = 3
"""Questions that are named where two people prefer different candidates."""

_MOST_RATERS = 5

_Rights = Mapping[object, Mapping[str, Sequence[float]]]
"""Rater -> question -> how often each candidate is right by that label."""


def rater_preferences(found: Choosing) -> Iterator[Record]:
    """The candidate that each person's labels prefer, and the questions that part them."""
    first = found.candidates[0].row
    raters = raters_of(first)[:_MOST_RATERS]
    rights = {rater: _right_by(found, rater) for rater in raters}
    rights = {rater: right for rater, right in rights.items() if len(right) > 2}
    for rater, right in rights.items():
        table = np.array(list(right.values()))
        best = int(table.mean(axis=0).round(9).argmax())
        yield {
            "rater": str(rater),
            "n_labelled": len(table),
            "prefers": found.names[best],
            "accuracy": float(table[:, best].mean()),
            "questions": _deciding(found, rights, rater, best),
        }


def _right_by(found: Choosing, rater: object) -> Mapping[str, Sequence[float]]:
    """How often each candidate is right by one person's labels, of each question."""
    columns: list[dict[str, float]] = []
    for one in found.candidates:
        given = [(name, label) for name, who, label in one.row.judged.rated if who == rater]
        asked, labels = zip(*given, strict=True)
        cells, undecided = Cells.from_long(asked, labels), one.row.judged.undecided
        known = Labelled(one.row.counts, cells, undecided, _numbers(one.row))
        columns.append(
            dict(zip(known.given.questions, one.right(known, found.kind).tolist(), strict=True))
        )
    names = [name for name in found.questions if all(name in one for one in columns)]
    rows = {name: [one[name] for one in columns] for name in names}
    return {name: row for name, row in rows.items() if not np.isnan(row).any()}


def _numbers(row: Row) -> Mapping[str, float] | None:
    """Category -> number, where verdicts and the labels of all people are grades."""
    known = row.labelled
    if known is None or known.values is None:
        return None
    each = zip(known.given.categories, known.values.tolist(), strict=True)
    return {name: value for name, value in each if value == value}


def _deciding(found: Choosing, rights: _Rights, rater: object, best: int) -> list[str]:
    """Questions on which another person's labels prefer that person's candidate to this one."""
    questions: dict[str, None] = {}
    for other, right in rights.items():
        its = int(np.array(list(right.values())).mean(axis=0).round(9).argmax())
        if other == rater or its == best:
            continue
        for name in rights[rater].keys() & right.keys():
            own, others = rights[rater][name], right[name]
            if own[best] - own[its] > ROUNDING and others[its] - others[best] > ROUNDING:
                questions[name] = None
    return [name for name in found.questions if name in questions]


def preferences_in_words(raters: Sequence[Record]) -> Iterator[str]:
    """Two people whose labels prefer different candidates, and the questions that decide it."""
    if len({one["prefers"] for one in raters}) < 2:
        return
    first = raters[0]
    second = next(one for one in raters if one["prefers"] != first["prefers"])
    questions = list(dict.fromkeys([*first["questions"], *second["questions"]]))
    some = ", ".join(questions[:_MOST_NAMED])
    decide = f" {amount(len(questions), 'question')} decide{'s' * (len(questions) == 1)} it"
    yield (
        f"By the labels of {first['rater']}, {first['prefers']} is best; by those of "
        f"{second['rater']}, {second['prefers']}.{decide if questions else ' Few labels decide it'}"
        f"{f' ({some})' if questions else ''}. Settle what is right there: another policy is no "
        "better judge."
    )
