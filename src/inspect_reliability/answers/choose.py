"""Which judge is better, and how right is it after it was chosen?"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from ..errors import UserError
from ..judgments.chosen_judge import Openings
from ..judgments.given_labels import Labels, labelled_judgments, labels_in, places_in
from ..judgments.reading import Reading
from ..judgments.sources import Columns, Source, in_file
from ..judgments.table import Judgments
from ..record.rule import CHOICE, ChosenJudge
from ..saving import write_text
from ..showing.answer import PythonAnswer
from ..showing.document import Caution, Document, Figure, Table, Text
from ..showing.formats import (
    ROUNDING,
    Record,
    TableColumn,
    amount,
    span,
)
from ..showing.keys import declared, legend
from ..stats import Cells, Labelled
from .candidates import (
    Choosing,
    candidates_of,
    prices_in,
    raters_of,
    refuse_unknown,
    without_benchmark,
)
from .choice_in_words import (
    THOUSAND,
    Wanted,
    cautions_of_choice,
    cheapest_not_worse,
    said_of,
    why_no_interval,
)
from .choice_next import after_choice
from .next_steps import rejudge_call
from .results import analyse
from .row import Row
from .summary import more, worst

TITLE = "Which judge is better?"

_MOST_SHOWN = 5
"""Candidates in the answer, beside the current one and the cheapest."""

_SOURCES = "All intervals hold together, however many candidates there are."

_MOST_NAMED = 3
"""Questions that are named where two people prefer different candidates."""

_MOST_RATERS = 5

_Rights = Mapping[object, Mapping[str, Sequence[float]]]
"""Rater -> question -> how often each candidate is right by that label."""


@dataclass(frozen=True, eq=False, repr=False)
class JudgeChoice(PythonAnswer):
    """The chosen judge, and what the choice shows.

    Attributes:
        found: The candidates on the labelled questions.
        wanted: What was asked beside the choice.
    """

    found: Choosing
    wanted: Wanted

    _own = (
        "after_choosing",
        "after_choosing_interval",
        "better_than_current",
        "cheapest_not_worse",
        "choice",
        "chosen",
    )

    @cached_property
    def document(self) -> Document:
        """The choice as the command shows it."""
        return choose_document(self.found, self.wanted)

    @property
    def chosen(self) -> str:
        """The name of the chosen candidate."""
        return self.found.names[self.found.chosen]

    @property
    def after_choosing(self) -> float:
        """How often it is right, as a share of questions, after it was chosen among several."""
        return self.found.after[0]

    @property
    def after_choosing_interval(self) -> tuple[float, float] | None:
        """Its 95% interval; None where an opened test part allows none."""
        return self.found.after[1]

    @property
    def better_than_current(self) -> bool | None:
        """Whether it is right more often than the current judge; None where that is not known."""
        records: list[Record] = self.document.results["choose"]
        known: bool | None = records[self.found.chosen]["better_than_current"]
        return known

    @property
    def cheapest_not_worse(self) -> str | None:
        """The cheapest candidate that is shown to lose at most `max_loss` to any other."""
        place = cheapest_not_worse(self.found, self.document.results["choose"])
        return None if place is None else self.found.names[place]

    def choice(self) -> ChosenJudge:
        """The choice as the commands take it with `--rule`; its `text` is that of the file."""
        return self.found.choice()


def choose(
    judgments: Source,
    by: str | Sequence[str] = (),
    *,
    labels: Labels = (),
    current: str | int | None = None,
    votes: int | Sequence[int] | None = None,
    max_loss: float = 0.05,
    price: Mapping[str, float] | str | Path | None = None,
    within_one: bool | None = None,
    out: str | Path | None = None,
    columns: Columns = None,
    swap: bool | None = None,
    reading: Reading | str | Path | None = None,
) -> JudgeChoice:
    """Choose the best judge by a few labels, with an error that is still true.

    Candidates are the judges under every condition, each with one verdict and with the majority of
    several, or of grades their mean. Files that name no judge are one each. The accuracy of the
    chosen one is that after choosing, and intervals and comparisons hold for all candidates at
    once. Where labels have a column `split`, those of the part "test"
    measure, and all others choose. The candidates measured first are kept in a file beside the
    labels, or beside the judgments; of data frames alone, nothing is kept.

    Args:
        judgments: Judgments, or where they are (see `judgments_from`): a data frame, logs, files.
        by: Columns to group by, or the name of one, as in `analyse`.
        labels: Labels of people, as in `analyse`.
        current: The judge, wording or candidate in use, to say which are better.
        votes: Numbers of verdicts whose majority is a candidate, or a single one. By default 1, 3,
            5 and the largest odd number that all questions of a judge have, up to 9.
        max_loss: How much less often the cheapest may be right than any other, as a share.
        price: Dollars of a call by judge, or a YAML or JSON file of them, if judgments do not say.
        within_one: Whether a verdict is right if it is at most a step from the label. By default
            it is where verdicts and labels are grades.
        out: File for the choice (.yaml), which `keep` and `gate` take as `rule`.
        columns: Name in the frame or files -> name in the table.
        swap: What verdicts name where orders have names; see `judgments_from`.
        reading: How frames and files are read, or a file that says so.

    Raises:
        UserError: The judgments cannot be read, nothing is labelled, there is one candidate, a
            price is missing, names have no step, or the file would replace another.

    Example:
        >>> import inspect_reliability as ir
        >>> found = ir.choose("examples/verdicts.csv", current="gpt-5.4-nano")
        >>> found.chosen, round(found.after_choosing, 2), found.better_than_current
        ('gpt-5.4, 7 votes', 0.67, True)
        >>> found.summary()[["judge", "votes", "accuracy", "chosen"]].round(2).head(2)
                  judge  votes  accuracy  chosen
        0       gpt-5.4      1      0.68   False
        1  gpt-5.4-nano      1      0.50   False
    """
    votes = [votes] if isinstance(votes, int) else votes
    if votes is not None and (not votes or min(votes) < 1):
        raise UserError("votes has a number below 1, or none. Give numbers such as 1, 3, 5.")
    if not 0 <= max_loss < 1:
        raise UserError(f"max_loss is a share from 0 to less than 1, not {max_loss:g}.")
    if out is not None and not str(out).lower().endswith((".yaml", ".yml")):
        raise UserError(f"{out} does not end in .yaml or .yml. Name another file.")
    by = [by] if isinstance(by, str) else by
    current = None if current is None else str(current)
    opened = _openings(judgments, labels)
    how = Reading.of(in_file(reading), columns=columns or {}, swap=swap)
    read = labelled_judgments(judgments, labels, reading=how, by=by, apart=True)
    found = choose_among(read, opened, by, votes, price, current, within_one)
    place = None if current is None else found.of_name(current)
    wanted = Wanted(place, max_loss, None if out is None else str(out), options=" ...")
    answer = JudgeChoice(found, wanted, notes=read.notes)
    open_test(found, opened)
    if out is not None:
        write_text(out, answer.choice().text, CHOICE)
    return answer


def _openings(judgments: Source, labels: Labels) -> Openings:
    """What is kept beside the last file of labels, else beside the first one of judgments."""
    places = (*places_in(judgments)[:1], *labels_in(labels))
    known = [one for one in places if isinstance(one, str | Path)]
    return Openings.beside(str(known[-1])) if known else Openings.nowhere()


def choose_among(
    judgments: Judgments,
    opened: Openings,
    by: Sequence[str] = (),
    votes: Sequence[int] | None = None,
    price: Mapping[str, float] | str | Path | None = None,
    current: str | None = None,
    within_one: bool | None = None,
) -> Choosing:
    """The candidates: a row each, with all its benchmarks together unless `by` says else.

    Raises:
        UserError: None has the name of the `current` one, verdicts are a suite's own scores, there
            is nothing to choose, or names have no step.
    """
    analysis = analyse(judgments, by)
    names = [] if by else without_benchmark(analysis)
    whole = analyse(judgments, names) if names else analysis
    if current is not None:
        refuse_unknown(whole.rows, current)
    prices = None if price is None else prices_in(price)
    _refuse_suites([row for row in whole.rows if row.labelled])
    return candidates_of(whole, votes, prices, opened.candidates, within_one)


def _refuse_suites(rows: Sequence[Row]) -> None:
    """Refuse scores of a suite, whose log names the model that was graded and no judge."""
    if row := next((one for one in rows if one.graders), None):
        raise UserError(
            f"Nothing can be chosen: {row.name} is no judge, but the model whose outputs "
            f"{', '.join(row.graders)} graded. Judge these outputs again, once with each grader, "
            f"and choose among the new logs: inspect-reliability {rejudge_call(row)}"
        )


def open_test(found: Choosing, opened: Openings) -> None:
    """Keep which candidates the test part has measured first, if there is one."""
    if found.has_test:
        opened.write(found.tested, found.identities)


def choose_document(found: Choosing, wanted: Wanted, logs: str = "LOGS") -> Document:
    """The choice in words, then the candidates; `logs` is what was read."""
    records = records_of(found, wanted)
    raters = list(_rater_preferences(found))
    results = {"choose": records, "rater_preferences": raters}
    said = [*said_of(found, wanted, records), *_preferences_in_words(raters)]
    told = [Caution(text) for text in cautions_of_choice(found)]
    return Document(
        TITLE,
        [
            *(Text(one, "answer" if n else "headline") for n, one in enumerate(said)),
            _table(found, _shown(found, wanted, records), "Candidates", 0),
            *worst(told),
            *after_choice(found, wanted, logs),
            more(len(told) - 1, len(records) - len(_shown(found, wanted, records))),
        ],
        results,
        more=lambda: [_table(found, _order(records), "Every candidate", 0), *told],
        explained=lambda: legend(declared("choose")),
        charts=lambda: [_picture(found, wanted, records)],
        sheet=records,
    )


def records_of(found: Choosing, wanted: Wanted) -> list[Record]:
    """A record of each candidate, the cheapest first."""
    best, measured = found.best, found.measured
    new = {place for place, one in enumerate(found.identities) if one in found.new}
    opened = found.has_test and bool(new)
    known = [] if opened else measured.not_worse(wanted.max_loss)
    better = [] if opened or wanted.current is None else measured.better(wanted.current)
    value, ends = found.after
    records = []
    for place, one in enumerate(found.candidates):
        chosen = place == found.chosen
        late = found.has_test and place in new
        current = wanted.current is not None and place != wanted.current and not opened
        beside = (place, wanted.current or 0)
        records.append(
            {
                **one.keys,
                "n_labelled": best.n,
                "n_test": measured.n if found.has_test else 0,
                "within_one": bool(found.within_one),
                "accuracy": float(best.accuracy[place]),
                "accuracy_interval": list(best.interval(place)),
                "chosen": chosen,
                "after_choosing": value if chosen else None,
                "after_choosing_interval": list(ends) if chosen and ends else None,
                "difference": measured.difference(*beside) if current else None,
                "difference_at_least": measured.at_least(*beside) if current else None,
                "better_than_current": place in better if current else None,
                "not_worse": None if opened else place in known,
                "labels_needed": None
                if opened or place in known
                else measured.labels_needed(place, wanted.max_loss),
                "calls": one.calls,
                "dollars": one.dollars,
                "reason": why_no_interval(found, place) if late else None,
            }
        )
    return records


def _order(records: Sequence[Record]) -> list[Record]:
    """The best first; of equal ones the cheapest."""
    return sorted(records, key=lambda one: (not one["chosen"], -round(one["accuracy"], 9)))


def _shown(found: Choosing, wanted: Wanted, records: Sequence[Record]) -> list[Record]:
    """The best few, the current one, and the cheapest that is not worse."""
    ordered = _order(records)
    place = cheapest_not_worse(found, records)
    known = None if place is None else records[place]
    current = None if wanted.current is None else records[wanted.current]
    also = [one for one in (known, current) if one is not None]
    return [one for k, one in enumerate(ordered) if k < _MOST_SHOWN or one in also]


def _table(found: Choosing, records: Sequence[Record], title: str, most: int) -> Table:
    names = {_id(one.keys): name for one, name in zip(found.candidates, found.names, strict=True)}
    n = found.best.n

    def right(one: Record) -> str:
        return span(one, "accuracy", "%", n)

    def dollars(one: Record) -> str:
        return "" if one["dollars"] is None else f"{THOUSAND * one['dollars']:,.2f}"

    def mark(name: str) -> Callable[[Record], str]:
        return lambda one: "yes" if one[name] else ""

    def heading(one: TableColumn) -> TableColumn:
        if one.key != "accuracy" or found.within_one is None:
            return one
        said = found.measure[0].upper() + found.measure[1:]
        return one._replace(heading=f"{said} [95%, all at once]")

    marks = {name: mark(name) for name in ("chosen", "not_worse", "better_than_current")}
    shown = {"accuracy": right, "dollars": dollars, **marks}
    first = TableColumn("votes", heading="Candidate", shown=lambda one: names[_id(one)])
    columns = [heading(one) for one in declared("choose", **shown) if one.key != "after_choosing"]
    return replace(Table.of(records, [first, *columns], title), most=most)


def _id(keys: Record) -> str:
    known = list(keys)
    end = known.index("votes")
    return str([keys[name] for name in known[: end + 1]])


def _picture(found: Choosing, wanted: Wanted, records: Sequence[Record]) -> Figure:
    """Candidates by price and accuracy, with their simultaneous intervals."""
    price = "dollars" if found.by_dollars else "calls"
    known = cheapest_not_worse(found, records)
    kinds = ("chosen", "current", "cheapest near the best", "others")
    drawn = []
    for place, one in enumerate(records):
        at = (place == found.chosen, place == wanted.current, place == known, True)
        drawn.append(one | {"candidate": kinds[at.index(True)]})
    drawn.sort(key=lambda one: kinds.index(one["candidate"]))
    return Figure(
        "Candidates",
        f"How often each candidate is {found.measure}, by its {price} for a verdict. {_SOURCES}",
        drawn,
        x=price,
        axis="prices",
        y="accuracy",
        by="candidate",
        kind="points",
        names=kinds,
        y_label=found.measure,
        x_label=f"{price} for a verdict",
        percent=True,
        width=9.0,
        lowest=None,
        reference=float(records[found.chosen]["accuracy"]),
    )


def _rater_preferences(found: Choosing) -> Iterator[Record]:
    """The candidate that each person's labels prefer, and the questions that part them."""
    first = found.candidates[0].row
    raters = raters_of(first)[:_MOST_RATERS]
    rights = {rater: _right_by(found, rater) for rater in raters}
    rights = {rater: right for rater, right in rights.items() if len(right) > 2}
    for rater, right in rights.items():
        table = np.array(list(right.values()))
        best = int(table.mean(axis=0).round(9).argmax())
        yield {
            "rater": str(rater),
            "n_labelled": len(table),
            "prefers": found.names[best],
            "accuracy": float(table[:, best].mean()),
            "questions": _deciding(found, rights, rater, best),
        }


def _right_by(found: Choosing, rater: object) -> Mapping[str, Sequence[float]]:
    """How often each candidate is right by one person's labels, of each question."""
    columns: list[dict[str, float]] = []
    for one in found.candidates:
        given = [(name, label) for name, who, label in one.row.judged.rated if who == rater]
        asked, labels = zip(*given, strict=True)
        cells, undecided = Cells.from_long(asked, labels), one.row.judged.undecided
        known = Labelled(one.row.counts, cells, undecided, _numbers(one.row))
        columns.append(
            dict(zip(known.given.questions, one.right(known, found.kind).tolist(), strict=True))
        )
    names = [name for name in found.questions if all(name in one for one in columns)]
    rows = {name: [one[name] for one in columns] for name in names}
    return {name: row for name, row in rows.items() if not np.isnan(row).any()}


def _numbers(row: Row) -> Mapping[str, float] | None:
    """Category -> number, where verdicts and the labels of all people are grades."""
    known = row.labelled
    if known is None or known.values is None:
        return None
    each = zip(known.given.categories, known.values.tolist(), strict=True)
    return {name: value for name, value in each if value == value}


def _deciding(found: Choosing, rights: _Rights, rater: object, best: int) -> list[str]:
    """Questions on which another person's labels prefer that person's candidate to this one."""
    questions: dict[str, None] = {}
    for other, right in rights.items():
        its = int(np.array(list(right.values())).mean(axis=0).round(9).argmax())
        if other == rater or its == best:
            continue
        for name in rights[rater].keys() & right.keys():
            own, others = rights[rater][name], right[name]
            if own[best] - own[its] > ROUNDING and others[its] - others[best] > ROUNDING:
                questions[name] = None
    return [name for name in found.questions if name in questions]


def _preferences_in_words(raters: Sequence[Record]) -> Iterator[str]:
    """Two people whose labels prefer different candidates, and the questions that decide it."""
    if len({one["prefers"] for one in raters}) < 2:
        return
    first = raters[0]
    second = next(one for one in raters if one["prefers"] != first["prefers"])
    questions = list(dict.fromkeys([*first["questions"], *second["questions"]]))
    some = ", ".join(questions[:_MOST_NAMED])
    decide = f" {amount(len(questions), 'question')} decide{'s' * (len(questions) == 1)} it"
    yield (
        f"By the labels of {first['rater']}, {first['prefers']} is best; by those of "
        f"{second['rater']}, {second['prefers']}.{decide if questions else ' Few labels decide it'}"
        f"{f' ({some})' if questions else ''}. Settle what is right there: another policy is no "
        "better judge."
    )
