"""The notebook of the examples, run as a notebook runs it."""

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

from inspect_reliability import analyse

pytestmark = pytest.mark.slow

NOTEBOOK = Path(__file__).parents[1] / "examples" / "notebook.ipynb"
SHOWN = ("_repr_html_", "_repr_svg_")


def cells() -> list[str]:
    found = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in found["cells"] if cell["cell_type"] == "code"]


def run(cell: str, names: dict[str, Any]) -> Any:
    """Run a cell; the value of its last line, None where that is no expression."""
    tree = ast.parse(cell)
    last = tree.body[-1]
    if not isinstance(last, ast.Expr):
        return exec(cell, names)
    exec(compile(ast.Module(tree.body[:-1], []), "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def test_every_cell_runs_and_shows_what_the_report_says(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Cells run in order, what they show has a picture or a table, and numbers are the report's."""
    monkeypatch.chdir(NOTEBOOK.parent)
    names: dict[str, Any] = {}
    values = [run(cell, names) for cell in cells()]
    shown = [one for one in values if one is not None]
    assert sum(any(hasattr(one, form) for form in SHOWN) for one in shown) == len(shown) - 1
    [estimate] = (one for one in shown if not any(hasattr(one, form) for form in SHOWN))
    named = names["grades"].set_axis(["question", "verdict"], axis=1)
    assert estimate.value == names["omega"](named).value
    right = analyse("verdicts.csv").results["validity"]
    assert names["checks"].summary()["value"].tolist() == [one["accuracy"] for one in right]
    assert re.search(r"^gpt-5.4 +68%", capsys.readouterr().out, re.MULTILINE)
