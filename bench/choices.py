"""Is the error of a chosen judge still true? Simulation with known truth, or draws of real labels.

    python bench/choices.py [--quick]
    python bench/choices.py FILE... [--by judge --by wording] [--votes 1,3,5] [--labels 100]

Without a file, candidates have a known share of right verdicts, and errors that questions share.
The best of them is chosen by a few labels. It prints what is said of its accuracy less the truth
(in points), how often its interval has the truth, beside those of the usual mean and interval; how
often a candidate is called better than a current one that is as good (A/A), and one that is ten
points better (power); and how often one is called not worse by five points than any other that is.

With files, whose judgments all have a label, a few labels are drawn again and again. It prints what
is promised, what is found on all other questions, and how often that lies in the interval.
"""

import argparse
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from _tables import show
from inspect_reliability.answers import analyse
from inspect_reliability.answers.candidates import candidates_of
from inspect_reliability.judgments.reading import Reading
from inspect_reliability.judgments.sources import judgments_from
from inspect_reliability.stats.cells import FloatArray
from inspect_reliability.stats.interval_scales import share_ends
from inspect_reliability.stats.multiple_comparisons import Candidates

STUDIES = 400
QUICK = 0.1
"""Share of the studies with `--quick`."""
DRAWS = 200
SHARED, OWN = 0.5, 0.2
"""Parts of the variance of a verdict: of its question, and of it and the candidate."""
BETTER, MOST = 0.1, 0.05


class Design(NamedTuple):
    """Candidates and labels of a study.

    `spread` is the standard deviation of true shares around `share`. Verdicts are single, or each a
    mean of `votes`; of `outputs` of a question there is one mean.
    """

    labels: int
    candidates: int
    share: float
    spread: float = 0.0
    votes: int = 1
    outputs: int = 1


DESIGNS = (
    Design(60, 20, 0.75),
    Design(60, 20, 0.95),
    Design(60, 20, 0.75, 0.05),
    Design(200, 20, 0.75, 0.02),
    Design(60, 20, 0.75, votes=5),
    Design(60, 20, 0.75, outputs=4),
    Design(60, 5, 0.75),
    Design(60, 20, 0.5),
    Design(60, 20, 0.98),
    Design(200, 20, 0.75),
    Design(60, 20, 0.95, votes=5),
    Design(60, 5, 0.95, 0.02),
    Design(200, 5, 0.75, 0.05),
    Design(200, 20, 0.95),
    Design(200, 20, 0.75, 0.05, votes=5),
    Design(200, 20, 0.75, 0.05, outputs=4),
    Design(200, 5, 0.5),
    Design(200, 5, 0.98),
)
"""From what shows most on; a study that is cut short has the first."""

MOST_DESIGNS = len(DESIGNS)


def drawn(truth: FloatArray, design: Design, rng: np.random.Generator) -> FloatArray:
    """How often each candidate of these true shares is right on each question, n x m."""
    n, m, each = design.labels, design.candidates, design.outputs
    question = rng.normal(size=(n, 1, 1))
    own = rng.normal(size=(n, each, m))
    at = (ndtri(truth) - SHARED**0.5 * question - OWN**0.5 * own) / (1 - SHARED - OWN) ** 0.5
    right = rng.binomial(design.votes, ndtr(at)) / design.votes
    return np.asarray(right.mean(axis=1))


def truths(design: Design, rng: np.random.Generator) -> FloatArray:
    """True shares, drawn around that of the design."""
    moved = rng.normal(0, 1, design.candidates) * design.spread
    return np.asarray((design.share + moved).clip(0.01, 0.99))


def results(studies: int) -> Iterator[dict[str, Any]]:
    """What is said of the chosen candidate in each design, and what is claimed of others."""
    for number, design in enumerate(DESIGNS[:MOST_DESIGNS]):
        known: dict[str, Any] = design._asdict()
        for what in (after, claims):
            rng = np.random.default_rng(number)
            found = [what(design, rng) for _ in range(studies)]
            known |= {name: float(np.mean([one[name] for one in found])) for name in found[0]}
        yield known


def after(design: Design, rng: np.random.Generator) -> dict[str, float]:
    """What is said of the chosen candidate, less the truth."""
    truth = truths(design, rng)
    best = Candidates(drawn(truth, design, rng))
    chosen = best.chosen
    low, high = best.after_interval
    least, most = share_ends(best.right[:, chosen], 0.95)
    return {
        "naive_off": 100 * float(best.accuracy[chosen] - truth[chosen]),
        "after_off": 100 * float(best.after_choosing - truth[chosen]),
        "usual_holds": float(least <= truth[chosen] <= most),
        "holds": float(low <= truth[chosen] <= high),
        "width": high - low,
    }


def claims(design: Design, rng: np.random.Generator) -> dict[str, float]:
    """What is claimed of equal candidates, of one that is better, and of many that are worse."""
    equal = np.full(design.candidates, design.share)
    better, worse = equal.copy(), equal - MOST
    better[-1] = min(design.share + BETTER, 0.99)
    worse[0] = design.share  # all others are at the limit
    same, planted, limit = (Candidates(drawn(one, design, rng)) for one in (equal, better, worse))
    return {
        "same_called_better": float(bool(same.better(0))),
        "better_found": float(planted.at_least(design.candidates - 1, 0) > 0),
        "wrongly_not_worse": float(any(one > 0 for one in limit.not_worse(MOST))),
    }


def on_labels(right: FloatArray, labels: int, draws: int) -> Iterator[dict[str, Any]]:
    """What is promised by a few of the labels, and found by all others."""
    rng = np.random.default_rng(labels)
    studies = []
    for _ in range(draws):
        order = rng.permutation(len(right))
        best = Candidates(right[order[:labels]])
        truth = float(right[order[labels:], best.chosen].mean())
        (low, high), naive = best.after_interval, float(best.accuracy[best.chosen])
        least, most = share_ends(best.right[:, best.chosen], 0.95)
        # What is found has an error of its own: the other questions are a sample, too.
        studies.append(
            {
                "found": truth,
                "naive": naive,
                "after": best.after_choosing,
                "usual_holds": float(least <= truth <= most),
                "holds": float(low <= truth <= high),
                "best_of_all": float(right[order[labels:]].mean(axis=0).max()),
            }
        )
    means = {name: float(np.mean([one[name] for one in studies])) for name in studies[0]}
    error = float(np.std([one["after"] - one["found"] for one in studies]) / draws**0.5)
    yield {
        "candidates": right.shape[1],
        "questions": len(right),
        "labels": labels,
        **means,
        "after_off_se": 100 * error,
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", metavar="FILE", nargs="*", help="judgments that all have a label")
    parser.add_argument("--by", action="append", default=[], help="column of a candidate")
    parser.add_argument("--votes", default="1,3,5", help="numbers of votes")
    parser.add_argument("--swap", action=argparse.BooleanOptionalAction, help="as for choose")
    parser.add_argument("--labels", type=int, default=100, help="labels of a draw")
    parser.add_argument("--draws", type=int, default=DRAWS, help="draws of labels")
    parser.add_argument("--quick", action="store_true", help="a tenth of the studies")
    given = parser.parse_args()
    if given.files:
        votes = [int(one) for one in given.votes.split(",")]
        judgments = judgments_from(given.files, reading=Reading(swap=given.swap))
        right = candidates_of(analyse(judgments, given.by), votes).by_question
        told = on_labels(right, given.labels, given.draws)
        show("Promised and found", told)
        return
    studies = max(round(STUDIES * (QUICK if given.quick else 1)), 2)
    show(f"The best of several, {studies} studies a line", results(studies))


if __name__ == "__main__":
    main()
