"""What a change of an answer does to its verdicts: numpy alone, one question a row."""

from typing import NamedTuple

import numpy as np

from .estimate import LEVEL, Estimate
from .long import FloatArray
from .rates import mean_difference, mean_share


class Pull(NamedTuple):
    """How far verdicts go towards a changed answer, and how often they stay with it.

    Attributes:
        differences: The difference on each question, whose mean is `towards`.
        towards: Share of verdicts for the changed answer less the share for the same answer as it
            was; or the difference of its mean grades.
        stays: Share of verdicts for it as changed; or, of grades, of pairs of a grade of it as
            changed and one as it was in which the first is no lower.
    """

    differences: FloatArray
    towards: Estimate
    stays: Estimate


def pull(before: list[list[FloatArray]], after: list[list[FloatArray]], graded: bool) -> Pull:
    """Compare verdicts on answers before and after a change, with intervals over questions.

    `towards` is how often a verdict moves towards the changed answer less how often it moves away
    from it: of a verdict on each side, drawn independently, the shares of both agree in what they
    have in common. It is 0 for a judge that the change does not move, whatever its noise.

    Args:
        before: For each question, one or more, for each of its answers that was changed, the
            verdicts on it as it was: 1 where they are for it and 0 where not, or grades.
        after: The same as changed.
        graded: Whether verdicts are grades.
    """
    differences, kept, number = [], [], 0
    for old, new in zip(before, after, strict=True):
        pairs = [*zip(old, new, strict=True)]
        number += sum(map(len, new))
        differences.append(np.mean([b.mean() - a.mean() for a, b in pairs]))
        stay = [(b[:, None] >= a).mean() if graded else b.mean() for a, b in pairs]
        kept.append(np.mean(stay))
    each, found = number / len(after), np.array(differences)
    return Pull(found, mean_difference(found, LEVEL, each), mean_share(np.array(kept), LEVEL, each))
