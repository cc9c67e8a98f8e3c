"""How many votes, questions and replications does a judge need?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..errors import UserError
from ..judgments import Judgments, counts
from ..stats import Design, ReliabilityError, StableMajority, precision, stable_majority
from .cells import number, report_groups
from .evidence import why_no_evidence
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
        majority: How stable majorities are; None if there are too few replications, or they are
            no evidence (`why_no_evidence`).
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

    Raises:
        UserError: No question was judged more than once.
    """
    groups = list(report_groups(judgments, by))
    if all(counts(rows).replications.max() < 2 for _, rows in groups):
        raise UserError(
            "No question was judged more than once, and a plan rests on how the replications of a "
            "question differ: run the judge again with more epochs, such as `--epochs 10`."
        )
    return [plan(group, rows, half_widths, wanted) for group, rows in groups]


def plan(
    group: dict[str, Any], table: pd.DataFrame, half_widths: Sequence[float], wanted: float
) -> Plan:
    """Plan for one group."""
    counted = counts(table)
    majority, reason = None, why_no_evidence(table)
    if reason is None:
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
        "unsettled_votes": found.majority.most_by_question if found.majority else None,
        "designs": design_rows(found),
        "tokens_per_judgment": found.tokens,
        "not_estimable": {
            **({"votes": found.majority_reason} if found.majority_reason else {}),
            **({"share_stable": why} if (why := beyond(found)) else {}),
            **{
                f"{one.coefficient} +-{one.half_width:g}": one.reason
                for one in found.planned
                if one.reason
            },
        },
    }


def beyond(found: Plan) -> str | None:
    """From how many votes on it is not known which questions are stable; None if always known."""
    if found.majority is None or None not in found.majority.share_stable:
        return None
    told = "each question can be judged on its own with at most a quarter of its replications"
    if (most := found.majority.most_by_question) is None:
        return f"{told}, and there are fewer than 4"
    return f"{told}: which are stable is not known with more than {_votes(most)}"


def _votes(n: int) -> str:
    return f"{n} vote{'s' if n > 1 else ''}"


def majority_remarks(found: Plan) -> list[str]:
    """What the votes come to, in sentences."""
    if (majority := found.majority) is None:
        return [f"No votes: {found.majority_reason}"]
    needed, wanted = majority.votes_needed, f"the same majority again {majority.wanted:.0%} of the"
    remarks = [
        f"{_votes(needed)} give{'' if needed > 1 else 's'} {wanted} time."
        if needed
        else f"No number of votes up to {majority.votes[-1]} gives {wanted} time."
    ]
    if (most := majority.most_by_question) and (below := majority.unsettled):
        ties = ", ".join(f"{one.question} ({one.agreement:.2f})" for one in below[:5])
        stay = f"{len(below)} questions stay" if below[1:] else "1 question stays"
        remarks.append(
            f"{stay} below that with {_votes(most)}; near-ties never get there. The least stable: "
            f"{ties}."
        )
    if why := beyond(found):
        remarks.append(f"{why[0].upper()}{why[1:]}.")
    return remarks


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
