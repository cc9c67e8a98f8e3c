"""Kills, full disks and folders that cannot be written: is anything lost, doubled or repeated?

    python bench/faults.py [--kills 20] [--designs 150] [--seed 0] [--only designs sweep ...]

Each activity runs once to its end. Then it is killed (SIGKILL to all its processes) at a random
moment of its work and run again until it ends, as often as asked. The judge answers from prompt and
seed, so judgments can be compared one by one. Work is a call of the judge or a log written.

Designs with something wrong in them are refused in words, or mean what they say (see `_designs`).
"""

import _paths  # noqa: F401, I001
import argparse
import asyncio
import contextlib
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pandas as pd
from inspect_ai import eval, eval_retry
from inspect_ai.log import list_eval_logs
from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, ModelUsage, get_model, modelapi
from inspect_ai.scorer import match

from _designs import fuzz
from example_published import published_folder
from graders import run, suite
from inspect_reliability.cli import main as command_line
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.study.tasks import bbh_judge

CALLS = "CALLS"
EPOCHS, QUESTIONS = 12, 4
Judgments = dict[tuple[Any, ...], str]


@modelapi(name="counted")
class Counted(ModelAPI):
    """A judge that answers from prompt and seed, and counts its calls in a file."""

    async def generate(  # noqa: D102
        self, input: Any, tools: Any, tool_choice: Any, config: GenerateConfig
    ) -> ModelOutput:
        asked = blake2b(f"{input[-1].text}|{config.seed}".encode(), digest_size=8).hexdigest()
        await asyncio.sleep(0.05)
        with open(os.environ[CALLS], "a") as calls:
            calls.write(f"{asked}\n")
        letter, grade = random.Random(asked).choice("ABCDE"), random.Random(asked).choice("CI")
        said = f"Best Response: [[{letter}]]\nGRADE: {grade}"
        output = ModelOutput.from_content("counted", said)
        output.usage = ModelUsage(input_tokens=9, output_tokens=1, total_tokens=10)
        return output


def cli(*arguments: object) -> Callable[[], None]:
    return lambda: command_line([str(argument) for argument in arguments])


def evaluate(folder: Path) -> None:
    """`inspect eval`, or `inspect eval-retry` of what a kill left."""
    logs = list_eval_logs(str(folder)) if folder.exists() else []
    settings: dict[str, Any] = {"log_dir": str(folder), "display": "none"}
    if logs:
        eval_retry(logs[0], log_buffer=1, **settings)
    else:
        eval(
            bbh_judge(), model="counted/judge", epochs=EPOCHS, limit=QUESTIONS, max_connections=4,
            log_buffer=1, **settings,
        )  # fmt: skip


class Activity:
    """Something to kill.

    Attributes:
        command: Does the work in a folder; called again, goes on.
        judgments: What came of it, and how much of it twice.
        work: How much the folder shows to be done.
    """

    def __init__(
        self,
        command: Callable[[Path], Callable[[], None]],
        judgments: Callable[[Path], tuple[Judgments, int]],
        work: Callable[[Path], int],
    ) -> None:
        self.command, self.judgments, self.work = command, judgments, work


def calls_in(folder: Path) -> int:
    calls = folder / "calls"
    return len(calls.read_text().splitlines()) if calls.exists() else 0


def logs_in(folder: Path) -> int:
    """Logs that were begun."""
    return len(list((folder / "out").glob("*.eval*"))) if (folder / "out").exists() else 0


def read(folder: Path) -> tuple[Judgments, int]:
    """Judgments in the logs of a folder, and how many of them the logs have twice."""
    found = judgments_from_logs(folder / "out")
    twice = sum(note.count for note in found.notes if "duplicate" in note.what)
    table = found.table
    names = [
        n
        for n in ("judge", "temperature", "scorer", "sample", "epoch", "replication")
        if n in table
    ]
    rows = table[[*names, "verdict"]].astype(str).itertuples(index=False, name=None)
    return {row[:-1]: row[-1] for row in rows}, twice


def read_report(folder: Path) -> tuple[Judgments, int]:
    """Files of a report: each whole."""
    out = folder / "out"
    assert (out / "page.html").read_text().rstrip().endswith("</html>")
    sizes = {(f.name,): str(len(pd.read_parquet(f))) for f in (out / "data").glob("*.parquet")}
    sizes |= {(f.name,): str(len(pd.read_csv(f))) for f in (out / "data").glob("*.csv")}
    return sizes, len(list(out.rglob("*.part")))


def activities(base: Path) -> dict[str, Activity]:
    published = published_folder(base / "published")
    source = run(suite(match()), base / "source", get_model("counted/judge")).location
    log = eval(
        bbh_judge(), model="counted/judge", epochs=EPOCHS, log_dir=str(base / "log"),
        display="none",
    )[0].location  # fmt: skip
    sweep = ["--model", "counted/judge", "--benchmark", "bbh", "--temperature", 1, "--temperature"]
    sweep += [0.5, "--epochs", EPOCHS, "--limit", QUESTIONS // 2, "--log-dir"]
    again = ["--scorer", "model_graded_qa", "--model", "counted/judge", "--replications", EPOCHS]
    return {
        "eval-retry": Activity(lambda f: lambda: evaluate(f / "out"), read, calls_in),
        "sweep": Activity(lambda f: cli("sweep", *sweep, f / "out"), read, calls_in),
        "rejudge": Activity(
            lambda f: cli("rejudge", source, *again, "--output", f / "out" / "again.eval"),
            read,
            calls_in,
        ),
        "import": Activity(
            lambda f: cli("import", published, "--log-dir", f / "out"), read, logs_in
        ),
        "report": Activity(
            lambda f: cli("report", log, "--html", f / "out/page.html", "--tables", f / "out/data"),
            read_report,
            lambda f: len(list((f / "out").rglob("*"))) if (f / "out").exists() else 0,
        ),
    }


def start(work: Callable[[], None], folder: Path, limit: int | None = None) -> int:
    """Run in a process group of its own, which has all modules already."""
    folder.mkdir(parents=True, exist_ok=True)
    process = os.fork()
    if process:
        return process
    status = 1
    try:
        os.setsid()
        out = os.open(folder / "said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        os.environ[CALLS] = str(folder / "calls")
        os.chdir(folder)  # where a log goes that cannot be written in its place
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        work()
        status = 0
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def ended(process: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def begun(activity: Activity, folder: Path, process: int) -> bool:
    """Wait until work is done; false if the process ended before."""
    while not activity.work(folder):
        if os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return False
        time.sleep(0.01)
    return True


def campaign(name: str, activity: Activity, base: Path, kills: int, chance: random.Random) -> None:
    whole = base / name / "whole"
    process = start(activity.command(whole), whole)
    begun(activity, whole, process)
    since = time.monotonic()
    assert ended(process) == 0, (whole / "said").read_text()
    span = time.monotonic() - since
    expected, _ = activity.judgments(whole)
    lost = doubled = copies = different = repeated = landed = failed = 0
    for number in range(2 * kills):  # some come too late
        if landed == kills:
            break
        folder = base / name / str(number)
        process = start(activity.command(folder), folder)
        if begun(activity, folder, process):
            time.sleep(chance.random() * span)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process, signal.SIGKILL)
            landed += ended(process) == -signal.SIGKILL
        status = ended(start(activity.command(folder), folder))
        failed += status != 0
        if status:
            print((folder / "said").read_text()[-500:])
        found, twice = activity.judgments(folder)
        lost += len(expected.keys() - found.keys())
        different += sum(found[key] != expected[key] for key in expected.keys() & found.keys())
        doubled += len(found.keys() - expected.keys())
        copies += twice
        if activity.work is calls_in:
            repeated += calls_in(folder) - calls_in(whole)
    print(
        f"{name:12} {landed:3} kills of {len(expected):3} results: {lost} lost, {doubled} doubled, "
        f"{different} different, {copies} copies in logs (left out with a note), {repeated} calls "
        f"repeated, {failed} runs that did not end well",
        flush=True,
    )


def full_disk(base: Path) -> tuple[Path | None, str]:
    """A disk of 16 KiB, if one may be mounted."""
    place = base / "full"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(place)]
    mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    return (place, "disk of 16 KiB") if mounted else (None, "files of 4 KiB at most")


def places(base: Path, made: dict[str, Activity], names: Sequence[str]) -> None:
    """Each command with nowhere to write: what it says, and whether it ends with a traceback."""
    disk, what = full_disk(base)
    (base / "file").write_text("a file")
    try:
        for name in names:
            for kind, folder in {
                what: disk or base / "limited" / name,
                "no folder can be made": Path("/proc"),
                "a file in its place": base / "file",
            }.items():
                said = base / "said" / name
                limit = 4096 if kind == what and disk is None else None
                status = ended(start(made[name].command(folder), said, limit))
                text = (said / "said").read_text(errors="replace")
                told = "TRACEBACK" if "Traceback" in text else " ".join(text.split())[-240:]
                print(f"{name:12} {kind:22} exit {status}: {told}", flush=True)
                if disk:
                    shutil.rmtree(disk / "out", ignore_errors=True)
    finally:
        if disk:
            subprocess.run(["umount", str(disk)], check=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--designs", type=int, default=150)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        os.environ[CALLS] = str(base / "calls")
        made = activities(base)
        names = options.only or [*made, "designs"]
        if "designs" in names:
            names.remove("designs")
            chance = random.Random(f"{options.seed} designs")
            fuzz(base / "designs", options.designs, chance, partial(print, flush=True))
        for name in names:
            chance = random.Random(f"{options.seed} {name}")
            campaign(name, made[name], base / "kills", options.kills, chance)
        places(base, made, [name for name in names if name != "eval-retry"])


if __name__ == "__main__":
    main()
