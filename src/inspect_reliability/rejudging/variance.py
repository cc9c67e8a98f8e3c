"""What a suite's score varies with: the question, the model's own run, or the judge."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from inspect_ai.log import EvalLog

from ..errors import UserError
from ..stats import Decomposition, decompose
from ..verdicts import CORRECT, INCORRECT, INVALID, NON_RESPONSE, TIE
from .grading import scorers_in

if TYPE_CHECKING:
    import pandas as pd

_WORTH = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "true": 1.0, "false": 0.0}
_WORTH |= {CORRECT: 1.0, INCORRECT: 0.0, NON_RESPONSE: math.nan, INVALID: math.nan, TIE: math.nan}


_LARGEST = 1e100


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
    names = judgments["verdict"].dropna().unique()
    worth = {name: _worth(name) for name in names}
    if unknown := [name for name, value in worth.items() if value is None]:
        raise UserError(
            f"The variance of a score needs numbers or grades (C, P, I, N), not {unknown[0]!r}."
        )
    # The square of a larger one is no number.
    if large := [name for name, value in worth.items() if abs(value or 0) > _LARGEST]:
        raise UserError(
            f"The variance of a score needs grades of at most {_LARGEST:g} in size, not {large[0]}."
        )
    return decompose(judgments["sample"], judgments["epoch"], judgments["verdict"].map(worth))


def published_error(log: EvalLog, suite: str) -> float | None:
    """The standard error that a rejudged log published with the scorer that was judged again.

    `suite` is a scorer in its judgments table: the name of the score that `rejudge` gave, with a
    key (`rejudge.style`) where scores have several parts. None if the log has none, or several
    scorers of that name.
    """
    named = scorers_in(log)
    mine = next(
        (one for one in named if one.again and f"{suite}.".startswith(f"{one.score}.")), None
    )
    own = [one.score for one in named if mine and not one.again and one.is_like(mine)]
    if mine is None or len(own) != 1:
        return None
    key = suite.removeprefix(mine.score).removeprefix(".")
    for one in log.results.scores if log.results else []:
        if one.scorer == own[0] and "stderr" in one.metrics and key in ("", one.name):
            error = float(one.metrics["stderr"].value)
            return error if math.isfinite(error) else None
    return None


def _worth(name: str) -> float | None:
    if name in _WORTH:
        return _WORTH[name]
    try:
        return float(name)
    except ValueError:
        return None
