"""The paper's whole design in one run: judges x benchmarks x temperatures."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import fsspec
from inspect_ai import Task, eval_set, task_with
from inspect_ai.log import list_eval_logs, read_eval_log, read_eval_log_sample_summaries
from inspect_ai.model import GenerateConfig, Model, get_model

from .benchmarks import Benchmark
from .tasks import bbh_judge, head_to_tail_judge, mt_bench_judge, squad_judge

TEMPERATURES = (1.0, 0.75, 0.5, 0.25, 0.0)
"""The paper's temperatures."""

BENCHMARKS: Mapping[str, Benchmark] = {
    "bbh": "BBH",
    "squad": "SQuAD",
    "mt_bench": "MT-Bench",
    "head_to_tail": "Head-to-Tail",
}
BEST_OF_FIVE = ("bbh", "squad", "mt_bench")

_JUDGE_TASKS = {"bbh": bbh_judge, "squad": squad_judge, "mt_bench": mt_bench_judge}


@dataclass(frozen=True)
class Sweep:
    """What a sweep runs.

    Attributes:
        judges: Names of models, as inspect knows them.
        benchmarks: Keys of `BENCHMARKS`.
        temperatures: Sampling temperatures; 0 is greedy decoding.
        replications: Judgments of each question at each temperature.
        responses: Source of the five responses; None is the sample pack.
        predictions: Source of the Head-to-Tail predictions; None is the sample pack.
        responder: Whose Head-to-Tail predictions, where there are several.
        seed: Base seed of option order and replications.
        limit: Questions of each benchmark at most.
        model_args: Arguments of the judges' provider.
    """

    judges: Sequence[str]
    benchmarks: Sequence[str] = BEST_OF_FIVE
    temperatures: Sequence[float] = TEMPERATURES
    replications: int = 100
    responses: str | None = None
    predictions: str | None = None
    responder: str | None = None
    seed: int = 0
    limit: int | None = None
    model_args: Mapping[str, Any] = field(default_factory=dict)


def run_sweep(sweep: Sweep, log_dir: str) -> bool:
    """Run what of a sweep is not yet in a folder of logs.

    Judges run one after the other, so that only one local model is in memory. A run that was
    killed goes on where it stopped; more replications, temperatures or judges add to a folder.

    Args:
        sweep: What to run.
        log_dir: Folder of the logs, one a judge, benchmark and temperature.

    Returns:
        Whether every judgment is there.
    """
    complete = True
    for judge in sweep.judges:
        complete = _run_judge(sweep, judge, log_dir) and complete
    if complete:
        _remove_superseded(log_dir)
    return complete


def _run_judge(sweep: Sweep, judge: str, log_dir: str) -> bool:
    # In a function of its own, which lets go of a local model before the next one is loaded.
    model = get_model(judge, memoize=False, **sweep.model_args)
    done, _ = eval_set(
        [
            _at_temperature(_judge_task(sweep, benchmark), model, temperature)
            for benchmark in sweep.benchmarks
            for temperature in sweep.temperatures
        ],
        log_dir=log_dir,
        model=model,
        epochs=sweep.replications,
        limit=sweep.limit,
        retry_attempts=1,
        # Other judges' logs are in the folder too.
        log_dir_allow_dirty=True,
    )
    return done


def _judge_task(sweep: Sweep, benchmark: str) -> Task:
    if benchmark == "head_to_tail":
        return head_to_tail_judge(sweep.predictions, sweep.responder, seed=sweep.seed)
    return _JUDGE_TASKS[benchmark](sweep.responses, seed=sweep.seed)


def _at_temperature(task: Task, model: Model, temperature: float) -> Task:
    # transformers refuses 0, and inspect's own `hf` provider passes it on; the paper's machine
    # epsilon is greedy there. Elsewhere 0 is the greedy value, and a tiny one may be raised.
    if temperature == 0 and str(model).startswith("hf/"):
        temperature = sys.float_info.epsilon
    return task_with(task, config=task.config.merge(GenerateConfig(temperature=temperature)))


def _remove_superseded(log_dir: str) -> None:
    """Remove what a killed run left behind, if a finished log holds every judgment of it.

    Inspect copies the judgments of a killed run into the log that goes on from there, and keeps
    the old log because the run might still be alive.
    """
    logs = [read_eval_log(info.name, header_only=True) for info in list_eval_logs(log_dir)]
    finished = {log.eval.task_id: log.location for log in logs if log.status == "success"}
    for log in logs:
        whole = finished.get(log.eval.task_id)
        if log.status == "started" and whole and _judgments(log.location) <= _judgments(whole):
            files, path = fsspec.core.url_to_fs(log.location)
            files.rm(path)


def _judgments(log: str) -> set[str | None]:
    return {sample.uuid for sample in read_eval_log_sample_summaries(log)}
