"""What the page says: everything computed and read before a line of it is written."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

import pandas as pd

from ...judgments import Judgments, as_matrix, category_of, order_varies
from ...judgments.text import judgment_text
from ...stats import (
    ChoiceShares,
    Counts,
    ReliabilityError,
    StableMajority,
    choice_shares,
    inter_rater,
    position_or_preference,
    stable_majority,
    variance_components,
)
from ...verdicts import INVALID, LETTERS, NON_RESPONSE
from ..cells import Cell, is_head_to_tail, number
from ..printable import one_line, printable
from ..summary import cautions_by_text, legend, summaries, with_interval
from .figures import (
    Drawn,
    least_stable,
    omega_by_temperature,
    shares_by_option,
    verdicts_by_question,
    votes_curve,
)

Progress = Callable[[Sequence[Any], str], Iterable[Any]]

LONGEST_TEXT = 6_000
"""Characters of a prompt or output on the page; how many more there are is said."""

EXAMPLES = 2
"""Unstable questions of each cell whose text is shown."""


@dataclass(frozen=True)
class Table:
    """A table of the page."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Output:
    """One of the outputs that contradict each other."""

    verdict: str
    share: str
    replication: str
    text: str


@dataclass(frozen=True)
class Example:
    """A question on which a judge contradicts itself."""

    question: str
    prompt: str | None
    outputs: tuple[Output, ...]


@dataclass(frozen=True)
class Detail:
    """One cell at close range."""

    name: str
    headline: str
    verdicts: Drawn
    examples: tuple[Example, ...]


@dataclass(frozen=True)
class Content:
    """The whole page."""

    title: str
    facts: list[tuple[str, list[str]]]
    glance: list[str]
    tables: list[Table]
    legend: tuple[str, ...]
    cautions: list[tuple[str, list[str], bool]]
    notes: list[str]
    omega: list[Drawn]
    votes: list[Drawn]
    votes_remarks: list[str]
    shares: list[Drawn]
    shares_remarks: list[str]
    agreement: list[Table]
    details: list[Detail]


def page_content(judgments: Judgments, cells: list[Cell], progress: Progress) -> Content:
    """Collect the page's content.

    Args:
        judgments: All judgments.
        cells: The report's cells.
        progress: Wraps the cells while their texts are read.
    """
    votes, remarks = _votes(cells)
    cautions = [(text, names, len(names) == len(cells)) for text, names in cautions_by_text(cells)]
    return Content(
        title="Can these judges be trusted?"
        if _judges(cells)[1:]
        else "Can this judge be trusted?",
        facts=_facts(judgments, cells),
        glance=[_glance(judge, cells) for judge in _judges(cells)],
        tables=[Table(*table) for table in summaries(cells)],
        legend=legend(cells),
        cautions=cautions,
        notes=[one_line(str(note)) for note in judgments.notes],
        omega=[omega_by_temperature(name, own) for name, own in _by_benchmark(cells)],
        votes=votes,
        votes_remarks=remarks,
        shares=list(_shares(cells)),
        shares_remarks=list(_position_or_preference(cells)),
        agreement=[*_agreement(cells), *_variance(cells)],
        details=[_detail(cell) for cell in progress(cells, "Reading texts")],
    )


def _judges(cells: Sequence[Cell]) -> list[Any]:
    return list(dict.fromkeys(cell.group.get("judge") for cell in cells))


def _by_benchmark(cells: Sequence[Cell]) -> Iterator[tuple[str, list[Cell]]]:
    """Cells by benchmark, and by whatever else than judge and temperature they are grouped by."""
    found: dict[str, list[Cell]] = {}
    for cell in cells:
        rest = [
            one_line(str(number(value)))
            for name, value in cell.group.items()
            if name not in ("judge", "temperature") and value is not None
        ]
        found.setdefault(", ".join(rest) or "All judgments", []).append(cell)
    yield from found.items()


def _facts(judgments: Judgments, cells: Sequence[Cell]) -> list[tuple[str, list[str]]]:
    table = judgments.table
    temperatures = sorted(table["temperature"].dropna().unique(), reverse=True)
    replications = [round(cell.panel["omega"].n_replications, 1) for cell in cells]
    span = dict.fromkeys(f"{number(r)}" for r in (min(replications), max(replications)))
    questions = table.groupby("benchmark", dropna=False)["question"].nunique().sum()
    return [
        ("Judges", _names(table["judge"])),
        ("Benchmarks", _names(table["benchmark"])),
        ("Questions", [f"{questions:,}"]),
        ("Replications", [" to ".join(span)]),
        ("Temperatures", [", ".join(f"{number(t)}" for t in temperatures) or "not known"]),
        ("Judgments", [f"{len(table):,}"]),
        ("Seeds", _seeds(table)),
    ]


def _seeds(table: pd.DataFrame) -> list[str]:
    if "seed_check" not in table:
        return ["not checked"]
    return list(table["seed_check"].fillna("not checked").unique())


def _names(column: "pd.Series[Any]") -> list[str]:
    return [one_line(str(name)) for name in column.dropna().unique()] or ["not known"]


def _glance(judge: Any, cells: Sequence[Cell]) -> str:
    """A judge in one sentence: where it is least and most reliable, as far as there is evidence."""
    found = [
        (omega, cell)
        for cell in cells
        if cell.group.get("judge") == judge
        and not cell.no_evidence
        and (omega := cell.panel["omega"]).value is not None
    ]
    name = one_line(str(judge)) if judge is not None else "All judgments"
    if not found:
        return f"{name}: nothing here tells how reliable it is; the cautions say why."
    worst = min(found, key=lambda item: item[0].value or 0.0)
    best = max(found, key=lambda item: item[0].value or 0.0)
    first = f"{name}: omega of one verdict is {with_interval(worst[0])} ({_rest(worst[1])})"
    if worst is best:
        return f"{first}."
    return f"{first} at its lowest and {with_interval(best[0])} ({_rest(best[1])}) at its highest."


def _rest(cell: Cell) -> str:
    named = {name: value for name, value in cell.group.items() if name != "judge"}
    return ", ".join(
        f"temperature {number(value)}" if name == "temperature" else one_line(str(value))
        for name, value in named.items()
        if value is not None
    )


def _temperature(cell: Cell) -> str:
    value = cell.group.get("temperature")
    return "not known" if value is None else f"{number(value)}"


def _votes(cells: Sequence[Cell]) -> tuple[list[Drawn], list[str]]:
    drawn, remarks = [], []
    for name, own in _by_judge_and_benchmark(cells):
        curves: dict[str, StableMajority] = {}
        for cell in own:
            if cell.no_evidence:
                continue
            try:
                curves[_temperature(cell)] = stable_majority(cell.counts)
            except ReliabilityError as error:
                remarks.append(f"{cell.name}: {error}")
        if curves:
            drawn.append(votes_curve(name, curves))
    return drawn, remarks


def _by_judge_and_benchmark(cells: Sequence[Cell]) -> Iterator[tuple[str, list[Cell]]]:
    found: dict[str, list[Cell]] = {}
    for cell in cells:
        names = [
            one_line(str(number(value)))
            for name, value in cell.group.items()
            if name != "temperature" and value is not None
        ]
        found.setdefault(", ".join(names) or "All judgments", []).append(cell)
    yield from found.items()


def _shares(cells: Sequence[Cell]) -> Iterator[Drawn]:
    """Letters, and responders where a question's order or the questions' orders differ."""
    for name, own in _by_judge_and_benchmark(cells):
        chosen = [cell for cell in own if not is_head_to_tail(cell.table)]
        letters = {
            _temperature(cell): choice_shares(_letters(cell.table), LETTERS)
            for cell in chosen
            if set(cell.table["verdict"]) & set(LETTERS) and "order" in cell.table
        }
        if letters:
            yield shares_by_option(f"{name}, by letter", letters)
        responders: dict[str, ChoiceShares] = {}
        for cell in chosen:
            if "order" in cell.table and cell.table["order"].nunique() > 1:
                named = sorted({n for order in cell.table["order"].dropna() for n in order})
                responders[_temperature(cell)] = choice_shares(_responders(cell.table), named)
        if responders:
            yield shares_by_option(f"{name}, by responder", responders)


def _position_or_preference(cells: Sequence[Cell]) -> Iterator[str]:
    """Letter or responder: told apart where the order was reshuffled in every replication."""
    for cell in cells:
        chosen = cell.table[cell.table["verdict"].isin(LETTERS)]
        if chosen.empty or not order_varies(cell.table):
            continue
        named = sorted({name for order in chosen["order"] for name in order})
        if len(named) != len(LETTERS):
            continue
        found = position_or_preference(
            Counts.from_long(chosen["question"], chosen["verdict"], LETTERS),
            Counts.from_long(chosen["question"], chosen["responder"], named),
        )
        if found.position is not None and found.preference is not None:
            yield (
                f"{cell.name}: of the way from chance to certainty, the letter decides "
                f"{with_interval(found.position)} and the responder "
                f"{with_interval(found.preference)}."
            )


def _letters(table: pd.DataFrame) -> Counts:
    return Counts.from_long(table["question"], table["verdict"])


def _responders(table: pd.DataFrame) -> Counts:
    chosen = table["verdict"].where(~table["verdict"].isin(LETTERS), table["responder"])
    return Counts.from_long(table["question"], chosen)


def _agreement(cells: Sequence[Cell]) -> Iterator[Table]:
    """Each judge with itself and with each other, by temperature: one table a benchmark."""
    for name, own in _by_benchmark(cells):
        judges = list(dict.fromkeys(_judge(cell) for cell in own))
        by_place = {(_judge(cell), _temperature(cell)): cell for cell in own}
        if len(judges) < 2 or len(by_place) < len(own):
            continue
        temperatures = list(dict.fromkeys(_temperature(cell) for cell in own))
        rows = []
        for one, other in combinations_with_replacement(judges, 2):
            pairs = [(by_place.get((one, t)), by_place.get((other, t))) for t in temperatures]
            who = f"{one} with itself" if one == other else f"{one} with {other}"
            rows.append([who, *(_agree(*pair) for pair in pairs)])
        yield Table(name, ["", *(f"T = {t}" for t in temperatures)], rows)


def _variance(cells: Sequence[Cell]) -> Iterator[Table]:
    """Where verdicts differ, for each benchmark and temperature that several judges share."""
    rows = []
    for name, own in _by_benchmark(cells):
        for temperature in dict.fromkeys(_temperature(cell) for cell in own):
            same = [cell for cell in own if _temperature(cell) == temperature]
            try:
                shares = variance_components(_counts_alike(same)).shares
            except ReliabilityError:
                continue
            if shares is not None:
                rows.append([name, temperature, *(f"{share:.0%}" for share in shares.values())])
    if rows:
        parts = ("Question", "Judge", "Question x judge", "Replication")
        yield Table("Where verdicts differ", ["", "T", *parts], rows)


def _counts_alike(cells: Sequence[Cell]) -> dict[str, Counts]:
    """Counts of several judges in categories that mean the same to all."""
    together = pd.concat([cell.table for cell in cells], keys=range(len(cells)))
    chosen = category_of(together.assign(judge=None))
    return {
        _judge(cell): Counts.from_long(cell.table["question"], chosen.loc[k])
        for k, cell in enumerate(cells)
    }


def _agree(one: Cell | None, other: Cell | None) -> str:
    if one is None or other is None:
        return ""
    if one is other:
        return with_interval(one.panel["agreement"])
    # Letters mean the same to both only if both saw the options in one order.
    tables = pd.concat([one.table, other.table], keys=[0, 1])
    chosen = category_of(tables.assign(judge=None))
    given = {str(k): _verdicts(cell.table, chosen.loc[k]) for k, cell in enumerate((one, other))}
    try:
        return with_interval(inter_rater(given).agreement)
    except ReliabilityError:
        return "no questions shared"


def _judge(cell: Cell) -> str:
    return one_line(str(cell.group.get("judge")))


def _verdicts(table: pd.DataFrame, chosen: "pd.Series[Any]") -> dict[str, list[object]]:
    matrix = as_matrix(table, chosen)
    return {str(question): list(row) for question, row in matrix.T.items()}


def _detail(cell: Cell) -> Detail:
    return Detail(
        name=one_line(cell.name),
        headline=f"omega {with_interval(cell.panel['omega'])}",
        verdicts=verdicts_by_question(one_line(cell.name), cell.counts),
        examples=tuple(_examples(cell)),
    )


def _examples(cell: Cell) -> Iterator[Example]:
    chosen = category_of(cell.table)
    for i in least_stable(cell.counts)[:EXAMPLES]:
        question = cell.counts.questions[i]
        asked = cell.table["question"] == question
        shares = chosen[asked].value_counts(normalize=True)
        # Two choices contradict each other more than a choice and none.
        choices = [verdict for verdict in shares.index if verdict not in (NON_RESPONSE, INVALID)]
        shown = choices if len(choices) > 1 else list(shares.index)
        if len(shown) < 2:
            continue
        prompt, outputs = None, []
        for verdict in shown[:2]:
            row = cell.table[asked & (chosen == verdict)].iloc[0]
            text = judgment_text(row.to_dict())
            if text is None:
                continue
            prompt = prompt or text.prompt
            outputs.append(
                Output(
                    verdict=one_line(str(verdict)),
                    share=f"{shares[verdict]:.0%}",
                    replication=f"{row['replication']}",
                    text=printable(text.output, LONGEST_TEXT),
                )
            )
        if len(outputs) == 2:
            asked_of = None if prompt is None else printable(prompt, LONGEST_TEXT)
            yield Example(one_line(question), asked_of, tuple(outputs))
