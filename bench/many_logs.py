"""Seconds, CPU seconds and memory to report many inspect logs.

    python bench/many_logs.py --logs 200

Ten judges answer questions of the sample pack, four epochs a log, each time with other seeds and
random verdicts. The report runs in a process of its own.
"""

import argparse
import multiprocessing
import tempfile
from pathlib import Path
from uuid import uuid4

import numpy as np
from inspect_ai import eval
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log

import epochs  # noqa: F401  # the model that answers at once
from inspect_reliability.study.tasks import bbh_judge
from many_rows import reported

JUDGES, EPOCHS = 10, 4


def one_log(folder: str, samples: int) -> EvalLog:
    """A log of a judge task, to be copied."""
    (log,) = eval(
        bbh_judge(),
        model="instant/judge",
        epochs=EPOCHS,
        limit=max(1, samples // EPOCHS),
        log_dir=folder,
        display="none",
    )
    return read_eval_log(log.location)


def write(folder: str, logs: int, samples: int) -> list[str]:
    """Logs that differ in their judge, seeds and verdicts."""
    chance = np.random.default_rng(0)
    paths = []
    with tempfile.TemporaryDirectory() as first:
        log = one_log(first, samples)
    for number in range(logs):
        log.eval.model = f"acme/judge-{number % JUDGES}"
        log.eval.eval_id, log.eval.run_id, log.eval.task_id = (uuid4().hex for _ in range(3))
        for sample in log.samples or []:
            sample.uuid = uuid4().hex
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


def measured(logs: int, samples: int) -> str:
    """What it takes to report this many logs."""
    alone = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        paths = write(folder, logs, samples)
        with alone.Pool(1) as pool:
            seconds, used, peak = pool.apply(reported, (paths,))
    return (
        f"{logs:,} logs of {samples} samples: {seconds:.1f} s, {used:.1f} CPU s, "
        f"{peak:,.0f} MB at most"
    )


def main() -> None:
    """Measure each number of logs."""
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("--logs", type=int, nargs="+", default=[200])
    asked.add_argument("--samples", type=int, default=100)
    given = asked.parse_args()
    for logs in given.logs:
        print(measured(logs, given.samples), flush=True)


if __name__ == "__main__":
    main()
