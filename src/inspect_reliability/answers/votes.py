"""How many votes make a stable majority."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ..judgments.columns import varies
from ..showing.values import Record
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
