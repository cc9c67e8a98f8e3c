"""How repeatable is one verdict? The main table, its figure, and every coefficient."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil

import numpy as np

from ..judgments.columns import varies
from ..judgments.table import is_suite
from ..showing.document import Block, Figure, Grave, Table, Text
from ..showing.formats import (
    Record,
    TableColumn,
    amount,
    describe,
    estimate_text,
    grouped,
    grouped_by,
    percent,
    share,
    share_beside,
    span,
    text,
    whole_number,
)
from ..showing.keys import KEYS, declared
from ..stats import COEFFICIENTS, Estimate, ReliabilityError, code_of
from ..stats.majority import stable_majority
from ..verdicts import NO_VERDICTS
from .analysis import Analysis
from .cautions import each_order_once
from .condition import NO_DRAWS, NO_VERDICT
from .row import AT_VERDICT, Numbers, Row, valued
from .validity import is_of_scale, near_in_words, of_fewer

_SEVERAL_K = (
    "K differs between rows ({}), and AC1 and Brennan-Prediger with it: it is the number of "
    "verdicts that a judge could give, or else of those that it gave. It should be that of the "
    "scale (Gwet 2014), so do not compare these two coefficients between such rows."
)

_LOWEST = -0.25
"""Where an axis of omega begins, unless an interval lies lower."""

STABLE = 0.95
"""How often two majorities of so many votes are to come out the same."""

RELIABLE = 0.9
"""ICC that the mean of so many grades is to have."""

_MEANS = (1, 3, 5, 9)
"""Numbers of tries whose mean is spoken of."""

FEWEST_VOTES = 3
"""That can have a majority of more than one."""

_MOST_VOTES = (1, 3, 5, 9)
"""Numbers of votes that a block shows, beside the largest that is known."""


def exact_verdicts_note(rows: Sequence[Row]) -> Iterator[Text]:
    """What it means that verdicts are exact, and what stayed open."""
    known = [row.numbers for row in rows]
    if exact := [one for one in known if one.method == "exact"]:
        yield Text(
            f"Exact: the distribution of each verdict was computed, not sampled.{_left_open(exact)}"
        )
    if reasoned := [one for one in known if one.method == AT_VERDICT]:
        yield Text(
            "Exact at the verdict: reasonings were sampled, and the distribution of the verdict "
            f"after each was computed.{_left_open(reasoned)}"
        )


def _left_open(known: Sequence[Numbers]) -> str:
    most = max(one.open_mass or 0.0 for one in known)
    if not most:
        return " More replications would add nothing; only more questions would."
    return f" At most {most:.2g} of a question was left open; draws, if any, stand for it."


def published_omega(record: Record) -> str:
    """The published omega with its floor, for one table cell."""
    value, floor = record.get("published_omega"), record.get("published_omega_floor")
    if value is None:
        return "" if record.get("published_n_varying") is None else "not estimable"
    beside = " ({:z.2f}: {:z.2f}-{:z.2f})".format(*floor) if floor else ""
    return f"{value:z.2f}{beside}"


def invalid(record: Record) -> str:
    """The share of invalid outputs, if there are any."""
    return text(record["invalid_rate"] or None, ".1%")


def size(record: Record) -> str:
    """Questions x replications; of what was judged once, all questions."""
    replications = record["n_replications"]
    codes = map(code_of, record["cautions"])
    if Grave.ASKED_ONCE in codes:  # no question entered the coefficients
        return f"{record['n_judgments']:,} x 1"
    known = "exact" if replications is None else whole_number(round(replications, 1))
    return f"{record['n_questions']:,} x {known}"


def main_columns(analysis: Analysis, records: Sequence[Record]) -> list[TableColumn]:
    """The columns of the main table that have something to show; ICC only of a scale."""
    known = [
        TableColumn("", "questions x replications", heading="N x R", shown=size),
        *declared("rows", published_omega=published_omega, invalid_rate=invalid),
    ]
    scale = any(row.judged.scale for row in analysis.rows)
    filled = [column for column in known if any(map(column.show, records))]
    return [column for column in filled if scale or column.key != "icc"]


def chart(analysis: Analysis, by: str = "judge") -> Iterator[Figure]:
    """Omega, or ICC of numbers, of each judge or benchmark, by what differs between rows."""
    left_out = any(row.copied for row in analysis.rows)
    copies = " Tries at temperature 0 are in no figure." * left_out
    records = analysis.estimates("rows")
    several = [name for name in analysis.differing(records) if name != by]
    x = analysis.across if analysis.across in several else next(reversed(several), by)
    of = KEYS["rows"].columns["icc" if all(row.judged.scale for row in analysis.rows) else "omega"]
    name = of.heading.removesuffix(" [95%]")
    for figure in analysis.pictures(
        "rows",
        f"{name} of one verdict, by {by}{f' and {x}' if x != by else ''}.{copies}",
        x,
        of.key,
        kind="lines" if x == "temperature" else "points",
        across=(by, x),
        y_label=f"{name}, one verdict",
    ):
        lows = ((one[f"{of.key}_interval"] or [one[of.key]])[0] for one in figure.records)
        yield replace(figure, lowest=min(_LOWEST, min(lows) - 0.05))


def pivot(analysis: Analysis) -> Iterator[Table | Text]:
    """Omega of each benchmark at each temperature, where several of both were studied."""
    if not is_sweep(analysis):
        return
    lacking = {row: why for row in analysis.rows if (why := why_none(row))}
    records = [row.record | dict.fromkeys(["omega"] * (row in lacking)) for row in analysis.rows]
    names = [name for name in analysis.differing(records) if name != "temperature"]
    rows = [grouped(name) for name in names]
    shared = {name: value for name, value in analysis.keys(records[0], *names).items()}
    shared.pop("temperature")
    of = describe({name: value for name, value in shared.items() if value is not None})
    title = "Omega by temperature" + (f": {of}" if any(shared.values()) else "")
    yield Table.pivot(records, rows, "temperature", _omega, _at_temperature, title)
    whose = grouped_by(lacking, lacking.__getitem__)
    yield from dashes(f"{why} ({_which(without)})" for why, without in whose.items())


def _at_temperature(value: float | None) -> str:
    return "T not known" if value is None else f"T = {value:g}"


def _which(rows: Sequence[Row]) -> str:
    """Some rows by the temperature that they share, or their number."""
    shared = {row.keys.get("temperature") for row in rows}
    value = shared.pop()
    if shared or value is None:
        return amount(len(rows), "row")
    return f"temperature {value:g}"


def why_none(row: Row) -> str | None:
    """Why a row has no omega that says anything of another try; None if it has."""
    if row.asked_once:
        return "each question judged once"
    if row.no_draws:
        if row.no_draws is NO_VERDICT:
            return "no verdicts"
        return "no draws" if row.no_draws is NO_DRAWS else "all tries equal, maybe copies"
    return "omega not estimable" if row.estimates["omega"].value is None else None


def dashes(reasons: Iterable[str]) -> list[Text]:
    """The line under a table that says why it has dashes."""
    said = "; ".join(reasons)
    return [Text(f"-: {said}.")] * bool(said)


def _omega(record: Record) -> str:
    """Omega with its interval, without the reason where it is not known."""
    return span(record, "omega", "z.2f", 0) if record["omega"] is not None else "-"


def is_sweep(analysis: Analysis) -> bool:
    """Whether rows are of several benchmarks at several temperatures."""
    return {"benchmark", "temperature"} <= {*analysis.differing(analysis.estimates("rows"))}


def coefficients(analysis: Analysis) -> Iterator[Block]:
    """Every coefficient of each row, and what it says, with omega drawn where labels come first."""
    if analysis.results["validity"]:
        yield from chart(analysis)
    rows = [row for row in analysis.rows if not (row.asked_once or row.copied)]
    records = [row.record for row in rows]
    known = [
        (name, COEFFICIENTS[name])
        for name in dict.fromkeys((*KEYS["rows"].columns, *COEFFICIENTS))
        if name in COEFFICIENTS and any(name in record for record in records)
    ]
    columns = [TableColumn(n, heading=f"{one.title} [95%]", form="z.2f") for n, one in known]
    if any(one.needs_categories for _, one in known):
        columns.append(TableColumn("n_categories", heading="K"))
    if records:
        yield from analysis.tables(records, columns)
        yield from (Text(f"{one.title}: {one.about}") for _, one in known)
    yield from several_k(records)


def several_k(records: Sequence[Record]) -> Iterator[Text]:
    """That coefficients which depend on the number of categories do not compare between rows."""
    said = sorted(
        {
            one["n_categories"]
            for one in records
            if any(of.needs_categories and name in one for name, of in COEFFICIENTS.items())
        }
    )
    if len(said) > 1:
        yield Text(_SEVERAL_K.format(f"{said[0]} to {said[-1]}"))


def row_coefficient(row: Row) -> str:
    """The coefficient beside a row's name; empty for copies and single draws."""
    if row.asked_once or row.copied:
        return ""
    first = KEYS["rows"].columns["icc" if row.judged.scale else "agreement"]
    return first.heading.replace("[95%]", estimate_text(row.record, first.key))


def several_judges(analysis: Analysis) -> bool:
    """Whether rows are of several judges."""
    return len({row.group.get("judge") for row in analysis.rows}) > 1


def what_rows_are(analysis: Analysis) -> str:
    """The heading of their names: a judge, an evaluated model, or the one column grouped by."""
    if len(analysis.names) == 1 and analysis.names != ["judge"]:
        return grouped(analysis.names[0]).heading
    return "Model" if is_suite(analysis.rows[0].table) else "Judge"


def caption(analysis: Analysis, accuracy: bool = False) -> str:
    """What a table of these rows shows, for a paper."""
    what = "Reliability and accuracy" if accuracy else "Reliability"
    return f"{what} of the judge{'s' if several_judges(analysis) else ''}"


# How many votes make a stable majority.


ONE_ORDER = (
    "each order was judged once, and verdicts of two orders are no two draws of one vote: judge "
    "each order several times"
)


def majority_of(row: Row) -> tuple[Mapping[int, Estimate], str | None]:
    """How often majorities of so many votes are the same; without any, the reason."""
    if row.no_evidence:
        return {}, row.no_evidence
    if orders_apart(row) and each_order_once(row):
        return {}, ONE_ORDER
    # An output without a verdict has no vote.
    counts = row.counts.only(name for name in row.counts.categories if name not in NO_VERDICTS)
    try:
        return stable_majority(counts), None
    except ReliabilityError as error:
        return {}, str(error)


def orders_apart(row: Row) -> bool:
    """Whether questions were shown in several orders."""
    return varies(row.table, "order")


def icc_of_mean(icc: float, tries: int) -> float:
    """ICC of the mean of so many grades, by that of one (Spearman 1910; Brown 1910)."""
    return tries * icc / (1 + (tries - 1) * icc)


def enough_tries(icc: float) -> int:
    """The fewest tries whose mean has an ICC of .9, or the most that are spoken of."""
    return next((k for k in _MEANS if icc_of_mean(icc, k) >= RELIABLE), _MEANS[-1])


def means_of(row: Row) -> dict[int, Estimate]:
    """ICC of the mean of so many grades, with the ends that the interval of one gives it.

    Empty where verdicts are no grades, tries may be copies, or a mean takes orders in turn, which
    is no mean of tries alike.
    """
    if not row.judged.scale or row.no_draws or row.asked_once or orders_apart(row):
        return {}
    one = row.estimates["icc"]
    if one.value is None or one.value <= 0:
        return {}
    found = {k: replace(one, value=icc_of_mean(one.value, k)) for k in _MEANS}
    if not one.ends:
        return found
    low, high = max(one.ends[0], 0.0), one.ends[1]
    return {
        k: replace(of, low=icc_of_mean(low, k), high=icc_of_mean(high, k))
        for k, of in found.items()
    }


def votes_of(majority: Mapping[int, Estimate]) -> list[Record]:
    """One record per number of votes."""
    return [
        {"votes": m, "n_questions": one.n_questions, **valued(agreement=one)}
        for m, one in majority.items()
    ]


_NO_VOTES: Record = {"votes": None, "n_questions": None, **valued(agreement=None)}


def votes(analysis: Analysis) -> Iterator[Record]:
    """How often majorities come out the same again, for each row; or one record with the reason."""
    for row in analysis.rows:
        majority, reason = majority_of(row)
        for found in votes_of(majority) or [_NO_VOTES]:
            yield row.keys | found | {"reason": reason}


IN_TURN = "A vote takes the orders in turn: as many tries of each as can be."
"""Which tries vote, where orders vary and each was tried again."""


NO_VOTE = (
    "outputs without a verdict have no vote, while the agreement of two tries counts them as one "
    "more verdict"
)
"""Why one vote and one try may not come out the same equally often."""


OF_VOTES = {
    "accuracy": "how often the majority of {} tries is right",
    "within_one": "how often the mean of {} tries is within one step of the label",
    "agreement": "how often two majorities of {} tries on one question give the same verdict",
    "icc": "ICC of the mean of {} tries",
}
"""What votes are right or alike in, in words; the table has the number of tries in brackets."""


def tries_for(row: Row, votes: int) -> str:
    """How often a question is to be judged to compare two majorities of so many votes.

    Each takes the orders in turn where these were tried again, so every order has its turns twice.
    """
    if not (found := ways_of_asking(row)):
        return f"{2 * votes} times"
    return f"{2 * ceil(votes / found[0])} times in each {found[1]}"


def ways_of_asking(row: Row) -> tuple[int, str] | None:
    """In how many orders or wordings a question was tried again, and the word; None in one."""
    counts = row.counts
    if counts.exact or counts.variants is None:
        return None
    what = " and ".join(one for one in ("order", "wording") if varies(row.table, one))
    return int(np.bincount(counts.by_variant[1]).max()), what


def too_few_votes(row: Row, most: Record, wanted: float) -> str:
    """That the largest number of votes which could be tried is too small."""
    n, limit = most["votes"], percent(wanted)
    same = share_beside(wanted, most["agreement"], row.numbers.n_questions)
    if n > 1:
        return f"No number of votes up to {n} gives the same majority again {limit} of the time."
    return (
        f"One vote gives the same verdict again {same} of the time, less than {limit}. To see what "
        f"{FEWEST_VOTES} votes give, judge each question {tries_for(row, FEWEST_VOTES)}."
    )


def votes_table(
    analysis: Analysis, row: Row, whom: str, wanted: float = STABLE
) -> Iterator[Table | Text]:
    """How often the majority of so many votes is right, and comes out the same again.

    On a scale, how often their rounded mean is right, and within a step of the label, and its ICC.
    """
    if row.no_draws:  # copies are one vote
        return
    labelled = analysis.of(row, "validity")
    of_scale = any(map(is_of_scale, labelled))

    def known(key: str) -> dict[int, str]:
        return {
            one["votes"]: share(one[key], one["n_questions"])
            for record in labelled
            for one in record["means" if of_scale else "votes"]
            if one[key] is not None
        }

    right, means = known("accuracy"), means_of(row)
    again = {k: f"{one.value:z.2f}" for k, one in means.items()} or {
        one["votes"]: share_beside(wanted, one["agreement"], row.numbers.n_questions)
        for one in analysis.of(row, "votes")
        if one["agreement"] is not None
    }
    odd = [n for n in sorted({*right, *again}) if n % 2]
    shown = [n for n in odd if n in (*_MOST_VOTES, odd[-1])]
    if len(shown) < 2:
        return
    named = {"Right": right, "ICC of the mean" if means else "Same again": again}
    if of_scale:
        # Labels of another scale have no step.
        near = f"Mean {near_in_words(labelled[0])}" if labelled[0]["step"] else ""
        last = "ICC of the mean" if means else "Majority the same again"
        named = {near: known("within_one"), "Mean right": right, last: again}
    lines = [[name, *(of.get(n, "-") for n in shown)] for name, of in named.items() if len(of) > 1]
    if lines:
        what = "Votes" if of_scale or means else "Majorities"
        title = whom and f"{what} of {whom}"
        steady = "reliability" if means else "agreement"
        about = f"Accuracy and {steady}" if labelled else steady.capitalize()
        about += " by number of votes"
        yield Table(["Votes", *map(str, shown)], lines, title, caption=about)
    if lines and len(again) > 1 and row.without_verdict and not means:
        agreed = row.estimates["agreement"].value
        same = "" if agreed is None else f" ({share(agreed, row.numbers.n_questions)} again)"
        yield Text(f"{NO_VOTE[0].upper()}{NO_VOTE[1:]}{same}.")
    beside = [name for name, *_ in lines if named[name] is not again]
    for one in labelled[: len(beside)]:
        most = one["means" if of_scale else "votes"][-1]
        if of := of_fewer(one["n_labelled"], most):
            yield Text(f"{' and '.join(beside)}:{of}, those with {most['votes']} tries or more.")
    majorities = [] if means else analysis.of(row, "votes")[-1:]
    for one in majorities if lines and len(again) > 1 else ():
        if of := of_fewer(row.numbers.n_questions, one):
            name = next(name for name, of_k in named.items() if of_k is again)
            yield Text(f"{name}:{of}, those with the tries of two majorities of {one['votes']}.")
    if lines and orders_apart(row) and row.judged.as_shown:
        yield Text(IN_TURN)
    lacking = [n for n in shown if n not in again] if len(again) > 1 else []
    yield from dashes(
        f"two majorities of {n} need {tries_for(row, n).replace(' times', ' tries of a question')}"
        for n in lacking[:1]
    )
