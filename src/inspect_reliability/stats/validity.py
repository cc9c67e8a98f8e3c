"""Steady, or right? A judge's verdicts beside people's labels."""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from .cells import Cells, FloatArray
from .estimate import Estimate
from .intervals import (
    FEWEST_QUESTIONS,
    NO_WIDTH,
    TOO_FEW,
    jackknife_error,
    on_log_scale,
    t_quantile,
    with_ends,
)
from .majority import VOTES, winners, winners_of_some
from .planning import Precision
from .rates import by_question, mean_share, unseen

NOT_REPLICATED = "every labelled question was judged once"
SAME_LABEL = "all labels are the same"
_FEW = 9
"""Up to this, every number of votes is tried."""


class Labelled:
    """Verdicts and labels on the same questions, in the same categories.

    A label is right by definition. If several raters labelled a question, each counts the same: a
    verdict is right as often as it is the label of a rater drawn at random.

    Attributes:
        given: Verdicts of the labelled questions (or outputs, or cells), N x K.
        raters: Labels of questions with verdicts, one verdict per rater; in the same clusters.
        truth: Share of each label among those of a row's question, N x K.

    Raises:
        NoJudgmentsError: No question has both.
    """

    def __init__(self, given: Cells, labels: Cells) -> None:
        at = {name: i for i, name in enumerate(labels.questions)}
        known = np.array([name in at for name in given.questions]) & (given.replications > 0)
        names = tuple(dict.fromkeys([*given.categories, *labels.categories]))
        self.given = given.rows(known).columns(names)
        of = dict(zip(self.given.questions, self.given.clusters.tolist(), strict=True))
        self.raters = labels.rows([at[name] for name in of]).together(of.values())
        row = {name: i for i, name in enumerate(of)}
        rows = [row[name] for name in self.given.questions]
        self.truth = self.raters.columns(names).shares[rows]

    @cached_property
    def right(self) -> FloatArray:
        """How often a verdict is right, for each question, N."""
        return np.asarray((self.truth * self.given.shares).sum(axis=1))

    @cached_property
    def twice(self) -> FloatArray:
        """How often two verdicts are right by the same label, N; NaN with only one verdict."""
        given = self.given
        if given.exact:
            alike = given.shares**2 - given.excess(np.eye(len(given.categories)))
        else:
            n, counts = given.replications[:, None], given.table
            alike = counts * (counts - 1) / np.where(n > 1, n * (n - 1), np.nan)
        return np.asarray((self.truth * alike).sum(axis=1))

    @property
    def by_question(self) -> FloatArray:
        """How often a verdict is right, for each question (cluster) that intervals are over."""
        return by_question(self.right, self.given.clusters)

    def accuracy(self, level: float = 0.95) -> Estimate:
        """How often one verdict is right."""
        return self._mean(self.right, level)

    def errors(self, level: float = 0.95) -> dict[str, Estimate]:
        """The error of one verdict in two parts, from pairs of verdicts on a question.

        `wrong_twice`, E (1 - p)^2: a second verdict of the same judge is wrong as well, so asking
        again cannot help. `wrong_then_right`, E p (1 - p): it is right, so votes can help. They add
        up to `wrong`, the only part for questions with one verdict.
        """
        right, twice = self.right, self.twice
        parts = {"wrong_twice": 1 - 2 * right + twice, "wrong_then_right": right - twice}
        return {"wrong": self._mean(1 - right, level)} | {
            name: self._mean(one, level) for name, one in parts.items()
        }

    def across(self, facet: str, level: float = 0.95) -> dict[str, Estimate]:
        """The same split for two verdicts under two levels of a facet, with all else equal.

        It tells whether another order, or another wording, would have helped. `given` are cells.
        """
        others = [levels for name, levels in self.given.facets.items() if name != facet]
        cells = np.stack([np.unique(self.given.questions, return_inverse=True)[1], *others])
        _, of = np.unique(cells, axis=1, return_inverse=True)
        of, wrong = of.reshape(-1), 1 - self.right
        n, once = np.bincount(of), np.bincount(of, wrong)
        with np.errstate(divide="ignore", invalid="ignore"):
            twice = (once**2 - np.bincount(of, wrong**2)) / (n * (n - 1))
            parts = {"wrong": once / n, "wrong_twice": twice, "wrong_then_right": once / n - twice}
        # Every cell stands for its pairs, so that each question weighs the same.
        paired = n[of] > 1
        return {
            name: self._mean(np.where(paired, one[of], np.nan), level)
            for name, one in parts.items()
        }

    def votes(self, level: float = 0.95) -> dict[int, Estimate]:
        """How often the majority of n verdicts is right, for each n up to the median replications.

        All subsets of n verdicts of a question count the same, so there is no bias; tied verdicts
        win with equal chance. Questions with fewer verdicts than the largest n are left out. Exact
        distributions are tried up to 49.
        """
        given = self.given
        most = float(np.median(given.replications))
        tried = [n for n in dict.fromkeys([*range(1, _FEW + 1), *VOTES]) if n <= most]
        enough = given.replications >= tried[-1]
        # What is open of exact distributions counts as one verdict more, which is never right.
        rows = np.column_stack([given.shares, given.unknown]) if given.exact else given.table
        truth = np.pad(self.truth, ((0, 0), (0, rows.shape[1] - self.truth.shape[1])))[enough]
        order = np.argsort(-rows[enough], axis=1, kind="stable")
        # Many questions have the same counts, and which verdict has which makes no difference.
        distinct, same = np.unique(
            np.take_along_axis(rows[enough], order, axis=1), axis=0, return_inverse=True
        )
        truth = np.take_along_axis(truth, order, axis=1)
        won: Callable[[Any, int], FloatArray] = winners if given.exact else winners_of_some
        found = {}
        for n in tried:
            right = np.full(len(rows), np.nan)
            each = np.array([won(row, n) for row in distinct])
            right[enough] = (each[same.reshape(-1)] * truth).sum(axis=1)
            found[n] = self._mean(right, level)
        return found

    def kappa(self, values: FloatArray | None = None, level: float = 0.95) -> Estimate:
        """Cohen's kappa of one verdict with one label: agreement beyond that of both by chance.

        With `values` of the K categories (NaN for those that are no numbers) it is weighted by
        squared differences: the intraclass correlation (Fleiss & Cohen 1973).
        """
        return self._beyond_chance(values, level, pooled=False)

    def alpha(self, level: float = 0.95) -> Estimate:
        """Krippendorff's alpha of one verdict with one label; chance is that of both together."""
        return self._beyond_chance(None, level, pooled=True)

    def confusion(self) -> FloatArray:
        """Share of each label with each verdict among all, K labels x K verdicts."""
        pairs = self.truth[:, :, None] * self.given.shares[:, None, :]
        return np.asarray(by_question(pairs, self.given.clusters).mean(axis=0))

    def share_of(self, label: str, verdict: str, level: float = 0.95) -> Estimate:
        """How often a verdict is this one if the label is that one: sensitivity, specificity.

        With several raters, only those who gave the label count.
        """
        names = self.given.categories
        weight = self.truth[:, names.index(label)]
        said = self.given.shares[:, names.index(verdict)]
        return self._mean(np.where(weight > 0, said, np.nan), level, f"no label is {label!r}")

    def precision(self, level: float = 0.95) -> Precision:
        """The accuracy as planning needs it: its interval, and the variability of its width.

        The standard error of a mean has a relative variance of (kurtosis - 1) / 4 N.
        """
        found, values = self.accuracy(level), self.by_question
        squares = (values - values.mean()) ** 2
        mean = float(squares.mean())
        varies = mean > NO_WIDTH and found.low is not None
        return Precision(
            coefficient="accuracy",
            n_questions=found.n_questions,
            n_replications=found.n_replications,
            reason=None if varies else found.reason or "every labelled question came out alike",
            level=level,
            value=found.value,
            ends=found.ends,
            spread=float(squares.std() / mean / 2 / np.sqrt(len(values))) if varies else None,
        )

    def _mean(self, values: FloatArray, level: float, why: str = NOT_REPLICATED) -> Estimate:
        known, given = ~np.isnan(values), self.given
        if not known.any():
            return Estimate(reason=why, level=level)
        each = by_question(values, given.clusters, known).clip(0, 1)
        seen = float(given.replications[known].mean())
        return mean_share(each, level, seen, unseen=unseen(each))

    def _beyond_chance(self, values: FloatArray | None, level: float, pooled: bool) -> Estimate:
        """1 - observed / expected disagreement, with a jackknife over questions on log(1 - x)."""
        given, labels = self.given.shares, self.truth
        if values is None:
            apart = 1.0 - np.eye(given.shape[1])
        else:
            used = ~np.isnan(values)
            given, labels = given[:, used], labels[:, used]
            both = (given.sum(axis=1) > 0) & (labels.sum(axis=1) > 0)
            given, labels = (np.where(both[:, None], one, 0.0) for one in (given, labels))
            apart = (values[used, None] - values[None, used]) ** 2
        # Where some verdicts are no numbers, the others weigh less.
        of_rows = (
            given.sum(axis=1) * labels.sum(axis=1),
            np.einsum("nj,nk,jk->n", labels, given, apart),
            labels * given.sum(axis=1, keepdims=True),
            given * labels.sum(axis=1, keepdims=True),
        )
        weights, *parts = (by_question(one, self.given.clusters) for one in of_rows)
        n = len(weights)

        def coefficient(whole: FloatArray, sums: list[FloatArray]) -> Any:
            observed, label, verdict = sums[0], *(one / whole[..., None] for one in sums[1:])
            if pooled:
                label = verdict = (label + verdict) / 2
            chance = np.einsum("...j,...k,jk->...", label, verdict, apart)
            # Krippendorff: of two values that both occur, none is paired with itself.
            chance = chance * (2 * n / (2 * n - 1) if pooled else 1.0)
            return 1 - observed / whole / chance

        found = Estimate(
            n_questions=n, n_replications=float(self.given.replications.mean()), level=level
        )
        if np.count_nonzero(labels.sum(axis=0)) < 2:
            return replace(found, reason=SAME_LABEL)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = float(coefficient(weights.sum(), [one.sum(axis=0) for one in parts]))
            each = coefficient(weights.sum() - weights, [one.sum(axis=0) - one for one in parts])
        found = replace(found, value=value)
        if n < FEWEST_QUESTIONS or not np.isfinite(each).all():
            return replace(found, reason=TOO_FEW)
        ends = on_log_scale(value, jackknife_error(each), t_quantile(level, n - 1))
        return with_ends(found, ends, "log scale")
