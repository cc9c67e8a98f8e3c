"""Every public function says which argument has another type than it takes."""

import inspect
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from inspect_ai.scorer import match

import inspect_reliability as ir
from inspect_reliability.arguments import refuse_other_types
from inspect_reliability.errors.inspect_error import PrerequisiteError

FILE = Path(__file__).parents[1] / "examples" / "verdicts.csv"
FRAME = pd.read_csv(FILE, dtype=str, nrows=8)
WRONG: tuple[Any, ...] = (
    3,
    0.1,
    True,
    None,
    "nowhere",
    b"x",
    [],
    {},
    [1, 2],
    ["a", 3],
    [None],
    {"a": 1},
    {1: "a"},
    {"a"},
    FRAME,
    FRAME["question"],
    Path("nowhere.csv"),
    object(),
    float("nan"),
    -1,
    iter("ab"),
    len,
)
SPOKEN = PrerequisiteError
"""What inspect prints without a traceback, as of its scorers."""

CALLS: dict[str, Callable[..., Any]] = {
    "analyse": partial(ir.analyse, FRAME),
    "card": partial(ir.card, FRAME),
    "choose": partial(ir.choose, FRAME),
    "compare": partial(ir.compare, FRAME),
    "gate": partial(ir.gate, FRAME),
    "judgments_from_file": partial(ir.judgments_from_file, FILE),
    "judgments_from_frame": partial(ir.judgments_from_frame, FRAME),
    "judgments_from_logs": partial(ir.judgments_from_logs, "nowhere"),
    "keep": partial(ir.keep, FRAME),
    "label": partial(ir.label, FRAME),
    "omega": partial(ir.omega, FRAME),
    "plan": partial(ir.plan, FRAME),
    "rank": partial(ir.rank, FRAME),
    "rejudge": partial(ir.rejudge, match()),
    "rejudge_log": partial(ir.rejudge_log, "nowhere.eval"),
    "score_variance": partial(ir.score_variance, FRAME),
    "selective_scorer": partial(ir.selective_scorer, "nowhere.json"),
    "watch": partial(ir.watch, FRAME),
    "Item": partial(ir.Item, "1", "Who?", {}),
    "JudgeDesign": partial(ir.JudgeDesign, "mine", "{{ question }}", ["A", "B"]),
    "Reading": ir.Reading,
    "judge": ir.judge,
}


def arguments(name: str) -> list[inspect.Parameter]:
    found = inspect.signature(getattr(ir, name)).parameters.values()
    return [one for one in found if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)]


SOURCES = {"judgments", "second", "stream"}
"""Arguments that are read as one."""


def kind(argument: inspect.Parameter) -> tuple[str, str]:
    """Name and annotation: what has the same of both is read by the same code."""
    source = argument.name in SOURCES and argument.annotation != "pd.DataFrame"
    return ("source", "") if source else (argument.name, str(argument.annotation))


FIRST: dict[tuple[str, str], str] = {}
"""Kind of an argument -> the first function that has one."""
for function in CALLS:
    for one in arguments(function):
        FIRST.setdefault(kind(one), function)


LOOKED_UP = ("rejudge", "scorer")
"""A text there loads every installed package: `rejudge/test_command.py` names an unknown one."""


def tried(name: str, argument: inspect.Parameter) -> list[Any]:
    """The first value of another type, and where no function before has this argument, the others.

    Every other value of another type is refused by the same line.
    """
    function = inspect.unwrap(getattr(ir, name))
    refused, others = [], []
    for wrong in WRONG:
        if (name, argument.name) == LOOKED_UP and isinstance(wrong, str):
            continue
        try:
            refuse_other_types(function, {argument.name: wrong})
            others.append(wrong)
        except ir.UserError:
            refused.append(wrong)
    return refused[:1] + (others if FIRST[kind(argument)] == name else [])


def test_every_public_function_is_here() -> None:
    """Of all names, a metric takes nothing of the kind, and others are no functions."""
    other = {"Analysis", "Counts", "Judgments", "UserError", "reliability"}
    assert {*CALLS} | other == {*ir.__all__}


@pytest.mark.slow
@pytest.mark.usefixtures("few_draws", "read_once")
@pytest.mark.parametrize("name", CALLS)
def test_no_wrong_type_ends_in_a_traceback(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever an argument is, the call works or an error speaks to the user."""
    monkeypatch.chdir(tmp_path)
    call = CALLS[name]
    first = len(call.args) if isinstance(call, partial) else 0
    leaked = []
    for n, argument in enumerate(arguments(name)):
        for wrong in tried(name, argument):
            try:
                if n < first:
                    assert isinstance(call, partial)
                    call.func(*call.args[:n], wrong, *call.args[n + 1 :])
                else:
                    call(**{argument.name: wrong})
            except Exception as error:
                raised = type(error)
                ours = raised.__module__.startswith("inspect_reliability.")
                if not ((isinstance(error, ValueError) and ours) or issubclass(raised, SPOKEN)):
                    leaked.append((argument.name, wrong, repr(error)))
    assert not leaked


@pytest.mark.parametrize(
    ("name", "argument", "wrong", "said"),
    [
        ("analyse", "by", 3, 'by is 3. Give a string or a list of strings, as in by="judge".'),
        ("choose", "votes", "3", "votes is '3'. Give a whole number or a list of whole numbers"),
        ("choose", "votes", [1.5], "votes is [1.5]. Give a whole number or a list"),
        ("plan", "half_widths", "0.1", "half_widths is '0.1'. Give a number or a list"),
        ("plan", "names", [], "names is empty"),
        ("gate", "least", 0.8, 'as in least={"accuracy": 0.8}'),
        ("gate", "least", {"omega": float("nan")}, "from strings to numbers"),
        ("analyse", "columns", FRAME, "columns is a DataFrame. Give a dict"),
        ("keep", "within_one", "yes", "within_one is 'yes'. Give True or False"),
        ("Reading", "map", {"yes": 1}, 'as in map={"yes": "1"}'),
        ("Item", "context", 1, "context is 1. Give a string"),
        ("rank", "method", 3, 'method is 3. Give "mean" or "bt"'),
    ],
)
def test_the_error_says_what_was_given_and_what_is_wanted(
    name: str, argument: str, wrong: Any, said: str
) -> None:
    """It names the argument, and gives an example where the type does not show what it is."""
    with pytest.raises(ir.UserError) as raised:
        CALLS[name](**{argument: wrong})
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("name", "argument", "said"),
    [
        ("gate", "min", 'calls --min is least={"...": ...} here'),
        ("keep", "read_as", 'is reading=ir.Reading(read_as="...") here'),
        ("label", "for", 'is for_="..." here'),
        ("plan", "for", 'is names=["..."] here'),
        ("analyse", "html", "is to_html() here"),
        ("watch", "labelled", "Did you mean labels?"),
        ("analyse", "label", "Did you mean labels?"),
        ("plan", "half_width", "Did you mean half_widths?"),
        ("watch", "people", "It has judgments, by, stream, alpha, since, repairs, labels"),
        ("choose", "min", "It has judgments, by, labels, current"),
    ],
)
def test_an_option_of_a_command_is_told_as_an_argument(name: str, argument: str, said: str) -> None:
    """Where the function has it; else the nearest argument is named, or all are."""
    with pytest.raises(TypeError, match=f"{name}.. has no argument '{argument}'") as raised:
        getattr(ir, name)(FILE, **{argument: 1})
    assert said in str(raised.value)


@pytest.mark.parametrize("given", [FILE, pd.DataFrame({"question": ["q"], "verdict": ["A"]})])
def test_labels_by_the_name_of_a_column_are_told_as_columns(given: Any) -> None:
    """A string is a path; one that looks like a column is told what makes it one."""
    with pytest.raises(ir.UserError, match=r'give columns=\{"human": "label"\}'):
        ir.analyse(given, labels="human")
    with pytest.raises(ir.UserError, match=r"^No file or folder human.csv\.$"):
        ir.analyse(given, labels="human.csv")


@pytest.mark.slow
def test_one_value_is_a_list_of_one() -> None:
    """Where a list of numbers or names is taken, a single one is as well."""
    many = pd.read_csv(FILE, dtype=str)
    few = many[many["question"].isin(many["question"].unique()[:20])]
    one, several = ir.choose(few, votes=3), ir.choose(few, votes=[3])
    assert one.to_dict() == several.to_dict()
