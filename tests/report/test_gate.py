"""The gate decides by intervals."""

import pytest

from example_judgments import changed, made, together
from inspect_reliability.judgments import Judgments
from inspect_reliability.report.gate import Limits, check, not_checked, overall
from inspect_reliability.stats import FAILS, OPEN, PASSES


@pytest.mark.parametrize(
    ("judgments", "limits", "result"),
    [
        (made(noise=0.05, questions=40), Limits(min_omega=0.6), PASSES),
        (made(noise=0.9, questions=40), Limits(min_omega=0.6), FAILS),
        (made(noise=0.2, questions=8), Limits(min_omega=0.7), OPEN),
        (made(verdict="A"), Limits(min_omega=0.1), OPEN),
        (made(noise=0, temperature=0.0), Limits(min_omega=0.1), OPEN),
        (made(noise=0), Limits(min_omega=0.1), OPEN),
        (together(made(noise=0, temperature=0.0), made()), Limits(min_omega=0.1), OPEN),
        (made(noise=0.9, questions=40, temperature=0.0), Limits(min_omega=0.6), FAILS),
        (made(questions=3, replications=100, noise=0), Limits(max_non_response=0.05), OPEN),
        (made(questions=3, replications=100), Limits(max_non_response=0.05), OPEN),
        (made(noise=0, seed_check="honoured"), Limits(min_omega=0.6), PASSES),
        (made(), Limits(max_non_response=0.05), OPEN),
        (made(questions=80), Limits(max_non_response=0.05), PASSES),
        (made(silent=0.5), Limits(max_non_response=0.05), FAILS),
        (made(silent=0.05, questions=10), Limits(max_non_response=0.05), OPEN),
        (made(verdict="non-response"), Limits(max_non_response=0.05), FAILS),
        (made(noise=0.05, silent=0.5, questions=40), Limits(0.01, 0.05), FAILS),
    ],
)
def test_gate(judgments: Judgments, limits: Limits, result: str) -> None:
    """Only an interval that lies wholly on one side of the limit decides."""
    assert overall(check(judgments, limits, by=("judge",))) == result


@pytest.mark.parametrize("scorer", ["grader", "rejudge_quality"])
def test_a_suites_own_grades_beside_rejudge_are_not_gated(scorer: str) -> None:
    """Graded once by the suite and often by rejudge: the latter is what a gate is about."""
    place = {"log": "a", "epoch": 1}
    once = changed(made(replications=1), scorer=scorer, judge="m", **place)
    often = changed(made(noise=0.05, questions=40), scorer="rejudge", **place)
    once, often = (changed(part, sample=part.table["question"]) for part in (once, often))
    both = together(once, often)
    assert overall(check(both, Limits(min_omega=0.6))) == PASSES
    (note,) = not_checked(both)
    assert note.startswith("m, BBH, temperature 1 is not checked")
    elsewhere = together(changed(once, log="b"), often)
    assert overall(check(elsewhere, Limits(min_omega=0.6))) == OPEN
    assert not_checked(elsewhere) == []


def test_a_gate_with_nothing_to_check_does_not_pass() -> None:
    """No judge is no judge that passes."""
    assert overall([]) == OPEN
