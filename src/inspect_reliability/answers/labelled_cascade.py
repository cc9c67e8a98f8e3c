"""Judges that are asked in turn, as votes and labels, and why no rule of them keeps a promise."""

from dataclasses import dataclass
from functools import cached_property
from itertools import chain, compress
from math import inf, isnan, nan
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd

from ..judgments.columns import CHECKED_LABEL
from ..judgments.count import NUMBER
from ..judgments.text import texts_judged
from ..showing.formats import Record, most_feasible, share
from ..stats import Estimate
from ..stats.anytime import could_be_kept, few_thresholds, keep_at_any_time
from ..stats.cells import ROUNDING, Flags, FloatArray, IntArray
from ..stats.grade_steps import GradeGrid
from ..stats.interval_scales import clopper_pearson
from ..stats.labelled import Labelled
from ..stats.majority import never_given, places_of
from ..stats.selective import (
    LABELS_DIFFER,
    Cascade,
    Difference,
    Rule,
    Threshold,
    Votes,
    fewest_kept,
    half_width,
    labels_differ,
    selective_rule,
    steps_of,
)
from ..stats.turns import ways_of
from ..verdicts import NO_VERDICTS, NON_RESPONSE, UNDECIDED
from .condition import from_logs
from .no_rule import NoRule, several_outputs, why_stopped_without
from .promise import Promise
from .row import Row
from .rule_check import RuleCheck, judged_otherwise

_LEVEL = 0.95

_NO_VERDICT = "no question has a most frequent verdict that decides something"

NO_STEP = (
    "--within-one needs labels and verdicts that are grades of one scale, and these are not. Leave "
    "it out."
)


@dataclass(frozen=True, eq=False)
class LabelledCascade:
    """Judges that are asked in turn, or a single one, with the labels of their questions.

    Attributes:
        rows: A row of each judge, in the order in which they are asked.
        promise: What is promised.
    """

    rows: tuple[Row, ...]
    promise: Promise

    @property
    def keys(self) -> Record:
        """What its judges share; several are named in their order."""
        first = self.rows[0].keys
        shared = {k: v for k, v in first.items() if all(one.keys.get(k) == v for one in self.rows)}
        return {"judge": ", ".join(self.names)} | shared if len(self.rows) > 1 else first

    @property
    def names(self) -> list[str]:
        """The judges by name."""
        return [str(row.keys.get("judge") or row.name) for row in self.rows]

    @cached_property
    def questions(self) -> list[str]:
        """Every question that any of them judged."""
        return list(dict.fromkeys(name for row in self.rows for name in row.counts.questions))

    @cached_property
    def _named(self) -> list[str]:
        """Every verdict and label."""
        given = [name for row in self.rows for name in row.counts.categories]
        labels = [one[-1] for row in self.rows for one in (*row.judged.rated, *row.judged.settled)]
        return list(dict.fromkeys([*given, *labels, *self._grades_of_rule]))

    @property
    def _grades_of_rule(self) -> list[str]:
        """The grades of the scale that a given rule has."""
        return self.promise.given.grades if self.promise.given else []

    @property
    def _scale_of_labels(self) -> Labelled | None:
        """Labels that say which scale it is; None without any. A given rule has its own."""
        return None if self.promise.given else self.rows[0].labelled

    @cached_property
    def _numbers(self) -> dict[str, float]:
        """The numbers among these; none if they are names."""
        known = self._scale_of_labels
        every = {name: one for row in self.rows for name, one in row.graded.items()}
        if known is None or known.values is None:
            of_rule = {name: float(name) for name in self._grades_of_rule}
            return {**every, **of_rule} if self.promise.within_one else {}
        values = zip(known.given.categories, known.values.tolist(), strict=True)
        return every | {name: value for name, value in values if not isnan(value)}

    @property
    def _grid(self) -> GradeGrid | None:
        """The grades of a given rule, or of the labels' scale; None where every number is one."""
        if of_rule := self._grades_of_rule:
            return GradeGrid.of([*map(float, of_rule)])
        known = self._scale_of_labels
        return None if known is None else known.grid

    @cached_property
    def _grades(self) -> dict[str, float]:
        """Grades that a mean can be nearest to: no verdict or label between them."""
        grid, numbers = self._grid, np.array([*self._numbers.values()])
        of = grid.has(numbers) if grid else np.ones(len(numbers), dtype=bool)
        found = compress(self._numbers.items(), of.tolist())
        return {n: one for n, one in found if n not in self.undecided}

    @cached_property
    def _never_given(self) -> dict[str, float]:
        """Grades of the scale that nobody gave."""
        found = never_given(np.array([*self._grades.values()]), self._grid)
        return {name: one for one in found if (name := f"{one:g}") not in self._named}

    @cached_property
    def categories(self) -> list[str]:
        """Every verdict and label; of a scale also its grades between, as a mean may be one."""
        return [*self._named, *self._never_given]

    @cached_property
    def undecided(self) -> list[str]:
        """Verdicts that decide nothing, apart from outputs without one: a given rule says which."""
        given = self.promise.given
        each = [given.abstain] if given else [row.judged.undecided for row in self.rows]
        return [name for name in self._named if name in {*chain(*each)} - {*NO_VERDICTS}]

    @cached_property
    def rated(self) -> dict[tuple[str, Any], str]:
        """The label that each person gave last to each question, by question and rater."""
        given = chain.from_iterable(row.judged.rated for row in self.rows)
        return {(question, rater): label for question, rater, label in given}

    @cached_property
    def _places(self) -> tuple[dict[str, int], dict[str, int]]:
        """The number of each question and of each category."""
        questions, categories = (
            {name: place for place, name in enumerate(names)}
            for names in (self.questions, self.categories)
        )
        return questions, categories

    @cached_property
    def labels(self) -> FloatArray:
        """How many gave each label to each question, N x K: who settled it, or else people."""
        settled = dict.fromkeys(chain.from_iterable(row.judged.settled for row in self.rows))
        decided = {question for question, _ in settled}
        people = ((name, label) for (name, _), label in self.rated.items() if name not in decided)
        questions, categories = self._places
        found = np.zeros((len(questions), len(categories)))
        for name, label in chain(people, settled):
            if name in questions and label in categories:
                found[questions[name], categories[label]] += 1
        return found

    @cached_property
    def checked(self) -> list[str | None]:
        """The verdict of whoever filled in a list of `keep`, by question; None where nobody did."""
        tables = [row.table for row in self.rows if CHECKED_LABEL in row.table]
        known = [one.dropna(subset=[CHECKED_LABEL]) for one in tables]
        said = {
            str(name): str(given)
            for one in known
            for name, given in zip(one["question"], one[CHECKED_LABEL], strict=True)
        }
        return [said.get(str(name)) for name in self.questions]

    @cached_property
    def by_people(self) -> list[str | None]:
        """What people say of each question: who checked it, or else the label that most gave.

        None where nobody said anything, or people are of two minds.
        """
        most = self.labels == self.labels.max(axis=1, keepdims=True, initial=1)
        alone = most.sum(axis=1) == 1
        labels = [self.categories[n] for n in most.argmax(axis=1)]
        each = zip(self.checked, labels, alone.tolist(), strict=True)
        return [checked or (label if one else None) for checked, label, one in each]

    @cached_property
    def people(self) -> dict[Any, IntArray]:
        """Rater -> number of the label of each question, -1 for none."""
        questions, categories = self._places
        raters = dict.fromkeys(rater for _, rater in self.rated)
        found = {rater: np.full(len(questions), -1) for rater in raters}
        for (name, rater), label in self.rated.items():
            if name in questions:
                found[rater][questions[name]] = categories.get(label, -1)
        return found

    def _placed(self, table: pd.DataFrame) -> FloatArray:
        """A table of questions x categories with every question and category, N x K."""
        placed = table.reindex(index=self.questions, columns=self.categories, fill_value=0)
        return placed.to_numpy(dtype=np.float64)

    @cached_property
    def cascade(self) -> Cascade:
        """Votes and labels for the rule. The label of a question is the one that most people gave.

        Where people are of two minds no verdict is right; on a scale, one near to all of theirs.
        """
        most = self.labels.max(axis=1, keepdims=True, initial=0)
        right = (self.labels == most) & (most > 0)
        if self.promise.within_one and self.scale is not None:
            right = self.near(right)
        else:
            right &= right.sum(axis=1, keepdims=True) == 1
        labelled = most[:, 0] > 0
        # What a labeller passes over has a part in when labelling stops.
        if self.stopped and not self.promise.given:
            labelled[self.as_drawn] = True
        return Cascade(tuple(map(self._ballots, self.rows)), right, labelled)

    @cached_property
    def as_drawn(self) -> IntArray:
        """The questions that a labeller reached, by number, in the order of their draw."""
        places = pd.concat([row.positions for row in self.rows])
        found = places[~places.index.duplicated()].sort_values(kind="stable").index
        at = pd.Index(self.questions).get_indexer(found)
        return np.asarray(at[at >= 0])

    def passed_over(self, step: Threshold | None = None) -> int:
        """How many skipped or unsure ones count as wrong: of all, or of what a step keeps."""
        of = self.cascade.labelled & ~self.labels.any(axis=1)
        kept = step is None or self.cascade.kept_by(step.threshold) >= 0
        return int((of & kept).sum())

    @cached_property
    def stopped(self) -> str | None:
        """What labelling stopped for; None if the number of labels was fixed."""
        return next(filter(None, (row.stopped for row in self.rows)), None)

    @cached_property
    def _own_region(self) -> bool:
        """Whether labels were drawn from what could be kept of these judges."""
        of = {row.drawn_of for row in self.rows}
        judges = next(iter(of)) if len(of) == 1 else None
        return judges is not None and {*self.names} <= {*judges.split("; ")}

    def near(self, right: Flags) -> Flags:
        """Verdicts at most a step of the first judge's labels from each that is right, N x K."""
        step, values = self.grade_step, self.scale
        if step is None or values is None:
            return right
        number = ~np.isnan(values)
        at = np.where(number, values, 0.0)
        near = np.abs(at[:, None] - at) <= step * (1 + ROUNDING)
        far = ~(near & number & number[:, None])
        return np.asarray(right.any(axis=1, keepdims=True) & ~(right @ far))

    @property
    def grade_step(self) -> float | None:
        """A step of the labels' scale or the rule's, else of the judge's; None without a scale."""
        known = self._scale_of_labels
        if known is not None and known.values is not None:
            return known.step
        if self.promise.given and self.promise.given.step:
            return self.promise.given.step
        apart = np.diff(np.unique([*self._grades.values()]))
        return float(apart.min()) if len(apart) else None

    def _ballots(self, row: Row) -> Votes:
        counts = row.counts
        given = counts.shares if counts.exact else counts.table
        votes = self._placed(pd.DataFrame(given, counts.questions, counts.categories))
        decides = [name not in (*self.undecided, *NO_VERDICTS) for name in self.categories]
        many = np.quantile(counts.replications, 0.5, method="higher")
        tries = np.inf if counts.exact else float(many)
        grades = self._of_mean if self.promise.within_one and self.grades_by_name else None
        ways = ways_of(counts.columns(self.categories), self.questions)
        return Votes(votes, np.array(decides), tries, grades, ways, self._is_grade)

    @cached_property
    def rule(self) -> Rule:
        """The rule as if the promise held; `reason` says whether it does."""
        promise = self.promise
        if given := promise.given:
            step = self.cascade.step(given.share)
            return Rule(step, (step,))
        if self.stopped:
            order = self.as_drawn
            return keep_at_any_time(self.cascade, order, promise.max_error, promise.confidence)
        return selective_rule(
            self.cascade, promise.max_error, promise.confidence, promise.within_one
        )

    @property
    def step(self) -> Threshold | None:
        """The step that is promised; None if nothing is."""
        return None if self.withheld else self.rule.step

    @property
    def kept(self) -> Estimate:
        """The share of questions whose verdict may be kept, or why none may."""
        if self.step is None:
            return Estimate(n_questions=len(self.questions), reason=self.reason)
        return self.share_kept(self.step)

    def share_kept(self, step: Threshold) -> Estimate:
        """The share of questions that a step keeps, whether or not anything is promised of it."""
        n = len(self.questions)
        low, high = clopper_pearson(round(step.kept * n), n, _LEVEL)
        return Estimate(step.kept, low, high, n)

    @cached_property
    def reason(self) -> str | None:
        """Why nothing is promised; None if something is."""
        if self.withheld or self.rule.step:
            return self.withheld
        if self.stopped:
            last = self.rule.path[-1] if self.rule.known else None
            labels, skipped = int(self.cascade.labelled.sum()), self.passed_over(last)
            return why_stopped_without(self.rule, self.promise, labels - skipped, skipped)
        return self.no_rule.words

    @cached_property
    def withheld(self) -> str | None:
        """Why labels promise nothing, whatever they say; None if they can."""
        if several := several_outputs(self.rows):
            return several
        if why := next(filter(None, (row.of_one_output for row in self.rows)), None):
            return why
        if not len(self.cascade.thresholds):
            return _NO_VERDICT
        if given := self.promise.given:
            check = self.check
            if check and (check.contradicts or check.confirms):
                return check.words if check.contradicts else None
            return judged_otherwise(given, self.cascade, self.categories)
        if not self.cascade.labelled.any():
            return self.promise.no_labels
        drawn = next(filter(None, (row.not_at_random for row in self.rows)), None)
        if drawn and not self._own_region:
            return drawn
        if (found := self.difference) and found.p_value <= LABELS_DIFFER:
            return self._differ(found)
        if other := self._other_scale:
            return other
        return None

    @property
    def _other_scale(self) -> str | None:
        others = (row.labelled.other_scale for row in self.rows if row.labelled)
        return next(filter(None, others), None)

    @property
    def check(self) -> RuleCheck | None:
        """What labels show of a given rule; None without labels, or without such a rule."""
        if not self.promise.given or not self.cascade.labelled.any() or not self.rule.step:
            return None
        drawn = (row.not_at_random for row in self.rows)
        stopped = "labelling stopped by what the labels said" if self.stopped else None
        unfit = [one for one in (*drawn, self._other_scale, stopped) if one]
        labels = int(self.cascade.labelled.sum())
        return RuleCheck(self.rule.step, self.promise, labels, unfit)

    @cached_property
    def difference(self) -> Difference | None:
        """Where labelled questions differ most from the others."""
        cascade = self.cascade
        if self._own_region:
            of = could_be_kept(cascade.confidence)
            steps = few_thresholds(cascade.confidence)
            return labels_differ(cascade.confidence[of], cascade.labelled[of], steps)
        if self.scale is None:
            return labels_differ(cascade.confidence, cascade.labelled, cascade.thresholds)
        said = self.means(cascade.judges[0].votes)
        said = np.where(np.isnan(said), -np.inf, said)
        return labels_differ(said, cascade.labelled, steps_of(said[np.isfinite(said)]))

    def _differ(self, found: Difference) -> str:
        whose, others = (share(one, 0) for one in (found.labelled, found.others))
        what = "a mean verdict" if self.scale is not None else "a confidence"
        return (
            f"labelled questions are not like the others: {whose} of them have {what} of "
            f"{found.threshold:.3g} or more, and {others} of the others (p = {found.p_value:.2g}); "
            "label questions drawn at random"
        )

    @property
    def fewest_labels(self) -> int:
        """Labelled questions without an error that a promise needs."""
        return fewest_kept(self.promise.max_error, self.promise.confidence)

    @property
    def labels_needed(self) -> int | None:
        """Labels that would do; None if they are enough, or no number that somebody could give."""
        labels = None if self.withheld or self.rule.step else self.no_rule.more_labels
        return labels if labels and labels <= most_feasible(len(self.questions)) else None

    @property
    def no_rule(self) -> NoRule:
        """What labels show where no threshold passes."""
        given = [one.votes.sum(axis=1).round() for one in self.cascade.judges]
        each = zip(self.cascade.judges, given, strict=True)
        tries = [n for one, of in each for n in {one.tries, *of[(of > 0) & (one.tries < inf)]}]
        labelled = int(self.cascade.labelled.sum())
        return NoRule(self.rule, self.promise, len(self.questions), labelled, tries)

    @property
    def _labels_as_numbers(self) -> dict[str, float]:
        """Labels that are numbers, beside the grades of a given rule."""
        names = self._named if self._grades_of_rule else []
        return {name: float(name) for name in names if NUMBER.fullmatch(name)}

    @cached_property
    def scale(self) -> FloatArray | None:
        """The categories as numbers, NaN for those that are none; None if they are names."""
        values = self._labels_as_numbers | self._numbers | self._never_given
        return np.array([values.get(name, nan) for name in self.categories]) if values else None

    @cached_property
    def _of_mean(self) -> FloatArray:
        """The categories as numbers that have a part in a mean, NaN for others."""
        values = self._numbers | self._never_given | dict.fromkeys(self.undecided, nan)
        return np.array([values.get(name, nan) for name in self.categories])

    @cached_property
    def _is_grade(self) -> Flags:
        """Which categories are grades to which a mean is rounded."""
        return np.array([name in self.grades_by_name for name in self.categories])

    @cached_property
    def grades_by_name(self) -> dict[str, float]:
        """The name and number of grades that a mean is rounded to; none if there is no nearest."""
        if places_of(np.unique([*self._grades.values()]), self._grid) is None:
            return {}
        values = self._grades | self._never_given
        return dict(sorted(values.items(), key=itemgetter(1)))  # lowest first

    def means(self, votes: FloatArray) -> FloatArray:
        """The mean grade of each row of votes, N; NaN without a grade."""
        values = self.scale
        if values is None:
            return np.full(len(votes), np.nan)
        used = ~np.isnan(values)
        with np.errstate(invalid="ignore"):
            return np.asarray(votes[:, used] @ values[used] / votes[:, used].sum(axis=1))

    @property
    def measured(self) -> bool:
        """Whether a half-width is asked for: of one judge, on a scale, by labels that promise."""
        return self.scale is not None and not self.withheld and len(self.rows) == 1

    @property
    def distances(self) -> FloatArray:
        """How far the first judge's mean verdict and the mean label are apart, N."""
        apart = np.abs(self.means(self.cascade.judges[0].votes) - self.means(self.labels))
        return np.where(np.isnan(apart), np.inf, apart)

    @property
    def half_width(self) -> float | None:
        """The half-width around the mean verdict that holds the label; None where it is unknown.

        It keeps the promise: of at most `max_error` of the questions the label lies outside.
        """
        if not self.measured:
            return None
        apart = self.distances[self.cascade.labelled]
        found = half_width(apart, self.promise.max_error, self.promise.confidence)
        return found if found is not None and np.isfinite(found) else None

    @property
    def kept_by(self) -> IntArray:
        """The number of the judge that keeps each question; -1 for none."""
        step = self.step
        return self.cascade.kept_by(step.threshold) if step else np.full(len(self.questions), -1)

    @property
    def calls(self) -> list[int] | None:
        """Calls of each judge for these questions; None of exact distributions."""
        judges, by = self.cascade.judges, self.kept_by
        if any(np.isinf(one.tries) for one in judges):
            return None
        asked = [((by < 0) | (by >= place)).sum() for place in range(len(judges))]
        return [int(one.tries * n) for one, n in zip(judges, asked, strict=True)]

    @property
    def prices(self) -> list[float | None]:
        """Dollars of a call of each judge; None where these are not known."""
        found = []
        for name, row in zip(self.names, self.rows, strict=True):
            spent = row.table["cost"].astype(float).mean() if "cost" in row.table else np.nan
            found.append(self.promise.prices.get(name, None if np.isnan(spent) else float(spent)))
        return found

    @cached_property
    def votes(self) -> FloatArray:
        """The votes of the judge that keeps each question, or else was asked last, N x K."""
        judges = self.cascade.judges
        return np.array([one.votes for one in judges])[self._last, np.arange(len(self.questions))]

    @property
    def _last(self) -> IntArray:
        """The number of the judge that keeps each question, or else was asked last."""
        return np.where(self.kept_by < 0, len(self.cascade.judges) - 1, self.kept_by)

    @cached_property
    def verdicts(self) -> list[str]:
        """The verdict of each question, by the judge that keeps it or was asked last."""
        kept = self.kept_by >= 0
        top = np.array([one.top for one in self.cascade.judges])[self._last, np.arange(len(kept))]
        each = zip(self.votes, top.tolist(), kept.tolist(), strict=True)
        return [self._said(*one) for one in each]

    @property
    def final(self) -> list[str | None]:
        """The verdict to use of each question: that of people, else the one that is kept.

        None where a person has still to decide.
        """
        kept = (self.kept_by >= 0) & ~self.contested
        each = zip(self.by_people, self.verdicts, kept, strict=True)
        return [given or (verdict if one else None) for given, verdict, one in each]

    @cached_property
    def contested(self) -> Flags:
        """Whether a verdict is kept that is wrong by people who differ, none of whom gave it, N.

        Where most people gave one label, or somebody checked the question, the list has that.
        """
        found = np.zeros(len(self.questions), dtype=bool)
        if (step := self.step) is None:
            return found
        kept = self.cascade.kept_verdict(step.threshold)
        of = (kept >= 0) & self.labels.any(axis=1) & [one is None for one in self.by_people]
        at = np.flatnonzero(of)
        found[at] = ~self.cascade.right[at, kept[at]] & (self.labels[at, kept[at]] == 0)
        return found

    def out(self) -> pd.DataFrame:
        """A row a question: who decides, the verdict, its confidence and what to do with it.

        What is `contested` is not kept. `final` is the verdict to use. Where the source has the
        text that was judged, it follows as `answer`.
        """
        judges, by = self.cascade.judges, np.where(self.contested, -1, self.kept_by)
        last, at = self._last, np.arange(len(by))
        found = pd.DataFrame(
            self.keys
            | {
                "judge": [self.names[n] if self.rows[1:] else self.keys.get("judge") for n in last],
                "question": self.questions,
                "verdict": self.verdicts,
                "confidence": np.array([one.confidence for one in judges])[last, at],
                "decision": np.where(by >= 0, "keep", "person" if self.rows[1:] else "escalate"),
                "final": pd.Series(self.final, dtype=object),
            }
        )
        table = self.rows[0].table
        texts = [None] if from_logs(table) else texts_judged(table, self.questions)
        if any(one is not None for one in texts) and "answer" not in found:
            found = found.assign(answer=pd.Series(texts, dtype=object))
        return found

    def _mean(self, votes: FloatArray, values: FloatArray) -> str:
        """The grade that is nearest to the mean of these votes; midway between two, the mean."""
        mean = float(votes @ values[~np.isnan(values)] / votes.sum())
        grid = self._is_grade if self.grades_by_name else True
        apart = np.where(grid, np.abs(values - mean), nan)
        nearest = np.unique(values[apart <= np.nanmin(apart) + ROUNDING])
        spelled: dict[float, str] = dict(zip(values.tolist(), self.categories, strict=True))
        return spelled[float(nearest[0])] if len(nearest) == 1 else f"{mean:g}"

    def _said(self, votes: FloatArray, top: int, kept: bool) -> str:
        """The verdict that is kept, as it is promised; else the mean grade of the tries.

        Of names that are not kept it is the most frequent, or that it is undecided.
        """
        if kept:
            return self.categories[top]
        values = self._of_mean if self.grades_by_name else self.scale
        if values is not None and (top < 0 or not np.isnan(values[top])):
            graded = votes[~np.isnan(values)]
            if graded.any():
                return self._mean(graded, values)
        if top >= 0:
            return self.categories[top]
        most = np.flatnonzero(votes == votes.max())
        if not votes.any():
            return NON_RESPONSE
        return self.categories[most[0]] if len(most) == 1 else UNDECIDED
