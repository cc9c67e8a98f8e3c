"""What an import loads, looked up in a process of its own."""

import json
import subprocess
import sys

import pytest

LOADED = "import json, sys; print(json.dumps(sorted(sys.modules)))"


def loaded(code: str) -> set[str]:
    """Names of all modules that are loaded after `code`."""
    run = [sys.executable, "-c", f"{code}\n{LOADED}"]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.process
def test_statistics_need_numpy_and_scipy_only() -> None:
    """The statistics load no package but numpy and scipy, whatever else is installed."""
    new = loaded("import inspect_reliability.stats") - loaded("import site, numpy, scipy.stats")
    packages = {name.partition(".")[0] for name in new} - set(sys.stdlib_module_names)
    assert packages == {"inspect_reliability"}


@pytest.mark.process
def test_the_entry_point_loads_nothing_heavy() -> None:
    """What inspect loads of this package at every start brings no heavy library with it."""
    new = loaded("import inspect_reliability._registry") - loaded("import inspect_ai")
    heavy = {"matplotlib", "pandas", "pyarrow", "scipy", "sklearn", "torch", "transformers"}
    assert heavy & new == set()


@pytest.mark.process
def test_live_metrics_load_no_reader_of_files() -> None:
    """What counts the scores of a run brings nothing that reads tables, files or logs."""
    readers = {f"inspect_reliability.judgments.{name}" for name in ("frame", "logs", "saved")}
    assert readers & loaded("import inspect_reliability._registry") == set()
