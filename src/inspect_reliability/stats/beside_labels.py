"""What a judge is compared with: one verdict for all, its tries with a verdict, people's level."""

from collections.abc import Collection

import numpy as np

from .estimate import LEVEL, Estimate
from .labelled import NO_SCALE, WITHIN_ONE, Labelled, close
from .rates import by_question, mean_difference

_DIGITS = 12
"""Of shares that are equal."""


def best_constant(known: Labelled, kind: str) -> tuple[str, float] | None:
    """The one verdict that would be right most often, if every question got it, and how often.

    Args:
        known: Labels of the questions.
        kind: "accuracy" for right, "within_one" for at most a step from the label.

    Returns:
        Its name, and its share of these labels, as a mean over questions; of equal ones the most
        frequent label. None of verdicts that cannot be of this kind, or where labels are all alike.
    """
    if known.other_scale or known.one_label:
        return None
    labels = known.weight @ known.matched
    share = labels * known.decides
    if kind == WITHIN_ONE:
        if known.values is None or known.step is None:
            return None
        share = known.weight @ close(known.values, known.truth, known.step)
    order = np.lexsort((labels, share.round(_DIGITS)))
    return known.given.categories[order[-1]], float(share[order[-1]])


def of_given(known: Labelled, kind: str, silent: Collection[str]) -> float | None:
    """How often a try is of a kind, of the tries that have a verdict; None if none has.

    Args:
        known: Verdicts and labels.
        kind: One of `Labelled.kinds`.
        silent: Names of outputs without a verdict.
    """
    said = np.array([name not in silent for name in known.given.categories], dtype=float)
    given = float(known.weight @ (known.given.shares @ said))
    found = float(known.weight @ known.kinds[kind])
    return found / given if given > 0 and found == found else None


def mean_error(known: Labelled) -> Estimate:
    """How far the mean grade of a question lies above its mean label, mean over questions.

    Verdicts that are no numbers have no part in it. The interval is that of t.
    """
    if known.values is None or known.step is None:
        return Estimate(reason=known.other_scale or NO_SCALE)
    if (means := known.mean_grades()) is None:
        return Estimate(reason=NO_SCALE)
    said, label, both = means
    apart = by_question(said - label, known.given.clusters[both])
    return mean_difference(apart, LEVEL, float(known.given.replications[both].mean()))
