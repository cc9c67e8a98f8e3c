"""What keeps a number from being trusted as it is."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from ..circularity import same_model
from ..judgments import order_varies
from ..reliability import Estimate

FEW_QUESTIONS = 20
"""Below this the interval of omega covers less than it says, and is very wide."""

COPIES = (
    "Temperature 0: replications of a prompt are copies of one another, so perfect agreement is "
    "no evidence of reliability."
)

DOMINANT_SHARE = 0.9
MANY_CATEGORIES = 20


def cautions(
    group: Mapping[str, Any], table: pd.DataFrame, estimates: Mapping[str, Estimate]
) -> Iterator[str]:
    """Say what a reader of one cell's numbers must know.

    Args:
        group: What the cell was grouped by.
        table: Its judgments.
        estimates: Its coefficients.

    Yields:
        One sentence each.
    """
    omega = estimates["omega"]
    if omega.value is None:
        yield f"Omega is not estimable: {omega.reason}."
    elif omega.warning:
        yield omega.warning
    yield from _of_the_questions(table, omega)
    yield from _of_the_verdicts(table)
    if (table["temperature"] == 0).all():
        yield COPIES
    yield from _of_the_order(table)
    yield from _of_the_judge(table)
    yield from _of_the_seeds(table)
    yield from _of_the_mixture(group, table)


def _of_the_questions(table: pd.DataFrame, omega: Estimate) -> Iterator[str]:
    if omega.n_questions < FEW_QUESTIONS:
        plural = "" if omega.n_questions == 1 else "s"
        yield (
            f"Omega rests on {omega.n_questions} question{plural} only: trust its interval, which "
            "is wide, not its value."
        )
    if omega.left_out.questions:
        yield (
            f"{len(omega.left_out.questions)} questions with fewer than 2 replications are left "
            "out of the coefficients."
        )
    replications = table.groupby("question").size()
    if replications.nunique() > 1:
        yield f"Questions have between {replications.min()} and {replications.max()} replications."


def _of_the_verdicts(table: pd.DataFrame) -> Iterator[str]:
    shares = table["verdict"].value_counts(normalize=True)
    if shares.iloc[0] >= DOMINANT_SHARE and len(shares) > 1:
        yield (
            f"{shares.iloc[0]:.0%} of the verdicts are '{str(shares.index[0])[:40]}': agreement is "
            "high for that alone, and omega and kappa rest on the few others."
        )
    if len(shares) > MANY_CATEGORIES:
        yield (
            f"There are {len(shares)} different verdicts: these look like measurements, of which "
            "every value counts as a category of its own."
        )


def _of_the_order(table: pd.DataFrame) -> Iterator[str]:
    if "order" not in table or order_varies(table):
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
    elif "responder" in table:
        responders.update(table["responder"].dropna())
    judges = [str(judge) for judge in table["judge"].dropna().unique()]
    own = sorted(name for name in responders if any(same_model(judge, name) for judge in judges))
    if own:
        yield f"The judge is also a responder ({', '.join(own)}): it judges answers of its own."


def _of_the_seeds(table: pd.DataFrame) -> Iterator[str]:
    seeds = table["seed"] if "seed" in table else pd.Series([None] * len(table), table.index)
    if seeds.isna().all():
        yield "No seeds are on record: the judgments cannot be repeated."
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
        prompts = table.groupby(["benchmark", "question"], dropna=False)["prompt"].nunique()
        if mixed := int((prompts > 1).sum()):
            yield f"{mixed} question ids stand for more than one prompt."
