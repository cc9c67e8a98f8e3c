"""Find, merge and de-duplicate the logs of an interrupted sweep."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

from inspect_ai import Task
from inspect_ai.log import EvalLog

from ..errors import UserError
from ..files import kind_of
from ..judgments.logs import scores_of
from ..judgments.score import judgments_in
from ..log_files import logs_below, read_log, reading

Made = tuple[int | str, int]
"""Id of a question and number of the replication."""


def log_headers(log_dir: str) -> list[EvalLog]:
    """Headers of the logs in a folder; none if it does not exist."""
    kind = kind_of(log_dir)
    if kind is None:
        return []
    if kind == "file":
        raise UserError(f"{log_dir} is a file. Name a folder: --log-dir FOLDER")
    return [read_log(log, header_only=True) for log in logs_below(log_dir)]


def made_in(
    headers: Iterable[EvalLog],
    judge: str,
    model_args: Mapping[str, Any],
    task: Task,
    task_args: Mapping[str, Any],
) -> set[Made]:
    """Judgments in logs of a judge and a task, from epochs and from replications alike."""
    own = {**task_args, "replications": None}
    study = (task.dataset[0].metadata or {})["design"]["study"]
    return {
        judgment
        for log in headers
        if log.eval.model == judge
        and log.eval.model_args == model_args
        and log.eval.task == task.name
        and {**log.eval.task_args_passed, "replications": None} == own
        and log.plan.config.temperature == task.config.temperature
        for judgment in _judgments(log, study)
    }


def _judgments(log: EvalLog, study: str) -> Iterator[Made]:
    with reading(log.location):
        for sample, scores in scores_of(log.location):
            for scorer, score in scores.items():
                if (score.metadata or {}).get("study", study) != study:
                    continue  # other texts under the same name
                for one in judgments_in(score, str(sample.id), scorer):
                    if one.verdict is not None:
                        yield sample.id, one.replication or sample.epoch


def by_range(judgments: Iterable[Made]) -> Mapping[str, set[int | str]]:
    """Judgments by range of replications ("51-100") -> ids of questions; each range once."""
    found: dict[str, set[int | str]] = defaultdict(set)
    numbers: dict[int | str, list[int]] = defaultdict(list)
    for question, number in sorted(judgments, key=itemgetter(1)):
        numbers[question].append(number)
    for question, own in numbers.items():
        # Within a range, number and place grow alike.
        for _, run in groupby(enumerate(own), key=lambda placed: placed[1] - placed[0]):
            places = [number for _, number in run]
            found[f"{places[0]}-{places[-1]}"].add(question)
    return found
