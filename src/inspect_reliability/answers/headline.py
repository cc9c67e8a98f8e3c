"""The answer in a sentence: may I use this judge, how, and what would make it better?"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..judgments.table import is_rejudged, is_suite
from ..showing.document import Text
from ..showing.formats import (
    ROUNDING,
    Record,
    amount,
    most_feasible,
    percent,
    share,
    share_beside,
    span,
    told_apart,
)
from ..stats import agreement as agreement_of
from ..stats.estimate import LEVEL
from ..stats.labelled import WITHIN_ONE
from .analysis import Analysis
from .cautions import each_order_once
from .condition import MOSTLY_WITHOUT_VERDICT, NO_DRAWS
from .kept import record, votes_decide
from .labelled_cascade import LabelledCascade
from .next_steps import (
    FEWEST,
    GAIN,
    better_by,
    enough_means,
    majorities,
    same_for_all,
)
from .reliability import RELIABLE, STABLE, enough_tries, icc_of_mean, orders_apart
from .row import Row, valued
from .score_variance import moves_scores
from .validity import by_several, is_of_scale, near_in_words, no_better_than_always, of_fewer

STEADY = 0.02
"""Share of tries with another verdict up to which one try is enough."""

MOST_SENTENCES = 5
"""Most rows that have a sentence each."""

_PIVOT = ("judge", "benchmark", "temperature")
"""What rows of a pivot may differ in; the last makes its columns."""

_TREND = 0.02
"""Differences of omega that are spoken of."""

LOW = 0.4
"""Omega below which one verdict says little."""

_MOSTLY = 0.5
"""Part of what a mean gains that tries without a verdict must explain to be its reason."""

HARDLY = 0.2
"""Omega that the whole interval is below where tries agree hardly more than by chance."""

_ONLY_LABELS = "only labels can say whether it is right"


def headlines(analysis: Analysis, rows: Sequence[Row], names: Sequence[str]) -> Iterator[Text]:
    """A sentence a judge, the best first; of many rows, one of the best and one of the trend.

    Args:
        analysis: The rows.
        rows: Those spoken of, the best first.
        names: The name of each; empty of a single one.
    """
    shown = with_headline(rows)
    for row, name in list(zip(rows, names, strict=True))[:shown]:
        said = headline(analysis, row, picked_of=1 if shown > 1 else len(rows))
        yield Text(f"{name}: {said[0].lower()}{said[1:]}" if name else said, "headline")
    if len(rows) > MOST_SENTENCES and (trend := " ".join(_trend(rows))):
        yield _as_headline(trend)
    if is_rejudged(analysis.judgments.table):
        yield from map(_as_headline, moves_scores(analysis.results["score_variance"]))


def headline(analysis: Analysis, row: Row, picked_of: int = 1) -> str:
    """The answer of a row in one sentence, without its name.

    Where it was picked as the best of several, its interval and what it promises hold for all of
    these at once: each is at its part of the level (Bonferroni).
    """
    said = "; ".join(_parts(analysis, row, picked_of))
    if row.pooled_judges:
        said = f"{row.pooled_judges} judges pooled, as if they were one: {said}"
    return f"{said[0].upper()}{said[1:]}."


def with_headline(rows: Sequence[Row]) -> int:
    """How many of the rows have a sentence each."""
    return len(rows) if len(rows) <= MOST_SENTENCES else 1


def _as_headline(said: str) -> Text:
    return Text(said, "headline")


def _trend(rows: Sequence[Row]) -> Iterator[str]:
    """How omega goes with temperature over many rows, or from which row to which it goes."""
    known = [(row, value) for row in rows if (value := _omega(row)) is not None]
    if len(known) < 2:
        return
    by: dict[float, list[float]] = {}
    for row, value in known:
        if row.keys.get("temperature") is not None:
            by.setdefault(float(row.keys["temperature"]), []).append(value)
    named = told_apart([row.keys for row in rows], "judge")
    low, high = (end(known, key=lambda one: one[1]) for end in (min, max))
    spread = f"from {low[1]:z.2f} ({named(low[0].keys)}) to {high[1]:z.2f} ({named(high[0].keys)})"
    grades = [row.judged.scale is not None for row, _ in known]
    name = "ICC" if all(grades) else "Omega (of grades ICC)" if any(grades) else "Omega"
    of = f"{len(known)} of {len(rows)}" if len(known) < len(rows) else len(known)
    yield f"{name} of {of} rows goes {spread}."
    if len(by) > 1:
        first, last = min(by), max(by)
        a, b = (sum(by[at]) / len(by[at]) for at in (first, last))
        moves = "falls" if b < a - _TREND else "rises" if b > a + _TREND else "hardly changes"
        yield f"It {moves} with temperature: {a:z.2f} at {first:g}, {b:z.2f} at {last:g} (means)."


def _omega(row: Row) -> float | None:
    """Omega of a row, on a scale ICC; None where tries may be copies."""
    if row.no_draws or row.asked_once:
        return None
    return row.estimates["icc" if row.judged.scale else "omega"].value


def _parts(analysis: Analysis, row: Row, picked_of: int) -> Iterator[str]:
    """What is known of a row, by its kind: right, usable, same again, better by votes."""
    right = next(iter(analysis.of(row, "validity")), None)
    if right and picked_of > 1:
        level = _part_of(LEVEL, picked_of)
        each = {kind: row.share(kind, level=level) for kind in ("accuracy", WITHIN_ONE)}
        right = right | valued(**each)
    if row.without_verdict == 1:
        yield "no output has a verdict"
        return
    if row.silent:
        silent = share(row.without_verdict, len(row.counts.questions))
        yield f"{silent} of its outputs have no verdict"
        yield "the numbers describe these non-responses as much as the judge"
        return
    if row.suite and row.suite.caution:
        yield f"each replication is another output of {row.suite.evaluated}"
        yield f"this is that model and its grader ({', '.join(row.suite.graders)}) together"
        return
    if right and right["n_labelled"] < FEWEST:
        few = amount(right["n_labelled"], "labelled question")
        yield f"{few} cannot say how often it is right"
    elif right:
        yield from (
            _of_scale(row, right, picked_of)
            if is_of_scale(right)
            else _of_options(analysis, row, right, picked_of)
        )
    if row.no_draws is NO_DRAWS:
        yield from _of_no_draws(row)
    elif row.no_draws:
        yield "all tries of a question are equal and may be copies: nothing is known of another try"
    elif row.asked_once:
        yield "each question was judged once: nothing is known of another try"
    elif not right:
        yield _again(analysis, row, picked_of)
    if (n := len(row.counts.questions)) < FEWEST:
        yield f"{amount(n, 'question')} cannot say how it judges others"
    elif not right:
        yield _ONLY_LABELS


def _of_no_draws(row: Row) -> Iterator[str]:
    """How often tries at temperature 0 differ, and that this says nothing of draws."""
    differ = 1 - (row.estimates["agreement"].value or 0.0)
    yield (
        "at temperature 0 another try gives another verdict in "
        f"{share(differ, row.numbers.n_questions)} of cases, by its machine or by a server that "
        "ignores the temperature"
    )
    yield "nothing is known of draws"


def _of_options(analysis: Analysis, row: Row, right: Record, picked_of: int) -> Iterator[str]:
    """Verdicts that are right or wrong: how often, what may be used, what votes add."""
    n = right["n_labelled"]
    if right["accuracy"] is None:
        yield "how often it is right is not known"
        return
    some = f" of {n:,} labelled questions" if n < len(row.counts.questions) else ""
    picked = _picked(right, "accuracy", picked_of)
    # A suite's row has the name of the model that is evaluated.
    how = "the grader is right" if is_suite(row.table) else "right"
    yield f"{how} in {span(right, 'accuracy', '%', n)}{some}{picked}{no_better_than_always(right)}"
    if right["undecided"] > MOSTLY_WITHOUT_VERDICT:
        yield f"{share(right['undecided'], n)} of verdicts decide nothing"
        return
    yield from _usable(analysis, row, picked_of)
    if not row.no_draws and (votes := _by_votes(right)):
        yield votes
    omega = None if row.no_draws or row.asked_once else row.numbers.value("omega")
    if omega is not None and says_little(row):
        yield f"omega {omega:z.2f}: one verdict says little"


def says_little(row: Row) -> bool:
    """Whether one verdict says little, by omega; unknown where all labels are the same."""
    omega = row.numbers.value("omega")
    return omega is not None and omega < LOW and not (row.labelled and row.labelled.one_label)


_ALSO = ", also as the best of {}"


def _picked(record: Record, key: str, picked_of: int) -> str:
    """That the interval of a value allows for its row being the best of several."""
    return _ALSO.format(picked_of) if picked_of > 1 and record.get(f"{key}_interval") else ""


def _part_of(level: float, rows: int) -> float:
    """The level at which intervals of so many rows all hold at once."""
    return 1 - (1 - level) / rows


def _usable(analysis: Analysis, row: Row, picked_of: int) -> Iterator[str]:
    """On how many questions votes decide with the usual promise, and how many of these do."""
    for panel in analysis.panels:
        if row not in panel.rows:
            continue
        promise = panel.promise
        plain = error = f"at most {percent(promise.max_error)} wrong"
        if picked_of > 1:
            confidence = _part_of(promise.confidence, picked_of)
            panel = LabelledCascade(panel.rows, replace(promise, confidence=confidence))
            error += _ALSO.format(picked_of)
        kept = record(panel)
        if panel.withheld:
            yield f"no promise: {panel.withheld.partition(':')[0]}"
        elif kept["threshold"] is not None:
            decided = share(kept["kept"], kept["n_questions"])
            yield f"{votes_decide(kept)} {decided} of questions with {error}"
        elif few := _few_labels(panel, plain):
            yield few
        elif panel.rule.refuted(promise.max_error, panel.promise.confidence):
            yield f"it decides no part of the questions with {error}"
        else:
            yield panel.no_rule.shown(error)


def _few_labels(panel: LabelledCascade, error: str) -> str:
    """How many labels could promise what these cannot; empty where no feasible number could.

    So few that a judge without an error has no promise say nothing of its errors.
    """
    needed, known = panel.no_rule.more_labels, int(panel.cascade.labelled.sum())
    few = f"{amount(known, 'label')} {'is' if known == 1 else 'are'} too few to promise {error}"
    if needed and needed <= most_feasible(known):
        n = len(panel.questions)
        beyond = f", more than these {n:,} questions" if needed > n else ""
        return f"{few} (about {needed:,} would do{panel.no_rule.how_probably}{beyond})"
    return few if known < panel.fewest_labels else ""


def _by_votes(right: Record) -> str:
    """What a majority adds to one verdict; empty where that is not known."""
    votes = majorities(right)
    if len(votes) < 2:
        return ""
    once, last = votes[0], votes[-1]
    gain, n, of = (
        last["accuracy"] - once["accuracy"],
        last["n_questions"],
        of_fewer(right["n_labelled"], last),
    )
    one_vote = of and f"{of}, one verdict in {share(once['accuracy'], n)}"
    if gain < -GAIN:
        ends = once["accuracy_interval"]
        if ends is None or last["accuracy"] >= ends[0]:
            return "votes are not shown to help"
        many = f"{share(last['accuracy'], n)} with {last['votes']}"
        return f"votes make it worse ({many}{one_vote})"
    if gain <= GAIN:
        repeat = right["wrong_twice"] - right["wrong"] / 2 > ROUNDING
        return f"more votes add little{': most errors repeat' if repeat else ''}"
    enough = next(one for one in votes if one["votes"] == better_by(right))
    found = share(enough["accuracy"], n)
    return f"the majority of {enough['votes']} is right in {found}{one_vote}"


def _of_scale(row: Row, right: Record, picked_of: int) -> Iterator[str]:
    """Grades beside grades of people: how near, in which order, what a mean adds."""
    n = right["n_labelled"]
    if right["within_one"] is None:
        ranks = span(right, "rank_correlation", "z.2f", n)
        whose = "its grades" if row.asked_once else "its mean grades"
        yield f"{whose} follow those of people with a rank correlation of {ranks}"
        return
    step = near_in_words(right)
    of = "people" if by_several(right) else "the label"
    near = f"{step} of {of} in {span(right, 'within_one', '%', n)}"
    if row.labelled and (other := row.labelled.other_step):
        found = other.share(WITHIN_ONE).value or 0.0
        near += f" (some grades are halves: within {other.step:g} in {share(found, n)})"
    near += f"{_picked(right, 'within_one', picked_of)}{no_better_than_always(right)}"
    order = right["rank_correlation"]
    if same_for_all(right):
        yield f"{near}, but its mean grade is the same on every question"
    else:
        of_mean = "" if row.asked_once else " of its mean grade"
        yield near if order is None else f"{near}, rank correlation{of_mean} {order:z.2f}"
    means = {one["votes"]: one for one in right["means"]}
    once = share(right["accuracy"], n)
    if row.labelled and row.labelled.midway:
        once += " (a label between two grades is half of each)"
    if row.labelled and (between := row.labelled.between):
        once += f" ({share(between, n)} of tries lie between the labels' grades: never right)"
    if (k := enough_means(right, "within_one")) > 1:
        yield f"right exactly in {once}"
        mean = means[k]["within_one"]
        of = of_fewer(right["n_labelled"], means[k])
        said = f"the mean of {k} tries, rounded to a grade, is {step} in {share(mean, n)}{of}"
        if of:
            said += f", one try in {share(means[1]['within_one'], n)}"
        yield f"{said}{_for_empty(row, right, mean)}"
    elif (k := enough_means(right, "accuracy")) > 1:
        exact = share(means[k]["accuracy"], n)
        mean_of = f"the mean of {k} tries, rounded to a grade,"
        if of := of_fewer(right["n_labelled"], means[k]):
            exact, once = f"{exact}{of}", share(means[1]["accuracy"], n)
        yield f"{mean_of} is right exactly in {exact} instead of {once}"
    else:
        several = len(means) > 1 and not row.no_draws
        more = ", and the mean of more tries, rounded to a grade, adds little" if several else ""
        yield f"right exactly in {once}{more}"


def _for_empty(row: Row, right: Record, mean: float) -> str:
    """That a mean gains by labelled tries without a verdict, which count as errors.

    Empty where these explain little of what it gains.
    """
    given, once = right["within_one_given"], right["within_one"]
    if not given or not row.without_verdict or given - once <= _MOSTLY * (mean - once):
        return ""
    empty = f"{100 * (1 - once / given):.2g} of 100 labelled tries have no verdict"
    return f", since {empty} (without these, one try is in {share(given, right['n_labelled'])})"


def _again(analysis: Analysis, row: Row, picked_of: int) -> str:
    """How often, or how far, another try changes the verdict; and how many tries to take."""
    numbers, agreement = row.numbers, row.estimates["agreement"]
    if picked_of > 1 and agreement.ends:
        agreement = agreement_of(row.counts, _part_of(LEVEL, picked_of))
    n = numbers.n_questions
    try_ = "another try"
    if orders_apart(row):
        try_ = "another order" if each_order_once(row) else "another try in any order"
    if (distance := numbers.value("mean_difference")) is not None:
        far = f"{try_} moves the grade by {distance:.2g} on average"
        return far + _mean(numbers.value("icc"))
    if agreement.value is None:
        return f"how far verdicts repeat is not known: {agreement.reason or 'not estimable'}"
    other: Record = {"differs": 1 - agreement.value, "differs_interval": None}
    if ends := agreement.ends:
        other["differs_interval"] = [1 - ends[1], 1 - ends[0]]
    said = f"{try_} gives another verdict in {span(other, 'differs', '%', n)} of cases"
    said += _picked(other, "differs", picked_of)
    if 1 - agreement.value <= STEADY:
        return f"{said}: one is enough"
    if orders_apart(row):
        said += ": ask in every order, and count all votes together"
    else:
        said += _majority(analysis.of(row, "votes"), n)
    if (omega := numbers.value("omega")) is not None and omega < LOW:
        said += f"; {_by_chance(omega, row.estimates['omega'].ends)}, so one verdict says little"
    return said


def _by_chance(omega: float, ends: tuple[float, float] | None) -> str:
    """What a low omega means: hardly more than chance only where its whole interval is low."""
    if ends and ends[1] < HARDLY:
        return (
            "two tries agree hardly more than verdicts on two different questions (omega "
            f"{omega:z.2f})"
        )
    if omega < ROUNDING:
        return f"two tries are not shown to agree more than by chance (omega {omega:z.2f})"
    return (
        f"two tries on one question differ only {omega:.0%} less often than verdicts on two "
        f"questions (omega {omega:z.2f})"
    )


def _majority(votes: Sequence[Record], n: int) -> str:
    """The fewest votes whose majority comes out the same again, or how far the most come."""
    known = [one for one in votes if one["agreement"] is not None and one["votes"] > 1]
    if not known:
        return ""
    if stable := next((one for one in known if one["agreement"] >= STABLE), None):
        return f": take the majority of {stable['votes']}"
    last = known[-1]
    same = share_beside(STABLE, last["agreement"], n)
    return f": even the majority of {last['votes']} comes out the same in only {same}"


def _mean(icc: float | None) -> str:
    """The fewest tries whose mean is reliable."""
    if icc is None or not 0 < icc < 1:
        return ""
    k = enough_tries(icc)
    if (reached := icc_of_mean(icc, k)) < RELIABLE:
        return f": even the mean of {k} has a reliability of only {reached:z.2f} (ICC)"
    return ": one is enough" if k == 1 else f": take the mean of {k}"
