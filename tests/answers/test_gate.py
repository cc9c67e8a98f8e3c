"""The gate decides by intervals."""

import random
import re
from collections import Counter
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy.stats import norm

from example_judgments import changed, labelled_where, made, one_flip_at_zero, together
from inspect_reliability.answers import analyse
from inspect_reliability.answers.beside_limit import gate_for_all
from inspect_reliability.answers.gate import (
    Limits,
    check_limits,
    gate,
    gate_document,
    not_checked,
    overall,
)
from inspect_reliability.answers.next_steps import advice, better_by
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.table import Judgments
from inspect_reliability.showing import render
from inspect_reliability.showing.document import Text
from inspect_reliability.stats.planning import FAILS, OPEN, PASSES

SILENT = (("non_response_rate", 0.1),)


def test_another_study_passes_the_gate_that_is_advised() -> None:
    """Of as many questions, in four of five cases: limits are rounded from there."""
    one, other = np.random.default_rng(0).normal(50, 1, (2, 500))
    reach = norm.ppf(0.975)
    passed = []
    for seen, again in zip(one.tolist(), other.tolist(), strict=True):
        said = gate_for_all([], "omega", [(seen - reach, seen + reach)], "LOGS")
        passed.append(again - reach >= float(said.rpartition("=")[2]))
    assert np.mean(passed) == pytest.approx(0.8, abs=0.04)
    assert gate_for_all([], "wrong", [(0.1, 0.2)], "LOGS").endswith("--max wrong=0.25")


@pytest.mark.parametrize(
    ("judgments", "limits", "result"),
    [
        (made(noise=0.05, questions=40), Limits((("omega", 0.6),)), PASSES),
        (made(noise=0.9, questions=40), Limits((("omega", 0.6),)), FAILS),
        (made(noise=0.2, questions=8), Limits((("omega", 0.7),)), OPEN),
        (made(verdict="A"), Limits((("omega", 0.1),)), OPEN),
        (made(noise=0, temperature=0.0), Limits((("omega", 0.1),)), OPEN),
        (one_flip_at_zero(), Limits((("omega", 0.1),)), OPEN),
        (made(noise=0), Limits((("omega", 0.1),)), OPEN),
        (together(made(noise=0, temperature=0.0), made()), Limits((("omega", 0.1),)), OPEN),
        (made(noise=0.9, questions=40, temperature=0.0), Limits((("omega", 0.6),)), FAILS),
        (
            made(questions=3, replications=100, noise=0),
            Limits(most=(("non_response_rate", 0.05),)),
            OPEN,
        ),
        (made(questions=3, replications=100), Limits(most=(("non_response_rate", 0.05),)), OPEN),
        (made(noise=0, seed_check="honoured"), Limits((("omega", 0.6),)), PASSES),
        (made(), Limits(most=(("non_response_rate", 0.05),)), OPEN),
        (made(questions=80), Limits(most=(("non_response_rate", 0.05),)), PASSES),
        (made(silent=0.5), Limits(most=(("non_response_rate", 0.05),)), FAILS),
        (made(silent=0.05, questions=10), Limits(most=(("non_response_rate", 0.05),)), OPEN),
        (made(verdict="non-response"), Limits(most=(("non_response_rate", 0.05),)), FAILS),
        (
            made(noise=0.05, silent=0.5, questions=40),
            Limits((("omega", 0.01),), (("non_response_rate", 0.05),)),
            FAILS,
        ),
    ],
)
def test_gate(judgments: Judgments, limits: Limits, result: str) -> None:
    """Only an interval that lies wholly on one side of the limit decides."""
    assert overall(check_limits(analyse(judgments, by=("judge",)), limits)) == result


@pytest.mark.slow
@pytest.mark.parametrize("scorer", ["grader", "rejudge_quality"])
def test_a_suites_own_grades_beside_rejudge_are_not_gated(scorer: str) -> None:
    """Graded once by the suite and often by rejudge: the latter is what a gate is about."""
    place = {"log": "a", "epoch": 1}
    once = changed(made(replications=1), scorer=scorer, judge="m", **place)
    often = changed(made(noise=0.05, questions=40), scorer="rejudge", **place)
    once, often = (changed(part, sample=part.table["question"]) for part in (once, often))
    both = together(once, often)
    assert overall(check_limits(analyse(both), Limits((("omega", 0.6),)))) == PASSES
    (note,) = not_checked(analyse(both))
    assert note.startswith("m, BBH, temperature 1 is not checked")
    elsewhere = together(changed(once, log="b"), often)
    assert overall(check_limits(analyse(elsewhere), Limits((("omega", 0.6),)))) == OPEN
    assert not_checked(analyse(elsewhere)) == []


@pytest.mark.slow
def test_a_gate_on_a_scale_names_icc() -> None:
    """Omega counts 7 and 8 as different, so a scale that fails is told of ICC."""
    judgments = made(noise=0.9, questions=40, order=None)
    numbers = judgments.table["verdict"].map(dict(zip("ABCDE", "12345", strict=True)))
    scale = changed(judgments, verdict=numbers)
    for of, told in ((scale, True), (judgments, False)):
        (one,) = check_limits(analyse(of), Limits((("omega", 0.6),)))
        assert one["result"] == FAILS
        assert ("ICC" in " ".join(one["cautions"])) == told


def scale(noise: float, **columns: object) -> Judgments:
    """A judge who gives 2, 4, 6 or 8, and with some noise the number beside it."""
    chance = random.Random(2)
    judgments = made(noise=0, questions=40, order=None, **columns)
    numbers = [
        str(2 * "ABCDE".index(verdict) + (chance.random() < noise))
        for verdict in judgments.table["verdict"]
    ]
    return changed(judgments, verdict=numbers)


def test_any_coefficient_can_have_a_limit() -> None:
    """A judge who wavers between neighbours passes by ICC and fails by omega."""
    checks = check_limits(analyse(scale(0.5)), Limits((("omega", 0.8), ("icc", 0.8))))
    omega, icc = checks
    assert (omega["requirement"], omega["result"]) == ("omega >= 0.8", FAILS)
    assert (icc["requirement"], icc["result"]) == ("icc >= 0.8", PASSES)
    (row,) = analyse(scale(0.5)).results["rows"]
    assert icc["value"] == pytest.approx(row["icc"])
    assert icc["value_interval"] == pytest.approx(row["icc_interval"])
    assert icc.keys() == omega.keys()
    assert icc["cautions"] == []


@pytest.mark.parametrize("name", ["agreement", "krippendorff_alpha", "gwet_ac1"])
def test_limits_on_both_sides(name: str) -> None:
    """What passes as a least value far below it fails as a highest, by the same interval."""
    limit = ((name, 0.1),)
    for limits, result in ((Limits(least=limit), PASSES), (Limits(most=limit), FAILS)):
        (one,) = check_limits(analyse(made(noise=0.2)), limits)
        assert one["result"] == result
    near_it = (one["value"] + one["value_interval"][0]) / 2
    (near,) = check_limits(analyse(made(noise=0.2)), Limits(least=((name, near_it),)))
    assert near["result"] == OPEN
    assert near["more_questions"] > 0


def test_a_limit_decides_nothing_without_draws() -> None:
    """Copies of one number decide nothing by ICC, and say why."""
    icc = Limits(least=(("icc", 0.1),))
    (one,) = check_limits(analyse(scale(0, temperature=0.0), by=("judge",)), icc)
    assert one["result"] == OPEN
    assert "temperature 0" in one["reason"]


@pytest.mark.parametrize(
    ("judgments", "name", "words"),
    [
        (made(), "icc", "verdicts are not numbers. Ask for omega"),
        (made(), "krippendorff_alpha_ordinal", "Ask for omega"),
        (together(scale(0.5), scale(0.5, benchmark="two")), "icc", "group by benchmark"),
        (changed(made(), label="A"), "within_one", "Ask for accuracy"),
        (made(), "lift", "no answer was changed"),
    ],
)
def test_what_no_more_data_of_this_kind_decides_is_refused(
    judgments: Judgments, name: str, words: str
) -> None:
    """Letters have no ICC however many there are: the request is wrong, and nothing uncertain."""
    limits = Limits(most=((name, 0.1),))
    with pytest.raises(UserError, match=f"limit on {name}.* cannot be decided for .*{words}"):
        check_limits(analyse(judgments, by=("judge",)), limits)


def test_limits_that_cannot_be_asked_for() -> None:
    """An unknown name is answered with the known ones, and ICC has no evidence for any time."""
    with pytest.raises(UserError, match=r"No coefficient 'icq'. Use one of: omega, .*icc.*rate"):
        Limits(least=(("icq", 0.5),))
    with pytest.raises(UserError, match="omega is at most 1"):
        Limits(least=(("omega", 60),))
    with pytest.raises(UserError, match="not for icc"):
        Limits(least=(("icc", 0.5),), anytime=True)
    with pytest.raises(UserError, match="towards has no minimum: use --max towards=VALUE"):
        Limits(least=(("towards", 0.5),))


def test_an_open_gate_says_what_helps() -> None:
    """More questions help a wide interval; nothing but replications helps a single verdict."""
    for judgments, words in (
        (made(noise=0.2, questions=8), "Judge more questions."),
        (made(replications=1), "several verdicts on the same question"),
    ):
        analysis = analyse(judgments)
        checks = check_limits(analysis, Limits((("omega", 0.7),)))
        shown = render(gate_document(analysis, checks), "markdown")
        assert "too uncertain to say" in shown
        assert words in shown


@pytest.mark.parametrize(
    ("judgments", "limits", "result"),
    [
        (made(noise=0.05, questions=60), {"least": (("omega", 0.3),)}, PASSES),
        (made(noise=0.9, questions=60), {"least": (("omega", 0.6),)}, FAILS),
        (made(questions=12), {"least": (("omega", 0.5),)}, OPEN),
        (made(questions=100), {"most": (("non_response_rate", 0.1),)}, PASSES),
        (made(silent=0.5, questions=60), {"most": (("non_response_rate", 0.05),)}, FAILS),
        (made(temperature=0.0, noise=0), {"least": (("omega", 0.1),)}, OPEN),
    ],
)
def test_evidence_decides(judgments: Judgments, limits: dict[str, float], result: str) -> None:
    """With `anytime` a judge passes, or fails, where the evidence for that reaches 40."""
    (found,) = check_limits(analyse(judgments), Limits(**limits, anytime=True))
    assert found["result"] == result
    if found["evidence_for"] is not None:
        reached = [found[f"evidence_{side}"] >= 40 for side in ("for", "against")]
        assert any(reached) == (result != OPEN)


@pytest.mark.slow
def test_how_many_more_questions() -> None:
    """An open gate says how many more questions will probably decide; fewer, the farther off."""
    near, far = (
        check_limits(analyse(made(questions=20)), Limits((("omega", limit),)))[0]
        for limit in (0.45, 0.38)
    )
    assert near["result"] == far["result"] == OPEN
    assert near["more_questions"] > far["more_questions"] > 0
    passed = check_limits(analyse(made(questions=60, noise=0.05)), Limits((("omega", 0.3),)))[0]
    assert passed["more_questions"] is None


@pytest.mark.slow
def test_several_benchmarks_are_pooled() -> None:
    """A gate over two benchmarks decides by their pooled omega, and by no common evidence."""
    both = together(made(), made(benchmark="two", noise=0.6))
    (found,) = check_limits(analyse(both, by=("judge",)), Limits((("omega", 0.1),)))
    (pooled,) = analyse(both).results["pooled"]
    assert found["value"] == pytest.approx(pooled["omega"])
    assert found["value_interval"] == pytest.approx(pooled["omega_interval"])
    with pytest.raises(UserError, match="group by benchmark"):
        check_limits(analyse(both, by=("judge",)), Limits((("omega", 0.1),), anytime=True))


def test_a_gate_with_nothing_to_check_does_not_pass() -> None:
    """No judge is no judge that passes."""
    assert overall([]) == OPEN


def test_several_benchmarks_have_no_common_forecast() -> None:
    """How many more questions are needed is not known of omega over several benchmarks."""
    both = together(made(), made(benchmark="two", noise=0.6))
    (found,) = check_limits(analyse(both, by=("judge",)), Limits((("omega", 0.3),)))
    assert (found["result"], found["more_questions"]) == (OPEN, None)


@pytest.mark.slow
def test_votes_are_held_to_a_limit() -> None:
    """The majority of three tries, or on a scale their mean, over all triples of tries."""
    chance = random.Random(4)
    for names in ("AB", "1234"):
        given = [[chance.choice(names + names[-1]) for _ in range(5)] for _ in range(30)]
        table = pd.DataFrame(
            [
                {"question": str(q), "verdict": one, "label": names[q % len(names)]}
                for q, tries in enumerate(given)
                for one in tries
            ]
        )
        label = table.groupby("question")["label"].first()
        right, near = [], []
        for q, tries in enumerate(given):
            of = label[str(q)]
            triples = list(combinations(tries, 3))
            if names == "AB":
                right.append(mean(Counter(one).most_common()[0][0] == of for one in triples))
            else:
                apart = [abs(round(mean(map(int, one))) - int(of)) for one in triples]
                right.append(mean(far == 0 for far in apart))
                near.append(mean(far <= 1 for far in apart))
        limits = {"accuracy": 0.1} | ({"within_one": 0.1} if near else {})
        found = gate(table, least=limits, votes=3).summary()
        assert found["value"].tolist() == pytest.approx(
            [mean(right), *map(mean, [near] * bool(near))]
        )
        assert found["votes"].tolist() == [3] * len(limits)
    with pytest.raises(UserError, match=r"7 verdicts: the most are 5\. Ask for fewer votes"):
        gate(table, least={"accuracy": 0.1}, votes=7)
    with pytest.raises(UserError, match="--votes is for accuracy and within_one, not for omega"):
        Limits((("omega", 0.5),), votes=3)


@pytest.mark.slow
def test_votes_of_questions_with_unequal_numbers_of_tries() -> None:
    """Questions with fewer tries than votes are left out, also where evidence is asked for."""
    tries = {str(q): ["A"] * (5 if q % 2 else 2) for q in range(60)}
    table = pd.DataFrame(
        [(q, one, "A") for q, own in tries.items() for one in own],
        columns=["question", "verdict", "label"],
    )
    for anytime in (False, True):
        (one,) = gate(table, least={"accuracy": 0.7}, votes=3, anytime=anytime).checks
        assert (one["n_questions"], one["value"], one["result"]) == (30, 1.0, PASSES)


def _judge(name: str, right: int) -> pd.DataFrame:
    """A judge that is right on so many of 60 questions."""
    verdicts = ["A"] * right + ["B"] * (60 - right)
    known = {"judge": name, "question": [f"q{n}" for n in range(60)], "label": "A"}
    return pd.DataFrame({**known, "verdict": verdicts})


@pytest.mark.parametrize(
    ("judges", "limits", "said"),
    [
        (
            {"a": 30},
            {"accuracy": 0.8},
            "The gate fails: right in 50% [*], and at least 80% was asked.",
        ),
        (
            {"a": 57},
            {"accuracy": 0.6},
            "The gate passes: right in 95% [*], and at least 60% was asked.",
        ),
        (
            {"a": 48},
            {"accuracy": 0.75},
            "The gate is too uncertain to say: right in 80% [*], and at least 75% was asked. "
            "Everything here is labelled, so 80% is known of these verdicts; the interval is for "
            "other questions like these. Judge 525 more questions, and label them, so that the "
            "gate decides (with about 80% probability).",
        ),
        (
            {"a": 57, "b": 18, "c": 30},
            {"accuracy": 0.8},
            "The gate fails: b is right in 30% [*], and at least 80% was asked.",
        ),
    ],
)
def test_the_first_sentence_says_by_how_much(
    judges: dict[str, int], limits: dict[str, float], said: str
) -> None:
    """Of several checks it is about the one with this result that is furthest off."""
    frame = pd.concat([_judge(*one) for one in judges.items()])
    sentence = gate(frame, least=limits).document.blocks[0]
    assert isinstance(sentence, Text)
    assert re.sub(r"\[\d+, \d+\]", "[*]", sentence.text) == said


def test_labels_of_all_verdicts_leave_nothing_open_of_these() -> None:
    """With one verdict more that has no label, nothing is said to be known, and it can be."""
    frame = _judge("a", 48)
    more = frame.tail(1).assign(question="q60", label=None)
    some = gate(pd.concat([frame, more]), least={"accuracy": 0.75}).document.blocks[0]
    assert isinstance(some, Text)
    assert "Everything here is labelled" not in some.text
    words = (
        "was asked. Label the other 1 (too few alone), judge 524 more questions, and label them, "
        "so that the gate"
    )
    assert words in some.text


@pytest.mark.slow
def test_a_limit_that_rounding_would_hide_has_a_digit_more() -> None:
    """An interval below 80% never reads as one that reaches it."""
    found = gate(_judge("a", 30), least={"accuracy": 0.8})
    high = found.checks[0]["value_interval"][1]
    limit = round(high + 0.004, 4)
    sentence = gate(_judge("a", 30), least={"accuracy": limit}).document.blocks[0]
    assert isinstance(sentence, Text)
    shown = re.search(r"right in 50.0% \[[\d.]+, ([\d.]+)\]", sentence.text)
    assert shown
    assert float(shown[1]) / 100 == pytest.approx(high, abs=0.0005)
    assert f"at least {100 * limit:g}% was asked" in sentence.text


@pytest.mark.slow
def test_votes_and_coefficients_are_named_in_the_first_sentence() -> None:
    """A majority is called that, and omega has its name."""
    table = together(
        changed(made(noise=0.9, questions=40), judge="x", label="A"),
        changed(made(noise=0.1, questions=40), judge="y", label="A"),
    )
    analysis = analyse(table)
    for limits, begins in (
        (Limits((("accuracy", 0.99),), votes=3), "The gate fails: 3 votes of x are right in "),
        (Limits((("omega", 0.9),)), "The gate fails: x has omega "),
        (Limits(most=(("non_response_rate", 0.5),)), "The gate passes: x is without a verdict in "),
    ):
        sentence = gate_document(analysis, check_limits(analysis, limits)).blocks[0]
        assert isinstance(sentence, Text)
        assert sentence.text.startswith(begins)


NOTHING_TO_TYPE = "judge the same outputs again from time to time"
FREEZE = "watch FILE --freeze"


@pytest.mark.parametrize("label", [None, "A"])
@pytest.mark.parametrize(
    ("judges", "logs", "columns", "then"),
    [
        ("a", "FILE", {}, (f"{FREEZE} 30", "keep FILE")),
        ("ab", "FILE", {}, (NOTHING_TO_TYPE, "keep FILE")),
        ("a", "FILE", {"time": True}, ("watch FILE", "watch FILE")),
        ("a", "FILE --by judge", {"time": True}, (NOTHING_TO_TYPE, "keep FILE --by judge")),
        ("a", "FILE --by judge", {}, (NOTHING_TO_TYPE, "keep FILE --by judge")),
        ("a", "FILE", {"log": "a.eval"}, (f"{FREEZE} 30", "keep FILE")),
        ("a", "FILE", {"log": "a.eval", "time": True}, (f"{FREEZE} 30", "keep FILE")),
    ],
)
def test_what_follows_a_gate_that_passes(
    label: str | None, judges: str, logs: str, columns: dict[str, Any], then: tuple[str, str]
) -> None:
    """Checks of a file by time are watched; labels say what to keep; else outputs are frozen."""
    parts = [
        changed(made(questions=30, replications=4), judge=judge, label=label, order=None, **columns)
        for judge in judges
    ]
    table = together(*parts).table
    if "time" in columns:
        table["time"] = [f"2026-01-0{1 + n % 2}" for n in table["replication"]]
    analysis = analyse(Judgments(table))
    checks = check_limits(analysis, Limits(most=(("non_response_rate", 0.5),)))
    assert overall(checks) == PASSES
    *_, last = (one for one in gate_document(analysis, checks, logs=logs).blocks)
    assert isinstance(last, Text)
    if (expected := then[label is not None]) == NOTHING_TO_TYPE:
        assert last.text.startswith(f"Next: {expected}")
    else:
        assert last.text == f"inspect-reliability {expected}"


@pytest.mark.slow
def test_a_gate_says_which_labels_are_set_aside_and_what_to_label(tmp_path: Path) -> None:
    """Of 30 labels 29 chose the judge: the one left decides nothing, and ten are left to label."""
    path = tmp_path / "choice.yaml"
    chose = {"fingerprint": "0", "part": "all", "questions": [f"q{n}" for n in range(29)]}
    known = {"design": {"judge": "a"}, "votes": 3, "order": "given", "rule": "majority"}
    known |= {"accuracy": 0.8, "at_least": 0.7, "candidates": 4, "labels": chose}
    path.write_text(yaml.safe_dump(known))
    rows = [
        {"question": f"q{n}", "judge": "a", "replication": k, "verdict": "AB"[(n + k) % 2]}
        | {"label": "AB"[n % 2] if n < 30 else None}
        for n in range(40)
        for k in range(3)
    ]
    frame = pd.DataFrame(rows)
    said = " ".join(str(gate(frame, rule=path, least={"accuracy": 0.5})).split())
    assert "29 labels chose this judge and are set aside" in said
    assert "label the other 10 (too few alone), judge 40 other questions, and label them" in said
    assert 'ir.label(judgments, most=10, out="more.html")' in said
    frame["label"] = frame["label"].where(frame["question"] != "q29")
    with pytest.raises(UserError, match="29 labels chose this judge"):
        gate(frame, rule=path, least={"accuracy": 0.5})


def _better_by_votes(seed: int) -> pd.DataFrame:
    """Nine labelled tries of 60 questions: on one in five most are wrong."""
    chance = np.random.default_rng(seed)
    rows = [
        (f"q{q}", "yn"[(q + wrong) % 2], "yn"[q % 2])
        for q in range(60)
        for wrong in chance.random(9) < (0.2 if q % 5 else 0.8)
    ]
    return pd.DataFrame(rows, columns=["question", "verdict", "label"])


@pytest.mark.slow
def test_the_most_that_labels_show_is_the_largest_limit_that_passes() -> None:
    """In whole percents: a gate passes at this limit, and at no larger one."""
    frame = _better_by_votes(1)
    analysis = analyse(frame)
    step = advice(analysis, analysis.rows[0])
    said = re.search(r"hold it to (\d+)%, the most that these labels show", step.next)
    votes = re.search(r"--votes (\d)", step.command)
    assert said
    assert votes
    most = int(said[1])
    for limit, passes in ((most, True), (most + 1, False)):
        found = gate(frame, least={"accuracy": limit / 100}, votes=int(votes[1]))
        assert bool(found) == passes


def test_a_limit_on_votes_is_above_what_one_try_shows() -> None:
    """Room for the next study would let a single try pass, so the limit is above its interval."""
    analysis = analyse(_better_by_votes(2))
    (right,) = analysis.results["validity"]
    step = advice(analysis, analysis.rows[0])
    limit = float(re.search(r"--min accuracy=([\d.]+) --votes", step.command)[1])  # type: ignore[index]
    votes = next(one for one in right["votes"] if one["votes"] == better_by(right) > 1)
    assert right["accuracy_interval"][0] < limit <= votes["accuracy_interval"][0]
    assert f"To hold it to {100 * limit:g}%, " in step.next


def test_no_gate_asks_for_questions_that_are_not_there() -> None:
    """Outputs that are left are counted beside the questions that no label of an output is of."""
    rows = [
        {"question": f"{q}.{of}", "sample": q, "log": "a", "epoch": of, "judge": "a"}
        | {"verdict": "AB"[q % 4 == 0], "label": "A" if of == 1 and q < 32 else None}
        for q in range(40)
        for of in (1, 2)
    ]
    table = pd.DataFrame(rows)
    found = gate(table, least={"accuracy": 0.65})
    (check,) = found.document.results["rows"]
    needed = check["more_questions"]
    assert check["n_questions"] == 32
    said = " ".join(str(found).split())
    assert f"Label the other 48 outputs (too few alone), judge {needed - 8} more questions" in said
    assert "most=48" in said


@pytest.mark.slow
def test_labels_of_steady_questions_alone_decide_no_share() -> None:
    """What is right on these says nothing of the others; a random half decides."""
    asked = {"accuracy": 0.2}
    assert gate(labelled_where(steady=False), least=asked)
    found = gate(labelled_where(steady=True), least=asked)
    assert found.result == "too uncertain to say"
    assert "count these labels alone" in " ".join(str(found).split())
    assert gate(labelled_where(steady=True), most={"accuracy": 0.5}).result == "fails"
