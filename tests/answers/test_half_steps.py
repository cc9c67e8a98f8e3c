"""Labels between two grades of a judge, as the mean of two people."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import inspect_reliability as ir
from inspect_reliability import card
from inspect_reliability.answers import analyse
from inspect_reliability.answers.analysis import Analysis
from inspect_reliability.errors import UserError
from inspect_reliability.record.rule import KeepRule


def graded(shift: float = 0.0, n: int = 60, **more: object) -> pd.DataFrame:
    """Two tries of a grade and a label on half steps, 3.5 as people write it."""
    generator = np.random.default_rng(3)
    label = generator.integers(2, 11, n) / 2
    tries = [
        np.clip(np.floor(label + generator.normal(0.5 + shift, 0.6, n)), 1, 5).astype(int)
        for _ in "12"
    ]
    both = [
        pd.DataFrame({"question": np.arange(n), "verdict": one, "label": label}) for one in tries
    ]
    return pd.concat(both).assign(**more)


def halves(label: pd.Series, grade: int) -> pd.Series:
    """How much of a label a grade is, by hand."""
    return (1 - (label - grade).abs() * 1.0).where((label - grade).abs() <= 0.5, 0)


@pytest.fixture(scope="module")
def report() -> Analysis:
    return analyse(graded())


@pytest.mark.slow
def test_a_label_between_two_grades_is_said_to_be_half_of_each(report: Analysis) -> None:
    """Right exactly counts half beside it; whole labels need no word."""
    frame = graded()
    right = (
        np.mean(
            [
                halves(frame["label"], grade)[frame["verdict"] == grade].sum()
                for grade in range(1, 6)
            ]
        )
        * 5
        / len(frame)
    )
    assert report.results["validity"][0]["accuracy"] == pytest.approx(right)
    said = "(a label between two grades is half of each)"
    assert said in str(report)
    assert said not in str(analyse(frame.assign(label=frame["label"].round())))


def test_corrected_shares_leave_no_label_out(report: Analysis) -> None:
    """Where everything is labelled, they are the labels' own, halves counted, and add up to 1."""
    label = graded()["label"]
    found = {one["category"]: one["rate"] for one in report.results["corrected"]}
    assert found == pytest.approx({str(k): halves(label, k).mean() for k in range(1, 6)})
    assert sum(found.values()) == pytest.approx(1)


@pytest.mark.slow
def test_no_difference_of_means_is_said_and_one_that_is_shown_too(report: Analysis) -> None:
    """The mean over questions of mean grade less label, with the interval of Student's t."""
    frame = graded()
    by_question = frame.groupby("question")[["verdict", "label"]].mean()
    apart = by_question["verdict"] - by_question["label"]
    low, high = stats.t.interval(0.95, len(apart) - 1, apart.mean(), apart.sem())
    mean, *ends = (f"{one:z.2f}" for one in (apart.mean(), low, high))
    assert low < 0 < high
    said = f"No difference from the labels' mean grade is seen ({mean} [{', '.join(ends)}])."
    assert said in " ".join(str(report).split())
    assert "higher than the labels" in str(analyse(graded(shift=0.4)))
    [row] = card(graded()).to_dict()["rows"]
    assert row["mean_error"] == pytest.approx(apart.mean())
    assert "By labels: Mean grade less people's" in str(ir.card(graded()))


@pytest.mark.slow
def test_of_several_judges_each_is_named() -> None:
    """No difference is that of one judge."""
    both = pd.concat([graded(judge="a"), graded(shift=0.4, judge="b")])
    said = " ".join(str(analyse(both)).split())
    assert "No difference of a from the labels' mean grade is seen" in said
    assert "b grades 0." in said


def of_means(digits: int, unit: float = 1.0) -> pd.DataFrame:
    """Two wordings, five tries each, beside labels that are means of three people."""
    generator = np.random.default_rng(8)
    quality = generator.uniform(1, 9, 80)
    label = np.clip(quality[:, None] + generator.normal(0, 0.8, (80, 3)), 1, 10).mean(1)
    frames = []
    for wording, off in (("v1", 1.2), ("v2", 0.4)):
        given = np.round((quality[:, None] + generator.normal(off, 1, (80, 5))) / unit) * unit
        frame = pd.DataFrame({"question": [f"q{n}" for n in range(80) for _ in range(5)]})
        known = {"verdict": np.clip(given, 1, 10).ravel(), "label": label.repeat(5).round(digits)}
        frames.append(frame.assign(wording=wording, **known))
    return pd.concat(frames, ignore_index=True)


@pytest.mark.slow
@pytest.mark.parametrize("unit", [1.0, 0.5])
def test_commands_take_one_step_of_labels_that_are_means(unit: float) -> None:
    """Decimal labels leave the judge's step: report, compare, gate and choose count as numpy does.

    The interval of the difference is near that of the paired t test, and no narrower by much.
    """
    frame = of_means(2, unit)
    apart = (frame["verdict"] - frame["label"]).abs()
    by = [frame["question"], frame["wording"]]
    midway = np.isclose(apart, unit / 2)  # half of each grade
    exact = (apart < unit / 2) * 1.0
    exact[midway] = 0.5
    near, right = (one.groupby(by).mean().unstack() for one in (apart <= unit, exact))
    reported = ir.analyse(frame).frame("validity").set_index("wording")
    assert reported["step"].tolist() == [unit, unit]
    compared = ir.compare(frame, by="wording").summary().set_index("coefficient")
    gate = ir.gate(frame, least={"within_one": 0.5}).summary().set_index("wording")
    chosen = ir.choose(frame, votes=[1, 3]).summary().query("votes == 1").set_index("wording")
    for name, by_hand in (("within_one", near), ("accuracy", right)):
        share = by_hand.mean()
        assert reported[name].to_dict() == pytest.approx(share.to_dict())
        one = compared.loc[name]
        assert [one.first_value, one.second_value] == pytest.approx(share.tolist())
        apart_t = stats.ttest_rel(by_hand["v1"], by_hand["v2"]).confidence_interval()
        ends = [one.difference_low, one.difference_high]
        assert ends == pytest.approx([apart_t.low, apart_t.high], abs=0.015)
    for found in (gate["value"], chosen["accuracy"]):
        assert found.to_dict() == pytest.approx(near.mean().to_dict())


@pytest.mark.slow
def test_judges_of_whole_and_half_grades_are_compared_by_the_larger_step() -> None:
    """Within a step is the same distance for both sides, whichever grades each gives."""
    whole, half = of_means(2), of_means(2, 0.5)
    frame = pd.concat([whole[whole["wording"] == "v1"], half[half["wording"] == "v2"]])
    near = (frame["verdict"] - frame["label"]).abs() <= 1
    share = near.groupby([frame["question"], frame["wording"]]).mean().unstack().mean()
    found = ir.compare(frame, by="wording").summary().set_index("coefficient").loc["within_one"]
    assert [found.first_value, found.second_value] == pytest.approx(share.tolist())
    chosen = ir.choose(frame, votes=[1, 3]).summary().query("votes == 1").set_index("wording")
    assert chosen["accuracy"].to_dict() == pytest.approx(share.to_dict())


@pytest.mark.slow
def test_a_grade_that_nobody_gave_is_a_step_still() -> None:
    """A label near a grade that the judge never gave makes the scale no finer."""
    frame = of_means(2)
    frame["verdict"] = frame["verdict"].clip(upper=8)
    assert (frame["label"] > 8.5).any()
    assert ir.analyse(frame).frame("validity")["step"].tolist() == [1, 1]


@pytest.mark.slow
def test_always_one_grade_is_a_grade_of_the_judge() -> None:
    """No question can get a mean of people: of the judge's grades the best is said."""
    frame = of_means(2)
    label = frame.drop_duplicates("question")["label"]
    share = {grade: ((label - grade).abs() <= 1).mean() for grade in range(1, 11)}
    finer = max(((label - one).abs() <= 1).mean() for one in label)
    assert finer > (best := max(share.values()))
    found = ir.analyse(frame).frame("validity")
    assert [share[int(one)] for one in found["always"]] == pytest.approx([best] * 2)
    assert [*found["always_share"]] == pytest.approx([best] * 2)


@pytest.mark.slow
def test_some_half_grades_leave_the_grades_of_people(tmp_path: Path) -> None:
    """A mean is rounded to whole grades, as labels are, by report, keep and the saved rule."""
    generator = np.random.default_rng(5)
    label = generator.integers(1, 6, 120)
    given = np.clip(label[:, None] + generator.choice([-1, -0.5, 0, 0, 0, 1], (120, 3)), 1, 5)
    names = [f"q{n}" for n in range(120)]
    frame = pd.DataFrame({"question": np.repeat(names, 3), "verdict": given.ravel()})
    frame["label"] = label.repeat(3)
    right = ir.analyse(frame).results["validity"][0]
    apart = np.abs(given.mean(axis=1) - label).round(9)
    shares = [((apart < far) + 0.5 * (apart == far)).mean() for far in (0.5, 1.5)]
    for one in (right["means"][-1], right["one_grade"][0]):
        assert [one["accuracy"], one["within_one"]] == pytest.approx(shares)
    kept = ir.keep(frame, max_error=0.2, save_rule=(file := tmp_path / "rule.json"))
    assert "of tries lie between the labels' grades" in str(kept)
    rule = KeepRule.read(str(file))
    assert rule.grades == ["1", "2", "3", "4", "5"]
    decided = [rule.decide([f"{one:g}" for one in row])[0] for row in given]
    expected = {q: float(one) for q, one in zip(names, decided, strict=True) if one}
    again = ir.keep(frame.drop(columns="label"), rule=file)
    assert "of tries lie between the rule's grades" in str(again)
    listed, found = (one.verdicts.query("decision == 'keep'") for one in (kept, again))
    assert found.set_index("question")["verdict"].to_dict() == expected
    assert listed.set_index("question")["verdict"].to_dict().items() <= expected.items()


@pytest.mark.slow
def test_both_steps_are_said_where_some_grades_are_halves() -> None:
    """Of 100 labels 1, 6 or 40 are halves, as half of the verdicts are: no share is lost."""
    for halves in (0, 1, 6, 40):
        frame = pd.DataFrame({"question": [f"q{q}" for q in range(100)]})
        frame["label"] = [2.5 if q < halves else 1.0 + q % 5 for q in range(100)]
        frame["verdict"] = frame["label"] // 1 + np.arange(100) % 4 / 2
        apart = (frame["verdict"] - frame["label"]).abs()
        near, whole = ((apart <= far).mean() for far in (0.5, 1))
        said = " ".join(str(analyse(frame)).split())
        step, other = ("Within 0.5", near), f"(some grades are halves: within 1 in {whole:.0%})"
        if halves < 20:
            step, other = ("Within one step", whole), f"halves: within 0.5 in {near:.0%})"
        assert f"{step[0]} of the label in {step[1]:.0%}" in said
        assert (other in said) == (halves > 0)


@pytest.mark.slow
@pytest.mark.parametrize("between", [False, True])
def test_neighbours_among_thirds_are_a_step_apart(between: bool) -> None:
    """1.3 and 1.7 as 1.7 and 2: counted by hand over places, and no label between changes it."""
    grades = np.array([1, 1.3, 1.7, 2, 2.3, 2.7, 3, 3.3, 3.7, 4])
    generator = np.random.default_rng(8)
    at = generator.integers(0, 10, 60)
    said = np.clip(at + generator.integers(-2, 3, 60), 0, 9)
    frame = pd.DataFrame({"question": range(60), "verdict": grades[said], "label": grades[at]})
    near = np.abs(at - said) <= 1
    if between:
        frame.loc[0, ["verdict", "label"]] = [2.5, 2.5]
        near[0] = True
    [found] = analyse(frame).results["validity"]
    assert found["step"] == pytest.approx(0.4)
    assert found["within_one"] == pytest.approx(near.mean())


THIRDS = np.array([1, 1.3, 1.7, 2, 2.3, 2.7, 3, 3.3, 3.7, 4])


@pytest.mark.slow
@pytest.mark.parametrize("off", [(-1, 0, 0, 1), (1, 1, 1, 1)])
def test_a_mean_of_thirds_is_rounded_alike_everywhere(off: tuple[int, ...], tmp_path: Path) -> None:
    """By report, keep, choose and the saved rule, which says of its data what was promised.

    Where every verdict is a third off, all of them are within a step, and none is right.
    """
    generator = np.random.default_rng(5)
    at = generator.integers(1, 9, 60)
    said = at[:, None] + generator.choice(off, (60, 3))
    given = THIRDS[said]
    names = [f"q{n}" for n in range(60)]
    frame = pd.DataFrame({"question": np.repeat(names, 3), "verdict": given.ravel()})
    frame["label"] = THIRDS[at].repeat(3)
    apart = np.abs(given.mean(axis=1)[:, None] - THIRDS).round(9)
    nearest = apart == apart.min(axis=1, keepdims=True)
    shares = [
        (nearest & (np.abs(at[:, None] - np.arange(10)) <= far)).sum(axis=1) / nearest.sum(axis=1)
        for far in (0, 1)
    ]
    right = ir.analyse(frame).results["validity"][0]
    for one in (right["means"][-1], right["one_grade"][0]):
        assert [one["accuracy"], one["within_one"]] == pytest.approx([x.mean() for x in shares])
    gated = ir.gate(frame, least={"within_one": 0.6}, votes=3).summary()
    assert [*gated["value"]] == pytest.approx([shares[1].mean()])
    assert {*ir.choose(frame).summary()["votes"]} == {1, 3}

    kept = ir.keep(frame, max_error=0.15, save_rule=(file := tmp_path / "rule.json"))
    rule = KeepRule.read(str(file))
    every = np.unique([*at, *said.ravel()])
    assert [*map(float, rule.grades)] == THIRDS[every.min() : every.max() + 1].tolist()
    decided = {
        q: rule.decide([f"{v:g}" for v in row])[0] for q, row in zip(names, given, strict=True)
    }
    for place, one in enumerate(decided.values()):
        assert one is None or nearest[place, THIRDS.tolist().index(float(one))]
    again = ir.keep(frame.drop(columns="label"), rule=file)
    expected = {q: float(one) for q, one in decided.items() if one}
    listed, found = (
        one.verdicts.query("decision == 'keep'").set_index("question")["verdict"].to_dict()
        for one in (kept, again)
    )
    assert found == expected
    assert listed.items() <= expected.items()
    checked = str(ir.keep(frame, rule=file))
    assert "are more than a step off: agrees with the rule" in checked


@pytest.mark.slow
def test_grades_at_unequal_distances_make_no_rule_of_steps(tmp_path: Path) -> None:
    """A rule without their grades would promise of the label itself what holds within a step."""
    grades = np.array([1, 1.25, 2, 4, 7.1])
    frame = pd.DataFrame({"question": np.arange(60).repeat(2), "label": grades[np.arange(120) % 5]})
    frame["label"] = grades[frame["question"] % 5]
    frame["verdict"] = frame["label"].where(frame["label"] != 1, 1.25)
    with pytest.raises(UserError, match="unequal"):
        ir.keep(frame, max_error=0.2, save_rule=tmp_path / "rule.json")
    assert not [*tmp_path.iterdir()]


@pytest.mark.slow
def test_a_saved_rule_knows_its_step(tmp_path: Path) -> None:
    """Labels 1, 3 and 5 are a step of 2 apart, though verdicts between are grades as well."""
    label = np.resize([1, 3, 5], 60)
    frame = pd.DataFrame({"question": np.arange(60), "label": label})
    frame["verdict"] = label + np.resize([1, 2, 1, 2, 1], 60)
    kept = ir.keep(frame, max_error=0.15, save_rule=(file := tmp_path / "rule.json"))
    assert "more than a step off (0.0% of the labelled)" in " ".join(str(kept).split())
    assert KeepRule.read(str(file)).step == 2
    assert "agrees with the rule" in str(ir.keep(frame, rule=file))
