"""Is a judge right as often as its votes say?"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..stats.cells import Flags, FloatArray
from ..stats.interval_scales import Ends, clopper_pearson
from ..stats.selective import Votes


class CalibrationPoint(NamedTuple):
    """Questions whose most frequent verdict has this share, and how often it is right."""

    share: float
    n: int
    right: float
    ends: Ends


@dataclass(frozen=True)
class Brier:
    """Brier's score of the judge's own probabilities, 0 (best) to 2, and what it is made of.

    score = reliability - resolution + uncertainty - of_votes

    Attributes:
        score: What probabilities without the noise of finite votes would have; without bias.
        reliability: How far shares are from how often they are right.
        resolution: How far these are apart: more is better.
        uncertainty: What labels leave open, whatever the judge says.
        of_votes: What finite votes add: p (1 - p) / R.
    """

    score: float
    reliability: float
    resolution: float
    uncertainty: float
    of_votes: float


def calibration_points(ballots: Votes, right: Flags, level: float = 0.95) -> list[CalibrationPoint]:
    """A point for each share that a most frequent verdict has, without bins.

    Ties and abstentions have no point: they say nothing that could be right. Of probabilities,
    neighbours whose order the labels turn round are one point (pool adjacent violators, as in
    Dimitriadis, Gneiting & Jordan 2021). Intervals are those of Clopper & Pearson.

    Args:
        ballots: Votes on labelled questions.
        right: Whether each verdict is the label, N x K.
        level: Confidence level of the intervals.
    """
    said = ballots.confidence > 0
    hit = right[said, ballots.top[said]].astype(float)
    share = ballots.confidence[said].round(12)
    found = []
    for own in _alike(share, hit, bool(np.isinf(ballots.tries))):
        n, good = int(own.sum()), float(hit[own].sum())
        ends = clopper_pearson(good, n, level)
        found.append(CalibrationPoint(round(float(share[own].mean()), 12), n, good / n, ends))
    return found


def brier(ballots: Votes, right: Flags) -> Brier | None:
    """Brier's score over all verdicts that decide (1950), with its parts (Murphy 1973).

    Every verdict enters with its share, not only the most frequent one, which its own votes chose
    and whose share is too high for that. Then R votes add p (1 - p) / R to the score, estimated
    without bias by f (1 - f) / (R - 1), and this is subtracted. None without two votes a question.
    """
    given = ballots.votes.sum(axis=1)
    exact = bool(np.isinf(ballots.tries))
    known = given > (0 if exact else 1)
    if not known.any():
        return None
    total = np.ones(int(known.sum())) if exact else given[known]
    shares = ballots.votes[known][:, ballots.decides] / total[:, None]
    hits = right[known][:, ballots.decides].astype(float)
    noise = (
        0.0 if exact else float((shares * (1 - shares) / (total[:, None] - 1)).sum(axis=1).mean())
    )
    share, hit = shares.ravel().round(12), hits.ravel()
    base, n = hit.mean(), len(total)
    groups = [(share[own].mean(), hit[own].mean(), own.sum()) for own in _alike(share, hit, exact)]
    resolution = sum(size * (rate - base) ** 2 for _, rate, size in groups) / n
    uncertainty = len(hit) * base * (1 - base) / n
    score = float(((share - hit) ** 2).sum() / n)
    # Within a group shares are equal, but for the groups of probabilities.
    reliability = score - uncertainty + resolution
    return Brier(score - noise, float(reliability), float(resolution), float(uncertainty), noise)


def _alike(share: FloatArray, hit: FloatArray, exact: bool) -> list[Flags]:
    """Which belong together: those of one share, or that isotonic regression gives one rate."""
    if exact and len(share):
        from scipy.optimize import isotonic_regression

        order = np.lexsort((-hit, share))
        rate = np.empty(len(share))
        rate[order] = isotonic_regression(hit[order]).x
        share = rate.round(12)
    return [share == one for one in np.unique(share)]
