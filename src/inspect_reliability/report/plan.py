"""How many votes, questions and replications does a judge need?"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from ..errors import UserError
from ..judgments import Judgments, counts
from ..stats import Counts, ReliabilityError, precision
from .analysis import split
from .copies import why_no_evidence
from .document import Block, Document, Table, Text
from .votes import majority_of, votes_of
from .wording import Named, Record, describe, field, plain

PLAN_BY = ("judge", "temperature")
"""Benchmarks are pooled: a plan needs all the questions there are."""

COEFFICIENTS = ("omega", "agreement")
REPLICATIONS = (5, 10, 20, 50, 100)

_TABLES = {
    "votes": (
        "Votes for a stable majority",
        {
            "Votes": field("votes"),
            "Same majority again": field("agreement", ".2f"),
            "Questions stable": field("share_stable", ".0%", "not known"),
        },
    ),
    "designs": (
        "Studies that give an interval of the wanted width",
        {
            "Coefficient": field("coefficient"),
            "Half-width": lambda design: f"+-{design['half_width']:g}",
            "Replications": field("n_replications"),
            "Questions": field("n_questions", ","),
            "Judgments": field("judgments", ","),
            "Tokens": field("tokens", ",", "not known"),
        },
    ),
}


def plans(
    judgments: Judgments,
    by: Sequence[str] = PLAN_BY,
    half_widths: Sequence[float] = (0.05, 0.1),
    wanted: float = 0.95,
) -> list[Named]:
    """Plan for every group of judgments.

    Args:
        judgments: A pilot or a whole study.
        by: Columns to group by.
        half_widths: Half-widths wanted of the intervals.
        wanted: Probability that two majorities agree, for a question to count as stable.

    Returns:
        One record a group: `votes` and how many are needed, the questions that stay unsettled,
        `designs` of studies that would do, and what is not known.

    Raises:
        UserError: No question was judged more than once.
    """
    groups = [(group, rows, counts(rows)) for group, rows in split(judgments, by)]
    if all(counted.replications.max() < 2 for _, _, counted in groups):
        raise UserError(
            "No question was judged more than once, but a plan needs to know how the replications "
            "of a question differ. Run the judge again with more epochs, such as `--epochs 10`."
        )
    return [
        Named(
            f"{describe(group)} ({len(counted.questions)} questions)",
            _plan(group, rows, counted, half_widths, wanted),
        )
        for group, rows, counted in groups
    ]


def plan_document(found: Sequence[Named], wanted: float = 0.95) -> Document:
    """Each plan with its two tables and what they come to."""
    blocks: list[Block] = []
    sheet = []
    for name, plan in found:
        blocks.append(Text(name, "heading"))
        # A record begins with what it is of.
        group = dict(list(plan.items())[: list(plan).index("n_questions")])
        for key, (title, columns) in _TABLES.items():
            if plan[key]:
                blocks.append(Table.of(plan[key], columns, title))
            sheet += [group | {"table": key} | record for record in plan[key]]
        blocks += [Text(remark) for remark in remarks(plan, wanted)]
    results = {"rows": [plan.record for plan in found]}
    return Document("How large must the next study be?", blocks, results, sheet=sheet)


def remarks(plan: Record, wanted: float = 0.95) -> list[str]:
    """What a plan comes to, and what is not known, in sentences."""
    why = dict(plan["not_estimable"])
    if reason := why.pop("votes", None):
        found = [f"No votes: {reason}"]
    elif needed := plan["votes_needed"]:
        give = "give" if needed > 1 else "gives"
        found = [f"{_votes(needed)} {give} the same majority again {wanted:.0%} of the time."]
    else:
        most = plan["votes"][-1]["votes"]
        found = [
            f"No number of votes up to {most} gives the same majority again {wanted:.0%} of the "
            "time."
        ]
    if below := plan["unsettled"]:
        ties = ", ".join(f"{one['question']} ({one['agreement']:.2f})" for one in below[:5])
        questions = f"{len(below)} questions are" if below[1:] else "1 question is"
        found.append(
            f"With {_votes(plan['unsettled_votes'])}, {questions} still below {wanted:.0%}. "
            f"Near-ties never reach it. The least stable: {ties}."
        )
    if reason := why.pop("share_stable", None):
        found.append(reason)
    return found + [f"{aim}: {reason}" for aim, reason in why.items()]


def _plan(
    group: Mapping[str, Any],
    table: pd.DataFrame,
    counted: Counts,
    half_widths: Sequence[float],
    wanted: float,
) -> Record:
    majority, reason = majority_of(counted, why_no_evidence(table), wanted)
    why = {"votes": reason} if reason else {}
    if majority and None in majority.share_stable:
        why["share_stable"] = "A single question can be judged with at most a quarter of its " + (
            "replications, so which questions are stable is not known with more than "
            f"{_votes(majority.most_by_question)}."
            if majority.most_by_question
            else "replications, and there are fewer than 4."
        )
    known = table["tokens"].dropna() if "tokens" in table else pd.Series(dtype=float)
    tokens = float(known.mean()) if len(known) else None
    designs = []
    for coefficient in COEFFICIENTS:
        found = precision(counted, coefficient)
        for half_width in half_widths:
            try:
                if found.reason:
                    raise ReliabilityError(found.reason)
                studies = found.designs(half_width, REPLICATIONS)
            except ReliabilityError as error:
                why[f"{coefficient} +-{half_width:g}"] = str(error)
                continue
            designs += [
                {
                    "coefficient": coefficient,
                    "half_width": half_width,
                    "n_replications": study.n_replications,
                    "n_questions": study.n_questions,
                    "judgments": study.judgments,
                    "tokens": None if tokens is None else round(study.judgments * tokens),
                }
                for study in studies
            ]
    return plain(group) | {
        "n_questions": len(counted.questions),
        "votes": votes_of(majority),
        "votes_needed": majority.votes_needed if majority else None,
        "unsettled": [
            {"question": one.question, "agreement": one.agreement, "lead": one.lead}
            for one in (majority.unsettled if majority else ())
        ],
        "unsettled_votes": majority.most_by_question if majority else None,
        "designs": designs,
        "tokens_per_judgment": tokens,
        "not_estimable": why,
    }


def _votes(n: int) -> str:
    return f"{n} vote{'s' if n > 1 else ''}"
