"""Whether replications may be copies of one answer, which say nothing about reliability."""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Sequence
from enum import StrEnum

from .columns import of_role
from .count import Judged

SEED_CHECK = "seed_check"
"""The column, and the key of a score's metadata, that says whether seeds had an effect."""

_SEEN_TO_VARY = ("honoured", "not honoured")
"""Outcomes of a seed check that saw the judge vary, with another seed or with the same one."""


class Copied(StrEnum):
    """What copies are known by."""

    AT_ZERO = "temperature 0"
    NO_DRAWS = "temperature 0, though some replications differ"
    ONE_SEED = "one seed"
    ALIKE = "no two replications differ"


def why_copied(
    known: Judged, temperature: float | None, checks: Collection[str | None] = ()
) -> Copied | None:
    """Why judgments under one temperature may be copies of one answer each; None if they are none.

    At temperature 0 tries that differ are no draws either: a server that batches requests flips a
    few. A live metric and a report both ask here, so both say the same of a log.

    Args:
        known: The judgments.
        temperature: At which the judge was asked; None if not known.
        checks: Outcomes of the judge's seed checks.
    """
    if known.exact:
        return Copied.AT_ZERO if temperature == 0 else None
    times = known.times or [1] * len(known.questions)
    if sum(times) == len({*known.questions}):  # nothing was replicated
        return None
    named = of_role(known.table, "unit", "facet", without=("prompt", "order", "temperature"))
    cells = list(zip(*(known.ways(name) for name in named), strict=True))
    # Most judges differ long before all is looked at.
    first: dict[Hashable, str] = {}
    given = zip(cells, known.choices, strict=True)
    differ = any(first.setdefault(cell, choice) != choice for cell, choice in given if choice)
    if differ and temperature != 0:
        return None
    tries: Counter[Hashable] = Counter()
    for cell, n in zip(cells, times, strict=True):
        tries[cell] += n
    # Options in another order make another prompt.
    if max(tries.values()) < 2 or _varies_in_order(known):
        return None
    if temperature == 0:
        return Copied.NO_DRAWS if differ else Copied.AT_ZERO
    if _of_one_seed(known, cells, checks):
        return Copied.ONE_SEED
    return None if {*checks} & {*_SEEN_TO_VARY} else Copied.ALIKE


def _varies_in_order(known: Judged) -> bool:
    """Whether any question was shown with its options in several orders."""
    asked = zip(known.column("benchmark"), known.questions, strict=True)
    first: dict[Hashable, Hashable] = {}
    shown = zip(asked, known.ways("order"), strict=True)
    return any(first.setdefault(question, order) != order for question, order in shown)


def _of_one_seed(known: Judged, cells: Sequence[Hashable], checks: Collection[str | None]) -> bool:
    """Whether all replications of each cell were drawn with one seed, and seeds mean something."""
    seeds = known.column("seed")
    if None in seeds or "not honoured" in checks:
        return False
    each: defaultdict[Hashable, set[object]] = defaultdict(set)
    for cell, seed in zip(cells, seeds, strict=True):
        each[cell].add(seed)
    return max(map(len, each.values())) == 1
