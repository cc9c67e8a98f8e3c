"""How many votes, questions and replications a judge needs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from ..errors import UserError
from ..judgments.given_labels import Labels
from ..judgments.reading import Reading
from ..judgments.scales import NO_NUMBERS
from ..judgments.sources import Columns, Source
from ..showing.answer import PythonAnswer
from ..showing.document import Block, Caution, Document, Table, Text
from ..showing.formats import (
    Record,
    TableColumn,
    amount,
    describe,
    grouped_by,
    keys_of,
    of_group,
    percent,
    share_places,
    width_beside,
)
from ..showing.keys import declared, legend
from ..stats import COEFFICIENTS as COEFFICIENTS_BY_NAME
from ..stats import KINDS, SHARES, Estimate, UnknownCoefficientError
from ..stats.labelled import ALIKE, WITHIN_ONE
from ..stats.planning import ASSURANCE, OF_LABELS
from .analysis import Analysis
from .beside_limit import gate_for_all
from .headline import says_little
from .next_steps import CHANGES, FIRST_LABELS, Advice, advice, more_labels
from .reliability import (
    enough_tries,
    majority_of,
    means_of,
    orders_apart,
    too_few_votes,
    votes_of,
    votes_table,
    ways_of_asking,
)
from .results import analyse
from .row import (
    Row,
    are_grades,
    by_options,
    refuse_unlabelled,
    tells_outputs_apart,
    unlabelled,
    unlabelled_questions,
)
from .sufficient_studies import assured, designs_of, each_verdict
from .summary import cautions_of_rows, more, next_step, worst
from .validity import names_or_grades

COEFFICIENTS = ("omega", "agreement")

_OF_GRADES = (
    "These are grades: labels are planned for how often a verdict is within one step (--for "
    "accuracy plans exact matches, --for icc questions)."
)

_OF_SCALE = "These are grades: ICC is planned (--for omega plans exact matches)."

_OF_THESE_TRIES = (
    "Studies have as many tries in each order or wording, and at most as many as here: what more "
    "would give is not known."
)

_OF_NEW_ORDERS = (
    "More tries than here are planned as if each drew an order of its own. Where there are no more "
    "orders than these, plan the questions alone."
)

_AS_NUMBERS = ". --map makes numbers of them, as in --map C=1 --map P=0.5 --map I=0."

_MOST_PLANS = 4

_MOST_STUDIES = 16
"""Most rows that an answer speaks of, and most studies that it lists."""

_TABLES = {
    "votes": ("Votes for a stable majority", declared("votes")),
    "designs": ("Studies that give an interval of the wanted width", declared("designs")),
}


def plans(
    analysis: Analysis,
    half_widths: Sequence[float] = (0.05, 0.1),
    wanted: float = 0.95,
    assurance: float | None = None,
    names: Sequence[str] = COEFFICIENTS,
) -> list[Record]:
    """Plan for every row, from a pilot or a whole study.

    A question counts as stable if two majorities agree with probability `wanted`; a study of the
    planned size reaches its half-width with probability `assurance`: by default .8, and .5 of
    labels, whose planned number is the one at which that half-width is to be expected; more can be
    added where it is not reached.

    `names` are the coefficients to plan for: omega and agreement with several numbers of
    replications, as far as the pilot tells of them, any other with the pilot's number; "accuracy"
    counts labelled questions, and is planned
    where nothing was replicated and there are labels. Of grades with labels, "within_one" is
    planned unless other `names` are given, without labels "icc".

    Returns:
        One record per row: `votes` and how many are needed, `designs` of sufficient studies, and
        what is not known.

    Raises:
        UserError: No question was judged more than once, no question has the label that a share
            needs, or a number is out of range.
        UnknownCoefficientError: There is no such coefficient.
    """
    _check(half_widths, wanted, assurance, names)
    rows = analysis.rows
    if names == COEFFICIENTS and are_grades(rows):
        names = (WITHIN_ONE,)
    elif names == COEFFICIENTS and all(row.judged.scale and not row.labelled for row in rows):
        names = ("icc",)
    if not any(row.labelled for row in rows):
        refuse_unlabelled(rows, names, "A plan for")
    if {*names}.isdisjoint(SHARES) and all(row.counts.replications.max() < 2 for row in rows):
        labelled = any(row.labelled for row in rows)
        if names != COEFFICIENTS or not labelled:
            raise UserError(
                "No question was judged more than once, but a plan needs to know how the "
                "replications of a question differ. Have each question judged several times; or "
                f"{'' if labelled else 'give labels (--labels FILE), and '}plan how many labels "
                "you need: --for accuracy."
            )
        names = KINDS[:1]
    return [of_group(row.group, _plan(row, half_widths, wanted, assurance, names)) for row in rows]


def _check(
    half_widths: Sequence[float], wanted: float, assurance: float | None, names: Sequence[str]
) -> None:
    """Refuse names and numbers that nothing can be planned by."""
    if not names or not half_widths:
        lacking = "half_widths" if names else "names"
        raise UserError(f"{lacking} is empty. Leave it out for what is usual.")
    for name in names:
        if name not in COEFFICIENTS_BY_NAME and name not in SHARES:
            raise UnknownCoefficientError(name, [*COEFFICIENTS_BY_NAME, *SHARES])
    for half in half_widths:
        if not 0 < half <= 1:
            also = f": {half / 100:g} is {half:g} points" if 1 < half <= 100 else ""
            raise UserError(f"A half-width is above 0 and at most 1, not {half:g}{also}.")
    if not (0 < wanted <= 1 and (assurance is None or 0 < assurance < 1)):
        raise UserError(
            "The probabilities `stable` (above 0, at most 1) and `assurance` (between 0 and 1) are "
            f"shares, not {wanted:g} and {ASSURANCE if assurance is None else assurance:g}."
        )


@dataclass(frozen=True, eq=False, repr=False)
class StudyPlan(PythonAnswer):
    """What the next study needs, a plan for each judge.

    Attributes:
        analysis: The judges.
        plans: A record for each judge.
        stable: Probability that two majorities of a stable question agree.
    """

    analysis: Analysis
    plans: Sequence[Record]
    stable: float

    @cached_property
    def document(self) -> Document:
        """The plans as the command shows them."""
        return plan_document(self.analysis, self.plans, self.stable)


def plan(
    judgments: Source,
    by: str | Sequence[str] = (),
    *,
    labels: Labels = (),
    columns: Columns = None,
    half_widths: float | Sequence[float] = (0.05, 0.1),
    stable: float = 0.95,
    assurance: float | None = None,
    names: str | Sequence[str] = COEFFICIENTS,
    swap: bool | None = None,
    reading: Reading | str | Path | None = None,
) -> StudyPlan:
    """Plan the next study: votes of a stable majority, and questions for an interval of a width.

    Args:
        judgments: Judgments, or where they are (see `judgments_from`): a data frame, logs, files.
        by: Columns to group by, or the name of one, as in `analyse`.
        labels: Labels of people, as in `analyse`.
        columns: Name in the frame or files -> name in the table.
        half_widths: Half the widths wanted of the 95% interval, as shares: 0.05 is 5 points.
        stable: A question is stable if two majorities agree with this probability.
        assurance: Probability that a study of the planned size reaches its half-width: by default
            .8, and .5 of labels, as you can label more where it is not reached.
        names: Coefficients to plan for; "accuracy" plans labels, and on a scale "within_one". By
            default grades are planned for the latter where they have labels, else for "icc".
        swap: What verdicts name where orders have names; see `judgments_from`.
        reading: How frames and files are read, or a file that says so.

    Returns:
        The plans. `summary()` has a row for each number of votes and each study, and its column
        `table` tells these apart:

        - "votes": `votes` give the same majority again with probability `agreement`.
        - "designs": a study of `n_questions` with `n_replications` each, `judgments` in all, gives
          `coefficient` an interval of `half_width`. For accuracy, `n_questions` are labelled
          questions, those that you have among them. The number really needed lies between `fewest`
          and `most` with 80% probability for a share by labels. For a coefficient it may
          lie outside: plans from few questions ask for too many.

    Raises:
        UserError: The judgments cannot be read, no question was judged more than once, a share has
            no labels, or a number is out of range.
        UnknownCoefficientError: There is no such coefficient.

    Example:
        >>> import inspect_reliability as ir
        >>> found = ir.plan("examples/verdicts.csv", half_widths=[0.1])
        >>> votes = found.summary().query("judge == 'gpt-5.4-nano' and table == 'votes'")
        >>> votes[["votes", "agreement"]].round(2).head(2)
            votes  agreement
        12    1.0       0.52
        13    3.0       0.63
    """
    analysis = analyse(judgments, by, labels=labels, columns=columns, swap=swap, reading=reading)
    widths = [half_widths] if isinstance(half_widths, int | float) else half_widths
    names = [names] if isinstance(names, str) else names
    found = plans(analysis, widths, stable, assurance, names)
    return StudyPlan(analysis, found, stable, notes=analysis.judgments.notes)


def plan_document(
    analysis: Analysis, found: Sequence[Record], wanted: float = 0.95, logs: str = "LOGS"
) -> Document:
    """What was judged gives already, votes, and the cheapest studies; then every plan.

    `logs` is what the next command reads.
    """
    sheet = [
        keys_of(plan) | {"table": key} | record
        for plan in found
        for key in _TABLES
        for record in plan[key]
    ]
    return Document(
        "How large must the next study be?",
        _answer(analysis, found, wanted, logs),
        {"rows": found},
        more=lambda: list(_every(analysis, found, wanted)),
        explained=lambda: legend([*declared("votes"), *declared("designs")]),
        sheet=sheet,
    )


def _answer(analysis: Analysis, found: Sequence[Record], wanted: float, logs: str) -> list[Block]:
    """A line a judge; of a single one, its votes and cheapest studies."""
    every = list(zip(analysis.rows, found, strict=True))
    known = [(row, plan) for row, plan in every if plan["designs"] or plan["votes"]]
    said: list[Block] = []
    for row, plan in (known or every)[:_MOST_PLANS]:
        said.append(Text(f"{row.title}: {_needed(plan)}{_already(row, plan)}", "answer"))
        if len(found) == 1:
            said += votes_table(analysis, row, "", wanted)
        said.append(Text(" ".join(remarks(row, plan, wanted)[:1]), "answer"))
    if len(known) > _MOST_PLANS:
        left = len(known) - _MOST_PLANS
        have = "row has a plan of its" if left == 1 else "rows have plans of their"
        said.append(Text(f"{left} more {have} own.", "answer"))
    said += _without_plan([one for one in every if known and one not in known])
    planned = {one["coefficient"] for one in found[0]["designs"]}
    if are_grades(analysis.rows) and planned == {WITHIN_ONE}:
        said.append(Text(_OF_GRADES, "answer"))
    elif planned == {"icc"} and all(row.judged.scale for row in analysis.rows):
        said.append(Text(_OF_SCALE, "answer"))
    cheapest: list[Record] = [
        {"who": row.title} | one for row, plan in known for one in _cheapest(plan)
    ]
    columns = [TableColumn("", heading="Judge", shown=lambda one: one["who"])] * (len(found) > 1)
    if cheapest:
        table = Table.of(cheapest, [*columns, *declared("designs")], "Cheapest studies")
        said.append(replace(table, most=_MOST_STUDIES))
        said += _of_sizes(cheapest)
    why = [reason for plan in found for reason in plan["not_estimable"].values()]
    told = cautions_of_rows(
        analysis.rows, [(one, row.name) for row, plan in every for one in plan["cautions"]]
    )
    said += worst(told)
    if not cheapest:
        numbers = _AS_NUMBERS if why and why[0] == NO_NUMBERS else ""
        said += [Text(f"Why: {why[0]}{numbers}", "answer")] * bool(why)
        return [*said, *_without_studies(analysis, logs, why), more()]
    if len(found) == 1 and len({one["n_replications"] for one in found[0]["designs"]}) == 1:
        aims = [f"{aim}: {reason}." for aim, reason in found[0]["not_estimable"].items()]
        said += [Text(aim, "answer") for aim in aims if not aim.startswith("votes: ")][:1]
    name, half = cheapest[0]["coefficient"], cheapest[0]["half_width"]
    reached = [row.estimate(name).ends for row, plan in known if _of_aim(plan, name, half)]
    ends = [one for one in reached if one and one[1] - one[0] <= 2 * float(half)]
    mended = advice(analysis, analysis.rows[0], logs) if len(analysis.rows) == 1 else None
    if mended and mended.tag in CHANGES:
        said += next_step(mended.next, mended.command)
    elif len(ends) == len(reached) and any(says_little(row) for row, _ in known):
        said += _mend(mended, logs)
    elif len(ends) == len(reached):
        held = gate_for_all([row for row, _ in known], name, ends, logs)
        words = f"you have judged enough for that{'. Hold the judge to it' if held else ''}"
        said += next_step(words, held)
    elif name in SHARES:
        said += _label_more(analysis.rows[0], cheapest[0], _for_all(found, name, half)[0], logs)
    else:
        of = ", which is enough for every row" if len(reached) > 1 else ""
        n, tries = _for_all(found, name, half)
        study = _study({"coefficient": name, "n_questions": n, "n_replications": tries})
        if (
            tries
            and (ways := ways_of_asking(known[0][0]))
            and (each := tries / ways[0]).is_integer()
        ):
            study += f" ({each:g} in each {ways[1]})"
        said += next_step(f"judge {study}{of}, and report the tries")
    left = max(len(known) - _MOST_PLANS, len(cheapest) - _MOST_STUDIES)
    return [*said, more(len(told) - 1, left)]


def _without_studies(analysis: Analysis, logs: str, why: Sequence[str]) -> list[Text]:
    """What to do where no study can be planned, for these reasons.

    Verdicts that are no numbers have been told what makes them numbers.
    """
    if NO_NUMBERS in why[:1]:
        return []
    if any(row.counts.clustered for row in analysis.rows):
        words = "plan from one output of each question"
        if by := tells_outputs_apart(analysis.rows):
            return next_step(words, f"plan {logs} {by_options(by)}")
        return next_step(f"{words}: judge it in a log or file of its own")
    if analysis.rows[1:]:
        return next_step("see what each judge asks for", f"report {logs}")
    if ALIKE in why:
        return next_step(*more_labels(FIRST_LABELS, unlabelled(analysis.rows[0]), logs))
    first = advice(analysis, analysis.rows[0], logs)
    return next_step(first.next, first.command)


def _mend(mended: Advice | None, logs: str) -> list[Text]:
    """What to do about a judge that is known exactly enough to be called unreliable."""
    enough = "you have judged enough for that, and one verdict says little"
    if mended is None:
        return next_step(f"{enough}. See what each judge asks for", f"report {logs}")
    return next_step(f"{enough}: {mended.next}", mended.command)


def _needed(plan: Record) -> str:
    """The cheapest studies for the first half-width that was asked for, in words."""
    first = grouped_by(_cheapest(plan), lambda one: str(one["coefficient"])).values()
    aims = [
        f"{one['coefficient']} to within {_width(one)} takes {_study(one)}" for one, *_ in first
    ]
    return f"{', '.join(aims)}. " if aims else ""


def _width(one: Record) -> str:
    """The half-width of a study, of shares in points."""
    half = float(one["half_width"])
    return amount(f"{100 * half:g}", "point") if one["coefficient"] in SHARES else f"{half:g}"


def _study(one: Record) -> str:
    """How many questions, and how often each is judged."""
    of = "labelled question" if one["coefficient"] in SHARES else "question"
    tries = one["n_replications"]
    return f"{amount(one['n_questions'], of)}{'' if tries is None else f' x {tries:g}'}"


def _of_sizes(designs: Sequence[Record]) -> Iterator[Text]:
    """What the numbers of questions and their ranges in a table of studies say."""
    of_labels = dict.fromkeys(d["assurance"] for d in designs if d["coefficient"] in SHARES)
    others = dict.fromkeys(d["assurance"] for d in designs if d["coefficient"] not in SHARES)
    said = [
        "This many labelled questions give the half-width"
        + (
            ", if the others are like those labelled so far."
            if share == OF_LABELS
            else f" with {percent(share)} probability."
        )
        for share in of_labels
    ]
    said += [
        f"{'Other studies' if of_labels else 'Studies'} of this size reach the half-width with "
        f"{percent(share)} probability."
        for share in others
    ]
    if of_labels:
        said.append(
            "Range: the number really needed lies here with 80% probability, as far as the "
            "labelled questions can show."
        )
    if others:
        said.append(
            f"Range{' of the others' if of_labels else ''}: what these questions show of the "
            "number really needed, which may lie outside: plans from few questions ask for too "
            "many."
        )
    if said:
        yield Text(" ".join(said), "answer")


def _without_plan(rows: Sequence[tuple[Row, Record]]) -> Iterator[Text]:
    """A line a reason why rows have no plan."""
    reasons = ((row.name, next(iter(plan["not_estimable"].values()), "")) for row, plan in rows)
    for why, own in grouped_by(reasons, lambda one: one[1]).items():
        names = [name for name, _ in own]
        whom = "; ".join(names) if len(names) < _MOST_PLANS else amount(len(names), "row")
        yield Text(f"No plan for {whom}: {why}", "answer")


def _of_aim(plan: Record, name: str, half: float) -> dict[float | None, int]:
    """Replications -> questions of the studies that give a coefficient this half-width."""
    return {
        one["n_replications"]: one["n_questions"]
        for one in plan["designs"]
        if (one["coefficient"], one["half_width"]) == (name, half)
    }


def _for_all(found: Sequence[Record], name: str, half: float) -> tuple[int, float | None]:
    """Questions and replications of the cheapest study that is large enough for every row."""
    each = [studies for plan in found if (studies := _of_aim(plan, name, half))]
    shared = [r for r in each[0] if all(r in one for one in each)] or [*each[0]][:1]
    sizes = [(max(one.get(r, 0) for one in each), r) for r in shared]
    return min(sizes, key=lambda size: size[0] * (size[1] or 1))


def _label_more(row: Row, design: Record, wanted: int, logs: str) -> list[Text]:
    """To label so many of what was judged, and to judge more where these are too few."""
    known = row.estimate(design["coefficient"]).n_questions
    left, questions = unlabelled(row), unlabelled_questions(row)
    gives = f"to know {design['coefficient']} to within {_width(design)}"
    lacking = max(wanted - known, 1)
    return next_step(*more_labels(lacking, left, logs, wanted, gives, questions=questions))


def _already(row: Row, plan: Record) -> str:
    """How exact what was labelled and what was judged is, in words."""
    planned = dict.fromkeys(one["coefficient"] for one in plan["designs"])
    asked = [name for name in planned if name not in SHARES]
    wanted = {float(one["half_width"]) for one in plan["designs"]}
    reached = [
        f"{name} to within {width_beside(wanted, (ends[1] - ends[0]) / 2, 2)}"
        for name in dict.fromkeys(asked or (("icc",) if are_grades([row]) else COEFFICIENTS))
        if (ends := row.estimate(name).ends) and not row.no_evidence
    ]
    usual = WITHIN_ONE if are_grades([row]) else KINDS[0]
    labels: dict[int, list[str]] = {}
    for kind in [name for name in planned if name in SHARES] or [usual]:
        found = row.estimate(kind)
        if found.ends:
            half, places = 50 * (found.ends[1] - found.ends[0]), share_places(found.n_questions)
            shown = amount(width_beside({100 * one for one in wanted}, half, places), "point")
            labels.setdefault(found.n_questions, []).append(f"{kind} to within {shown}")
    said = [f"The {n:,} labelled give {', '.join(one)}." for n, one in labels.items()]
    n = amount(plan["n_questions"], "output" if row.counts.clustered else "question")
    if reached:
        of = f"The {plan['n_questions']:,} judged" if plan["designs"] else n
        said.append(f"{of} give {', '.join(reached)}.")
    return " ".join(said) or ("" if plan["designs"] else f"{n} were judged.")


def _cheapest(plan: Record) -> list[Record]:
    """Of the studies for one purpose, that with the fewest verdicts."""
    found: dict[tuple[str, float], Record] = {}
    for one in plan["designs"]:
        of = (one["coefficient"], one["half_width"])
        found[of] = min(found.get(of, one), one, key=lambda one: one["judgments"])
    return list(found.values())


def _every(analysis: Analysis, found: Sequence[Record], wanted: float) -> Iterator[Block]:
    """Each plan with its two tables and its sentences."""
    for row, plan in zip(analysis.rows, found, strict=True):
        yield Text(f"{describe(keys_of(plan))} ({plan['n_questions']} questions)", "heading")
        for key, (title, columns) in _TABLES.items():
            if plan[key] and not (key == "votes" and means_of(row)):
                yield Table.of(plan[key], columns, title)
        yield from _of_sizes(plan["designs"])
        yield from map(Text, remarks(row, plan, wanted))
        yield from map(Caution, plan["cautions"])


def remarks(row: Row, plan: Record, wanted: float = 0.95) -> list[str]:
    """A plan in sentences, including what is not known."""
    why = dict(plan["not_estimable"])
    reason = why.pop("votes", None)
    if means := means_of(row):
        found = [_of_mean(means)]
    elif reason:
        found = [f"No votes: {reason}"]
    elif needed := plan["votes_needed"]:
        give = "give" if needed > 1 else "gives"
        found = [f"{_votes(needed)} {give} the same majority again {percent(wanted)} of the time."]
        fewest, most = plan["votes_fewest"], plan["votes_most"]
        if most != fewest:
            least = f"from {fewest} to {most}" if most else f"{fewest} or more"
            found[0] += f" Other questions may take {least}."
    else:
        found = [too_few_votes(row, plan["votes"][-1], wanted)]
    return found + [f"{aim}: {reason}" for aim, reason in why.items()]


def _of_mean(means: Mapping[int, Estimate]) -> str:
    """How many grades a mean takes to be reliable."""
    k = enough_tries(means[1].value or 0.0)
    of = "One try has" if k == 1 else f"The mean of {k} tries has"
    return f"{of} an ICC of {means[k].value:z.2f}."


def _plan(
    row: Row,
    half_widths: Sequence[float],
    wanted: float,
    assurance: float | None,
    names: Sequence[str],
) -> Record:
    counted = row.counts
    majority, reason = majority_of(row)

    def first(reached: Callable[[Estimate], float | None]) -> int | None:
        return next((m for m, one in majority.items() if (reached(one) or 0.0) >= wanted), None)

    why = {"votes": reason} if reason else {}
    cautions: list[str] = [row.silent] if row.silent and row.silent != reason else []
    if not {*names}.isdisjoint(COEFFICIENTS) and (orders_apart(row) or row.judged.as_shown):
        cautions.append(_OF_THESE_TRIES if row.judged.as_shown else _OF_NEW_ORDERS)
    cautions += filter(None, [names_or_grades(row)])
    each = {name: each_verdict(row, name) for name in ("tokens", "cost")}
    designs = list(designs_of(row, names, half_widths, assurance, each, why))
    return {
        "n_questions": len(counted.questions),
        "n_labelled": row.labelled.given.n_clusters if row.labelled else None,
        "votes": votes_of(majority),
        "votes_needed": first(lambda one: one.value),
        "votes_fewest": first(lambda one: one.high or 1.0),
        "votes_most": first(lambda one: one.low),
        "designs": designs,
        "assurance": assured(names[0], assurance),
        "tokens_per_judgment": each["tokens"],
        "cost_per_judgment": each["cost"],
        "not_estimable": why,
        "cautions": cautions,
    }


def _votes(n: int) -> str:
    return f"{n} vote{'s' if n > 1 else ''}"
