"""Outputs that were judged again: those of two runs are two outputs, whatever their epochs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from .log_facts import Log

if TYPE_CHECKING:
    import pandas as pd


RUN = "_run"
"""Column of the run that made the output which a row is about; None where a prompt has it all."""

_SCORE = ["log", "sample", "epoch", "scorer"]


def tasks_judged(logs: Mapping[str, Log]) -> dict[str, str]:
    """Id of a log that was judged again -> that of its task, which its retries share."""
    return {log.task: log.judged for log in logs.values() if log.judged}


class Outputs:
    """The runs whose outputs were judged again.

    A judge's own task shows in its prompt what it judges. A grader's verdict is about an output
    that only its run, its sample and its epoch name.
    """

    def __init__(self, table: pd.DataFrame, logs: Mapping[str, Log]) -> None:
        # A log of `rejudge` names the log that it judged, which may be here too. The reused outputs
        # of a retry are those of the failed run: both have the id of one task.
        tasks = {log.id: log.task for log in logs.values() if log.id} | tasks_judged(logs)
        self._run = {where: tasks.get(log.task, log.task) for where, log in logs.items()}
        self._logs = logs
        self.runs = self._runs(table)

    def _runs(self, table: pd.DataFrame) -> pd.Series[str]:
        """The run of each row's output; none for other rows."""
        import pandas as pd

        none = pd.Series(None, table.index, dtype=object)
        if not {*_SCORE, "seed"} <= {*table}:
            return none
        known = table["log"].notna() & table["sample"].notna() & table["seed"].notna()
        if "categories" in table:
            known &= table["categories"].isna()
        model = table["log"].map({where: log.run[0] for where, log in self._logs.items()})
        several = table.duplicated(_SCORE, keep=False).groupby([table["log"], table["scorer"]])
        again = several.transform("any").eq(True) | (model.notna() & (table["judge"] != model))
        run = table["log"].map(self._run)
        return run.where(run.notna(), table["log"]).where(known & again, None)

    def named_by_run(self, table: pd.DataFrame) -> pd.DataFrame:
        """The table, with the run in the names of outputs that several runs made."""
        if RUN not in table or table[RUN].nunique() < 2:
            return table
        rows = table.dropna(subset=RUN)
        runs = rows.groupby(["benchmark", "question"])[RUN].transform("nunique")
        shared = {*rows.loc[runs > 1, "benchmark"]}
        rows = rows[rows["benchmark"].isin(shared)]
        if rows.empty:
            return table
        names = self._names({*rows[RUN]}, _models_of(rows))
        named = rows["question"].map(str) + ", " + rows[RUN].map(names)
        question = table["question"].astype(object)
        question.loc[rows.index] = named
        return table.assign(question=question)

    def _names(self, runs: set[str], models: Mapping[str, str]) -> Mapping[str, str]:
        """What tells runs apart: the model, else when it ran, else the id of the run."""
        first = dict[str, Log]()
        for where, log in sorted(self._logs.items(), key=lambda one: one[1].created):
            first.setdefault(self._run[where], log)
        if runs <= {*first}:
            models = {run: models.get(run) or first[run].run[0] for run in runs}
            began = {run: f"{models[run]} {first[run].created[:19]}" for run in runs}
            for found in (models, began):
                if len({*found.values()}) == len(runs):
                    return found
        return {run: run for run in runs}


def _models_of(rows: pd.DataFrame) -> Mapping[str, str]:
    """The model of the outputs of each run, where its log says it."""
    known = rows.dropna(subset="output_model") if "output_model" in rows else rows[:0]
    return dict(zip(known[RUN], known["output_model"], strict=True)) if len(known) else {}
