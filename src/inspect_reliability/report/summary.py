"""The report as a document: what was studied, the numbers, and what qualifies them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

from ..verdicts import NON_RESPONSE
from .analysis import Analysis
from .document import Block, Caution, Document, Table, Text
from .moves import in_words
from .row import AT_VERDICT, Row
from .sections import sections
from .steady_or_right import blocks
from .wording import HEADINGS, Record, describe, estimate, field, text, whole

COLUMNS = {"omega": "Omega", "agreement": "Agreement", "icc": "ICC"}
"""Coefficients that have a column in the main table."""

MOST_SHOWN = 3
"""Outputs without a verdict below the main tables; the page and JSON have three of each row."""

_LONGEST = 200
"""Characters of an output."""

MEANINGS = {
    "N x R": "N x R: questions x replications.",
    "Omega [95%]": (
        "Omega: how repeatable one verdict is (1: always the same, 0: unrelated to the question), "
        "with its 95% interval over questions."
    ),
    "Rule of thumb": (
        "Rule of thumb: the labels were devised for whole-questionnaire scores. Here they label "
        "single-verdict omega, where its whole interval has one label."
    ),
    "Agreement [95%]": "Agreement: share of pairs of replications with the same verdict.",
    "ICC [95%]": "ICC: reliability of numeric verdicts; close scores count as close.",
    "Non-response": "Non-response: share of outputs without a verdict.",
    "Invalid": "Invalid: share of outputs that name several different verdicts.",
    "Published": (
        "Published: the coefficient of Schroeder & Wood-Doughty (2024); in brackets, its mean and "
        "95% range on shuffled verdicts. Inside that range it tells nothing."
    ),
    "A_LM [95%]": "A_LM: share of answers judged correct.",
}
"""What the columns say."""


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
    shown = columns(records)
    first, *rest = analysis.names
    tables: list[Block] = []
    for value in dict.fromkeys(record.get(first) for record in records):
        own = [record for record in records if record.get(first) == value]
        title = f"{HEADINGS.get(first, first)}: {text(value, missing='not known')}"
        tables.append(Table.of(own, _named(rest, own) | shown, title))
    return [
        *tables,
        *_over_benchmarks(analysis),
        *what_moves(analysis),
        *blocks(analysis),
        *legend(shown),
        *_exact(analysis.rows),
        *cautions(analysis.rows),
        *_without_verdict(analysis),
        *notes(analysis),
    ]


def _named(names: Iterable[str], records: Sequence[Record]) -> dict[str, Callable[[Record], str]]:
    """Heading -> the column that rows are grouped by, where any of them has a value there."""
    known = [name for name in names if any(record.get(name) is not None for record in records)]
    return {HEADINGS.get(name, name): field(name) for name in known}


def _over_benchmarks(analysis: Analysis) -> Iterator[Block]:
    """Omega of each judge over several benchmarks."""
    if records := analysis.results["pooled"]:
        shown = {
            "Benchmarks": lambda record: ", ".join(record["benchmarks"]),
            "N": field("n_questions"),
            "Omega [95%]": estimate("omega"),
            "Spread": field("between", ".2f", "not known"),
        }
        columns = _named(analysis.names, records) | shown
        yield Table.of(records, columns, "Over all benchmarks")
        yield Text(
            "Over all benchmarks: verdicts are compared within a benchmark only, and each "
            "benchmark counts alike. The interval is for other questions of these benchmarks. "
            "Spread: standard deviation of omega between benchmarks, beyond chance."
        )


def what_moves(analysis: Analysis) -> Iterator[Block]:
    """How far each facet that was varied moves the verdict, and the sentences to quote."""
    if not (records := analysis.results["moves"]):
        return
    shown = {
        "Facet": field("facet"),
        "Levels": field("levels"),
        "Differ across [95%]": estimate("disagreement_across", ".1%"),
        "Differ within [95%]": estimate("disagreement_within", ".1%"),
        "Above noise [95%]": estimate("above_noise", "z.1%"),
    }
    yield Table.of(records, _named(analysis.names, records) | shown, "What moves the verdict")
    yield Text(
        "What moves the verdict: share of pairs of verdicts on a question that differ, across the "
        "levels of a facet with all else equal, and within them, where only the seed differs. "
        "Intervals are for other questions, judged at these levels."
    )
    for record in records:
        yield Text(in_words(record, analysis.keys(record)))


def notes(analysis: Analysis) -> list[Text]:
    """What was left out."""
    return [Text(str(note), "note") for note in analysis.judgments.notes]


def columns(records: Sequence[Record]) -> dict[str, Callable[[Record], str]]:
    """Heading -> what a row shows below it; columns that no row fills are left out."""
    shown: dict[str, Callable[[Record], str]] = {"N x R": _size}
    for name, heading in COLUMNS.items():
        shown[f"{heading} [95%]"] = estimate(name)
        if name == "omega":
            shown["Rule of thumb"] = field("rule_of_thumb")
    shown |= {
        "Non-response": field("non_response_rate", ".1%"),
        "Invalid": lambda row: f"{row['invalid_rate']:.1%}" if row["invalid_rate"] else "",
        "Published": published,
        "A_LM [95%]": estimate("a_lm", ".3f"),
    }
    always = "Non-response"
    return {name: of for name, of in shown.items() if name == always or any(map(of, records))}


def legend(headings: Iterable[str]) -> list[Text]:
    """What the columns say, one paragraph each."""
    return [Text(MEANINGS[name]) for name in headings if name in MEANINGS]


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
    for _, name, found in sorted(known, key=itemgetter(0))[:MOST_SHOWN]:
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
            found.append((value, f"{estimate('omega')(row.record)} ({rest})"))
    name = "All judgments" if judge is None else str(judge)
    if not found:
        return f"{name}: these judgments do not show how reliable it is; the cautions say why."
    if len(found) == 1:
        return f"{name}: omega of one verdict is {found[0][1]}."
    lowest, highest = min(found)[1], max(found)[1]
    return f"{name}: omega of one verdict is {lowest} at its lowest and {highest} at its highest."
