"""What keeps a number from being trusted as it is."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from ..judging.circularity import same_model
from ..judgments import category_of, order_varies
from ..published.procedure import AsPublished
from ..stats import Estimate
from .numbers import are_measurements

FEW_QUESTIONS = 20
"""Below this the interval of omega is very wide."""

FEW_OTHERS = 10
"""Questions times the share of the verdicts other than the most frequent. With fewer, where that
one has the majority, the intervals of omega and kappa cover less than they say, as simulation
shows (bench/coverage.py, "one verdict dominates"): what varies rests on too few questions."""

MANY_CATEGORIES = 20

MOST_SHOWN = 40
"""Characters of a name."""


def cautions(
    group: Mapping[str, Any],
    table: pd.DataFrame,
    estimates: Mapping[str, Estimate],
    published: AsPublished | None,
    no_evidence: str | None,
) -> Iterator[str]:
    """Say what a reader of one cell's numbers must know.

    Args:
        group: What the cell was grouped by.
        table: Its judgments.
        estimates: Its coefficients.
        published: The published procedure, where it applies.
        no_evidence: What `why_no_evidence` says of the judgments.

    Yields:
        One sentence each.
    """
    omega = estimates["omega"]
    if omega.value is None:
        yield f"Omega is not estimable: {omega.reason}."
    elif omega.low is None:
        yield f"Omega has no interval: {str(omega.reason).removeprefix('no interval: ')}."
    if omega.value is not None and omega.warning:
        yield omega.warning
    yield from _of_the_questions(table, omega)
    if (outputs := table["question"].nunique()) > omega.n_questions + len(omega.left_out.questions):
        yield (
            f"The judge was given {outputs:,} outputs of {omega.n_questions} questions. Each is "
            "judged for itself; intervals are over the questions, as other questions bring other "
            "outputs."
        )
    yield from _of_the_verdicts(table, omega)
    if no_evidence:
        yield no_evidence
    yield from _of_the_order(table)
    yield from _of_the_judge(table)
    yield from _of_the_seeds(table)
    yield from _of_the_mixture(group, table)
    if published is not None and published.n_incomplete:
        yield (
            f"The published procedure leaves out {published.n_incomplete} of "
            f"{published.n_incomplete + published.n_replications} replications, in which a "
            "question has no verdict."
        )


def _of_the_questions(table: pd.DataFrame, omega: Estimate) -> Iterator[str]:
    if omega.low is not None and omega.n_questions < FEW_QUESTIONS:
        yield (
            f"Omega rests on {omega.n_questions} questions only: trust its interval, which is "
            "wide, not its value."
        )
    if few := omega.left_out.questions:
        named = ", ".join(name[:MOST_SHOWN] for name in few[:3]) + (", ..." if few[3:] else "")
        yield (
            f"Left out of the coefficients, with fewer than 2 replications: {len(few)} "
            f"question{'s' if few[1:] else ''} ({named})."
        )
    replications = table.groupby("question").size()
    if replications.nunique() > 1:
        yield f"Questions have between {replications.min()} and {replications.max()} replications."


def _of_the_verdicts(table: pd.DataFrame, omega: Estimate) -> Iterator[str]:
    given = category_of(table).value_counts()
    total, most = int(given.sum()), int(given.iloc[0])
    others = omega.n_questions * (1 - most / total)
    if omega.low is not None and most > total / 2 and others < FEW_OTHERS:
        yield (
            f"Most verdicts are '{str(given.index[0])[:MOST_SHOWN]}', which makes for agreement "
            "whatever the question; omega and kappa rest on the few others, so that their "
            "intervals may cover less than they say."
        )
    if len(given) > MANY_CATEGORIES and not are_measurements(table["verdict"]):
        yield f"There are {len(given)} different verdicts: omega and agreement want exact matches."


def _of_the_order(table: pd.DataFrame) -> Iterator[str]:
    if "order" not in table:
        return
    if order_varies(table):
        yield (
            "Options stand in more than one order within a question: a verdict counts as the "
            "responder it chose, not as its letter."
        )
        return
    if table["question"].nunique() > 1 and table["order"].nunique() == 1:
        yield (
            "All questions show the responders in one order: a liking for a letter cannot be told "
            "from a liking for a responder."
        )


def _of_the_judge(table: pd.DataFrame) -> Iterator[str]:
    responders: set[str] = set()
    if "order" in table:
        responders.update(name for order in table["order"].dropna().unique() for name in order)
    if "responder" in table:
        responders.update(table["responder"].dropna())
    judges = [str(judge) for judge in table["judge"].dropna().unique()]
    own = sorted(name for name in responders if any(same_model(judge, name) for judge in judges))
    if own:
        yield f"The judge is also a responder ({', '.join(own)}): it judges answers of its own."


def _of_the_seeds(table: pd.DataFrame) -> Iterator[str]:
    seeds = table["seed"] if "seed" in table else pd.Series([None] * len(table), table.index)
    if seeds.isna().all():
        yield "The scores hold no seeds: the judgments cannot be repeated from what they say."
    elif seeds.isna().any():
        yield f"{seeds.isna().sum():,} judgments have no seed on record."
    if "seed_check" in table and (table["seed_check"] == "not honoured").any():
        yield (
            "The provider does not honour seeds: the judgments are draws of the judge all the "
            "same, but none of them can be repeated."
        )
    drawn = pd.DataFrame({"question": table["question"], "seed": seeds}).dropna()
    if again := int(drawn.duplicated().sum()):
        yield f"{again:,} judgments repeat a seed of the same question: they are no new draws."


def _of_the_mixture(group: Mapping[str, Any], table: pd.DataFrame) -> Iterator[str]:
    for name in ("judge", "benchmark", "temperature", "scorer"):
        if name not in group and name in table and table[name].nunique(dropna=False) > 1:
            yield f"Judgments of {table[name].nunique(dropna=False)} {name}s are thrown together."
    if "prompt" in table:
        # Options in another order make another prompt of the same question, and are meant to.
        asked = [name for name in ("benchmark", "question", "order") if name in table]
        prompts = table.groupby(asked, dropna=False)["prompt"].nunique()
        if mixed := prompts[prompts > 1].index.get_level_values("question").nunique():
            yield f"{mixed} question ids stand for more than one prompt."
