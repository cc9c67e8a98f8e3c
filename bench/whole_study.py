"""The paper's study of one judge through `sweep`, against the same by `--epochs`.

    python bench/whole_study.py [--epochs N] [--json]

The tiny judge judges the sample packs of the three benchmarks (55 questions) at five temperatures.
`sweep` makes a hundred replications of each, with a sample a question. `inspect eval` makes N of
them, by default 20, with a sample a replication; each figure is an average over judgments. Each way
is a command in a process of its own, its start included. The run ends with an error unless both
agree on every verdict that both made.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from _measure import machine
from inspect_reliability.judgments.logs import judgments_from_logs

TEMPERATURES = ("1.0", "0.75", "0.5", "0.25", "0.0")
TASKS = ("bbh_judge", "squad_judge", "mt_bench_judge")
JUDGE = "hf_seeded/tiny-judge"
REPLICATIONS = 100
LIMIT: list[str] = []
"""Option of both ways that leaves out questions."""
PARTS = ("wall_ms", "cpu_ms", "log_bytes")


def sweep(folder: Path) -> list[list[str]]:
    """The commands of a study with a sample a question."""
    given = [part for one in TEMPERATURES for part in ("--temperature", one)]
    command = [str(Path(sys.executable).with_name("inspect-reliability")), "sweep"]
    device = ["-M", "device=cpu", "--replications", str(REPLICATIONS)]
    return [[*command, "--judge", JUDGE, *device, *LIMIT, *given, "--log-dir", str(folder)]]


def epochs(folder: Path, number: int) -> list[list[str]]:
    """The commands of the same with a sample a replication, one a temperature."""
    tasks = [f"inspect_reliability/{task}" for task in TASKS]
    command = [str(Path(sys.executable).with_name("inspect")), "eval-set", *tasks]
    rest = ["--model", JUDGE, "-M", "device=cpu", "--epochs", str(number), "--display", "none"]
    return [
        [*command, *LIMIT, *rest, "--temperature", one, "--log-dir", str(folder / one)]
        for one in TEMPERATURES
    ]


def measured(commands: list[list[str]], folder: Path, threads: int) -> dict[str, Any]:
    """Run the commands, and what they took a judgment."""
    environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    for command in commands:
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    took = (1000 * (time.perf_counter() - start), 1000 * cpu)
    size = sum(path.stat().st_size for path in folder.rglob("*.eval"))
    table = judgments_from_logs(str(folder)).table
    keys = zip(
        *(table[name] for name in ("benchmark", "temperature", "question", "replication")),
        strict=True,
    )
    verdicts = dict(zip(keys, table["verdict"], strict=True))
    each = dict(zip(PARTS, (value / len(verdicts) for value in (*took, size)), strict=True))
    return {"judgments": len(verdicts), **each, "verdicts": verdicts}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=20, help="of the second way (%(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="of torch (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        one, other = Path(name, "sweep"), Path(name, "epochs")
        found = {
            "sweep": measured(sweep(one), one, arguments.threads),
            "epochs": measured(epochs(other, arguments.epochs), other, arguments.threads),
        }
    whole, part = (way.pop("verdicts") for way in found.values())
    if differ := sum(whole.get(key) != verdict for key, verdict in part.items()):
        raise RuntimeError(f"{differ} verdicts of {len(part)} differ")
    ratios = {part: found["epochs"][part] / found["sweep"][part] for part in PARTS}
    if arguments.json:
        print(json.dumps({"machine": machine("cpu"), **found, "ratios": ratios}, indent=2))
        return
    print(f"{'a judgment':22}{'wall ms':>10}{'CPU ms':>10}{'log bytes':>11}")
    for way, figures in found.items():
        times = f"{figures['wall_ms']:10.2f}{figures['cpu_ms']:10.2f}{figures['log_bytes']:11,.0f}"
        print(f"{way + ', ' + format(figures['judgments'], ','):22}{times}")
    print(f"{'epochs over sweep':22}" + "".join(f"{ratios[part]:9.1f}x" for part in PARTS))
    print("Both give the same verdicts, one by one.")


if __name__ == "__main__":
    main()
