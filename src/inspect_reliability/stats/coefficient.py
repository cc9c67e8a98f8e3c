"""A coefficient: a formula, what to know about it, and its estimate with an interval."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from .counts import Counts
from .errors import ReliabilityError, check_level
from .estimate import Estimate, LeftOut
from .intervals import (
    FEWEST_QUESTIONS,
    TOO_FEW,
    add_interval,
    constant_share_bound,
    jackknife,
    leave_one_out,
)
from .numbers import Numbers
from .sums import FloatArray, Scale, Sums, sums

NO_VARIANCE = "no variance between questions"
NO_K = "the number of categories is not fixed where every non-response is a category of its own"

Formula = Callable[[Sums], FloatArray]


@dataclass(frozen=True)
class Coefficient:
    """One row of the table. Call it with counts (or numbers) to estimate it alone.

    Attributes:
        name: Its key, and its name in metrics, JSON and data frames.
        title: Its name in tables that people read.
        about: What it says, in one sentence.
        source: Author and year.
        formula: The coefficient as a function of sums over questions, NaN where it has no value.
        scale: What it takes verdicts for: names, ranks or numbers.
        least: The least it can be, of the same sums: no interval goes lower than this, or than
            the value. By default 0, of a share; no true composite is lower, since chance is 0.
        best: Its value where no question ever varies, 0 or 1.
        needs_categories: Whether it depends on the number of declared categories, K.
        depends_on_replications: Whether its true value depends on the number of replications, R.
        fewest_questions: How many questions it needs.
        compact: Whether a short panel has it.
    """

    name: str
    title: str
    about: str
    source: str
    formula: Formula
    scale: Scale = "nominal"
    least: Formula = lambda s: np.zeros_like(s.questions)
    best: float = 1.0
    needs_categories: bool = False
    depends_on_replications: bool = False
    fewest_questions: int = 2
    compact: bool = False

    def __call__(self, given: Counts | Numbers, level: float = 0.95) -> Estimate:
        """Estimate this coefficient alone; see `panel`."""
        return estimates(given, [self], level)[self.name]

    def check(self, given: Counts | Numbers) -> None:
        """Refuse counts where the coefficient takes numbers, and the reverse.

        Raises:
            ReliabilityError: They do not fit.
        """
        wanted = Numbers if self.scale == "interval" else Counts
        if not isinstance(given, wanted):
            raise ReliabilityError(
                f"{self.name} is of {self.scale} scale: give it {wanted.__name__}, not "
                f"{type(given).__name__}."
            )

    def undefined(self, given: Counts | Numbers) -> str:
        """Why the formula can have no value."""
        unknown_k = isinstance(given, Counts) and given.singletons
        return NO_K if self.needs_categories and unknown_k else NO_VARIANCE


def estimates(
    given: Counts | Numbers, rows: list[Coefficient], level: float
) -> dict[str, Estimate]:
    """Estimate coefficients; see `panel`."""
    check_level(level)
    for row in rows:
        row.check(given)
    blank = _blank(given, level)
    if not blank.n_questions:
        return {row.name: blank for row in rows}
    used = given.replicated
    # One pass over the questions a scale, whatever the number of coefficients.
    total = {scale: sums(used, scale) for scale in {row.scale for row in rows}}
    without = {}
    if blank.n_questions > 1:
        weights = leave_one_out(used.clusters)
        without = {scale: sums(used, scale, weights) for scale in total}
    return {
        row.name: _estimate(row, given, total[row.scale], without.get(row.scale), blank)
        for row in rows
    }


def _blank(given: Counts | Numbers, level: float) -> Estimate:
    """What is known before anything is estimated, with the reason if nothing can be."""
    used = given.replications >= 2
    return Estimate(
        n_questions=len(np.unique(given.clusters[used])),
        n_replications=float(given.replications[used].mean()) if used.any() else 0.0,
        left_out=LeftOut(int(given.missing.sum()), given.unreplicated),
        reason=(
            "needs at least 2 replications" if given.replications.any() else "there are no verdicts"
        ),
        level=level,
    )


def _estimate(
    row: Coefficient,
    given: Counts | Numbers,
    total: Sums,
    without: Sums | None,
    blank: Estimate,
) -> Estimate:
    """One coefficient with its interval, or with the reason why it has none."""
    if blank.n_questions < row.fewest_questions:
        return replace(blank, reason=f"needs at least {row.fewest_questions} questions")
    value = float(row.formula(total))
    if np.isnan(value):
        return replace(blank, reason=row.undefined(given))
    if total.disagreement == 0:
        found = replace(blank, value=row.best, reason="no interval: no question varies")
        if row.scale != "nominal":
            return found
        bound = total.at_agreement(constant_share_bound(blank.n_questions, blank.level))
        # Replications are exchangeable, so no true value is below that of chance.
        low, high = sorted((row.best, float(np.fmax(row.formula(bound), 0.0))))
        return add_interval(found, (low, high), "exact bound")
    found = replace(blank, value=value, reason=TOO_FEW)
    if without is None or blank.n_questions < FEWEST_QUESTIONS:
        return found
    left_out, least = row.formula(without), float(row.least(total))
    if row.best == 1:
        return add_interval(found, jackknife(value, left_out, blank.level, least), "jackknife")
    low, high = jackknife(1 - value, 1 - left_out, blank.level, least)
    return add_interval(found, (1 - high, 1 - low), "jackknife")
