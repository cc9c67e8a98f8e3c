"""The whole panel as one metric."""

import logging
import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Literal, get_args

import numpy as np
from inspect_ai.scorer import Metric, SampleScore, Value, metric
from inspect_ai.util import warn_once

from ..errors import UserError
from ..stats import NUMERIC, Counts, krippendorff_alpha_ordinal, numeric, panel
from ..verdicts import NON_RESPONSE
from .parts import Part, parts

logger = logging.getLogger(__name__)

Level = Literal["nominal", "ordinal", "interval"]

_NOMINAL = (
    "omega",
    "omega_composite",
    "agreement",
    "fleiss_kappa",
    "krippendorff_alpha",
    "gwet_ac1",
    "brennan_prediger",
    "modal_share",
    "normalised_entropy",
)
_WITH_INTERVAL = ("omega", "agreement")


@metric(scores="unreduced")
def reliability(
    by: str | None = None, level: Level | None = None, categories: Sequence[str] | None = None
) -> Metric:
    """How reliable are these scores? The whole panel, for any task with epochs and any scorer.

    Epochs are replications; where a score holds replications of the judge itself (see `rejudge`)
    those are, and each output is judged on its own. Scores are names ("A", "C", true) or numbers;
    numbers get the coefficients of an interval scale as well.

    The metric has one value a name: the nominal coefficients, the 95% intervals of omega and of
    the agreement (`omega_low`, `omega_high`), the share of non-responses, and the numbers of
    questions and of replications per question. What is not estimable (yet) is nan. The names of a
    group of `by` are `omega(group)`, those of a key of a score that is a mapping `omega(key)`.

    Args:
        by: A key of the scores' or of the samples' metadata; adds the panel of each group.
        level: Scale of the scores. "nominal" leaves it at names; "ordinal" adds Krippendorff's
            alpha for ordered categories; "interval" that for numbers, ICC(1) for one replication
            (`icc`) and for all (`icc_composite`), and Cronbach's alpha. By default "interval"
            where all scores are numbers, else "nominal".
        categories: All answers the judge could have given, from lowest to highest if ordinal. By
            default those of this package's judges, else those that occur, numbers in their order
            and words in alphabetical order. AC1, Brennan-Prediger and the entropy depend on how
            many there are.

    Raises:
        UserError: There is no such level.
    """
    if level is not None and level not in get_args(Level):
        raise UserError(f"level='{level}' is not known. Use one of: {', '.join(get_args(Level))}.")
    declared = tuple(map(str, categories or ()))

    def compute(scores: list[SampleScore]) -> Value:
        # Inspect calls with nothing at first, and turns a metric that raises into a failed log.
        found = parts(scores, by) or {"": Part()}
        return {
            name + label: value
            for label, part in found.items()
            for name, value in _panel(part, level, declared).items()
        }

    return compute


def _panel(part: Part, level: Level | None, declared: tuple[str, ...]) -> dict[str, float]:
    """All values of one part; their names depend on the kind of the scores alone."""
    counts = part.counts(declared)
    estimates = {} if counts is None else panel(counts, _NOMINAL)
    values: dict[str, float] = {}
    for name in _NOMINAL:
        estimate = estimates.get(name)
        values[name] = _number(estimate.value if estimate else None)
        if name in _WITH_INTERVAL:
            values[f"{name}_low"] = _number(estimate.low if estimate else None)
            values[f"{name}_high"] = _number(estimate.high if estimate else None)
    numbers = part.numbers()
    if level == "ordinal":
        values["krippendorff_alpha_ordinal"] = _ordinal(counts, numbers is not None, declared)
    elif level == "interval" or (level is None and numbers is not None):
        values |= _interval(counts, part.questions, numbers)
    values["non_response_rate"] = part.share(NON_RESPONSE)
    if part.rejudged:
        values["failed_rate"] = part.missing_share()
    entered = estimates.get("omega")
    values["questions"] = entered.n_questions if entered else 0
    values["replications"] = entered.n_replications if entered else 0
    return values


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _ordinal(counts: Counts | None, numbers: bool, declared: tuple[str, ...]) -> float:
    if counts is None:
        return math.nan
    if not declared and not numbers:
        warn_once(
            logger,
            "reliability(level='ordinal') needs to be told the order of scores that are words, "
            "as in categories=['poor', 'fair', 'good'].",
        )
        return math.nan
    ordered = _only(counts, declared or _by_value(counts))
    return _number(krippendorff_alpha_ordinal(ordered).value if ordered else None)


def _interval(
    counts: Counts | None, questions: Sequence[str], numbers: Sequence[float] | None
) -> dict[str, float]:
    if counts is None or numbers is None:
        if counts is not None:
            warn_once(logger, "reliability(level='interval') needs scores that are numbers.")
        return dict.fromkeys(NUMERIC, math.nan)
    replications: dict[str, list[float]] = {}
    for question, number in zip(questions, numbers, strict=True):
        replications.setdefault(question, []).append(number)
    found = numeric(np.array(list(zip_longest(*replications.values(), fillvalue=math.nan))))
    return {name: _number(estimate.value) for name, estimate in found.items()}


def _by_value(counts: Counts) -> tuple[str, ...]:
    """The categories that are numbers, in their order."""
    numbers = {name: _parsed(name) for name in counts.categories}
    finite = [name for name, number in numbers.items() if math.isfinite(number)]
    return tuple(sorted(finite, key=numbers.__getitem__))


def _parsed(name: str) -> float:
    try:
        return float(name)
    except ValueError:
        return math.nan


def _only(counts: Counts, categories: tuple[str, ...]) -> Counts | None:
    """The verdicts among some of the categories, in this order; None if there is none."""
    column = {name: k for k, name in enumerate(counts.categories)}
    table = counts.table[:, [column[name] for name in categories]]
    if not table.any():
        return None
    left_out = counts.table.sum(axis=1) - table.sum(axis=1)
    return replace(counts, table=table, categories=categories, missing=counts.missing + left_out)
