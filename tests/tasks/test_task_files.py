"""The task files of the checkout say and do what the package's tasks do."""

import inspect
import runpy
from pathlib import Path
from typing import Any

import pytest

from docs.site import outputs
from inspect_reliability import Item, JudgeDesign
from inspect_reliability.errors import UserError
from inspect_reliability.study import tasks
from inspect_reliability.tasks import judge

FOLDER = Path(__file__).parents[2] / "tasks"
TASKS = {"judge": judge, **tasks.TASKS}
NAMES = sorted(TASKS)

OWN = {
    "design": JudgeDesign("Own", "Polite? {{ response }}", ["yes", "no"]),
    "data": [Item("q", "Hi?", {"me": "Hello."})],
}
"""What the task of one's own judge cannot do without."""


def needed(name: str) -> dict[str, Any]:
    return OWN if name == "judge" else {}


def test_every_task_has_a_file() -> None:
    """Each task can be run, and copied, from a file of its name, which `outputs.py` writes."""
    assert sorted(path.stem for path in FOLDER.glob("*.py")) == NAMES
    for name in tasks.TASKS:
        assert (FOLDER / f"{name}.py").read_text() == outputs.task_file(name)


@pytest.mark.parametrize("name", NAMES)
def test_a_task_file_is_its_task(name: str) -> None:
    """Same parameters, defaults and samples as the package's task, all of them documented."""
    of_file = runpy.run_path(str(FOLDER / f"{name}.py"))[name]
    of_package = TASKS[name]
    signature = inspect.signature(of_package)
    assert inspect.signature(of_file) == signature
    for function in (of_file, of_package):
        described = inspect.getdoc(function) or ""
        assert all(f"\n    {parameter}: " in described for parameter in signature.parameters)
    mine, theirs = of_file(**needed(name)), of_package(**needed(name))
    assert [sample.model_dump() for sample in mine.dataset] == [
        sample.model_dump() for sample in theirs.dataset
    ]
    assert (mine.config, mine.metadata) == (theirs.config, theirs.metadata)


@pytest.mark.parametrize("name", NAMES)
def test_a_seed_must_be_a_number(name: str) -> None:
    """A seed that is no whole number is refused in words."""
    with pytest.raises(ValueError, match="seed='x' is not a whole number"):
        TASKS[name](**needed(name), seed="x")


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith("_judge")])
def test_judge_tasks_have_the_options_of_judge(name: str) -> None:
    """Each option has the default of `judge`, and what no judge task knows is refused."""
    own, shared = (inspect.signature(one).parameters for one in (TASKS[name], judge))
    options = [option for option in shared if option not in ("design", "data", "name")]
    assert all(own[option].default == shared[option].default for option in options)
    with pytest.raises((TypeError, UserError), match="sed"):
        TASKS[name](sed=1)
