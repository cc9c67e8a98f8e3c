"""The candidates of a choice: judges as they could be asked, and how often each is right."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import isfinite, isinf
from pathlib import Path, PurePath
from typing import Any, Literal

import numpy as np
from pydantic import TypeAdapter, ValidationError

from ..errors import UserError
from ..files import read_text, user_path, yaml_events
from ..judgments.label_files import TEST
from ..record.rule import EXACT, ChosenBy, ChosenJudge, labels_fingerprint
from ..showing.formats import Record, amount, describe, told_apart, whole_number
from ..stats import KINDS, Labelled
from ..stats.cells import Flags, FloatArray, IntArray
from ..stats.intervals import FEWEST_QUESTIONS
from ..stats.labelled import WITHIN_ONE
from ..stats.multiple_comparisons import Candidates
from ..stats.rates import by_question
from ..verdicts import NO_VERDICTS
from .analysis import Analysis
from .labelled_cascade import NO_STEP, LabelledCascade
from .promise import Promise
from .row import NO_LABELS, OR_LABEL, Row, are_grades, within_one_by_default

_VOTES = (1, 3, 5)
_MOST_VOTES = 9
"""Numbers of votes that are tried by default, and the most; `report` recommends no more.

The largest odd number that all of a judge's questions have is a candidate too. It is one more a
judge, which labels do not pick, and much like the others: choosing among it costs little.
"""

_DIGITS = 12
"""Of shares that are equal."""

_MOST_NAMED = 10
"""Candidates that an error names."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A judge, and how it is asked.

    Attributes:
        row: Its judgments.
        votes: How many of its verdicts vote; None where the most probable one counts.
        calls: Calls for a verdict.
        dollars: Their price; None where it is not known.
    """

    row: Row
    votes: int | None
    calls: int
    dollars: float | None

    @property
    def keys(self) -> Record:
        """Its row's keys, with its votes."""
        return {**self.row.keys, "votes": self.votes}

    def right(self, known: Labelled, kind: str) -> FloatArray:
        """How often it is right, or within a step, on each labelled output, N.

        Several votes are their majority, or on a scale their mean; NaN where they are too few.
        """
        if self.votes is None:
            return known.most_probable(kind)
        return known.together(kind, self.votes, NO_VERDICTS)


@dataclass(frozen=True, eq=False)
class Choosing:
    """Candidates on the labelled questions that all of them judged, the cheapest first.

    Attributes:
        candidates: Two or more.
        questions: What all of them judged and somebody labelled, N.
        right: How often each is right, N x m.
        clusters: The question of each of these outputs, N.
        test: Whether each belongs to the test part, N.
        marked: Whether labels have a test part, though maybe nothing of it is labelled.
        missed: Labelled questions that some candidate lacks.
        opened: What was measured on the test part before: names of candidates by question.
        within_one: Whether a verdict is right within one step; None where these are no grades.
        step: That step; None of no grades.
        exact: How often each is exactly right on the labels that choose, m; None where that is what
            counts. Of candidates at one price, those exactly right more often come first, so that
            they win a tie.
    """

    candidates: tuple[Candidate, ...]
    questions: tuple[str, ...]
    right: FloatArray
    clusters: IntArray
    test: Flags
    marked: bool
    missed: int
    opened: Mapping[str, Collection[str]]
    within_one: bool | None = None
    step: float | None = None
    exact: FloatArray | None = None

    @property
    def kind(self) -> str:
        """What counts as right, as `Labelled.kinds` calls it."""
        return _kind_of_right(bool(self.within_one))

    @property
    def measure(self) -> str:
        """What candidates are counted for, in words."""
        if not self.within_one:
            return "right" if self.within_one is None else "exactly right"
        step = "one step" if self.step == 1 else f"{self.step:g}"
        return f"within {step} of people"

    @property
    def by_question(self) -> FloatArray:
        """How often each candidate is right on each question, n x m: means over its outputs."""
        return by_question(self.right, self.clusters)

    @cached_property
    def best(self) -> Candidates:
        """The candidates on the labels that choose."""
        return self._on(~self.test)

    @cached_property
    def measured(self) -> Candidates:
        """The candidates on the labels that measure: those of the test part, or the same."""
        return self._on(self.test) if self.has_test else self.best

    def _on(self, used: Flags) -> Candidates:
        right = by_question(self.right[used], self.clusters[used])
        return Candidates(right, group=self._group)

    @cached_property
    def _group(self) -> IntArray:
        """The number of each candidate's price, m: more than one may have the same.

        Of one price, those that are exactly right equally often have the same.
        """
        price = [self.price(place) for place in range(len(self.candidates))]
        exact = np.zeros(len(price)) if self.exact is None else self.exact
        other = (np.diff([price, exact]) != 0).any(axis=0)
        return np.asarray(np.append(0, other).cumsum())

    @property
    def chosen(self) -> int:
        """The place of the chosen candidate."""
        return self.best.chosen

    @property
    def has_test(self) -> bool:
        """Whether a test part has enough labels to measure by."""
        return len(np.unique(self.clusters[self.test])) >= FEWEST_QUESTIONS

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled; the function that names candidates is made anew."""
        return {name: of for name, of in vars(self).items() if name != "name"}

    @cached_property
    def name(self) -> Callable[[Candidate], str]:
        """The name of a candidate: what tells it from the others, and its votes if these differ."""
        named = told_apart([one.row.keys for one in self.candidates], "judge")
        several = len({one.votes for one in self.candidates}) > 1

        def of(one: Candidate) -> str:
            return ", ".join(filter(None, (named(one.row.keys), _votes(one) if several else "")))

        return of

    @property
    def names(self) -> list[str]:
        """The names of all."""
        return list(map(self.name, self.candidates))

    @property
    def tested(self) -> list[str]:
        """The questions of the test part."""
        return [name for name, test in zip(self.questions, self.test, strict=True) if test]

    @cached_property
    def new(self) -> list[str]:
        """Candidates that were not there when this test part was opened; [] if it was not."""
        before = [{*self.opened[name]} for name in self.tested if name in self.opened]
        known = set[str].intersection(*before) if before else {*self.identities}
        return [one for one in self.identities if one not in known]

    @cached_property
    def identities(self) -> list[str]:
        """What each candidate is: its keys, votes, and the digest of its prompts if known."""
        return [
            ", ".join([describe(one.row.keys), f"votes {one.votes or EXACT}", *_study(one.row)])
            for one in self.candidates
        ]

    @property
    def by_dollars(self) -> bool:
        """Whether every price is known, so that dollars say what is cheap."""
        return all(one.dollars is not None for one in self.candidates)

    def price(self, place: int) -> float:
        """Dollars of a verdict, or calls where a price is not known."""
        one = self.candidates[place]
        return float(one.calls if not self.by_dollars or one.dollars is None else one.dollars)

    def cheapest(self, places: Iterable[int]) -> int | None:
        """The cheapest of some; of those at one price, the one most often right on the labels."""
        right = self.best.accuracy
        return min(places, key=lambda one: (self.price(one), -right[one]), default=None)

    def of_name(self, name: str) -> int:
        """The place of the candidate of this name, or of what tells it apart.

        Of several numbers of votes the smallest is meant.

        Raises:
            UserError: There is none, or several.
        """
        name = _in_full(name, [one.row for one in self.candidates])
        if name in self.names:
            return self.names.index(name)
        found = [
            place
            for place, one in enumerate(self.candidates)
            if _parts(name) <= {*_words(one.row), _votes(one), *self.names[place].split(", ")}
        ]
        if len({id(self.candidates[place].row) for place in found}) == 1:
            return min(found, key=lambda place: self.candidates[place].votes or 0)
        named = [self.names[place] for place in found] or self.names
        what = f"is one of {len(found)} candidates" if found else "is no candidate"
        raise UserError(f"--current {name!r} {what}. {_one_of(named)}")

    def choice(self) -> ChosenJudge:
        """The chosen candidate, as its file has it."""
        one = self.candidates[self.chosen]
        row = one.row
        shown = row.table["order"].map(str).nunique() if "order" in row.table else 0
        value, ends = self.after
        # A judge is the same one on other questions.
        known = {
            key: whole_number(of)
            for key, of in row.group.items()
            if of is not None and key not in ("benchmark", "method")
        }
        return ChosenJudge(
            design={key: str(of) for key, of in known.items()},
            votes="exact" if one.votes is None else one.votes,
            order="both" if shown > 1 else "given",
            rule=self._rule(one.votes),
            within_one=bool(self.within_one),
            abstain=tuple(sorted({*row.judged.undecided} - {*NO_VERDICTS})),
            accuracy=value,
            at_least=(ends or (0.0, 1.0))[0],
            candidates=len(self.candidates),
            labels=self._chosen_by,
            grades=_grades_of(row) if self._rule(one.votes) == "mean" else (),
        )

    def _rule(self, votes: int | None) -> Literal["majority", "mean", "most probable"]:
        """How so many votes become a verdict."""
        if votes is None:
            return "most probable"
        return "majority" if self.within_one is None or votes == 1 else "mean"

    @property
    def _chosen_by(self) -> ChosenBy:
        names = dict.fromkeys(
            name for name, test in zip(self.questions, self.test, strict=True) if not test
        )
        judged = self.candidates[0].row.judged
        settled = [(question, "", label) for question, label in judged.settled]
        rated = [*judged.rated, *settled]
        return ChosenBy(
            fingerprint=labels_fingerprint(one for one in rated if one[0] in names),
            part="dev" if self.marked else "all",
            questions=tuple(names),
        )

    @cached_property
    def after(self) -> tuple[float, tuple[float, float] | None]:
        """How often the chosen candidate is right, with an interval if an honest one exists."""
        if not self.has_test:
            return self.best.after_choosing, self.best.after_interval
        value = float(self.measured.accuracy[self.chosen])
        return value, None if self.stale else self.measured.alone(self.chosen)

    @property
    def stale(self) -> bool:
        """Whether the chosen candidate is not one that was there when the test was opened."""
        return self.has_test and self.identities[self.chosen] in self.new


def candidates_of(
    analysis: Analysis,
    votes: Sequence[int] | None = None,
    prices: Mapping[str, float] | None = None,
    opened: Mapping[str, Collection[str]] | None = None,
    within_one: bool | None = None,
) -> Choosing:
    """What can be chosen among: each row, with each number of votes that it has.

    Args:
        analysis: The rows.
        votes: Numbers of votes; by default 1, 3, 5 and the largest odd one that all questions
            have, up to 9.
        prices: Dollars of a call by judge, where the judgments do not say; any other judge without
            a price is an error.
        opened: What was measured on the test part before: names of candidates by question.
        within_one: Whether a verdict is right within one step of the label. By default it is where
            verdicts and labels are grades of one scale.

    Raises:
        UserError: Nothing is labelled, there is one candidate, candidates share fewer than three
            labelled questions, a price is missing, or names have no step.
    """
    known = [(row, row.labelled) for row in analysis.rows]
    pairs = [(row, labels) for row, labels in known if labels and not labels.other_scale]
    if not pairs:
        others = next((labels.other_scale for _, labels in known if labels), None)
        why = f"{others}." if others else f"{NO_LABELS}, {OR_LABEL}"
        raise UserError(f"Nothing can be chosen: {why}")
    together = [labels for _, labels in pairs]
    pairs = [(row, labels.beside(together)) for row, labels in pairs]
    graded = are_grades([row for row, _ in pairs])
    if within_one and not graded:
        raise UserError(NO_STEP)
    if within_one is None:
        within_one = within_one_by_default([row for row, _ in pairs])
    priced = partial(_price, prices=prices)
    found = [
        (one, one.right(labels, _kind_of_right(within_one)), labels)
        for row, labels in pairs
        for one in _asked(row, labels, votes, priced)
    ]
    found.sort(key=lambda one: _cost(one[0], [other for other, *_ in found]))
    if len(found) < 2:
        raise UserError(
            f"Nothing to choose: there is one candidate, {describe(pairs[0][0].keys)}. Judge the "
            "same questions with another wording or model, or several times: votes are candidates."
        )
    every = [
        {name for name, value in zip(labels.given.questions, right, strict=True) if value == value}
        for _, right, labels in found
    ]
    shared = set.intersection(*every)
    first = found[0][2]
    names = [name for name in first.given.questions if name in shared]
    clusters = dict(zip(first.given.questions, first.given.clusters.tolist(), strict=True))
    if len({clusters[name] for name in names}) < FEWEST_QUESTIONS:
        raise UserError(_apart([one for one, *_ in found], every, len(names)))
    part = parts_of(found[0][0].row)
    test = np.array([part.get(name) == TEST for name in names])
    of_names = np.array([clusters[name] for name in names])
    exact = None
    if within_one and not test.all():
        each = [_at(names, labels, one.right(labels, KINDS[0])) for one, _, labels in found]
        exact = by_question(np.array(each).T[~test], of_names[~test]).mean(axis=0).round(_DIGITS)
        every_one = [one for one, *_ in found]
        order = np.lexsort((-exact, [_cost(one, every_one) for one in every_one]))
        found, exact = [found[k] for k in order], exact[order]
    at = [_at(names, labels, right) for _, right, labels in found]
    return Choosing(
        candidates=tuple(one for one, *_ in found),
        questions=tuple(names),
        right=np.array(at).T.clip(0, 1),
        clusters=of_names,
        test=test,
        marked=TEST in part.values(),
        missed=len(set.union(*every)) - len(names),
        opened=opened or {},
        within_one=within_one if graded else None,
        step=pairs[0][1].step,
        exact=exact,
    )


def _at(names: Sequence[str], labels: Labelled, right: FloatArray) -> list[float]:
    """How often a candidate is right on some of the labelled outputs."""
    known = dict(zip(labels.given.questions, right.tolist(), strict=True))
    return [known[name] for name in names]


def _kind_of_right(within_one: bool) -> str:
    """What counts as right, as `Labelled.kinds` calls it."""
    return WITHIN_ONE if within_one else KINDS[0]


def _asked(
    row: Row,
    labels: Labelled,
    votes: Sequence[int] | None,
    price: Callable[[Row], float | None],
) -> Iterator[Candidate]:
    """A row with each number of votes that most of its questions have."""
    dollars = price(row)
    if labels.given.exact:
        calls = 1
        if "sampled_reasonings" in row.table:
            calls = int(row.table["sampled_reasonings"].fillna(1).max())
        yield Candidate(row, None, calls, None if dollars is None else calls * dollars)
        return
    most = float(np.median(labels.given.replications))
    if votes is None:
        of_all = int(min(labels.given.replications.min(), _MOST_VOTES))
        votes = sorted({*_VOTES, max(of_all - (of_all % 2 == 0), 1)})
    for n in votes:
        no_mean = n > 1 and labels.of_means and not labels.has_means
        if n <= most and not isinf(most) and not no_mean:
            yield Candidate(row, n, n, None if dollars is None else n * dollars)


def _price(row: Row, prices: Mapping[str, float] | None) -> float | None:
    """Dollars of a call."""
    name = str(row.keys.get("judge"))
    if prices and name in prices:
        return prices[name]
    spent = row.table["cost"].astype(float).mean() if "cost" in row.table else np.nan
    if np.isnan(spent) and prices is not None:
        raise UserError(
            f"{name} has no price, so what is cheap is not known. Add a line with its dollars a "
            f"call to the file of --price, as in '{name}: 0.002'."
        )
    return None if np.isnan(spent) else float(spent)


def prices_in(given: Mapping[str, float] | str | Path) -> dict[str, float]:
    """Dollars of a call by judge, as they are given or in a YAML or JSON file.

    Raises:
        UserError: The file cannot be read or has no prices, or a price is below 0.
    """
    if isinstance(given, Mapping):
        found, where = dict(given), "price"
    else:
        path = user_path(given)
        found, where = _in_file(path), str(path)
    wrong = [name for name, dollars in found.items() if not (isfinite(dollars) and dollars >= 0)]
    if wrong:
        raise UserError(f"{where}: {wrong[0]} has no price from 0. Give dollars a call.")
    return found


def _in_file(path: Path) -> dict[str, float]:
    import yaml

    form: TypeAdapter[Any] = TypeAdapter(dict[str, float])
    try:
        text = read_text(path)
        for _ in yaml_events(text, str(path)):  # or an error
            pass
        found: dict[str, float] = form.validate_python(yaml.safe_load(text))
    except (ValidationError, ValueError, yaml.YAMLError) as error:
        raise UserError(
            f"{path} has no prices: {str(error).splitlines()[0]}. Give each judge its dollars a "
            "call, a line each, as in 'my-judge: 0.002'."
        ) from None
    return found


def _cost(one: Candidate, every: Sequence[Candidate]) -> float:
    """What orders candidates, the cheapest first: dollars if all are known, else calls."""
    dollars = all(other.dollars is not None for other in every)
    return one.dollars if dollars and one.dollars is not None else one.calls


def _apart(candidates: Sequence[Candidate], every: Sequence[set[str]], shared: int) -> str:
    """Why candidates cannot be compared: which has the fewest questions of the others."""
    times = Counter(name for own in every for name in own)
    alone = [sum(times[name] > 1 for name in own) for own in every]
    odd = candidates[int(np.argmin(alone))]
    return (
        f"{len(candidates)} candidates share {amount(shared, 'labelled question')}, and a choice "
        f"needs {FEWEST_QUESTIONS}. {describe(odd.row.keys)} shares the fewest: let it judge the "
        "same questions, or leave its logs out."
    )


def parts_of(row: Row) -> dict[str, str]:
    """The part of the labels that each question belongs to."""
    column = next((name for name in ("label_split", "split") if name in row.table), None)
    if column is None:
        return {}
    known = row.table[["question", column]].dropna().drop_duplicates("question")
    return {
        str(name): str(part).strip().casefold()
        for name, part in zip(known["question"], known[column], strict=True)
    }


def _study(row: Row) -> list[str]:
    """The digest of its prompts and options, if one is known."""
    found = row.table["study"].dropna().unique() if "study" in row.table else ()
    return [f"study {one}" for one in sorted(map(str, found))]


def refuse_unknown(rows: Sequence[Row], name: str) -> None:
    """Refuse a name that fits no row, before anything is counted.

    Raises:
        UserError: No row has it; the message lists the names of the rows.
    """
    name = _in_full(name, rows)
    named = told_apart([row.keys for row in rows], "judge")
    names = [named(row.keys) for row in rows]
    wanted = {part for part in _parts(name) if not _SAID_VOTES.fullmatch(part)}
    each = zip(rows, names, strict=True)
    if not any(wanted <= {*_words(row), *own.split(", ")} for row, own in each):
        raise UserError(f"--current {name!r} is no candidate. {_one_of(names)}")


def _in_full(name: str, rows: Sequence[Row]) -> str:
    """A name whose parts may be the beginnings of names, or files without their ending, in full."""
    words = {word for row in rows for word in _words(row)}

    def full(part: str) -> str:
        if part in words or _SAID_VOTES.fullmatch(part):
            return part
        for fits in ({one for one in words if PurePath(one).stem == part}, _begin(words, part)):
            if len(fits) == 1:
                return fits.pop()
        return part

    return ", ".join(full(part.strip()) for part in name.split(","))


def _begin(words: Collection[str], part: str) -> set[str]:
    return {one for one in words if part and one.startswith(part)}


def _parts(name: str) -> set[str]:
    return {part.strip() for part in name.split(",")}


_SAID_VOTES = re.compile(r"exact|\d+ votes?")


def _votes(one: Candidate) -> str:
    return "exact" if one.votes is None else amount(one.votes, "vote")


def _words(row: Row) -> set[str]:
    """Every value by which a row can be named."""
    values = {key: whole_number(value) for key, value in row.keys.items() if value is not None}
    return {*map(str, values.values()), *(describe({key: of}) for key, of in values.items())}


def _one_of(names: Sequence[str]) -> str:
    some, more = ", ".join(map(repr, names[:_MOST_NAMED])), len(names) - _MOST_NAMED
    return f"Name one of: {some}{f' and {more} more' * (more > 0)}."


def without_benchmark(analysis: Analysis) -> list[str]:
    """Columns to group by so that a candidate has all its benchmarks; [] if it has them now."""
    rows = analysis.rows
    several = len({str(row.keys.get("benchmark")) for row in rows}) > 1
    names = [name for name in analysis.names if name != "benchmark"]
    return names if several and "benchmark" in analysis.names else []


def raters_of(row: Row) -> list[object]:
    """Who labelled its questions; [] if it was one, or nobody is named."""
    raters = dict.fromkeys(rater for _, rater, _ in row.judged.rated)
    return list(raters) if len(raters) > 1 else []


def _grades_of(row: Row) -> tuple[str, ...]:
    """The names of the grades to which a mean is rounded, lowest first."""
    return tuple(LabelledCascade((row,), Promise()).grades_by_name)
