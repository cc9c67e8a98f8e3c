"""The report as a document: what was studied, the numbers and the cautions."""

from collections.abc import Iterable, Iterator
from functools import cache, partial
from importlib import import_module
from typing import Any

from ..judgments import weights
from ..judgments.described import described
from ..showing.document import Block, Document, Figure, Section, Text
from ..showing.values import Column, text
from .analysis import Analysis
from .brief import brief, cautions, explained


def report_document(analysis: Analysis, logs: str = "LOGS") -> Document:
    """Everything of an analysis, for every form; `logs` is what its next command reads."""
    several = len({row.group.get("judge") for row in analysis.rows}) > 1
    return Document(
        title="Can these judges be trusted?" if several else "Can this judge be trusted?",
        blocks=brief(analysis, logs, ", --html report.html"),
        more=cache(partial(summary, analysis)),
        explained=partial(explained, analysis),
        charts=cache(partial(_charts, analysis)),
        results=analysis.results,
        facts=partial(_facts, analysis),
        sections=cache(partial(sections, analysis)),
        read=cache(lambda: [described(analysis.judgments)]),
    )


def _charts(analysis: Analysis) -> list[Figure]:
    """What of each judge's verdicts is right and wrong, else how steady it is."""
    from .right import split
    from .steady import chart

    return [*split(analysis)] or [*chart(analysis)]


def summary(analysis: Analysis) -> list[Block]:
    """The main tables, the meaning of their columns, and every caution."""
    from . import fooled, moves, right

    return [
        *numbers(analysis),
        *moves.told(analysis),
        *fooled.told(analysis),
        *right.right_or_wrong(analysis),
        *cautions(analysis.rows, analysis.results["rows"]),
    ]


def numbers(analysis: Analysis) -> Iterator[Block]:
    """The main table, the meaning of its columns, and what it leaves out."""
    from . import outputs, steady

    records = analysis.estimates("rows")  # a caution says which rows are copies
    shown = steady.main_columns(analysis, records)
    yield from analysis.tables(records, shown)
    yield from analysis.told("pooled", "Over all benchmarks")
    yield from legend(shown)
    yield from steady.exact_verdicts(analysis.rows)
    yield from outputs.some_without_verdict(analysis)
    yield from notes(analysis)


def notes(analysis: Analysis) -> list[Text]:
    """What was left out."""
    return [Text(str(note), "note") for note in analysis.judgments.notes]


def legend(columns: Iterable[Column]) -> list[Text]:
    """The meaning of each column, one paragraph each."""
    names = ((one.heading.removesuffix(" [95%]"), one.meaning) for one in columns)
    return [Text(f"{name}: {meaning}.") for name, meaning in names]


def _facts(analysis: Analysis) -> list[tuple[str, list[str]]]:
    table = analysis.judgments.table
    temperatures = sorted(table["temperature"].dropna().unique(), reverse=True)
    checks = [
        (one["judge"], one["seed_check"] or "not checked")
        for one in analysis.results["seed_checks"]
    ]
    alike = len({check for _, check in checks}) == 1
    seeds = [check if alike else f"{judge or 'not known'}: {check}" for judge, check in checks]
    return [
        ("Judges", judges(analysis)),
        ("Benchmarks", _names(table["benchmark"].dropna().unique())),
        ("Temperatures", [", ".join(map(text, temperatures)) or "not known"]),
        ("Judgments", [f"{round(weights(table).sum()):,}"]),
        ("Seeds", list(dict.fromkeys(seeds))),
        ("Read", [described(analysis.judgments).removeprefix("Read: ")]),
    ]


def judges(analysis: Analysis) -> list[str]:
    """Names of all judges."""
    found = (check["judge"] for check in analysis.results["seed_checks"])
    return _names(name for name in found if name is not None)


def _names(found: Iterable[Any]) -> list[str]:
    return list(map(str, found)) or ["not known"]


def sections(analysis: Analysis) -> list[Section]:
    """All sections with something to show."""
    modules = (import_module(f".{name}", __package__) for name in _QUESTIONS)
    made = (
        Section(title, link, intro, list(blocks(analysis)))
        for title, link, intro, blocks in (_NUMBERS, *(module.PART for module in modules))
    )
    return [section for section in made if section.blocks]


_NUMBERS = (
    "The numbers",
    "Numbers",
    "Every row with its size, coefficients and outputs without a verdict.",
    numbers,
)
"""Title of a section, its short name, what it shows, and what makes its blocks."""

_QUESTIONS = (
    *("questions", "votes", "moves", "fooled", "right", "position", "between", "outputs"),
    "steady",
)
"""Modules with the further sections, in order: the `PART` of each."""
