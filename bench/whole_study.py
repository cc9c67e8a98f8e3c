"""The paper's whole study from logs: 82,500 judgments, against reading the logs one by one.

    python bench/whole_study.py                # all 225 logs (writing them takes minutes)
    python bench/whole_study.py --judges 1     # a third of it
    python bench/whole_study.py --logs DIR     # logs of your own

The logs are those of real runs on the sample pack, by a judge that draws letters, with each sample
repeated as 100 replications, 20 to a log; no data is needed. Each way of reading runs in a process
of its own; printed are time, peak memory and their ratios, side by side in one run.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

TEMPERATURES = (1.0, 0.75, 0.5, 0.25, 0.0)
REPLICATIONS = 100
OF_A_LOG = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--judges", type=int, default=3, help="of the study's three")
    parser.add_argument("--logs", type=Path, metavar="DIR", help="logs of your own instead")
    parser.add_argument("--read", choices=READERS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.read:
        measure(READERS[arguments.read], arguments.logs)
        return
    with tempfile.TemporaryDirectory() as folder:
        logs = arguments.logs or make_logs(Path(folder), arguments.judges)
        found = {name: in_a_process(name, logs) for name in READERS}
    print(f"{'':24}{'judgments':>12}{'seconds':>10}{'peak MB':>10}")
    for name, (judgments, seconds, peak) in found.items():
        print(f"{name:24}{judgments:12,}{seconds:10.1f}{peak:10.0f}")
    columns, one_by_one = found["columns"], found["one by one"]
    print(f"\none by one / columns: time {one_by_one[1] / columns[1]:.1f}, ", end="")
    print(f"memory {one_by_one[2] / columns[2]:.1f}")


def in_a_process(name: str, logs: Path) -> tuple[int, float, float]:
    """Judgments, seconds and peak memory in MB of one way of reading."""
    command = [sys.executable, __file__, "--logs", str(logs), "--read", name]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    judgments, seconds, peak = json.loads(done.stdout.splitlines()[-1])
    return judgments, seconds, peak


def measure(read: Callable[[Path], int], logs: Path) -> None:
    """Print what one way of reading took."""
    # Imports are not what is measured.

    import inspect_reliability.report  # noqa: F401

    start = time.perf_counter()
    judgments = read(logs)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([judgments, seconds, peak]))


def nothing(logs: Path) -> int:
    """What the imports alone take."""
    return 0


def columns(logs: Path) -> int:
    """As the report reads: the table of judgments from the logs' summaries."""
    from inspect_reliability.judgments import judgments_from_logs

    return len(judgments_from_logs(logs))


def one_by_one(logs: Path) -> int:
    """Every log whole with `read_eval_log`; of each, only the verdicts are kept."""
    from inspect_ai.log import list_eval_logs, read_eval_log

    rows = []
    for info in list_eval_logs(str(logs)):
        for sample in read_eval_log(info).samples or []:
            scores = sample.scores or {}
            rows += [(sample.id, sample.epoch, score.value) for score in scores.values()]
    return len(rows)


def whole_report(logs: Path) -> int:
    """Reading, then every coefficient, interval and floor of every row."""
    from inspect_reliability.judgments import judgments_from_logs
    from inspect_reliability.report import analyse

    judgments = judgments_from_logs(logs)
    analyse(judgments)
    return len(judgments)


READERS: dict[str, Callable[[Path], int]] = {
    "imports alone": nothing,
    "columns": columns,
    "one by one": one_by_one,
    "columns and report": whole_report,
}


def make_logs(folder: Path, judges: int) -> Path:
    """Five logs for each judge, benchmark and temperature."""
    logs = folder / "logs"
    logs.mkdir()
    wanted = [
        (template, judge, temperature, first)
        for template in templates(folder / "templates")
        for judge in range(judges)
        for temperature in TEMPERATURES
        for first in range(1, REPLICATIONS, OF_A_LOG)
    ]
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        written = [pool.submit(write, *one, logs) for one in wanted]
        for number, one in enumerate(written, 1):
            one.result()
            print(
                f"\rwriting logs: {number} of {len(written)}", end="", file=sys.stderr, flush=True
            )
    print(file=sys.stderr)
    return logs


def templates(folder: Path) -> list[Path]:
    """Logs of real runs of the three judge tasks, one replication each."""
    from inspect_ai import eval
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from inspect_reliability.tasks import bbh_judge, mt_bench_judge, squad_judge

    output = ModelOutput.from_content("mockllm/model", f"Best Response: [[A]] {'because ' * 40}")
    output.usage = ModelUsage(input_tokens=900, output_tokens=50, total_tokens=950)
    model = get_model("mockllm/model", custom_outputs=lambda *_: output)
    tasks = [bbh_judge(), squad_judge(), mt_bench_judge()]
    logs = eval(tasks, model=model, log_dir=str(folder), display="none")
    return [Path(log.location.removeprefix("file://")) for log in logs]


def write(template: Path, judge: int, temperature: float, first: int, folder: Path) -> None:
    """Write a template's samples as a log of some replications of one judge."""
    from inspect_ai.log import read_eval_log, write_eval_log

    log = read_eval_log(str(template))
    log.eval.model = f"made-up/judge-{judge}"
    log.plan.config.temperature = temperature
    log.eval.config.epochs = OF_A_LOG
    chance = random.Random(f"{judge}|{temperature}|{first}|{template.name}")
    samples = []
    for sample in log.samples or []:
        for epoch in range(first, first + OF_A_LOG):
            score = (sample.scores or {})["verdict"]
            drawn = {"replication": epoch, "seed": chance.randrange(2**31)}
            scored = {
                "value": chance.choice("ABCDE"),
                "metadata": {**(score.metadata or {}), **drawn},
            }
            copied = {
                "epoch": epoch,
                "uuid": f"{judge}-{temperature}-{sample.id}-{epoch}",
                "scores": {"verdict": score.model_copy(update=scored)},
            }
            samples.append(sample.model_copy(update=copied))
    log.samples = samples
    benchmark = template.name.split("_")[1]
    write_eval_log(log, str(folder / f"{benchmark}_{judge}_{temperature:g}_{first}.eval"))


if __name__ == "__main__":
    main()
