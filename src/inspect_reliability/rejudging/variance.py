"""What a suite's score varies with: the question, the model's own run, or the judge."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from inspect_ai.log import EvalLog

from ..errors import UserError
from ..stats import Decomposition, Estimate, decompose
from ..stats.decomposition import widening as widening_of
from ..verdicts import CORRECT, INCORRECT, INVALID, NON_RESPONSE, TIE
from .grading import LoggedScorer, grading_of, scorers_in

if TYPE_CHECKING:
    import pandas as pd

_WORTH = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "true": 1.0, "false": 0.0}
_WORTH |= {CORRECT: 1.0, INCORRECT: 0.0, NON_RESPONSE: math.nan, INVALID: math.nan, TIE: math.nan}

FEWEST_QUESTIONS = 20
"""From fewer, nothing is said of the interval of a published score."""


def score_variance(judgments: pd.DataFrame) -> Decomposition:
    """Split the variance of a score into questions, runs of the model and the judge.

    Epochs are runs of the model; replications of the judge are those of `rejudge`. Grades count as
    in inspect's `accuracy()`: C and true 1, P a half, I, N and false 0. Non-responses and ties are
    left out and counted, as inspect leaves out what is unscored.

    Args:
        judgments: A judgments table of one scorer, read from logs.

    Raises:
        UserError: The verdicts are names, which have no mean, or those of several scorers.
        ReliabilityError: There is no score.
    """
    if "scorer" in judgments and judgments["scorer"].nunique(dropna=False) > 1:
        raise UserError(
            "The variance of a score is that of one scorer, and the judgments are of several: "
            f"{', '.join(map(str, judgments['scorer'].unique()))}. Choose one, as in "
            "table[table['scorer'] == 'rejudge']."
        )
    return decompose(*_columns(judgments))


def _columns(judgments: pd.DataFrame) -> tuple[pd.Series, pd.Series, pd.Series]:
    """The question, the run and the worth of each judgment."""
    names = judgments["verdict"].dropna().unique()
    worths = {name: worth(name) for name in names}
    if unknown := [name for name, value in worths.items() if value is None]:
        raise UserError(
            f"The variance of a score needs numbers or grades (C, P, I, N), not {unknown[0]!r}."
        )
    return judgments["sample"], judgments["epoch"], judgments["verdict"].map(worths)


def widening(log: EvalLog, suite: str, judgments: pd.DataFrame) -> Estimate | None:
    """How many times as wide the interval of the score in a rejudged log should be; at least 1.

    None if the log has no standard error of it. Raises what `score_variance` raises.

    Args:
        log: A rejudged log, with its samples.
        suite: A scorer in its judgments table: the name of the score that `rejudge` gave, with a
            key (`rejudge.style`) where scores have several parts.
        judgments: The judgments of that scorer.
    """
    own, published = _own_scorer(log, suite), published_error(log, suite)
    if own is None or published is None:
        return None
    judgments = judgments[~judgments["verdict"].isin([NON_RESPONSE, INVALID])]
    graders, now = grading_of(log, own[0]).models, judgments["judge"].dropna().unique()
    outputs = sum(not sample.error for sample in log.samples or [])
    judged = len(judgments[["sample", "epoch"]].drop_duplicates())
    questions = judgments["sample"].nunique()
    if graders and any(set(name.split(", ")) != graders for name in now):
        reason = f"it was graded by {', '.join(sorted(graders))}, and now by {', '.join(now)}"
    elif judged < outputs:
        reason = f"{judged} of {outputs} outputs have a grade; advice takes all of them"
    elif questions < FEWEST_QUESTIONS:
        reason = f"it takes {FEWEST_QUESTIONS} questions with a grade, and there are {questions}"
    else:
        return widening_of(*_columns(judgments), published)
    return Estimate(reason=reason)


def published_error(log: EvalLog, suite: str) -> float | None:
    """The standard error that a rejudged log published with the scorer that was judged again.

    `suite` is as in `widening`. None if the log has none, or several scorers of that name.
    """
    own = _own_scorer(log, suite)
    if own is None:
        return None
    scorer, key = own
    for one in log.results.scores if log.results else []:
        if one.scorer == scorer.score and "stderr" in one.metrics and key in ("", one.name):
            error = float(one.metrics["stderr"].value)
            return error if math.isfinite(error) else None
    return None


def _own_scorer(log: EvalLog, suite: str) -> tuple[LoggedScorer, str] | None:
    """The log's own scorer that was judged again as `suite`, and the key of its score's part."""
    named = scorers_in(log)
    mine = next(
        (one for one in named if one.again and f"{suite}.".startswith(f"{one.score}.")), None
    )
    own = [one for one in named if mine and not one.again and one.is_like(mine)]
    if mine is None or len(own) != 1:
        return None
    return own[0], suite.removeprefix(mine.score).removeprefix(".")


def worth(name: str) -> float | None:
    """What a grade or number counts, as in inspect's `accuracy()`; None for other names."""
    if name in _WORTH:
        return _WORTH[name]
    try:
        value = float(name)
    except ValueError:
        return None
    return None if math.isinf(value * value) else value  # nor could it be squared
