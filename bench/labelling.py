"""How many labels until the answer is known, and is it true whenever one stops?

    python bench/labelling.py [--studies 300] [--seed 0]
    python bench/labelling.py FILE [--by judge --by wording] [--max-error 0.1]

Each study draws 2,000 questions and a judge's votes on them, from a population whose truth is
known, and labels its questions in random order until a rule for `keep` at 10% is promised. Printed
are the labels until then (at most 600), how many studies promised nothing, what is kept, and in how
many studies a promise was broken at any moment: more than 10% of the kept were wrong among all
2,000. The rules:

- a fixed number: the exact binomial test once, after so many labels from what could be kept;
- any time, from all: the evidence of `label`, with labels drawn from all questions;
- any time, from what could be kept: the same from verdicts with more than half of the votes.

Labellers who skip pass over half of the questions that the judge gets wrong, and 5% of the others;
what they pass over counts as wrong, or is left out. At the boundary every threshold keeps just over
10% of wrong verdicts, so that any promise is broken. The second table has how often the interval
for a stopped accuracy covers it, beside that for a fixed number (Wilson's).

FILE has judgments with a label of every question. Its labels are replayed in as many random orders,
for `keep` and for an accuracy to within 5 points; all of them are the truth.
"""

import argparse
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from _tables import show
from inspect_reliability.answers import analyse
from inspect_reliability.answers.labelled_cascade import LabelledCascade
from inspect_reliability.answers.promise import Promise
from inspect_reliability.cli.options import CommonOptions
from inspect_reliability.stats.anytime import (
    BLOCK,
    MIN_KEPT,
    Goal,
    could_be_kept,
    few_thresholds,
    levels,
    promised,
    share_at_any_time,
)
from inspect_reliability.stats.cells import Flags, FloatArray, IntArray
from inspect_reliability.stats.rates import mean_share
from inspect_reliability.stats.selective import Cascade, Votes, selective_rule

QUESTIONS = 2_000
MOST = 600
MAX_ERROR = 0.1
STUDIES = 300


class Study(NamedTuple):
    """Votes of a judge: confidence of each question, N, and whether its majority is wrong."""

    confidence: FloatArray
    wrong: Flags

    @property
    def region(self) -> Flags:
        """What could be kept."""
        return could_be_kept(self.confidence)


def population(generator: np.random.Generator, votes: int) -> Study:
    """A judge that is right of most questions, torn on some, wrong on a few; a fifth are ties."""
    kinds = generator.choice(3, QUESTIONS, p=[0.75, 0.2, 0.05])
    shapes = np.array([[12.0, 0.5], [3.0, 2.0], [1.0, 4.0]])[kinds]
    right = generator.binomial(votes, generator.beta(shapes[:, 0], shapes[:, 1]))
    share = np.maximum(right, votes - right) / votes
    undecided = (right * 2 == votes) | (generator.random(QUESTIONS) < 0.2)
    return Study(np.where(undecided, 0.0, share), right * 2 < votes)


def boundary(generator: np.random.Generator, votes: int) -> Study:
    """Votes as in `population`; just over a tenth of what each threshold keeps is wrong."""
    confidence = population(generator, votes).confidence
    wrong = np.zeros(QUESTIONS, dtype=bool)
    for threshold in few_thresholds(confidence):
        kept = confidence >= threshold
        lacking = int(MAX_ERROR * kept.sum()) + 1 - int(wrong[kept].sum())
        free = np.flatnonzero(kept & ~wrong)
        wrong[generator.choice(free, max(lacking, 0), replace=False)] = True
    return Study(confidence, wrong)


def order_of(generator: np.random.Generator, among: Flags) -> IntArray:
    return generator.permutation(np.flatnonzero(among))[:MOST]


def skipped(generator: np.random.Generator, wrong: Flags) -> Flags:
    return generator.random(len(wrong)) < np.where(wrong, 0.5, 0.05)


def until(decided: Callable[[int], bool], most: int) -> int:
    """Labels after which it is decided, whole blocks; what is decided stays so."""
    blocks = range(1, most // BLOCK + 1)
    return BLOCK * min(bisect_left(blocks, True, key=lambda n: decided(BLOCK * n)) + 1, len(blocks))


def labelled(
    study: Study, order: IntArray, seen: Flags, most: int, max_error: float = MAX_ERROR
) -> tuple[int, int]:
    """Labels until a rule is found, and the loosest threshold that is promised at the end."""
    steps = few_thresholds(study.confidence)
    kept = [float((study.confidence >= one).mean()) for one in steps]
    level, goal = levels(study.confidence, steps)[order], Goal("keep", max_error)
    n = until(lambda n: goal.kept_enough(level[:n], seen[:n], kept), most)
    return n, promised(level[:n], seen[:n], len(steps), max_error)


def worst(study: Study, order: IntArray, seen: Flags, max_error: float = MAX_ERROR) -> bool:
    """Whether any promise that is ever made is broken; promises stay once they are made."""
    steps = few_thresholds(study.confidence)
    last = promised(levels(study.confidence, steps)[order], seen, len(steps), max_error)
    return any(error_of(study, one) > max_error for one in steps[: last + 1])


def error_of(study: Study, threshold: float) -> float:
    return float(study.wrong[study.confidence >= threshold].mean())


def fixed(study: Study, order: IntArray, n: int) -> float | None:
    """The threshold of the exact binomial test after so many labels."""
    known = np.zeros(QUESTIONS, dtype=bool)
    known[order[:n]] = True
    top = np.column_stack([study.confidence, 1 - study.confidence]) * 1000
    ballots = Votes(top, np.array([True, True]), 0)
    right = np.column_stack([~study.wrong, study.wrong])
    object.__setattr__(ballots, "confidence", study.confidence)
    rule = selective_rule(Cascade((ballots,), right, known), MAX_ERROR)
    return rule.step and rule.step.threshold


def keeping(studies: int, seed: int) -> Iterator[dict[str, Any]]:
    for votes in (8, 100):
        for what in ("any time, from all", "any time, from what could be kept"):
            yield _any_time(what, votes, studies, seed)
        for n in (100, 171, 200):
            yield _fixed(n, votes, studies, seed)
        for what in ("skips count as wrong", "skips are left out", "at the boundary"):
            yield _any_time(what, votes, studies, seed)


def _any_time(what: str, votes: int, studies: int, seed: int) -> dict[str, Any]:
    found, broken = [], 0
    for number in range(studies):
        generator = np.random.default_rng([seed, number])
        study = (boundary if "boundary" in what else population)(generator, votes)
        every = "all" in what
        order = order_of(generator, np.ones(QUESTIONS, bool) if every else study.region)
        seen = study.wrong[order]
        if "skips" in what:
            gone = skipped(generator, seen)
            order, seen = (order, seen | gone) if "count" in what else (order[~gone], seen[~gone])
        found.append((study, *labelled(study, order, seen, len(order))))
        broken += worst(study, order, seen)
    return _line(what, votes, found, broken)


def _fixed(n: int, votes: int, studies: int, seed: int) -> dict[str, Any]:
    found, broken = [], 0
    for number in range(studies):
        generator = np.random.default_rng([seed, number])
        study = population(generator, votes)
        threshold = fixed(study, order_of(generator, study.region), n)
        broken += threshold is not None and error_of(study, threshold) > MAX_ERROR
        kept = None if threshold is None else float((study.confidence >= threshold).mean())
        found.append(kept)
    known = [one for one in found if one is not None]
    return {
        "rule": f"fixed number, {n} of what could be kept",
        "votes": votes,
        "median": n,
        "90%": n,
        "no rule": 1 - len(known) / studies,
        "kept": float(np.mean(known)) if known else None,
        "broken": broken / studies,
        "se": float(np.sqrt(broken / studies * (1 - broken / studies) / studies)),
    }


def _line(
    what: str, votes: int, found: list[tuple[Study, int, int]], broken: int
) -> dict[str, Any]:
    n = len(found)
    kept = [
        float((study.confidence >= few_thresholds(study.confidence)[last]).mean())
        for study, _, last in found
        if last >= 0
    ]
    labels = [count for _, count, _ in found]
    return {
        "rule": what,
        "votes": votes,
        "median": float(np.median(labels)),
        "90%": float(np.quantile(labels, 0.9)),
        "no rule": 1 - len(kept) / n,
        "kept": float(np.mean(kept)) if kept else None,
        "broken": broken / n,
        "se": float(np.sqrt(broken / n * (1 - broken / n) / n)),
    }


def replayed(
    file: str, by: list[str], max_error: float, studies: int, seed: int
) -> Iterator[dict[str, Any]]:
    """Labels of real judgments in random orders, until a rule or an accuracy is known."""
    for row in analyse(CommonOptions(logs=[file]).read(by), by).rows:
        cascade = LabelledCascade((row,), Promise()).cascade
        said = cascade.judges[0].top
        wrong = ~cascade.right[np.arange(len(said)), np.maximum(said, 0)]
        study = Study(cascade.confidence, wrong)
        right = row.labelled.by_question() if row.labelled else np.zeros(0)
        generator = np.random.default_rng(seed)
        for goal in (Goal("keep", max_error), Goal("width", 0.05)):
            labels, broken, none = [], 0, 0
            for _ in range(studies):
                if goal.kind == "keep":
                    order = order_of(generator, study.region)
                    n, last = labelled(study, order, wrong[order], len(order), max_error)
                    broken += worst(study, order, wrong[order], max_error)
                    none += last < 0
                else:
                    own = generator.permutation(right)
                    most = min(len(own), MOST * 2)
                    n = until(lambda n, goal=goal, own=own: goal.share_known(own[:n]), most)
                    low, high = share_at_any_time(own[:n])
                    broken += not low <= right.mean() <= high
                labels.append(n)
            yield {
                "judge": row.name,
                "questions": len(said),
                "goal": f"{goal.kind} {goal.value:g}",
                "median": float(np.median(labels)),
                "90%": float(np.quantile(labels, 0.9)),
                "no rule": none / studies,
                "broken": broken / studies,
            }


def shares(studies: int, seed: int) -> Iterator[dict[str, Any]]:
    """Coverage of an accuracy where labelling stopped when a gate or a width was decided."""
    for goal, accuracy in (
        (Goal("gate", 0.8), 0.8),
        (Goal("gate", 0.8), 0.85),
        (Goal("gate", 0.8), 0.9),
        (Goal("width", 0.05), 0.75),
        (Goal("width", 0.05), 0.9),
    ):
        labels, covered, usual, wrong = [], 0, 0, 0
        for number in range(studies):
            generator = np.random.default_rng([seed, number])
            known = (generator.random(MOST) < accuracy).astype(float)
            n = until(lambda n, goal=goal, known=known: goal.share_known(known[:n]), MOST)
            low, high = share_at_any_time(known[:n])
            once = mean_share(known[:n], 0.95, 1.0).ends or (0.0, 1.0)
            labels.append(n)
            covered += low <= accuracy <= high
            usual += once[0] <= accuracy <= once[1]
            wrong += goal.kind == "gate" and (low > accuracy or high < accuracy)
        yield {
            "goal": f"{goal.kind} {goal.value:g}",
            "right": accuracy,
            "median": float(np.median(labels)),
            "90%": float(np.quantile(labels, 0.9)),
            "covered": covered / studies,
            "by the usual interval": usual / studies,
            "gate wrong": wrong / studies,
        }


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", metavar="FILE", nargs="?", help="judgments that are all labelled")
    parser.add_argument("--by", action="append", default=[], help="column of a judge's rows")
    parser.add_argument("--max-error", type=float, default=MAX_ERROR, help="of FILE (%(default)s)")
    parser.add_argument("--studies", type=int, default=STUDIES, help="(%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="(%(default)s)")
    given = parser.parse_args()
    if given.file:
        asked = (given.by, given.max_error, given.studies, given.seed)
        show("Labels replayed in random orders", replayed(given.file, *asked))
        return
    show(
        f"Keep at most 10% wrong, {MIN_KEPT:.0%} of all or the loosest",
        keeping(given.studies, given.seed),
    )
    show("A share that stops when it is decided", shares(given.studies // 3 or 1, given.seed))


if __name__ == "__main__":
    main()
