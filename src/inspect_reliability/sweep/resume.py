"""Find, merge and de-duplicate the logs of an interrupted sweep."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import fsspec
from inspect_ai import Task
from inspect_ai.log import (
    EvalLog,
    EvalSample,
    EvalSampleSummary,
    list_eval_logs,
    read_eval_log_sample_summaries,
    write_eval_log,
)

from ..errors import UserError
from ..files import kind_of, read_log

Judgment = tuple[int | str, int]
"""Id of a question and number of the replication."""


def log_headers(log_dir: str) -> list[EvalLog]:
    """Headers of the logs in a folder, which need not exist; the newest first.

    Raises:
        UserError: A log cannot be read, or the folder is a file.
    """
    kind = kind_of(log_dir)
    if kind is None:
        return []
    if kind == "file":
        raise UserError(f"{log_dir} is a file. Name a folder: --log-dir FOLDER")
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


def errors_in(log_dir: str) -> list[str]:
    """Why judgments failed, one a judgment that is missing."""
    summaries = (read_eval_log_sample_summaries(log.location) for log in log_headers(log_dir))
    return [sample.error for found in summaries for sample in found if sample.error]


def gather(logs: list[EvalLog]) -> None:
    """Merge the logs of a task into the newest, from which inspect goes on.

    Otherwise the judge would repeat the judgments that only the other logs have.

    Args:
        logs: The logs, the newest first.
    """
    held = judgments_in(logs[:1])
    missing = judgments_in(logs) - held
    if not missing:
        return
    newest, *others = (read_log(log.location) for log in logs)
    samples = {(s.id, s.epoch): s for log in others for s in log.samples or [] if _is_judged(s)}
    newest.samples = [s for s in newest.samples or [] if (s.id, s.epoch) not in missing]
    newest.samples += [samples[judgment] for judgment in sorted(missing, key=str)]
    # Its metrics, if it has any, are those of fewer judgments.
    newest.status, newest.results = "started", None
    files, path = fsspec.core.url_to_fs(newest.location)
    # By another name first: a log that is half written cannot be read.
    written = f"{newest.location}.part"
    write_eval_log(newest, written, format="json" if path.endswith(".json") else "eval")
    files.mv(f"{path}.part", path)


def remove_superseded(log_dir: str, judge: str) -> None:
    """Remove a judge's logs whose every judgment is in another log of the same task too.

    Inspect copies the judgments of a log into the one that goes on from there. Before a run this
    leaves it the fullest log to go on from, where it would take the newest; after a run, it leaves
    one log with each judgment once.

    No other process may be running the judge into this folder: its log might be removed under it.
    Logs of other judges are left alone.
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
    judged = {log.location: {(s.id, s.epoch, s.uuid) for s in _judged(log)} for log in logs}
    # The fullest log first, of two alike the finished one: what is kept must hold whatever is
    # removed. Without a uuid nothing tells a copy from a second judgment.
    kept: list[EvalLog] = []
    order = sorted(logs, key=lambda log: (-len(judged[log.location]), log.status != "success"))
    for log in order:
        here = judged[log.location]
        if all(uuid for _, _, uuid in here) and any(here <= judged[k.location] for k in kept):
            yield log
        else:
            kept.append(log)


def _judged(log: EvalLog) -> list[EvalSampleSummary]:
    return [s for s in read_eval_log_sample_summaries(log.location) if _is_judged(s)]


def _is_judged(sample: EvalSample | EvalSampleSummary) -> bool:
    return bool(sample.scores) and not sample.error
