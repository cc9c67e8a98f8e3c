"""Do changed intervals cover as before? Those of a commit and of this checkout, side by side.

    python bench/before.py COMMIT [--studies N] [--held] [--json]

Both see the same studies of the populations of `coverage.py`: omega and agreement, and the omega of
three benchmarks, pooled. A study without an interval is a miss. What is lower by more than two
errors of the simulation is marked.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from coverage import CHOSEN, OTHERS, POPULATIONS, Population
from inspect_reliability.stats import Estimate, agreement, omega, pooled_omega

ROOT = Path(__file__).parents[1]
SIZES = ((8, 2), (20, 5), (55, 20))
"""Questions and replications of a study, and of the first benchmark of pooled ones."""


def estimates(
    generator: np.random.Generator, population: Population, n: int, r: int
) -> Iterator[tuple[str, Estimate]]:
    """The intervals of one study."""
    given = {
        str(size): population.counts(population.study(generator, size, r))
        for size in (n, n // 2, 6)
    }
    yield "omega", omega(given[str(n)])
    yield "agreement", agreement(given[str(n)])
    yield "pooled omega", pooled_omega(given).estimate


def coverage(studies: int, held: bool) -> dict[str, float]:
    """Share of the intervals that hold the truth, by design."""
    found: dict[str, float] = {}
    for name, population in (CHOSEN | OTHERS if held else POPULATIONS).items():
        truth = population.truth()
        for n, r in SIZES:
            generator = np.random.default_rng(n)
            for _ in range(studies):
                for what, one in estimates(generator, population, n, r):
                    low, high = one.ends or (np.nan, np.nan)
                    design = f"{what}, {name}, N = {n}, R = {r}"
                    hit = low <= truth[what.removeprefix("pooled ")] <= high
                    found[design] = found.get(design, 0.0) + float(hit) / studies
    return found


def measured(checkout: Path, options: list[str]) -> dict[str, float]:
    """The same with the package, and the populations, of a checkout."""
    environment = os.environ | {"PYTHONPATH": str(checkout / "src")}
    command = [sys.executable, str(checkout / "bench/before.py"), "", *options]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    return dict(json.loads(done.stdout))


def main() -> None:
    """Print both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit", metavar="COMMIT", help="to compare with")
    parser.add_argument("--studies", type=int, default=300, help="studies of each design")
    parser.add_argument("--held", action="store_true", help="the populations of --held instead")
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args()
    if not asked.commit:
        print(json.dumps(coverage(asked.studies, asked.held)))
        return
    options = [f"--studies={asked.studies}", *["--held"] * asked.held]
    command = ["git", "-C", str(ROOT), "archive", asked.commit, "src", "bench"]
    packed = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    with TemporaryDirectory() as folder, tarfile.open(fileobj=BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
        shutil.copy(__file__, Path(folder) / "bench")
        before = measured(Path(folder), options)
    after = measured(ROOT, options)
    if asked.json:
        print(
            json.dumps({design: [before[design], now] for design, now in after.items()}, indent=1)
        )
        return
    for design, now in after.items():
        then = before[design]
        error = (max(then * (1 - then), 1e-9) / asked.studies) ** 0.5
        print(f"{then:.3f}  {now:.3f}  {design}{'  LOWER' * (now < then - 2 * error)}")


if __name__ == "__main__":
    main()
