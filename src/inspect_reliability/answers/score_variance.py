"""What a suite's score varies with: questions, the model's own runs, or the judge."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..errors import UserError
from ..judgments.table import is_rejudged, of_scorers
from ..record.replications import VOTES
from ..showing.document import Block, Table, Text
from ..showing.formats import Record
from ..showing.keys import declared
from ..stats import ReliabilityError
from ..stats.decomposition import Decomposition, decompose
from ..verdicts import CORRECT, INCORRECT, INVALID, NON_RESPONSE, TIE

if TYPE_CHECKING:
    import pandas as pd

    from .analysis import Analysis

_WORTH = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "true": 1.0, "false": 0.0}
_WORTH |= {CORRECT: 1.0, INCORRECT: 0.0, NON_RESPONSE: math.nan, INVALID: math.nan, TIE: math.nan}

_NAMES = ("model", "task", "scorer", "grader")
"""What tells scores apart, as a line says it."""

_TRIES = (1, 2, 4, 8)
"""Tries of the grader whose standard errors are said."""

_SOURCES = {
    "judge": "replications of the judge on an output",
    "runs": "runs of the model on a question",
    "questions": "questions",
}


def score_variance(judgments: pd.DataFrame) -> Decomposition:
    """Split the variance of a score into questions, runs of the model and the judge.

    Epochs are runs of the model; replications of the judge are those of `rejudge`. Grades count as
    in inspect's `accuracy()`: C and true 1, P a half, I, N and false 0. Non-responses and ties are
    left out and counted, as inspect leaves out what is unscored.

    Args:
        judgments: A judgments table of one scorer, read from logs.

    Raises:
        UserError: A column is missing, or the verdicts are names, which have no mean, or those of
            several scorers.
        ReliabilityError: There is no score.

    Example:
        >>> import inspect_reliability as ir
        >>> import pandas as pd
        >>> # Two samples, two epochs each, and each output judged twice.
        >>> grades = ["C", "C", "I", "C", "I", "I", "I", "I"]
        >>> outputs = {"sample": list("aaaabbbb"), "epoch": [1, 1, 2, 2] * 2}
        >>> table = pd.DataFrame({**outputs, "verdict": grades})
        >>> found = ir.score_variance(table)
        >>> found.questions, found.runs, found.judge
        (0.25, 0.0, 0.125)
    """
    if lacking := [name for name in ("sample", "epoch", "verdict") if name not in judgments]:
        raise UserError(
            f"judgments has no column {lacking[0]!r}. Give the table of judgments of logs, as in "
            "ir.judgments_from_logs(LOGS).table."
        )
    if "scorer" in judgments and judgments["scorer"].nunique(dropna=False) > 1:
        raise UserError(
            "The variance of a score is that of one scorer, and the judgments are of several: "
            f"{', '.join(map(str, judgments['scorer'].unique()))}. Choose one, as in "
            "table[table['scorer'] == 'rejudge']."
        )
    names = judgments["verdict"].dropna().unique()
    worths = {name: worth(name) for name in names}
    if unknown := [name for name, value in worths.items() if value is None]:
        raise UserError(
            f"The variance of a score needs numbers or grades (C, P, I, N), not {unknown[0]!r}."
        )
    return decompose(judgments["sample"], judgments["epoch"], judgments["verdict"].map(worths))


def worth(name: str) -> float | None:
    """The value of a grade or number in inspect's `accuracy()`; None for other names."""
    if name in _WORTH:
        return _WORTH[name]
    try:
        value = float(name)
    except ValueError:
        return None
    return None if math.isinf(value * value) else value  # nor could it be squared


_RUNS = ["model", "benchmark", "scorer", "judge", "temperature"]
"""What one score is of: its suite, and what made and graded its outputs."""


def of_suites(analysis: Analysis) -> list[Record]:
    """Variance components of each score of a suite; none of other judgments."""
    judgments = analysis.judgments
    if not of_scorers(judgments.table):
        return []
    models = {where: log.run[0] for where, log in judgments.logs.items()}
    return suites_in(judgments.table, models)


def suites_in(
    judgments: pd.DataFrame, models: Mapping[str, str] = MappingProxyType({})
) -> list[Record]:
    """Variance components of the score of each task, model, scorer and grader.

    Args:
        judgments: A judgments table.
        models: The model that was evaluated, by log.
    """
    table = judgments
    if models and "log" in table:
        table = table.assign(model=table["log"].map(models))
    if "output_model" in table:  # a log of `rejudge` runs no model but the grader
        own = table["output_model"]
        table = table.assign(model=own.where(own.notna(), table.get("model")))
    by = [name for name in _RUNS if name in table]
    groups = [
        (str(own["scorer"].iloc[0]), own)
        for _, own in table[table["scorer"].notna()].groupby(by, dropna=False)
    ]
    return [of_suite(name, _with_runs(own)) for name, own in groups if VOTES not in name.split(".")]


def _with_runs(own: pd.DataFrame) -> pd.DataFrame:
    """Judgments with an epoch for each output: those of several runs have equal numbers."""
    again = is_rejudged(own)
    # Shards of one rejudging are several logs, in which an output has one name.
    known = ["question", "epoch"] if again else ["log", "epoch"]
    if not {*known} <= {*own}:
        return own
    return own.assign(epoch=own.groupby(known, dropna=False).ngroup())


def of_suite(suite: str, judgments: pd.DataFrame) -> Record:
    """Variance components of a score, and how far it moves.

    A score is the mean of one grade of each output. What it moves by is its standard deviation.

    Args:
        suite: A scorer in the judgments table: the name of the score that `rejudge` gave, with a
            key (`rejudge.style`) if scores have several parts.
        judgments: The judgments of that scorer.
    """
    variance, reason, ends = None, None, None
    try:
        variance = score_variance(judgments)
        reason = variance.reason
        grades = judgments["verdict"].dropna().unique()
        values = [value for name in grades if not math.isnan(value := worth(name) or 0.0)]
        ends = [min(values), max(values)]
    except (UserError, ReliabilityError) as error:
        reason = str(error.args[0]).removesuffix(".")
    columns = {"task": "benchmark", "model": "model", "grader": "judge"}
    firsts = {n: judgments[one].iloc[0] for n, one in columns.items() if one in judgments}
    return {
        "scorer": suite,
        **{n: one if isinstance(one := firsts.get(n), str) else None for n in columns},
        "sd_judge": variance and _deviation(variance, variance.judge),
        "sd_runs": variance and _deviation(variance, variance.runs),
        "variance": variance and asdict(variance),
        "shares": variance and variance.shares,
        "by_tries": variance and _by_tries(variance),
        "range": ends,
        "reason": reason,
    }


def _deviation(found: Decomposition, of_one: float | None) -> float | None:
    """Standard deviation of a mean over all outputs, by the variance of one; 0 of one below 0."""
    n = found.n_questions * found.n_runs
    return None if of_one is None else math.sqrt(max(of_one, 0.0) / n)


def _by_tries(found: Decomposition) -> list[Record] | None:
    """The standard error of the score over questions, with some numbers of tries of the grader."""
    errors = [(k, found.se_with(k)) for k in _TRIES]
    known = [{"tries": k, "standard_error": error} for k, error in errors if error is not None]
    return known or None


def moves_scores(suites: Iterable[Record]) -> Iterator[str]:
    """How far each score moves, with its name where there are several; see `moves_score`."""
    said = [(suite, words) for suite in suites if (words := moves_score(suite))]
    apart = [name for name in _NAMES if len({str(suite[name]) for suite, _ in said}) > 1]
    for suite, words in said:
        name = ", ".join(str(suite[one]) for one in apart)
        yield f"{name}: {words[0].lower()}{words[1:]}" if name else words


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


def moves_score(suite: Record) -> str:
    """How far a suite's score moves when its outputs are graded, or made, again; '' if unknown."""
    if suite["sd_judge"] is None:
        return ""
    in_points = suite["range"][0] >= 0 and suite["range"][1] <= 1
    unit = " points" if in_points else ""

    def far(deviation: float) -> str:
        return f"{100 * deviation if in_points else deviation:.2g}"

    tries = ""
    if suite["by_tries"]:
        *most, last = [far(one["standard_error"]) for one in suite["by_tries"]]
        *numbers, largest = [one["tries"] for one in suite["by_tries"]]
        tries = (
            f" With {', '.join(map(str, numbers))} or {largest} tries of the grader, the standard "
            f"error of the score (over questions) is {', '.join(most)} or {last}{unit}."
        )
    said = f"Grading the same outputs again moves the score by {far(suite['sd_judge'])}{unit}"
    if suite["sd_runs"] is None:
        moved = f"{said} (standard deviation, of one try each)"
        return f"{moved}; how far other runs of the model do, epochs say.{tries}"
    runs = far(suite["sd_runs"])
    return (
        f"{said}, other runs of the model by {runs} (standard deviations, of one try each).{tries}"
    )


def score_moves(analysis: Analysis) -> Iterator[Block]:
    """What moves each score whose outputs were judged again."""
    for suite in analysis.results["score_variance"]:
        if suite["sd_judge"] is not None:
            yield from variance_in_words(suite)


def variance_in_words(suite: Record) -> Iterator[Block]:
    """A table of the sources, and what is not known."""
    title = f"Where the variance of the score comes from ({suite['scorer']})"
    found = sources(suite)
    yield Table.of(found, declared("sources"), title) if found else Text(title, "heading")
    if suite["reason"]:
        yield Text(f"Not known: {suite['reason']}.")
    if found:
        tries = suite["variance"]["n_judgments"]
        of = f"The mean is of {tries:.3g} tries of each output. " if tries > 1 else ""
        yield Text(f"{of}Each standard error includes those of the rows above it.")
    if any(share < 0 for share in (suite["shares"] or {}).values()):
        yield Text("A variance estimated below 0 is close to 0.")
    if left_out := (suite["variance"] or {}).get("left_out"):
        yield Text(f"Left out: {left_out:,} non-responses, which have no grade.")
