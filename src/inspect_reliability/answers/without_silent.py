"""What the leading number of a row would be without its non-responses."""

from ..showing.formats import share
from ..stats import agreement
from ..stats.intervals import FEWEST_QUESTIONS
from ..stats.labelled import WITHIN_ONE
from ..verdicts import NO_VERDICTS, NON_RESPONSE
from .condition import Condition

_KINDS = {WITHIN_ONE: "within one step of the label in", "accuracy": "right in"}


def without_silent(of: Condition) -> str | None:
    """The number that the headline begins with, with its non-responses and without them, in words.

    None where both are printed alike, or no such number is known. That of grades is of those alone.
    """
    if of.judged.exact or of.silent:
        return None
    kept = of.asked[of.asked["verdict"] != NON_RESPONSE]
    if not 0 < len(kept) < len(of.asked):
        return None
    other, said = Condition(of.group, kept), None
    if of.labelled is not None:
        n = len(of.labelled.given.questions)
        if n < FEWEST_QUESTIONS or other.labelled is None:
            return None
        for kind, words in _KINDS.items():
            both = [one.share(kind, 1, NO_VERDICTS).value for one in (of.labelled, other.labelled)]
            if said := _both(words, both, n):
                break
    elif not (of.judged.scale or of.asked_once or of.no_draws):
        found = [agreement(one.counts) for one in (of, other)]
        both = [None if one.value is None else 1 - one.value for one in found]
        said = _both("another try gives another verdict in", both, found[0].n_questions)
    return said


def _both(words: str, both: list[float | None], n: int) -> str | None:
    """Both numbers where they are known and printed differently."""
    values = [one for one in both if one is not None]
    if len(values) < 2:
        return None
    counted, left = (share(one, n) for one in values)
    return None if counted == left else f"{words} {left} without them, and {counted} with them"
