"""What would the same rule keep with fewer votes a question?"""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, inf

import numpy as np

from .cells import ROUNDING, FloatArray, IntArray
from .majority import won_by
from .selective import Cascade, Votes
from .turns import drawn_tallies, of_each, won_in_turn

_DRAWS = 2_000
"""Draws of fewer votes of a question, where these make a mean."""


def fewer_votes(cascade: Cascade, threshold: float, votes: int) -> tuple[float, float | None]:
    """Share that is kept, and share of it that is wrong, with so many votes at a fixed rule.

    The mean over all draws of so many of a question's votes without replacement (of a distribution:
    of so many votes), which take ways of asking in turn, so it is unbiased; where verdicts are
    means, over 2,000 of these draws, the same for questions with the same votes. A question with
    fewer votes is not kept.
    """
    open_ = np.ones(len(cascade.right))
    kept, wrong = np.zeros(len(open_)), np.zeros(len(open_))
    for judge in cascade.judges:
        won = open_[:, None] * _won(judge, threshold, votes)
        kept += won.sum(axis=1)
        wrong += (won * ~cascade.right).sum(axis=1)
        open_ = 1 - kept
    among = kept[cascade.labelled].sum()
    return float(kept.mean()), float(wrong[cascade.labelled].sum() / among) if among else None


def votes_to_keep(threshold: float, votes: int) -> int:
    """How many of so many votes a threshold asks for."""
    return max(ceil(threshold * votes - ROUNDING), 1)


def _won(judge: Votes, threshold: float, votes: int) -> FloatArray:
    """Probability that so many votes keep each verdict, N x K."""
    least = votes_to_keep(threshold, votes)
    exact = bool(np.isinf(judge.tries))
    given = judge.votes.sum(axis=1)
    enough = given >= (0.0 if exact else judge.tries)

    def of(rows: FloatArray) -> FloatArray:
        """What is open of probabilities counts as one verdict more, which decides nothing."""
        return np.column_stack([rows, (1 - rows.sum(axis=1)).clip(0)]) if exact else rows

    if judge.ways is not None:
        known = [of(judge.ways[i]) for i in np.flatnonzero(enough).tolist()]
        won = _won_in_turn(judge, known, least, votes)
    elif judge.grades is not None and votes > 1:
        return _won_by_means(judge, of(judge.votes) * enough[:, None], least, votes)
    else:
        (won,) = won_by(of(judge.votes)[enough], [votes], exact, alone=least)
    found = np.zeros(judge.votes.shape)
    found[enough] = won[:, : len(judge.decides)] * judge.decides
    return found


def _won_in_turn(judge: Votes, ways: Sequence[FloatArray], least: int, votes: int) -> FloatArray:
    """As `_won`, of questions whose ways of asking take turns."""
    exact = bool(np.isinf(judge.tries))
    if judge.grades is None or votes == 1:
        silent = [np.pad(one, ((0, 0), (0, 1))) for one in ways]
        return next(won_in_turn(silent, [votes], exact, least))

    def kept(several: FloatArray) -> FloatArray:
        drawn = (drawn_tallies(one, votes, exact, _DRAWS).T for one in several)
        return np.array([_kept_means(judge, one, least, votes) for one in drawn])

    return of_each(ways, kept)


def _won_by_means(judge: Votes, rows: FloatArray, least: int, votes: int) -> FloatArray:
    """As `_won`, from draws: how often so many votes keep each rounded mean, N x K."""
    # Of many questions, few have other votes than all before.
    different, of = np.unique(rows, axis=0, return_inverse=True)
    rng, found = np.random.default_rng(0), np.zeros((len(different), len(judge.decides)))
    for place, row in enumerate(different):
        if not row.any():
            continue
        if np.isinf(judge.tries):
            drawn = rng.multinomial(votes, row / row.sum(), _DRAWS)
        else:
            drawn = rng.multivariate_hypergeometric(row.astype(int), votes, _DRAWS)
        found[place] = _kept_means(judge, drawn, least, votes)
    return np.asarray(found[of.reshape(-1)])


def _kept_means(judge: Votes, drawn: IntArray, least: int, votes: int) -> FloatArray:
    """How often each rounded mean is kept, K, of draws of so many votes."""
    number, drawn = len(drawn), drawn[drawn.max(axis=1) >= least]
    own = drawn[:, : len(judge.decides)].astype(float)
    said = replace(judge, votes=own, tries=votes).top
    # A verdict that is open may be the most frequent.
    said = said[(said >= 0) & (own.max(axis=1) >= drawn.max(axis=1))]
    return np.asarray(np.bincount(said, minlength=len(judge.decides)) / number)


def smaller_numbers(tries: float) -> list[int]:
    """Numbers of votes to compare with all of them: odd ones; of distributions up to 33.

    Of an even number half can differ from the other half, which no vote decides.
    """
    most = 64 if tries == inf else int(tries)
    return [n for n in (1, 3, 5, 9, 17, 33) if n < most]
