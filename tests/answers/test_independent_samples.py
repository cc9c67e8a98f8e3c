"""Two samples of questions that have none in common, such as two months."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp
from statsmodels.stats.proportion import proportion_confint

import inspect_reliability as ir
from commands import invoke
from inspect_reliability.errors import UserError
from inspect_reliability.stats import Estimate
from inspect_reliability.stats.comparison import compare_independent

COLUMNS = {"id": "question", "grade 1": "verdict", "grade 2": "verdict", "team": "label"}


def month(start: int, seed: int, off: float, n: int = 40) -> pd.DataFrame:
    """Two grades an answer and, of the first half, a label; a judge off by one this often."""
    generator = np.random.default_rng(seed)
    label = generator.integers(1, 6, n)
    grades = [np.clip(label + (generator.random(n) < off), 1, 5) for _ in "12"]
    table = {
        "id": start + np.arange(n),
        "answer text": [f"reply of month {seed} to question {i}" for i in range(n)],
    }
    table |= {"grade 1": grades[0], "grade 2": grades[1]}
    return pd.DataFrame(table).assign(team=pd.Series(label).where(np.arange(n) < n // 2))


def written(folder: Path, second_start: int, **changed: Any) -> list[str]:
    frames = month(1, 1, 0.1), month(second_start, 2, 0.6).assign(**changed)
    paths = [folder / "may.csv", folder / "june.csv"]
    for frame, path in zip(frames, paths, strict=True):
        frame.to_csv(path, index=False)
    said = [word for pair in COLUMNS.items() for word in ("--column", "=".join(pair))]
    return [*map(str, paths), *said]


def test_the_difference_of_two_samples_is_that_of_newcombe() -> None:
    """By Wilson's intervals, his method 10 (1998, table II): 56 of 70 less 48 of 80."""
    each = []
    for right, n in ((56, 70), (48, 80)):
        low, high = proportion_confint(right, n, method="wilson")
        each.append(Estimate(right / n, low, high, n))
    found = compare_independent(("a", "b"), "accuracy", *each)
    assert found.low == pytest.approx(0.0524, abs=5e-5)
    assert found.high == pytest.approx(0.3339, abs=5e-5)
    assert (found.n_questions, found.reason) == (150, None)
    unknown = compare_independent(("a", "b"), "accuracy", each[0], Estimate(reason="too few"))
    assert (unknown.difference, unknown.low, unknown.reason) == (None, None, "too few")


@pytest.mark.slow
def test_months_with_other_questions_are_compared_without_pairs() -> None:
    """Each value is that of its own month, and the answer says what a difference may be of."""
    may, june = month(1, 1, 0.1), month(101, 2, 0.6)
    found = ir.compare(may, june, columns=COLUMNS)
    row = found.summary().set_index("coefficient").loc["accuracy"]
    for name, frame in (("first", may), ("second", june)):
        known = frame.dropna(subset="team")
        right = pd.concat([known[f"grade {k}"] == known["team"] for k in (1, 2)]).mean()
        assert row[f"{name}_value"] == pytest.approx(right)
        alone = ir.analyse(frame, columns=COLUMNS).frame("validity").iloc[0]
        ends = [row[f"{name}_value_{end}"] for end in ("low", "high")]
        assert ends == pytest.approx([alone["accuracy_low"], alone["accuracy_high"]])
    assert row["difference_low"] > 0
    [pair] = [one for one in found.to_dict()["rows"] if one["coefficient"] == "accuracy"]
    assert (pair["n_of_each"], pair["n_questions"]) == ([20, 20], 40)
    assert pair["cautions"][0].startswith("Each side has other questions, such as '1' and '101'")
    assert found.to_dict()["changes"] == []
    said = " ".join(str(found).split())
    assert "Other questions in each" in said
    assert "20 + 20" in said
    assert "judge questions of first again" in said


@pytest.mark.slow
def test_what_is_shown_of_mean_grades_leads(tmp_path: Path) -> None:
    """Each has its t interval, the difference both as a hypotenuse; next is a command for each."""
    sides = [month(start, 3, 0.1).drop(columns="team") for start in (1, 101)]
    sides[1][["grade 1", "grade 2"]] += 2
    words = []
    for name, side in zip(("may", "june"), sides, strict=True):
        side.to_csv(tmp_path / f"{name}.csv", index=False)
        words.append(str(tmp_path / f"{name}.csv"))
    for pair in list(COLUMNS.items())[:3]:
        words += ["--column", "=".join(pair)]
    columns = dict(list(COLUMNS.items())[:3])
    found = ir.compare(*sides, columns=columns)
    [row] = [one for one in found.to_dict()["rows"] if one["coefficient"] == "mean_grade"]
    means = [side[["grade 1", "grade 2"]].mean(axis=1) for side in sides]
    ends = [ttest_1samp(one, 0).confidence_interval() for one in means]
    reach = np.hypot(*((one.high - one.low) / 2 for one in ends))
    assert [row["first_value"], row["second_value"]] == pytest.approx([m.mean() for m in means])
    assert row["second_value_interval"] == pytest.approx([*ends[1]])
    assert row["difference_interval"] == pytest.approx([-2 - reach, -2 + reach])
    assert found.summary()["first_value"].notna().all()
    assert str(found).startswith("first gives lower grades than second, by 2.00 [")
    calls = re.findall(r"ir\.label\(.*\)", str(found))
    assert [call.split(",")[0] for call in calls] == ["ir.label(judgments", "ir.label(new"]
    named = [one.assign(judge=name) for one, name in zip(sides, ("m", "n"), strict=True)]
    assert str(ir.compare(*named, columns=columns)).count("ir.label(") == 2
    said = " ".join(invoke("compare", *words).stdout.split())
    for name, file in (("may", "first"), ("june", "second")):
        assert re.search(rf"label \S*{name}.csv .*--most 30 --out {file}.html", said)


def test_the_share_of_a_verdict_is_compared_where_nothing_else_is_known() -> None:
    """One verdict a question: 32 of 40 pass and then 20 of 40, and their difference is shown."""
    sides = [
        pd.DataFrame(
            {
                "question": [f"{month}{k}" for k in range(40)],
                "verdict": ["pass" if k < n else "fail" for k in range(40)],
            }
        )
        for month, n in (("may", 32), ("june", 20))
    ]
    found = ir.compare(*sides)
    [row] = [one for one in found.to_dict()["rows"] if one["coefficient"] == "share of pass"]
    assert (row["first_value"], row["second_value"], row["n_of_each"]) == (0.8, 0.5, [40, 40])
    below, above = row["first_value_interval"][0], row["second_value_interval"][1]
    assert row["difference_interval"][0] == pytest.approx(0.3 - np.hypot(0.8 - below, above - 0.5))
    said = " ".join(str(found).split())
    assert said.startswith("second gives 'fail' more often: 50% of verdicts, 20% of first's (+30 p")
    assert "not estimable" not in said


@pytest.mark.slow
def test_omega_and_agreement_that_differ_are_said_apart() -> None:
    """Nine of ten at random repeat more often than steady halves, and beyond chance less often."""
    draws = np.random.default_rng(3)
    shares = [np.full(150, 0.95), np.repeat([0.15, 0.85], 75)]
    first, second = (
        pd.DataFrame(
            [
                (f"{of}{q}", "pass" if draws.random() < p else "fail")
                for q, p in enumerate(own)
                for _ in "123"
            ],
            columns=["question", "verdict"],
        )
        for of, own in zip("so", shares, strict=True)
    )
    found = ir.compare(first, second)
    known = {one["coefficient"]: one for one in found.to_dict()["rows"]}
    for side, of in ((first, "first"), (second, "second")):
        passed = side["verdict"].eq("pass").groupby(side["question"]).sum()
        same = np.where(passed.isin([0, 3]), 1, 1 / 3).mean()
        assert known["agreement"][f"{of}_value"] == pytest.approx(same)
    assert known["omega"]["difference_interval"][1] < 0
    assert known["agreement"]["difference_interval"][0] > 0
    said = " ".join(str(found).split())
    assert "By omega, which counts only what is beyond chance, second repeats itself more" in said
    assert (
        "By agreement, which counts every equal pair of verdicts, first repeats itself mo" in said
    )


@pytest.mark.slow
def test_months_of_one_file_are_compared_as_those_of_two() -> None:
    """Two values of a column that share no question are two samples, too; three are refused."""
    may, june = month(1, 1, 0.1), month(101, 2, 0.6)
    both = pd.concat([may.assign(month="may"), june.assign(month="june")])
    found = ir.compare(both, by="month", columns=COLUMNS)
    apart = ir.compare(may, june, columns=COLUMNS).summary()
    pd.testing.assert_frame_equal(
        found.summary().drop(columns=["first", "second"]),
        apart.drop(columns=["first", "second"]),
    )
    said = " ".join(str(found).split())
    assert "Other questions in each, so each is taken by itself" in said
    assert "judge questions of may again" in said
    judges = str(ir.compare(both.rename(columns={"month": "judge"}), by="judge", columns=COLUMNS))
    assert "let both judge the same questions" in judges
    third = pd.concat([both, month(201, 3, 0.6).assign(month="july")])
    with pytest.raises(UserError, match="two at a time, not 3"):
        ir.compare(third, by="month", columns=COLUMNS)


@pytest.mark.slow
def test_ids_that_start_again_are_asked_about(tmp_path: Path) -> None:
    """Labels that differ show other questions under the same ids, and each answer is taken."""
    words = written(tmp_path, 1)
    asked = invoke("compare", *words)
    assert asked.exit_code == 2
    said = " ".join(asked.stderr.split())
    assert "june.csv" in said
    assert "of 20 questions that both label have another label there" in said
    others = invoke("compare", *words, "--column", "file=benchmark")
    assert "20 + 20" in others.stdout, others.stderr
    again = invoke("compare", *words, "--column", "file=time")
    assert again.exit_code == 0, again.stderr
    assert "20 + 20" not in again.stdout


@pytest.mark.slow
def test_texts_that_differ_show_other_questions(tmp_path: Path) -> None:
    """As labels do, where nothing is labelled twice; what a judge wrote does not."""
    words = written(tmp_path, 1, team=None)
    said = " ".join(invoke("compare", *words).stderr.split())
    assert "of 40 texts in column 'answer text' are others there" in said
    for name in ("may.csv", "june.csv"):
        frame = pd.read_csv(tmp_path / name).rename(columns={"answer text": "judge comment"})
        frame.to_csv(tmp_path / name, index=False)
    assert "ids that are running numbers" in " ".join(invoke("compare", *words).stderr.split())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("added", "asked"),
    [
        ({}, True),
        ({"item": range(40)}, True),
        ({"kind": "all"}, True),
        ({"rationale": [f"some words of {k}" for k in range(40)]}, True),
        ({"label": [1 + k % 3 for k in range(40)]}, False),
        ({"kind": ["abc"[k % 3] for k in range(40)]}, False),
        ({"question": [f"q{k}" for k in range(40)]}, False),
        ({"question": range(100, 140)}, False),
    ],
)
def test_ids_that_only_count_are_asked_about(added: dict[str, Any], asked: bool) -> None:
    """What a second column says of each question, in both, shows that they are the same."""
    generator = np.random.default_rng(1)
    sides = [
        pd.DataFrame({"question": range(40), "verdict": generator.integers(1, 4, 40)}).assign(
            **added
        )
        for _ in range(2)
    ]
    if not asked:
        assert ir.compare(*sides).to_dict()["changes"]
        return
    with pytest.raises(UserError, match="40 questions have ids that are running numbers") as error:
        ir.compare(*sides)
    first, second = re.findall(r"^  columns=(.*)$", str(error.value), re.MULTILINE)
    assert ir.compare(*sides, columns=eval(first)).to_dict()["changes"]
    assert "n_of_each" in ir.compare(*sides, columns=eval(second)).to_dict()["rows"][0]


@pytest.mark.slow
@pytest.mark.parametrize(("differ", "asked"), [(0, False), (9, False), (12, True), (20, True)])
def test_labels_of_two_values_differ_by_half_by_chance(differ: int, asked: bool) -> None:
    """Of 40 labels A and B, 20 would differ by chance; of the same questions, few do."""
    labels = pd.Series(["A", "B"] * 20)
    other = labels.where(labels.index >= differ, labels.map({"A": "B", "B": "A"}))
    ids, said = [f"q{n}" for n in range(40)], labels.where(labels.index % 5 > 0, "B")
    sides = [
        pd.DataFrame({"question": ids, "judge": name, "verdict": said, "label": of})
        for name, of in (("x", labels), ("y", other))
    ]
    if asked:
        with pytest.raises(UserError, match=f"{differ} of 40 questions that both label have anoth"):
            ir.compare(*sides)
    else:
        assert len(ir.compare(*sides).summary())


@pytest.mark.slow
def test_the_same_questions_judged_again_are_not_asked_about(tmp_path: Path) -> None:
    """Labels and texts are the same, whatever the verdicts."""
    may = month(1, 1, 0.1)
    words = written(tmp_path, 1, **{name: may[name] for name in ("team", "answer text")})
    assert invoke("compare", *words).exit_code == 0


@pytest.mark.slow
def test_frames_whose_ids_start_again_are_asked_about_in_python() -> None:
    """What the error says to do works, and so do other ids, or one frame with a column."""
    may, june = month(1, 1, 0.1), month(1, 2, 0.6)
    with pytest.raises(UserError, match="another label there") as error:
        ir.compare(may, june, columns=COLUMNS)
    first, second = re.findall(r"^  columns=(.*)$", str(error.value), re.MULTILINE)
    others = ir.compare(may, june, columns=COLUMNS | eval(first)).to_dict()["rows"]
    assert "n_of_each" in others[0]
    same = ir.compare(may, june, columns=COLUMNS | eval(second)).to_dict()["rows"]
    assert "n_of_each" not in same[0]
    both = pd.concat([may.assign(time="may"), june.assign(time="june")])
    assert len(ir.compare(both, by="time", columns=COLUMNS).summary())
    june["id"] = "new " + june["id"].map(str)
    assert "n_of_each" in ir.compare(may, june, columns=COLUMNS).to_dict()["rows"][0]


@pytest.mark.slow
def test_a_report_of_files_offers_to_keep_every_label(tmp_path: Path) -> None:
    """Other questions under the same ids have labels of their own: 20 and 20."""
    words = written(tmp_path, 1)
    said = " ".join(invoke("report", *words).stderr.split())
    first = said.index("--column file=benchmark other questions, whose ids start again")
    assert first < said.index("--column file=time")
    assert "labels of 40 questions" in said[first : said.index("--column file=time")]
    read = invoke("report", *words, "--column", "file=benchmark")
    assert "labels of 40 questions" in read.stderr
