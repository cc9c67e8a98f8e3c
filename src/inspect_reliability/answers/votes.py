"""How many votes make a stable majority."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ..judgments.columns import varies
from ..showing.document import Block, Text
from ..showing.values import Record, describe
from ..stats import Counts, Estimate, ReliabilityError
from ..stats.majority import stable_majority
from ..verdicts import INVALID, NON_RESPONSE
from .analysis import Analysis
from .row import Row, valued

ONE_ORDER = (
    "each order was judged once, and verdicts of two orders are no two draws of one vote: judge "
    "each order several times"
)


def majority_of(row: Row) -> tuple[Mapping[int, Estimate], str | None]:
    """How often majorities of so many votes are the same; without any, the reason."""
    if row.no_evidence:
        return {}, row.no_evidence
    counts = _voting(row)
    if orders_apart(row) and counts.replications.max() < 2:
        return {}, ONE_ORDER
    try:
        return stable_majority(counts), None
    except ReliabilityError as error:
        return {}, str(error)


def orders_apart(row: Row) -> bool:
    """Whether questions were shown in several orders: then all votes are of one."""
    return varies(row.table, "order")


def _voting(row: Row) -> Counts:
    """The verdicts that vote, by question and order: an output without a verdict has no vote."""
    counts = row.counts
    if orders_apart(row):
        counts, orders = row.judged.cells(["order"]), row.judged.levels("order")
        shown = zip(counts.questions, counts.facets["order"].tolist(), strict=True)
        names = tuple(f"{question} ({orders[order]})" for question, order in shown)
        counts = replace(counts, questions=names, facets={})
    return counts.only(name for name in counts.categories if name not in (NON_RESPONSE, INVALID))


def votes_of(majority: Mapping[int, Estimate]) -> list[Record]:
    """One record per number of votes."""
    return [{"votes": m, **valued(agreement=one)} for m, one in majority.items()]


def votes(analysis: Analysis) -> Iterator[Record]:
    """These for each row; if nothing is known, one record with the reason."""
    for row in analysis.rows:
        majority, reason = majority_of(row)
        for found in votes_of(majority) or [{"votes": None, **valued(agreement=None)}]:
            yield row.keys | found | {"reason": reason}


def _section(analysis: Analysis) -> Iterator[Block]:
    known = [record for record in analysis.results["votes"] if record["votes"] is not None]
    yield from analysis.pictures(
        known,
        "how often majorities of so many votes are the same.",
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


PART = (
    "Votes for a stable majority",
    "Votes",
    "How often two separate majorities of this size agree (dashed: 95%). "
    "If you use a single verdict, read the curve at 1 vote. Questions whose verdicts nearly "
    "tie never become stable.",
    _section,
)
