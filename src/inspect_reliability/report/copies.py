"""When agreement is not evidence of reliability."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from ..judgments import Judged, judged
from ..judgments.columns import of_role, varies
from ..verdicts import INVALID, NON_RESPONSE

COPIES = (
    "At temperature 0 all replications of a prompt are copies of one answer. Their agreement says "
    "nothing about reliability."
)

ALIKE = (
    "No two replications of a question differ, and no seed check has seen this judge vary: the "
    "server may ignore the temperature or answer from a cache. Such agreement says nothing about "
    "reliability. Check the sampling settings."
)

NO_VERDICT = "No output has a verdict. Read some of them, then change the prompt or the parser."

MOST_GRADES = 20
"""Different numbers that may still be grades; with more they are measurements."""

MEASUREMENTS = (
    f"The verdicts are numbers with more than {MOST_GRADES} different values. Omega and agreement "
    "count only exact matches: read ICC instead."
)


def are_measurements(judgments: Judged) -> bool:
    """Whether verdicts are numbers of more values than grades have."""
    return judgments.values is not None and len(judgments.values) > MOST_GRADES


def why_no_draws(table: pd.DataFrame, known: Judged) -> str | None:
    """Why no coefficient of one row says anything about reliability; None if they do.

    A row of several temperatures is no better than the worst of them: copies among draws make a
    judge look steadier than it is.
    """
    if table["verdict"].isin([NON_RESPONSE, INVALID]).all():
        return NO_VERDICT
    return next(_copied(table, known), None)


def _copied(table: pd.DataFrame, known: Judged) -> Iterator[str]:
    """Why, for each temperature at which no two replications of a question differ."""
    cell = of_role(table, "unit", "facet", without=("prompt", "order"))
    chosen: pd.Series[Any] = pd.Series(known.choices, table.index, dtype=object)
    for temperature, rows in table.groupby("temperature", dropna=False):
        own = known if len(rows) == len(table) else judged(rows)
        if own.exact:
            if temperature == 0:
                yield COPIES
            continue
        asked = chosen.loc[rows.index].groupby([rows[name] for name in cell], dropna=False)
        # Options in another order make another prompt.
        if asked.nunique().max() > 1 or asked.size().max() < 2 or varies(rows, "order"):
            continue
        # A seed check saw the judge vary, with another seed or with the same one.
        seen = "seed_check" in rows and rows["seed_check"].isin(["honoured", "not honoured"]).any()
        if temperature == 0:
            yield COPIES
        elif not seen:
            yield ALIKE
