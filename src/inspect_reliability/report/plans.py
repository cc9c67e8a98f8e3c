"""How many votes, questions and replications does a judge need?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..judgments import Judgments, counts
from ..reliability import (
    Design,
    ReliabilityError,
    StableMajority,
    precision,
    stable_majority,
)
from .cells import number, report_groups
from .rows import Row

PLAN_BY = ("judge", "temperature")
"""Benchmarks are put together: a plan needs all the questions there are."""

COEFFICIENTS = ("omega", "agreement")
REPLICATIONS = (5, 10, 20, 50, 100)


@dataclass(frozen=True)
class Planned:
    """Studies that would give a coefficient an interval of a wanted half-width.

    Attributes:
        coefficient: Its name.
        half_width: Half the width wanted.
        designs: One for each number of replications.
        reason: Why there is none; else None.
    """

    coefficient: str
    half_width: float
    designs: tuple[Design, ...]
    reason: str | None


@dataclass(frozen=True)
class Plan:
    """What a judge's own judgments say about the next study.

    Attributes:
        group: The judge under its condition.
        n_questions: Questions judged so far.
        majority: How stable majorities are; None if there are too few replications.
        majority_reason: Why there is none; else None.
        planned: Questions needed, by coefficient and half-width.
        tokens: Tokens of one judgment, prompt and output, mean; None where logs do not say.
    """

    group: dict[str, Any]
    n_questions: int
    majority: StableMajority | None
    majority_reason: str | None
    planned: tuple[Planned, ...]
    tokens: float | None


def plans(
    judgments: Judgments,
    by: Sequence[str] = PLAN_BY,
    half_widths: Sequence[float] = (0.05, 0.1),
    wanted: float = 0.95,
) -> list[Plan]:
    """Plan for every group of judgments.

    Args:
        judgments: A pilot or a whole study.
        by: Columns to group by.
        half_widths: Half-widths wanted of the intervals.
        wanted: Probability that two majorities agree, for a question to count as stable.
    """
    return [plan(group, rows, half_widths, wanted) for group, rows in report_groups(judgments, by)]


def plan(
    group: dict[str, Any], table: pd.DataFrame, half_widths: Sequence[float], wanted: float
) -> Plan:
    """Plan for one group."""
    counted = counts(table)
    majority, reason = None, None
    try:
        majority = stable_majority(counted, wanted=wanted)
    except ReliabilityError as error:
        reason = str(error)
    planned = []
    for coefficient in COEFFICIENTS:
        found = precision(counted, coefficient)
        for half_width in half_widths:
            designs: tuple[Design, ...] = ()
            why = found.reason
            if why is None:
                try:
                    designs = found.designs(half_width, REPLICATIONS)
                except ReliabilityError as error:
                    why = str(error)
            planned.append(Planned(coefficient, half_width, designs, why))
    tokens = table["tokens"].dropna() if "tokens" in table else pd.Series(dtype=float)
    return Plan(
        group=group,
        n_questions=len(counted.questions),
        majority=majority,
        majority_reason=reason,
        planned=tuple(planned),
        tokens=float(tokens.mean()) if len(tokens) else None,
    )


def plan_row(found: Plan) -> Row:
    """A plan as nested lists of plain values."""
    return {
        **{name: number(value) for name, value in found.group.items()},
        "n_questions": found.n_questions,
        "votes": votes_rows(found),
        "votes_needed": found.majority.votes_needed if found.majority else None,
        "unsettled": [
            {"question": one.question, "agreement": one.agreement, "lead": one.lead}
            for one in (found.majority.unsettled if found.majority else ())
        ],
        "designs": design_rows(found),
        "tokens_per_judgment": found.tokens,
        "not_estimable": {
            **({"votes": found.majority_reason} if found.majority_reason else {}),
            **{
                f"{one.coefficient} +-{one.half_width:g}": one.reason
                for one in found.planned
                if one.reason
            },
        },
    }


def votes_rows(found: Plan) -> list[Row]:
    """One row for each number of votes."""
    if found.majority is None:
        return []
    columns = (found.majority.votes, found.majority.agreement, found.majority.share_stable)
    return [
        {"votes": votes, "agreement": agreement, "share_stable": stable}
        for votes, agreement, stable in zip(*columns, strict=True)
    ]


def design_rows(found: Plan) -> list[Row]:
    """One row for each study that would do."""
    return [
        {
            "coefficient": planned.coefficient,
            "half_width": planned.half_width,
            "n_replications": design.n_replications,
            "n_questions": design.n_questions,
            "judgments": design.judgments,
            "tokens": None if found.tokens is None else round(design.judgments * found.tokens),
        }
        for planned in found.planned
        for design in planned.designs
    ]
