"""Coefficients of judgments, on every scale that fits their verdicts."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import repeat

from ..stats import (
    COEFFICIENTS,
    Cells,
    Estimate,
    Labelled,
    NoJudgmentsError,
    Reason,
    Unknown,
    of_scale,
    panel,
    question_rates,
    rate,
    standard_error,
)
from ..stats.moments import Scale
from ..verdicts import CORRECT, INCORRECT, NO_VERDICTS
from .count import NUMBER, Judged

NAMES_DIFFER = Reason(
    Unknown.OTHER_KIND,
    "verdicts name other things on other questions, so what chance would agree on is not known: "
    "group by what has its own names (--by benchmark), or let verdicts name places",
)
"""Why coefficients whose chance comes from shared names have no value."""

_OFTEN = 0.1
"""Share of a benchmark's verdicts from which a name is one of its own."""

NO_NUMBERS = Reason(Unknown.NO_NUMBERS, "the verdicts are not numbers")
OPEN = "a part of the distributions is open, and its numbers are not known"
NO_ORDER = Reason(
    Unknown.NO_NUMBERS,
    "the order of the verdicts is not known: list them from lowest to highest, as in "
    "categories=['poor', 'fair', 'good']",
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
    """The judgments in the form for coefficients of a scale; None and the reason if impossible."""
    if scale == "nominal":
        return judged.counts(categories), None
    given, unknown = judged.numbers(), NO_NUMBERS
    if scale == "ordinal":
        counts = judged.counts(categories)
        given, unknown = _ordered(counts, tuple(categories), judged.values), NO_ORDER
    if given is None:
        return None, unknown
    return (None, OPEN) if given.exact and given.unknown.any() else (given, None)


def names_differ(judged: Judged) -> bool:
    """Whether verdicts are names of what differs by question, as of the systems in pairs.

    Options that were shown say so, or benchmarks: each of two has a name, of a tenth of its
    verdicts, that no other benchmark has.
    """
    if judged.order_varies and len({frozenset(order) for order in judged.orders_shown}) > 1:
        return True
    if len({*judged.column("benchmark")}) < 2 or judged.labels or judged.values is not None:
        return False
    given: defaultdict[object, Counter[str]] = defaultdict(Counter)
    times = judged.times or repeat(1)
    for benchmark, name, n in zip(judged.column("benchmark"), judged.choices, times, strict=False):
        if name is not None and name not in judged.undecided:
            given[benchmark][name] += n
    own = 0
    for benchmark, names in given.items():
        others = {name for of, some in given.items() if of != benchmark for name in some}
        own += any(n >= _OFTEN * names.total() for name, n in names.items() if name not in others)
    return own > 1


def labelled(judged: Judged, given: Cells | None = None) -> Labelled | None:
    """Judgments beside their labels; None if nothing is labelled.

    Args:
        judged: The judgments of one judge under one condition.
        given: Their counts; by default `Judged.counts`.
    """
    truth = judged.truth
    if truth is None:
        return None
    counts = judged.counts() if given is None else given
    numbers = grades_in(judged, {*counts.categories, *truth.categories})
    try:
        return Labelled(counts, truth, judged.undecided, numbers, judged.people)
    except NoJudgmentsError:
        return None


def grades_in(judged: Judged, names: Collection[str]) -> dict[str, float] | None:
    """Those of these names that decide something as numbers; None if they are no scale."""
    said = {*names} - judged.undecided - {*NO_VERDICTS}
    numbers = {name: float(name) for name in said if NUMBER.fullmatch(name)}
    scale = len({*numbers.values()}) > 2 and len(numbers) == len(said) and not judged.of_options
    return numbers if scale and all(map(math.isfinite, numbers.values())) else None


def answers_judged(judged: Judged) -> tuple[Estimate, dict[str, float | None]]:
    """A_LM, the share of answers judged correct, and related shares.

    An answer without a verdict is not correct. `a_lm_se_replications` is the published standard
    error: how much the judge's next run over the same answers would differ. `a_lm_se_questions` is
    how much other questions would differ. `h_lm` is the share of answers judged incorrect and not
    missing, `m` the share of missing answers (Sun et al. 2023). Each is None if not known;
    `Judged.correctness` tells which judgments have them.

    Raises:
        ReliabilityError: There is no verdict.
    """
    verdicts = judged.verdicts
    missing = [one if isinstance(one, bool) else None for one in judged.column("missing")]
    shares, _ = question_rates(judged.counts(), CORRECT)

    def share(kinds: Iterable[bool]) -> float | None:
        if None in missing:
            return None
        named = zip(verdicts, kinds, strict=True)
        found = judged.count([None if verdict is None else str(kind) for verdict, kind in named])
        return rate(found, str(True)).value

    marks = [math.nan if verdict is None else verdict == CORRECT for verdict in verdicts]
    runs = None if judged.exact or judged.times else judged.matrix(marks).astype(float)
    return rate(judged.counts(), CORRECT), {
        "a_lm_se_replications": None if runs is None else standard_error(runs),
        "a_lm_se_questions": standard_error(shares),
        "h_lm": share(
            verdict == INCORRECT and not gone
            for verdict, gone in zip(verdicts, missing, strict=True)
        ),
        "m": share(map(bool, missing)),
    }


def _ordered(
    counts: Cells, declared: tuple[str, ...], values: dict[str, float] | None
) -> Cells | None:
    """The verdicts with a rank, lowest first; None if ranks are not known."""
    if declared:
        order = [name for name in counts.categories if name in declared]
    elif values is not None:
        order = sorted((name for name in counts.categories if NUMBER.fullmatch(name)), key=float)
    else:
        return None
    return counts.only(order)
