"""Which judgments are scores of a suite in use, and which were made anew from its outputs."""

import pandas as pd

_SCORE = ["log", "sample", "epoch", "scorer"]


def is_suite(table: pd.DataFrame) -> bool:
    """Whether judgments are a suite scorer's own scores, one per output."""
    return _of_scorers(table) and not table.duplicated(_SCORE).any()


def is_rejudged(table: pd.DataFrame) -> bool:
    """Whether `rejudge` made the verdicts: each output is a question of its own."""
    return _of_scorers(table) and bool(table.duplicated(_SCORE).any())


def _of_scorers(table: pd.DataFrame) -> bool:
    """Whether judgments come from logs, and from other scorers than our judge tasks'."""
    if not set(_SCORE) <= set(table) or table[_SCORE].isna().to_numpy().any():
        return False
    return not ("categories" in table and table["categories"].notna().any())


def beside_replications(table: pd.DataFrame, judgments: pd.DataFrame) -> bool:
    """Whether these are a suite's own scores in logs whose outputs `rejudge` judged again."""
    if not is_suite(table):
        return False
    replicated = judgments["log"].notna() & judgments.duplicated(_SCORE, keep=False)
    return set(table["log"]) <= set(judgments.loc[replicated, "log"])


def own_scores(table: pd.DataFrame) -> "pd.Series[bool]":
    """Which judgments are the scores that logs had before `rejudge` judged their outputs again."""
    if not set(_SCORE) <= set(table):
        return pd.Series(False, table.index)
    again = table["log"].notna() & table.duplicated(_SCORE, keep=False)
    if "categories" in table:
        again &= table["categories"].isna()
    return table["log"].isin(set(table.loc[again, "log"])) & ~again
