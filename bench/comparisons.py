"""Several judges compared by accuracy: equal judges called different, and others told apart.

Then two judges on questions of their own: how often the interval of their difference has the truth.
At last one judge in two months alike: how often the step after `compare` says that it changed.
"""

import argparse
from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pandas as pd

from _tables import show
from inspect_reliability import compare
from inspect_reliability.stats import Cells, Estimate, rate
from inspect_reliability.stats.comparison import compare_accuracy, compare_independent
from inspect_reliability.stats.labelled import Labelled

STUDIES, QUICK = 400, 0.125
QUESTIONS = (8, 15, 30, 100)
ACCURACIES = (0.5, 0.9, 0.98)
JUDGES: dict[str, tuple[int, ...]] = {
    "3 x 5": (5,) * 3,
    "5 x 5": (5,) * 5,
    "10 x 5": (5,) * 10,
    "3 x 1": (1,) * 3,
    "20, 2, 20": (20, 2, 20),
    "2, 20": (2, 20),
}
"""Tries of each judge."""

MANY: dict[str, tuple[int, ...]] = {"40 x 5": (5,) * 40}
"""The same of many judges, whose 780 pairs take a second a study."""

FEWER = 8
"""Times fewer studies of many judges."""

OF_TWO = 2.5
"""Times as many studies of two samples."""

SPREAD = 4.0
"""Both parameters of the Beta distribution of questions add up to this."""

BETTER = 0.15
"""How much more often the last judge is right where judges differ, from .5 on."""


def decided(tries: tuple[int, ...], n: int, share: float, better: float, studies: int) -> float:
    """Share of studies in which some two judges are called different."""
    generator = np.random.default_rng((len(tries), n, round(100 * share)))
    names = [f"q{i}" for i in range(n)]
    labels = Cells(np.tile([1, 0], (n, 1)), names, ("A", "B"))
    found = []
    for _ in range(studies):
        chances = generator.beta(SPREAD * share, SPREAD * (1 - share), n)
        judges = {}
        for j, r in enumerate(tries):
            own = np.clip(chances + better * (j == len(tries) - 1), 0, 1)
            right = generator.binomial(r, own)
            given = Cells(np.stack([right, r - right], axis=1), names, ("A", "B"))
            judges[str(j)] = {"": Labelled(given, labels)}
        pairs = compare_accuracy(judges)
        found.append(any(one.low is not None and not one.low <= 0 <= one.high for one in pairs))  # type: ignore[operator]
    return float(np.mean(found))


def sizes(studies: int) -> Iterator[dict[str, Any]]:
    """Equal judges, by accuracy and number of questions; the last column has one that is better.

    A share of .05 has a standard error of .011 in 400 studies, and of .03 in 50.
    """
    for name, tries in (JUDGES | MANY).items():
        number = max(2, studies // FEWER) if name in MANY else studies
        for n in QUESTIONS:
            line: dict[str, Any] = {"tries": name, "questions": n, "studies": number}
            for share in ACCURACIES:
                line[f"{share:g}"] = decided(tries, n, share, 0.0, number)
            yield line | {"told apart": decided(tries, n, 0.5, BETTER, number)}


def samples(studies: int) -> Iterator[dict[str, Any]]:
    """Two judges on so many questions each, asked 3 times: how often the interval has the truth.

    From 1,000 studies a share of .95 has a standard error of .007.
    """
    for first, second in combinations_with_replacement(QUESTIONS, 2):
        line: dict[str, Any] = {"questions": f"{first}, {second}", "studies": studies}
        for share in ACCURACIES:
            generator = np.random.default_rng((first, second, round(100 * share)))
            held = []
            for _ in range(studies):
                each = [_right(generator, n, one) for n, one in ((first, share), (second, 0.5))]
                found = compare_independent(("a", "b"), "accuracy", *each)
                if found.low is not None and found.high is not None:
                    held.append(found.low <= share - 0.5 <= found.high)
            line[f"{share:g} less 0.5"] = float(np.mean(held)) if held else None
        yield line


def _right(generator: np.random.Generator, n: int, share: float) -> Estimate:
    """How often a judge is right that was asked three times on so many questions."""
    right = generator.binomial(3, generator.beta(SPREAD * share, SPREAD * (1 - share), n))
    names = [f"q{i}" for i in range(n)]
    return rate(Cells(np.stack([right, 3 - right], axis=1), names, ("A", "B")), "A")


KINDS = {"two names": 2, "grades": 5}
"""Verdicts of a judge in two months."""

MONTHS = ((20, 1), (20, 3), (60, 3))
"""Questions of each, and tries."""


def months(studies: int) -> Iterator[dict[str, Any]]:
    """One judge in two months, with a label of each question and without: 0.05 may differ.

    A share of .05 has a standard error of .015 in 200 studies.
    "may have" is the share in which the step says that it may have changed.
    """
    for kind, k in KINDS.items():
        for (n, tries), labelled in product(MONTHS, (False, True)):
            generator, said = np.random.default_rng((k, n, tries, labelled)), []
            for _ in range(studies):
                frame = _two_months(generator, k, n, tries, labelled)
                own = {"label": "label"} if labelled else None
                found = str(compare(frame, by="month", columns=own))
                said.append(" ".join(found.split()))
            yield {
                "verdicts": kind,
                "questions": n,
                "tries": tries,
                "labels": "all" if labelled else "none",
                "changed": float(np.mean(["judge changed: look" in one for one in said])),
                "may have": float(np.mean(["may have changed: of" in one for one in said])),
            }


def _two_months(
    generator: np.random.Generator, k: int, n: int, tries: int, labelled: bool
) -> pd.DataFrame:
    """The verdicts of a judge that is the same in both; a label is the likeliest of each question.

    Grades spread around a number of each question, and names by chances of each.
    """
    if k > 3:
        apart = np.arange(1, k + 1) - generator.uniform(1, k, (n, 1))
        chances = np.exp(-(apart**2))
        chances /= chances.sum(axis=1, keepdims=True)
    else:
        chances = generator.dirichlet(np.linspace(1, 0.4, k), n)
    cells = [*product(range(n), ("2026-01", "2026-02"), range(tries))]
    frame = pd.DataFrame(cells, columns=["question", "month", "replication"])
    names = np.array([*"12345"] if k > 3 else [*"ABC"])
    given = [generator.choice(k, p=chances[q]) for q in frame["question"]]
    label = {"label": names[chances.argmax(axis=1)][frame["question"]]} if labelled else {}
    return frame.assign(question="q" + frame["question"].astype(str), verdict=names[given], **label)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="an eighth of the studies")
    studies = max(2, round(STUDIES * (QUICK if parser.parse_args().quick else 1.0)))
    show("Equal judges called different; a better one told apart", sizes(studies))
    more = round(OF_TWO * studies)  # these take no time
    show("Intervals of two samples that have the true difference", samples(more))
    show(
        "Months alike in which the judge is said to have changed (at most 0.05)",
        months(max(2, studies // 2)),
    )


if __name__ == "__main__":
    main()
