"""What keeps the numbers of a row from being trusted is said beside them."""

import pytest

from example_judgments import ORDERS, changed, made
from inspect_reliability.judgments import Judgments
from inspect_reliability.report import analyse


def said(judgments: Judgments) -> str:
    rows = analyse(judgments, permutations=0).results["rows"]
    return " ".join(caution for row in rows for caution in row["cautions"])


def test_a_clean_study_needs_no_caution() -> None:
    """Enough questions, seeds, shuffled options: nothing to warn of."""
    assert said(made()) == ""


@pytest.mark.parametrize(
    ("judgments", "words"),
    [
        (made(questions=8), "only 8 questions"),
        (made(questions=1), "needs at least 2 questions"),
        (made(questions=2), "Omega has no interval: an interval needs at least 3 questions"),
        (made(replications=1), "at least 2 replications"),
        (made(temperature=0.0, noise=0), "At temperature 0"),
        (made(noise=0), "no seed check has seen this judge vary"),
        (made(noise=0, seed_check="unknown"), "no seed check has seen this judge vary"),
        (
            changed(made(), order=[ORDERS[n] for n in range(10)] * 25, responder="a"),
            "a verdict counts as the responder that",
        ),
        (made(held=False), "in one order"),
        (made(silent=0.95), "Most verdicts are 'non-response'"),
        (made(silent=0.7), "intervals may cover less than 95%"),
        (changed(made(), seed=None), "No seeds are recorded"),
        (changed(made(), seed=[None, *range(249)]), "1 judgments have no recorded seed"),
        (changed(made(), seed=7), "225 judgments repeat a seed"),
        (
            changed(made(), prompt=[str(i % 2) for i in range(250)]),
            "25 question ids had more than one prompt",
        ),
        (
            changed(made(), order=None, verdict=[f"{i / 7:.3f}" for i in range(250)]),
            "read ICC instead",
        ),
        (Judgments(made().table.iloc[3:]), "between 7 and 10 replications"),
        (
            Judgments(made().table.iloc[9:]),
            "1 question has fewer than 2 replications and did not enter the coefficients: q0",
        ),
        (made(verdict="A"), "no variance between questions"),
    ],
)
def test_cautions(judgments: Judgments, words: str) -> None:
    """What keeps a number from being trusted is said beside it."""
    assert words in said(judgments)


@pytest.mark.parametrize(
    "judgments",
    [made(silent=0.7, questions=80), made(questions=8, noise=0.9), made(questions=1, noise=0.5)],
)
def test_a_majority_over_enough_questions_is_no_dominance(judgments: Judgments) -> None:
    """Dominance takes a majority, and too few questions for the rest of the verdicts."""
    assert "may cover less" not in said(judgments)


def test_mixed_temperatures_are_pointed_out() -> None:
    """Grouping by less than judge and temperature says what a row mixes."""
    mixed = changed(made(), temperature=[i % 2 / 2 for i in range(250)])
    (row,) = analyse(mixed, ["judge"], permutations=0).results["rows"]
    assert "This row mixes 2 temperatures." in row["cautions"]
