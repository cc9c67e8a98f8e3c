"""Verdicts beside labels: how often they are right, and on a scale how near and in what order.

Of a scale, an exact match says little: a 7 beside an 8 is no error as a 1 is.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from .cells import Cells, Flags, FloatArray
from .estimate import LEVEL, Estimate, Reason, Unknown
from .grade_steps import (
    both_have_halves,
    grade_unit,
    grid_of,
    multiples,
    near,
    nearest_grades,
    other_scale,
    step_of,
)
from .interval_scales import NO_WIDTH, jackknife_error, on_log_scale, t_quantile
from .intervals import FEWEST_QUESTIONS, TOO_FEW, with_ends
from .majority import VOTES, means, means_in_turn, places_of, winners_by
from .moments import ratio
from .planned_intervals import OfShares
from .planning import Precision
from .rank_correlation import SAME_LABEL, spearman
from .rates import both_of, by_question, mean_share
from .turns import by_way

NOT_REPLICATED = "every labelled question was judged once"

NO_SCALE = Reason(Unknown.NO_SCALE, "verdicts and labels are not numbers of more than two values")

UNEQUAL = Reason(
    Unknown.NO_NEAREST, "grades lie at unequal distances, so a mean has no nearest grade"
)

ALIKE = (
    "every labelled question came out alike, so how many labels would be enough is not known: "
    "label more questions, and plan again"
)

KINDS = ("accuracy", "undecided", "wrong")
"""What one verdict is beside a label, as `Labelled.kinds`; "accuracy" is how often it is right."""

WITHIN_ONE = "within_one"
"""How often one verdict is at most a step from the label, on a scale."""

SHARES = (*KINDS, WITHIN_ONE)
"""Every share of `Labelled.share`."""

ENOUGH = 20
"""Labelled questions that show how far a scale goes."""

_DIGITS = 12
"""Of shares that are equal."""

_FEW = 9
"""Up to this, every number of votes is tried."""


class Labelled:
    """Verdicts and labels on the same questions, in the same categories.

    A label is right by definition. A verdict is `undecided` if it is one of those that decide
    nothing, whatever the label; else it is right if it is the label, else wrong. If several raters
    labelled a question, each counts the same: a verdict is right as often as it is the label of a
    rater drawn at random. What people agree on may be told by other labels than those that decide.

    Attributes:
        given: Verdicts of the labelled questions (or outputs, or cells), N x K.
        raters: Labels of questions with verdicts, one verdict per rater; in the same clusters.
        truth: Share of each label among those of a row's question, N x K.
        open: Names of the verdicts that decide nothing.
        decides: 1 for each of the K categories that decides something, else 0.
        matched: `truth`, where a label between two grades of the judge, as the mean of several
            people, is the nearest grade.
        unit: What grades are multiples of, see `grade_unit`; None if every number is a grade.
        grid: The grades that a mean is rounded to, see `grid_of`; None if every number is one.
        finest: What the judge's verdicts are multiples of, mostly: such a label is itself.
        midway: Whether such a label is half of each of two grades.
        step: A step of the labels' scale, or of the judge's where labels lie between its grades;
            None where nothing is a scale, or scales differ.
        values: The K categories as numbers, NaN for those that are none; None if they are names.
        other_scale: Why equal numbers do not mean the same, so that none is right or wrong; None
            if they do.

    Raises:
        NoJudgmentsError: No question has both.
    """

    def __init__(
        self,
        given: Cells,
        labels: Cells,
        open: Collection[str] = (),
        values: Mapping[str, float] | None = None,
        people: Cells | None = None,
    ) -> None:
        at = {name: i for i, name in enumerate(labels.questions)}
        known = np.array([name in at for name in given.questions]) & (given.replications > 0)
        names = tuple(dict.fromkeys([*given.categories, *labels.categories]))
        self.given = given.rows(known).columns(names)
        of = dict(zip(self.given.questions, self.given.clusters.tolist(), strict=True))
        right = labels.rows([at[name] for name in of]).together(of.values())
        row = {name: i for i, name in enumerate(of)}
        rows = [row[name] for name in self.given.questions]
        self.truth = right.columns(names).shares[rows]
        self.raters = right
        if people is not None:
            at = {name: i for i, name in enumerate(people.questions)}
            self.raters = people.rows([at[name] for name in of]).together(of.values())
        self.open = frozenset(open)
        self.decides = np.array([name not in self.open for name in names], dtype=float)
        self.values = None if values is None else np.array([values.get(n, np.nan) for n in names])
        shares = self.given.shares.mean(axis=0), self.truth.mean(axis=0)
        could = np.array([name in {*given.categories} for name in names])
        many = self.given.n_clusters >= ENOUGH
        self.other_scale: str | None = None
        if many and np.count_nonzero(shares[1]) == 1:
            self.values = None  # the right one of several has one name everywhere
        elif many and self.values is not None:
            self.other_scale = other_scale(self.values, *shares, could)
        self.unit = None if self.values is None else grade_unit(self.values, *shares)
        self.finest = None if self.values is None else multiples(self.values, shares[0])
        self.grid = None if self.values is None else grid_of(self.values, shares[1], self.unit)
        self._match()
        self.step = None
        if self.values is not None and not self.other_scale:
            self.step = step_of(self.values, shares[1], self.unit)

    def _match(self) -> None:
        """Say which grade each label is."""
        self.matched, self.midway = self.truth, False
        if self.values is not None and self.unit is not None:
            shares = self.truth.mean(axis=0)
            to_grade = nearest_grades(self.values, shares, self.unit, self.finest)
            self.midway = bool((shares @ (to_grade == 0.5)).any())
            self.matched = self.truth @ to_grade

    def beside(self, judges: Sequence["Labelled"]) -> "Labelled":
        """The same by the step and the grades that it has in common with other judges.

        The step is the largest of theirs. A label is itself, and no half of two grades, for all if
        it is for one of them.
        """
        found = self.with_step(common_step(judges))
        finest = [one.finest for one in judges if one.finest is not None]
        if finest and min(finest) != self.finest:
            found.finest = min(finest)
            found._match()
        return found

    def on(self, given: Cells) -> "Labelled":
        """The same verdicts and labels, by the same definitions, on some of the questions.

        Args:
            given: The questions, each in one row, with their clusters.
        """
        row = {name: i for i, name in enumerate(self.given.questions)}
        at, clusters = [row[name] for name in given.questions], given.clusters.tolist()
        found = self.with_step(self.step)
        found.given = self.given.rows(at).together(clusters)
        found.raters = self.raters.rows(at).together(clusters)
        found.truth, found.matched = self.truth[at], self.matched[at]
        return found

    def with_step(self, step: float | None) -> "Labelled":
        """The same with another step."""
        found = copy(self)
        found.__dict__.pop("kinds", None)
        found.step = step
        return found

    @property
    def grades(self) -> Flags:
        """Which categories are grades, or names: none between the grades of the scale."""
        if self.values is None:
            return np.ones(len(self.given.categories), dtype=bool)
        return np.asarray(self.of_grid(self.values) | np.isnan(self.values))

    def of_grid(self, numbers: FloatArray) -> Flags:
        """Which numbers are grades that a mean can be rounded to."""
        return np.ones(numbers.shape, dtype=bool) if self.grid is None else self.grid.has(numbers)

    @property
    def other_step(self) -> "Labelled | None":
        """The same with a step of 1 for 0.5, or of 0.5 for 1, if judge and people give halves."""
        shares = self.given.shares.mean(axis=0), self.truth.mean(axis=0)
        if self.values is None or self.step not in (0.5, 1.0):
            return None
        return self.with_step(1.5 - self.step) if both_have_halves(self.values, *shares) else None

    @property
    def between(self) -> float:
        """The share of tries whose verdict is no grade and no label, so is never right."""
        never = ~self.grades & ~self.matched.any(axis=0)
        return float(self.weight @ self.given.shares @ never)

    def labels_in(self, category: str) -> dict[str, float]:
        """The share of each question's labels in a category, those between grades as `matched`."""
        at = self.given.categories.index(category)
        return dict(zip(self.given.questions, self.matched[:, at].tolist(), strict=True))

    @property
    def one_label(self) -> bool:
        """Whether every label is the same, so that right verdicts tell no question apart."""
        given: Flags = np.asarray(self.truth.any(axis=0))
        return bool(np.count_nonzero(given | given[self.given.mirror]) == 1)

    @cached_property
    def kinds(self) -> dict[str, FloatArray]:
        """How often one verdict is right ("accuracy"), "undecided", "wrong", "within_one", each N.

        The first three add up to 1. The last is NaN where nothing is a scale.
        """
        right = (self.matched * self.given.shares * self.decides).sum(axis=1)
        undecided = self.given.shares @ (1 - self.decides)
        if self.other_scale:
            right = np.full_like(right, np.nan)
        close = np.full_like(right, np.nan)
        if self.values is not None and self.step is not None:
            close = near(self.values, self.given.shares, self.truth, self.step)
        parts = (right, undecided, 1 - right - undecided, close)
        return dict(zip(SHARES, parts, strict=True))

    def _twice(self, right: bool, undecided: bool) -> FloatArray:
        """How often two verdicts are both among these by one label, N; NaN with only one."""
        given, open = self.given, 1 - self.decides
        if given.exact:
            own = np.diag(right * self.decides)  # verdict x label
            of = own + np.outer(undecided * open, np.ones(len(open)))
            both = (given.shares @ of) ** 2 - given.excess(of)
        else:
            both = both_of(given, np.diag(right * self.decides) + undecided * open[:, None])
        return np.asarray((self.matched * both).sum(axis=1))

    def by_question(
        self, kind: str = "accuracy", votes: int = 1, silent: Collection[str] = ()
    ) -> FloatArray:
        """How often a verdict is of a kind, by question (cluster) that intervals are over.

        Of several votes, their majority, or on a scale their mean; see `together`. NaN of
        questions with fewer.
        """
        values, of = self.together(kind, votes, silent), self.given.clusters
        known = ~np.isnan(values)
        found = np.full(self.given.n_clusters, np.nan)
        found[np.isin(np.unique(of), of[known])] = by_question(values, of, known)
        return found

    def share(
        self,
        kind: str = "accuracy",
        votes: int = 1,
        silent: Collection[str] = (),
        level: float = LEVEL,
    ) -> Estimate:
        """How often one verdict is of one of the `kinds`; or what several are `together`."""
        why = (self.other_scale or NO_SCALE) if kind == WITHIN_ONE else NOT_REPLICATED
        if votes > 1:
            most = self.given.replications.max()
            why = Reason(
                Unknown.OTHER_KIND,
                f"no labelled question has {votes} verdicts: the most are {most:g}",
            )
            if self.of_means and not self.has_means:
                why = UNEQUAL
            elif kind == WITHIN_ONE and not self.of_means:
                why = self.other_scale or NO_SCALE
        return self._mean(self.together(kind, votes, silent), why, level=level)

    @property
    def of_means(self) -> bool:
        """Whether several verdicts make a mean, since they are grades, or else a majority."""
        return self.step is not None

    def together(self, kind: str, votes: int, silent: Collection[str] = ()) -> FloatArray:
        """How often so many verdicts together are of a kind, N; NaN of rows with fewer.

        Args:
            kind: One of the `kinds`; of more than one vote, "accuracy" or "within_one".
            votes: How many verdicts: their majority, or on a scale their mean, as in `votes` and
                `means`.
            silent: Names of those that have no vote.
        """
        if votes == 1:
            return self.kinds[kind]
        unknown = np.full(len(self.given.replications), np.nan)
        if self.other_scale or not (self.given.replications >= votes).any():
            return unknown
        if self.of_means:
            right, close = next(self._means([votes], silent), (unknown, unknown))
            return close if kind == WITHIN_ONE else right
        return unknown if kind == WITHIN_ONE else next(self.majorities([votes], silent))

    def distance(self) -> float | None:
        """How far a verdict is from the label, mean over questions; None as `step`."""
        if self.values is None or self.step is None:
            return None
        used = ~np.isnan(self.values)
        apart = np.abs(np.subtract.outer(self.values[used], self.values[used]))
        given, labels = self.given.shares[:, used], self.truth[:, used]
        both = given.sum(axis=1) * labels.sum(axis=1)
        far = ratio((given @ apart * labels).sum(axis=1), both)
        own = by_question(far, self.given.clusters)
        known = own[~np.isnan(own)]
        return float(known.mean()) if len(known) else None

    def rank_correlation(self) -> Estimate:
        """Spearman's correlation of the mean verdict with the mean label; see `spearman`."""
        if (means := self.mean_grades()) is None:
            return Estimate(reason=NO_SCALE)
        said, label, known = means
        given = self.given
        seen = float(given.replications[known].mean())
        return spearman(said, label, given.clusters[known], seen)

    def mean_grades(self) -> tuple[FloatArray, FloatArray, Flags] | None:
        """The mean verdict and the mean label of questions, and which of all N these are.

        Those with a number from the judge and from people; None without any.
        """
        if self.values is None:
            return None
        used = ~np.isnan(self.values)
        shares = np.stack([self.given.shares[:, used], self.truth[:, used]])
        known = (shares.sum(axis=2) > 0).all(axis=0)
        if not known.any():
            return None
        said, label = shares[:, known] @ self.values[used] / shares[:, known].sum(axis=2)
        return said, label, known

    def errors(self) -> dict[str, Estimate]:
        """What follows a wrong verdict, from pairs of verdicts on a question.

        `wrong_twice`: a second verdict of the same judge is wrong as well, so asking again cannot
        help. `wrong_then_right`: it is right, so votes can help. `wrong_then_undecided`: it decides
        nothing. They add up to "wrong", and are not known with one verdict a question.
        """
        # Wrong is what is neither, and so is what exact distributions leave open.
        right, undecided = self.kinds["accuracy"], self.kinds["undecided"]
        rights, opens = self._twice(True, False), self._twice(False, True)
        neither_wrong = self._twice(True, True)
        one_each = (neither_wrong - rights - opens) / 2
        # Two of n verdicts differ most often where half of them are of one kind.
        n = self.given.replications[self.given.replications > 1]
        halves = 0.25 if self.given.exact else n // 2 * ((n + 1) // 2) / (n * (n - 1))
        most = float(np.max(halves, initial=0.25))
        return {
            "wrong_twice": self._mean(1 - 2 * (right + undecided) + neither_wrong),
            "wrong_then_right": self._mean(right - rights - one_each, most=most),
            "wrong_then_undecided": self._mean(undecided - opens - one_each, most=most),
        }

    def votes(self, silent: Collection[str] = ()) -> dict[int, Estimate]:
        """How often the majority of n verdicts is right, for each n up to the median replications.

        All subsets of n verdicts of a question count the same, so there is no bias; where it was
        asked in several ways, such as orders, all that take these in turn (see `turns`). Tied
        verdicts win with equal chance. Those named `silent` have no vote, and without any vote
        nothing is right. Questions with fewer verdicts than the largest n are left out; none is for
        an even n, which adds nothing to n - 1. Exact distributions are tried up to 49.
        """
        if self.other_scale:
            return {}
        given = self.given.replications
        most = float(np.median(given))
        tried = [n for n in dict.fromkeys([*range(1, _FEW + 1), *VOTES]) if n <= most]
        if tried[1:] and tried[-1] % 2 == 0 and ((given < tried[-1]) & (given >= tried[-2])).any():
            del tried[-1]
        each = zip(tried, self.majorities(tried, silent), strict=True)
        return {n: self._mean(right) for n, right in each}

    def majorities(
        self, tried: Sequence[int], silent: Collection[str] = ()
    ) -> Iterator[FloatArray]:
        """How often the majority of each number of verdicts is right, N; as `votes` counts.

        NaN of rows with fewer verdicts than the largest number.
        """
        enough = self.given.replications >= max(tried)
        truth = (self.matched * self.decides)[enough]
        for won in winners_by(self.given.rows(enough), tried, silent):
            right = np.full(len(enough), np.nan)
            right[enough] = (won[:, : truth.shape[1]] * truth).sum(axis=1)
            yield right

    def most_probable(self, kind: str = "accuracy") -> FloatArray:
        """Whether the most probable verdict is right, or "within_one", N; of labels, how often."""
        first = self.given.shares.argmax(axis=1)
        if kind == WITHIN_ONE and self.values is not None and self.step is not None:
            return near(self.values, np.eye(len(self.values))[first], self.truth, self.step)
        return np.asarray((self.matched * self.decides)[np.arange(len(first)), first])

    @property
    def has_means(self) -> bool:
        """Whether a mean of verdicts has a nearest grade: equally spaced ones, or thirds."""
        return self.of_means and places_of(self._used, self.grid) is not None

    def means(self, silent: Collection[str] = ()) -> dict[int, tuple[Estimate, Estimate]]:
        """How often the mean of n verdicts is right, and within a step of the label.

        The mean is rounded to the nearest grade of the labels' scale. Draws, questions left out and
        those named `silent` are as in `votes`; n is odd, up to 9.

        Returns:
            Number of verdicts -> the shares that are right and within a step; empty where verdicts
            are neither equally spaced grades nor thirds.
        """
        most = float(np.median(self.given.replications))
        tried = [n for n in VOTES if n <= min(most, _FEW)]
        if len(tried) < 2:
            return {}
        each = zip(tried, self._means(tried, silent), strict=False)  # of no scale, nothing
        return {n: (self._mean(right), self._mean(close)) for n, (right, close) in each}

    @property
    def numbers(self) -> Flags:
        """Which categories are numbers that somebody gave."""
        assert self.values is not None
        seen = (self.given.shares.sum(axis=0) > 0) | (self.matched.sum(axis=0) > 0)
        return np.asarray(~np.isnan(self.values) & seen)

    @property
    def _used(self) -> FloatArray:
        """The numbers that somebody gave."""
        assert self.values is not None
        return np.asarray(self.values[self.numbers])

    def _means(
        self, tried: Sequence[int], silent: Collection[str]
    ) -> Iterator[tuple[FloatArray, FloatArray]]:
        """How often each mean is right, and near, both N; nothing where `has_means` is False."""
        given, step = self.given, self.step
        if self.values is None or step is None:
            return
        numbers, used = ~np.isnan(self.values), self.numbers
        places = places_of(self._used, self.grid)
        if places is None:
            return
        enough = given.replications >= max(tried)
        mute = [name in silent for name in given.categories]

        def graded(cells: Cells) -> FloatArray:
            rows = cells.shares if cells.exact else cells.table
            lost = rows[:, mute].sum(axis=1) + (cells.unknown if cells.exact else 0)
            return np.column_stack([rows[:, used], lost])

        kept = given.rows(enough)
        right = np.zeros((len(kept.questions), int(places.max()) + 1))
        np.add.at(right.T, places, self.matched[enough][:, used].T)
        at = np.interp(np.arange(right.shape[1]), np.unique(places), np.unique(self._used))
        grid = self.of_grid(at)
        apart = np.abs(at[:, None] - np.where(numbers, self.values, np.inf))
        close = self.truth[enough] @ (apart <= step * (1 + 1e-9)).T
        if kept.variants is None:
            rows = graded(kept)
            every = means(rows[:, :-1], places, tried, given.exact, rows[:, -1], grid)
        else:
            ways = by_way(kept, graded(kept.by_variant[0]))
            every = means_in_turn(ways, places, tried, given.exact, grid)
        for won in every:
            both = np.full((2, len(enough)), np.nan)
            both[:, enough] = [(won * truth).sum(axis=1) for truth in (right, close)]
            yield both[0], both[1]

    def kappa(self, values: FloatArray | None = None) -> Estimate:
        """Cohen's kappa of one verdict with one label: agreement beyond that of both by chance.

        With `values` of the K categories (NaN for those that are no numbers) it is weighted by
        squared differences: the intraclass correlation (Fleiss & Cohen 1973). The interval is that
        of the jackknife over questions on the scale log(1 - x).
        """
        if self.other_scale:
            return Estimate(reason=self.other_scale)
        given, labels = self.given.shares, self.truth
        # Of weights x and y, the sum of x_j y_k d(j, k) without a table of all pairs: that may be
        # of thousands of numbers.
        moments = np.ones((given.shape[1], 1))
        if values is not None:
            used = ~np.isnan(values)
            given, labels = given[:, used], labels[:, used]
            both = (given.sum(axis=1) > 0) & (labels.sum(axis=1) > 0)
            given, labels = (np.where(both[:, None], one, 0.0) for one in (given, labels))
            centred = values[used] - values[used].mean()
            moments = centred[:, None] ** np.arange(3)

        def apart(x: FloatArray, y: FloatArray) -> Any:
            a, b = x @ moments, y @ moments
            if values is None:
                return a[..., 0] * b[..., 0] - (x * y).sum(axis=-1)
            return a[..., 0] * b[..., 2] - 2 * a[..., 1] * b[..., 1] + a[..., 2] * b[..., 0]

        # Where some verdicts are no numbers, the others weigh less.
        of_rows = (
            given.sum(axis=1) * labels.sum(axis=1),
            apart(labels, given),
            labels * given.sum(axis=1, keepdims=True),
            given * labels.sum(axis=1, keepdims=True),
        )
        weights, *parts = (by_question(one, self.given.clusters) for one in of_rows)
        if values is None:
            parts[1:] = ((one + one[:, self.given.mirror]) / 2 for one in parts[1:])
        n = len(weights)

        def coefficient(whole: FloatArray, sums: list[FloatArray]) -> Any:
            observed, label, verdict = sums[0], *(one / whole[..., None] for one in sums[1:])
            return 1 - observed / whole / apart(label, verdict)

        found = Estimate(n_questions=n, n_replications=float(self.given.replications.mean()))
        if np.count_nonzero(parts[1].sum(axis=0)) < 2:
            return replace(found, reason=SAME_LABEL)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = float(coefficient(weights.sum(), [one.sum(axis=0) for one in parts]))
            each = coefficient(weights.sum() - weights, [one.sum(axis=0) - one for one in parts])
        found = replace(found, value=value)
        if n < FEWEST_QUESTIONS or not np.isfinite(each).all():
            return replace(found, reason=TOO_FEW)
        ends = on_log_scale(value, jackknife_error(each), t_quantile(LEVEL, n - 1))
        return with_ends(found, ends, "log scale")

    def confusion(self) -> FloatArray:
        """Share of each label with each verdict among all, K labels x K verdicts.

        Each question with `mirrored` verdicts counts half as it is, half with names exchanged.
        """
        found = (self.truth * self.weight[:, None]).T @ self.given.shares
        mirror = self.given.mirror
        return np.asarray((found + found[np.ix_(mirror, mirror)]) / 2)

    @property
    def weight(self) -> FloatArray:
        """Of each row in a mean over questions, N."""
        _, of, n = np.unique(self.given.clusters, return_inverse=True, return_counts=True)
        return np.asarray(1.0 / n[of] / len(n))

    def share_of(self, label: str, verdict: str) -> Estimate:
        """How often a verdict is this one if the label is that one: sensitivity, specificity.

        With several raters, a question counts once if any of them gave the label, so this is not
        the ratio of `confusion`, which weighs each question by its raters.
        """
        names = self.given.categories
        weight = self.truth[:, names.index(label)]
        said = self.given.shares[:, names.index(verdict)]
        return self._mean(np.where(weight > 0, said, np.nan), f"no label is {label!r}")

    def precision(
        self, kind: str = "accuracy", votes: int = 1, silent: Collection[str] = ()
    ) -> Precision:
        """The share of a kind as planning needs it: its interval, and how its width varies.

        The standard error of a mean has a relative variance of (kurtosis - 1) / 4 N.
        """
        found, values = self.share(kind, votes, silent), self.by_question(kind, votes, silent)
        values = values[~np.isnan(values)]
        if not len(values):
            return Precision.of(kind, found)
        squares = (values - values.mean()) ** 2
        mean = float(squares.mean())
        varies = mean > NO_WIDTH and found.low is not None
        planned = Precision.of(kind, found)
        if not varies:
            return replace(planned, reason=found.reason or ALIKE)
        spread = float(squares.std() / mean / 2 / np.sqrt(len(values)))
        shares, numbers = np.unique(values.round(_DIGITS).clip(0, 1), return_counts=True)
        interval = OfShares(shares, numbers.astype(float))
        return replace(planned, interval=interval, spread=spread, reason=None)

    def _mean(
        self,
        values: FloatArray,
        why: str = NOT_REPLICATED,
        most: float = 1.0,
        level: float = LEVEL,
    ) -> Estimate:
        known, given = ~np.isnan(values), self.given
        if not known.any():
            return Estimate(reason=self.other_scale or why)
        each = by_question(values, given.clusters, known).clip(0, 1)
        seen = float(given.replications[known].mean())
        return mean_share(each, level, seen, most=max(most, float(each.max())))


def common_step(judges: Iterable[Labelled]) -> float | None:
    """The step by which several judges are compared: the largest of theirs; None without one."""
    steps = [one.step for one in judges]
    return None if None in steps else max(filter(None, steps), default=None)
