"""Two months or two judges that give grades: each with its labels, and every judge is said."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from commands import invoke
from inspect_reliability import compare
from inspect_reliability.answers.arms import Sides
from inspect_reliability.answers.changes_in_words import change_in_words, have_moved
from inspect_reliability.answers.comparison_in_words import compared_in_words, next_of_two
from inspect_reliability.errors import UserError
from inspect_reliability.showing.formats import Record


def month(start: int, shift: float, n: int = 40) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Three grades of each letter by two judges, the second of which shifts; and labels."""
    rng = np.random.default_rng(start)
    person = rng.integers(1, 6, n)
    rows = [
        (f"V{start + q}", judge, t, int(np.clip(round(person[q] + of + rng.normal(0, 0.6)), 1, 5)))
        for q in range(n)
        for judge, of in (("nord", 0.0), ("sued", shift))
        for t in (1, 2, 3)
    ]
    names = ["question", "judge", "replication", "verdict"]
    labels = pd.DataFrame({"id": [f"V{start + q}" for q in range(n)], "label": person})
    return pd.DataFrame(rows, columns=names), labels


MARCH, APRIL = month(100, 0.0), month(200, 0.8)


def mean_errors(grades: pd.DataFrame, labels: pd.DataFrame, judge: str) -> "pd.Series[float]":
    own = grades[grades["judge"] == judge].groupby("question")["verdict"].mean()
    return own - labels.set_index("id")["label"]


def rows_of(*found: pd.DataFrame, judge: str = "sued") -> Record:
    (row,) = (
        one
        for frame in found
        for one in frame.to_dict("records")
        if one["coefficient"] == "mean_error" and one.get("judge", judge) == judge
    )
    return {str(name): of for name, of in row.items()}


@pytest.mark.slow
def test_each_file_of_labels_may_be_of_one_month() -> None:
    """The mean error of each month is that of its own labels, and their intervals are joined."""
    labels = [MARCH[1], APRIL[1]]
    row = rows_of(compare(MARCH[0], APRIL[0], labels=labels).summary())
    each = [mean_errors(*one, "sued") for one in (MARCH, APRIL)]
    assert row["first_value"] == pytest.approx(each[0].mean())
    assert row["difference"] == pytest.approx(each[0].mean() - each[1].mean())
    first, second = (float(stats.t.ppf(0.975, len(of) - 1) * stats.sem(of)) for of in each)
    assert row["difference_high"] == pytest.approx(row["difference"] + np.hypot(first, second))
    with pytest.raises(UserError, match="has no label that fits"):
        compare(MARCH[0], APRIL[0], labels=[*labels, pd.DataFrame({"id": ["x"], "label": [1]})])


@pytest.mark.slow
def test_the_mean_errors_of_two_judges_are_paired() -> None:
    """Their interval is that of t over the differences of the letters."""
    row = rows_of(compare(APRIL[0], by="judge", labels=APRIL[1]).summary())
    apart = mean_errors(*APRIL, "nord") - mean_errors(*APRIL, "sued")
    low, high = stats.ttest_1samp(apart, 0).confidence_interval()
    expected = (apart.mean(), low, high)
    assert (row["difference"], row["difference_low"], row["difference_high"]) == pytest.approx(
        expected
    )


@pytest.mark.slow
def test_few_labels_hide_no_change_of_all_grades() -> None:
    """Beside what the labelled letters say, the mean grade moves over all that both judged."""
    few, by_letter = APRIL[1][:12], APRIL[0].pivot_table("verdict", "question", "judge")
    moved = (by_letter["sued"] - by_letter["nord"]).mean()
    said = " ".join(str(compare(APRIL[0], by="judge", labels=few)).split())
    words = "Over all 40 questions that both judged: sued grades higher than nord"
    assert f"{words} ({moved:+.2f} " in said
    assert "Over all" not in " ".join(str(compare(APRIL[0], by="judge", labels=APRIL[1])).split())


@pytest.mark.parametrize(
    ("exact", "said"),
    [
        ((-0.17, 0.01), "; which is exactly right more often is not decided."),
        ((-0.17, -0.01), "; b is exactly right more often."),
        ((-0.02, 0.03), "differs by at most 4 points."),
    ],
)
def test_alike_within_a_step_is_said_of_that(exact: tuple[float, float], said: str) -> None:
    """Sides that are near alike may differ in how often they are exactly right."""
    pairs = [pair("within_one", 0.01, (-0.02, 0.04)), pair("accuracy", sum(exact) / 2, exact)]
    words = next_of_two(pairs, 0, "LOGS")[0].text
    near = "Next: take the cheaper one: how often each is within a step of the label differs by"
    assert words.startswith(near)
    assert words.endswith(said)


@pytest.mark.slow
def test_every_judge_of_two_months_is_said(tmp_path: Path) -> None:
    """One that has changed is not behind one that has not; Next knows both judges."""
    call = ["compare"]
    for name, (grades, labels) in (("march", MARCH), ("april", APRIL)):
        grades.to_csv(tmp_path / f"{name}.csv", index=False)
        labels.to_csv(tmp_path / f"l_{name}.csv", index=False)
        call += [str(tmp_path / f"{name}.csv"), "--labels", str(tmp_path / f"l_{name}.csv")]
    done = invoke(*call)
    assert done.exit_code == 0, done.output
    said = " ".join(done.stdout.split())
    assert "nord: " in said
    assert "sued: Compared with people's grades" in said
    assert said.count("Other questions in each") == 2
    assert "1 more" not in said
    assert "Compared with people's grades, april.csv grades higher" in said.replace(
        f"{tmp_path}/", ""
    )
    assert said.count("mean grade less people's") == 2
    assert "whether the judge changed" in said
    assert done.stderr.count("Read:") == 2


def pair(name: str, value: float, ends: tuple[float, float], n: int = 40) -> Record:
    return {
        "first": "a",
        "second": "b",
        "coefficient": name,
        "difference": value,
        "difference_interval": list(ends),
        "n_questions": n,
        "questions_needed": None,
        "cautions": [],
        "reason": None,
    }


def test_what_further_coefficients_decide_is_said() -> None:
    """No sentence says that nothing is decided where the table beneath it decides."""
    icc, omega = pair("icc", -0.06, (-0.12, 0.0)), pair("omega", -0.14, (-0.25, -0.02))
    said = compared_in_words([icc, omega, pair("agreement", 0.1, (-0.1, 0.2))])
    assert "not decided by icc (b's icc is 0.06 higher [0.00, 0.12])" in said
    assert "By omega, which count equal" not in said
    assert "b repeats itself more than a (omega +0.14 [0.02, 0.25])" in said
    said = compared_in_words([icc, pair("omega", -0.14, (-0.25, 0.02))])
    assert said.endswith("is not decided (b's icc is 0.06 higher [0.00, 0.12]).")


def test_next_names_which_question_needs_so_many_labels() -> None:
    """Within a step and right are two questions, with labels of their own."""
    close = pair("within_one", -0.001, (-0.15, 0.14))
    (said, *_) = next_of_two([close, pair("accuracy", 0.1, (-0.05, 0.25))], 80, "LOGS")
    assert "to tell which is within a step of the label more often" in said.text
    assert "to tell which is right more often" in said.text


@pytest.mark.parametrize(
    ("pairs", "sides", "said"),
    [
        (
            [pair("accuracy", 0.001, (-0.09, 0.09), 100)],
            Sides.EITHER,
            "judge at two times, the judge changed",
        ),
        ([pair("accuracy", 0.001, (-0.03, 0.03), 100)], Sides.TIMES, "; how often it is right"),
        (
            [pair("accuracy", 0.05, (-0.02, 0.12), 100)],
            Sides.EITHER,
            "two prompts or settings, label",
        ),
        ([pair("omega", 0.05, (-0.02, 0.12), 100)], Sides.TIMES, "To be told of changes"),
    ],
)
def test_a_judge_whose_verdicts_moved_has_changed(
    pairs: list[Record], sides: Sides, said: str
) -> None:
    """Next never says that no change is shown, where labels alone do not show it."""
    first = next_of_two(pairs, 80, "LOGS", sides=sides, moved=True)[0].text
    assert "the judge changed: look for what is new" in first
    assert said in first
    assert "nothing to mend" not in first
    assert "the judge changed:" not in next_of_two(pairs, 80, "LOGS", sides=sides)[0].text


@pytest.mark.parametrize(("low", "moved"), [(0.02, False), (0.09, True)])
def test_one_interval_of_several_shows_no_change(low: float, moved: bool) -> None:
    """By its own interval the mean grade differs; by three that hold at once only if it is far."""
    change = {
        "first": "a",
        "second": "b",
        "n_questions": 40,
        "mean_change": 0.2,
        "mean_change_interval": [low, 0.4 - low],
        "grade_values": None,
        "above_noise": 0.01,
        "above_noise_interval": [-0.02, 0.04],
        "shares": [{"verdict": "3", "first": 0.4, "change": 0.0, "change_interval": [-0.1, 0.1]}],
        "disagreement_across": 0.3,
        "not_estimable": {},
    }
    assert any(shown for shown, _ in change_in_words(change))
    assert have_moved([pair("omega", 0, (-0.1, 0.1))], [change]) is moved


@pytest.mark.parametrize(
    ("low", "noise", "moved"), [(0.02, 0.01, False), (0.06, 0.01, True), (-0.1, -0.05, False)]
)
def test_labels_are_one_of_several_comparisons_of_two_months(
    low: float, noise: float, moved: bool
) -> None:
    """Beside noise they are held to normal quantiles of 2.24; less than noise shows no change."""
    change = {
        **{"first": "a", "second": "b", "n_questions": 40, "shares": [], "grade_values": None},
        **{"mean_change": None, "mean_change_interval": None, "above_noise": noise},
        "above_noise_interval": [noise - 0.02, noise + 0.02],
    }
    own = [pair("accuracy", 0.2, (low, 0.4 - low))]
    wider = stats.norm.ppf(1 - 0.025 / 2) / stats.norm.ppf(0.975)
    assert moved == (wider * (0.2 - low) < 0.2)
    assert have_moved(own, [change]) is moved
    if low > 0:
        said = next_of_two(own, 80, "LOGS", sides=Sides.TIMES, moved=moved)[0].text
        assert ("the judge may have changed" in said) is not moved
