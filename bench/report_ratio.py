"""How fast is a report, against the same coefficients from other libraries, in one run?

    python bench/report_ratio.py [DIR] [--loops N] [--json]
    python bench/report_ratio.py DIR --before CHECKOUT

DIR is a folder in the layout of the paper's published repository; without it, judgments of two
judges, five temperatures and three benchmarks are simulated (30 rows, 100 replications).

Ours is the whole report: every coefficient with its interval, three handlings of non-response,
the published procedure with its floor of 200 permutations. The loops compute less of it:
Krippendorff's alpha (krippendorff), agreement, Fleiss' kappa, AC1 and Brennan-Prediger (irrCAC),
each with a jackknife over questions, and the published omega and alpha with their floor
(reliabilipy). Each loop runs a few of its rounds, N by default 3, and is scaled to all of them:
all would take about an hour.

With --before, the same report is made with the source of an earlier checkout and with this one,
each in a process of its own, one after the other and twice: the command `inspect-reliability
report DIR`, which computes what it shows, and with `--format json`, every result. It prints the
CPU seconds of each and the largest difference between the two reports for each number that differs.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path
from subprocess import PIPE
from time import perf_counter
from typing import Any

import krippendorff
import numpy as np
import pandas as pd
from inspect_ai.scorer import SampleScore, Score
from irrCAC.raw import CAC
from reliabilipy import reliability_analysis

from inspect_reliability.judgments import Judgments, judgments_from_frame
from inspect_reliability.report import analyse
from inspect_reliability.scoring import reliability
from inspect_reliability.stats import Counts, panel
from inspect_reliability.study.published.codes import LETTER_CODES, encode
from inspect_reliability.study.published.layout import judgments_from_published
from inspect_reliability.study.published.reported import PublishedStudy

CATEGORIES = tuple(LETTER_CODES)
BENCHMARKS = {"BBH": 27, "SQuAD": 20, "MT-Bench": 8}
TEMPERATURES = {1.0: 0.9, 0.75: 0.7, 0.5: 0.5, 0.25: 0.25, 0.0: 0.0}
"""Temperature -> how far a question's verdicts scatter around its own."""
PERMUTATIONS = 200


def simulated() -> Judgments:
    """Judgments in the shape of the published ones."""
    generator = np.random.default_rng(0)
    shares = np.array([0.10, 0.12, 0.10, 0.085, 0.045, 0.535, 0.015])
    rows = []
    for judge in ("one", "two"):
        for temperature, scatter in TEMPERATURES.items():
            for benchmark, n in BENCHMARKS.items():
                for question in range(n):
                    own = generator.choice(7, p=shares)
                    chances = (
                        scatter * generator.dirichlet(shares * 3) + (1 - scatter) * np.eye(7)[own]
                    )
                    rows += [
                        (judge, temperature, benchmark, f"{benchmark} {question}", CATEGORIES[v])
                        for v in generator.choice(7, size=100, p=chances)
                    ]
    names = ["judge", "temperature", "benchmark", "question", "verdict"]
    return judgments_from_frame(pd.DataFrame(rows, columns=names))


def seconds(work: Callable[[], Any]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def jackknifed(verdicts: list[list[str]], rounds: int, coefficients: Callable[[Any], Any]) -> float:
    """Seconds for the coefficients of all questions and without one each, scaled from a few."""
    n = min(rounds, len(verdicts))
    spent = [seconds(lambda i=i: coefficients(verdicts[:i] + verdicts[i + 1 :])) for i in range(n)]
    return float(np.mean(spent)) * (len(verdicts) + 1)


def by_krippendorff(verdicts: list[list[str]]) -> None:
    table = np.array([[row.count(name) for name in CATEGORIES] for row in verdicts])
    krippendorff.alpha(value_counts=table, level_of_measurement="nominal")


def by_irr_cac(verdicts: list[list[str]]) -> None:
    found = CAC(pd.DataFrame(verdicts), categories=list(CATEGORIES))
    found.fleiss(), found.gwet(), found.bp()


def by_reliabilipy(codes: np.ndarray, rounds: int) -> float:
    """Seconds for the published omega and its floor, scaled from a few permutations."""
    varying = codes[:, (codes != codes[0]).any(axis=0)]
    if varying.shape[1] < 2:
        return 0.0
    generator = np.random.default_rng(0)

    def fit() -> None:
        shuffled = generator.permuted(varying, axis=0)
        try:
            reliability_analysis(raw_dataset=shuffled, is_corr_matrix=False).fit()
        except ValueError:
            return  # a singular permutation

    return float(np.mean([seconds(fit) for _ in range(rounds)])) * (PERMUTATIONS + 1)


def looped(judgments: Judgments, rounds: int) -> dict[str, float]:
    """Seconds of the loops over all rows."""
    spent = {"krippendorff": 0.0, "irrCAC": 0.0, "reliabilipy": 0.0}
    for _, table in judgments.groups():
        verdicts = [list(rows) for _, rows in table.groupby("question", sort=False)["verdict"]]
        if not set().union(*verdicts) <= set(CATEGORIES):
            continue  # Head-to-Tail has other verdicts
        spent["reliabilipy"] += by_reliabilipy(encode(verdicts, LETTER_CODES), rounds)
        if len(set().union(*verdicts)) > 1:
            spent["krippendorff"] += jackknifed(verdicts, rounds, by_krippendorff)
            spent["irrCAC"] += jackknifed(verdicts, rounds, by_irr_cac)
    return spent


def live() -> dict[str, float]:
    """Milliseconds of a live metric and of its parts, median of 20, 55 questions x 100."""
    generator = np.random.default_rng(1)
    verdicts = generator.choice(CATEGORIES, size=(55, 100)).tolist()
    scores = [
        SampleScore(score=Score(value=verdict, metadata={"question": f"q{i}"}), sample_id=f"q{i}")
        for i, row in enumerate(verdicts)
        for verdict in row
    ]
    counted = Counts.from_array(verdicts, categories=CATEGORIES)
    metric = reliability()
    parts: dict[str, Callable[[], Any]] = {
        "counts": lambda: Counts.from_array(verdicts, categories=CATEGORIES),
        "panel": lambda: panel(counted),
        "metric": lambda: metric(scores),
    }
    return {
        name: 1000 * float(np.median([seconds(work) for _ in range(20)]))
        for name, work in parts.items()
    }


COMMAND = """
import sys
from inspect_reliability.cli.main import main
main(["report", *sys.argv[1:]])
"""


def reported(checkout: Path, folder: str) -> tuple[dict[str, float], Any]:
    """CPU seconds and results of a report with the source of a checkout."""
    environment = os.environ | {"PYTHONPATH": str(checkout / "src"), "OMP_NUM_THREADS": "1"}
    spent, printed = {}, b""
    for name, form in (("command", "table"), ("every result", "json")):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-W", "ignore", "-c", COMMAND, folder, "--format", form]
        printed = subprocess.run(command, env=environment, check=True, stdout=PIPE).stdout
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent[name] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, json.loads(printed)


def differences(one: Any, other: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """What differs between two results: the name of a number, and by how much."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in one.keys() | other.keys():
            yield from differences(one.get(key), other.get(key), f"{name} {key}")
    elif isinstance(one, list) and isinstance(other, list):
        for pair in zip_longest(one, other):
            yield from differences(*pair, name)
    elif one != other:
        numbers = all(isinstance(value, int | float) for value in (one, other))
        yield name, abs(one - other) if numbers else float("inf")


def compared(before: Path, folder: str) -> None:
    """Print what an earlier checkout and this one spend on a report, and how its numbers differ."""
    checkouts = {"before": before, "after": Path(__file__).parent.parent}
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in checkouts}
    results: dict[str, Any] = {}
    for _ in range(2):
        for name, checkout in checkouts.items():
            spent, results[name] = reported(checkout, folder)
            runs[name].append(spent)
    print(f"{'CPU s':12} {'before':>8} {'after':>8}  ratio")
    for part in runs["after"][0]:
        was, is_now = (min(run[part] for run in runs[name]) for name in ("before", "after"))
        print(f"{part:12} {was:8.2f} {is_now:8.2f} {was / is_now:6.1f}")
    largest: dict[str, float] = {}
    for name, difference in differences(results["before"], results["after"]):
        largest[name] = max(largest.get(name, 0.0), difference)
    print("Largest differences; every other number is the same:" if largest else "Same numbers.")
    for name, difference in sorted(largest.items(), key=lambda item: -item[1]):
        print(f"  {name:40} {difference:.1e}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", metavar="DIR", help="published judgments")
    parser.add_argument("--loops", type=int, default=3, metavar="N", help="rounds of each loop")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--before", type=Path, metavar="CHECKOUT", help="an earlier checkout")
    arguments = parser.parse_args()
    if arguments.before:
        if not arguments.folder:
            parser.error("--before needs DIR")
        compared(arguments.before, arguments.folder)
        return
    warnings.simplefilter("ignore")
    folder = arguments.folder
    judgments = judgments_from_published(folder) if folder else simulated()
    groups = len(list(judgments.groups()))
    ours = seconds(lambda: dict(analyse(judgments, study=PublishedStudy()).results))
    loops = looped(judgments, arguments.loops)
    figures = {
        "rows": groups,
        "report_s": ours,
        "loops_s": loops,
        "ratio": sum(loops.values()) / ours,
        "live_ms_55x100": live(),
    }
    if arguments.json:
        print(json.dumps(figures, indent=1))
        return
    print(f"The whole report of {groups} rows: {ours:.1f} s")
    for name, spent in loops.items():
        print(f"  loops of {name:12} {spent:9.1f} s (scaled from {arguments.loops} rounds)")
    print(f"  ratio              {figures['ratio']:9.0f}")
    print("Live, 55 questions x 100 replications, ms:")
    for name, spent in figures["live_ms_55x100"].items():
        print(f"  {name:18} {spent:9.1f}")


if __name__ == "__main__":
    main()
