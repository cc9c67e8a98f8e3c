"""What a folder of logs already holds of a sweep, and must not lose."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import fsspec
from inspect_ai import Task
from inspect_ai.log import (
    EvalLog,
    EvalSampleSummary,
    list_eval_logs,
    read_eval_log_sample_summaries,
)

from .files import read_log

Judgment = tuple[int | str, int]
"""Id of a question and number of the replication."""


def log_headers(log_dir: str) -> list[EvalLog]:
    """Headers of the logs in a folder, which need not exist.

    Raises:
        UserError: A log cannot be read.
    """
    files, path = fsspec.core.url_to_fs(log_dir)
    if not files.exists(path):
        return []
    return [read_log(info.name, header_only=True) for info in list_eval_logs(log_dir)]


def logs_of(
    headers: Iterable[EvalLog],
    judge: str,
    model_args: Mapping[str, Any],
    task: Task,
    task_args: Mapping[str, Any],
) -> list[EvalLog]:
    """Those logs that inspect would go on from: of a judge and a task, with their arguments."""
    return [
        log
        for log in headers
        if log.eval.model == judge
        and log.eval.model_args == model_args
        and log.eval.task == task.name
        and log.eval.task_args_passed == task_args
        and log.plan.config.temperature == task.config.temperature
    ]


def judgments_in(logs: Iterable[EvalLog]) -> set[Judgment]:
    """Judgments that were made, whatever became of the run."""
    return {(sample.id, sample.epoch) for log in logs for sample in _judged(log)}


def remove_superseded(log_dir: str, judge: str) -> None:
    """Remove logs of a judge whose every judgment stands in another log of the same task too.

    Inspect copies the judgments of a log into the one that goes on from there. Logs of other
    judges are left alone: another process may be writing them.
    """
    runs: dict[str, list[EvalLog]] = defaultdict(list)
    for log in log_headers(log_dir):
        if log.eval.model == judge:
            runs[log.eval.task_id].append(log)
    for logs in runs.values():
        for superseded in _superseded(logs):
            files, path = fsspec.core.url_to_fs(superseded.location)
            files.rm(path)


def _superseded(logs: list[EvalLog]) -> Iterator[EvalLog]:
    if len(logs) == 1:
        return
    judged = {log.location: {sample.uuid for sample in _judged(log)} for log in logs}
    # A finished log first, then the fullest: what is kept must hold whatever is removed.
    kept: list[EvalLog] = []
    order = sorted(logs, key=lambda log: (log.status != "success", -len(judged[log.location])))
    for log in order:
        if any(judged[log.location] <= judged[other.location] for other in kept):
            yield log
        else:
            kept.append(log)


def _judged(log: EvalLog) -> list[EvalSampleSummary]:
    return [s for s in read_eval_log_sample_summaries(log.location) if s.scores and not s.error]
