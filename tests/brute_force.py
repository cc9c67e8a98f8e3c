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
    between, within, n0 = mean_squares(verdicts)
    return (between - within) / (between + (n0 - 1) * within)


def omega_composite(verdicts: Verdicts) -> Fraction:
    between, within, _ = mean_squares(verdicts)
    return 1 - within / between


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
    entropies = [-sum(p * log(p) for p in shares(row).values()) / log(k) for row in verdicts]
    return sum(entropies) / len(entropies)


def mean_squares(verdicts: Verdicts) -> tuple[Fraction, Fraction, Fraction]:
    """One-way analysis of variance of each category's indicator, summed over categories."""
    n, total = len(verdicts), sum(map(len, verdicts))
    between = within = Fraction(0)
    for category in {v for row in verdicts for v in row}:
        coded = [[Fraction(v == category) for v in row] for row in verdicts]
        grand = mean([x for row in coded for x in row])
        between += sum(len(row) * (mean(row) - grand) ** 2 for row in coded)
        within += sum((x - mean(row)) ** 2 for row in coded for x in row)
    n0 = (total - Fraction(sum(len(row) ** 2 for row in verdicts), total)) / (n - 1)
    return between / (n - 1), within / (total - n), n0


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
