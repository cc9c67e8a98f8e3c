"""How many runs must vote before their majority is the judge's own?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .counts import Counts
from .errors import ReliabilityError
from .sums import FloatArray

RESAMPLES = 1000


@dataclass(frozen=True)
class Unsettled:
    """A question whose majority is not the same often enough, whatever the votes tried.

    Attributes:
        question: Its name.
        agreement: How often two majorities of the most votes are the same.
        lead: Share of its most frequent verdict minus that of the runner-up. Near 0 it is a
            near-tie, which no number of votes settles in practice.
    """

    question: str
    agreement: float
    lead: float


@dataclass(frozen=True, eq=False)
class StableMajority:
    """How often two majorities of so many votes are the same.

    Attributes:
        votes: Numbers of votes m.
        agreement: Probability that the majorities of two disjoint sets of m runs are the same,
            mean over questions, for each m.
        share_stable: Share of questions in which that probability is at least `wanted`, for each m.
        by_question: The probability for each m and question, V x N.
        questions: The N questions that entered.
        votes_needed: The fewest votes tried with a mean agreement of at least `wanted`; None if
            no number of them is enough.
        unsettled: Questions below `wanted` even with the most votes, the least stable first.
        left_out: Questions with fewer than two runs per vote of the largest m.
        wanted: The probability asked for.
    """

    votes: tuple[int, ...]
    agreement: tuple[float, ...]
    share_stable: tuple[float, ...]
    by_question: FloatArray
    questions: tuple[str, ...]
    votes_needed: int | None
    unsettled: tuple[Unsettled, ...]
    left_out: tuple[str, ...]
    wanted: float


def stable_majority(
    counts: Counts, votes: Sequence[int] | None = None, *, wanted: float = 0.95, seed: int = 0
) -> StableMajority:
    """How often the majority of m runs is that of m other runs of the same judge.

    Two disjoint sets of m runs are drawn without replacement from a question's R runs, 1,000
    times, so m is at most R/2. Verdicts that tie for the majority win with equal chance: a fair
    draw favours no category, and one vote is then one run, so that its agreement is P_o. Two
    votes are no better than one, and an even number no better than the odd one below it where
    there are two verdicts: use odd numbers.

    Args:
        counts: Verdicts per question.
        votes: Numbers of votes to try; by default odd numbers up to half of the median
            replications.
        wanted: Probability that counts as stable.
        seed: Seed of the resampling.

    Raises:
        ReliabilityError: No question has two runs per vote, `votes` or `wanted` make no sense,
            or each non-response is a category of its own.
    """
    if counts.singletons:
        raise ReliabilityError(
            "There is no majority where each non-response is a category of its own: count "
            "non-responses as one category, or leave them out."
        )
    if not 0 < wanted <= 1:
        raise ReliabilityError(f"The probability wanted must lie between 0 and 1, not be {wanted}.")
    replications = counts.replications
    tried = _odd_numbers(int(np.median(replications)) // 2) if votes is None else sorted(set(votes))
    if not tried or tried[0] < 1:
        raise ReliabilityError(
            "A majority needs at least 1 vote, and its stability 2 runs of a question per vote."
        )
    enough = replications >= 2 * tried[-1]
    if not enough.any():
        raise ReliabilityError(
            f"No question has the {2 * tried[-1]} runs that two majorities of {tried[-1]} votes "
            f"need; the most runs of a question are {replications.max()}."
        )
    kept = counts.rows(enough)
    generator = np.random.default_rng(seed)
    by_question = np.array([_agreement(kept.table, m, generator) for m in tried])
    agreement = by_question.mean(axis=1)
    return StableMajority(
        votes=tuple(tried),
        agreement=tuple(agreement.tolist()),
        share_stable=tuple((by_question >= wanted).mean(axis=1).tolist()),
        by_question=by_question,
        questions=kept.questions,
        votes_needed=next((m for m, a in zip(tried, agreement, strict=True) if a >= wanted), None),
        unsettled=_unsettled(kept, by_question[-1], wanted),
        left_out=counts.rows(~enough).questions if not enough.all() else (),
        wanted=wanted,
    )


def _odd_numbers(most: int) -> list[int]:
    """Odd numbers up to `most`, closer together where votes still matter; `most` itself if odd."""
    steps = [1, 3, 5, 7, 9, 15, 25, 49, 99, 199, 499]
    largest = most - (most % 2 == 0)
    return sorted({m for m in [*steps, largest] if 1 <= m <= most})


def _agreement(table: NDArray[np.int64], m: int, generator: np.random.Generator) -> FloatArray:
    """Estimated probability that two majorities of m votes are the same, N."""
    # Which category is which makes no difference; a question that never varies needs no drawing.
    ordered = np.sort(table, axis=1)[:, ::-1]
    varies = ordered[:, 0] < ordered.sum(axis=1)
    agreement = np.ones(len(table))
    runs = np.broadcast_to(ordered[varies], (RESAMPLES, int(varies.sum()), table.shape[1]))
    first = _draw(runs, m, generator)
    second = _draw(runs - first, m, generator)
    # The tie-break is averaged over, not drawn.
    won, won_too = (_chance_to_win(votes) for votes in (first, second))
    agreement[varies] = (won * won_too).sum(axis=-1).mean(axis=0)
    return agreement


def _draw(runs: NDArray[np.int64], m: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """Draw m runs without replacement (multivariate hypergeometric), one category at a time."""
    drawn = np.empty_like(runs)
    others = runs.sum(axis=-1)
    wanted = np.full_like(others, m)
    for k in range(runs.shape[-1]):
        others = others - runs[..., k]
        drawn[..., k] = generator.hypergeometric(runs[..., k], others, wanted)
        wanted = wanted - drawn[..., k]
    return drawn


def _chance_to_win(votes: NDArray[np.int64]) -> FloatArray:
    """1 for the majority, shared equally by those that tie."""
    best = votes == votes.max(axis=-1, keepdims=True)
    return np.asarray(best / best.sum(axis=-1, keepdims=True))


def _unsettled(counts: Counts, agreement: FloatArray, wanted: float) -> tuple[Unsettled, ...]:
    shares = np.sort(counts.table / counts.replications[:, None], axis=1)
    runner_up = shares[:, -2] if shares.shape[1] > 1 else 0.0
    lead = shares[:, -1] - runner_up
    return tuple(
        Unsettled(counts.questions[i], float(agreement[i]), float(lead[i]))
        for i in np.argsort(agreement, kind="stable")
        if agreement[i] < wanted
    )
