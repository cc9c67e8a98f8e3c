"""The report as a document: what was studied, the numbers, the cautions and the closer look."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

from ..judgments.count import NUMBER
from ..judgments.described import described
from ..judgments.table import weights
from ..showing import Form
from ..showing.document import (
    HALF,
    TO_CITE,
    WIDE,
    Block,
    Document,
    Example,
    Figure,
    Section,
    Table,
    Text,
)
from ..showing.formats import ALL, Record, describe, text, told_apart
from ..showing.keys import first_sentence, legend
from . import questions, reliability, validity
from .analysis import Analysis, Progress, quietly
from .headline import MOST_SENTENCES
from .methods import of_positions
from .moving import no_place
from .score_variance import score_moves
from .short_table import meanings_of_words
from .summary import ANSWER, all_cautions, answer_block

_MOST_OUTPUTS = 8
"""Outputs without a verdict that a page shows; JSON has all."""

_MOST_SHIFTS = 5
"""Shares that move farthest, of those that a page shows."""


_TABLES = (*ANSWER, "pooled", "corrected")
"""Results that the tables of a terminal read."""


def results_shown(analysis: Analysis, form: Form, full: bool = False) -> Sequence[str]:
    """Names of the results that a report in a form reads; `full` has the tables of a terminal."""
    if form in ("json", "html"):
        return list(analysis.results)
    return _TABLES if full or form in ("markdown", "latex") else ANSWER


def report_document(
    analysis: Analysis, logs: str = "LOGS", progress: Progress = quietly, errors: str = ""
) -> Document:
    """Everything of an analysis, for every form.

    Args:
        analysis: The analysis.
        logs: What the next command reads.
        progress: Wraps the sections of a page as they are made, to show progress.
        errors: The file of errors that is written beside it.
    """
    several = reliability.several_judges(analysis)
    published = any("published_omega" in record for record in analysis.results["rows"])
    where = Text("Published, Rule of thumb: two columns of the first table of --full.", "more")
    return Document(
        title="Can these judges be trusted?" if several else "Can this judge be trusted?",
        blocks=answer_block(analysis, logs, ", --html report.html", [where] * published, errors),
        more=cache(partial(summary, analysis)),
        explained=partial(meanings_of_words, analysis),
        charts=cache(partial(pictured, analysis)),
        results=analysis.results,
        facts=partial(_facts, analysis),
        sections=cache(partial(sections, analysis, progress)),
        read=cache(lambda: [described(analysis.judgments, analysis.names)]),
    )


def summary(analysis: Analysis) -> list[Block]:
    """The main tables, the meaning of their columns, and every caution."""
    return [
        *numbers(analysis),
        *reliability.several_k(analysis.estimates("rows")),
        *_votes_of(analysis),
        *_what_is_kept(analysis),
        *analysis.told("moves", "What moves the verdict"),
        *no_place(analysis),
        *analysis.told("fooled", "What fools the judge"),
        *validity.right_or_wrong(analysis),
        *score_moves(analysis),
        *all_cautions(analysis),
    ]


def _votes_of(analysis: Analysis) -> Iterator[Block]:
    """How often majorities are right, and the same again, of each of a few rows."""
    rows = analysis.listed
    if len(rows) <= MOST_SENTENCES:
        named = told_apart([row.keys for row in rows], "judge")
        found = [
            block
            for row in rows
            for block in reliability.votes_table(analysis, row, named(row.keys) if rows[1:] else "")
        ]
        yield from (one for one in found if isinstance(one, Table))
        yield from dict.fromkeys(one for one in found if isinstance(one, Text))


def _what_is_kept(analysis: Analysis) -> Iterator[Block]:
    """A line on what may be kept, where there are labels."""
    if analysis.results["validity"]:
        from .kept import kept_line

        yield from kept_line(analysis)


def numbers(analysis: Analysis) -> Iterator[Block]:
    """The main table, the meaning of its columns, and what it leaves out."""
    records = analysis.estimates("rows")  # a caution says which rows are copies
    shown = reliability.main_columns(analysis, records)
    for table in analysis.tables(records, shown):
        yield replace(table, caption=reliability.caption(analysis))
    yield from analysis.told("pooled", "Over all benchmarks")
    yield from legend(shown)
    yield from reliability.exact_verdicts_note(analysis.rows)
    yield from questions.some_without_verdict(analysis)
    yield from notes_table(analysis)


def notes_table(analysis: Analysis) -> list[Text]:
    """What was left out."""
    return [Text(str(note), "note") for note in analysis.judgments.notes]


_NOTHING = (["not known"], ["not checked"])
"""What a page does not say of its judgments."""


def _facts(analysis: Analysis) -> list[tuple[str, list[str]]]:
    table = analysis.judgments.table
    temperatures = sorted(table["temperature"].dropna().unique(), reverse=True)
    checks = [
        (one["judge"], one["seed_check"] or "not checked")
        for one in analysis.results["seed_checks"]
    ]
    alike = len({check for _, check in checks}) == 1
    seeds = [check if alike else f"{judge or 'not known'}: {check}" for judge, check in checks]
    facts = [
        ("Judges", judges(analysis)),
        ("Benchmarks", _names(table["benchmark"].dropna().unique())),
        ("Temperatures", [", ".join(map(text, temperatures)) or "not known"]),
        ("Judgments", [f"{round(weights(table).sum()):,}"]),
        ("Seeds", list(dict.fromkeys(seeds))),
        ("Read", [described(analysis.judgments, analysis.names).removeprefix("Read: ")]),
    ]
    return [(name, known) for name, known in facts if known not in _NOTHING]


def judges(analysis: Analysis) -> list[str]:
    """Names of all judges."""
    found = (check["judge"] for check in analysis.results["seed_checks"])
    return _names(name for name in found if name is not None)


def _names(found: Iterable[Any]) -> list[str]:
    return list(map(str, found)) or ["not known"]


def sections(analysis: Analysis, progress: Progress = quietly) -> list[Section]:
    """The closer look of a page: all sections with something to show."""
    made = (
        Section(title, link, list(blocks(analysis)), _ABOUT.get(title) or first_sentence(name))
        for title, link, name, blocks in progress(_SECTIONS, "Making the page")
    )
    return [section for section in made if section.blocks]


def _rows(analysis: Analysis) -> Iterator[Block]:
    """The main table; of a sweep, omega at each temperature before it."""
    yield from reliability.pivot(analysis)
    yield from numbers(analysis)


def _votes(analysis: Analysis) -> Iterator[Block]:
    says = "how often majorities of so many votes are the same."
    look: dict[str, Any] = {
        "axis": "numbers",
        "y_label": "same majority again",
        "reference": 0.95,
    }
    yield from analysis.pictures("votes", says, "votes", "agreement", **look)


def _moves(analysis: Analysis) -> Iterator[Block]:
    yield from analysis.told("moves", "What moves the verdict")
    every = analysis.estimates("components")
    yield from analysis.pictures(
        "components",
        "how much each component adds to the variance of verdicts.",
        "component",
        "variance",
        records=[one for one in every if "judge" in one] or every,
        kind="points",
        lowest=None,
        x_label="",
        y_label="variance of one verdict",
    )
    # Equal but for the last digits, which depend on the processor.
    shifts = [one for one in analysis.estimates("shifts") if one["reason"] is None]
    shifts.sort(key=lambda one: -round(abs(one["change"]), 9))
    for name, title, records in (
        ("components", "Components of variance", every),
        ("omega_over", "Omega by what may vary", analysis.estimates("omega_over")),
        ("panels", "Judges together", analysis.estimates("panels")),
        ("shifts", "Shares that move farthest", shifts[:_MOST_SHIFTS]),
    ):
        yield from analysis.told(name, title, records)


def _fooled(analysis: Analysis) -> Iterator[Block]:
    yield from analysis.told("fooled", "What fools the judge")
    for key, label in (("towards", "verdicts towards it"), ("lift", "steps of the grade")):
        says = f"{label}, by what was changed in the answer; 0 without effect."
        look: dict[str, Any] = {
            "across": ["judge"],
            "kind": "points",
            "lowest": None,
            "y_label": label,
        }
        yield from analysis.pictures("fooled", says, "change", key, **look)


def _right(analysis: Analysis) -> Iterator[Block]:
    yield from (one for one in validity.right_or_wrong(analysis) if isinstance(one, Table))
    rights = analysis.results["validity"]
    scale = bool(rights) and all(one["within_one"] is not None for one in rights)
    kind, key = ("means", "within_one") if scale else ("votes", "accuracy")
    votes: list[Record] = [
        analysis.keys(one) | vote
        for one in rights
        for vote in one[kind]
        if len(one[kind]) > 2  # of two votes, a majority is right as often as one verdict
        and vote[key] is not None
    ]
    says = "how often the majority of so many verdicts is right."
    if scale:
        says = "how often the mean of so many tries is within one step of the label."
    y_label = "mean within one step" if scale else "majority right"
    look: dict[str, Any] = {"records": votes, "axis": "numbers", "y_label": y_label}
    for one in analysis.pictures("validity", says, "votes", key, **look):
        alone = one.title == ALL
        words = one.words.removeprefix(f"{ALL}: ")
        said = f"H{words[1:]}" if alone else words
        yield replace(one, title="Votes" if alone else f"{one.title}: votes", words=said)
    if analysis.results["validity"]:
        from .kept import picture

        yield from picture(analysis.panels)
    yield from validity.confusions(analysis)


def _position(analysis: Analysis) -> Iterator[Block]:
    yield from analysis.told("position", "Choices", analysis.estimates("position"))
    says = "share of each label among all choices."
    look: dict[str, Any] = {"kind": "points", "x_label": "", "percent": True}
    for figure in analysis.pictures("position", says, "option", "share", **look):
        yield replace(figure, reference=1 / len({one["option"] for one in figure.records}))
    for row in analysis.rows[:_MOST_MAPS]:
        for said in of_positions(analysis.of(row, "position")):
            yield Text(f"{TO_CITE}{said}", "cite")


def _between(analysis: Analysis) -> Iterator[Block]:
    yield from analysis.told("between_judges", "Agreement", analysis.estimates("between_judges"))


def _reading(analysis: Analysis) -> Iterator[Block]:
    for found in questions.read_without_verdict(analysis, _MOST_OUTPUTS):
        output = (found["verdict"], f"replication {found['replication']}", found["text"])
        name = describe(analysis.keys(found))
        yield Example(f"{name}: {found['question']}", found["prompt"], [output])


_SECTIONS = (
    ("The numbers", "Numbers", "rows", _rows),
    ("Question by question", "Questions", "", questions.details),
    ("Votes for a stable majority", "Votes", "votes", _votes),
    ("What moves the verdict", "What moves it", "moves", _moves),
    ("What fools the judge", "What fools it", "fooled", _fooled),
    (validity.TITLE, "Right", "validity", _right),
    ("Preference for a position", "Position", "position", _position),
    ("Agreement between judges", "Between judges", "between_judges", _between),
    ("What moves the score", "Score", "score_variance", score_moves),
    ("Outputs without a verdict", "Without a verdict", "without_verdict", _reading),
    ("Every coefficient", "Coefficients", "", reliability.coefficients),
)
"""Title of a section of a page, its short name, the result that it shows, and its blocks.

The first sentence about the result is that of the section.
"""

_ABOUT = {
    "What moves the verdict": "How far order, wording and the like change verdicts beyond chance.",
    "Question by question": "How each question was judged, and outputs that contradict each other.",
    "Every coefficient": "All measures of how far verdicts repeat.",
}
"""The sentence of a section that shows no result as it is."""


# The figure that a page shows first: the one that fits the study.


_MOST_GRADES = 11
"""Most grades of a scale whose cells can be read."""

_MOST_MAPS = 3
"""Most judges whose grades are beside each other."""


def pictured(analysis: Analysis) -> list[Figure]:
    """Right or wrong, grades beside those of people, or omega; a single one as wide as the page."""
    if reliability.is_sweep(analysis):
        found = [*reliability.chart(analysis, "benchmark")]
    else:
        found = [*validity.split_shares(analysis)] or [*grades(analysis)][:_MOST_MAPS]
    found = found or [*reliability.chart(analysis)]
    return [replace(one, width=HALF if found[1:] else WIDE) for one in found]


def grades(analysis: Analysis) -> Iterator[Figure]:
    """Grades of each judge beside those of people, on a scale of few grades: the best first."""
    for row in analysis.best_first:
        records = analysis.of(row, "confusion")
        names = {one[key] for one in records for key in ("label", "verdict")}
        known = [name for name in names if NUMBER.fullmatch(name)]
        scale = any(map(validity.is_of_scale, analysis.of(row, "validity")))
        if records and scale and len(known) <= _MOST_GRADES:
            title = f"Grades of {row.name if analysis.rows[1:] else 'the judge'} and of people"
            yield Figure(
                title,
                "Share of all verdicts with each grade of the judge (from left to right) and of "
                "people (from bottom to top). In framed cells both are the same; beside a grade of "
                "people between two, the nearest are framed. Left of frames the judge is lower.",
                records,
                x="verdict",
                y="share",
                by="label",
                kind="heat",
                x_label="grade of the judge",
                y_label="grade of people",
            )
