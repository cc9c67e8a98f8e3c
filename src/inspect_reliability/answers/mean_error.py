"""The mean grade of each side, and how far it lies above or below that of people."""

from collections.abc import Iterator, Mapping

from ..judgments.count import Judged
from ..judgments.scales import labelled
from ..stats.beside_labels import compare_mean_error, mean_error
from ..stats.comparison import Comparison, compare_independent
from ..stats.rates import mean_number
from .row import Row

MEAN_ERROR = "mean_error"

MEAN_GRADE = "mean_grade"


def mean_error_of_sides(parts: Mapping[str, Row], level: float) -> Iterator[Comparison]:
    """The difference of two sides that judged the same questions, on those with labels."""
    if len(parts) != 2:
        return
    known = {name: labelled(Judged(row.asked)) for name, row in parts.items()}
    given = {name: one for name, one in known.items() if one}
    if len(given) == 2 and (found := compare_mean_error(given, level)):
        yield found


def mean_grade_of_samples(parts: Mapping[str, Row]) -> Iterator[Comparison]:
    """The difference of the mean grades of two sides with questions of their own."""
    (one, first), (other, second) = parts.items()
    if first.judged.scale and second.judged.scale:
        each = (mean_number(row.counts, row.judged.scale or {}) for row in (first, second))
        yield compare_independent((one, other), MEAN_GRADE, *each)


def mean_error_of_samples(parts: Mapping[str, Row]) -> Iterator[Comparison]:
    """The difference of two sides with questions of their own, each by its own labels."""
    (one, first), (other, second) = parts.items()
    if first.labelled and second.labelled:
        each = (
            row.at_any_time(mean_error(row.labelled)) for row in (first, second) if row.labelled
        )
        found = compare_independent((one, other), MEAN_ERROR, *each)
        if found.difference is not None:
            yield found
