"""Logs of every kind in one folder."""

from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import model_graded_qa
from inspect_ai.solver import generate

import example_logs
from commands import full, invoke
from inspect_reliability import Item, JudgeDesign, judge, rejudge
from inspect_reliability.answers import analyse
from inspect_reliability.answers.data import write_figures
from inspect_reliability.answers.questions import MOST_ROWS
from inspect_reliability.answers.report import report_document
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.showing import Form, render
from inspect_reliability.study.published.reported import with_published
from inspect_reliability.verdicts import INVALID, NON_RESPONSE

pytestmark = pytest.mark.slow

BEST = "{{ question }}{% for o in options %} [{{ o.label }}]: {{ o.text }}{% endfor %}"
DESIGNS = [
    JudgeDesign("Pair", BEST, {"options": ["A", "B"]}),
    JudgeDesign("Pair", f"Decide. {BEST}", {"options": ["A", "B"]}),
    JudgeDesign("Pair", f"Decide. {BEST}", {"options": ["A", "B", "C"]}),
    JudgeDesign("Marks", "{{ question }} {{ response }}", {"from": 1, "to": 10}),
    JudgeDesign("Marks", "{{ question }} {{ response }}", ["yes", "no"]),
    JudgeDesign("BBH", "{{ question }} {{ response }}", ["yes", "no"]),
]


def items(design: JudgeDesign) -> list[Item]:
    many = len(design.reader.verdicts) if design.reader.kind == "options" else 1
    responses = {f"model {n}": f"It is {n}." for n in range(many)}
    return [Item(str(n), f"What is {n}?", responses) for n in range(3)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The paper's judge, own designs under one name, replications in a sample, foreign scores."""
    folder = tmp_path_factory.mktemp("mixed")
    example_logs.judged(folder)
    example_logs.foreign(folder)
    for design in DESIGNS:
        said = example_logs.judge("".join(name[0] for name in design.reader.verdicts), "{}")
        said = example_logs.judge("AB-") if design.reader.kind == "options" else said
        example_logs.run(judge(design, items(design)), folder, model=said, epochs=4)
        if design in DESIGNS[::3]:
            greedy = judge(design, items(design))
            example_logs.run(greedy, folder, model=said, epochs=1, temperature=0.0)
    several = judge(DESIGNS[0], items(DESIGNS[0]), replications=5)
    example_logs.run(several, folder, model=example_logs.judge("AB"))
    grader = model_graded_qa(model=example_logs.judge("CI", "GRADE: {}"))
    suite = Task(
        [Sample("What?", target="that", id=n) for n in range(3)],
        solver=generate(),
        scorer=rejudge(grader, replications=4),
        name="suite",
    )
    example_logs.run(suite, folder)
    return folder


@pytest.mark.parametrize("by", [("judge", "benchmark", "temperature"), ("judge",), ("benchmark",)])
def test_logs_of_every_kind_in_every_form(folder: Path, by: tuple[str, ...]) -> None:
    """Whatever is mixed, each form shows all of it, and every judgment is in one row."""
    judgments = judgments_from_logs(folder)
    analysis = with_published(analyse(judgments, by))
    rows = analysis.results["rows"]
    assert sum(row["n_judgments"] for row in rows) == len(judgments)
    document = report_document(analysis)
    shown: dict[Any, str] = {form: render(full(document), form) for form in get_args(Form)}
    if "benchmark" in by:
        for benchmark in ("Pair", "Marks", "BBH", "sums", "suite"):
            for form, text in shown.items():
                assert benchmark in text, form
        for name, many in (("Pair", 3), ("Marks", 2), ("BBH", 2)):
            assert len({row["study"] for row in rows if row["benchmark"] == name}) == many
    # The study has codes for the letters of five responses, and for right and wrong.
    codes = {*"ABCDE", "correct", "incorrect", NON_RESPONSE, INVALID}
    sampled = [{*row.table["verdict"]} <= codes for row in analysis.rows]
    assert [row["published_n_varying"] is not None for row in rows] == sampled
    assert {*sampled} == {True, False}


def test_figures_of_every_kind(folder: Path, tmp_path: Path) -> None:
    """Each row of the mixture has its figures."""
    analysis = analyse(judgments_from_logs(folder))
    files = write_figures(tmp_path, report_document(analysis))
    drawn = [file for file in files if file.name.startswith("questions")]
    few = analysis.rows[:MOST_ROWS]
    shown = write_figures(tmp_path, report_document(replace(analysis, rows=few)))
    assert not drawn
    assert len([file for file in shown if file.name.startswith("questions")]) == 3 * MOST_ROWS


@pytest.mark.parametrize(
    "arguments",
    [["report", "--html", "{}/page.html", "--tables", "{}/data"], ["gate"], ["plan"]],
    ids=lambda arguments: arguments[0],
)
def test_commands_take_the_mixture(folder: Path, tmp_path: Path, arguments: list[str]) -> None:
    """No command ends in a traceback."""
    command, *options = (argument.format(tmp_path) for argument in arguments)
    done = invoke(command, folder, *options)
    assert "Traceback" not in done.output
