"""The report as a document: what was studied, the numbers, and what qualifies them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

from ..verdicts import NON_RESPONSE
from .columns import KEYS, declared
from .document import Block, Caution, Document, Table, Text
from .moves import in_words
from .results import Analysis
from .row import AT_VERDICT, Row
from .sections import sections
from .steady_or_right import right_or_wrong
from .wording import Column, Record, describe, estimate, grouped, text, whole

_MOST_SHOWN = 3
"""Outputs without a verdict below the main tables; the page and JSON have three of each row."""

_LONGEST = 200
"""Characters of an output."""


def report_document(analysis: Analysis) -> Document:
    """Everything of an analysis, for every form."""
    named = list(dict.fromkeys(row.group.get("judge") for row in analysis.rows))
    several = "Can these judges be trusted?" if named[1:] else "Can this judge be trusted?"
    return Document(
        title=several,
        blocks=summary(analysis),
        results=analysis.results,
        facts=_facts(analysis),
        glance=[_glance(judge, analysis.rows) for judge in named],
        sections=partial(sections, analysis),
    )


def summary(analysis: Analysis) -> list[Block]:
    """The main tables, what their columns say, and every caution."""
    records = analysis.results["rows"]
    size = Column("", "questions x replications", heading="N x R", shown=_size)
    known = [size, *declared("rows", published_omega=published, invalid_rate=_invalid)]
    shown = [column for column in known if any(map(column.show, records))]
    first, *rest = map(grouped, analysis.names)
    blocks: list[Block] = []
    for value in dict.fromkeys(record.get(first.key) for record in records):
        own = [record for record in records if record.get(first.key) == value]
        title = f"{first.heading}: {text(value, missing='not known')}"
        blocks.append(Table.of(own, [*rest, *shown], title))
    return [
        *blocks,
        *_table(analysis, "pooled", "Over all benchmarks"),
        *_table(analysis, "moves", "What moves the verdict"),
        *(Text(in_words(one, analysis.keys(one))) for one in analysis.results["moves"]),
        *right_or_wrong(analysis),
        *legend(shown),
        *_exact(analysis.rows),
        *cautions(analysis.rows),
        *_without_verdict(analysis),
        *notes(analysis),
    ]


def _table(analysis: Analysis, result: str, title: str) -> Iterator[Block]:
    """All records of a result, with what they are of and what the result is, where it has any."""
    if records := analysis.results[result]:
        yield Table.of(records, [*map(grouped, analysis.names), *declared(result)], title)
        about = KEYS[result].about
        yield Text(f"{title}: {about[0].lower()}{about[1:]}")


def notes(analysis: Analysis) -> list[Text]:
    """What was left out."""
    return [Text(str(note), "note") for note in analysis.judgments.notes]


def legend(columns: Iterable[Column]) -> list[Text]:
    """What the columns say, one paragraph each."""
    names = ((one.heading.removesuffix(" [95%]"), one.meaning) for one in columns)
    return [Text(f"{name}: {meaning}.") for name, meaning in names]


def _exact(rows: Sequence[Row]) -> Iterator[Text]:
    """What exact verdicts mean for a reader, where a report has any."""
    records = [row.record for row in rows]
    if exact := [record for record in records if record["method"] == "exact"]:
        yield Text(
            f"Exact: the distribution of each verdict was computed, not sampled.{_left_open(exact)}"
        )
    if reasoned := [record for record in records if record["method"] == AT_VERDICT]:
        yield Text(
            "Exact at the verdict: reasonings were sampled, and the distribution of the verdict "
            f"after each was computed.{_left_open(reasoned)}"
        )
    for row, record in zip(rows, records, strict=True):
        if record["method"] == AT_VERDICT and record["disagreement_between_reasonings"] is not None:
            between, at = (
                record[f"disagreement_{where}"] for where in ("between_reasonings", "at_verdict")
            )
            yield Text(
                f"{row.name}: two verdicts on a question differ with probability "
                f"{between + at:.3f}: {between:z.3f} because of their reasonings, and {at:.3f} at "
                "the verdict itself, after the same reasoning."
            )


def _left_open(records: Sequence[Record]) -> str:
    most = max(record["open_mass"] for record in records)
    if not most:
        return " More replications would add nothing; only more questions would."
    return (
        f" At most {most:.2g} of a question's probability was left open; draws, if any, stand for "
        "it. The JSON gives omega_bounds: what omega can be, whatever the open part is."
    )


def cautions(rows: Sequence[Row]) -> list[Caution]:
    """Every caution once, with the rows it is about; those about most rows first."""
    found: dict[str, list[str]] = {}
    for row in rows:
        for caution in row.record["cautions"]:
            found.setdefault(caution, []).append(row.name)
    ordered = sorted(found.items(), key=lambda item: -len(item[1]))
    return [Caution(caution, tuple(names), len(rows)) for caution, names in ordered]


def _without_verdict(analysis: Analysis) -> Iterator[Text]:
    """The first such output of each row, or more where rows are few."""
    rows: Counter[str] = Counter()
    known = []
    for found in analysis.results["without_verdict"]:
        if found["text"] is not None:
            name = describe(analysis.keys(found))
            rows[name] += 1
            known.append((rows[name], name, found))
    for _, name, found in sorted(known, key=itemgetter(0))[:_MOST_SHOWN]:
        start = " ".join(found["text"].split())[:_LONGEST]
        what = f"{name}, question {found['question']}, replication {found['replication']}"
        missed = found["label"] and found["verdict"] == NON_RESPONSE
        label = f", though it contains {found['label']!r}" if missed else ""
        yield Text(f"Read as {found['verdict']}{label} ({what}): {start or '(empty)'}")


def published(record: Record) -> str:
    """The published omega with its floor, in one cell of a table."""
    value, floor = record.get("published_omega"), record.get("published_omega_floor")
    if value is None:
        return "" if record.get("published_n_varying") is None else "not estimable"
    beside = " ({:z.2f}: {:z.2f}-{:z.2f})".format(*floor) if floor else ""
    return f"{value:z.2f}{beside}"


def _invalid(record: Record) -> str:
    return text(record["invalid_rate"] or None, ".1%")


def _size(record: Record) -> str:
    replications = record["n_replications"]
    known = "exact" if replications is None else whole(round(replications, 1))
    return f"{record['n_questions']} x {known}"


def _facts(analysis: Analysis) -> list[tuple[str, list[str]]]:
    table = analysis.judgments.table
    temperatures = sorted(table["temperature"].dropna().unique(), reverse=True)
    rows = analysis.results["rows"]
    replications = sorted(r["n_replications"] for r in rows if r["n_replications"] is not None)
    span = dict.fromkeys(text(round(r, 1)) for r in (*replications[:1], *replications[-1:]))
    ways = [" to ".join(span)] if span else []
    ways += ["exact distributions"] * any(r["method"] == "exact" for r in rows)
    asked = table[["benchmark", "question"]].drop_duplicates()
    checks = [
        (one["judge"], one["seed_check"] or "not checked")
        for one in analysis.results["seed_checks"]
    ]
    seeds = [f"{judge or 'not known'}: {check}" for judge, check in checks]
    return [
        ("Judges", judges(analysis)),
        ("Benchmarks", _names(asked["benchmark"].dropna().unique())),
        ("Questions", [f"{len(asked):,}"]),
        ("Replications", ways),
        ("Temperatures", [", ".join(map(text, temperatures)) or "not known"]),
        ("Judgments", [f"{len(table):,}"]),
        ("Seeds", seeds if seeds[1:] else [check for _, check in checks]),
    ]


def judges(analysis: Analysis) -> list[str]:
    """Names of all judges."""
    found = (check["judge"] for check in analysis.results["seed_checks"])
    return _names(name for name in found if name is not None)


def _names(found: Iterable[Any]) -> list[str]:
    return list(map(str, found)) or ["not known"]


def _glance(judge: Any, rows: Sequence[Row]) -> str:
    """A judge in one sentence: where it is least and most reliable, as far as that is known."""
    found = []
    for row in rows:
        value = row.record["omega"]
        if row.group.get("judge") == judge and not row.no_evidence and value is not None:
            rest = describe({name: part for name, part in row.group.items() if name != "judge"})
            found.append((value, f"{estimate(row.record, 'omega')} ({rest})"))
    name = "All judgments" if judge is None else str(judge)
    if not found:
        return f"{name}: these judgments do not show how reliable it is; the cautions say why."
    if len(found) == 1:
        return f"{name}: omega of one verdict is {found[0][1]}."
    lowest, highest = min(found)[1], max(found)[1]
    return f"{name}: omega of one verdict is {lowest} at its lowest and {highest} at its highest."
