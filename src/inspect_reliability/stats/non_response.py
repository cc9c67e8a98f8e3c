"""What a non-response counts as: it moves every coefficient, so all three are reported."""

from dataclasses import replace
from typing import Literal

import numpy as np

from .counts import Counts
from .errors import ReliabilityError, check_level
from .estimate import Estimate, LeftOut
from .intervals import (
    FEWEST_QUESTIONS,
    TOO_FEW,
    add_interval,
    clopper_pearson,
    constant_share_bound,
    jackknife,
    leave_one_out,
)

Handling = Literal["category", "unique", "excluded"]


def handle_non_response(
    counts: Counts, handling: Handling, non_response: str = "non-response"
) -> Counts:
    """The same judgments with non-responses counted in one of three ways.

    Args:
        counts: Verdicts, with non-response as one of the categories. Without that category there
            is nothing to handle.
        handling: "category", non-responses are verdicts that agree with each other (the paper's);
            "unique", each non-response is a category of its own, so agrees with nothing;
            "excluded", they are left out and counted as missing (`Counts.coverage` then tells
            how much is left).
        non_response: The name of the category.

    Raises:
        ReliabilityError: There is no such handling.
    """
    if handling not in ("category", "unique", "excluded"):
        raise ReliabilityError(
            f"Non-responses are handled as 'category', 'unique' or 'excluded', not {handling!r}."
        )
    if handling == "category" or non_response not in counts.categories:
        return counts
    column = counts.categories.index(non_response)
    silent = counts.table[:, column]
    others = np.delete(counts.table, column, axis=1)
    names = counts.categories[:column] + counts.categories[column + 1 :]
    if handling == "excluded":
        return replace(counts, table=others, categories=names, missing=counts.missing + silent)
    table = np.column_stack([others, silent])
    return replace(counts, table=table, categories=(*names, non_response), singletons=True)


def non_response_rate(
    counts: Counts, non_response: str = "non-response", level: float = 0.95
) -> Estimate:
    """Share of the judgments without a verdict, with an interval.

    The interval is the wider of two. The jackknife over questions says what other questions of
    the kind would show. The exact binomial interval (Clopper & Pearson 1934) says what other
    replications of these questions would show: given the question, replications are independent,
    and however much the questions' rates differ, their number of non-responses spreads less than
    a binomial of the mean rate (Hoeffding 1956), so that it covers at least as often as it says.

    Where no judgment is a non-response, or every one, questions show no spread and the exact
    interval stands alone: at most 1 - .025^(1/n) after none in n judgments. It is then for these
    questions only, and the estimate's warning says how many of others could be different: in the
    worst case, where a question has non-responses always or never, N questions without any are
    no more than N draws.

    Args:
        counts: Verdicts per question, as counted; not those without non-responses.
        non_response: The name of the category; if it is none of the categories, no judgment is.
        level: Confidence level.

    Raises:
        ReliabilityError: The level is not between 0 and 1.
    """
    check_level(level)
    judged = counts.replications > 0
    total, clusters = counts.replications[judged], counts.clusters[judged]
    n = len(np.unique(clusters))
    silent = np.zeros_like(total)
    if non_response in counts.categories:
        silent = counts.table[judged, counts.categories.index(non_response)]
    unjudged = tuple(q for q, known in zip(counts.questions, judged, strict=True) if not known)
    estimate = Estimate(
        n_questions=n,
        n_replications=float(total.mean()) if n else 0.0,
        left_out=LeftOut(int(counts.missing.sum()), unjudged),
        reason="there are no verdicts",
        level=level,
    )
    if n == 0:
        return estimate
    value = float(silent.sum() / total.sum())
    estimate = replace(estimate, value=value, reason=None)
    exact = clopper_pearson(int(silent.sum()), int(total.sum()), level)
    if value in (0, 1):
        other = 1 - constant_share_bound(n, level)
        warning = (
            f"{'No' if value == 0 else 'Every'} judgment is a non-response: the interval is for "
            f"these questions. Up to {other:.0%} of other questions of the kind could be different."
        )
        return add_interval(replace(estimate, warning=warning), exact, "exact bound")
    if n < FEWEST_QUESTIONS:
        return replace(estimate, reason=TOO_FEW)
    weights = leave_one_out(clusters)
    without = (weights @ silent) / (weights @ total)
    low, high = jackknife(value, without, level, least=0.0)
    ends = min(low, exact[0]), max(high, exact[1])
    return add_interval(estimate, ends, "jackknife")
