"""How often can a judge be right at most, by how far people agree?"""

from dataclasses import replace
from math import sqrt

from .cells import ROUNDING, Cells
from .coefficients import agreement, krippendorff_alpha
from .estimate import Estimate

WIDEST = 0.2
"""Width of the ceiling's interval above which it tells little: 10 points to either side."""

NOT_ABOVE_CHANCE = "these labels do not show that people agree more often than by chance"

REFUTED = (
    "a judge is right more often than it could be if two people erred independently and equally "
    "often"
)


def accuracy_ceiling(people: Cells, accuracy: Estimate) -> Estimate:
    """The root of the agreement of two people, if they err independently and equally often.

    Each is then right with the same probability q, and they agree in q^2 or more, so q is the root
    of their agreement at most. A verdict that is always right is the label in q.

    Args:
        people: Labels of the questions with several, one verdict a person.
        accuracy: How often a verdict is the label.

    Returns:
        The root with its interval. No value where the interval is wider than `WIDEST`, as of few
        questions; where the agreement may be that of chance; and where the judge is significantly
        more often right than the root, so that the "if" is refuted (the intervals of both joined
        as by Zou & Donner 2008).
    """
    agree = agreement(people)
    if agree.value is None:
        return agree
    root = sqrt(agree.value)
    low, high = map(sqrt, agree.ends or (0.0, 1.0))
    chance = krippendorff_alpha(people).low
    why = None
    if high - low > WIDEST:
        what = "outputs" if people.clustered else "questions"
        why = f"too few {what} have several labels ({len(people.questions):,})"
    elif chance is None or chance <= ROUNDING:
        why = NOT_ABOVE_CHANCE
    elif accuracy.value is not None and accuracy.low is not None and accuracy.value > root:
        apart = sqrt((accuracy.value - accuracy.low) ** 2 + (high - root) ** 2)
        why = REFUTED if accuracy.value - root > apart else None
    if why:
        return replace(agree, value=None, low=None, high=None, method=None, reason=why)
    return replace(agree, value=root, low=low, high=high)
