"""From judgments to rows: each a judge under one condition."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from ..judgments.columns import GROUP_BY
from ..judgments.table import Judgments
from ..record.replications import VOTES
from ..showing.values import grouped_by
from .row import Row, methods_of


def rows_of(judgments: Judgments, by: Sequence[str] = ()) -> list[Row]:
    """Groups of judgments that can be one row: names from A to Z, numbers from the highest.

    These are never in one row: verdicts of two scorers, choices among options and verdicts on one
    output, verdicts on outputs of several responders, two studies of one name, exact and sampled
    verdicts. If a row has several benchmarks, questions that share an id are also named by their
    benchmark.
    """
    return sorted(_split(judgments, by), key=lambda row: _order(row.group))


def _split(judgments: Judgments, by: Sequence[str]) -> Iterator[Row]:
    table = judgments.table.reset_index(drop=True)
    studies = _studies(table)
    whole = replace(judgments, table=table)
    methods = methods_of(table)
    method_of, study_of = methods.to_numpy(), studies.to_numpy()  # cheaper to look up
    # Where a judge's other wordings, say, are exact, every row says which it is.
    both = methods.nunique() > 1 and bool(
        (methods.groupby([table[name] for name in GROUP_BY], dropna=False).nunique() > 1).any()
    )
    # The majority of a panel is no further judge beside those that voted.
    voted = "scorer" in table and any(f".{VOTES}" in str(one) for one in table["scorer"].unique())
    for group, rows in whole.groups(by) if by else whole.conditions():
        for of_study, own in _parts(rows, study_of[rows.index]):
            named = {} if of_study is None else {"study": of_study}
            scorers: list[tuple[dict[str, Any], pd.DataFrame]] = [({}, own)]
            if "scorer" in own:
                scorers = [*_several(own, "scorer", own["scorer"], voted)]
            for scorer, scored in scorers:
                for kind, same in _kinds(scored):
                    for method, alike in _several(same, "method", method_of[same.index], both):
                        keys = group | named | scorer | kind | method
                        yield Row(keys, _told_apart(alike))


def _told_apart(rows: pd.DataFrame) -> pd.DataFrame:
    """Judgments whose questions, if two benchmarks share an id, include the benchmark's name."""
    if rows["benchmark"].nunique() < 2:
        return rows
    benchmarks = rows.groupby("question")["benchmark"].nunique()
    shared = rows["question"].isin(benchmarks.index[benchmarks > 1])
    if not shared.any():
        return rows
    named = rows["benchmark"].astype(str) + ": " + rows["question"].astype(str)
    return rows.assign(question=rows["question"].mask(shared, named))


def _parts(rows: pd.DataFrame, by: Any) -> Iterator[tuple[Any, pd.DataFrame]]:
    """The rows of each value, in order of first appearance; None for a missing value."""
    codes, values = pd.factorize(by)
    for code in pd.unique(codes).tolist():
        same = codes == code
        yield (values[code] if code >= 0 else None), rows if same.all() else rows[same]


def _several(
    rows: pd.DataFrame, name: str, by: Any, always: bool = False
) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """The rows of each value, with its name if there are several, or `always`."""
    parts = list(_parts(rows, by))
    for value, part in parts:
        yield ({name: value} if always or len(parts) > 1 else {}), part


def _studies(table: pd.DataFrame) -> "pd.Series[Any]":
    """The study of each judgment if several share its benchmark's name, else missing."""
    if "study" not in table:
        return pd.Series(index=table.index, dtype=float)
    known = table["study"].fillna("not known")
    return known.where(known.groupby(table["benchmark"], dropna=False).transform("nunique") > 1)


def _kinds(rows: pd.DataFrame) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Parts of a group whose verdicts answer the same kind of question, with their names."""
    kinds = grouped_by((part for _, part in _parts(rows, rows["benchmark"])), _kind)
    for what, parts in kinds.items():
        part = rows if len(kinds) == 1 else pd.concat(parts).sort_index()
        if what == "output" and _by_responder(part):
            for responder, judged in part.groupby("responder", sort=False):
                yield {"responder": responder}, judged
        elif what == "choice" or len(kinds) == 1:
            yield {}, part
        else:
            yield {"benchmark": ", ".join(map(str, part["benchmark"].unique()))}, part


def _kind(rows: pd.DataFrame) -> str:
    if "order" in rows and rows["order"].notna().any():
        return "choice"
    named = "responder" in rows and rows["responder"].notna().all()
    return "output" if named else "question"


def _by_responder(rows: pd.DataFrame) -> bool:
    """Whether outputs come from one responder, or from several on the same questions."""
    one = rows["responder"].nunique() == 1
    return bool(one or rows.groupby("question")["responder"].nunique().max() > 1)


def _order(group: Mapping[str, Any]) -> list[tuple[bool, float, str]]:
    """Names in alphabetical order, numbers (temperatures) from the highest to the lowest."""
    return [
        (value is None, -value, "")
        if isinstance(value, int | float)
        else (value is None, 0.0, str(value))
        for value in group.values()
    ]
