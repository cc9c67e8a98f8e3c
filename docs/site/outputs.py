"""Write what follows from the code: outputs and tables of pages, and the files of tasks.

`make outputs` brings them up to date. A block of a page that begins with "$ " and
one of our commands on the examples is run, as in a terminal of 80 columns; others stay as they are.
A table between `<!-- table: NAME -->` and `<!-- end -->` is made anew. Each task of the study has a
file in `tasks/`.
"""

import inspect
import re
import shlex
from pathlib import Path

from click.testing import CliRunner

from docs.site.reference import (
    paragraph_of_methods,
    table_of_changes,
    table_of_coefficients,
    table_of_sentences,
)
from inspect_reliability.cli import main
from inspect_reliability.study.tasks import TASKS

ROOT = Path(__file__).parents[2]
_NAMES = (
    "tutorial",
    "reading",
    "how-to-card",
    "how-to-improve",
    "how-to-keep",
    "how-to-rank",
    "how-to-watch",
    "which-number",
    "cost",
)
PAGES = [ROOT / "docs" / f"{name}.md" for name in _NAMES]

TABLES = {
    "coefficients": table_of_coefficients,
    "changes": table_of_changes,
    "methods": paragraph_of_methods,
    "sentences": table_of_sentences,
}
"""Name of a table of a page -> what makes it."""

TABLED = [ROOT / "docs" / f"{name}.md" for name in ("reliability", "how-to-fooled", "which-number")]

_TABLE = re.compile(
    r"(<!-- table: (?P<name>\w+) -->)\n.*?(<!-- end -->)",
    re.DOTALL,
)

_TASK = '''"""{about}.

inspect eval tasks/{name}.py {option}
"""

from functools import wraps
from typing import Any

from inspect_ai import Task, task

from inspect_reliability.study.tasks import TASKS


@task
@wraps(TASKS["{name}"], ("__doc__",), ())
def {name}(*given: Any, **options: Any) -> Task:
    return TASKS["{name}"](*given, **options)
'''

_BLOCK = re.compile(
    r"```console\n\$ inspect-reliability "
    r"(?P<given>[^\n]*(?:logs/example|examples/verdicts|examples/pairs|examples/checks)[^\n]*)\n.*?```",
    re.DOTALL,
)


def refreshed(page: str) -> str:
    """The page with its tables, and the output of each of its commands.

    The folder is that of the repository.
    """
    return _BLOCK.sub(_run, tabled(page))


def tabled(page: str) -> str:
    """The page with its tables as the code has them."""
    return _TABLE.sub(lambda found: f"{found[1]}\n\n{TABLES[found['name']]()}\n\n{found[3]}", page)


def task_file(name: str) -> str:
    """The text of a task's file."""
    about = (inspect.getdoc(TASKS[name]) or "").splitlines()[0].rstrip(".?")
    option = "-T replications=100" if name.endswith("_judge") else "--model MODEL"
    return _TASK.format(name=name, about=about, option=option)


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
    for path in TABLED:
        path.write_text(tabled(path.read_text(encoding="utf-8")), encoding="utf-8")
    for name in TASKS:
        (ROOT / "tasks" / f"{name}.py").write_text(task_file(name), encoding="utf-8")
