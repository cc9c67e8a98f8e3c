"""Is the promise of `keep` kept? The rule chosen anew from many draws of labels of real judgments.

    python bench/keep.py FILE [--by judge --by wording] [--within-one] [--draws 400]
    python bench/keep.py [--studies 1000]

FILE has judgments with a label of every question, so the truth of each rule is known. Of each judge
it prints what is undecided and wrong, and for each of some numbers of labels and limits: the mean
share that is kept (0 without a rule), how much of it is wrong, how often there is no rule, and how
often the promise is broken. On a scale it also prints how often the half-width holds fewer labels
than promised. With `--within-one` verdicts are right that are at most a step off; where there is no
rule it also prints how often a larger share of errors is promised, and how often that is broken.

Without FILE it simulates judges of known truth, and prints in which share of studies a promise
holds: that of the best of several by the labels that also promise, with the usual level and with
its part of the level for each judge, and the bound of a sample of the kept rows that a person
checked. Of pilots without a promise it prints how often as many labels as are planned give one, of
judges that never err to those that err as often as is allowed, and of one judge. Of labels drawn at
random it prints how often they are said to be of other questions than the rest.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from _tables import show
from inspect_reliability.answers import analyse
from inspect_reliability.answers.labelled_cascade import LabelledCascade
from inspect_reliability.answers.promise import Promise
from inspect_reliability.cli.options import CommonOptions
from inspect_reliability.keeping.how_good import most_wrong
from inspect_reliability.keeping.what_next import smallest_promised
from inspect_reliability.stats.anytime import few_thresholds
from inspect_reliability.stats.cells import Flags, IntArray
from inspect_reliability.stats.selective import (
    LABELS_DIFFER,
    Cascade,
    Rule,
    Votes,
    half_width,
    labels_differ,
    selective_rule,
)

DRAWS = 400
SETTINGS = ((300, 0.1), (100, 0.15), (100, 0.05), (30, 0.1))
"""Labels, and the largest share of the kept that may be wrong."""
STUDIES = 1_000
SIZES = ((1_000, 100), (1_000, 300))
"""Questions, and those with a label."""
JUDGES = (3, 10)
VOTES, ERRORS = 7, 0.101
"""Votes of a question, and the share on which a judge is wrong with all of them."""
CHECKED = ((200, 20), (200, 100), (1_000, 50))
"""Kept rows, and those that a person checked."""
WRONG = (0.01, 0.05, 0.1, 0.2)
PILOTS = ((30, 0.1, 0.03), (40, 0.1, 0.06), (50, 0.05, 0.02), (60, 0.2, 0.12))
"""Labels of a pilot, the largest share of the kept that may be wrong, and the share of a judge."""
QUESTIONS = 2_000
UNSTEADY = 0.3
"""Share of questions on which a vote is the likelier verdict with a probability of 3/4."""
FEASIBLE = 1_000
"""Most labels that are planned."""


def results(
    file: str, by: Sequence[str], draws: int, within_one: bool = False
) -> Iterator[dict[str, Any]]:
    """What is kept of each judge, for each number of labels."""
    for row in analyse(CommonOptions(logs=[file]).read(), by).rows:
        panel = LabelledCascade((row,), Promise(within_one=within_one))
        truth = panel.cascade
        every = truth.step(0.0)
        known: dict[str, Any] = {
            "judge": row.name,
            "questions": len(panel.questions),
            "undecided": 1 - every.kept,
            "others_wrong": every.error,
        }
        for labels, max_error in SETTINGS:
            labels = min(labels, len(panel.questions))
            promise = Promise(max_error, within_one=within_one)
            generator = np.random.default_rng(labels)
            found, few = [], []
            for _ in range(draws):
                labelled = np.zeros(len(panel.questions), dtype=bool)
                labelled[generator.choice(len(labelled), labels, replace=False)] = True
                found.append(_draw(truth, labelled, promise))
                width = half_width(panel.distances[labelled], max_error) if panel.measured else None
                if width is not None:
                    few.append((panel.distances <= width).mean() < 1 - max_error)
            errors = [one.error for one in found if one.error is not None]
            larger = [one.allowed for one in found if one.allowed is not None]
            assert every.error is not None
            yield known | {
                "labels": labels,
                "max_error": max_error,
                "kept": float(np.mean([one.kept for one in found])),
                "wrong": float(np.mean(errors)) if errors else None,
                "no_rule": 1 - len(errors) / draws,
                "broken": sum(error > max_error for error in errors) / draws,
                "half_width_broken": float(np.mean(few)) if few else None,
                "larger": len(larger) / draws,
                "larger_broken": sum(every.error > one for one in larger) / draws,
            }


def best_of_several(studies: int) -> Iterator[dict[str, Any]]:
    """How often the promise of the best holds, of judges that err a little more than is allowed.

    Where all its votes agree, each judge is wrong on a tenth of the questions and a little more,
    so any promise of a tenth is broken. From 1,000 studies a share of .95 has a standard error of
    .007.
    """
    for n, labels in SIZES:
        for judges in JUDGES:
            generator, kept = np.random.default_rng((n, labels, judges)), {1: 0, judges: 0}
            for _ in range(studies):
                best = _best(generator, judges, n, labels)
                for parts in kept:
                    promise = Promise()
                    confidence = 1 - (1 - promise.confidence) / parts
                    step = selective_rule(best, promise.max_error, confidence).step
                    everything = replace(best, labelled=np.ones(n, dtype=bool))
                    error = step and everything.step(step.threshold).error
                    kept[parts] += error is None or error <= promise.max_error
            yield {
                "questions": n,
                "labels": labels,
                "best of": judges,
                "holds, usual level": kept[1] / studies,
                "holds, its part": kept[judges] / studies,
            }


def _best(generator: np.random.Generator, judges: int, n: int, labels: int) -> Cascade:
    """The judge that is right most often by the labels, of equal ones."""
    labelled = np.zeros(n, dtype=bool)
    labelled[generator.choice(n, labels, replace=False)] = True
    found = []
    for _ in range(judges):
        wrong = generator.permutation(n) < ceil(ERRORS * n)
        right = generator.binomial(VOTES, np.where(wrong, 0.02, 0.98))
        votes = np.stack([right, VOTES - right], axis=1).astype(float)
        found.append(Votes(votes, np.array([True, True]), VOTES))
    of_right = np.array([one.top[labelled] == 0 for one in found]).mean(axis=1)
    right_is = np.tile([True, False], (n, 1))
    return Cascade((found[int(of_right.argmax())],), right_is, labelled)


def checked_rows(studies: int) -> Iterator[dict[str, Any]]:
    """How often at most so much of what is kept is wrong as a random sample of it promises."""
    for kept, checked in CHECKED:
        line: dict[str, Any] = {"kept": kept, "checked": checked}
        for share in WRONG:
            generator = np.random.default_rng((kept, checked, round(1000 * share)))
            wrong = round(share * kept)
            seen = generator.hypergeometric(wrong, kept - wrong, checked, studies)
            held = [wrong / kept <= most_wrong(int(one), checked, 0.95) for one in seen]
            line[f"{share:.1%} wrong"] = float(np.mean(held))
        yield line


def planned_labels(studies: int) -> Iterator[dict[str, Any]]:
    """How often as many labels as a pilot plans give a promise, of pilots that give none yet.

    Planned is a probability of .8, by what the pilot tells of the judge. The share that is wrong is
    drawn anew for each pilot, up to the largest that is allowed; or it is one for all.
    """
    for labels, max_error, wrong in PILOTS:
        for one in (None, wrong):
            generator, kept = np.random.default_rng((labels, round(1000 * wrong))), list[bool]()
            for _ in range(studies):
                share = generator.uniform(0, max_error) if one is None else one
                judge, order = _judge(generator, share), generator.permutation(QUESTIONS)
                needed = _rule(judge, order[:labels], max_error).needed
                if needed and needed.labels <= FEASIBLE:
                    kept.append(_rule(judge, order[: needed.labels], max_error).step is not None)
            yield {
                "labels": labels,
                "max_error": max_error,
                "wrong": f"0 to {max_error:g}" if one is None else f"{one:g}",
                "planned": len(kept) / studies,
                "promised": float(np.mean(kept)) if kept else None,
            }


def _rule(judge: Cascade, drawn: IntArray, max_error: float) -> Rule:
    """The rule by labels of the questions that were drawn."""
    labelled = np.isin(np.arange(QUESTIONS), drawn)
    return selective_rule(replace(judge, labelled=labelled), max_error, Promise().confidence)


def _judge(generator: np.random.Generator, wrong: float) -> Cascade:
    """A judge that is wrong on a share of all questions, and unsteady on some."""
    often = np.where(generator.random(QUESTIONS) < UNSTEADY, 0.75, 0.98)
    often = np.where(generator.random(QUESTIONS) < wrong, 1 - often, often)
    right = generator.binomial(VOTES, often)
    votes = np.stack([right, VOTES - right], axis=1).astype(float)
    right_is = np.tile([True, False], (QUESTIONS, 1))
    of = Votes(votes, np.array([True, True]), VOTES)
    return Cascade((of,), right_is, np.zeros(QUESTIONS, dtype=bool))


def random_labels(studies: int) -> Iterator[dict[str, Any]]:
    """How often labels of a random draw are said to be of other questions than the rest.

    With as many tries of every question, and where labelled ones have 2 and others 6, which are
    then compared among those with as many tries alone.
    """
    generator = np.random.default_rng(0)
    for unequal in (False, True):
        said = []
        for _ in range(studies):
            labelled = generator.permutation(200) < 80
            tries = np.where(unequal & (labelled ^ (generator.random(200) < 0.2)), 2, 6)
            right = generator.binomial(tries, generator.beta(4, 1, 200))
            agree = np.maximum(right, tries - right) / tries
            found = labels_differ(agree, labelled, few_thresholds(agree), tries)
            said.append(found is not None and found.p_value <= LABELS_DIFFER)
        yield {"tries": "2 or 6" if unequal else "6", "unlike others": float(np.mean(said))}


class _Kept(NamedTuple):
    """Of one draw of labels.

    Attributes:
        kept: Share that is kept; 0 without a rule.
        error: Share of it that is truly wrong; None without a rule.
        allowed: Without a rule, the larger share of errors that is promised of all, if any.
    """

    kept: float
    error: float | None
    allowed: float | None = None


def _draw(truth: Cascade, labelled: Flags, promise: Promise) -> _Kept:
    drawn = Cascade(truth.judges, truth.right, labelled)
    difference = labels_differ(drawn.confidence, labelled, drawn.thresholds)
    if difference and difference.p_value <= LABELS_DIFFER:
        return _Kept(0.0, None)
    rule = selective_rule(drawn, promise.max_error, promise.confidence, promise.within_one)
    if rule.step is None:
        return _Kept(0.0, None, smallest_promised(rule, promise))
    return _Kept(rule.step.kept, truth.step(rule.step.threshold).error)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "file", metavar="FILE", nargs="?", help="judgments with a label of every question"
    )
    parser.add_argument("--by", action="append", default=[], help="column of a judge's rows")
    parser.add_argument("--within-one", action="store_true", help="right: at most a step off")
    parser.add_argument("--draws", type=int, default=DRAWS, help="draws of labels")
    parser.add_argument("--studies", type=int, default=STUDIES, help="studies of a simulation")
    given = parser.parse_args()
    if given.file is None:
        title = "Studies in which the promise of the best of several holds (at least 0.95)"
        show(title, best_of_several(given.studies))
        title = "Studies in which the bound of checked rows holds (at least 0.95)"
        show(title, checked_rows(given.studies))
        title = "Pilots without a promise: planned labels give one (0.8)"
        show(title, planned_labels(given.studies))
        title = "Random draws of labels that are said to be unlike other questions (at most 0.01)"
        show(title, random_labels(given.studies))
        return
    show("What may be kept", results(given.file, given.by, given.draws, given.within_one))


if __name__ == "__main__":
    main()
