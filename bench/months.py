"""Is the promise of a saved rule withheld where outputs became harder, or the judge milder?

    python bench/months.py [--months 400]

A judge of known truth gives grades or names to the outputs of two months. A rule of `keep` is made
from the labels of the first. In the second month either the judge errs by chance 1.3, 1.6 or 2
times as much, or it became milder: it grades up to 1.5 grades higher, or leans to one name. For
each kind of verdict and each promise it prints the rules that were made, the share of second months
alike in which the promise is withheld, and of the other months those that break the promise: all,
those where it would still be made if only the share kept were compared (by Fisher's exact test) or
only how many votes agree, and those where it is still made.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from _tables import show
from inspect_reliability.answers.rule_check import agreeing_in, judged_otherwise, said_in
from inspect_reliability.record.rule import KeepRule
from inspect_reliability.stats.cells import Flags
from inspect_reliability.stats.selective import LABELS_DIFFER, Cascade, Votes, selective_rule

MONTHS = 400
QUESTIONS, VOTES = 150, 5
HARDER = (1.3, 1.6, 2.0)
MILDER = {"grades": (0.5, 1.0, 1.5), "names": (0.7, 1.0, 1.5)}
"""How far grades rise, and by how much a name is more likely on the scale of logits."""
PROMISES = {
    "grades": {0.05: (100, 0.35, 0.35), 0.1: (100, 0.45, 0.4), 0.2: (60, 0.55, 0.5)},
    "names": {0.05: (140, 0.4, 0.45), 0.1: (100, 0.55, 0.5), 0.2: (60, 0.75, 0.55)},
}
"""Limit of errors -> labels, and how far a judge errs in all votes of an output and in each."""
GRADES = np.arange(1.0, 6.0)


def months(n: int) -> Iterator[dict[str, Any]]:
    """How often the promise is withheld, and how often it is made and broken."""
    for kind, promises in PROMISES.items():
        for max_error, (labels, always, each) in promises.items():
            generator = np.random.default_rng(round(1_000 * max_error))
            n_made = alike = 0
            found = {name: Counter[str]() for name in ("harder", "milder")}
            for _ in range(n):
                first = _month(kind, generator, always, each)
                labelled = generator.permutation(QUESTIONS) < labels
                of = Cascade(first.judges, first.right, labelled)
                step = selective_rule(of, max_error, whole_first=kind == "grades").step
                if step is None:
                    continue
                n_made += 1
                alike += any(_otherwise(first, _month(kind, generator, always, each)))
                harder = generator.choice(HARDER)
                for name, month in (
                    ("harder", _month(kind, generator, always * harder, each * harder)),
                    ("milder", _month(kind, generator, always, each, _milder(kind, generator))),
                ):
                    if (month.step(step.threshold).error or 0.0) > max_error:
                        less_steady, others = _otherwise(first, month)
                        found[name]["broken"] += 1
                        found[name]["by share"] += not _other_share(first, month, step.threshold)
                        found[name]["by votes"] += not less_steady
                        found[name]["left"] += not (less_steady or others)
            for name, of_change in found.items():
                yield {
                    "verdicts": kind,
                    "max_error": max_error,
                    "rules": n_made,
                    "alike, withheld": alike / max(n_made, 1),
                    "change": name,
                    "broken": of_change["broken"],
                    "made by the share kept": of_change["by share"],
                    "made by agreeing votes": of_change["by votes"],
                    "made": of_change["left"],
                }


def _milder(kind: str, generator: np.random.Generator) -> float:
    return float(generator.choice(MILDER[kind]))


def _month(
    kind: str, generator: np.random.Generator, always: float, each: float, milder: float = 0.0
) -> Cascade:
    """Outputs of which some are harder than others, and the truth of all."""
    every, hard = np.ones(QUESTIONS, dtype=bool), generator.lognormal(0, 0.5, QUESTIONS)
    if kind == "grades":
        truth = generator.integers(1, 6, QUESTIONS)
        middle = truth + milder + generator.normal(0, always, QUESTIONS) * hard
        off = generator.normal(0, each, (QUESTIONS, VOTES)) * hard[:, None]
        given = np.clip(np.rint(middle[:, None] + off), 1, 5)
        right = np.abs(truth[:, None] - GRADES) <= 1
        votes = (given[:, :, None] == GRADES).sum(axis=1).astype(float)
        return Cascade((Votes(votes, _all(5), VOTES, GRADES),), right, every)
    truth = generator.integers(0, 3, QUESTIONS)
    middle = generator.normal(0, always, (QUESTIONS, 3)) * hard[:, None]
    middle[np.arange(QUESTIONS), truth] += 2
    middle[:, 0] += milder
    off = generator.gumbel(0, each, (QUESTIONS, VOTES, 3)) * hard[:, None, None]
    said = (middle[:, None] + off).argmax(axis=2)
    votes = (said[:, :, None] == np.arange(3)).sum(axis=1).astype(float)
    return Cascade((Votes(votes, _all(3), VOTES),), np.eye(3, dtype=bool)[truth], every)


def _all(n: int) -> Flags:
    return np.ones(n, dtype=bool)


def _otherwise(first: Cascade, second: Cascade) -> tuple[bool, bool]:
    """Whether the votes of a month agree otherwise than those of the rule; and make others."""
    given = KeepRule(
        ["judge"], VOTES, VOTES, [], 0.1, 0.95, 1.0, 0.0, QUESTIONS, n_questions=QUESTIONS,
        agreeing=agreeing_in(first).tolist(),
    )  # fmt: skip
    names = [*map(str, range(first.right.shape[1]))]
    if first.judges[0].grades is None:
        names = [f"name {one}" for one in names]
    with_verdicts = replace(given, verdicts=said_in(first, names, 1.0))
    steady, both = (judged_otherwise(one, second, names) for one in (given, with_verdicts))
    return steady is not None, both is not None


def _other_share(first: Cascade, second: Cascade, threshold: float) -> bool:
    """Whether another share is kept, by Fisher's exact test."""
    from scipy.stats import fisher_exact

    kept = [round(of.step(threshold).kept * QUESTIONS) for of in (first, second)]
    table = [[one, QUESTIONS - one] for one in kept]
    return bool(fisher_exact(table).pvalue <= LABELS_DIFFER)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--months", type=int, default=MONTHS, help="pairs of months of each line")
    given = parser.parse_args()
    show("Promises of a saved rule in a second month", months(given.months))


if __name__ == "__main__":
    main()
