"""Every command is the same steps: options, read, rows, estimate, say."""

import sys
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from commands import invoke
from example_judgments import made, together
from inspect_reliability.answers import Analysis, analyse
from inspect_reliability.answers.card import ON_A_CARD, card_document
from inspect_reliability.answers.correction import BY_LABELS, validate_document
from inspect_reliability.answers.report import report_document, results_shown
from inspect_reliability.answers.results import estimate
from inspect_reliability.showing import FORMS, Form, render

MOST_FRAMES = 12
"""Most functions of ours from `main` to a formula, both included."""


@pytest.mark.slow
def test_few_functions_lie_between_main_and_omega(tmp_path: Path) -> None:
    """The estimates of a row are computed in the loop of the command, at most 12 calls deep."""
    file = tmp_path / "judgments.csv"
    rows = [f"q{q},{'AAB'[(q + r) % 3]}" for q in range(12) for r in range(4)]
    file.write_text("\n".join(["question,verdict", *rows]))
    calls: list[list[str]] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and (code.co_name, Path(code.co_filename).stem) == (
            "omega",
            "coefficients",
        ):
            calls.append([*ours(frame)])

    sys.setprofile(note)
    try:
        assert invoke("report", file).exit_code == 0
    finally:
        sys.setprofile(None)
    first = calls[0]
    assert first[-4:] == ["estimate", "report", "invoke", "main"]
    assert len(first) <= MOST_FRAMES, first


def ours(frame: FrameType | None) -> Any:
    """Names of our functions that lead to a frame, the last first."""
    while frame is not None:
        if "inspect_reliability" in frame.f_code.co_filename:
            yield frame.f_code.co_name
        frame = frame.f_back


def labelled() -> Analysis:
    """Two judges whose options are shown in several orders, with labels."""
    judges = (made(questions=8, replications=3, judge=judge, label="A") for judge in ("a", "b"))
    return analyse(together(*judges))


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_a_report_reads_what_was_estimated(form: Form, full: bool) -> None:
    """No result is computed while a report is put together and rendered."""
    analysis = labelled()
    estimate(analysis, results_shown(analysis, form, full))
    known = analysis.results.kept
    document = report_document(analysis)
    assert render(replace(document, blocks=document.every) if full else document, form)
    assert analysis.results.kept == known


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "made_of"), [(ON_A_CARD, card_document), (BY_LABELS, validate_document)]
)
def test_cards_and_labels_too(names: Any, made_of: Any) -> None:
    """No result is computed while a card, or what labels say, is put together."""
    analysis = labelled()
    estimate(analysis, names)
    known = analysis.results.kept
    document = made_of(analysis)
    assert document.every
    assert analysis.results.kept == known
