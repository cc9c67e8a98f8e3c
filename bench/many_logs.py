"""Seconds, CPU seconds and memory to report many inspect logs, and to watch a year of checks.

    python bench/many_logs.py --logs 200
    python bench/many_logs.py --checks 365

Ten judges answer questions of the sample pack, four epochs a log, each time with other seeds and
random verdicts. A check is a log of one judge on 40 anchors, three epochs each, a day after the one
before; from the middle on a fifth of the anchors turn. Each command runs in a process of its own.
"""

import argparse
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import numpy as np
from inspect_ai import eval
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log

import epochs  # noqa: F401  # the model that answers at once
from inspect_reliability.study.tasks import bbh_judge
from many_rows import alone, answered

JUDGES, EPOCHS = 10, 4

ANCHORS, DRAWS = 40, 3

CHANGED = 1
"""Exit status of `watch` where the judge changed."""


def one_log(folder: str, questions: int, each: int) -> EvalLog:
    """A log of a judge task, to be copied."""
    (log,) = eval(
        bbh_judge(),
        model="instant/judge",
        epochs=each,
        limit=questions,
        log_dir=folder,
        display="none",
    )
    return read_eval_log(log.location)


def another_run(log: EvalLog) -> None:
    """Give a log and its samples names of their own."""
    log.eval.eval_id, log.eval.run_id, log.eval.task_id = (uuid4().hex for _ in range(3))
    for sample in log.samples or []:
        sample.uuid = uuid4().hex


def write(folder: str, logs: int, samples: int) -> list[str]:
    """Logs that differ in their judge, seeds and verdicts."""
    chance = np.random.default_rng(0)
    paths = []
    with tempfile.TemporaryDirectory() as first:
        log = one_log(first, max(1, samples // EPOCHS), EPOCHS)
    for number in range(logs):
        log.eval.model = f"acme/judge-{number % JUDGES}"
        another_run(log)
        for sample in log.samples or []:
            for score in (sample.scores or {}).values():
                assert score.metadata is not None
                score.value = score.answer = str(chance.choice([*"ABCDE"]))
                score.metadata["replication"] = sample.epoch + EPOCHS * (number // JUDGES)
                score.metadata["seed"] = int(chance.integers(2**31))
        path = Path(folder, f"{number:05}.eval")
        log.location = str(path)
        write_eval_log(log, path)
        paths.append(str(path))
    return paths


def write_checks(folder: str, checks: int) -> None:
    """A log a day, of the same judge on the same anchors; a fifth of them turn half way."""
    chance = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as first:
        log = one_log(first, 1, DRAWS)
    of = log.samples or []
    log.samples = [
        one.model_copy(deep=True, update={"id": f"answer {n}"})
        for n in range(ANCHORS)
        for one in of
    ]
    log.eval.dataset.sample_ids = [f"answer {n}" for n in range(ANCHORS)]
    often = chance.beta(4, 1, ANCHORS)
    for day in range(checks):
        another_run(log)
        now = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=day)
        log.eval.created = now.isoformat()
        if day == checks // 2:
            often[: ANCHORS // 5] = 1 - often[: ANCHORS // 5]
        for n, sample in enumerate(log.samples):
            for score in (sample.scores or {}).values():
                assert score.metadata is not None
                score.value = score.answer = "AB"[int(chance.random() > often[n // DRAWS])]
                score.metadata["seed"] = int(chance.integers(2**31))
        name = f"{now:%Y-%m-%dT%H-%M-%S}+00-00_judge_{log.eval.task_id}.eval"
        path = Path(folder, f"{day:05}", name)  # inspect opens a log by another name to list it
        path.parent.mkdir()
        log.location = str(path)
        write_eval_log(log, path)


def measured(arguments: list[str], exit_code: int) -> str:
    """What a command takes."""
    seconds, used, peak = alone(answered, arguments, exit_code)
    return f"{seconds:.1f} s, {used:.1f} CPU s, {peak:,.0f} MB at most"


def main() -> None:
    """Measure each number of logs and of checks."""
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("--logs", type=int, nargs="*", default=[])
    asked.add_argument("--samples", type=int, default=100)
    asked.add_argument("--checks", type=int, nargs="*", default=[])
    given = asked.parse_args()
    for logs in given.logs:
        with tempfile.TemporaryDirectory() as folder:
            took = measured(["report", *write(folder, logs, given.samples)], 0)
        print(f"report of {logs:,} logs of {given.samples} samples: {took}", flush=True)
    for checks in given.checks:
        with tempfile.TemporaryDirectory() as folder:
            write_checks(folder, checks)
            took = measured(["watch", folder], CHANGED)
        print(
            f"watch of {checks:,} checks of {ANCHORS} anchors, {DRAWS} draws each: {took}",
            flush=True,
        )


if __name__ == "__main__":
    main()
