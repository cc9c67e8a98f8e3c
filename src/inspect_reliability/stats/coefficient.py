"""A coefficient: a formula, what to know about it, and its estimate with an interval."""

from dataclasses import dataclass, replace

import numpy as np

from .cells import Cells
from .ends import Ends
from .errors import ReliabilityError, check_level
from .estimate import Estimate
from .intervals import (
    FEWEST_QUESTIONS,
    PLUS_A_QUESTION,
    TOO_FEW,
    Method,
    interval,
    with_ends,
    within_bounds,
)
from .study import Formula, Study
from .sums import Scale, terms

_Known = dict[str, tuple[Ends, str]]

NO_VARIANCE = "no variance between questions"


@dataclass(frozen=True)
class Coefficient:
    """One coefficient. Call it with counts (or numbers) to estimate it.

    Attributes:
        name: Its key, and its name in metrics, JSON and data frames; people read its title.
        formula: The coefficient as a function of sums over questions: 1 where none ever varies,
            less the more they do, NaN if undefined.
        scale: Scale of the verdicts: names, ranks or numbers.
        least: Its minimum, from the same sums, by default 0; no interval goes below this and the
            value.
        interval: Method of its interval.
        like: Another coefficient with the same population value, whose interval it takes over.
        needs_categories: Whether it depends on the number of declared categories, K.
        compact: Whether a short panel includes it.
        by_chance: Whether it takes off what chance gives, by the names of all questions together.
    """

    name: str
    title: str
    about: str
    source: str
    formula: Formula
    scale: Scale = "nominal"
    least: Formula = lambda s: np.zeros_like(s.questions)
    interval: Method = PLUS_A_QUESTION
    like: "Coefficient | None" = None
    needs_categories: bool = False
    fewest_questions: int = 2
    compact: bool = False
    by_chance: bool = False

    def __post_init__(self) -> None:
        """Give `help(omega)` and `omega?` the coefficient's own text."""
        said = f"{self.title}. {self.about} ({self.source})\n\n{self.__call__.__doc__}"
        object.__setattr__(self, "__doc__", said)

    def __call__(self, given: Cells, level: float = 0.95) -> Estimate:
        """Estimate this coefficient alone; see `panel`."""
        return panel_of(given, [self], level)[self.name]

    def check(self, given: Cells) -> None:
        """Check that the verdicts have the coefficient's scale.

        Raises:
            ReliabilityError: They have another.
        """
        if given.numeric != (self.scale == "interval"):
            wanted, other = ("names", "numbers") if given.numeric else ("numbers", "names")
            raise ReliabilityError(
                f"{self.name} is of {self.scale} scale: give it verdicts taken for {wanted}, not "
                f"for {other}."
            )


def panel_of(given: Cells, rows: list[Coefficient], level: float) -> dict[str, Estimate]:
    """Estimate coefficients; see `panel`."""
    check_level(level)
    for row in rows:
        row.check(given)
    blank = Estimate(left_out=given.fewer_than(2), level=level)
    most = given.replications.max()
    if most < 2:
        why = "needs at least 2 replications" if most else "there are no verdicts"
        return {row.name: replace(blank, reason=why) for row in rows}
    used = given.replicated
    each = float(used.replications.mean())
    blank = replace(blank, n_questions=used.n_clusters, n_replications=each)
    # One pass over the questions a scale, whatever the number of coefficients.
    studies = {scale: Study([terms(used, scale)]) for scale in {row.scale for row in rows}}
    found, known = dict[str, Estimate](), _Known()
    for row in rows:
        found[row.name] = estimated(row, studies[row.scale], blank, known)
    return found


def estimated(
    row: Coefficient, study: Study, blank: Estimate, known: dict[str, tuple[Ends, str]]
) -> Estimate:
    """Fill a blank estimate; `known` are the ends of coefficients that others take over."""
    if study.n < row.fewest_questions:
        return replace(blank, reason=f"needs at least {row.fewest_questions} questions")
    value = float(row.formula(study.total))
    if np.isnan(value):
        return replace(blank, reason=NO_VARIANCE)
    steady = study.steady(row.formula)
    found = replace(blank, value=value, reason=TOO_FEW)
    if steady and row.scale != "nominal":
        return replace(found, reason="no interval: no question varies")
    if not steady and study.n < FEWEST_QUESTIONS:
        return found
    source = row.like or row
    if source.name not in known:
        known[source.name] = interval(source.formula, source.interval, study, blank.level)
    ends, name = known[source.name]
    found = with_ends(found, ends, f"as {source.name}" if row.like and not steady else name)
    # Replications are exchangeable, so the true value cannot be below chance, although about half
    # of the estimates from pure noise are.
    return within_bounds(found, float(row.least(study.total)), 0.0)
