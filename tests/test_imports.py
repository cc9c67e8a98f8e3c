"""What an import loads, looked up in a process of its own."""

import json
import subprocess
import sys

import pytest

LOADED = "import json, sys; print(json.dumps(sorted(sys.modules)))"


def loaded(*code: str) -> list[str]:
    """What is printed by each of these, one after the other, with names of all modules after it."""
    said = f"\n{LOADED}\n".join([*code, ""])
    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.process
def test_statistics_need_numpy_and_scipy_only() -> None:
    """The statistics load no package but numpy and scipy, whatever else is installed."""
    before, after = loaded("import site, numpy, scipy.stats", "import inspect_reliability.stats")
    new = {*json.loads(after)} - {*json.loads(before)}
    packages = {name.partition(".")[0] for name in new} - set(sys.stdlib_module_names)
    assert packages == {"inspect_reliability"}


WITHOUT_TORCH = """
sys.modules["torch"] = None
try:
    hf_seeded.hf_seeded()
except errors.UserError as error:
    print(" ".join(str(error).split()))
"""


@pytest.mark.process
def test_the_entry_point_loads_nothing_heavy() -> None:
    """What inspect loads of this package at every start brings no heavy library and no reader.

    The engine's folder imports without torch; using it names the extra that brings torch.
    """
    entry = "import inspect_reliability._registry"
    engine = "from inspect_reliability import errors, hf_seeded"
    before, after, with_engine, said, _ = loaded("import inspect_ai", entry, engine, WITHOUT_TORCH)
    heavy = {"matplotlib", "pandas", "pyarrow", "scipy", "sklearn", "torch", "transformers"}
    readers = {
        f"inspect_reliability.judgments.{name}" for name in ("logs", "rows", "sources", "table")
    }
    assert (heavy | readers) & ({*json.loads(after)} - {*json.loads(before)}) == set()
    assert {"torch", "transformers"} & {*json.loads(with_engine)} == set()
    assert "torch is not installed" in said
    assert "pip install 'inspect-reliability[local]" in said
