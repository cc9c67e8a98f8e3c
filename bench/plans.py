"""Do planned studies reach the half-width that was promised? Simulation with known truth.

    python bench/plans.py [--quick]

How well does a pilot of a few tries predict the variance that another number of tries would have?
Of the studies that small pilots plan, how many reach the half-width, also with fewer tries of each
order than the pilot has? And how many studies pass the limit to which an earlier one of their size
advises to hold a judge? Where the pilot does not tell, the plan says so, and nothing is counted. In
full it takes a quarter of an hour of one core.
"""

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from _tables import show
from coverage import POPULATIONS, Population, few, settled, spread
from inspect_reliability import analyse
from inspect_reliability.answers.beside_limit import limit_to_hold
from inspect_reliability.answers.row import Row
from inspect_reliability.stats import Cells, Labelled, ReliabilityError, panel
from inspect_reliability.stats.planning import (
    ASSURANCE,
    Precision,
    precision,
    with_fewer_tries,
)

QUICK = 0.125
"""Share of the studies with `--quick`."""

OF_PLANS = {
    "half settled, half even": Population(settled(0.5, np.full(2, 0.5), np.full(2, 0.5))),
    "two verdicts, omega .2": Population(spread(np.array([0.5, 0.5]), 4.0)),
    "two verdicts, omega .77": Population(spread(np.array([0.5, 0.5]), 0.3)),
    "80 and 20%, omega .5": Population(spread(np.array([0.8, 0.2]), 1.0)),
    "20 verdicts, omega .4": Population(spread(1 / np.arange(1, 21) / 3.6, 1.5)),
    "all alike, 60 and 40%": few(0.0, 0.6, 0.4),
    **{name: POPULATIONS[name] for name in ("steady", "middling", "dominated, middling")},
}

NAMES = ("omega", "agreement")

TELLING = 4_000
"""Questions of a pilot whose prediction is compared with the truth."""

LARGE = 100_000
"""Questions that have the true variance."""

STEPS = ((3, 20), (4, 20), (5, 20), (5, 50), (10, 3), (10, 50))
"""Tries of a pilot and of the study that it predicts."""

PILOTS = (
    *((40, 3, 3), (40, 5, 5), (27, 10, 10), (40, 5, 20), (27, 10, 20), (150, 5, 20)),
    *((40, 3, 2), (40, 5, 2), (27, 10, 3)),
)
"""Questions and tries of a pilot, and tries of the study."""

HALF_WIDTHS = {"omega": 0.1, "agreement": 0.05}

MOST = 3_000
"""Larger studies are not made: so many questions are enough in every population."""

TOO_FEW = 0.1
"""Share of the pilots that must tell for a figure."""


def variance(found: Precision, r: float) -> float:
    """Squared standard error of a large study, by the narrowest intervals."""
    return found.half_width(100_000, r) ** 2


def predicted(pilots: int) -> Iterator[dict[str, Any]]:
    """The predicted variance over the true one: mean and deviation over pilots."""
    for name, population in OF_PLANS.items():
        for coefficient in NAMES:
            line: dict[str, Any] = {"population": name, "coefficient": coefficient}
            for r, other in STEPS:
                generator, ratios = np.random.default_rng((r, other)), []
                large = population.counts(population.study(generator, LARGE, other))
                truth = variance(precision(large, coefficient), other)
                for _ in range(pilots):
                    pilot = population.counts(population.study(generator, TELLING, r))
                    found = precision(pilot, coefficient)
                    if not found.reason and not found.untold(other):
                        ratios.append(variance(found, other) / truth)
                told = f"{np.mean(ratios):.2f} ({np.std(ratios):.2f})" if ratios else "not told"
                some = f" of {len(ratios)}" if 0 < len(ratios) < pilots else ""
                line[f"{r} to {other}"] = told + some
            yield line


def reached(pilots: int) -> Iterator[dict[str, Any]]:
    """Of planned studies of assurance .8, the share that reach the half-width; of pilots that tell.

    "Range right" is the share of ranges with the number that a pilot of 4,000 questions plans.
    """
    for name, population in OF_PLANS.items():
        for coefficient, wanted in HALF_WIDTHS.items():
            line: dict[str, Any] = {"population": name, "coefficient": coefficient}
            right: list[bool] = []
            for n, r, other in PILOTS:
                generator, hits = np.random.default_rng((n, r, other)), []
                large = population.counts(population.study(generator, TELLING, other))
                needed = precision(large, coefficient).design(wanted, other).n_questions
                for _ in range(pilots):
                    pilot = population.counts(population.study(generator, n, r))
                    try:
                        design = precision(pilot, coefficient).design(wanted, other)
                    except ReliabilityError:
                        continue
                    right += [design.fewest <= needed <= design.most] * (r == other)
                    study = population.study(generator, min(design.n_questions, MOST), other)
                    ends = panel(population.counts(study), [coefficient])[coefficient].ends
                    hits.append(ends is not None and ends[1] - ends[0] <= 2 * wanted)
                line[f"{n} x {r} to {other}"] = _of_those(hits, pilots)
            yield line | {"range right": float(np.mean(right))}


def _of_those(hits: list[bool], pilots: int) -> str:
    """The share of hits, and of how many pilots where some do not tell."""
    if len(hits) < TOO_FEW * pilots:
        return "not told"
    return f"{np.mean(hits):.2f}" + f" of {len(hits)}" * (len(hits) < pilots)


ORDERS = {"places weigh little": 1.1, "places weigh more": 1.8}
"""How much more probable the verdict of the first place is in each of two orders."""

OF_ORDERS = ((60, 5), (60, 10), (150, 10))
"""Questions of a pilot, and tries of each order."""


def fewer(pilots: int) -> Iterator[dict[str, Any]]:
    """Of planned studies with fewer tries of each of two orders, the share that reach the width."""
    for name, weight in ORDERS.items():
        for coefficient, wanted in HALF_WIDTHS.items():
            line: dict[str, Any] = {"orders": name, "coefficient": coefficient}
            for n, tries in OF_ORDERS:
                generator, hits = np.random.default_rng((n, tries)), dict[int, list[bool]]()
                for _ in range(pilots):
                    pilot = _in_two_orders(generator, n, tries, weight)
                    for found in with_fewer_tries(pilot, coefficient):
                        each = round(found.own / 2)
                        size = min(found.design(wanted, found.own).n_questions, MOST)
                        study = _in_two_orders(generator, size, each, weight)
                        ends = panel(study, [coefficient])[coefficient].ends
                        hit = ends is not None and ends[1] - ends[0] <= 2 * wanted
                        hits.setdefault(each, []).append(hit)
                for each, known in hits.items():
                    line[f"{n} x 2 x {tries} to {each}"] = _of_those(known, pilots)
            yield line


def _in_two_orders(generator: np.random.Generator, n: int, tries: int, weight: float) -> Cells:
    """Verdicts A, B and tie on n questions, so many tries in each of two orders."""
    chances = generator.dirichlet([0.5, 0.5, 0.2], n)[:, None] * [[weight, 1, 1], [1, weight, 1]]
    table = generator.multinomial(tries, chances / chances.sum(axis=2, keepdims=True))
    names, said = [*map(str, range(n))], ("A", "B", "tie")
    shown = {"shown": np.tile([0, 1], n)}
    cells = Cells(table.reshape(2 * n, 3), tuple(np.repeat(names, 2)), said, facets=shown)
    return Cells(table.sum(axis=1), tuple(names), said, variants=cells)


OF_GRADES = (30, 60, 150)
"""Questions of a pilot with grades."""

_SIZES = range(90, 131, 4)
"""Questions among which the number needed is looked for."""


def of_grades(pilots: int) -> Iterator[dict[str, Any]]:
    """Plans of ICC to within .07, and how many questions are needed for 80% of studies."""
    generator = np.random.default_rng(7)
    narrow = [
        np.mean([_icc_half(generator, n) <= OF_ICC for _ in range(4 * pilots)]) for n in _SIZES
    ]
    needed = int(_SIZES[int(np.argmax(np.array(narrow) >= ASSURANCE))])
    for n in OF_GRADES:
        designs = [
            precision(_grades(generator, n), "icc").design(OF_ICC, _TRIES) for _ in range(pilots)
        ]
        hits = [_icc_half(generator, min(one.n_questions, MOST)) <= OF_ICC for one in designs]
        yield {
            "pilot": f"{n} x {_TRIES}",
            "questions": float(np.median([one.n_questions for one in designs])),
            "needed": needed,
            "reached": float(np.mean(hits)),
            "range right": float(np.mean([one.fewest <= needed <= one.most for one in designs])),
            "range above": float(np.mean([needed < one.fewest for one in designs])),
        }


OF_ICC, _TRIES = 0.07, 6


def _grades(generator: np.random.Generator, n: int) -> Cells:
    """Normal grades, rounded and cut to 0 to 10."""
    true = np.clip(generator.normal(5, 3, n), -1.5, 11) + generator.normal(-0.5, 0.8, n)
    drawn = np.round(true[:, None] + generator.normal(0, 1.5, (n, _TRIES)))
    return Cells.of_numbers(np.clip(drawn, 0, 10))


def _icc_half(generator: np.random.Generator, n: int) -> float:
    low, high = panel(_grades(generator, n), ["icc"])["icc"].ends or (0.0, 1.0)
    return (high - low) / 2


OF_LIMITS = ((0.7, 60), (0.7, 200), (0.9, 60), (0.9, 200), (0.97, 200))
"""How often a judge is right, and labelled questions of a study."""


def held(studies: int) -> Iterator[dict[str, Any]]:
    """Of the limits that another study of that size is said to pass with 80%, the share it does."""
    for right, n in OF_LIMITS:
        generator, passed, limits = np.random.default_rng(n), list[bool](), list[float]()
        for _ in range(studies):
            (row, record), (_, other) = (_judged(generator, right, n) for _ in range(2))
            limit = limit_to_hold(row, record, "accuracy")
            if limit and "probability" in limit.words:
                limits.append(limit.limit)
                passed.append((other["accuracy_interval"] or [0.0])[0] >= limit.limit)
        yield {
            "right": right,
            "questions": n,
            "limit": float(np.median(limits)) if limits else None,
            "passed": _of_those(passed, studies),
        }


def _judged(generator: np.random.Generator, right: float, n: int) -> tuple[Row, dict[str, Any]]:
    """A judge with two tries a question, beside labels of two answers."""
    label = generator.integers(0, 2, n)
    wrong = generator.random((n, 2)) > generator.beta(4 * right, 4 * (1 - right), (n, 1))
    rows = [
        {"question": str(q), "verdict": "ab"[label[q] ^ of], "label": "ab"[label[q]]}
        for q in range(n)
        for of in wrong[q].astype(int)
    ]
    analysis = analyse(pd.DataFrame(rows))
    return analysis.rows[0], analysis.results["validity"][0]


SHARES = {
    "all half right": few(0.0, 0.5, 0.5),
    "right in 80%, steady": Population(spread(np.array([0.8, 0.2]), 0.5)),
    "right in 67%": Population(spread(np.array([2.0, 1.0]) / 3, 3.0)),
    "94% always right": Population(settled(0.94, np.array([1.0, 0.0]), np.array([0.5, 0.5]))),
}


def labelled(pilots: int) -> Iterator[dict[str, Any]]:
    """The same of accuracy by labels, and the half-width of as many as are to be expected."""
    for name, population in SHARES.items():
        for wanted in (0.05, 0.1):
            for n, r in ((60, 1), (40, 5)):
                generator, hits, asked, usual = np.random.default_rng((n, r)), [], [], []
                for _ in range(pilots):
                    found = _right(population, generator, n, r).precision()
                    if found.reason:
                        continue
                    usual.append(found.design(wanted, r).n_questions)
                    asked.append(found.design(wanted, r, ASSURANCE).n_questions)
                    study = _right(population, generator, asked[-1], r).share()
                    ends = study.ends or (0.0, 1.0)
                    hits.append(ends[1] - ends[0] <= 2 * wanted)
                expected = int(np.median(usual))
                fresh = [_right(population, generator, expected, r) for _ in range(pilots)]
                found_ends = [one.share().ends or (0.0, 1.0) for one in fresh]
                yield {
                    "population": name,
                    "half-width": wanted,
                    "pilot": f"{n} x {r}",
                    "labels": expected,
                    "their half-width": float(np.median([b - a for a, b in found_ends])) / 2,
                    "questions": float(np.median(asked)),
                    "reached": _of_those(hits, pilots),
                }


def _right(population: Population, generator: np.random.Generator, n: int, r: int) -> Labelled:
    """Verdicts of which the first is right."""
    labels = np.tile([1, 0], (n, 1))
    given = population.counts(population.study(generator, n, r))
    return Labelled(given, population.counts(labels))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="an eighth of the studies")
    arguments = parser.parse_args()

    def studies(full: int) -> int:
        return max(2, round((QUICK if arguments.quick else 1.0) * full))

    title = f"Predicted over true variance, pilots of {TELLING:,} questions: mean (deviation)"
    show(title, predicted(studies(16)))
    show("Planned studies that reach the half-width", reached(studies(100)))
    show("Planned studies with fewer tries of each order", fewer(studies(100)))
    show("Plans of ICC", of_grades(studies(100)))
    show("The same of accuracy", labelled(studies(100)))
    show("Limits that another study passes", held(studies(200)))


if __name__ == "__main__":
    main()
