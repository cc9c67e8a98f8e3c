"""Do corrected rates and accuracies cover with 30, 100 and 300 labels? Simulation with known truth.

    python bench/labels.py [--quick]

A judge of known sensitivity and specificity gives several verdicts on each of two thousand
questions, of which a few have a label. Of each interval it prints how often it covers the truth,
beside the bias of the rate that the judge alone gives and how often its own interval covers. So
it does of corrected rates where questions have several outputs, of which some have a label.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from _tables import show
from inspect_reliability.stats import Cells, Labelled, rate
from inspect_reliability.stats.rates import Sample, ppi, rogan_gladen

STUDIES = 1000
QUICK = 0.1
"""Share of the studies with `--quick`."""
LABELS = (30, 100, 300)
QUESTIONS = 2000
OUTPUTS = ((40, 5, 60), (40, 5, 160), (150, 3, 100))
"""Questions, outputs of each, and how many of all outputs have a label."""
RIGHT = 0.6
"""Share of outputs that are right, the mean of the chance that their question gives them."""


class Judge(NamedTuple):
    """A judge of answers, of which a share is right.

    Its chance to say so varies between questions, Beta with this mean and 4 as its size.
    """

    truth: float
    sensitivity: float
    specificity: float
    replications: int


JUDGES = {
    "fair, once": Judge(0.3, 0.8, 0.9, 1),
    "fair": Judge(0.3, 0.8, 0.9, 5),
    "of rare answers": Judge(0.1, 0.7, 0.9, 5),
    "lenient": Judge(0.6, 0.9, 0.7, 5),
    "good": Judge(0.3, 0.95, 0.97, 5),
    "good, of 96% right": Judge(0.96, 0.95, 0.97, 5),
    "good, of 98% right": Judge(0.98, 0.95, 0.97, 5),
    "that guesses, of 98% right": Judge(0.98, 0.5, 0.5, 5),
}


def study(judge: Judge, labels: int, generator: np.random.Generator) -> tuple[Cells, Cells]:
    """Verdicts on all questions, and labels of the first."""
    right = generator.random(QUESTIONS) < judge.truth
    mean = np.where(right, judge.sensitivity, 1 - judge.specificity)
    said = generator.binomial(judge.replications, generator.beta(4 * mean, 4 * (1 - mean)))
    names = tuple(map(str, range(QUESTIONS)))
    table = np.stack([said, judge.replications - said], axis=1)
    known = np.where(right, "yes", "no")[:labels]
    return Cells(table, names, ("yes", "no")), Cells.from_long(names[:labels], known)


def split(judge: Judge) -> dict[str, float]:
    """True parts of the error of a verdict: of Beta(4 m, 4 (1 - m)), E p (1 - p) = .8 m (1 - m)."""
    names = ("wrong", "wrong_twice", "wrong_then_right", "wrong_then_undecided")
    parts = dict.fromkeys(names, 0.0)  # no verdict here is undecided
    kinds = ((judge.truth, judge.sensitivity), (1 - judge.truth, judge.specificity))
    for share, mean in kinds:
        then = 0.8 * mean * (1 - mean)
        parts["wrong"] += share * (1 - mean)
        parts["wrong_then_right"] += share * then
        parts["wrong_twice"] += share * (1 - mean - then)
    return parts


def results(studies: int) -> Iterator[dict[str, Any]]:
    """Coverage of every interval, for each judge and number of labels."""
    for name, judge in JUDGES.items():
        for labels in LABELS:
            generator = np.random.default_rng(labels)
            inside: Counter[str] = Counter()
            known: Counter[str] = Counter()
            errors: dict[str, list[float]] = defaultdict(list)
            parts = split(judge)
            for _ in range(studies):
                given, truth = study(judge, labels, generator)
                labelled = dict(zip(truth.questions, truth.share_of("yes").tolist(), strict=True))
                sample = Sample.of(given, labelled, "yes")
                found = {
                    "judge alone": (rate(given, "yes"), judge.truth),
                    "PPI++": (ppi(sample), judge.truth),
                    "Rogan-Gladen": (rogan_gladen(sample), judge.truth),
                }
                for part, estimate in Labelled(given, truth).errors().items():
                    found[part] = estimate, parts[part]
                for what, (estimate, true) in found.items():
                    if estimate.low is not None and estimate.high is not None:
                        known[what] += 1
                        inside[what] += estimate.low <= true <= estimate.high
                        errors[what].append((estimate.value or 0.0) - true)
            for what, number in known.items():
                yield {
                    "judge": name,
                    "labels": labels,
                    "interval of": what,
                    "coverage": inside[what] / number,
                    "bias": float(np.mean(errors[what])),
                    "studies": number,
                }


def of_outputs(studies: int) -> Iterator[dict[str, Any]]:
    """Coverage of PPI++ over questions whose outputs are right more or less often together."""
    for questions, outputs, labels in OUTPUTS:
        generator, inside, errors = np.random.default_rng((questions, labels)), 0, list[float]()
        names = [f"{q}, {k}" for q in range(questions) for k in range(outputs)]
        of = [name.partition(",")[0] for name in names]
        for _ in range(studies):
            right = generator.random((questions, outputs)) < generator.beta(3, 2, (questions, 1))
            yes = generator.binomial(4, np.where(right, 0.95, 0.1)).ravel()
            given = Cells(np.stack([yes, 4 - yes], axis=1), names, ("yes", "no")).together(of)
            drawn = generator.permutation(len(names))[:labels].tolist()
            found = ppi(Sample.of(given, {names[k]: float(right.flat[k]) for k in drawn}, "yes"))
            assert found.low is not None
            assert found.high is not None
            inside += found.low <= RIGHT <= found.high
            errors.append((found.value or 0.0) - RIGHT)
        yield {
            "questions": questions,
            "outputs each": outputs,
            "labels": labels,
            "coverage": inside / studies,
            "bias": float(np.mean(errors)),
        }


def main() -> None:
    """Print one line for each judge, number of labels and interval."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a tenth of the studies")
    share = QUICK if parser.parse_args().quick else 1
    studies = max(2, int(STUDIES * share))
    show("Coverage of 95% intervals, and bias", results(studies))
    show("Of several outputs a question", of_outputs(studies))


if __name__ == "__main__":
    main()
