"""Do intervals and rank sets of rankings hold the truth, and is another try what it is said to be?

    python bench/rankings.py [--quick] [--file FILE]

Simulated judges grade systems on questions of a population, in two orders, with two tries each.
Questions, judges, judges by questions, orders and tries move the chance of a win, by so much that
the truth is known. It prints how often intervals over questions and over judges hold it, those of
a bootstrap of rows beside them; how often rank sets hold all true ranks; the bias of what another
try changes; how often no two of equal systems are told apart, and others are; coverage of shares
near 1, by the judge and corrected by labels; how often studies of a planned size tell two systems
apart; and seconds and MB of `rank` on large files. With --file it prints intervals from resampled
rows beside ours for a file of pairs, such as `examples/pairs.parquet`.
"""

import argparse
import resource
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from click.testing import CliRunner
from numpy.typing import NDArray

from _tables import show
from inspect_reliability.cli import main as command
from inspect_reliability.ranking.leaderboards import leaderboards
from inspect_reliability.ranking.plan import RankPower, Size
from inspect_reliability.ranking.ranking_labels import LabelledShares, corrected_ranking
from inspect_reliability.ranking.scores import Contests, ranking
from inspect_reliability.ranking.stability import rank_stability
from inspect_reliability.ranking.systems import judgments_on_systems, verdicts_on_systems

Array = NDArray[np.float64]
Generator = np.random.Generator

STUDIES = 400
QUICK = 0.1
"""Share of the studies with `--quick`."""
QUESTIONS = (40, 200, 800)
JUDGES = (5, 10)
SYSTEMS, ORDERS, TRIES = 6, 2, 2
SURVIVED = 100
"""Studies of what another try changes, and fresh tries of each."""
EQUALS = 200
"""Studies of equal systems, and of labels."""
FRESH = 400
OTHERS = 300
"""Studies of other questions by the same judge, whose mean an interval should hold."""
BOOTSTRAPS = 200
LARGE = {
    "58 systems x 805": (58, 805, 1),
    "200 systems x 1,000 x 2 orders": (200, 1000, 2),
    "500 systems x 1,000": (500, 1000, 0),
}
"""Systems, questions and orders of pairs with a baseline; without orders, systems have scores."""
EQUAL = [
    *product(("normal", "right or wrong"), (3, 10, 20, 40), (8, 15, 30), (1,)),
    *product(("normal", "right or wrong"), (40,), (100,), (1,)),
    *product(("exponential", "correlated"), (20,), (8, 15, 30), (1,)),
    *product(("exponential", "correlated"), (40,), (100,), (1,)),
    *product(("normal", "right or wrong"), (3, 10, 20), (20,), (5, 10)),
]
"""Population, systems, questions and judges; several judges are those of `--over judge`."""
APART = 1.5
"""Standard deviations by which every second system is better where they differ."""
NEAR_ONE = list(product((0.8, 0.95, 0.98), (8, 15, 30, 100)))
LABELLED = list(product((0.8, 0.95, 0.98), (12, 30, 100)))
"""Rate of a system, and its labels among 400 questions."""
PLANNED = [
    ("few questions", (0.02, 0.1, 0.0, 0.0)),
    ("judges", (0.05, 0.05, 0.05, 0.0)),
    ("judges and questions", (0.05, 0.3, 0.1, 0.3)),
    ("tries", (0.0, 0.1, 0.1, 0.4)),
]
"""Standard deviations over judges, questions, both, and tries, of each system."""
PILOT = Size(200, 2, 8)
DIFFERENCE = 0.08
SPREAD = {"question": 0.2, "judge": 0.06, "both": 0.08, "order": 0.05}
"""Half the range of each effect on the chance of a win; all are uniform."""

MIDDLE = np.linspace(0.42, 0.58, SYSTEMS)


def uniform(rng: Generator, name: str, *shape: int) -> Array:
    return rng.uniform(-SPREAD[name], SPREAD[name], shape)


def of_judges(judges: int, rng: Generator) -> tuple[Array, Array]:
    """What judges add to each system, and to the first of each order."""
    of_judge = uniform(rng, "judge", 1, SYSTEMS, judges, 1)
    return of_judge, uniform(rng, "order", 1, 1, judges, 1) * np.array([1.0, -1.0])


def asked(n: int, known: tuple[Array, Array], rng: Generator) -> Array:
    """Chances of a win on so many questions by these judges, [question, system, judge, order]."""
    of_judge, order = known
    own = uniform(rng, "question", n, SYSTEMS, 1, 1)
    own = own + uniform(rng, "both", n, SYSTEMS, of_judge.shape[2], 1)
    return MIDDLE[:, None, None] + own + of_judge + order


def chances(n: int, judges: int, rng: Generator) -> tuple[Array, Array]:
    """Chances of a win, [question, system, judge, order], and what judges add to each system."""
    known = of_judges(judges, rng)
    return asked(n, known, rng), known[0][0, :, :, 0]


def contests_of(won: Array) -> tuple[Contests, NDArray[np.int64]]:
    """Scores [question, system, judge, order, try] as contests, with the judge of each."""
    q, s, j, _, _ = np.indices(won.shape).reshape(5, -1)
    cell = np.indices(won.shape[:4]).reshape(4, -1)
    number = np.ravel_multi_index(tuple(cell), won.shape[:4])
    return Contests(q, s[:, None], won.reshape(-1, 1), np.repeat(number, won.shape[4]), SYSTEMS), j


def drawn_from(chance: Array, tries: int, rng: Generator) -> Array:
    return (rng.random((*chance.shape, tries)) < chance[..., None]).astype(float)


def holds(found: Any, truth: Array) -> tuple[Array, bool]:
    """Whether each interval holds the truth, and rank sets hold all true ranks."""
    low, high = found.rank_set.T
    ranks = 1 + (truth[None, :] > truth[:, None]).sum(axis=1)
    within = (found.ends[:, 0] <= truth) & (truth <= found.ends[:, 1])
    return within, bool(((low <= ranks) & (ranks <= high)).all())


def of_rows(won: Array, rng: Generator) -> tuple[Array, Array]:
    """Percentiles of scores when rows are resampled."""
    rows = won.swapaxes(0, 1).reshape(SYSTEMS, -1)
    n = rows.shape[1]
    drawn = np.stack([rng.binomial(n, rows.mean(axis=1)) / n for _ in range(BOOTSTRAPS)])
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    return low, high


def coverage(studies: int) -> Iterator[dict[str, Any]]:
    """Coverage of scores, and of all ranks, over questions and over judges."""
    cases = [(n, 3, False) for n in QUESTIONS] + [(QUESTIONS[0], j, True) for j in JUDGES]
    for n, judges, over in cases:
        rng = np.random.default_rng(n + judges)
        held, sets, rows = [], [], []
        for _ in range(max(studies, 2)):
            chance, of_judge = chances(n, judges, rng)
            won = drawn_from(chance, TRIES, rng)
            contests, judge = contests_of(won)
            truth = MIDDLE + (0 if over else of_judge.mean(axis=1))
            found = ranking(contests, over=judge if over else None)
            scores, ranks = holds(found, truth)
            held.append(scores)
            sets.append(ranks)
            low, high = of_rows(won, rng)
            rows.append((low <= truth) & (truth <= high))
        yield {
            "intervals": "over judges" if over else "over questions",
            "questions": n,
            "judges": judges,
            "scores": float(np.mean(held)),
            "all ranks": float(np.mean(sets)),
            "bootstrap of rows": float(np.mean(rows)),
        }


def agreed(one: Array, other: Array) -> tuple[Array, Array]:
    """Agreement of two tries, [system, study], on the order of each two, and on the leader."""
    signs = [np.sign(of[:, None] - of[None]) for of in (one, other)]
    tops = [of >= of.max(axis=0) - 1e-9 for of in (one, other)]
    same = (tops[0] & tops[1]).sum(axis=0) / tops[0].sum(axis=0) / tops[1].sum(axis=0)
    return (signs[0] * signs[1])[np.triu_indices(SYSTEMS, 1)], same


def another_try(studies: int) -> Iterator[dict[str, Any]]:
    """Bias of tau, changes of the leader and turns, in standard errors, from two tries.

    And how often an interval over questions holds what studies of other questions by the same judge
    have on average.
    """
    for n in QUESTIONS[:2]:
        rng = np.random.default_rng(n)
        off, held = defaultdict[str, list[float]](list), defaultdict[str, list[bool]](list)
        for _ in range(max(studies, 2)):
            judge = of_judges(1, rng)
            chance = asked(n, judge, rng)
            found = rank_stability(contests_of(drawn_from(chance, TRIES, rng))[0])
            assert found is not None
            fresh = rng.binomial(1, chance[..., None], (*chance.shape, 2 * FRESH))
            order, same = agreed(*np.split(fresh.mean(axis=(0, 2, 3)), 2, axis=1))
            off["tau"].append(found.tau - order.mean())
            off["leader changes"].append(found.leader_changes - (1 - same).mean())
            turns = found.turns[np.triu_indices(SYSTEMS, 1)]
            off["turns"].append(turns.mean() - ((1 - order) / 2).mean())
            others = asked(OTHERS * n, judge, rng)
            one, other = (
                drawn_from(others, 1, rng).reshape(OTHERS, n, SYSTEMS, -1).mean(axis=(1, 3)).T
                for _ in range(2)
            )
            order, same = agreed(one, other)
            for what, ends, truth in (
                ("tau", found.ends, order.mean()),
                ("leader changes", found.leader_ends, (1 - same).mean()),
            ):
                assert ends is not None
                held[what].append(bool(ends[0] <= truth <= ends[1]))
        for what, bias in off.items():
            error = np.std(bias, ddof=1) / np.sqrt(len(bias))
            yield {
                "another try": what,
                "questions": n,
                "bias": float(np.mean(bias)),
                "standard error": float(error),
                "interval holds": float(np.mean(held[what])) if what in held else None,
            }


def drawn_equal(kind: str, systems: int, n: int, judges: int, rng: Generator) -> Array:
    """Scores of systems of one population, [judge, question, system], with variance 1."""
    judge = rng.normal(0, 0.5 * (judges > 1), (judges, 1, systems))
    own = rng.normal(size=(1, n, systems)) + judge
    if kind == "exponential":
        own = rng.exponential(size=(1, n, systems))
    elif kind == "correlated":
        own = (own + 3 * rng.normal(size=(1, n, 1)) * rng.choice([-1, 1], systems)) / 10**0.5
    return own + rng.normal(0, 0.5, (judges, n, systems)) * (judges > 1)


def told_apart(values: Array, binary: bool) -> tuple[Any, float]:
    """Which two systems are told apart, and the critical value in standard errors."""
    values = (values > 0).astype(float) if binary else values
    judges, n, systems = values.shape
    judge, q, s = np.indices(values.shape).reshape(3, -1)
    cell = (judge * n + q) * systems + s
    over = judge if judges > 1 else None
    found = ranking(Contests(q, s[:, None], values.reshape(-1, 1), cell, systems), over=over)
    alone = found.all_reach[0, 1] / found.pair_reach[0, 1]
    return found.apart, float(alone)


def equal_systems(studies: int) -> Iterator[dict[str, Any]]:
    """No two of equal systems are told apart; and of systems of two kinds, those of one kind."""
    for kind, systems, n, judges in EQUAL:
        rng, binary = np.random.default_rng(systems * n + judges), kind == "right or wrong"
        none, beside, found, wider = [], [], [], []
        better = np.arange(systems) % 2
        other = better[:, None] != better
        for _ in range(max(studies, 2)):
            values = drawn_equal(kind, systems, n, judges, rng)
            told, alone = told_apart(values, binary)
            none.append(not told.any())
            wider.append(alone)
            told = told_apart(values + APART * better, binary)[0]
            beside.append(not told[~other].any())
            found.append(told[other].mean())
        yield {
            "population": kind,
            "systems": systems,
            "questions": n,
            "judges": judges,
            "none told apart": float(np.mean(none)),
            "none of a kind": float(np.mean(beside)),
            "others told apart": float(np.mean(found)),
            "times one alone": float(np.median(wider)),
        }


def near_one(studies: int) -> Iterator[dict[str, Any]]:
    """Coverage of shares near 1, by all verdicts."""
    for rate, n in NEAR_ONE:
        rng, held, width = np.random.default_rng(n), [], []
        for _ in range(max(studies, 2)):
            values = (rng.random((n, 3)) < rate).astype(float)
            q, s = np.indices(values.shape).reshape(2, -1)
            found = ranking(Contests(q, s[:, None], values.reshape(-1, 1), q * 3 + s, 3))
            held.append((found.ends[:, 0] <= rate) & (rate <= found.ends[:, 1]))
            width.append(np.diff(found.ends).mean())
        yield {
            "rate": rate,
            "questions": n,
            "scores": float(np.mean(held)),
            "width": float(np.mean(width)),
        }


def by_labels(studies: int) -> Iterator[dict[str, Any]]:
    """Coverage of shares corrected by labels; the judge is right in .9."""
    for rate, n in LABELLED:
        rng, held, sets = np.random.default_rng(n), [], []
        for _ in range(max(studies, 2)):
            people = (rng.random((400, 3)) < rate).astype(float)
            judged = np.where(rng.random(people.shape) < 0.9, people, 1 - people)
            q, s = np.indices(people.shape).reshape(2, -1)
            alone = ranking(Contests(q, s[:, None], judged.reshape(-1, 1), q * 3 + s, 3))
            known = np.arange(400)[:, None] < n
            labels, own = (np.where(known, one, np.nan) for one in (people, judged))
            found = corrected_ranking(
                LabelledShares(labels, own, np.where(known, np.nan, judged)), alone
            )
            held.append((found.ends[:, 0] <= rate) & (rate <= found.ends[:, 1]))
            sets.append(not found.apart.any())
        yield {
            "rate": rate,
            "labels": n,
            "scores": float(np.mean(held)),
            "none told apart": float(np.mean(sets)),
        }


def planned(studies: int) -> Iterator[dict[str, Any]]:
    """How often a study of the planned size tells two systems apart (wanted: .8)."""
    for name, spreads in PLANNED:
        rng = np.random.default_rng(1)
        of_judge, of_question, of_both, of_try = (2 * one**2 for one in spreads)
        q, r, j, _ = PILOT
        known = RankPower(PILOT, of_question / q, of_judge / j, of_both / q / j, of_try / q / j / r)
        design = known.cheapest(DIFFERENCE, vary=True)
        assert design is not None
        q, r, j, _ = map(int, design)
        told = []
        for _ in range(max(studies, 2)):
            judge, question, both, tries = (
                rng.normal(0, one, shape)
                for one, shape in zip(
                    spreads, ((j, 1, 2), (1, q, 2), (j, q, 2), (j, q, 2)), strict=True
                )
            )
            values = judge + question + both + tries / r**0.5 + DIFFERENCE * np.arange(2)
            told.append(told_apart(values, False)[0][0, 1])
        yield {
            "what varies most": name,
            "questions": q,
            "tries": r,
            "judges": j,
            "told apart": float(np.mean(told)),
        }


def large() -> Iterator[dict[str, Any]]:
    """Seconds and MB of `rank` on files of many systems against a baseline."""
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        for name, (systems, questions, orders) in LARGE.items():
            q, s, o = np.indices((questions, systems, max(orders, 1))).reshape(3, -1)
            chance = np.clip(rng.normal(0.5, 0.1, systems)[s] + rng.normal(0, 0.2, q.size), 0, 1)
            frame = pd.DataFrame(
                {"question": q, "model_1": "base", "model_2": [f"s{i}" for i in s]}
            )
            if not orders:
                right = (rng.random(q.size) < chance).astype(int)
                frame = pd.DataFrame({"question": q, "system": frame["model_2"], "verdict": right})
            elif orders == 1:
                frame = frame.assign(p=1 - chance)
            else:
                first = np.where(o == 1, frame["model_2"], frame["model_1"])
                frame["model_2"] = np.where(o == 1, frame["model_1"], frame["model_2"])
                frame["model_1"] = first
                won = rng.random(q.size) < chance
                frame = frame.assign(verdict=np.where(won == (o == 1), "A", "B"))
            file = Path(folder) / "large.parquet"
            frame.to_parquet(file)
            start, own = time.perf_counter(), time.process_time()
            done = CliRunner().invoke(
                command, ["rank", str(file), *["--baseline", "base"][: 2 * orders]]
            )
            assert done.exit_code == 0, done.output
            most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            yield {
                "file": name,
                "seconds": time.perf_counter() - start,
                "of one core": time.process_time() - own,
                "MB at most": most,
            }


def rows_beside_questions(file: str, judge: str | None) -> Iterator[dict[str, Any]]:
    """Widths of intervals from resampled rows, as arena-hard-auto has them, beside ours."""
    given = verdicts_on_systems(judgments_on_systems([file]))
    if judge:
        one = (given.table["judge"] == judge) & (given.table["replication"] == 1)
        given = replace(given, table=given.table[one].reset_index(drop=True))
    (board,) = leaderboards(given, pool=["judge"] if "judge" in given.names else [])
    contests, names = board.contests, board.systems
    found = ranking(contests)
    system, values = contests.systems.ravel(), contests.values.ravel()
    rng = np.random.default_rng(0)
    for i in found.order:
        own = values[system == i]
        means = rng.choice(own, (BOOTSTRAPS * 5, len(own))).mean(axis=1)
        low, high = np.quantile(means, [0.025, 0.975])
        ours = float(np.diff(found.ends[i])[0])
        yield {
            "system": names[i],
            "score": float(found.scores[i]),
            "over questions": ours,
            "resampled rows": float(high - low),
            "ratio": ours / float(high - low),
        }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a tenth of the studies")
    parser.add_argument(
        "--file", help="a file of pairs: intervals of rows beside ours, nothing else"
    )
    parser.add_argument("--judge", help="with --file: one try of this judge alone")
    options = parser.parse_args()
    times = QUICK if options.quick else 1.0
    if options.file:
        title = "Widths of intervals, and their ratio"
        show(title, rows_beside_questions(options.file, options.judge))
        return
    show("Coverage of scores, and of all ranks", coverage(round(STUDIES * times)))
    show("What another try changes", another_try(round(SURVIVED * times)))
    show("Equal systems, and others", equal_systems(round(EQUALS * times)))
    show("Coverage of shares near 1", near_one(round(STUDIES * times)))
    show("Coverage of shares corrected by labels", by_labels(round(EQUALS * times)))
    show("Planned studies", planned(round(STUDIES * times)))
    show("Large files", large())


if __name__ == "__main__":
    main()
