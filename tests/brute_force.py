"""Every coefficient once more, from its definition over pairs of verdicts, slowly."""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations

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
    )
}
WITH_K: dict[str, Callable[[Verdicts, int], Fraction]] = {
    f.__name__: f for f in (gwet_ac1, brennan_prediger)
}


def every(verdicts: Verdicts, k: int) -> dict[str, float | None]:
    """All coefficients; None where a definition divides by zero."""
    found: dict[str, float | None] = {}
    for name, formula in WITHOUT_K.items():
        try:
            found[name] = float(formula(verdicts))
        except ZeroDivisionError:
            found[name] = None
    return found | {name: float(formula(verdicts, k)) for name, formula in WITH_K.items()}
