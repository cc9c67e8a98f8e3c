"""Seconds, CPU seconds and memory to report millions of judgments.

    python bench/many_rows.py --rows 1000000 --files 2

Workers share the questions, and judge each with ten judges, fifty times. They write what they have
as plain rows (CSV), as rows with all columns of a log (`--save`), or as counts (`--save --counts`).
Each report runs in a process of its own.
"""

import argparse
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from click.testing import CliRunner

from inspect_reliability.cli import main as command_line
from inspect_reliability.judgments.deduplication import as_counts
from inspect_reliability.judgments.table import Judgments, save

JUDGES, TRIES = 10, 50


def judgments(worker: int, n: int) -> pd.DataFrame:
    """The judgments of one worker: its own questions, half of them right for A."""
    chance = np.random.default_rng(worker)
    place = np.arange(n)
    question, judge = place // (JUDGES * TRIES), place // TRIES % JUDGES
    likely = chance.beta(2, 2, question[-1] + 1)[question]
    names = np.array([f"q{worker}-{k}" for k in range(question[-1] + 1)], dtype=object)
    judges = np.array([f"acme/judge-{k}" for k in range(JUDGES)], dtype=object)
    verdict = np.where(chance.random(n) < likely, "A", "B").astype(object)
    known = {"question": names[question], "judge": judges[judge], "verdict": verdict}
    return pd.DataFrame(known | {"label": np.array(["A", "B"], dtype=object)[question % 2]})


def plain(path: Path, table: pd.DataFrame) -> Path:
    """Rows as anybody writes them."""
    table.to_csv(made := path.with_suffix(".csv"), index=False)
    return made


def with_all_columns(path: Path, table: pd.DataFrame) -> Path:
    """Rows as `--save` writes those of judge tasks."""
    n = np.arange(len(table))
    options = ("one", "two", "three", "four", "five")
    more = {
        "benchmark": "load",
        "temperature": 1.0,
        "replication": n % TRIES + 1,
        "scorer": "verdict",
        "order": [options] * len(n),
        "categories": [("A", "B", "C", "D", "E", "non-response")] * len(n),
        "seed": (n % TRIES + 1000 * (n // TRIES)).astype(object),
        "log": f"{path.name}.eval",
        "uuid": [f"{path.name}-{k}" for k in n // TRIES],
    }
    save(Judgments(table.assign(**more)), made := path.with_suffix(".parquet"))
    return made


def as_saved_counts(path: Path, table: pd.DataFrame) -> Path:
    """Counts as `--save --counts` writes them."""
    known = table.assign(benchmark=None, temperature=np.nan, replication=1)
    save(as_counts(Judgments(known)), made := path.with_suffix(".counts.parquet"))
    return made


FORMS: dict[str, Callable[[Path, pd.DataFrame], Path]] = {
    "rows": plain,
    "all columns": with_all_columns,
    "counts": as_saved_counts,
}


def write(form: str, folder: str, worker: int, n: int) -> Path:
    """What one worker writes."""
    return FORMS[form](Path(folder, f"{worker}"), judgments(worker, n))


def answered(arguments: list[str], exit_code: int = 0) -> tuple[float, float, float]:
    """Seconds, CPU seconds and peak memory (MB) of a command."""
    began, started = time.perf_counter(), time.process_time()
    done = CliRunner().invoke(command_line, arguments)
    assert done.exit_code == exit_code, done.output
    used = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return time.perf_counter() - began, used, peak


def alone(work: Callable[..., Any], *given: Any) -> Any:
    """What a function returns, in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, given)


def measured(form: str, rows: int, files: int) -> str:
    """What it takes to report this many rows in this many files of a form."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [alone(write, form, folder, worker, rows // files) for worker in range(files)]
        size = sum(path.stat().st_size for path in paths) / 2**20
        seconds, used, peak = alone(answered, ["report", *map(str, paths)])
    return (
        f"{rows:,} judgments in {files} files of {form} ({size:,.0f} MB): {seconds:.1f} s, "
        f"{used:.1f} CPU s, {peak:,.0f} MB at most"
    )


def main() -> None:
    """Measure each form."""
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("--rows", type=int, default=1_000_000)
    asked.add_argument("--files", type=int, default=2)
    asked.add_argument("--form", choices=[*FORMS], action="append")
    given = asked.parse_args()
    for form in given.form or FORMS:
        print(measured(form, given.rows, given.files), flush=True)


if __name__ == "__main__":
    main()
