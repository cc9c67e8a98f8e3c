"""What is printed is true where its premise holds only just, or not at all."""

import math
import random
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from inspect_ai.log import write_eval_log
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import model_graded_qa
from scipy import stats

import graders
from commands import invoke, results
from inspect_reliability.answers import analyse
from inspect_reliability.answers.kept import kept_line, votes_decide
from inspect_reliability.answers.next_steps import advice
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.judgments.sources import judgments_from_frame
from inspect_reliability.showing.formats import share

pytestmark = pytest.mark.usefixtures("read_once")


def printed(*arguments: object) -> str:
    """What a command says, in one line; it ended well."""
    done = invoke(*arguments)
    assert done.exit_code in (0, 1, 3), done.output
    return " ".join(done.stdout.split())


Say = Callable[[int, int], str]
"""(question, try) -> verdict."""


def judge(say: Say, questions: int = 30, tries: int = 3, **columns: Any) -> pd.DataFrame:
    """A judge's verdicts; a column that is a function is one of question and try."""
    rows = [
        {"judge": "j", "question": f"q{q}", "replication": r, "verdict": say(q, r)}
        | {name: of(q, r) if callable(of) else of for name, of in columns.items()}
        for q in range(questions)
        for r in range(tries)
    ]
    return pd.DataFrame(rows)


def right(q: int, r: int = 0) -> str:
    """What is right: another answer for every second question."""
    return "yes" if q % 2 else "no"


def wrong(q: int, r: int = 0) -> str:
    """The other answer."""
    return right(q + 1)


def turns(q: int, r: int) -> str:
    """A verdict that changes from try to try."""
    return right(q + r)


def coin(q: int, r: int) -> str:
    """A verdict that is often wrong, and as often not when asked again."""
    return right(q) if random.Random(100 * q + r).random() < 0.6 else wrong(q)


def answer(frame: pd.DataFrame, tmp_path: Path, *arguments: str) -> str:
    """What `report` says of it."""
    frame.to_csv(tmp_path / "file.csv", index=False)
    return printed("report", tmp_path / "file.csv", *arguments)


def followed(said: str) -> None:
    """The command after `Next`, run: it is not refused."""
    command = re.search(r"Next: [^:]*: inspect-reliability (.*?) More:", said)
    assert command, said
    done = invoke(*shlex.split(command[1]))
    assert done.exit_code in (0, 1, 3), done.output


@pytest.mark.slow
def test_nothing_is_drawn_where_everything_has_a_label(tmp_path: Path) -> None:
    """More labels take more questions; `label` would be refused."""
    said = answer(judge(coin, tries=2, label=right), tmp_path)
    words = r"Next: judge \d+ more questions, and label them \(about \d+ in all to know how often"
    assert re.search(words, said)


@pytest.mark.slow
def test_so_many_are_drawn_as_lack_a_label(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that have one count: 12 labels of 73 lack 61, and no more are left than 28."""
    monkeypatch.chdir(tmp_path)
    labels: Any = lambda q, r: right(q) if q < 12 else None  # noqa: E731
    said = answer(judge(coin, 40, 2, label=labels), tmp_path)
    wanted = re.search(r"and label them \(about (\d+) in all to know how often", said)
    assert wanted
    assert f"--most {min(int(wanted[1]) - 12, 28)} --out more.html" in said
    followed(said)


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2])
def test_one_label_or_two_do_not_say_how_good_a_judge_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n: int
) -> None:
    """Neither votes nor a gate is next, but labels."""
    monkeypatch.chdir(tmp_path)
    labels: Any = lambda q, r: right(q) if q < n else None  # noqa: E731
    for say in (right, turns):
        said = answer(judge(say, label=labels), tmp_path)
        assert f"{n} labelled question{'s' * (n > 1)} cannot say how often it is right" in said
        (tmp_path / "more_labels.csv").unlink(missing_ok=True)
        followed(said)


@pytest.mark.slow
def test_no_verdict_is_wrong_of_those_that_have_a_label(tmp_path: Path) -> None:
    """Verdicts without a label may be wrong."""
    labels: Any = lambda q, r: right(q) if q < 20 else None  # noqa: E731
    own = ("--column", "label=label")
    said = answer(judge(right, label=labels), tmp_path, *own)
    assert "Right in 100% [83, 100] of 20 labelled questions;" in said
    for tries in (1, 3):
        said = answer(judge(right, tries=tries, label=right), tmp_path, *own)
        assert "Right in 100% [88, 100];" in said


@pytest.mark.parametrize("temperature", [0, 1])
def test_errors_of_copies_are_not_said_to_repeat(tmp_path: Path, temperature: int) -> None:
    """A copy repeats every error, which says nothing of a second draw, or of votes."""
    frame = judge(lambda q, r: right(q) if q % 3 else wrong(q), label=right)
    said = answer(frame.assign(temperature=temperature), tmp_path)
    assert "Right in 67%" in said
    assert "may be copies: nothing is known of another try" in said
    for words in ("errors repeat", "more votes", "the majority of", "With votes"):
        assert words not in said


@pytest.mark.slow
def test_errors_that_repeat_half_of_the_time(tmp_path: Path) -> None:
    """Neither most errors repeat nor do most not: one question is always wrong, one half of it."""

    def say(q: int, r: int) -> str:
        return wrong(q) if q < 1 or (q < 4 and r < 2) else right(q)

    frame = judge(say, tries=4, label=right)
    validity = analyse(frame).results["validity"][0]
    assert validity["wrong_twice"] * 2 == pytest.approx(validity["wrong"] + 1 / 60)
    half = judge(lambda q, r: wrong(q) if q < 9 and r % 3 < 2 else right(q), label=right)
    validity = analyse(half).results["validity"][0]
    assert validity["wrong_twice"] * 2 == pytest.approx(validity["wrong"])
    assert "most errors repeat" not in answer(half, tmp_path)


@pytest.mark.slow
def test_votes_lose_where_a_judge_is_mostly_wrong(tmp_path: Path) -> None:
    """A majority of verdicts that are wrong two times in three is wrong."""
    said = answer(judge(lambda q, r: right(q) if r == 0 else wrong(q), label=right), tmp_path)
    assert "votes make it worse (0% with 3)" in said
    few = judge(lambda q, r: right(q) if r == 0 or q >= 5 else wrong(q), label=right)
    [found] = analyse(few).results["validity"]
    low, _ = found["accuracy_interval"]
    assert low < found["votes"][-1]["accuracy"] < found["accuracy"] - 0.02
    assert "votes are not shown to help" in answer(few, tmp_path)


def test_a_share_of_nothing_is_0_in_every_place() -> None:
    """What arithmetic leaves of 0 is 0, and of 1 is 1; what is more has its sign."""
    assert [share(one, 30) for one in (1e-16, -1e-17, 1 - 1e-16)] == ["0%", "0%", "100%"]
    assert [share(one, 30) for one in (0.004, 0.996)] == ["<1%", ">99%"]
    assert [share(one, 5000) for one in (0.0, 0.0004, 0.9996)] == ["0.0%", "<0.1%", ">99.9%"]


def test_a_judge_that_hardly_decides_is_not_right(tmp_path: Path) -> None:
    """Ties are not wrong, and not right either."""
    say: Say = lambda q, r: "tie" if q % 4 else turns(q, r)  # noqa: E731
    said = answer(judge(say, label=right), tmp_path)
    assert "of verdicts decide nothing." in said


def test_one_question_says_nothing_of_others(tmp_path: Path) -> None:
    """Its next step is more questions, not labels of one."""
    said = answer(judge(turns, 1, 2), tmp_path)
    assert "1 question cannot say how it judges others." in said
    assert "Next: judge more questions, each several times." in said


@pytest.mark.slow
def test_omega_is_not_to_be_read_where_there_is_none(tmp_path: Path) -> None:
    """One verdict for everything, one question, or one try have no omega to read."""
    for frame in (judge(lambda q, r: "yes"), judge(lambda q, r: "yes", tries=1)):
        said = answer(frame, tmp_path, "--full")
        assert "read omega" not in said
        assert "Every verdict is 'yes'. If the right answers differ, the judge does not" in said
    one = answer(judge(lambda q, r: "yes", 1, 1, label="yes"), tmp_path, "--full")
    assert "Every verdict" not in one
    assert "same for every question" not in one
    mostly: Say = lambda q, r: "yes" if q else "no"  # noqa: E731
    assert "two agree" not in answer(judge(mostly, tries=1), tmp_path, "--full")
    assert "same for every question" not in answer(judge(mostly, tries=1, label="yes"), tmp_path)


@pytest.mark.slow
def test_one_seed_makes_copies(tmp_path: Path) -> None:
    """Seeds say which tries are copies, so nobody asks how they were made."""
    said = answer(judge(right, seed=7), tmp_path, "--full")
    assert "All replications of a question have one seed, so they are copies" in said
    assert "Nothing here says whether each is a draw" not in said
    assert "repeat a seed" not in said  # said once
    own = answer(judge(right, seed=lambda q, r: r), tmp_path, "--full")
    assert "Nothing here says whether each is a draw" in own


@pytest.mark.slow
def test_outputs_that_a_file_does_not_have_are_not_promised(tmp_path: Path) -> None:
    """Verdicts of a file have no outputs that a report or a page could show."""
    some: Say = lambda q, r: "" if q % 10 == 0 else turns(q, r)  # noqa: E731
    said = answer(judge(some), tmp_path, "--full")
    assert "the report shows up to three" not in said
    many: Say = lambda q, r: "" if q % 2 else "yes"  # noqa: E731
    assert "Next: read some outputs, then change the prompt" in answer(judge(many), tmp_path)


def test_numbers_of_tries_that_nobody_made_are_not_shown(tmp_path: Path) -> None:
    """Tries of 1 and of 6 have a mean of 2, which no question has."""
    frame = judge(turns, 20, 6)
    frame = frame[(frame["replication"] == 0) | frame["question"].isin(["q0", "q1", "q2"])]
    assert "j: 20 questions x 1 to 6 " in answer(frame, tmp_path)


@pytest.mark.parametrize(
    ("say", "words"),
    [
        (lambda q, r: right(q), "Another wording changes no verdict. "),
        (coin, "Another wording is not shown to change verdicts: "),
        (
            lambda q, r: "yes" if r < 2 else right(q),
            "Another wording changes verdicts: 50 points [",
        ),
    ],
)
def test_a_facet_changes_verdicts_only_where_that_is_shown(
    tmp_path: Path, say: Say, words: str
) -> None:
    """Nothing that stays within noise is said to change a verdict."""
    said = answer(judge(say, tries=4, wording=lambda q, r: f"w{r // 2}"), tmp_path)
    assert words in said


@pytest.mark.slow
def test_judges_with_the_same_verdicts_are_said_to_be_one(tmp_path: Path) -> None:
    """Two names of one judge are no two judges: every form says it, and only of these."""
    one, other = judge(turns, 12), judge(right, 12)
    same = pd.concat([one, one.assign(judge="k"), other.assign(judge="l")])
    words = "j and k gave the same verdicts on all 12 questions: to these numbers they are one"
    assert words in answer(same, tmp_path)
    rows = analyse(same).results["rows"]
    has = {row["judge"]: any(words in one for one in row["cautions"]) for row in rows}
    assert has == {"j": True, "k": True, "l": False}
    assert "same verdicts" not in answer(pd.concat([one, other.assign(judge="k")]), tmp_path)
    both = pd.concat([one.assign(temperature=t) for t in (0.5, 1)])
    assert "temperature 1 and j, temperature 0.5 gave the same verdicts" in answer(both, tmp_path)


def test_responders_that_are_chosen_as_often_are_ahead_together(tmp_path: Path) -> None:
    """Nobody leads where two are chosen equally often."""
    both = [("a", "b", "c"), ("b", "a", "c")]
    frame = judge(
        lambda q, r: "A",
        tries=2,
        order=lambda q, r: both[q % 2],
        responder=lambda q, r: both[q % 2][0],
    )
    assert "chose a and b most often (50% of choices each)" in " ".join(str(analyse(frame)).split())


def saying(text: str) -> Model:
    """A grader with this text for everything."""

    def answer(*_: Any) -> ModelOutput:
        output = ModelOutput.from_content("mock", text)
        output.usage = ModelUsage(input_tokens=9, output_tokens=1, total_tokens=10)
        return output

    return get_model("mockllm/model", custom_outputs=answer)


@pytest.mark.slow
@pytest.mark.parametrize("transcript", [True, False])
def test_what_a_grader_said_is_quoted_not_the_answer_it_graded(
    tmp_path: Path, transcript: bool
) -> None:
    """Without a grade, the words shown are the grader's, or what its score kept of them."""
    log = graders.run(graders.suite(model_graded_qa()), tmp_path, saying("I abstain."), epochs=2)
    if not transcript:
        for sample in log.samples or []:
            sample.events = []
        write_eval_log(log, log.location)
    shown = analyse(judgments_from_logs(tmp_path)).results["without_verdict"]
    words = "I abstain." if transcript else "Grade not found in model output: I abstain."
    assert {one["text"] for one in shown} == {words}
    assert all("[Submission]" in one["prompt"] if transcript else True for one in shown)
    assert f"replication 1): {words}" in printed("report", tmp_path, "--full")


def few_errors(label: Any) -> pd.DataFrame:
    """Six questions of three tries, with one wrong verdict."""
    return judge(lambda q, r: "no" if q + r == 0 else "yes", 6, label=label)


@pytest.mark.slow
def test_a_low_omega_says_little_only_where_labels_differ(tmp_path: Path) -> None:
    """Where one answer is right throughout, right verdicts tell no question apart."""
    assert "omega" not in answer(few_errors("yes"), tmp_path).partition("j: 6")[0]
    noise: Any = lambda q, r: right(q) if r else wrong(q)  # noqa: E731
    assert "one verdict says little" in answer(judge(noise, label=right), tmp_path)


def test_an_alpha_of_nothing_but_rounding_has_no_ceiling(tmp_path: Path) -> None:
    """The alpha of one other verdict on six questions is 0, and no kappa follows from it."""
    few_errors("yes").to_csv(tmp_path / "file.csv", index=False)
    (one,) = results("validate", tmp_path / "file.csv")["validity"]
    assert one["ceiling"] is None


def test_a_score_of_0_has_no_sign(tmp_path: Path) -> None:
    """Brier's score less the noise of votes is 0 here, but for rounding."""
    few_errors("yes").to_csv(tmp_path / "file.csv", index=False)
    said = printed("keep", tmp_path / "file.csv", "--full")
    assert "Brier" in said
    assert "-0.000" not in said


@pytest.mark.slow
def test_too_few_questions_are_no_fault_of_the_judge(tmp_path: Path) -> None:
    """A judge without an error needs more labels, which its questions cannot have."""
    says: Any = lambda q, r: right(q) if q else turns(q, r)  # noqa: E731
    frame = judge(says, 11, 2, label=right)
    frame.to_csv(tmp_path / "file.csv", index=False)
    said = printed("keep", tmp_path / "file.csv")
    assert "No promise: too few labels: 10 labelled questions" in said
    assert re.search(r"Next: judge more questions, and label them \(about \d+ in all\)", said)
    frame.assign(label=wrong(0)).to_csv(tmp_path / "file.csv", index=False)
    assert "Next: improve the judge's prompt" in printed("keep", tmp_path / "file.csv")


@pytest.mark.slow
def test_people_who_always_agree_set_no_limit(tmp_path: Path) -> None:
    """No judge is right in more than 100%, so this is not said."""
    judge(coin, 60).to_csv(tmp_path / "file.csv", index=False)
    for disagree in (0, 6):
        rows = [
            {"id": f"q{q}", "rater": who, "label": wrong(q) if who and q < disagree else right(q)}
            for q in range(60)
            for who in range(2)
        ]
        pd.DataFrame(rows).to_csv(tmp_path / "labels.csv", index=False)
        said = printed("validate", tmp_path / "file.csv", "--labels", tmp_path / "labels.csv")
        assert "Two people give the same label in" in said
        assert ("no judge can be right" in said) == bool(disagree)


@pytest.mark.slow
def test_the_interval_of_copies_is_not_to_be_trusted(tmp_path: Path) -> None:
    """What says nothing about another try is no number to read, however wide its interval."""
    said = answer(judge(right, 9, label=right), tmp_path, "--column", "label=label")
    assert "may be copies" in said
    assert "Trust its interval" not in said
    same = answer(judge(right, 9, label="yes"), tmp_path, "--full")
    assert "read agreement" not in same


@pytest.mark.slow
def test_a_judge_with_one_grade_for_everything_is_held_to_nothing(tmp_path: Path) -> None:
    """It is near every label in the middle of a scale, and tells no question apart."""
    labels: Any = lambda q, r: str(2 + q % 3)  # noqa: E731
    said = answer(judge(lambda q, r: "3", 9, label=labels), tmp_path)
    assert "but its mean grade is the same on every question" in said
    assert "may be copies" in said
    assert "the mean of more tries adds little" not in said
    assert "Next: try another prompt or judge" in said
    said = answer(judge(lambda q, r: str(3 + (q + r == 0)), 9, label=labels), tmp_path)
    assert "the same on every question" not in said
    assert "the mean of 3 tries, rounded to a grade, is within one step in 100%" in said
    assert "not shown to be better than always 3 (100% of these labels)" in said
    assert "Next: take the mean" not in said
    assert re.search("Next: judge [0-9]+ more questions, and label them", said)


def _rarely(q: int, r: int, off: float, by: int = 1) -> int:
    """How far a try is off: by so much in a share of tries, up or down."""
    chance = random.Random(100 * q + r)
    return chance.choice([-by, by]) if chance.random() < off else 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("labels", "off", "names", "held"),
    [
        # One in twenty-five is another label: always yes is right in 96%.
        (lambda q: "no" if q % 25 == 0 else "yes", 0.02, True, None),
        # Always yes is right in 95%, and the judge, nearly always right, in 97% or more.
        (lambda q: "no" if q % 20 == 0 else "yes", 0.006, True, "accuracy=0.96"),
        # Grades 2, 3 and 4: always 3 is within one step of each.
        (lambda q: 2 + q % 3, 0.05, False, "accuracy=0.85"),
        (lambda q: 1 + q % 5, 0.05, False, "within_one=0.95"),
    ],
)
def test_no_same_verdict_for_all_passes_a_gate_that_is_offered(
    labels: Any, off: float, names: bool, held: str | None, tmp_path: Path
) -> None:
    """The command is run again with each verdict in place of all: none passes."""

    def said(q: int, r: int) -> Any:
        moved = _rarely(q, r, off)
        if names:
            return {"yes": "no", "no": "yes"}[labels(q)] if moved else labels(q)
        return min(max(labels(q) + moved, 1), 5)

    frame = judge(said, 160, 2, label=lambda q, r: labels(q))
    printed_ = answer(frame, tmp_path)
    command = re.search(r"inspect-reliability (gate .*?) (?:Next|More)", printed_)
    if held is None:
        assert command is None
        assert "judge questions whose right answer is not yes" in printed_
        return
    assert command
    assert f"--min {held}" in command[1]
    words = shlex.split(command[1])
    assert invoke(*words).exit_code == 0
    for verdict in frame["verdict"].unique():
        frame.assign(verdict=verdict).to_csv(tmp_path / "file.csv", index=False)
        assert invoke(*words).exit_code != 0


@pytest.mark.slow
def test_a_mean_that_gains_exact_grades_alone_says_so(tmp_path: Path) -> None:
    """Each try is at most a step off, so within one step nothing can gain; the gate is of exact."""
    frame = judge(
        lambda q, r: str(min(max(1 + q % 5 + _rarely(q, r, 0.3), 1), 5)),
        90,
        5,
        label=lambda q, r: 1 + q % 5,
    )
    said = answer(frame, tmp_path)
    assert "if exact grades matter to you: within one step it adds little" in said
    assert re.search(r"gate \S+ --min accuracy=[\d.]+ --votes \d", said)


@pytest.mark.slow
def test_one_question_is_no_questions(tmp_path: Path) -> None:
    """What is counted is singular where it is one."""
    frame = judge(lambda q, r: turns(q, r) if q else right(q), 4, 2, label=right)
    frame.to_csv(tmp_path / "file.csv", index=False)
    assert "too few labels: 1 labelled question could be kept" in printed(
        "keep", tmp_path / "file.csv"
    )
    wrong_once: Any = lambda q, r: right(q) if q else wrong(q)  # noqa: E731
    judge(wrong_once, 30, 2, label=right).to_csv(tmp_path / "file.csv", index=False)
    assert "1 of 30 labelled questions is wrong" in printed("keep", tmp_path / "file.csv")


@pytest.mark.slow
def test_a_few_labels_do_not_say_that_nothing_can_be_used(tmp_path: Path) -> None:
    """One wrong verdict of three is no sign that more than 10% are wrong; 20 of 30 are one."""
    for labelled, bad, few in ((3, 1, True), (30, 20, False)):
        labels: Any = lambda q, r: [wrong, right][q >= bad](q) if q < labelled else None  # noqa: B023, E731
        said = answer(judge(right, tries=2, label=labels), tmp_path)
        assert (f"{labelled} labels are too few to promise at most 10% wrong" in said) == few
        assert ("decides no part of the questions" in said) != few


@pytest.mark.slow
def test_what_labels_leave_open_is_not_ruled_out(tmp_path: Path) -> None:
    """Eight errors of 60 are no sign that more than 10% are wrong, and promise nothing."""
    labels: Any = lambda q, r: [wrong, right][q >= 8](q)  # noqa: E731
    assert stats.binomtest(8, 60, 0.1, "greater").pvalue > 0.05
    said = answer(judge(right, 60, 2, label=labels), tmp_path)
    assert (
        "no promise of at most 10% wrong: of the 60 labelled verdicts that could be kept 8 are "
        "wrong" in said
    )


@pytest.mark.slow
def test_questions_that_votes_decide_are_counted_by_question(tmp_path: Path) -> None:
    """Those count whose most frequent verdict is no tie and has the votes named; pandas too."""

    def say(q: int, r: int) -> str:
        if q < 20:
            return "tie"
        if q < 80:
            return (right, wrong)[r % 2](q)
        return right(q) if r < 3 + q % 2 else wrong(q)

    frame = judge(say, 200, 4, label=right)
    counts = frame.groupby("question")["verdict"].value_counts().unstack(fill_value=0)
    most, answers = counts.max(axis=1), counts.drop(columns="tie")
    alone = (answers.eq(most, axis=0).sum(axis=1) == 1) & (counts["tie"] < most)
    assert (alone & (most >= 3)).mean() == 0.6
    said = answer(frame, tmp_path)
    assert "3 of 4 votes decide 60% of questions with at most 10% wrong" in said


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"votes": 1, "votes_needed": 1}, "one verdict decides"),
        ({"votes": 2, "votes_needed": 1}, "1 of 2 votes decides"),
        ({"votes": 8, "votes_needed": 3}, "3 of 8 votes decide"),
        ({"votes": 8, "votes_needed": 8}, "all 8 votes alike decide"),
        ({"calls": None}, "a probability of 0.625 or more decides"),
        ({}, "62.5% of the votes or more decide"),
    ],
)
def test_every_rule_is_a_subject_with_its_verb(rule: dict[str, Any], said: str) -> None:
    """One vote or probability decides, several votes decide."""
    none = {"votes": None, "votes_needed": None, "calls": 9, "threshold": 0.625}
    assert votes_decide(none | rule) == said


@pytest.mark.slow
def test_a_judge_is_not_given_up_after_a_few_questions(tmp_path: Path) -> None:
    """Six questions, two of them always wrong, leave open whether it is good; sixty do not."""
    mixed: Any = lambda q, r: wrong(q) if q % 3 == 0 else right(q)  # noqa: E731
    unsteady: Any = lambda q, r: wrong(q) if (q % 6, r) == (1, 0) else mixed(q, r)  # noqa: E731
    said = answer(judge(unsteady, 6, 4, label=right), tmp_path)
    assert "try another prompt" not in said
    assert re.search(r"Next: judge \d+ more questions, and label them \(about \d+ in all", said)
    given_up = "try another prompt or judge, then: inspect-reliability compare"
    assert given_up in answer(judge(unsteady, 60, 4, label=right), tmp_path)


@pytest.mark.slow
def test_votes_that_gain_come_before_errors_that_repeat(tmp_path: Path) -> None:
    """A third is always wrong, a sixth once in four tries: a majority of three gains 4 points.

    Where as many are right once in four tries, it gains nothing.
    """
    often: Any = lambda q, r: (q % 3 == 0, q % 6 == 1 and r == 0)  # noqa: E731
    gains: Any = lambda q, r: wrong(q) if any(often(q, r)) else right(q)  # noqa: E731
    evens: Any = lambda q, r: right(q) if q % 6 == 0 and r == 0 else gains(q, r)  # noqa: E731
    for say, votes in ((gains, True), (evens, False)):
        frame = judge(say, 60, 4, label=right)
        correct = frame["verdict"].eq(frame["label"]).groupby(frame["question"]).mean()
        # Of four verdicts, three of them right, a majority of any three is right.
        gain = correct.map({0.0: 0.0, 0.25: 0.0, 0.75: 1.0, 1.0: 1.0}).mean() - correct.mean()
        assert (gain > 0.02) == votes
        analysis = analyse(frame)
        found = advice(analysis, analysis.rows[0])
        said = answer(frame, tmp_path)
        assert ("the majority of 3 is right in 67%" in said) == votes
        tags = ["take votes", "change"] if votes else ["change"]
        assert [one.tag for one in found.steps] == tags
        last = "Next: most errors repeat, so try another" if votes else "Next: try another"
        assert last in said.partition("Next: take the majority of 3")[2 if votes else 0]


@pytest.mark.slow
@pytest.mark.parametrize(("judges", "questions"), [(6, 40), (6, 60), (5, 40)])
def test_the_best_of_many_promises_for_all_of_them(
    judges: int, questions: int, tmp_path: Path
) -> None:
    """A judge without an error needs ln(.05 / m) / ln(.9) labels where it was picked among m."""
    each = [
        judge(lambda q, r, j=j: wrong(q) if j and q % 5 == 0 else right(q), questions, 2)
        for j in range(judges)
    ]
    frame = pd.concat(one.assign(judge=f"j{k}") for k, one in enumerate(each))
    frame["label"] = [right(int(q[1:])) for q in frame["question"]]
    said = answer(frame, tmp_path).partition("Omega of")[0]
    picked = judges > 5  # else each has a sentence
    enough = questions >= math.log(0.05 / (judges if picked else 1)) / math.log(0.9)
    words = f", also as the best of {judges}" if picked else ""
    assert (f"100% of questions with at most 10% wrong{words}" in said) == enough
    assert ("too few to promise at most 10% wrong" in said) != enough


@pytest.mark.slow
@pytest.mark.parametrize("judges", [5, 6])
def test_the_interval_of_the_best_of_many_holds_for_all(judges: int, tmp_path: Path) -> None:
    """Of one verdict a question it is Clopper and Pearson's, at its part of the level."""
    each = [
        judge(lambda q, r, j=j: right(q) if q >= 20 + 2 * j else wrong(q), 60, 1, label=right)
        for j in range(judges)
    ]
    frame = pd.concat(one.assign(judge=f"j{k}") for k, one in enumerate(each))
    part = judges if judges > 5 else 1  # five have a sentence each
    found = stats.binomtest(40, 60).proportion_ci(1 - 0.05 / part, "exact")
    low, high = (f"{100 * end:.0f}" for end in found)
    also = f", also as the best of {judges}" if judges > 5 else ""
    said = answer(frame, tmp_path)
    assert f"ight in 67% [{low}, {high}]{also}" in said
    assert analyse(frame).results["validity"][0]["accuracy_interval"] == pytest.approx(
        [*stats.binomtest(40, 60).proportion_ci(0.95, "exact")], abs=1e-6
    )


@pytest.mark.slow
def test_the_steadiest_of_many_is_so_for_all(tmp_path: Path) -> None:
    """Without labels the steadiest is picked, and its interval is that of a lower error."""
    each = [
        judge(lambda q, r, j=j: turns(q, r) if q < 9 + 2 * j else right(q), 60, 2) for j in range(6)
    ]
    frame = pd.concat(one.assign(judge=f"j{k}") for k, one in enumerate(each))
    found = r"nother try gives another verdict in 15% \[(\d+), (\d+)\] of cases"
    alone = re.search(found, answer(each[0], tmp_path))
    picked = re.search(f"{found}, also as the best of 6", answer(frame, tmp_path))
    assert alone
    assert picked
    assert int(picked[1]) < int(alone[1]) < int(alone[2]) < int(picked[2])


@pytest.mark.slow
def test_a_vote_of_one_try_is_of_any_order(tmp_path: Path) -> None:
    """A judge of places repeats itself in each order and turns with it: pandas counts both."""
    rows = [
        (f"q{q}", " ".join(order), r, order[(q + r) % 8 == 0])
        for q in range(60)
        for order in (("ours", "theirs"), ("theirs", "ours"))
        for r in range(6)
    ]
    frame = pd.DataFrame(rows, columns=["question", "order", "replication", "verdict"])

    def same(by: list[str]) -> float:
        n = frame.groupby(by)["verdict"].value_counts().unstack(fill_value=0)
        whole = n.sum(axis=1)
        return float(((n**2).sum(axis=1) - whole).div(whole * (whole - 1)).mean())

    said = answer(frame, tmp_path, "--full")
    within, n = same(["question", "order"]), frame.groupby(["question", "order", "verdict"]).size()
    ours, theirs = (
        n.xs(one, level="order").unstack(fill_value=0) / 6 for one in ("ours theirs", "theirs ours")
    )
    across = float((ours * theirs).sum(axis=1).mean())
    assert f"Same again {(within + across) / 2:.0%}" in said
    another = said.partition("nother try in any order gives another verdict in ")[2][:9]
    assert another.startswith(f"{1 - (within + across) / 2:.0%} [")
    assert "of cases: ask in every order, and count all votes together" in said
    assert "A vote takes the orders in turn" in said


@pytest.mark.slow
def test_fewer_labels_than_there_are_would_not_do(tmp_path: Path) -> None:
    """A fixed sequence stops at its first threshold: more labels are named only above the given."""
    # One error of 36 with all votes alike; with 9 of 10 votes nearly all are right.
    alike: Any = lambda q, k: q != 0 if q < 36 else k < (9 if q < 100 else 6)  # noqa: E731
    tries = [
        (f"q{q}", "AB"[(q + (not alike(q, k))) % 2], "AB"[q % 2])
        for q in range(300)
        for k in range(10)
    ]
    frame = pd.DataFrame(tries, columns=["question", "verdict", "label"])
    frame.to_csv(tmp_path / "file.csv", index=False)
    for command in ("report", "keep"):
        said = printed(command, tmp_path / "file.csv")
        for few in re.findall(r"about ([\d,]+) (?:would do|labels would|in all)", said):
            assert int(few.replace(",", "")) > 300, said
        found = f"1 of 36 labelled {'questions' if command == 'keep' else 'ones'} is wrong"
        assert found in said


@pytest.mark.parametrize("judges", [3, 5])
def test_judges_that_a_line_leaves_out_are_counted(judges: int) -> None:
    """Those that are named and those that are counted are all judges that have a rule."""
    several = [
        judge(lambda q, r, k=k: wrong(q) if q == k else right(q), 60, 1, label=right).assign(
            judge=f"j{k}"
        )
        for k in range(judges)
    ]
    (said,) = kept_line(analyse(judgments_from_frame(pd.concat(several))))
    more = re.findall(r"(\d+) more", said.text)
    assert len(re.findall(r"j\d 100%", said.text)) + sum(map(int, more)) == judges
    assert len(more) == (judges > 3)
