"""Every example in a docstring runs, and every public name has one."""

import ast
import doctest
import shutil
from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
import pytest
from inspect_ai.model import get_model
from inspect_ai.scorer import model_graded_qa

import inspect_reliability
from commands import invoke
from graders import LENIENT, run, suite
from inspect_reliability import Analysis, Judgments, analyse
from inspect_reliability.showing import Drawing

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "inspect_reliability"


def _examples() -> Iterator[tuple[str, str, int, str]]:
    """File, name, line and docstring of each definition whose docstring has an example."""
    for file in sorted(SOURCE.rglob("*.py")):
        text = file.read_text()
        if ">>> " not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                said = ast.get_docstring(node) or ""
                if ">>> " in said:
                    yield file.relative_to(SOURCE).as_posix(), node.name, node.lineno, said


EXAMPLES = list(_examples())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where examples run: with the files of the repository, a graded log and a rule."""
    place = tmp_path_factory.mktemp("docstrings")
    for name in ("examples", "logs"):
        (place / name).symlink_to(ROOT / name)
    log = run(suite(model_graded_qa()), place / "graded", get_model(f"{LENIENT}/one"))
    shutil.copy(log.location, place / "suite.eval")
    rule = ("--max-error", "0.25", "--cascade", "gpt-5.4", "--save-rule", place / "rule.json")
    done = invoke("keep", ROOT / "examples" / "verdicts.csv", *rule)
    assert done.exit_code == 0, done.output
    return place


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=[name for _, name, *_ in EXAMPLES])
def test_an_example_of_a_docstring_runs(
    example: tuple[str, str, int, str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It prints what the docstring says that it prints."""
    file, name, line, said = example
    monkeypatch.chdir(folder)
    mpl.use("agg")
    test = doctest.DocTestParser().get_doctest(said, {}, name, file, line)
    told: list[str] = []
    doctest.DocTestRunner().run(test, out=told.append)
    assert not told, "".join(told)


def test_every_public_name_has_an_example() -> None:
    """Its own docstring has it, or that of the class which it is another name of."""
    shown = {name for _, name, *_ in EXAMPLES}
    for name in inspect_reliability.__all__:
        found = getattr(inspect_reliability, name)
        assert {name, getattr(found, "__name__", "")} & shown, name


@pytest.mark.slow
def test_completion_shows_what_a_user_needs() -> None:
    """A handful of names, each of which is there."""
    analysis = analyse(str(ROOT / "examples" / "verdicts.csv"))
    for of in (analysis, analysis.judgments, next(iter(analysis.figures().values()))):
        assert isinstance(of, Analysis | Judgments | Drawing)
        names = dir(of)
        assert len(names) <= 10
        assert all(hasattr(of, name) for name in names)


@pytest.mark.slow
def test_the_summary_is_the_printed_table() -> None:
    """Each number that the block shows is in the frame, and rounds to what it shows."""
    analysis = analyse(str(ROOT / "examples" / "verdicts.csv"))
    shown, table = repr(analysis), analysis.summary().set_index("judge")
    for judge, row in table.iterrows():
        line = next(one for one in shown.splitlines() if one.startswith(f"{judge} ") and "%" in one)
        for name in ("right", "undecided", "again"):
            assert f"{row[name]:.0%}"[:-1] in line
        assert f"{row['omega']:.2f}" in line
        assert f"({row['n_votes']})" in line
    rows = analysis.frame("rows").set_index("judge")
    right = analysis.frame("validity").set_index("judge")
    for end in ("accuracy", "accuracy_low", "accuracy_high"):
        assert rows[end].to_dict() == right[end].to_dict()
    assert rows["accuracy"].to_dict() == table["right"].to_dict()


@pytest.mark.slow
def test_a_figure_is_drawn_on_axes_of_ones_own() -> None:
    """The axes get what the figure shows, and are returned."""
    from matplotlib import pyplot

    mpl.use("agg")
    figures = analyse(str(ROOT / "examples" / "verdicts.csv")).figures()
    picture, axes = pyplot.subplots(1, len(figures), squeeze=False)
    for figure, own in zip(figures.values(), axes[0], strict=True):
        assert figure.draw(own) is own
        assert own.has_data()
    assert len(picture.axes) == len(figures)
    assert next(iter(figures.values())).draw().has_data()
    pyplot.close("all")


@pytest.mark.slow
def test_names_that_were_mapped_are_names() -> None:
    """Columns can be grouped by, and be facets, under the names of the user's file."""
    import pandas as pd

    given = pd.read_csv(ROOT / "examples" / "verdicts.csv").rename(columns={"judge": "who"})
    columns = {"who": "judge"}
    found = analyse(given, by="who", columns=columns).frame("rows")
    expected = analyse(given, by="judge", columns=columns).frame("rows")
    pd.testing.assert_frame_equal(found, expected)
    compared = inspect_reliability.compare(given, by="who", columns=columns).summary()
    assert set(compared["first"]) | set(compared["second"]) == {"gpt-5.4", "gpt-5.4-nano"}
