"""How many votes make a stable majority."""

from collections.abc import Iterator

from ..stats import Counts, ReliabilityError, StableMajority, stable_majority
from .results import Analysis, result
from .values import Record


def majority_of(
    counts: Counts, no_evidence: str | None, wanted: float = 0.95
) -> tuple[StableMajority | None, str | None]:
    """The stability of majorities, or the reason why it is not known."""
    if no_evidence:
        return None, no_evidence
    try:
        return stable_majority(counts, wanted=wanted), None
    except ReliabilityError as error:
        return None, str(error)


_KEYS = ("votes", "agreement", "agreement_interval", "share_stable")


def votes_of(majority: StableMajority | None) -> list[Record]:
    """One record per number of votes."""
    if majority is None:
        return []
    intervals = [ends and list(ends) for ends in majority.intervals]
    columns = (majority.votes, majority.agreement, intervals, majority.share_stable)
    return [dict(zip(_KEYS, one, strict=True)) for one in zip(*columns, strict=True)]


@result("votes")
def votes(analysis: Analysis) -> Iterator[Record]:
    """These for each row; if nothing is known, one record with the reason."""
    for row in analysis.rows:
        majority, reason = majority_of(row.counts, row.no_evidence)
        for found in votes_of(majority) or [dict.fromkeys(_KEYS)]:
            yield row.keys | found | {"reason": reason}
