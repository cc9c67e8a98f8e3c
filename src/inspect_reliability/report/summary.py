"""The report as a document: what was studied, the numbers and the cautions."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from ..judgments import weights
from ..verdicts import NON_RESPONSE
from .answer import answers, cautions
from .cautions import ASKED_ONCE
from .columns import declared
from .document import Block, Document, Text
from .moves import in_words
from .outputs import read_without_verdict
from .results import Analysis
from .row import AT_VERDICT, Row
from .sections import sections
from .steady_or_right import right_or_wrong
from .values import Column, Record, describe, text, whole

_MOST_SHOWN = 3
"""Outputs without a verdict below the main tables; the page and JSON have three of each row."""

_LONGEST = 200
"""Most characters of an output."""


def report_document(analysis: Analysis, logs: str = "LOGS") -> Document:
    """Everything of an analysis, for every form; `logs` is what its next command reads."""
    several = len({row.group.get("judge") for row in analysis.rows}) > 1
    return Document(
        title="Can these judges be trusted?" if several else "Can this judge be trusted?",
        blocks=summary(analysis, logs),
        results=analysis.results,
        facts=partial(_facts, analysis),
        sections=partial(sections, analysis),
    )


def summary(analysis: Analysis, logs: str = "LOGS") -> list[Block]:
    """The main tables, the meaning of their columns, and every caution."""
    records = analysis.estimates("rows")  # a caution says which rows are copies
    of_all = Column("", "questions x replications", heading="N x R", shown=size)
    known = [of_all, *declared("rows", published_omega=published, invalid_rate=_invalid)]
    filled = [column for column in known if any(map(column.show, records))]
    scale = any(row.judged.scale for row in analysis.rows)
    shown = [column for column in filled if scale or column.key != "icc"]
    first = list(answers(analysis, logs))
    return [
        *first,
        *analysis.tables(records, shown),
        *analysis.told("pooled", "Over all benchmarks"),
        *analysis.told("moves", "What moves the verdict"),
        *(Text(in_words(one, analysis.keys(one))) for one in analysis.results["moves"]),
        *right_or_wrong(analysis),
        *legend(shown),
        *_exact(analysis.rows),
        *(one for one in cautions(analysis.rows) if one not in first),
        *_without_verdict(analysis),
        *notes(analysis),
    ]


def notes(analysis: Analysis) -> list[Text]:
    """What was left out."""
    return [Text(str(note), "note") for note in analysis.judgments.notes]


def legend(columns: Iterable[Column]) -> list[Text]:
    """The meaning of each column, one paragraph each."""
    names = ((one.heading.removesuffix(" [95%]"), one.meaning) for one in columns)
    return [Text(f"{name}: {meaning}.") for name, meaning in names]


def _exact(rows: Sequence[Row]) -> Iterator[Text]:
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


def _without_verdict(analysis: Analysis) -> Iterator[Text]:
    """The first such output of each row, or more if rows are few."""
    for found in read_without_verdict(analysis, _MOST_SHOWN):
        name = describe(analysis.keys(found))
        start = " ".join(found["text"].split())[:_LONGEST]
        what = f"{name}, question {found['question']}, replication {found['replication']}"
        missed = found["label"] and found["verdict"] == NON_RESPONSE
        label = f", though it contains {found['label']!r}" if missed else ""
        yield Text(f"Read as {found['verdict']}{label} ({what}): {start or '(empty)'}")


def published(record: Record) -> str:
    """The published omega with its floor, for one table cell."""
    value, floor = record.get("published_omega"), record.get("published_omega_floor")
    if value is None:
        return "" if record.get("published_n_varying") is None else "not estimable"
    beside = " ({:z.2f}: {:z.2f}-{:z.2f})".format(*floor) if floor else ""
    return f"{value:z.2f}{beside}"


def _invalid(record: Record) -> str:
    return text(record["invalid_rate"] or None, ".1%")


def size(record: Record) -> str:
    """Questions x replications; of what was judged once, all questions."""
    replications = record["n_replications"]
    if ASKED_ONCE in record["cautions"]:  # no question entered the coefficients
        return f"{record['n_judgments']:,} x 1"
    known = "exact" if replications is None else whole(round(replications, 1))
    return f"{record['n_questions']:,} x {known}"


def _facts(analysis: Analysis) -> list[tuple[str, list[str]]]:
    table = analysis.judgments.table
    temperatures = sorted(table["temperature"].dropna().unique(), reverse=True)
    rows = analysis.results["rows"]
    known = [r["n_replications"] for r in rows if r["n_replications"] is not None]
    replications = sorted(max(number, 1) for number in known)
    span = dict.fromkeys(text(round(r, 1)) for r in (*replications[:1], *replications[-1:]))
    ways = [" to ".join(span)] if span else []
    ways += ["exact distributions"] * any(r["method"] == "exact" for r in rows)
    asked = table[["benchmark", "question"]].drop_duplicates()
    checks = [
        (one["judge"], one["seed_check"] or "not checked")
        for one in analysis.results["seed_checks"]
    ]
    alike = len({check for _, check in checks}) == 1
    seeds = [check if alike else f"{judge or 'not known'}: {check}" for judge, check in checks]
    return [
        ("Judges", judges(analysis)),
        ("Benchmarks", _names(asked["benchmark"].dropna().unique())),
        ("Questions", [f"{len(asked):,}"]),
        ("Replications", ways),
        ("Temperatures", [", ".join(map(text, temperatures)) or "not known"]),
        ("Judgments", [f"{round(weights(table).sum()):,}"]),
        ("Seeds", list(dict.fromkeys(seeds))),
    ]


def judges(analysis: Analysis) -> list[str]:
    """Names of all judges."""
    found = (check["judge"] for check in analysis.results["seed_checks"])
    return _names(name for name in found if name is not None)


def _names(found: Iterable[Any]) -> list[str]:
    return list(map(str, found)) or ["not known"]
