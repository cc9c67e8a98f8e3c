"""Every coefficient once more, from its definition over pairs of verdicts, slowly."""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations
from math import log

Verdicts = Sequence[Sequence[object]]


def agreement(verdicts: Verdicts) -> Fraction:
    """Mean over questions of the share of ordered pairs that are equal."""
    return mean([mean([Fraction(a == b) for a, b in permutations(row, 2)]) for row in verdicts])


def omega(verdicts: Verdicts) -> Fraction:
    """1 - how often pairs within questions differ, over how often pairs between questions do."""
    return 1 - (1 - agreement(verdicts)) / differing(verdicts)


def omega_composite(verdicts: Verdicts) -> Fraction:
    """R w / (1 + (R - 1) w), R the harmonic mean, where means of questions vary at all."""
    w, r = omega(verdicts), 1 / mean([Fraction(1, len(row)) for row in verdicts])
    return r * w / max(1 + (r - 1) * w, Fraction(0))


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


def modal_share(verdicts: Verdicts) -> Fraction:
    return mean([max(shares(row).values()) for row in verdicts])


def modal_share_loo(verdicts: Verdicts) -> Fraction:
    """How often a verdict is the majority of the others, drawn among those that tie."""
    return mean([mean([hit(row, i) for i in range(len(row))]) for row in verdicts])


def hit(row: Sequence[object], i: int) -> Fraction:
    others = Counter([*row[:i], *row[i + 1 :]])
    most = [c for c, times in others.items() if times == max(others.values())]
    return Fraction(row[i] in most, len(most))


def normalised_entropy(verdicts: Verdicts, k: int) -> float:
    """Zhang's series: entropy is the sum over v >= 1 of sum p (1 - p)^v / v, as far as unbiased."""
    return float(mean([entropy(row) for row in verdicts])) / log(k)


def entropy(row: Sequence[object]) -> Fraction:
    n, total = len(row), Fraction(0)
    for times in Counter(row).values():
        # Chance that one verdict drawn is of the category and the next v, not put back, are not.
        chance = Fraction(times, n)
        for v in range(1, n):
            chance *= Fraction(n - times - v + 1, n - v)
            total += chance / v
    return total


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
        omega_composite,
        fleiss_kappa,
        krippendorff_alpha,
        modal_share,
        modal_share_loo,
    )
}
WITH_K: dict[str, Callable[[Verdicts, int], float | Fraction]] = {
    f.__name__: f for f in (gwet_ac1, brennan_prediger, normalised_entropy)
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
