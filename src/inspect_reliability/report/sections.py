"""The closer look of a page: figures, agreement between judges, and questions one by one."""

from collections.abc import Iterable, Iterator

from ..stats import COEFFICIENTS, Coefficient, Counts
from .columns import KEYS, declared
from .document import Block, Detail, Example, Figure, Section, Table, Text
from .moves_section import moves_section
from .reading import least_stable
from .results import Analysis
from .row import Row
from .steady_or_right import TITLE, section
from .wording import Column, Record, chance, describe, estimate, grouped, text

MOST_QUESTIONS = 40
"""Bars of a figure; a figure of more questions shows the least stable ones."""

_OMEGA = KEYS["rows"].columns["omega"]

_LOWEST = -0.25
"""Where an axis of omega begins, unless an omega lies lower."""


def sections(analysis: Analysis) -> list[Section]:
    """All sections that have something to show.

    Figures run over the temperature, where rows are grouped by it.
    """
    across = "temperature" if "temperature" in analysis.names else ""
    made = (
        Section(title, link, intro, list(blocks(analysis, across)))
        for title, link, intro, blocks in _PARTS
    )
    return [section for section in made if section.blocks]


def _omega(analysis: Analysis, across: str) -> Iterator[Block]:
    x = across or next((name for name in reversed(analysis.names) if name != "judge"), "")
    unknown = []
    for title, records in _apart(analysis, "rows", "judge", x):
        if all(record["omega"] is None for record in records):
            reasons = dict.fromkeys(record["not_estimable"]["omega"] for record in records)
            unknown.append(Text(f"Not known for {title}: {'; '.join(reasons)}."))
            continue
        lowest = min(_LOWEST, *(r["omega"] - 0.05 for r in records if r["omega"] is not None), 0)
        columns = [grouped("judge"), *_across(x), _OMEGA]
        yield Figure(
            title,
            f"{title}: omega of one verdict, by judge{x and f' and {x}'}.",
            records,
            x=x,
            y="omega",
            by="judge",
            table=Table.of(records, columns),
            y_label="omega, one verdict",
            lowest=lowest,
        )
    yield from unknown


def _votes(analysis: Analysis, across: str) -> Iterator[Block]:
    columns = [*_across(across), *declared("votes")]
    for title, records in _apart(analysis, "votes", across):
        if known := [record for record in records if record["votes"] is not None]:
            yield Figure(
                title,
                f"{title}: how often majorities of so many votes are the same.",
                known,
                x="votes",
                y="agreement",
                by=across,
                table=Table.of(known, columns),
                y_label="same majority again",
                reference=0.95,
            )
    reasons: dict[str, list[str]] = {}
    for record in analysis.results["votes"]:
        if record["votes"] is None:
            reasons.setdefault(record["reason"], []).append(describe(analysis.keys(record)))
    for reason, rows in reasons.items():
        whom = f"{len(rows)} rows" if len(rows) > 3 else "; ".join(rows)
        yield Text(f"Not known for {whom}: {reason}")


def _position(analysis: Analysis, across: str) -> Iterator[Block]:
    for result, by in (("position", "Label"), ("responders", "Responder")):
        option, *others = declared(result, p_value=_p_value)
        columns = [*_across(across), option._replace(heading=by), *others]
        for title, records in _apart(analysis, result, across):
            options = len({record["option"] for record in records})
            yield Figure(
                f"{title}, by {by.lower()}",
                f"{title}: share of each {by.lower()} among all choices.",
                records,
                x="option",
                y="share",
                by=across,
                table=Table.of(records, columns),
                kind="points",
                spread="standard_error",
                reference=1 / options,
            )


def _reading(analysis: Analysis, across: str) -> Iterator[Block]:
    yield from _whole(analysis, across, "read_by", "Forms of the verdicts")
    for found in analysis.results["without_verdict"]:
        if found["text"] is not None:
            output = (found["verdict"], f"replication {found['replication']}", found["text"])
            name = describe(analysis.keys(found))
            yield Example(f"{name}: {found['question']}", found["prompt"], [output])


def _judges(analysis: Analysis, across: str) -> Iterator[Block]:
    place = grouped(across, "not known")
    for title, records in _apart(analysis, "between_judges", across):
        places = dict.fromkeys(map(place.show, records))
        pairs: dict[str, dict[str, str]] = {}
        for record in records:
            first, second = record["first"], record["second"]
            who = f"{first} with {'itself' if first == second else second}"
            pairs.setdefault(who, {})[place.show(record)] = estimate(record, "agreement")
        rows = [[who, *(found.get(p, "") for p in places)] for who, found in pairs.items()]
        headings = [f"{place.heading} = {p}" for p in places] if across else ["Agreement [95%]"]
        yield Table(["", *headings], rows, title)


def _coefficients(analysis: Analysis, across: str) -> Iterator[Block]:
    for row in analysis.rows:
        rows = [
            [_titled(known, row), estimate(row.record, name), known.about]
            for name, known in COEFFICIENTS.items()
            if name in row.record
        ]
        table = Table(["Coefficient", "Value [95%]", "What it says"], rows)
        yield Detail(row.name, f"omega {estimate(row.record, 'omega')}", [table])


def _titled(known: Coefficient, row: Row) -> str:
    """The title of a coefficient, with what it depends on."""
    depends = [f"K = {row.record['n_categories']}"] if known.needs_categories else []
    if known.depends_on_replications:
        depends.append(f"R = {text(row.record['n_replications'], '.4g')}")
    return f"{known.title} ({', '.join(depends)})" if depends else known.title


def _questions(analysis: Analysis, across: str) -> Iterator[Block]:
    examples: dict[str, list[Block]] = {}
    for found in analysis.results["least_stable"]:
        if all(output["text"] is not None for output in found["outputs"]):
            name = describe(analysis.keys(found))
            examples.setdefault(name, []).append(_example(found))
    none = Text("No question has two different verdicts, or their texts are not available.")
    for row in analysis.rows:
        shown = examples.get(row.name, [none])
        yield Detail(row.name, f"omega {estimate(row.record, 'omega')}", [_verdicts(row), *shown])


def _verdicts(row: Row) -> Figure:
    """How each question was judged, the least stable first."""
    counts, order = row.counts, least_stable(row.counts)
    shown = order[:MOST_QUESTIONS]
    shares = counts.shares
    used = [k for k in range(len(counts.categories)) if shares[:, k].any()]
    some = f" (the first {len(shown)} of {len(order):,})" if len(shown) < len(order) else ""
    title = f"Verdicts of each question, the least stable first{some}"
    records = [
        {"question": counts.questions[i], "verdict": counts.categories[k], "share": shares[i, k]}
        for i in shown
        for k in used
    ]
    table = Table(
        ["Question", *(counts.categories[k] for k in used)],
        [[counts.questions[i], *_cells(counts, i, used)] for i in shown],
    )
    words = f"{row.name}. {title}."
    return Figure(title, words, records, "question", "share", "verdict", table, kind="bars")


def _cells(counts: Counts, i: int, used: list[int]) -> list[str]:
    """A question's verdicts: how many of each, or how likely each."""
    if counts.exact:
        return [f"{share:.1%}" for share in counts.shares[i, used]]
    return list(map(str, counts.table[i, used]))


def _example(found: Record) -> Example:
    outputs = [
        (
            output["verdict"],
            f"{output['share']:.0%} of the replications, here number {output['replication']}",
            output["text"],
        )
        for output in found["outputs"]
    ]
    return Example(found["question"], found["prompt"], outputs)


def _apart(analysis: Analysis, result: str, *without: str) -> Iterable[tuple[str, list[Record]]]:
    """Records of a result in groups that are alike but for some columns, with their title."""
    found: dict[str, list[Record]] = {}
    for record in analysis.results[result]:
        found.setdefault(describe(analysis.keys(record, *without)), []).append(record)
    return found.items()


def _across(across: str) -> list[Column]:
    return [grouped(across, "not known")] if across else []


def _p_value(record: Record) -> str:
    known = record["p_value"] is not None
    return chance(record["p_value"]) if known else str(record["reason"] or "no test")


def _whole(analysis: Analysis, across: str, result: str, title: str) -> Iterator[Table]:
    """All records of a result in one table, where it has any that are known."""
    shown = declared(result)
    of = Column("", shown=lambda record: describe(analysis.keys(record, across)))
    known = [one for one in analysis.results[result] if any(column.show(one) for column in shown)]
    if known:
        yield Table.of(known, [of, *_across(across), *shown], title)


_PARTS = (
    (
        "Omega by condition",
        "By condition",
        "Intervals are over questions: they say what other questions of the same kind might have "
        "shown. If an interval leaves the figure, see the table below. Hollow: "
        "temperature 0, where replications may be copies of each other.",
        _omega,
    ),
    (
        "Votes for a stable majority",
        "Votes",
        "How often two separate majorities of this size agree (dashed: 95%). "
        "If you use a single verdict, read the curve at 1 vote. Questions whose verdicts nearly "
        "tie never become stable.",
        _votes,
    ),
    (
        "What moves the verdict",
        "What moves it",
        "How often two verdicts differ, by what they share. A component says how much one thing, "
        "or several together, add to that; a negative one is about 0, or the judge follows the "
        "facet against the question. Dependability: how far the mean of so many verdicts is the "
        "question's own. Effective number: how many judges without common errors would be worth "
        "as much. Intervals are for other questions, judged at these levels.",
        moves_section,
    ),
    (
        TITLE,
        "Right",
        "Steady: how often two verdicts on a question agree. Right: how often one is the label. "
        "No judge can be above the line: one that disagrees with itself is wrong at times.",
        section,
    ),
    (
        "Position and preference",
        "Position",
        "Share of each option among all choices, with standard errors over questions (dashed: "
        "equal shares). A judge that prefers no position and no responder chooses all equally "
        "often. The test treats questions, not verdicts, as independent.",
        _position,
    ),
    (
        "Agreement between judges",
        "Between judges",
        "How often two judges give the same verdict on a question, and how often two replications "
        "of one judge do. Two judges can hardly agree more with each other than with themselves.",
        _judges,
    ),
    (
        "How outputs were read",
        "Reading",
        "The form in which the parser found each verdict, and up to three outputs of each row "
        "where at least 5% name no verdict or several. If you read a verdict in them, "
        "choose another parser.",
        _reading,
    ),
    (
        "Every coefficient",
        "Coefficients",
        "All coefficients of each row, with their intervals over questions.",
        _coefficients,
    ),
    (
        "Question by question",
        "Questions",
        "How each judge's verdicts on each question spread, and the least stable questions, with "
        "two outputs that contradict each other.",
        _questions,
    ),
)
"""Title of a section, its short name, what it shows, and what makes its blocks."""
