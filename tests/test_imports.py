"""What an import loads, looked up in a process of its own."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import inspect_reliability

LOADED = "import json, sys; print(json.dumps(sorted(sys.modules)))"


def test_nothing_loads_scipy_stats() -> None:
    """It takes half a second to load: what is needed of it is in `scipy.special`, or a line."""
    files = [*Path(inspect_reliability.__file__).parent.rglob("*.py")]
    assert len(files) > 100
    assert not [one for one in files if re.search(r"(from|import) scipy\.stats", one.read_text())]


WITHOUT_TORCH = """
sys.modules["torch"] = None
try:
    hf_seeded.hf_seeded()
except errors.UserError as error:
    print(" ".join(str(error).split()))
"""


STEPS = (
    "import site, numpy.random, numpy.typing",
    "import inspect_reliability.stats",
    "import inspect_ai",
    "import inspect_reliability._registry",
    "from inspect_reliability import errors, hf_seeded",
    WITHOUT_TORCH,
)


@pytest.fixture(scope="module")
def loaded() -> list[str]:
    """Names of all modules after each step, and before the last of these what that printed."""
    said = f"\n{LOADED}\n".join([*STEPS, ""])
    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.process
def test_statistics_need_numpy_and_scipy_only(loaded: list[str]) -> None:
    """The statistics load no package but numpy, and scipy once it is used."""
    new = {*json.loads(loaded[1])} - {*json.loads(loaded[0])}
    packages = {name.partition(".")[0] for name in new} - set(sys.stdlib_module_names)
    assert packages == {"inspect_reliability"}


@pytest.mark.process
def test_the_entry_point_loads_nothing_heavy(loaded: list[str]) -> None:
    """What inspect loads of this package at every start brings no heavy library and no reader.

    The engine's folder imports without torch; using it names the extra that brings torch.
    """
    _, _, before, after, with_engine, said, _ = loaded
    heavy = {"matplotlib", "pandas", "pyarrow", "scipy", "sklearn", "torch", "transformers"}
    readers = {
        f"inspect_reliability.judgments.{name}" for name in ("logs", "rows", "sources", "table")
    }
    assert (heavy | readers) & ({*json.loads(after)} - {*json.loads(before)}) == set()
    assert {"torch", "transformers"} & {*json.loads(with_engine)} == set()
    assert "torch is not installed" in said
    assert "pip install 'inspect-reliability[local]" in said
