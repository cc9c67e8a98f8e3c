"""A coefficient: a formula, what to know about it, and its estimate with an interval."""

from dataclasses import dataclass, replace

import numpy as np

from .cells import Cells
from .errors import ReliabilityError, check_level
from .estimate import Estimate
from .intervals import (
    EXACT_BOUND,
    FEWEST_QUESTIONS,
    LOG_SCALE,
    TOO_FEW,
    Formula,
    Method,
    Study,
    with_ends,
)
from .sums import Scale

NO_VARIANCE = "no variance between questions"
NO_END = "an exact distribution has no number of replications"
NOT_COMPLETE = "fewer than two replications have a verdict of every question"
NO_K = "the number of categories is not fixed where every non-response is a category of its own"


@dataclass(frozen=True)
class Coefficient:
    """One coefficient. Call it with counts (or numbers) to estimate it.

    Attributes:
        name: Its key, and its name in metrics, JSON and data frames; people read its title.
        formula: The coefficient as a function of sums over questions, NaN if undefined.
        scale: Scale of the verdicts: names, ranks or numbers.
        least: Its minimum, from the same sums, by default 0; no interval goes below this and the
            value.
        best: Its value if no question ever varies, 0 or 1.
        interval: Method of its interval.
        needs_categories: Whether it depends on the number of declared categories, K.
        depends_on_replications: Whether its true value depends on the number of replications, R.
        of_all_replications: Whether it is of all replications, which exact distributions do not
            have.
        needs_complete: Whether it needs replications in which every question has a verdict.
        compact: Whether a short panel includes it.
    """

    name: str
    title: str
    about: str
    source: str
    formula: Formula
    scale: Scale = "nominal"
    least: Formula = lambda s: np.zeros_like(s.questions)
    best: float = 1.0
    interval: Method = LOG_SCALE
    needs_categories: bool = False
    depends_on_replications: bool = False
    of_all_replications: bool = False
    needs_complete: bool = False
    fewest_questions: int = 2
    compact: bool = False

    def __post_init__(self) -> None:
        """Give `help(omega)` and `omega?` the coefficient's own text."""
        said = f"{self.title}. {self.about} ({self.source})\n\n{self.__call__.__doc__}"
        object.__setattr__(self, "__doc__", said)

    def __call__(self, given: Cells, level: float = 0.95) -> Estimate:
        """Estimate this coefficient alone; see `panel`."""
        return estimates(given, [self], level)[self.name]

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

    def undefined(self, given: Cells) -> str:
        """Why the formula may be undefined."""
        if self.needs_categories and given.singletons:
            return NO_K
        if self.needs_complete and (~np.isnan(given.scores).any(axis=0)).sum() < 2:
            return NOT_COMPLETE
        return NO_VARIANCE


def estimates(given: Cells, rows: list[Coefficient], level: float) -> dict[str, Estimate]:
    """Estimate coefficients; see `panel`."""
    check_level(level)
    for row in rows:
        row.check(given)
    enough = given.replications >= 2
    used = given.replicated if enough.any() else None
    blank = Estimate(
        n_questions=used.n_clusters if used else 0,
        n_replications=float(used.replications.mean()) if used else 0.0,
        left_out=given.fewer_than(2),
        reason=(
            "needs at least 2 replications" if given.replications.any() else "there are no verdicts"
        ),
        level=level,
    )
    if used is None:
        return {row.name: blank for row in rows}
    # One pass over the questions a scale, whatever the number of coefficients.
    studies = {scale: Study(used, scale) for scale in {row.scale for row in rows}}
    return {row.name: _estimate(row, given, studies[row.scale], blank) for row in rows}


def _estimate(row: Coefficient, given: Cells, study: Study, blank: Estimate) -> Estimate:
    if row.of_all_replications and given.exact:
        return replace(blank, reason=NO_END)
    if study.n < row.fewest_questions:
        return replace(blank, reason=f"needs at least {row.fewest_questions} questions")
    value = float(row.formula(study.total))
    if np.isnan(value):
        return replace(blank, reason=row.undefined(given))
    constant = bool(study.total.disagreement == 0)
    found = replace(blank, value=row.best if constant else value, reason=TOO_FEW)
    if constant and row.scale != "nominal":
        return replace(found, reason="no interval: no question varies")
    if not constant and study.n < FEWEST_QUESTIONS:
        return found
    method = EXACT_BOUND if constant and not row.interval.constant else row.interval

    rising: Formula = row.formula if row.best == 1 else lambda s: 1 - row.formula(s)
    name = EXACT_BOUND.name if constant else method.name
    found = with_ends(found, method.ends(rising, study, blank.level), name)
    if found.low is None or found.high is None:
        return found
    # Replications are exchangeable, so the true value cannot be below chance, although about half
    # of the estimates from pure noise are.
    x = float(rising(study.total))
    low = min(max(found.low, float(row.least(study.total))), x)
    high = max(min(found.high, 1.0), 0.0, x)
    if row.best == 0:
        low, high = 1 - high, 1 - low
    return replace(found, low=low, high=high)
