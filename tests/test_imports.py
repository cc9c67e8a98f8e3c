"""What an import loads, looked up in a process of its own."""

import json
import subprocess
import sys

import pytest

LOADED = "import json, sys; print(json.dumps(sorted(sys.modules)))"


def loaded(*code: str) -> list[set[str]]:
    """Names of all modules that are loaded after each of these, one after the other."""
    said = f"\n{LOADED}\n".join([*code, ""])
    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    return [set(json.loads(line)) for line in done.stdout.splitlines()]


@pytest.mark.process
def test_statistics_need_numpy_and_scipy_only() -> None:
    """The statistics load no package but numpy and scipy, whatever else is installed."""
    known, every = loaded("import site, numpy, scipy.stats", "import inspect_reliability.stats")
    packages = {name.partition(".")[0] for name in every - known} - set(sys.stdlib_module_names)
    assert packages == {"inspect_reliability"}


@pytest.mark.process
def test_the_entry_point_loads_nothing_heavy() -> None:
    """What inspect loads of this package at every start brings no heavy library and no reader."""
    known, every = loaded("import inspect_ai", "import inspect_reliability._registry")
    heavy = {"matplotlib", "pandas", "pyarrow", "scipy", "sklearn", "torch", "transformers"}
    readers = {
        f"inspect_reliability.judgments.{name}" for name in ("logs", "rows", "sources", "table")
    }
    assert (heavy | readers) & (every - known) == set()
