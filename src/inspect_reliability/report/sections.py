"""The closer look of a page: figures, agreement between judges, and questions one by one."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..judgments.count import NUMBER
from ..stats import COEFFICIENTS, Coefficient, Counts
from ..verdicts import INVALID, NON_RESPONSE
from .cautions import COPIES
from .columns import KEYS, declared
from .document import Block, Detail, Example, Figure, Section, Table, Text
from .moves_section import moves_section
from .outputs import least_stable, read_without_verdict
from .results import Analysis
from .row import Row
from .steady_or_right import TITLE, section, split
from .values import Column, Record, chance, describe, estimate, grouped, text

MOST_QUESTIONS = 40
"""Most bars of a figure; with more questions, the least stable ones."""

_MOST_OUTPUTS = 8
"""Outputs without a verdict that a page shows; JSON has all."""

_LOWEST = -0.25
"""Where an axis of omega begins, unless an interval lies lower."""


def sections(analysis: Analysis) -> list[Section]:
    """All sections with something to show.

    Figures run over temperatures if there are several, else over judges.
    """
    several = _several(analysis, analysis.estimates("rows"))
    across = next((name for name in ("temperature", "judge") if name in several), "")
    made = (
        Section(title, link, intro, list(blocks(analysis, across)))
        for title, link, intro, blocks in _PARTS
    )
    return [section for section in made if section.blocks]


def _several(analysis: Analysis, records: list[Record]) -> list[str]:
    return [name for name in analysis.names if len({str(one.get(name)) for one in records}) > 1]


def _overview(analysis: Analysis, across: str) -> Iterator[Block]:
    yield from split(analysis)
    if any(row.no_draws == COPIES for row in analysis.rows):
        yield Text("Copies at temperature 0 are in no figure.")
    records = analysis.estimates("rows")
    several = [name for name in _several(analysis, records) if name != "judge"]
    x = across if across in several else next(reversed(several), "judge")
    of = KEYS["rows"].columns["icc" if all(row.scale for row in analysis.rows) else "omega"]
    name = of.heading.removesuffix(" [95%]")
    for figure in analysis.pictures(
        [one for one in records if one.get(of.key) is not None],
        list(dict.fromkeys(("judge", x))),
        f"{name} of one verdict, by judge{f' and {x}' if x != 'judge' else ''}.",
        [of],
        x=x,
        y=of.key,
        kind="lines" if x == "temperature" else "effects" if x == "judge" else "points",
        y_label=f"{name}, one verdict",
    ):
        lows = ((one[f"{of.key}_interval"] or [one[of.key]])[0] for one in figure.records)
        yield replace(figure, lowest=min(_LOWEST, min(lows) - 0.05))


def _votes(analysis: Analysis, across: str) -> Iterator[Block]:
    known = [record for record in analysis.results["votes"] if record["votes"] is not None]
    yield from analysis.pictures(
        known,
        [across],
        "how often majorities of so many votes are the same.",
        declared("votes"),
        x="votes",
        y="agreement",
        y_label="same majority again",
        reference=0.95,
    )
    reasons: dict[str, list[str]] = {}
    for record in analysis.results["votes"] if known else ():
        if record["votes"] is None:
            reasons.setdefault(record["reason"], []).append(describe(analysis.keys(record)))
    for reason, rows in reasons.items():
        whom = f"{len(rows)} rows" if len(rows) > 3 else "; ".join(rows)
        yield Text(f"Not known for {whom}: {reason}")


def _position(analysis: Analysis, across: str) -> Iterator[Block]:
    for result, by in (("position", "Label"), ("responders", "Responder")):
        option, *others = declared(result, p_value=_p_value)
        for figure in analysis.pictures(
            [record for record in analysis.estimates(result) if record["share"] is not None],
            [across],
            f"share of each {by.lower()} among all choices.",
            [option._replace(heading=by), *others],
            f", by {by.lower()}",
            x="option",
            y="share",
            kind="points",
        ):
            options = {record["option"] for record in figure.records}
            yield replace(figure, reference=1 / len(options))


def _reading(analysis: Analysis, across: str) -> Iterator[Block]:
    yield from _whole(analysis, across, "read_by", "Forms of the verdicts")
    for found in read_without_verdict(analysis, _MOST_OUTPUTS):
        output = (found["verdict"], f"replication {found['replication']}", found["text"])
        name = describe(analysis.keys(found))
        yield Example(f"{name}: {found['question']}", found["prompt"], [output])


def _judges(analysis: Analysis, across: str) -> Iterator[Block]:
    place, known = grouped(across), analysis.estimates("between_judges")
    for title, records in analysis.apart(analysis.results["between_judges"], across):
        places = dict.fromkeys(map(place.show, records))
        pairs: dict[str, dict[str, str]] = {}
        for record in records:
            first, second = record["first"], record["second"]
            if first == second and record not in known:
                continue
            who = f"{first} with {'itself' if first == second else second}"
            pairs.setdefault(who, {})[place.show(record)] = estimate(record, "agreement")
        rows = [[who, *(found.get(p, "") for p in places)] for who, found in pairs.items()]
        headings = [f"{place.heading} = {p}" if p else "Agreement [95%]" for p in places]
        yield Table(["", *headings], rows, title)


def _coefficients(analysis: Analysis, across: str) -> Iterator[Block]:
    for row in analysis.rows:
        if row.asked_once or row.no_draws == COPIES:
            continue
        rows = [
            [_titled(known, row), estimate(row.record, name), known.about]
            for name in dict.fromkeys((*KEYS["rows"].columns, *COEFFICIENTS))
            if name in COEFFICIENTS and name in row.record and (known := COEFFICIENTS[name])
        ]
        table = Table(["Coefficient", "Value [95%]", "What it says"], rows)
        yield Detail(row.name, _headline(row), [table])


def _headline(row: Row) -> str:
    """The coefficient beside a row's name; empty for copies and single draws."""
    if row.asked_once or row.no_draws == COPIES:
        return ""
    first = KEYS["rows"].columns["icc" if row.scale else "agreement"]
    return first.heading.replace("[95%]", estimate(row.record, first.key))


def _titled(known: Coefficient, row: Row) -> str:
    """The title of a coefficient, with what it depends on."""
    depends = [f"K = {row.record['n_categories']}"] if known.needs_categories else []
    replications = row.record["n_replications"]
    if known.depends_on_replications and replications is not None:
        depends.append(f"R = {text(replications, '.4g')}")
    return f"{known.title} ({', '.join(depends)})" if depends else known.title


def _questions(analysis: Analysis, across: str) -> Iterator[Block]:
    examples: dict[str, list[Block]] = {}
    for found in analysis.results["least_stable"]:
        if all(output["text"] is not None for output in found["outputs"]):
            name = describe(analysis.keys(found))
            examples.setdefault(name, []).append(_example(found))
    names = _verdict_names(analysis.rows)
    for row in analysis.rows:
        shown = examples.get(row.name, [])
        yield Detail(row.name, _headline(row), [_verdicts(row, names), *shown])


def _verdict_names(rows: Iterable[Row]) -> list[str]:
    """All verdicts of a page: numbers in order, then names, then non-responses."""
    names = dict.fromkeys(name for row in rows for name in row.counts.categories)
    choices = [name for name in names if name not in (NON_RESPONSE, INVALID)]
    if all(map(NUMBER.fullmatch, choices)):
        choices.sort(key=float)
    return [*choices, NON_RESPONSE, INVALID]


def _verdicts(row: Row, names: list[str]) -> Figure:
    """How each question was judged, the least stable first."""
    counts, order = row.counts, least_stable(row.counts)
    shown = order[:MOST_QUESTIONS]
    shares = counts.shares
    places = map(counts.categories.index, filter(counts.categories.__contains__, names))
    used = [k for k in places if shares[:, k].any()]
    some = f" (the first {len(shown)} of {len(order):,})" if len(shown) < len(order) else ""
    first = "" if row.asked_once else ", the least stable first"
    title = f"Verdicts of each question{first}{some}"
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
    return Figure(
        title, words, records, "question", "share", "verdict", table, kind="bars", names=names
    )


def _cells(counts: Counts, i: int, used: list[int]) -> list[str]:
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


def _p_value(record: Record) -> str:
    known = record["p_value"] is not None
    return chance(record["p_value"]) if known else str(record["reason"] or "no test")


def _whole(analysis: Analysis, across: str, result: str, title: str) -> Iterator[Table]:
    shown = declared(result)
    of = Column("", shown=lambda record: describe(analysis.keys(record, across)))
    known = [one for one in analysis.results[result] if any(column.show(one) for column in shown)]
    if known:
        place = [grouped(across, "not known")] if across else []
        yield Table.of(known, [of, *place, *shown], title)


_PARTS = (
    (
        "Overview",
        "Overview",
        "Lines are 95% intervals, here and below.",
        _overview,
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
        "How often the majority of so many verdicts is the label, and the verdicts for each label.",
        section,
    ),
    (
        "Position and preference",
        "Position",
        "Share of each option among all choices, with 95% intervals over questions (dashed: "
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
        "The form in which the parser found each verdict, and some outputs of rows where at least "
        "5% name no verdict or several. If you read a verdict in them, "
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
        "How the verdicts on each question spread, and, where outputs are known, two that "
        "contradict each other.",
        _questions,
    ),
)
"""Title of a section, its short name, what it shows, and what makes its blocks."""
