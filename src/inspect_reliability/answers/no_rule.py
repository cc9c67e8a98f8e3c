"""Why no rule keeps a promise, in words, and what labels show of all verdicts together."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, isfinite

from ..showing.formats import amount, most_feasible, percent
from ..stats.cells import ROUNDING
from ..stats.interval_scales import one_sided
from ..stats.selective import POWER, Needed, Rule, Threshold, fewest_kept
from .promise import Promise
from .row import Row, by_options, tells_outputs_apart

_OUTPUTS = (
    "questions have several outputs, and these are no independent draws: judge one output a "
    "question"
)


def several_outputs(rows: Sequence[Row]) -> str | None:
    """Why these rows get no promise, if their questions have several outputs; None if not."""
    if not any(row.counts.clustered for row in rows):
        return None
    apart = tells_outputs_apart(rows)
    return _OUTPUTS + f", or group by what tells them apart ({by_options(apart)})" * bool(apart)


def wrong_of(step: Threshold, promise: Promise, skipped: int = 0) -> str:
    """How many of the labelled that a step keeps are wrong, in words; skipped ones are named."""
    errors = step.errors - skipped
    return (
        f"{errors} of {amount(step.n_labelled - skipped, 'labelled question')} "
        f"{'is' if errors == 1 else 'are'} {promise.wrong}{and_skipped(skipped)}"
    )


def and_skipped(number: int) -> str:
    """That so many outputs which a labeller passed over count as wrong; "" without any."""
    return f", and {number:,} skipped or unsure count{'s' * (number == 1)} as wrong" * (number > 0)


def why_stopped_without(rule: Rule, promise: Promise, labels: int, skipped: int) -> str:
    """Why labels that a page stopped promise nothing; `skipped` were reached and have none."""
    if rule.known:
        every = wrong_of(rule.path[-1], promise, skipped)
        return f"too many errors: {every}; everything that could be kept was reached"
    return f"not decided yet by {amount(labels, 'label')}{and_skipped(skipped)}"


_IF = " if errors stay as frequent"

_UNKNOWN = "; the labels so far are too few to say how probably"
_BY_PAGE = ". label --for keep needs no such number: its page stops when the promise is made"

_DIGITS = 1000
"""Parts to which a bound is rounded up."""


@dataclass(frozen=True)
class Together:
    """All labelled verdicts, kept whatever their votes.

    Attributes:
        wrong: How many are wrong, or undecided.
        labelled: How many there are.
        most: The largest share that may be wrong, by the exact upper limit of one side.
    """

    wrong: int
    labelled: int
    most: float

    @property
    def words(self) -> str:
        """What labels show of them."""
        return f"{self.wrong} of {self.labelled:,} wrong, at most {percent(self.most)}"


@dataclass(frozen=True)
class NoRule:
    """A rule without a threshold that passes.

    Attributes:
        rule: What was tested.
        promise: What was asked.
        questions: How many there are.
        labelled: How many of them have a label.
        tries: Numbers of tries that questions have.
    """

    rule: Rule
    promise: Promise
    questions: int
    labelled: int
    tries: Sequence[float]

    @property
    def _fewest(self) -> int:
        """Labelled questions without an error that the promise needs."""
        promise = self.promise
        return fewest_kept(promise.max_error, promise.confidence, promise.within_one)

    @cached_property
    def needed(self) -> Needed | None:
        """Labels that would do: probably, or where so few tell of no such number, as it looks.

        None where all verdicts `together` are right often enough by these labels.
        """
        if not self.rule.path or (self.together and self.stopped_at):
            return None
        likely = self.rule.needed
        if likely and likely.labels <= most_feasible(self.questions):
            return likely
        return self.rule.if_as_before or likely

    @property
    def is_likely(self) -> bool:
        """Whether it is known how probably these labels would do."""
        return self.needed is self.rule.needed

    @property
    def more_labels(self) -> int | None:
        """Labels that would do, with those there are; None if no number would."""
        return self.needed.labels if self.needed else None

    @property
    def stopped_at(self) -> Threshold | None:
        """The first threshold that was tested; None where all have too few labels."""
        enough = [step for step in self.rule.path if step.n_labelled >= self._fewest]
        return enough[-1 if self.promise.within_one else 0] if enough else None

    @property
    def together(self) -> Together | None:
        """All verdicts, where these labels show few enough of them to be wrong.

        That is one test by itself: the rule begins with the steadiest verdicts, and has its whole
        level for these.
        """
        if not self.rule.path:  # no verdict can be kept
            return None
        last, n = self.rule.path[-1], self.labelled
        wrong = n - last.n_labelled + last.errors
        _, most = one_sided(wrong, n, self.promise.confidence)
        if self.promise.within_one or most > self.promise.max_error:
            return None
        return Together(wrong, n, ceil(most * _DIGITS) / _DIGITS)

    @property
    def words(self) -> str:
        """Why nothing is promised."""
        first, most = self.stopped_at, self.rule.path[-1].n_labelled
        if first is None:
            return (
                f"too few labels: {amount(most, 'labelled question')} could be kept, and the "
                f"promise needs {self._fewest} without an error; {self._more_labels(None)}"
            )
        few = (first.error or 0.0) < self.promise.max_error
        why = f"too few labels to show {self.promise.most}" if few else "too many errors"
        return (
            f"{why}: {wrong_of(first, self.promise)} among those with {self._votes(first)}; "
            f"{self._more_labels(first)}"
        )

    def shown(self, error: str) -> str:
        """In a few words, that these labels hold no promise of so few errors."""
        first, none = self.stopped_at, f"no promise of {error}"
        if first is None:
            return none
        errors, n = first.errors, f"{first.n_labelled:,}"
        are = "is" if errors == 1 else "are"
        if first.kept < self.rule.path[-1].kept:
            found = f"{none}: of its steadiest verdicts {errors} of {n} labelled ones {are}"
        else:
            found = f"{none}: of the {n} labelled verdicts that could be kept {errors} {are}"
        together = f" (of all, {self.together.words})" if self.together else ""
        return f"{found} {self.promise.wrong}{together}"

    def _more_labels(self, tested: Threshold | None) -> str:
        """How many labels would do, for which votes; or where the rule stopped."""
        labels, n, together = self.more_labels, self.questions, self.together
        if not self.needed or not labels:
            if together and tested:
                stops = "the rule looks at the steadiest verdicts first, and stopped there"
                return f"{stops}; all of them together: {together.words}"
            return f"no number of labels would be enough,{_IF}"
        if labels > most_feasible(n):
            return f"more than {most_feasible(n):,} labels would be needed,{_IF}"
        likely = f" with {percent(POWER)} probability" * self.is_likely
        do = f"about {labels:,} labels would be enough{likely}"
        step = self.needed.step
        if tested and step.threshold != tested.threshold:
            do += f" for those with {self._votes(step)}"
        if labels > n:
            do += f", more than these {n:,} questions can have"
        if self.is_likely:
            return do
        return f"{do},{_IF}{_UNKNOWN}{_BY_PAGE * (self.labelled < n)}"

    @property
    def how_probably(self) -> str:
        """With which probability the labels would do; on what terms, where that is not known."""
        return f" with {percent(POWER)} probability" if self.is_likely else _IF

    def _votes(self, step: Threshold) -> str:
        """The votes that a threshold asks for."""
        if step.threshold >= 1:
            return "all votes alike"
        tries = {*self.tries}
        if len(tries) == 1 and isfinite(each := max(tries)):
            return f"{ceil(step.threshold * each - ROUNDING)} of {each:g} votes or more"
        return f"{percent(round(step.threshold, 3))} of votes or more"
