"""Run the commands that pages show, and write below each what it prints.

`python docs/site/outputs.py` brings the pages up to date. A block of a page that begins with "$ "
and one of our commands on the examples is run, as in a terminal of 80 columns; others stay as they
are.
"""

import re
import shlex
from pathlib import Path

from click.testing import CliRunner

from inspect_reliability.cli import main

ROOT = Path(__file__).parents[2]
_NAMES = (
    "tutorial",
    "reading",
    "how-to-card",
    "how-to-keep",
    "how-to-rank",
    "which-number",
    "cost",
)
PAGES = [ROOT / "docs" / f"{name}.md" for name in _NAMES]

_BLOCK = re.compile(
    r"```console\n\$ inspect-reliability "
    r"(?P<given>[^\n]*(?:logs/example|examples/verdicts|examples/pairs)[^\n]*)\n.*?```",
    re.DOTALL,
)


def refreshed(page: str) -> str:
    """The page with the output of each of its commands; the folder is that of the repository."""
    return _BLOCK.sub(_run, page)


def _run(block: re.Match[str]) -> str:
    runner = CliRunner(env={"COLUMNS": "80"})
    done = runner.invoke(main, shlex.split(block["given"]), prog_name="inspect-reliability")
    if done.exit_code == 2:
        raise ValueError(done.output)
    lines = [line.rstrip() for line in done.stdout.rstrip().splitlines()]
    return "\n".join(["```console", f"$ inspect-reliability {block['given']}", *lines, "```"])


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(refreshed(path.read_text(encoding="utf-8")), encoding="utf-8")
