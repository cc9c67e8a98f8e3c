"""Which studies give an interval of a wanted width?"""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, takewhile

from ..showing.formats import Record, finite, picked, whole_number
from ..stats import SHARES, ReliabilityError
from ..stats.planning import Design, Precision, usual_assurance
from .row import Row

REPLICATIONS = (2, 3, 5, 10, 20, 50, 100)

_SEVERAL = "Questions of several benchmarks are not one test. Plan for each: group by benchmark."


def assured(name: str, asked: float | None) -> float:
    """How probably a study for a coefficient or a share reaches its half-width."""
    return asked or usual_assurance(name in SHARES)


def designs_of(
    row: Row,
    names: Sequence[str],
    half_widths: Sequence[float],
    assurance: float | None,
    each: Mapping[str, float | None],
    why: dict[str, str],
) -> Iterator[Record]:
    """Sufficient studies; adds to `why` what cannot be planned."""
    for coefficient in dict.fromkeys(names):
        found = _precision(row, coefficient)
        if isinstance(found, str):
            why[coefficient] = found
            continue
        fewer, tried = row.with_fewer_tries(coefficient), _replications(found)
        told = list(takewhile(partial(_told, found), tried))
        for r in tried[len(told) :][:1]:
            why[f"{coefficient}, {round(r, _TENTHS):g} replications or more"] = str(found.untold(r))
        for half_width in dict.fromkeys(half_widths):
            probability = assured(coefficient, assurance)
            each_order = (_studies(one, [one.own], half_width, probability, why) for one in fewer)
            own = _studies(found, told, half_width, probability, why)
            for study in chain(*each_order, own):
                tokens, cost = (one and study.judgments * one for one in each.values())
                yield {
                    "coefficient": coefficient,
                    "half_width": half_width,
                    "n_replications": _tries(study.n_replications),
                    **picked(study, "n_questions", "fewest", "most"),
                    "judgments": math.ceil(round(study.judgments, _TENTHS)),
                    "assurance": probability,
                    "tokens": None if tokens is None else round(tokens),
                    "cost": cost,
                }


_TENTHS = 1
"""Digits of tries that are means, as where some have no verdict."""


def _tries(number: float) -> float | None:
    """A number of tries, whole or with a tenth; None for the infinitely many of exact verdicts."""
    known = finite(number)
    found: float | None = None if known is None else whole_number(round(known, _TENTHS))
    return found


def _precision(row: Row, name: str) -> Precision | str:
    """What a plan needs of a coefficient, or why there is none."""
    if row.several and name != "agreement":
        return _SEVERAL
    if row.copied and name not in SHARES:
        return str(row.no_draws)
    found = row.precision(name)
    if found is None:
        return str(row.estimate(name).reason)
    return found.reason or found


def _replications(found: Precision) -> list[float]:
    """Numbers of replications to plan for, the pilot's own among them."""
    several = found.pilot is not None and math.isfinite(found.own)
    return sorted({found.own, *(REPLICATIONS if several else ())})


def _told(found: Precision, replications: float) -> bool:
    return found.untold(replications) is None


def _studies(
    found: Precision,
    replications: Sequence[float],
    half_width: float,
    assurance: float,
    why: dict[str, str],
) -> Iterator[Design]:
    """Studies with the wanted half-width; adds to `why` if no number of questions has it."""
    for r in replications:
        try:
            yield found.design(half_width, r, assurance)
        except ReliabilityError as error:
            why[f"{found.coefficient} +-{half_width:g}, {r:g} replications"] = str(error)


def each_verdict(row: Row, name: str) -> float | None:
    """Tokens or cost of a verdict on average; None where they are not known."""
    if name not in row.table or not row.table[name].notna().any():
        return None
    known = row.table[name].dropna()
    return float(known.sum() / len(row.counts.questions) if row.judged.exact else known.mean())
