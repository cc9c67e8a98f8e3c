"""What a report costs, and says, with the source of an earlier checkout and with this one.

    python bench/report_ratio.py FILE --before CHECKOUT [--runs N]

Each report is made in a process of its own, one checkout after the other, N times: the command
`inspect-reliability report FILE`, which computes what it shows, and with `--format json`, every
result. Prints the least CPU seconds of each, and for each number that differs between the two
reports the largest difference.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

COMMAND = "import sys; from inspect_reliability.cli import main; main(['report', *sys.argv[1:]])"


def reported(checkout: Path, file: str) -> tuple[dict[str, float], Any]:
    """CPU seconds and results of a report with the source of a checkout."""
    environment = os.environ | {"PYTHONPATH": str(checkout / "src"), "OMP_NUM_THREADS": "1"}
    spent, printed = {}, b""
    for name, form in (("command", "table"), ("every result", "json")):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-W", "ignore", "-c", COMMAND, file, "--format", form]
        done = subprocess.run(command, env=environment, check=True, capture_output=True)
        printed, after = done.stdout, resource.getrusage(resource.RUSAGE_CHILDREN)
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


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", metavar="FILE", help="logs or files of verdicts")
    parser.add_argument("--before", type=Path, metavar="CHECKOUT", required=True)
    parser.add_argument("--runs", type=int, default=2, metavar="N")
    arguments = parser.parse_args()
    if not (arguments.before / "src" / "inspect_reliability").is_dir():
        parser.error(f"--before {arguments.before}: no checkout there (git worktree add makes one)")
    checkouts = {"before": arguments.before, "after": Path(__file__).parents[1]}
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in checkouts}
    results: dict[str, Any] = {}
    for _ in range(arguments.runs):
        for name, checkout in checkouts.items():
            spent, results[name] = reported(checkout, arguments.file)
            runs[name].append(spent)
    print(f"{'CPU s':12} {'before':>8} {'after':>8}  ratio")
    for part in runs["after"][0]:
        was, is_now = (min(run[part] for run in runs[name]) for name in ("before", "after"))
        print(f"{part:12} {was:8.2f} {is_now:8.2f} {was / is_now:6.2f}")
    largest: dict[str, float] = {}
    for name, difference in differences(results["before"], results["after"]):
        largest[name] = max(largest.get(name, 0.0), difference)
    print("Largest differences; every other number is the same:" if largest else "Same numbers.")
    for name, difference in sorted(largest.items(), key=lambda item: -item[1]):
        print(f"  {name:40} {difference:.1e}")


if __name__ == "__main__":
    main()
