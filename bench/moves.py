"""Are components and flips right? Simulated judges.

    python bench/moves.py [--quick]

Judges whose verdicts follow the question, the order of the options, the wording, the cell or the
seed, in different shares, judge questions of a population at two orders, three wordings and three
seeds. The truth is that of the population, from the chances of 200,000 questions.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from _tables import show
from inspect_reliability.stats import Cells, Disagreement, Estimate, disagreement, shifts

Array = NDArray[np.float64]
Generator = np.random.Generator

ORDERS, WORDINGS, SEEDS, CATEGORIES = 2, 3, 3, 3
QUESTIONS = (30, 100)
STUDIES = 400
QUICK = 0.125
"""Share of the studies with `--quick`."""
TRUTH = 200_000
"""Questions of which the truth is that of the population."""
SHARES = np.array([0.5, 0.3, 0.2])
BY_ORDER = np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2]])
"""What a judge prefers that follows the order: each order another verdict."""


@dataclass(frozen=True)
class Judge:
    """Shares of the verdicts that are the question's own, or drawn anew for more than it.

    Attributes:
        question: Drawn once for each question.
        order: Drawn once for each question and order, each order with its own preference.
        wording: Drawn once for each question and wording.
        cell: Drawn once for each question, order and wording.
        seed: Drawn for each verdict.
    """

    question: float = 0.0
    order: float = 0.0
    wording: float = 0.0
    cell: float = 0.0
    seed: float = 0.0

    def chances(self, generator: Generator, n: int) -> Array:
        """Chances of the verdicts in each cell, n x orders x wordings x categories."""

        def drawn(shares: Array, *shape: int) -> Array:
            return np.asarray(np.eye(CATEGORIES)[generator.choice(CATEGORIES, shape, p=shares)])

        ordered = [drawn(shares, n, 1, 1) for shares in BY_ORDER]
        return (
            self.question * drawn(SHARES, n, 1, 1)
            + self.order * np.concatenate(ordered, axis=1)
            + self.wording * drawn(SHARES, n, 1, WORDINGS)
            + self.cell * drawn(SHARES, n, ORDERS, WORDINGS)
            + self.seed * SHARES
        )


JUDGES = {
    "question": Judge(question=1),
    "seed": Judge(question=0.7, seed=0.3),
    "order": Judge(question=0.7, order=0.3),
    "wording": Judge(question=0.7, wording=0.3),
    "all": Judge(question=0.4, order=0.2, wording=0.1, cell=0.1, seed=0.2),
    "rarely": Judge(question=0.95, order=0.03, seed=0.02),
    "none": Judge(seed=1),
}


def names_of(facets: tuple[str, ...]) -> list[tuple[str, ...]]:
    """All sets of facets."""
    return list(chain.from_iterable(combinations(facets, k) for k in range(len(facets) + 1)))


def truth(chances: Array) -> dict[str, float]:
    """D_S of a population, as means over pairs of cells; then what the package makes of it."""
    mean = chances.mean(axis=0)
    d: dict[frozenset[str], list[float]] = {}
    cells = [(o, w) for o in range(ORDERS) for w in range(WORDINGS)]
    for o, w in cells:
        for p, v in cells:
            shared = {name for name, same in (("order", o == p), ("wording", w == v)) if same}
            within = float((chances[:, o, w] * chances[:, p, v]).sum(axis=-1).mean())
            d.setdefault(frozenset(shared | {"question"}), []).append(1 - within)
            d.setdefault(frozenset(shared), []).append(1 - float(mean[o, w] @ mean[p, v]))
    of = {shared: float(np.mean(values)) for shared, values in d.items()}
    every = ("question", "order", "wording")
    found = {
        " x ".join(names): sum(
            (-1) ** (len(names) - len(one) + 1) * of[frozenset(one)] for one in names_of(names)
        )
        for names in names_of(every)
        if names
    }
    found["seed"] = of[frozenset(every)]
    for facet in ("order", "wording"):
        found[f"flips of {facet}"] = of[frozenset({*every} - {facet})] - of[frozenset(every)]
    found["change"] = float(mean[0, :, 0].mean() - mean[1, :, 0].mean())
    return found


def estimates(study: Disagreement) -> dict[str, Estimate]:
    """The same of a study."""
    found = {" x ".join(names): one for names, one in study.components().items()}
    for facet in ("order", "wording"):
        found[f"flips of {facet}"] = study.flips(facet)
    found["change"] = next(shifts(study.cells, "order")).change
    return found


def study(generator: Generator, judge: Judge, n: int, seeds: int = SEEDS) -> Disagreement:
    """Judgments of n questions."""
    tables = generator.multinomial(seeds, judge.chances(generator, n))
    order, wording = np.divmod(np.tile(np.arange(ORDERS * WORDINGS), n), WORDINGS)
    questions = tuple(np.repeat([f"q{i}" for i in range(n)], ORDERS * WORDINGS).tolist())
    facets = {"order": order, "wording": wording}
    table = tables.reshape(-1, CATEGORIES)
    return disagreement(Cells(table, questions, tuple("ABC"), facets=facets))


def coverage(studies: int) -> Iterator[dict[str, Any]]:
    """Bias of each estimate, in its standard errors, and coverage of its interval."""
    for name, judge in JUDGES.items():
        generator = np.random.default_rng(1)
        true = truth(judge.chances(generator, TRUTH))
        for n in QUESTIONS:
            found = [estimates(study(generator, judge, n)) for _ in range(studies)]
            for what, value in true.items():
                some = [one[what] for one in found if one[what].value is not None]
                values = np.array([one.value for one in some], float)
                held = [
                    one.low - 1e-9 <= value <= one.high + 1e-9
                    for one in some
                    if one.low is not None and one.high is not None
                ]
                spread = values.std() / np.sqrt(len(values)) if len(values) else np.nan
                yield {
                    "judge": name,
                    "n": n,
                    "estimate": what,
                    "truth": value,
                    "bias": float((values.mean() - value) / spread) if spread > 1e-12 else 0.0,
                    "coverage": float(np.mean(held)) if held else None,
                    "none a miss": float(sum(held)) / studies,
                }


def by_estimate(found: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """One line an estimate: its lowest and highest coverage, where its truth is 0 and elsewhere.

    Where it is not 0, the lowest also with studies that have no interval as misses.
    """
    for what in dict.fromkeys(one["estimate"] for one in found):
        own = [one for one in found if one["estimate"] == what]
        line: dict[str, Any] = {"estimate": what}
        for n in QUESTIONS:
            for name, zero in (("0", True), ("not 0", False)):
                some = [
                    f"{one['coverage']:.3f} ({one['judge']})"
                    for one in own
                    if one["n"] == n and one["coverage"] is not None
                    if (abs(one["truth"]) < 5e-4) == zero
                ]
                ends = dict.fromkeys([min(some), max(some)]) if some else ["-"]
                line[f"N = {n}, truth {name}"] = " to ".join(ends)
        some = [one for one in own if abs(one["truth"]) >= 5e-4]
        least = min(some, key=lambda one: one["none a miss"], default=None)
        line["lowest, none a miss"] = (
            f"{least['none a miss']:.3f} ({least['judge']}, N = {least['n']})" if least else "-"
        )
        yield line | {"largest bias": max(abs(one["bias"]) for one in own)}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="an eighth of the studies")
    studies = max(2, round((QUICK if parser.parse_args().quick else 1.0) * STUDIES))
    found = list(coverage(studies))
    show("Coverage of 95% intervals, and bias in its standard errors", by_estimate(found))


if __name__ == "__main__":
    main()
