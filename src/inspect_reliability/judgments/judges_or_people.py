"""Whether columns side by side have verdicts of judges or labels of people: each way it can be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from .column_names import is_called
from .columns import EITHER, MACHINES, UNUSED, words_of
from .side_by_side import meaning_in_words, meaning_of


class Way(NamedTuple):
    """One meaning of columns: what each is, and the same in words."""

    columns: Mapping[str, str]
    means: str = ""


def may_be_tries(name: str) -> bool:
    """Whether a numbered name may be that of a try: not if it says who gives a verdict."""
    return EITHER.isdisjoint(words_of(name))


def meanings_of_columns(graded: Sequence[str], tries: Sequence[str], labelled: bool) -> list[Way]:
    """What columns of like values can be, the likeliest first; none where no name says anything.

    Args:
        graded: Their names, without those that are called after people.
        tries: Those of them that are numbered tries, or judges.
        labelled: Whether another column is of people.
    """
    named = [name for name in graded if is_called(name, "verdict")]
    judges = [*tries] or [one for one in graded if not MACHINES.isdisjoint(words_of(one))]
    known = judges or (named if len(named) == 1 else [])
    others = [name for name in graded if name not in known]
    if known and not others:
        return [Way(dict.fromkeys(known, "verdict"))]
    if not known and (labelled or not others[1:]):
        return [Way(dict.fromkeys(others, "verdict"))]
    return [*(_beside(known, others) if known else _alone(others))]


def people_or_nothing(names: Sequence[str]) -> list[Way]:
    """What columns with one value a question can be, beside a column of verdicts."""
    left = _are(names, *["neither verdicts nor labels, and left out"] * 2)
    return [
        Way(dict.fromkeys(names, "label"), _are(names, *_PEOPLE)),
        Way(dict.fromkeys(names, UNUSED), left),
    ]


def _beside(known: Sequence[str], others: Sequence[str]) -> Iterator[Way]:
    """Others are labels of people, or verdicts too; nothing, where they cannot be such verdicts."""
    given = dict.fromkeys(known, "verdict")
    means = meaning_in_words(meaning_of(known, False)) if known[1:] else "judges"
    verdict = not known[1:] and is_called(known[0], "verdict")
    said = _are(known, "the verdict" if verdict else _A_JUDGE, means)
    yield Way(given | dict.fromkeys(others, "label"), f"{said}; {_are(others, *_PEOPLE)}")
    if means == "judges" and not verdict:
        every = [*known, *others]
        yield Way(dict.fromkeys(every, "verdict"), _are(every, _A_JUDGE, "judges"))
    else:
        left = _are(others, *["neither, and left out"] * 2)
        yield Way(given | dict.fromkeys(others, UNUSED), f"{said}; {left}")


def _alone(names: Sequence[str]) -> Iterator[Way]:
    """No name says who is a judge."""
    orders = [names, names[::-1]] if len(names) == 2 else [names]
    for first, *others in orders:
        said = f"{_are([first], _A_JUDGE, 'judges')}; {_are(others, *_PEOPLE)}"
        yield Way({first: "verdict"} | dict.fromkeys(others, "label"), said)
    yield Way(dict.fromkeys(names, "verdict"), _are(names, _A_JUDGE, "judges"))


_A_JUDGE = "a judge"
_PEOPLE = ("a person who labels", "people who label")


def _are(names: Sequence[str], one: str, several: str) -> str:
    *first, last = map(repr, names)
    return f"{', '.join(first)} and {last} are {several}" if first else f"{last} is {one}"
