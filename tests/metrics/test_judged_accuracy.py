"""Head-to-Tail's metrics of a log's scores, by hand."""

import math

import pytest
from inspect_ai.scorer import SampleScore, Score

from inspect_reliability.metrics import judged_accuracy
from inspect_reliability.record.distributions import distributions_kept
from inspect_reliability.record.replications import Replications
from inspect_reliability.verdicts import CORRECT, INCORRECT, INVALID, NON_RESPONSE


def scored(
    question: str, replication: int, verdict: str, category: str = "head", missing: bool = False
) -> SampleScore:
    metadata = {
        "question": question,
        "category": category,
        "missing": missing,
        "replication": replication,
    }
    return SampleScore(score=Score(value=verdict, metadata=metadata), sample_id=question)


def test_by_hand() -> None:
    """Shares of right, wrong and missing answers, over all questions and for each popularity."""
    verdicts = {
        ("a", "head", False): "++",
        ("b", "head", True): "-+",
        ("c", "tail", False): "--",
        ("d", "tail", False): "+-",
    }
    scores = [
        scored(question, number, CORRECT if sign == "+" else INCORRECT, category, missing)
        for (question, category, missing), signs in verdicts.items()
        for number, sign in enumerate(signs, 1)
    ]
    found = judged_accuracy(by="category")(list(reversed(scores)))
    assert isinstance(found, dict)
    assert found["a_lm"] == 4 / 8
    assert (found["a_lm(head)"], found["a_lm(tail)"]) == (3 / 4, 1 / 4)
    assert (found["h_lm"], found["h_lm(head)"], found["h_lm(tail)"]) == (3 / 8, 0, 3 / 4)
    assert (found["m"], found["m(head)"], found["m(tail)"]) == (1 / 4, 1 / 2, 0)
    # Of head, replication 1 finds half correct and replication 2 all; of all, both find half.
    assert found["a_lm_se_replications(head)"] == pytest.approx(0.25)
    assert found["a_lm_se_replications"] == 0
    assert not any(name.endswith("(torso)") for name in found)


def test_less_is_known() -> None:
    """Imported judgments may not say popularity and missing answers: those values stay out."""
    scores = [scored(question, number, CORRECT) for question in "ab" for number in (1, 2)]
    for score in scores:
        for name in ("category", "missing"):
            del score.score.metadata[name]  # type: ignore[index]
    found = judged_accuracy(by="category")(scores)
    assert isinstance(found, dict)
    assert found["a_lm"] == 1
    assert all(math.isnan(found[name]) for name in ("h_lm", "m"))
    assert not any("(" in name for name in found)


def test_nothing_yet() -> None:
    """Before the first score, and with one replication, nothing is raised."""
    nothing = judged_accuracy(by="category")([])
    assert isinstance(nothing, dict)
    assert all(math.isnan(value) for value in nothing.values())
    found = judged_accuracy(by="category")([scored("a", 1, CORRECT)])
    assert isinstance(found, dict)
    assert found["a_lm"] == 1
    assert math.isnan(found["a_lm_se_questions"])


def test_invalid_verdicts_are_not_correct() -> None:
    """An invalid verdict counts as a non-response does, live as in the report."""
    verdicts = {"a": [CORRECT, INVALID], "b": [CORRECT, CORRECT], "c": [INCORRECT, NON_RESPONSE]}
    scores = [scored(q, n, one) for q, given in verdicts.items() for n, one in enumerate(given, 1)]
    found = judged_accuracy()(scores)
    assert isinstance(found, dict)
    assert (found["a_lm"], found["h_lm"]) == (pytest.approx(3 / 6), pytest.approx(1 / 6))


def test_exact_verdicts() -> None:
    """The accuracy of exact distributions is the mean probability of "correct"."""
    scores = [
        SampleScore(
            score=Score(
                value=CORRECT,
                metadata=distributions_kept(
                    [{"shares": {CORRECT: p, INCORRECT: 1 - p}, "open_mass": 0.0, "tail": []}]
                ),
            ),
            sample_id=str(p),
        )
        for p in (0.9, 0.5, 0.25)
    ]
    found = judged_accuracy()(scores)
    assert isinstance(found, dict)
    assert found["a_lm"] == pytest.approx(1.65 / 3)
    assert math.isnan(found["a_lm_se_replications"])


def test_rejudged_answers() -> None:
    """A judge of each output anew knows which answers are missing as well."""
    kept = {q: Replications([CORRECT, INCORRECT], 7, scorer="s", grader="g").metadata for q in "ab"}
    scores = [
        SampleScore(
            score=Score(value=CORRECT, metadata=kept[q] | {"missing": q == "b"}), sample_id=q
        )
        for q in "ab"
    ]
    found = judged_accuracy()(scores)
    assert isinstance(found, dict)
    assert (found["a_lm"], found["h_lm"], found["m"]) == (1 / 2, 1 / 4, 1 / 2)
