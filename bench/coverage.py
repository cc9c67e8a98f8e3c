"""Do the intervals cover, and do decisions keep their promises? Simulation with known truth.

    python bench/coverage.py [--quick] [--held]

Questions are drawn from a population: each has chances of the verdicts, and its replications are
drawn from those chances. The truth is that of 400,000 questions of the population, with all
chances known. What is estimated comes from the package as a user calls it. In full it takes twenty
minutes of one core.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from _tables import show
from inspect_reliability.stats import (
    Cells,
    Counts,
    Estimate,
    brennan_prediger,
    fleiss_kappa,
    gwet_ac1,
    icc,
    omega,
    panel,
    question_rates,
    rate,
)
from inspect_reliability.stats.comparison import compare_all
from inspect_reliability.stats.planning import (
    OPEN,
    PASSES,
    Decision,
    anytime_omega,
    anytime_share,
    within_limit,
)

Array = NDArray[np.float64]
Table = NDArray[np.int64]
Generator = np.random.Generator

QUESTIONS = (20, 27, 55, 200)
REPLICATIONS = (2, 5, 20, 100)
QUICK = 0.125
"""Share of the studies with `--quick`."""
COMPARED, JUDGES = (20, 55), (2, 6)
"""Questions and judges of comparisons."""
TRUTH = 400_000
"""Questions of which the truth is that of the population."""
ENDLESS = 100_000
"""Replications that stand for all."""

SKEWED = np.array([0.10, 0.12, 0.10, 0.085, 0.045, 0.535, 0.015])
SILENT = np.array([0.04, 0.04, 0.04, 0.03, 0.03, 0.80, 0.02])
DOMINATED = np.array([0.02, 0.02, 0.02, 0.02, 0.02, 0.88, 0.02])


def spread(shares: Array, concentration: float) -> Callable[[Generator, int], Array]:
    """Chances around the shares (Dirichlet); the smaller the concentration, the steadier."""
    return lambda generator, n: generator.dirichlet(shares * concentration, n)


def settled(share: float, shares: Array, own: Array) -> Callable[[Generator, int], Array]:
    """A share of questions that never vary, of verdicts with these shares; the others have own."""

    def draw(generator: Generator, n: int) -> Array:
        chances = np.tile(own, (n, 1))
        sure = generator.random(n) < share
        chances[sure] = np.eye(len(own))[generator.choice(len(own), size=sure.sum(), p=shares)]
        return chances

    return draw


def equal(generator: Generator, chances: Array, r: int) -> Table:
    """The same number of replications for every question."""
    return np.full(len(chances), r)


def linked(generator: Generator, chances: Array, r: int) -> Table:
    """Three times as many for questions on which the judge wavers."""
    return np.where((chances**2).sum(axis=-1) > 0.5, r, 3 * r)


@dataclass(frozen=True)
class Population:
    """Questions of a kind.

    Attributes:
        chances: Draws so many questions' chances of the verdicts.
        replications: Number of replications of each question, from r.
        outputs: Outputs of each question, whose chances lie around those of the question.
    """

    chances: Callable[[Generator, int], Array]
    replications: Callable[[Generator, Array, int], Table] = equal
    outputs: int = 1

    def rows(self, generator: Generator, n: int) -> Array:
        """Chances of every output of n questions."""
        chances = self.chances(generator, n)
        if self.outputs == 1:
            return chances
        repeated = np.repeat(chances, self.outputs, axis=0)
        return np.array([generator.dirichlet(2 * row + 1e-9) for row in repeated])

    def study(self, generator: Generator, n: int, r: int) -> Table:
        """Counts of a study of n questions."""
        chances = self.rows(generator, n)
        return generator.multinomial(self.replications(generator, chances, r), chances)

    def counts(self, table: Table) -> Counts:
        """The same, as the package takes it."""
        names = tuple(map(str, range(len(table))))
        categories = tuple(map(str, range(table.shape[1])))
        return Counts(table, names, categories, clusters=np.arange(len(table)) // self.outputs)

    def truth(self) -> dict[str, float]:
        """Omega, agreement, AC1 and the share of the most frequent verdict."""
        rows = self.rows(np.random.default_rng(0), TRUTH // self.outputs)
        shares, agreement = rows.mean(axis=0), float((rows**2).sum(axis=1).mean())
        by_chance = float((shares * (1 - shares)).sum() / (len(shares) - 1))
        return {
            "omega": 1 - (1 - agreement) / (1 - float(shares @ shares)),
            "agreement": agreement,
            "gwet_ac1": (agreement - by_chance) / (1 - by_chance),
            "share": float(shares[0]),
        }


HALF = np.full(7, 0.03) + 0.79 * SKEWED
POPULATIONS = {
    "steady": Population(spread(SKEWED, 0.3)),
    "middling": Population(spread(SKEWED, 1.5)),
    "unsteady": Population(spread(SKEWED, 4.0)),
    "half settled": Population(settled(0.5, SKEWED, HALF)),
    "heavy non-response": Population(spread(SILENT, 1.5)),
    "near perfect": Population(spread(SKEWED, 0.0101)),
    "dominated, middling": Population(spread(DOMINATED, 1.5)),
    "dominated, steady": Population(spread(DOMINATED, 0.3)),
    "dominated, unsteady": Population(spread(DOMINATED, 5.0)),
    "two verdicts 88/12": Population(spread(np.array([0.88, 0.12]), 1.5)),
    "rare settled": Population(
        settled(0.1, np.array([0, 0.2, 0.2, 0.2, 0.2, 0.2]), np.array([0.935] + [0.013] * 5))
    ),
    "two verdicts 95/5": Population(spread(np.array([0.95, 0.05]), 1.5)),
    "linked replications": Population(spread(SKEWED, 1.5), replications=linked),
    "clusters of 3 outputs": Population(spread(SKEWED, 1.0), outputs=3),
}


def held(truth: float, found: Sequence[Estimate]) -> dict[str, float]:
    """How often intervals hold the truth, also with none as a miss, and their mean width."""
    low, high = np.array([one.ends for one in found if one.ends]).reshape(-1, 2).T
    # Ends that equal the truth but for rounding hold it.
    holds = (low - 1e-9 <= truth) & (truth <= high + 1e-9)
    covers = {"coverage": float(holds.mean()), "none a miss": float(holds.sum() / len(found))}
    return covers | {"width": float((high - low).mean())}


def coverage(studies: int) -> Iterator[dict[str, Any]]:
    """Omega and agreement in every population and design."""
    for name, population in POPULATIONS.items():
        truth = population.truth()
        for n, r in product(QUESTIONS, REPLICATIONS):
            generator = np.random.default_rng((n, r))
            tables = [population.study(generator, n, r) for _ in range(studies)]
            found = [panel(population.counts(t), ["omega", "agreement"]) for t in tables]
            for one in ("omega", "agreement"):
                known = {"population": f"{name} ({truth['omega']:.2f})", "coefficient": one}
                yield known | held(truth[one], [study[one] for study in found])


def by_population(found: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """One line a population: lowest and highest coverage over its designs, and the mean width."""
    for name in dict.fromkeys(one["population"] for one in found):
        line = {"population (omega)": name}
        for of in ("omega", "agreement"):
            own = [one for one in found if (one["population"], one["coefficient"]) == (name, of)]
            line[of] = _range(one["coverage"] for one in own)
            line[f"width of {of}"] = f"{np.mean([one['width'] for one in own]):.2f}"
        yield line


def _range(values: Iterable[float]) -> str:
    found = [*values]
    return f"{min(found):.3f}-{max(found):.3f}" if found else ""


def other_intervals(studies: int) -> Iterator[dict[str, Any]]:
    """Other coefficients of names, rates, the ICC of even and skewed questions, and A_LM."""
    lines: dict[str, dict[str, Any]] = {}
    for n, r in product((20, 55, 200), (5, 20)):
        for what, truth, estimate in _others(np.random.default_rng((n, r)), n, r):
            covers = held(truth, [estimate() for _ in range(studies)])["coverage"]
            lines.setdefault(what, {"interval": what})[f"N = {n}, R = {r}"] = covers
    yield from lines.values()


def _others(
    generator: Generator, n: int, r: int
) -> Iterator[tuple[str, float, Callable[[], Estimate]]]:
    """Name and truth of each, and what estimates it in a new study."""
    middling, dominated = POPULATIONS["middling"], POPULATIONS["dominated, steady"]
    rare = Population(settled(0.06, np.eye(2)[0], np.eye(2)[1]))
    even = Population(spread(np.array([0.04, 0.96]), 3.0))

    def counts(population: Population, n: int = n) -> Counts:
        return population.counts(population.study(generator, n, r))

    def numbers(draw: str, variance: float) -> Cells:
        levels = getattr(generator, draw)(size=(n, 1))
        return Cells.of_numbers(levels + generator.standard_normal((n, r)) * np.sqrt(variance))

    yield "gwet_ac1, middling", middling.truth()["gwet_ac1"], lambda: gwet_ac1(counts(middling))
    for one in (fleiss_kappa, brennan_prediger):
        truth = one(counts(dominated, ENDLESS)).value or 0.0
        yield f"{one.name}, dominated", truth, lambda one=one: one(counts(dominated))
    yield "rate, 6% always silent", 0.06, lambda: rate(counts(rare), "0")
    yield "rate, 4% silent, all differ", 0.04, lambda: rate(counts(even), "0")
    skewed = {"standard_normal": 1.0, "standard_exponential": 1.0, "lognormal": (np.e - 1) * np.e}
    for draw, variance in skewed.items():
        name = f"icc, {draw.removeprefix('standard_')} questions"
        yield name, 0.5, lambda of=(draw, variance): icc(numbers(*of))
    yield "a_lm, 4% correct", 0.04, lambda: correct(generator, n, r)


def correct(generator: Generator, n: int, r: int) -> Estimate:
    """The share judged correct where it is .04 of all answers, and questions differ."""
    chances = generator.dirichlet([0.04, 0.96], n)[:, :1]
    right = (generator.random((n, r)) < chances).sum(axis=1)
    names = tuple(map(str, range(n)))
    return rate(Counts(np.stack([right, r - right], axis=1), names, ("correct", "not")), "correct")


TEN = np.arange(1, 11)


def scores(
    middle: float, spread: float, steady: float, wild: float = 0, wide: float = 3, bad: float = 0
) -> Population:
    """Scores from 1 to 10: normal questions, a few with wild verdicts, a few of another level.

    Args:
        middle: Mean of the questions.
        spread: Their standard deviation.
        steady: Standard deviation of the verdicts on a question.
        wild: Share of questions on which it is `wide`.
        wide: Theirs.
        bad: Share of questions whose mean is 3.
    """

    def draw(generator: Generator, n: int) -> Array:
        at = generator.normal(middle, spread, n)
        at = np.where(generator.random(n) < bad, generator.normal(3, 1, n), at).clip(1, 10)
        within = np.where(generator.random(n) < wild, wide, steady)
        chances = np.exp(-(((TEN - at[:, None]) / within[:, None]) ** 2) / 2) + 1e-12
        return chances / chances.sum(axis=1, keepdims=True)

    return Population(draw)


def few(share: float, *own: float) -> Population:
    """Questions on which the judge wavers between verdicts, but for a few that are settled."""
    shares = np.array(own) / sum(own)
    return Population(settled(share, np.full(len(own), 1 / len(own)), shares))


CHOSEN = {
    "12% settled of 3": few(0.12, 0.4, 0.35, 0.25),
    "5% settled of 3": few(0.05, 0.4, 0.35, 0.25),
    "25% settled of 3": few(0.25, 0.4, 0.35, 0.25),
    "93% settled of 3": few(0.93, 0.5, 0.3, 0.2),
    "scores, 5% wild": scores(6.5, 1.5, 0.6, wild=0.05),
    "scores, 15% wild": scores(6.5, 1.5, 0.5, wild=0.15),
    "scores at the ceiling": scores(9.5, 1, 0.7),
    "scores, 8% bad": scores(9, 0.5, 0.7, bad=0.08),
}
"""Populations that weights of added questions were chosen on."""

OTHERS = {
    "8% settled of 5": few(0.08, 0.3, 0.25, 0.2, 0.15, 0.1),
    "4% settled of 10": few(0.04, *[0.1] * 10),
    "35% settled of 4": few(0.35, 0.28, 0.26, 0.24, 0.22),
    "95% settled of 2": few(0.95, 0.5, 0.5),
    "2% settled of 4": few(0.02, 0.3, 0.3, 0.2, 0.2),
    "all sizes of 3": Population(spread(np.array([0.6, 0.3, 0.1]), 0.8)),
    "scores, 2% wild": scores(6.5, 2, 0.5, wild=0.02),
    "scores, 10% wild": scores(6.5, 1.2, 0.7, wild=0.1, wide=2.5),
    "scores, 7% far wilder": scores(5, 1.8, 0.4, wild=0.07, wide=4),
    "scores, half wilder": scores(6, 1.5, 0.5, wild=0.5, wide=1.2),
    "scores above the ceiling": scores(9.8, 1.3, 0.6),
    "scores, 12% bad": scores(8.5, 0.5, 0.9, bad=0.12),
    "scores, 5% bad": scores(9, 0.5, 0.7, bad=0.05),
    "scores, 2% bad": scores(9, 0.5, 0.7, bad=0.02),
}
"""Populations that nothing was chosen on."""

HELD_QUESTIONS, HELD_REPLICATIONS = (20, 30, 60, 150), (2, 8, 20)


def held_out(studies: int) -> Iterator[dict[str, Any]]:
    """Agreement, and ICC of scores; a study without an interval holds nothing."""
    for which, populations in (("yes", CHOSEN), ("no", OTHERS)):
        for name, population in populations.items():
            large = population.rows(np.random.default_rng(0), TRUTH)
            truth = {"agreement": float((large**2).sum(axis=1).mean())}
            if large.shape[1] == len(TEN) and "scores" in name:
                means = large @ TEN
                within = float((large @ TEN**2 - means**2).mean())
                truth["icc"] = float(1 - within / (within + means.var()))
            covers: dict[str, dict[int, list[float]]] = {"agreement": {}, "icc": {}}
            for n, r in product(HELD_QUESTIONS, HELD_REPLICATIONS):
                generator = np.random.default_rng((5, n, r))
                tables = [population.study(generator, n, r) for _ in range(studies)]
                for one, value in truth.items():
                    found = held(value, [_estimated(one, table) for table in tables])
                    covers[one].setdefault(n, []).append(found["none a miss"])
            line = {"population": name, "weights were chosen on it": which}
            for title, one, fewest in (
                ("agreement", "agreement", 0),
                ("ICC", "icc", 0),
                ("ICC, N >= 30", "icc", 30),
            ):
                line[title] = _range(
                    x for n, own in covers[one].items() if n >= fewest for x in own
                )
            yield line


def _estimated(name: str, table: Table) -> Estimate:
    names = tuple(map(str, range(1, 1 + table.shape[1])))
    values = tuple(map(float, names)) if name == "icc" else None
    questions = tuple(map(str, range(len(table))))
    return panel(Cells(table, questions, names, values=values), [name])[name]


LONGEST = 320
"""Questions of the longest study of a gate."""

LOOKS = {"one look at 40": (40,), "95% interval, 16 looks": range(20, LONGEST + 1, 20)}


def decisions(studies: int) -> Iterator[dict[str, Any]]:
    """Gates at the limit and around it: one look, one after each 20 questions, any time."""
    for name in ("middling", "steady", "near perfect", "dominated, middling"):
        truth = POPULATIONS[name].truth()["omega"]
        for distance in (-0.15, 0.0, 0.15):
            limit = truth + distance
            if 0 < limit < 1:
                yield from _errors(
                    {"population": name, "limit less truth": distance},
                    _asked(POPULATIONS[name], studies),
                    lambda c, limit=limit: within_limit(omega(c), at_least=limit),
                    lambda c, limit=limit: anytime_omega(c, limit),
                )
    silent = Population(settled(0.06, np.eye(2)[0], np.eye(2)[1]))
    for limit in (0.05, 0.06, 0.15):
        yield from _errors(
            {"population": "6% always silent", "limit less truth": limit - 0.06},
            _asked(silent, studies),
            lambda c, limit=limit: within_limit(rate(c, "0"), at_most=limit),
            lambda c, limit=limit: anytime_share(question_rates(c, "0")[0], limit),
        )


def _asked(population: Population, studies: int) -> list[Counts]:
    generator = np.random.default_rng(1)
    return [population.counts(population.study(generator, LONGEST, 10)) for _ in range(studies)]


def _errors(
    of: dict[str, Any],
    asked: Sequence[Counts],
    decide: Callable[[Counts], str],
    anytime: Callable[[Counts], Decision],
) -> Iterator[dict[str, Any]]:
    """Shares of studies that pass and fail by each rule, and the questions that it looks at."""

    def looked(counts: Counts, looks: Iterable[int]) -> tuple[str, int]:
        for n in looks:
            result = decide(counts.rows(range(n)))
            if result != OPEN:
                break
        return result, n

    found = {rule: [looked(one, looks) for one in asked] for rule, looks in LOOKS.items()}
    evidence = [anytime(one) for one in asked]
    found["--anytime"] = [(one.result, one.decided_after or one.n_questions) for one in evidence]
    for rule, decided in found.items():
        results, questions = zip(*decided, strict=True)
        yield (
            {"rule": rule}
            | of
            | {
                "passes": float(np.mean([result == PASSES for result in results])),
                "fails": float(np.mean([result not in (PASSES, OPEN) for result in results])),
                "questions": float(np.mean(questions)),
            }
        )


def comparisons(studies: int) -> Iterator[dict[str, Any]]:
    """Judges of one omega: how often some pair is said to differ.

    They have the same chances, or every second one those of other questions of another population.
    """
    kinds = [(name,) for name in ("middling", "steady", "dominated, middling")]
    for names in (*kinds, ("middling", "two verdicts 88/12")):
        for judges in JUDGES:
            for n in COMPARED:
                generator, together = np.random.default_rng((3, n)), []
                for _ in range(studies):
                    chances = [POPULATIONS[name].chances(generator, n) for name in names]
                    given = {}
                    for j in range(judges):
                        table = generator.multinomial(10, chances[j % len(names)])
                        table = np.pad(table, ((0, 0), (0, len(SKEWED) - table.shape[1])))
                        given[str(j)] = {"": POPULATIONS["middling"].counts(table)}
                    together.append(any(map(_differs, compare_all(given))))
                yield {
                    "population": " and ".join(names),
                    "judges": judges,
                    "n": n,
                    "some pair differs": float(np.mean(together)),
                }


def _differs(found: Any) -> bool:
    return found.low is not None and not found.low <= 0 <= found.high


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="an eighth of the studies")
    parser.add_argument("--held", action="store_true", help="of agreement and ICC only")
    arguments = parser.parse_args()

    def studies(full: int) -> int:
        return max(2, round((QUICK if arguments.quick else 1.0) * full))

    designs = len(HELD_QUESTIONS) * len(HELD_REPLICATIONS)
    show(f"Lowest and highest coverage of {designs} designs", held_out(studies(2000)))
    if arguments.held:
        return
    found = list(coverage(studies(400)))
    designs = len(QUESTIONS) * len(REPLICATIONS)
    show(f"Lowest and highest coverage of {designs} designs, mean width", by_population(found))
    show("Other intervals: coverage", other_intervals(studies(400)))
    show("Decisions: shares of studies", decisions(studies(200)))
    equal_judges = "Judges of one omega: share of studies in which some pair differs"
    show(equal_judges, comparisons(studies(200)))


if __name__ == "__main__":
    main()
