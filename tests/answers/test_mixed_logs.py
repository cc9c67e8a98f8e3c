"""Logs of every kind in one folder."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import model_graded_qa
from inspect_ai.solver import generate

import example_logs
from commands import full
from inspect_reliability import Item, JudgeDesign, judge, rejudge
from inspect_reliability.answers import analyse, questions
from inspect_reliability.answers.analysis import Analysis
from inspect_reliability.answers.gate import Limits, check_limits, gate_document
from inspect_reliability.answers.plan import plan_document, plans
from inspect_reliability.answers.report import report_document
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.judgments.table import Judgments
from inspect_reliability.showing import FORMS, render
from inspect_reliability.showing.document import named_figures
from inspect_reliability.study.published.reported import with_published
from inspect_reliability.verdicts import INVALID, NON_RESPONSE

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("read_once")]

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


@pytest.fixture(scope="module")
def judgments(folder: Path) -> Judgments:
    return judgments_from_logs(folder)


@pytest.fixture(scope="module")
def analysis(judgments: Judgments) -> Analysis:
    return with_published(analyse(judgments))


@pytest.mark.usefixtures("undrawn")
def test_logs_of_every_kind_in_every_form(analysis: Analysis) -> None:
    """Whatever is mixed, each form shows all of it."""
    rows, document = analysis.results["rows"], full(report_document(analysis))
    shown: dict[Any, str] = {form: render(document, form) for form in FORMS}
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


@pytest.mark.parametrize("by", [(), ("judge",), ("benchmark",)])
def test_every_judgment_is_in_one_row(judgments: Judgments, by: tuple[str, ...]) -> None:
    """Whatever is grouped by, nothing is lost and nothing is counted twice."""
    assert sum(len(row.asked) for row in analyse(judgments, by).rows) == len(judgments)


def test_figures_of_every_kind(analysis: Analysis, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each row of the mixture has its figures, unless rows are many."""
    monkeypatch.setattr(questions, "MOST_ROWS", 2)

    def drawn(rows: int) -> int:
        few = replace(analysis, rows=analysis.rows[:rows])
        figures = named_figures(report_document(few))
        return len([name for name in figures if name.startswith("questions")])

    assert (drawn(2), drawn(3)) == (2, 0)


def test_gate_and_plan_take_the_mixture(analysis: Analysis) -> None:
    """Each row passes, fails or is open, and has a plan or a reason for none."""
    checks = check_limits(analysis, Limits(least=(("omega", 0.5),)))
    assert render(full(gate_document(analysis, checks)), "table")
    found = plans(analysis, [0.2], names=["omega"])
    assert len(checks) <= len(found) == len(analysis.rows)
    assert all(one["designs"] or one["not_estimable"] for one in found)
    assert render(full(plan_document(analysis, found)), "table")
