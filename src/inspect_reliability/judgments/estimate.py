"""Coefficients of judgments, on every scale that their verdicts have."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ..stats import (
    COEFFICIENTS,
    Accuracy,
    Cells,
    Estimate,
    UnknownCategoryError,
    accuracy,
    of_scale,
    panel,
    rate,
)
from ..stats.sums import Scale
from ..verdicts import CORRECT, INCORRECT, INVALID, NON_RESPONSE
from .count import NUMBER, Judged

NO_NUMBERS = "the verdicts are not numbers"
OPEN = "a part of the distributions is open, and its numbers are not known"
NO_ORDER = (
    "the order of the verdicts is not known: list them from lowest to highest, as in "
    "categories=['poor', 'fair', 'good']"
)


def estimates(
    judged: Judged,
    level: Scale | None = None,
    categories: Sequence[str] = (),
    names: Iterable[str] | None = None,
) -> dict[str, Estimate]:
    """Estimate the coefficients of judgments.

    Args:
        judged: The judgments of one judge under one condition.
        level: "nominal" takes verdicts for names only; "ordinal" adds the coefficients of ordered
            categories, "interval" those of numbers. By default "interval" where all verdicts are
            numbers, with those of ordered categories where the judge's scale is declared, else
            "nominal".
        categories: Declared categories, in their order; by default as `Judged.counts`.
        names: Coefficients to estimate, of those levels; by default all.

    Raises:
        ReliabilityError: There is no verdict.
    """
    wanted = set(COEFFICIENTS if names is None else names)
    scales: list[Scale] = ["nominal"]
    declared = judged.declared is not None
    if level == "ordinal" or (level is None and judged.values is not None and declared):
        scales.append("ordinal")
    if level == "interval" or (level is None and judged.values is not None):
        scales.append("interval")
    found: dict[str, Estimate] = {}
    for scale in scales:
        asked = [name for name in of_scale(scale) if name in wanted]
        given, reason = on_scale(judged, scale, categories)
        if given is not None:
            found |= panel(given, asked)
        else:
            blank = next(iter(found.values()), Estimate())
            blank = replace(blank, value=None, low=None, high=None, method=None, reason=reason)
            found |= dict.fromkeys(asked, blank)
    return found


def on_scale(
    judged: Judged, scale: Scale, categories: Sequence[str] = ()
) -> tuple[Cells | None, str | None]:
    """The judgments as the coefficients of a scale take them; None, and why, if they cannot be."""
    if scale == "nominal":
        return judged.counts(categories), None
    given, unknown = judged.numbers(), NO_NUMBERS
    if scale == "ordinal":
        counts = judged.counts(categories)
        given, unknown = _ordered(counts, tuple(categories), judged.values), NO_ORDER
    if given is None:
        return None, unknown
    return (None, OPEN) if given.exact and given.unknown.any() else (given, None)


def accuracy_of(judged: Judged, missing: Mapping[str, bool]) -> Accuracy:
    """Accuracy of answers that a judge calls correct or incorrect; see `stats.accuracy`.

    An invalid verdict counts as a non-response. Of exact distributions only `a_lm` is known.

    Args:
        judged: The judgments of one judge under one condition.
        missing: Question -> whether its answer is missing. If it lacks a question, `h_lm` and `m`
            are not known.

    Raises:
        ReliabilityError: There is no verdict, or one of another kind.
    """
    if judged.exact:
        counts, known = judged.counts(), (CORRECT, INCORRECT, NON_RESPONSE, INVALID)
        if unknown := set(counts.categories).difference(known):
            raise UnknownCategoryError(unknown, known)
        return Accuracy(rate(counts, CORRECT), None, None, None, None)
    verdicts = [NON_RESPONSE if verdict == INVALID else verdict for verdict in judged.verdicts]
    questions = dict.fromkeys(judged.questions)
    complete = questions.keys() <= missing.keys()
    return accuracy(
        judged.matrix(verdicts), [missing[name] for name in questions] if complete else None
    )


def _ordered(
    counts: Cells, declared: tuple[str, ...], values: dict[str, float] | None
) -> Cells | None:
    """The verdicts that have a rank, lowest first; None if ranks are not known."""
    if declared:
        order = [name for name in counts.categories if name in declared]
    elif values is not None:
        order = sorted((name for name in counts.categories if NUMBER.fullmatch(name)), key=float)
    else:
        return None
    return counts.only(order)
