"""What a suite's score varies with: questions, the model's own runs, or the judge."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from ..errors import UserError
from ..stats import Decomposition, Estimate, ReliabilityError, decompose
from ..stats.score_variance import tied_to_scores
from ..stats.score_variance import widening as widening_of
from ..verdicts import CORRECT, INCORRECT, INVALID, NON_RESPONSE, TIE
from .cautions import STOPPED
from .columns import declared
from .document import Block, Table, Text
from .row import valued
from .values import Record

if TYPE_CHECKING:
    import pandas as pd
    from inspect_ai.log import EvalLog

_WORTH = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "true": 1.0, "false": 0.0}
_WORTH |= {CORRECT: 1.0, INCORRECT: 0.0, NON_RESPONSE: math.nan, INVALID: math.nan, TIE: math.nan}

_SOURCES = {
    "judge": "replications of the judge on an output",
    "runs": "runs of the model on a question",
    "questions": "questions",
}

FEWEST_QUESTIONS = 20
"""With fewer, the report is silent on the published interval."""


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
    names = judgments["verdict"].dropna().unique()
    worths = {name: worth(name) for name in names}
    if unknown := [name for name, value in worths.items() if value is None]:
        raise UserError(
            f"The variance of a score needs numbers or grades (C, P, I, N), not {unknown[0]!r}."
        )
    return judgments["sample"], judgments["epoch"], judgments["verdict"].map(worths)


def worth(name: str) -> float | None:
    """The value of a grade or number in inspect's `accuracy()`; None for other names."""
    if name in _WORTH:
        return _WORTH[name]
    try:
        value = float(name)
    except ValueError:
        return None
    return None if math.isinf(value * value) else value  # nor could it be squared


def of_suite(log: EvalLog, suite: str, judgments: pd.DataFrame) -> Record:
    """Variance components of a rejudged log's score, and how much wider its interval should be.

    The factor is at least 1; null if the log has no standard error of the score.

    Args:
        log: A rejudged log, with its samples.
        suite: A scorer in its judgments table: the name of the score that `rejudge` gave, with a
            key (`rejudge.style`) if scores have several parts.
        judgments: The judgments of that scorer.
    """
    published, graders = _published(log, suite)
    variance, wider, cautions = None, None, list[str]()
    try:
        variance = score_variance(judgments)
        reason, cautions = variance.reason, list(_cautions(judgments))
        if published is not None:
            wider = _widening(log, judgments, published, graders)
    except (UserError, ReliabilityError) as error:
        reason = str(error.args[0]).removesuffix(".")
    return {
        "scorer": suite,
        "variance": variance and asdict(variance),
        "shares": variance and variance.shares,
        "reason": reason,
        "cautions": cautions,
        "published": wider and published,
        **valued(widening=wider),
        "widening_reason": wider and wider.reason,
    }


def _cautions(judgments: pd.DataFrame) -> Iterator[str]:
    tied = tied_to_scores(*_columns(judgments))
    if tied and tied[0] < STOPPED:
        chance, fewest, most = tied
        yield (
            f"Questions have between {fewest} and {most} runs with a grade, and their number "
            f"correlates with the score (p = {chance:.3f}). If runs were stopped, or lost, by what "
            "they showed, the score and these variances are biased: run every question equally "
            "often."
        )


def _widening(
    log: EvalLog, judgments: pd.DataFrame, published: float, graders: frozenset[str]
) -> Estimate:
    judgments = judgments[~judgments["verdict"].isin([NON_RESPONSE, INVALID])]
    now = judgments["judge"].dropna().unique()
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


def _published(log: EvalLog, suite: str) -> tuple[float | None, frozenset[str]]:
    """The standard error published by the scorer behind `suite`, and its graders."""
    from ..rejudging.logged import grading_of, scorers_in  # inspect takes a second to import

    scorers = scorers_in(log)
    again = [one for one in scorers if one.again and f"{suite}.".startswith(f"{one.score}.")]
    own = [one for one in scorers if again and not one.again and one.is_like(again[0])]
    if len(own) != 1:
        return None, frozenset()
    key = suite.removeprefix(again[0].score).removeprefix(".")
    for one in log.results.scores if log.results else []:
        if one.scorer == own[0].score and "stderr" in one.metrics and key in ("", one.name):
            error = float(one.metrics["stderr"].value)
            return error if math.isfinite(error) else None, grading_of(log, own[0]).models
    return None, frozenset()


def sources(suite: Record) -> list[Record]:
    """One record per source of the score's variance."""
    variance, shares = suite["variance"] or {}, suite["shares"] or {}
    return [
        {
            "source": words,
            "variance": variance[name],
            "share": shares.get(name),
            "standard_error": variance[f"se_{name}"],
        }
        for name, words in _SOURCES.items()
        if variance.get(name) is not None
    ]


def in_words(suite: Record) -> Iterator[Block]:
    """A table of the sources, its cautions, and the meaning for the published score."""
    title = f"Where the variance of the score comes from ({suite['scorer']})"
    found = sources(suite)
    yield Table.of(found, declared("sources"), title) if found else Text(title, "heading")
    if suite["reason"]:
        yield Text(f"Not known: {suite['reason']}.")
    if found:
        yield Text("Each standard error counts its source and those above it.")
    if any(share < 0 for share in (suite["shares"] or {}).values()):
        yield Text("A variance that is estimated below 0 is about 0.")
    yield from map(Text, suite["cautions"])
    if left_out := (suite["variance"] or {}).get("left_out"):
        yield Text(f"Left out: {left_out:,} non-responses, which have no grade.")
    if suite["published"] is not None:
        yield Text(_advice(suite))


def _advice(suite: Record) -> str:
    published = f"the published score (standard error {suite['published']:.3g})"
    if suite["widening"] is None:
        why = suite["widening_reason"]
        return f"Whether the interval of {published} is wide enough is not known: {why}."
    low, high = suite["widening_interval"]
    if low == 1:
        return (
            f"These judgments do not show that the interval of {published} is too narrow for other "
            "questions, runs of the model and replications of the judge (times as wide, 95%: "
            f"[1.00, {high:.2f}])."
        )
    return (
        f"The interval of {published} should be {suite['widening']:.2f} [{low:.2f}, {high:.2f}] "
        "times as wide to hold for other questions, runs of the model and replications of the "
        "judge."
    )
