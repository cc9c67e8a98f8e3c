"""What starting the command loads."""

import subprocess
import sys
from pathlib import Path

import pytest

from inspect_reliability.cli import main
from inspect_reliability.cli.main import COMMANDS

HEAVY = {"inspect_ai", "pandas", "scipy", "numpy", "torch", "matplotlib", "rich", "pyarrow"}

LOADED = """
import sys
from inspect_reliability.cli import main
main({arguments}, standalone_mode=False)
print("loaded:", *sorted(sys.modules))
"""


UNUSED = {"fsspec", "psutil", "filelock", "yaml", "jinja2", "inspect_ai", "matplotlib"}
UNUSED |= {"scipy.optimize"}


@pytest.mark.slow
def test_a_report_of_a_file_loads_only_what_it_needs(tmp_path: Path) -> None:
    """Locks, remote files, designs and inspect are loaded where they are met, and no optimizers."""
    path = tmp_path / "results.csv"
    path.write_text("question,verdict\n" + "a,x\na,y\nb,x\nb,x\n" * 2)
    code = LOADED.format(arguments=["report", str(path)])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pandas" in (loaded := set(done.stdout.partition("loaded:")[2].split()))
    assert not UNUSED & loaded


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    """The list of commands and the version need click and nothing that takes time."""
    code = LOADED.format(arguments=arguments)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.partition("loaded:")[2].split())
    assert "click" in loaded
    assert not HEAVY & loaded


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_what_the_command_says(name: str) -> None:
    """Each listed command exists under its name, with the first line of its own help."""
    context = main.make_context("inspect-reliability", ["--help"], resilient_parsing=True)
    command = main.get_command(context, name)
    assert command is not None
    assert command.name == name
    assert command.get_short_help_str(200).rstrip(".") == COMMANDS[name].rstrip(".")
