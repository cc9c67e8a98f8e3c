"""Questions that several judges share: do they agree, and what is a panel worth?"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain

import numpy as np

from .cells import Cells
from .errors import ReliabilityError
from .estimate import LEVEL, Estimate
from .rates import by_question, mean_share


class NothingSharedError(ReliabilityError):
    """The judges have no question in common."""


def shared_questions(
    judges: Mapping[str, Cells], replications: int = 2
) -> tuple[dict[str, Cells], dict[str, tuple[str, ...]]]:
    """Keep the questions with enough verdicts of all judges, and name the others.

    Categories are matched by name; a judge never chose one that it does not declare.

    Returns:
        Name -> verdicts on the same questions, in the same categories and order; and reason -> the
        questions left out because of it.

    Raises:
        NothingSharedError: No question is shared.
    """
    categories = tuple(dict.fromkeys(c for given in judges.values() for c in given.categories))
    asked = dict.fromkeys(name for given in judges.values() for name in given.questions)
    left_out = {}
    for judge, given in judges.items():
        judged = set(given.questions)
        left_out[f"not judged by {judge}"] = tuple(q for q in asked if q not in judged)
        few = given.fewer_than(replications)
        left_out[f"fewer than {replications} replications by {judge}"] = few
    left_out = {reason: absent for reason, absent in left_out.items() if absent}
    gone = {question for absent in left_out.values() for question in absent}
    shared = tuple(question for question in asked if question not in gone)
    if not shared:
        why = "; ".join(f"{len(absent)} {reason}" for reason, absent in left_out.items())
        raise NothingSharedError(
            f"{' and '.join(judges)} share no question with at least {replications} replications "
            f"each ({why}). Questions are matched by name, such as {next(iter(asked))!r}."
        )
    alike = {}
    for judge, given in judges.items():
        row = {name: i for i, name in enumerate(given.questions)}
        chosen = given.rows([row[name] for name in shared])
        alike[judge] = chosen if given.numeric else chosen.columns(categories)
    return alike, left_out


def agreement_between(judges: Mapping[str, Cells]) -> Estimate:
    """How often two judges give the same verdict on a question (the paper's Table 1).

    The mean over questions of the mean over pairs of judges; all verdicts of one are compared with
    all of the other. Questions that some judge did not judge are left out and named.

    Raises:
        NothingSharedError: No question is shared.
        ReliabilityError: Fewer than two judges, or verdicts as numbers.
    """
    if len(judges) < 2:
        raise ReliabilityError(
            f"Agreement between judges needs at least 2 judges, not {len(judges)}. For one judge "
            "read omega."
        )
    if any(counts.numeric for counts in judges.values()):
        raise ReliabilityError("Agreement between judges needs verdicts taken for names.")
    shared, absent = shared_questions(judges, replications=1)
    counts = list(shared.values())
    left_out = tuple(dict.fromkeys(chain.from_iterable(absent.values())))
    each = float(np.mean([one.replications.mean() for one in counts]))
    shares = np.array([one.shares for one in counts])
    # Of the pairs of any two, those of a judge with itself are none.
    alike = shares.sum(axis=0) ** 2 - (shares**2).sum(axis=0)
    agree = by_question(alike.sum(axis=1), counts[0].clusters) / (len(counts) * (len(counts) - 1))
    return mean_share(agree, LEVEL, each, left_out)


def effective_number(judges: int, correlation: Estimate) -> Estimate:
    """The number of judges without common errors that a panel is worth: k / (1 + (k - 1) rho).

    The variance of one judge's error over that of their mean (Kish 1965, eq. 5.4.1), given the mean
    correlation rho of two judges' errors. A correlation of verdicts also counts what is right as
    common, and gives a lower bound. Where rho is negative, no more judges than there are is a
    number to quote: there is none, and the reason has the least that it is.
    """

    def number(rho: float | None) -> float | None:
        worth = 0.0 if rho is None else 1 + (judges - 1) * rho
        return judges / worth if worth > 0 else None

    value, low, high = map(number, (correlation.value, correlation.high, correlation.low))
    if correlation.value is not None and correlation.value < 0:
        least = f", so it is at least {low:.1f}" if low is not None and low < judges else ""
        why = f"two judges' errors show nothing in common (correlation {correlation.value:.2f})"
        return replace(correlation, value=None, low=None, high=None, reason=f"{why}{least}")
    return replace(correlation, value=value, low=low, high=high)
