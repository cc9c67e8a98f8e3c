"""What a suite's score varies with: the question, the model's own run, or the judge."""

import math

import pandas as pd
from inspect_ai.log import EvalLog

from ..errors import UserError
from ..reliability import Decomposition, decompose
from ..verdicts import CORRECT, INCORRECT, INVALID, NON_RESPONSE

_WORTH = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "true": 1.0, "false": 0.0}
_WORTH |= {CORRECT: 1.0, INCORRECT: 0.0, NON_RESPONSE: math.nan, INVALID: math.nan}


def score_variance(judgments: pd.DataFrame) -> Decomposition:
    """Split the variance of a score into questions, runs of the model and the judge.

    Epochs are runs of the model; replications of the judge are those of `rejudge`. Grades count as
    in inspect's `accuracy()`: C and true 1, P a half, I, N and false 0. Non-responses are left out
    and counted, as inspect leaves out what is unscored.

    Args:
        judgments: A judgments table of one scorer, read from logs.

    Raises:
        UserError: The verdicts are names, which have no mean.
        ReliabilityError: There is no score.
    """
    names = judgments["verdict"].dropna().unique()
    worth = {name: _worth(name) for name in names}
    if unknown := [name for name, value in worth.items() if value is None]:
        raise UserError(
            f"The variance of a score needs numbers or grades (C, P, I, N), not {unknown[0]!r}."
        )
    return decompose(judgments["sample"], judgments["epoch"], judgments["verdict"].map(worth))


def published_error(log: EvalLog) -> float | None:
    """The standard error that the log's own scorer published; None if it published none."""
    for score in log.results.scores if log.results else []:
        if score.scorer != "rejudge" and "stderr" in score.metrics:
            return float(score.metrics["stderr"].value)
    return None


def _worth(name: str) -> float | None:
    if name in _WORTH:
        return _WORTH[name]
    try:
        return float(name)
    except ValueError:
        return None
