"""The changes that CONTRIBUTING shows, each made on a copy of the source and seen in a report."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from commands import invoke

ROOT = Path(__file__).parents[1]
FORMS = ("table", "json")
REPORTS = """
import sys
from inspect_reliability.cli import main

for form in sys.argv[2:]:
    main(["report", sys.argv[1], "--full", "--format", form], standalone_mode=False)
"""
COEFFICIENT = '''@_row(
    "Net agreement",
    "How much more often pairs of replications agree than differ.",
    "Bennett, Alpert & Goldstein 1954",
    interval=NOISE_OR_SETTLED,
)
def net_agreement(s: Sums) -> FloatArray:
    """1 - 2 W: S of two categories."""
    return 1 - 2 * s.within


'''


class Recipe(NamedTuple):
    """What is found in one file of the source, what takes its place, and what a report then says.

    Attributes:
        old: Regular expression of what changes.
        new: What takes its place; groups of the expression stay.
        said: Words that only the changed report has.
        gone: Words that only the report before has.
    """

    old: str
    new: str
    said: str
    gone: str = ""


RECIPES = {
    "agreement's formula": Recipe(
        r'(def agreement\(s: Sums\) -> FloatArray:\n    """.*"""\n    return) .*',
        r"\1 (1 - s.within) / 2",
        said='"agreement": 0.2,',
    ),
    "a column's name": Recipe(
        r"Agreement( \[95%\])(?= \| z\.2f \|\n\| `omega`|\",\s*\"z\.2f\",\s*says=\"share of pairs)",
        r"Alike\1",
        said="Alike [95%]",
        gone="Agreement [95%]",
    ),
    "a table's heading": Recipe(
        '(?<=\nTITLE = )"Steady, or right"',
        '"By the labels"',
        said="By the labels",
        gone="Steady, or right",
    ),
    "a caution": Recipe(
        r"(?s)(    NO_OMEGA = .*?)(?=    if of\.asked_once:\n        yield ASKED_ONCE)",
        r"""    EIGHT = "eight"
\1    if len(of.counts.questions) == 8:
        yield Reason(CautionCode.EIGHT, "There are eight questions.")
""",
        said="There are eight questions.",
    ),
    "a coefficient": Recipe(
        r'(?=@_row\(\n    "Agreement")', COEFFICIENT, said='"net_agreement_interval"'
    ),
}


def said(printed: str) -> str:
    """What `report` said on the terminal and as JSON, whose lines are as long as they are here."""
    table, brace, found = printed.partition("\n{")
    return table + json.dumps(json.loads(brace + found), indent=1)


@pytest.fixture(scope="module")
def judgments(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight questions with labels, five verdicts each, of which 4 of 10 pairs agree."""
    rows = [f"q{q},{r},{'AAABB'[r - 1]},{'AB'[q % 2]}" for q in range(8) for r in range(1, 6)]
    path = tmp_path_factory.mktemp("judgments") / "judgments.csv"
    path.write_text("\n".join(["question,replication,verdict,label", *rows]) + "\n")
    return path


@pytest.fixture(scope="module")
def before(judgments: Path) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "200")
        printed = [invoke("report", judgments, "--full", "--format", form) for form in FORMS]
    return said("".join(one.stdout for one in printed))


@pytest.fixture(scope="module")
def after(judgments: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a report says after all changes, each made in the only file that has its place."""
    source = tmp_path_factory.mktemp("changed") / "src"
    shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
    for recipe in RECIPES.values():
        file = place(source, recipe)
        file.write_text(re.sub(recipe.old, recipe.new, file.read_text(), count=1))
    environment = os.environ | {"PYTHONPATH": str(source), "COLUMNS": "200"}
    command = [sys.executable, "-c", REPORTS, str(judgments), *FORMS]
    done = subprocess.run(command, env=environment, text=True, check=True, stdout=subprocess.PIPE)
    return said(done.stdout)


def place(source: Path, recipe: Recipe) -> Path:
    """The only file with what changes."""
    files = source.rglob("*.[pm][yd]")
    [file] = [path for path in files if re.search(recipe.old, path.read_text())]
    return file


@pytest.mark.process
@pytest.mark.parametrize("name", RECIPES)
def test_a_change_is_made_where_contributing_says(name: str, before: str, after: str) -> None:
    """Each change takes the one file that CONTRIBUTING names for it, and the report shows it."""
    recipe = RECIPES[name]
    file = place(ROOT / "src", recipe)
    page = (ROOT / "CONTRIBUTING.md").read_text()
    [row] = [line for line in page.splitlines() if line.startswith(f"| {name} |")]
    assert f"`{file.relative_to(ROOT / 'src' / 'inspect_reliability')}`" in row
    assert recipe.said in after
    assert recipe.said not in before
    assert not recipe.gone or (recipe.gone in before and recipe.gone not in after)
