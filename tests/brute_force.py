"""Every coefficient once more, from its definition over pairs of verdicts, slowly."""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any

Verdicts = Sequence[Sequence[object]]


def agreement(verdicts: Verdicts) -> Fraction:
    """Mean over questions of the share of ordered pairs that are equal."""
    return mean([mean([Fraction(a == b) for a, b in permutations(row, 2)]) for row in verdicts])


def omega(verdicts: Verdicts) -> Fraction:
    """1 - how often pairs within questions differ, over how often pairs between questions do."""
    return 1 - (1 - agreement(verdicts)) / differing(verdicts)


def differing(verdicts: Verdicts) -> Fraction:
    """Mean over pairs of questions of the share of pairs of their verdicts that differ."""
    return mean(
        [
            mean([Fraction(a != b) for a in one for b in other])
            for one, other in permutations(verdicts, 2)
        ]
    )


def fleiss_kappa(verdicts: Verdicts) -> Fraction:
    chance = sum(share**2 for share in shares([v for row in verdicts for v in row]).values())
    return (agreement(verdicts) - chance) / (1 - chance)


def krippendorff_alpha(verdicts: Verdicts) -> Fraction:
    """From the matrix of coincidences within and over questions."""
    n = sum(map(len, verdicts))
    observed = total(
        [Fraction(a != b, len(r) - 1) for r in verdicts for a, b in permutations(r, 2)]
    )
    pooled = Counter(v for row in verdicts for v in row)
    expected = Fraction(sum(pooled[a] * pooled[b] for a, b in permutations(pooled, 2)), n - 1)
    return 1 - observed / expected


def gwet_ac1(verdicts: Verdicts, k: int) -> Fraction:
    by_question = [shares(row) for row in verdicts]
    p = {c: mean([row.get(c, Fraction(0)) for row in by_question]) for r in verdicts for c in r}
    chance = total([x * (1 - x) for x in p.values()]) / (k - 1)
    return (agreement(verdicts) - chance) / (1 - chance)


def brennan_prediger(verdicts: Verdicts, k: int) -> Fraction:
    return (agreement(verdicts) - Fraction(1, k)) / (1 - Fraction(1, k))


def icc(rows: Sequence[Sequence[Fraction]]) -> Fraction:
    """1 - how far numbers lie apart within questions, over how far between questions; squared."""
    within = mean([mean([(a - b) ** 2 for a, b in permutations(row, 2)]) for row in rows])
    between = mean(
        [mean([(a - b) ** 2 for a in one for b in other]) for one, other in permutations(rows, 2)]
    )
    return 1 - within / between


def krippendorff_alpha_numeric(rows: Sequence[Sequence[Fraction]]) -> Fraction:
    """Squared differences of all pairs of a question, over those of all pairs of verdicts."""
    every = [number for row in rows for number in row]
    observed = total([(a - b) ** 2 / (len(r) - 1) for r in rows for a, b in permutations(r, 2)])
    expected = total([(a - b) ** 2 for a, b in permutations(every, 2)]) / (len(every) - 1)
    return 1 - observed / expected


def krippendorff_alpha_ordinal(verdicts: Verdicts) -> Fraction:
    """The same of mid-ranks: verdicts below, and half of those that are equal."""
    every = [str(verdict) for row in verdicts for verdict in row]
    times = Counter(every)
    rank = {
        one: total([Fraction(times[other]) for other in times if other < one]) + Fraction(n, 2)
        for one, n in times.items()
    }
    return krippendorff_alpha_numeric([[rank[str(one)] for one in row] for row in verdicts])


def shares(row: Sequence[object]) -> dict[object, Fraction]:
    return {category: Fraction(times, len(row)) for category, times in Counter(row).items()}


def mean(values: Sequence[Fraction]) -> Fraction:
    return total(values) / len(values)


def total(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0))


WITHOUT_K: dict[str, Callable[[Verdicts], Fraction]] = {
    f.__name__: f
    for f in (
        agreement,
        omega,
        fleiss_kappa,
        krippendorff_alpha,
        krippendorff_alpha_ordinal,
    )
}
OF_NUMBERS: dict[str, Callable[[Sequence[Sequence[Fraction]]], Fraction]] = {
    f.__name__: f for f in (icc, krippendorff_alpha_numeric)
}
WITH_K: dict[str, Callable[[Verdicts, int], Fraction]] = {
    f.__name__: f for f in (gwet_ac1, brennan_prediger)
}


def every(verdicts: Verdicts, k: int) -> dict[str, float | None]:
    """All coefficients of names and ranks; None where a definition divides by zero."""
    found = {name: _or_none(formula, verdicts) for name, formula in WITHOUT_K.items()}
    return found | {name: float(formula(verdicts, k)) for name, formula in WITH_K.items()}


def of_numbers(rows: Sequence[Sequence[Fraction]]) -> dict[str, float | None]:
    """All coefficients of numbers; None where a definition divides by zero."""
    return {name: _or_none(formula, rows) for name, formula in OF_NUMBERS.items()}


def _or_none(formula: Callable[[Any], Fraction], rows: Any) -> float | None:
    try:
        return float(formula(rows))
    except ZeroDivisionError:
        return None
