"""Do the intervals cover, and do decisions keep their promises? Simulation with known truth.

    python bench/coverage.py [--quick] [--held] [--json]

Questions are drawn from a population: each has chances of the verdicts, and its replications are
drawn from those chances. The truth is that of 400,000 questions of the population, with all
chances known. What is estimated comes from the package as a user calls it, but for "before": the
jackknife on the scale log(1 - x) with the weights of the analysis of variance, which the package
had at first. In full it takes half an hour of one core.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from inspect_reliability.answers import analyse
from inspect_reliability.judgments import judgments_from_frame
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
from inspect_reliability.stats.decisions import (
    OPEN,
    PASSES,
    anytime_omega,
    anytime_share,
    within_limit,
)
from inspect_reliability.stats.planning import precision

Array = NDArray[np.float64]
Table = NDArray[np.int64]
Generator = np.random.Generator

QUESTIONS = (5, 8, 12, 20, 27, 55, 200)
REPLICATIONS = (2, 5, 20, 100)
QUICK = 0.125
"""Share of the studies with `--quick`."""
TRUTH = 400_000
"""Questions of which the truth is that of the population."""
ENDLESS = 100_000
"""Replications that stand for all."""
WANTED = (0.94, 0.97)
"""Coverage of 95% intervals that is aimed at, from 20 questions on."""

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


@dataclass(frozen=True)
class Coverage:
    """How one method did on one coefficient in one design.

    Attributes:
        population: Name of the population.
        n: Questions of a study.
        r: Replications of each question.
        coefficient: Name of the coefficient.
        truth: Its true value.
        method: "before" or "after".
        coverage: Share of the intervals that hold the truth.
        width: Their mean width.
        none: Share of the studies without an interval, which count in no other figure.
        studies: Studies simulated.
    """

    population: str
    n: int
    r: int
    coefficient: str
    truth: float
    method: str
    coverage: float
    width: float
    none: float
    studies: int

    @classmethod
    def of(
        cls, where: tuple[str, int, int], name: str, truth: float, method: str, ends: Array
    ) -> "Coverage":
        """From ends [S, 2], NaN where there is no interval."""
        known = ends[~np.isnan(ends).any(axis=1)]
        low, high = known.T
        # Ends that equal the truth but for rounding hold it.
        held = float(np.mean((low - 1e-9 <= truth) & (truth <= high + 1e-9)))
        width, none = float((high - low).mean()), 1 - len(known) / len(ends)
        return cls(*where, name, truth, method, held, width, none, len(ends))


def before(tables: Table, outputs: int) -> dict[str, Array]:
    """Omega and agreement of studies [S, rows, K] with log-scale jackknife intervals [S, 2]."""
    s, rows, _ = tables.shape
    n, per = rows // outputs, tables.sum(axis=-1).astype(float)
    squares = (tables.astype(float) ** 2).sum(axis=-1)
    differ = 1 - (squares - per) / (per * (per - 1))
    parts = np.stack([per, per**2, per - squares / per, differ], axis=-1)
    parts = np.concatenate([parts, tables], axis=-1).reshape(s, n, outputs, -1).sum(axis=2)

    def values(sums: Array, rows: int) -> dict[str, Array]:
        verdicts, of_squares, within, disagreement = np.moveaxis(sums[..., :4], -1, 0)
        among = verdicts - within - (sums[..., 4:] ** 2).sum(axis=-1) / verdicts
        between, within = among / (rows - 1), within / (verdicts - rows)
        size = (verdicts - of_squares / verdicts) / (rows - 1)
        found = (between - within) / (between + (size - 1) * within)
        return {"omega": found, "agreement": 1 - disagreement / rows}

    total = parts.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        whole = values(total, rows)
        without = values(total[:, None] - parts, rows - outputs)
        t, ends = stats.t.ppf(0.975, n - 1), {}
        shares = total[:, 4:] / total[:, :1]
        any_two = n / (n - 1) * (1 - (shares**2).sum(axis=-1))
        bound = 1 - 0.025 ** (1 / n)
        for name, x in whole.items():
            left = without[name]
            error = np.sqrt((n - 1) / n * ((left - left.mean(axis=1)[:, None]) ** 2).sum(axis=1))
            factor = np.exp(t * error / (1 - x))
            low, high = 1 - (1 - x) * factor, 1 - (1 - x) / factor
            constant = total[:, 2] <= 1e-9
            sure = np.where(any_two > 1e-9, 1 - bound / any_two, np.nan)
            low = np.where(constant, sure if name == "omega" else 1 - bound, low)
            low = np.maximum(low, -1 / (per.mean() - 1) if name == "omega" else 0)
            ends[name] = np.stack([low, np.where(constant, 1.0, high)], axis=-1)
    return ends


def ends_of(found: Iterable[Estimate]) -> Array:
    """Ends [S, 2], NaN where there is no interval."""
    none = np.nan
    return np.array([(none, none) if e.low is None else (e.low, e.high) for e in found], float)


def coverage(studies: int) -> Iterator[Coverage]:
    """Omega and agreement, before and after, in every population and design."""
    for name, population in POPULATIONS.items():
        truth = population.truth()
        for n in QUESTIONS:
            for r in REPLICATIONS:
                generator, where = np.random.default_rng((n, r)), (name, n, r)
                tables = [population.study(generator, n, r) for _ in range(studies)]
                old = before(np.array(tables), population.outputs)
                new = [panel(population.counts(t), ["omega", "agreement"]) for t in tables]
                for one in ("omega", "agreement"):
                    found = ends_of(study[one] for study in new)
                    yield Coverage.of(where, one, truth[one], "before", old[one])
                    yield Coverage.of(where, one, truth[one], "after", found)


def other_intervals(studies: int) -> Iterator[Coverage]:
    """Other coefficients of names, rates, the ICC of even and skewed questions, and A_LM."""
    middling, rare = POPULATIONS["middling"], Population(settled(0.06, np.eye(2)[0], np.eye(2)[1]))
    even, dominated = (
        Population(spread(np.array([0.04, 0.96]), 3.0)),
        POPULATIONS["dominated, steady"],
    )
    for n in (20, 55, 200):
        for r in (5, 20):
            generator = np.random.default_rng((n, r))

            def ends(
                of: Callable[[], Estimate],
                name: str,
                truth: float,
                what: str,
                n: int = n,
                r: int = r,
            ) -> Coverage:
                found = ends_of(of() for _ in range(studies))
                return Coverage.of((what, n, r), name, truth, "after", found)

            def counts(population: Population, n: int = n, r: int = r) -> Counts:
                return population.counts(population.study(generator, n, r))  # noqa: B023

            ac1 = middling.truth()["gwet_ac1"]
            yield ends(lambda: gwet_ac1(counts(middling)), "gwet_ac1", ac1, "middling")
            for one in (fleiss_kappa, brennan_prediger):
                truth = one(counts(dominated, ENDLESS)).value
                of = ends(lambda one=one: one(counts(dominated)), one.name, truth, "dominated")
                yield of
            yield ends(lambda: rate(counts(rare), "0"), "rate", 0.06, "6% always silent")
            yield ends(lambda: rate(counts(even), "0"), "rate", 0.04, "4% silent, all differ")
            for draw, variance in (
                ("standard_normal", 1.0),
                ("standard_exponential", 1.0),
                ("lognormal", (np.e - 1) * np.e),
            ):

                def numbers(
                    draw: str = draw, variance: float = variance, n: int = n, r: int = r
                ) -> Cells:
                    levels = getattr(generator, draw)(size=(n, 1))  # noqa: B023
                    noise = generator.standard_normal((n, r)) * np.sqrt(variance)  # noqa: B023
                    return Cells.of_numbers(levels + noise)

                what = f"{draw.removeprefix('standard_')} questions"
                yield ends(lambda of=numbers: icc(of()), "icc", 0.5, what)
            yield ends(lambda: correct(generator, n, r), "a_lm", 0.04, "4% correct")  # noqa: B023


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


def held_out(studies: int) -> Iterator[Coverage]:
    """Agreement, and ICC of scores; a study without an interval holds nothing."""
    for which, populations in (("chosen", CHOSEN), ("others", OTHERS)):
        for name, population in populations.items():
            large = population.rows(np.random.default_rng(0), TRUTH)
            truth = {"agreement": float((large**2).sum(axis=1).mean())}
            if large.shape[1] == len(TEN) and "scores" in name:
                means = large @ TEN
                within = float((large @ TEN**2 - means**2).mean())
                truth["icc"] = float(1 - within / (within + means.var()))
            for n in HELD_QUESTIONS:
                for r in HELD_REPLICATIONS:
                    generator = np.random.default_rng((5, n, r))
                    tables = [population.study(generator, n, r) for _ in range(studies)]
                    for one, value in truth.items():
                        found = ends_of(_estimated(one, table) for table in tables)
                        found = np.where(np.isnan(found), 2.0, found)
                        yield Coverage.of((name, n, r), one, value, which, found)


def _estimated(name: str, table: Table) -> Estimate:
    names = tuple(map(str, range(1, 1 + table.shape[1])))
    values = tuple(map(float, names)) if name == "icc" else None
    questions = tuple(map(str, range(len(table))))
    return panel(Cells(table, questions, names, values=values), [name])[name]


@dataclass(frozen=True)
class Errors:
    """How often a decision is wrong.

    Attributes:
        rule: What decides.
        population: What is decided about.
        limit: The limit, less the truth.
        passes: Share of studies that pass.
        fails: Share of studies that fail.
        questions: Mean number of questions looked at.
    """

    rule: str
    population: str
    limit: float
    passes: float
    fails: float
    questions: float


LONGEST = 320
"""Questions of the longest study of a gate."""

Verdict = tuple[str, int]


def decisions(studies: int) -> Iterator[Errors]:
    """Gates at the limit and around it: one look, one after each 20 questions, any time."""

    def looks(
        counts: Counts, at: Iterable[int], level: float, of: Callable[[Counts, float], str]
    ) -> Verdict:
        for n in at:
            result = of(counts.rows(range(n)), level)
            if result != OPEN:
                break
        return result, n

    def rules(
        of: Callable[[Counts, float], str], anytime: Callable[[Counts], Any]
    ) -> dict[str, Callable[[Counts], Verdict]]:
        def always(counts: Counts) -> Verdict:
            found = anytime(counts)
            return found.result, found.decided_after or found.n_questions

        return {
            "one look at 40": lambda c: looks(c, (40,), 0.95, of),
            "95% interval, 16 looks": lambda c: looks(c, range(20, 321, 20), 0.95, of),
            "--anytime": always,
        }

    for name in ("middling", "steady", "near perfect", "dominated, middling"):
        population = POPULATIONS[name]
        truth = population.truth()["omega"]
        for distance in (-0.15, 0.0, 0.15):
            limit = truth + distance
            if not 0 < limit < 1:
                continue
            found = rules(
                lambda c, level, limit=limit: within_limit(omega(c, level), at_least=limit),
                lambda c, limit=limit: anytime_omega(c, limit),
            )
            yield from _errors(found, name, distance, population, studies)
    silent = Population(settled(0.06, np.eye(2)[0], np.eye(2)[1]))
    for limit in (0.05, 0.06, 0.15):
        found = rules(
            lambda c, level, limit=limit: within_limit(rate(c, "0", level), at_most=limit),
            lambda c, limit=limit: anytime_share(question_rates(c, "0")[0], limit),
        )
        yield from _errors(found, "6% always silent", limit - 0.06, silent, studies)


def _errors(
    rules: dict[str, Callable[[Counts], Verdict]],
    name: str,
    distance: float,
    population: Population,
    studies: int,
) -> Iterator[Errors]:
    generator = np.random.default_rng(1)
    asked = [population.counts(population.study(generator, LONGEST, 10)) for _ in range(studies)]
    for rule, decide in rules.items():
        results, questions = zip(*(decide(counts) for counts in asked), strict=True)
        passed = float(np.mean([result == PASSES for result in results]))
        failed = float(np.mean([result not in (PASSES, OPEN) for result in results]))
        yield Errors(rule, name, distance, passed, failed, float(np.mean(questions)))


def plans(studies: int) -> Iterator[dict[str, Any]]:
    """The share of planned studies that reach their half-width, and how often the range is right.

    The range is right where it holds the number that the population needs, from a pilot of 2,000.
    """
    for name in ("steady", "middling", "unsteady", "half settled", "dominated, middling"):
        population, generator = POPULATIONS[name], np.random.default_rng(2)
        large = precision(population.counts(population.study(generator, 2_000, 10)))
        needed = large.design(0.1, 10, 0.5).n_questions
        for assurance in (0.5, 0.8):
            reached, right, asked = [], [], []
            for _ in range(studies):
                pilot = precision(population.counts(population.study(generator, 27, 10)))
                if pilot.reason:
                    continue
                design = pilot.design(0.1, 10, assurance)
                asked.append(design.n_questions)
                right.append(design.fewest <= needed <= design.most)
                if design.n_questions > 3_000:
                    reached.append(True)
                    continue
                study = omega(population.counts(population.study(generator, asked[-1], 10)))
                assert study.low is not None
                assert study.high is not None
                reached.append((study.high - study.low) / 2 <= 0.1)
            yield {
                "population": name,
                "assurance": assurance,
                "questions": float(np.median(asked)),
                "reached": float(np.mean(reached)),
                "range_right": float(np.mean(right)),
            }


def comparisons(studies: int) -> Iterator[dict[str, Any]]:
    """Judges of one omega: how often some pair is said to differ.

    They have the same chances, or every second one those of other questions of another population.
    """
    kinds = [(name,) for name in ("middling", "steady", "dominated, middling")]
    for names in (*kinds, ("middling", "two verdicts 88/12")):
        for judges in (2, 6):
            for n in (20, 55):
                generator, single, together = np.random.default_rng((3, n)), [], []
                for _ in range(studies):
                    chances = [POPULATIONS[name].chances(generator, n) for name in names]
                    given = {}
                    for j in range(judges):
                        table = generator.multinomial(10, chances[j % len(names)])
                        table = np.pad(table, ((0, 0), (0, len(SKEWED) - table.shape[1])))
                        given[str(j)] = {"": POPULATIONS["middling"].counts(table)}
                    together.append(any(map(_differs, compare_all(given))))
                    pairs = (compare_all(dict(pair))[0] for pair in combinations(given.items(), 2))
                    single.append(any(map(_differs, pairs)))
                yield {
                    "population": " and ".join(names),
                    "judges": judges,
                    "n": n,
                    "pair_by_pair": float(np.mean(single)),
                    "simultaneous": float(np.mean(together)),
                }


def _differs(found: Any) -> bool:
    return found.low is not None and not found.low <= 0 <= found.high


def cautions(studies: int) -> Iterator[dict[str, Any]]:
    """How often each caution is shown in sound studies.

    Twenty questions or more, of which some vary; options shuffled between questions; a seed for
    every judgment, and a seed check that has seen the judge vary; as many replications for every
    question, or a number that has nothing to do with its verdicts.
    """
    shown: Counter[str] = Counter()
    n_studies = 0
    names = ("steady", "middling", "near perfect", "dominated, middling", "two verdicts 95/5")
    for name in names:
        for n, unequal in ((20, False), (55, False), (27, True)):
            generator = np.random.default_rng((4, n))
            for _ in range(studies):
                table = POPULATIONS[name].study(generator, n, 8)
                rows = [
                    {
                        "question": f"q{q}",
                        "replication": r,
                        "verdict": "ABCDEFG"[k],
                        "order": tuple(generator.permutation(list("abcdefg")).tolist())
                        if r == 0
                        else None,
                        "seed": 100 * q + r,
                        "seed_check": "honoured",
                    }
                    for q, row in enumerate(table)
                    for r, k in enumerate(generator.permutation(np.repeat(range(len(row)), row)))
                    if not unequal or r < 4 + q % 5
                ]
                frame = pd.DataFrame(rows)
                frame["order"] = frame.groupby("question")["order"].transform("first")
                made = judgments_from_frame(frame, judge="j", benchmark="b", temperature=1.0)
                (row,) = analyse(made).results["rows"]
                shown.update({" ".join(text.split()[:7]) for text in row["cautions"]})
                n_studies += 1
    yield {"caution": "(sound studies)", "shown": n_studies}
    for text, times in shown.most_common():
        yield {"caution": text, "shown": times / n_studies}


def print_coverage(found: list[Coverage]) -> None:
    """Every cell, then one line a population from 20 questions on."""
    cells = {(c.population, c.n, c.r, c.coefficient, c.method): c for c in found}
    for name in POPULATIONS:
        truth = cells[name, 20, 5, "omega", "before"].truth
        print(f"\n{name}: omega {truth:.2f}, coverage of its 95% interval before / after")
        print("   N" + "".join(f"{f'R = {r}':>15}" for r in REPLICATIONS))
        for n in QUESTIONS:
            pairs = [
                [cells[name, n, r, "omega", method].coverage for method in ("before", "after")]
                for r in REPLICATIONS
            ]
            print(f"{n:4}" + "".join(f"{old:9.3f} {new:.3f}" for old, new in pairs))
    print(
        f"\nN >= 20: lowest and highest coverage of {len(REPLICATIONS) * 4} designs, mean width\n"
    )
    print(
        "| population (omega) | omega before | after | width | agreement before | after | width |"
    )
    print("|---|---|---|---|---|---|---|")
    for name in POPULATIONS:
        line = [f"{name} ({cells[name, 20, 5, 'omega', 'before'].truth:.2f})"]
        for one in ("omega", "agreement"):
            widths = []
            for method in ("before", "after"):
                chosen = [
                    c
                    for c in found
                    if (c.population, c.coefficient, c.method) == (name, one, method) and c.n >= 20
                ]
                covers = [c.coverage for c in chosen]
                line.append(f"{min(covers):.3f}-{max(covers):.3f}")
                widths.append(f"{np.mean([c.width for c in chosen]):.2f}")
            line.append(" -> ".join(widths))
        print("| " + " | ".join(line) + " |")
    for method in ("before", "after"):
        of = [c for c in found if (c.coefficient, c.method) == ("omega", method) and c.n >= 20]
        error = 2 * np.sqrt(0.95 * 0.05 / of[0].studies)
        below = np.mean([c.coverage < WANTED[0] - error for c in of])
        above = np.mean([c.coverage > WANTED[1] + error for c in of])
        print(
            f"\nomega {method}: {below:.0%} of the designs below {WANTED[0]} and {above:.0%} above "
            f"{WANTED[1]}, by more than two standard errors of the simulation ({error / 2:.3f})"
        )


def print_other(found: list[Coverage]) -> None:
    """One line an interval, one column a design."""
    designs = list(dict.fromkeys((c.n, c.r) for c in found))
    print("\nOther intervals: coverage\n")
    print("| interval | " + " | ".join(f"N = {n}, R = {r}" for n, r in designs) + " |")
    print("|---" * (len(designs) + 1) + "|")
    for name, what in dict.fromkeys((c.coefficient, c.population) for c in found):
        cells = [c.coverage for c in found if (c.coefficient, c.population) == (name, what)]
        print(f"| {name}, {what} | " + " | ".join(f"{x:.3f}" for x in cells) + " |")


def print_held_out(found: list[Coverage]) -> None:
    """One line a population: lowest and highest coverage over its designs."""
    designs = len({(c.n, c.r) for c in found})
    print(f"\nLowest and highest coverage of {designs} designs, N = 20 to 150, R = 2 to 20\n")
    print("| population | weights were chosen on it | agreement | ICC | ICC, N >= 30 |")
    print("|---|---|---|---|---|")
    for name, which in dict.fromkeys((c.population, c.method) for c in found):
        line = [name, "yes" if which == "chosen" else "no"]
        for one, fewest in (("agreement", 0), ("icc", 0), ("icc", 30)):
            covers = [
                c.coverage
                for c in found
                if (c.population, c.coefficient) == (name, one) and c.n >= fewest
            ]
            line.append(f"{min(covers):.3f}-{max(covers):.3f}" if covers else "")
        print("| " + " | ".join(line) + " |")


def print_records(title: str, records: list[dict[str, Any]]) -> None:
    """A Markdown table of records."""
    print(f"\n{title}\n")
    print("| " + " | ".join(name.replace("_", " ") for name in records[0]) + " |")
    print("|---" * len(records[0]) + "|")
    for record in records:
        cells = [f"{v:.3f}" if isinstance(v, float) else str(v) for v in record.values()]
        print("| " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="an eighth of the studies")
    parser.add_argument("--held", action="store_true", help="of agreement and ICC only")
    parser.add_argument("--json", action="store_true", help="print every figure as JSON")
    arguments = parser.parse_args()
    share = QUICK if arguments.quick else 1.0

    def studies(full: int) -> int:
        return max(2, round(share * full))

    held = list(held_out(studies(2000)))
    if arguments.held:
        print_held_out(held)
        return
    intervals, others = list(coverage(studies(400))), list(other_intervals(studies(400)))
    tables = {
        "Decisions: shares of studies, limit less truth": [
            asdict(e) for e in decisions(studies(200))
        ],
        "Plans of half-width .1, from pilots of 27 questions": list(plans(studies(100))),
        "Judges of one omega: share of studies in which some pair differs": list(
            comparisons(studies(200))
        ),
        "Cautions shown in sound studies": list(cautions(studies(30))),
    }
    if arguments.json:
        found = [[asdict(c) for c in part] for part in (intervals, others, held)]
        parts = dict(zip(("coverage", "other", "held"), found, strict=True))
        json.dump({**parts, **tables}, sys.stdout, indent=1)
        return
    print_coverage(intervals)
    print_other(others)
    print_held_out(held)
    for title, records in tables.items():
        print_records(title, records)


if __name__ == "__main__":
    main()
