"""Every next step runs: each command that an answer prints, in the folder that printed it."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from commands import invoke

ROOT = Path(__file__).parents[2]
FILES = [*sorted((ROOT / "tests" / "doors").iterdir()), ROOT / "examples" / "verdicts.csv"]
COMMANDS = (
    *(["report"], ["validate"], ["plan"], ["keep"], ["card"], ["gate", "--min", "omega=.5"]),
    ["gate", "--min", "accuracy=.5", "--votes", "3"],
)


def printed(output: str) -> list[str]:
    """The commands that a text shows."""
    lines = re.findall(r"^\s*inspect-reliability (.+)$", output, re.MULTILINE)
    return lines + re.findall(r"\(inspect-reliability ([^)]+)\)", output)


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_command_that_is_printed_runs(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names in capitals replaced; what is asked of a file is answered by its own proposal."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(file, tmp_path)
    shutil.copy(file, tmp_path / f"new_{file.name}")
    asked = invoke("read", file.name)
    chosen: list[str] = []
    if asked.exit_code == 2:
        at_once = re.search(r"at once: (.*)", asked.output)
        first = at_once or re.search(r"^  (--\S.*)$", asked.output, re.MULTILINE)
        chosen = shlex.split(first[1]) if first else []
    tried: set[str] = set()
    for name, *options in COMMANDS:
        said = invoke(name, file.name, *chosen, *options).output
        for command in printed(said):
            if command in tried:
                continue
            tried.add(command)
            words = [f"new_{file.name}" if one == "NEW" else one for one in shlex.split(command)]
            run = invoke(*[file.name if one == "LOGS" else one for one in words])
            assert run.exit_code != 2, (name, command, run.output)
