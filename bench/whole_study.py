"""The paper's whole study from logs: 82,500 judgments, against reading the logs one by one.

    python bench/whole_study.py                # all 45 logs (writing them takes minutes)
    python bench/whole_study.py --judges 1     # a third of it
    python bench/whole_study.py --logs DIR     # logs of your own

Made-up outputs, so it needs no data. Each way of reading runs in a process of its own; printed are
time, peak memory and their ratios, side by side in one run.
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
from pathlib import Path

QUESTIONS = {"bbh": 27, "squad": 20, "mtb": 8}
TEMPERATURES = ("1", "0.75", "0.5", "0.25", "2.220446049250313e-16")
REPLICATIONS = 100
WORDS = ("the", "answer", "is", "best", "because", "its", "steps", "follow", "to", "a", "result")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judges", type=int, default=3)
    parser.add_argument("--logs", type=Path)
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
    """Reading, then every coefficient, interval and floor of every cell."""
    from inspect_reliability.judgments import judgments_from_logs
    from inspect_reliability.report import report_cells

    judgments = judgments_from_logs(logs)
    report_cells(judgments)
    return len(judgments)


READERS: dict[str, Callable[[Path], int]] = {
    "imports alone": nothing,
    "columns": columns,
    "one by one": one_by_one,
    "columns and report": whole_report,
}


def make_logs(folder: Path, judges: int) -> Path:
    """Logs as large as the study's: prompts of some 3,000 characters, outputs of some 250."""
    from inspect_reliability.judgments.published_logs import write_published_logs

    chance = random.Random(0)
    asked = {f"{kind}:{n}": kind for kind, size in QUESTIONS.items() for n in range(size)}
    (folder / "prompt_responses.json").write_text(
        json.dumps({question: answered(kind, chance) for question, kind in asked.items()})
    )
    (folder / "results").mkdir()
    for j in range(judges):
        outputs = {
            f"temperature: {t}": {
                question: [output(chance) for _ in range(REPLICATIONS)] for question in asked
            }
            for t in TEMPERATURES
        }
        path = folder / "results" / f"full_judgements_{j}.json"
        path.write_text(json.dumps({f"made-up/judge-{j}": outputs}))
    for number, (_, total) in enumerate(write_published_logs(folder, folder / "logs"), 1):
        print(f"\rwriting logs: {number} of {total}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return folder / "logs"


def answered(kind: str, chance: random.Random) -> dict[str, object]:
    turns = 2 if kind == "mtb" else 1
    prompts = [text(60, chance) for _ in range(turns)]
    responses = {f"org/model-{n}": text(90, chance) for n in range(5)}
    return {
        "type": kind,
        "prompt": prompts if kind == "mtb" else prompts[0],
        "model_responses": responses,
    }


def output(chance: random.Random) -> str:
    return f"Best Response: [[{chance.choice('ABCDE')}]] {text(45, chance)}"


def text(words: int, chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=words))


if __name__ == "__main__":
    main()
