"""Data frames as data scientists have them: what functions say, and the calls that they offer."""

import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

import inspect_reliability as ir
from commands import invoke
from inspect_reliability.answers.next_steps import advice
from inspect_reliability.showing.document import Estimates

pytestmark = pytest.mark.usefixtures("read_once")


def graded(n: int = 60, labelled: int = 30) -> pd.DataFrame:
    """Grades under two prompts, v1 with more noise, five tries each; labels of the first ones."""
    draws = np.random.default_rng(4)
    right = draws.integers(1, 6, n)
    rows = [
        (1000 + q, prompt, k, int(np.clip(right[q] + round(draws.normal(0, noise)), 1, 5)))
        for prompt, noise in (("v1", 1.5), ("v2", 0.4))
        for q in range(n)
        for k in range(5)
    ]
    frame = pd.DataFrame(rows, columns=["qid", "prompt", "try", "grade"])
    human = frame["qid"].map(lambda q: right[q - 1000] if q < 1000 + labelled else np.nan)
    return frame.assign(human=human)


COLUMNS = {"human": "label", "prompt": "judge"}


@pytest.mark.slow
def test_a_gate_takes_the_file_of_a_choice(tmp_path: Path) -> None:
    """It holds the chosen judge, with its votes, to the limit, as the command does."""
    frame, file, choice = graded(), tmp_path / "grades.csv", tmp_path / "choice.yaml"
    some = frame.assign(human=frame["human"].where(frame["qid"] < 1015))
    ir.choose(some, columns=COLUMNS, out=choice)
    frame.to_csv(file, index=False)
    found = ir.gate(frame, columns=COLUMNS, rule=choice, least={"within_one": 0.5})
    [row] = found.summary().to_dict("records")
    means = frame[frame["prompt"] == "v2"].groupby("qid")["grade"].mean().round()
    off = (means - frame.groupby("qid")["human"].first()).abs().dropna()[15:]  # 15 chose it
    assert (row["judge"], row["n_questions"]) == ("v2", 15)
    assert row["value"] == pytest.approx((off <= 1).mean())
    named = [f"--column={yours}={ours}" for yours, ours in COLUMNS.items()]
    asked = ("gate", file, *named, "--rule", choice, "--min", "within_one=0.5")
    assert repr(found).splitlines()[0] == invoke(*asked).stdout.splitlines()[0]


@pytest.mark.slow
def test_a_column_of_the_frame_as_labels_is_of_its_questions() -> None:
    """Its row numbers are no ids of questions, whether it is whole, without gaps or taken off."""
    frame = graded(60, 30)
    expected = ir.analyse(frame, columns=COLUMNS).frame("validity")["within_one"].tolist()
    bare, human = frame.drop(columns="human"), frame["human"]
    twice = pd.concat([frame[:300], frame[300:].set_axis(range(300))])
    cases = [(frame, human), (bare, human), (bare, human.dropna()), (bare, human.rename(None))]
    for given, labels in [*cases, (twice, twice["human"])]:
        found = ir.analyse(given, columns={"prompt": "judge"}, labels=labels)
        assert found.frame("validity")["within_one"].tolist() == expected
        assert "not judged" not in " ".join(map(str, found.judgments.notes))


@pytest.mark.slow
def test_an_index_that_may_be_rows_or_questions_is_refused() -> None:
    """Ids 0 to 59 are among the row numbers; a mapping, or a named index, has questions."""
    frame = graded().assign(qid=lambda some: some["qid"] - 1000)
    first = frame.drop_duplicates("qid").set_index("qid")["human"].dropna()
    bare = frame.drop(columns="human")
    with pytest.raises(ir.UserError, match="numbers of rows and ids of questions"):
        ir.analyse(bare, columns={"prompt": "judge"}, labels=first.rename_axis(None))
    expected = ir.analyse(frame, columns=COLUMNS).frame("validity")["within_one"].tolist()
    for labels in (first, first.to_dict(), first.rename_axis(None).rename(None)):
        found = ir.analyse(bare, columns={"prompt": "judge"}, labels=labels)
        assert found.frame("validity")["within_one"].tolist() == expected
    one = frame[(frame["prompt"] == "v2") & (frame["try"] == 0)].reset_index(drop=True)
    found = ir.analyse(one, columns={"human": "unused"}, labels=one["human"])
    assert found.frame("validity")["n_labelled"].tolist() == [30]  # rows are the questions


def judged_by_two(first_id: int) -> pd.DataFrame:
    """Verdicts of two judges, one after the other, 80 pairs three times; 60 have labels."""
    generator = np.random.default_rng(4)
    human = pd.Series(generator.choice(["A", "B"], 80)).where(lambda one: one.index < 60)
    rows = [(first_id + pair, judge, n) for judge in "ab" for pair in range(80) for n in range(3)]
    frame = pd.DataFrame(rows, columns=["pair_id", "judge", "try"])
    frame["human"] = (frame["pair_id"] - first_id).map(human)
    wrong = generator.random(len(frame)) < 0.2
    right = frame["human"].fillna("A")
    frame["said"] = right.where(~wrong, right.map({"A": "B", "B": "A"}))
    return frame


PAIRS = {"pair_id": "question", "try": "replication", "said": "verdict"}


def right_of(frame: pd.DataFrame, **how: Any) -> list[float]:
    found = ir.analyse(frame, columns=PAIRS, **how).frame("validity").sort_values("judge")
    return [*found["accuracy"]]


@pytest.mark.slow
def test_a_column_of_the_whole_frame_labels_the_rows_of_a_filtered_one() -> None:
    """By row, as pandas aligns; where ids of questions are row numbers too, it is asked."""
    for first_id in (1000, 100):
        whole = judged_by_two(first_id)
        own = whole.dropna().query("judge == 'a'")
        by_hand = [(own["said"] == own["human"]).groupby(own["pair_id"]).mean().mean()]
        bare = whole.drop(columns="human")
        some = bare[bare["judge"] == "a"]
        if first_id == 1000:
            assert right_of(bare, labels=whole["human"]) == pytest.approx(right_of(whole))
            assert right_of(whole[whole["judge"] == "a"], labels=whole["human"]) == by_hand
            assert right_of(some, labels=whole["human"]) == pytest.approx(by_hand)
            continue
        with pytest.raises(ir.UserError, match="rows and ids of questions") as refused:
            right_of(some, labels=whole["human"])
        for call in ("judgments.assign(label=labels)", "labels=labels.to_dict()"):
            assert call in str(refused.value)
        row, question = some.assign(label=whole["human"]), whole["human"].to_dict()
        assert right_of(row) == pytest.approx(by_hand)
        ids = some["pair_id"].map(question)
        other = (some["said"] == ids)[ids.notna()].groupby(some["pair_id"]).mean().mean()
        assert right_of(some, labels=question) == pytest.approx([other])
        assert other != pytest.approx(by_hand[0])


@pytest.mark.slow
def test_a_column_of_a_frame_with_an_index_of_several_levels_is_of_its_rows() -> None:
    """Its questions are a level that `columns` names; a filtered frame takes it as well."""
    whole = judged_by_two(1000)
    expected = right_of(whole)
    levels = whole.set_index(["pair_id", "judge", "try"])
    assert right_of(levels[["said"]], labels=levels["human"]) == pytest.approx(expected)
    one = levels.xs("b", level="judge", drop_level=False)[["said"]]
    assert right_of(one, labels=levels["human"]) == pytest.approx(expected[1:])


@pytest.mark.slow
def test_columns_of_several_people_beside_one_row_a_verdict() -> None:
    """A verdict is right as often as it is the label of a person drawn at random."""
    frame = judged_by_two(1000).dropna().rename(columns={"human": "ann"})
    frame["bob"] = frame["ann"].where(frame["pair_id"] % 4 > 0, "A")
    columns = {"ann": "label", "bob": "label"}
    each = frame[[*columns]].eq(frame["said"], axis=0).mean(axis=1)
    by = [frame["judge"], frame["pair_id"]]
    expected = each.groupby(by).mean().groupby("judge").mean()
    found = ir.analyse(frame, columns={**PAIRS, **columns}).frame("validity")
    assert found.set_index("judge")["accuracy"].to_dict() == pytest.approx(expected.to_dict())
    both = ir.compare(frame, by="judge", columns={**PAIRS, **columns}).summary()
    one = both.set_index("coefficient").loc["accuracy"]
    assert [one.first_value, one.second_value] == pytest.approx([*expected])


@pytest.mark.slow
def test_frames_of_one_source_join_on_their_keys(tmp_path: Path) -> None:
    """Without a judge its column is empty everywhere, and decisions are those of the list."""
    frame = judged_by_two(1000).rename(columns={**PAIRS, "judge": "wording", "human": "label"})
    own = {"max_error": 0.12, "out": str(tmp_path / "kept.csv")}
    kept = ir.keep(frame, **own).verdicts
    questions = ir.analyse(frame).frame("questions")
    assert kept["judge"].isna().all()
    keys = ["judge", "wording", "question"]
    assert len(questions.merge(kept, on=keys)) == len(questions) == len(kept)
    assert len(frame.merge(kept, on=["question", "wording"])) == len(frame)
    listed = pd.read_csv(str(own["out"])).set_index(["wording", "question"])["decision"]
    same = kept.set_index(["wording", "question"])["decision"].reindex(listed.index)
    kept_by_rule = same == "keep"  # a list calls those labelled whose label is another
    assert same[~kept_by_rule].tolist() == listed[~kept_by_rule].tolist()
    assert "labelled" in {*kept["decision"]}


def test_how_often_so_many_votes_are_right_is_a_frame_by_itself() -> None:
    """One row a judge and number of votes; of three, the majorities of every subset by hand."""
    frame = judged_by_two(1000)
    found = ir.analyse(frame, columns=PAIRS).frame("validity", of="votes")
    right = (frame["said"] == frame["human"]).where(frame["human"].notna())
    share = right.dropna().astype(float).groupby([frame["judge"], frame["pair_id"]]).mean()
    three = (share > 0.5).groupby("judge").mean()
    by_votes = found.set_index(["votes", "judge"])["accuracy"]
    assert by_votes[1].to_dict() == pytest.approx(share.groupby("judge").mean().to_dict())
    assert by_votes[3].to_dict() == pytest.approx(three.to_dict())
    assert (found["accuracy_low"] < found["accuracy"]).all()
    with pytest.raises(ir.UserError, match="has no list 'vote'"):
        ir.analyse(frame, columns=PAIRS).frame("validity", of="vote")


@pytest.mark.slow
def test_undecided_is_one_number_in_summary_and_frames() -> None:
    """Also of a judge whose undecided tries are those without a verdict."""
    frame = judged_by_two(1000)
    frame["said"] = frame["said"].where((frame["try"] > 0) | (frame["pair_id"] % 5 > 0), None)
    tie = (frame["judge"] == "b") & (frame["try"] == 1) & (frame["pair_id"] % 7 == 0)
    frame["said"] = frame["said"].mask(tie, "tie")
    found = ir.analyse(frame, columns=PAIRS)
    both = [found.summary(), found.frame("validity")]
    first, second = (one.set_index("judge")["undecided"].sort_index() for one in both)
    assert first.notna().all()
    pd.testing.assert_series_equal(first, second, check_dtype=False)


@pytest.mark.slow
def test_a_correlation_of_means_is_said_to_be_theirs() -> None:
    """Spearman's, of the mean of five tries; with one try, of that try."""
    frame = graded()
    one = frame[frame["prompt"] == "v1"].drop(columns="prompt")
    known = one.dropna().groupby("qid")[["grade", "human"]].mean()
    columns = {name: ours for name, ours in COLUMNS.items() if name in one}
    said = " ".join(str(ir.analyse(one, columns=columns)).split())
    value = spearmanr(known["grade"], known["human"]).statistic
    assert f"rank correlation of its mean grade {value:.2f}" in said
    once = " ".join(str(ir.analyse(one[one["try"] == 0], columns=columns)).split())
    assert "of its mean grade" not in once
    assert "rank correlation" in once


@pytest.mark.slow
def test_labels_that_hold_a_promise_are_not_called_too_few() -> None:
    """The page names `keep` beside a judge whose interval is wide."""
    rows = [
        (q, "AB"[k % 2] if q % 5 < 2 else "A", "A" if q < 80 else None)
        for q in range(120)
        for k in range(4)
    ]
    frame = pd.DataFrame(rows, columns=["question", "verdict", "label"])
    found = ir.analyse(frame)
    assert [advice(found, row).tag for row in found.rows] == ["label"]
    [table] = [one for one in found.document(found).blocks if isinstance(one, Estimates)]
    assert [line.tag for line in table.rows] == ["keep"]
    few = ir.analyse(frame.assign(label=frame["label"].where(frame["question"] < 20)))
    [table] = [one for one in few.document(few).blocks if isinstance(one, Estimates)]
    assert [line.tag for line in table.rows] == ["label"]


@pytest.mark.slow
def test_a_judge_whom_votes_mend_is_tagged_so() -> None:
    """Also where labels let its steady verdicts be kept: `keep` stands where labels were asked."""
    right = [5, 5, 5, 5, 5, 5, 4, 4, 4, 2]
    rows = [(q, "A" if k < right[q % 10] else "B", "A") for q in range(120) for k in range(5)]
    found = ir.analyse(pd.DataFrame(rows, columns=["question", "verdict", "label"]))
    told = found.document(found).blocks
    assert any("verdicts that a person must check" in getattr(one, "text", "") for one in told)
    [table] = [one for one in told if isinstance(one, Estimates)]
    assert [line.tag for line in table.rows] == ["take votes"]


def test_a_signature_is_short_enough_to_read() -> None:
    """Defaults that a user never writes take little of it."""
    assert len(str(inspect.signature(ir.Reading))) < 700


def call_in(words: str) -> str:
    """The call that ends a sentence, or a line."""
    return words[words.index("ir.") :].splitlines()[0].rstrip(".")


@pytest.mark.slow
def test_errors_and_next_steps_recommend_calls_that_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They keep what was said of columns, so that what is labelled is not drawn again."""
    monkeypatch.chdir(tmp_path)
    judgments = graded()
    with pytest.raises(ir.UserError) as told:
        ir.label(judgments, columns=COLUMNS, for_="keep")
    drawn = eval(call_in(str(told.value)), {"ir": ir, "judgments": judgments})
    assert len(drawn.sheet) == judgments["human"].isna().sum() // 10
    assert Path("label.html").is_file()
    unwritten = ir.label(judgments, columns=COLUMNS)
    assert "browser" not in repr(unwritten)
    Path("label.html").unlink()
    eval(call_in(repr(unwritten)), {"ir": ir, "judgments": judgments})
    assert Path("label.html").is_file()
    third = judgments.assign(prompt=judgments["prompt"].replace("v2", "v3"))
    apart = pd.concat([judgments, third]).drop_duplicates()
    apart = apart.assign(qid=apart["qid"].map(str) + apart["prompt"])
    with pytest.raises(ir.UserError) as told:
        ir.compare(apart, by="prompt", columns={"human": "label", "prompt": "judge"})
    aside = eval(call_in(str(told.value)), {"ir": ir, "judgments": apart})
    assert aside.names == ["judge"]


@pytest.mark.slow
@pytest.mark.parametrize("names", [{"v1": "v1", "v2": "v2"}, {"v1": 1, "v2": 2}])
def test_next_steps_of_one_judge_are_calls_about_that_judge(
    names: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The gate is answered of it alone, and so is what lists or draws its verdicts."""
    monkeypatch.chdir(tmp_path)
    judgments = graded(120, 100).assign(prompt=lambda some: some["prompt"].map(names))
    said = repr(ir.analyse(judgments, columns=COLUMNS))
    calls = [one.strip() for one in said.splitlines() if one.startswith("  ir.")]
    best = str(names["v2"])
    assert f"Next for {best}: " in said
    known = {"ir": ir, "judgments": judgments}
    gate, *others = (eval(one, known) for one in calls)
    assert gate.result == "passes"
    for one in (gate, *others):
        assert {*one.analysis.frame("rows")["judge"]} == {names["v2"]}


@pytest.mark.slow
def test_what_is_said_names_arguments_and_what_is_used() -> None:
    """No option of a command is left in words for Python, and columns of `by` are used."""
    frame = graded().assign(topic=lambda some: some["qid"] % 2)
    assert 'names=["icc"] questions' in repr(ir.plan(frame, columns=COLUMNS))
    apart = ir.analyse(frame, by=["judge", "topic"], columns=COLUMNS)
    assert "not used" not in repr(apart)
    assert "not used: topic" in repr(ir.analyse(frame, columns=COLUMNS))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["human", "gold", "expert"])
def test_labels_as_decimals_are_known_beside_grades(name: str) -> None:
    """A column that lacks labels has 4.0 where a grade is 4, and is taken by its bare name."""
    frame = graded().rename(columns={"human": name, "prompt": "judge"})
    table = ir.judgments_from_frame(frame).table
    assert table["label"].dropna().unique().tolist() == [
        str(int(one)) for one in frame[name].dropna().unique()
    ]
    others = frame.assign(**{name: frame["qid"].map(lambda q: ["ann", "bob"][q % 2])})
    assert "label" not in ir.judgments_from_frame(others).table


@pytest.mark.slow
def test_of_grades_the_figure_has_the_means_that_are_recommended() -> None:
    """Beside labels of a scale, votes are means within one step, and no exact majorities."""
    found = ir.analyse(graded(), columns=COLUMNS)
    figure = found.figures()["right-votes"].figure
    known = found.frame("validity").set_index("judge")["within_one"]
    once = {one["judge"]: one["within_one"] for one in figure.records if one["votes"] == 1}
    assert once == pytest.approx(known.to_dict())
    assert figure.y_label == "mean within one step"


def test_labels_that_only_count_are_of_no_rows() -> None:
    """A label a question, numbered from 0, would fall on the first rows of a frame."""
    frame = graded(60, 30)
    human = frame.drop_duplicates("qid")["human"].reset_index(drop=True)
    with pytest.raises(ir.UserError, match="numbered 0 to 59, and the frame has"):
        ir.analyse(frame.drop(columns="human"), columns={"prompt": "judge"}, labels=human)


@pytest.mark.slow
def test_labels_of_other_rows_are_refused() -> None:
    """A series whose index numbers the rows before they moved contradicts itself, and is told so.

    People who disagree on a third of questions do not.
    """
    frame = graded(60, 60)
    bare, labels = frame.drop(columns="human"), frame["human"].astype(int)
    moved = bare.sample(frac=1, random_state=1)
    known = {"columns": {"prompt": "judge"}}
    with pytest.raises(ir.UserError, match=r"in 60 of 60 questions: .* labels by question"):
        ir.keep(moved.reset_index(drop=True), labels=labels, **known)
    several = labels.where((bare["qid"] % 3 > 0) | (bare["try"] > 0), labels % 5 + 1)
    said = ir.keep(bare, labels=several, **known).notes
    assert "20 questions with different labels" in " ".join(map(str, said))


@pytest.mark.parametrize(
    ("fewest", "votes"), [(9, [1, 3, 5, 9]), (8, [1, 3, 5, 7]), (6, [1, 3, 5]), (1, [1, 3, 5])]
)
def test_as_many_votes_as_all_questions_have_are_a_candidate(fewest: int, votes: list[int]) -> None:
    """By default one more, at most 9, of which no question has too few; beside it, those asked."""
    rows = [
        (f"q{q}", n, "AB"[(q + n // 4) % 2], "A")
        for q in range(12)
        for n in range(11 if q else fewest)
    ]
    frame = pd.DataFrame(rows, columns=["question", "replication", "verdict", "label"])
    assert sorted(ir.choose(frame).summary()["votes"]) == votes
    assert sorted(ir.choose(frame, votes=[1, 3]).summary()["votes"]) == [1, 3]


@pytest.mark.slow
def test_an_answer_says_what_was_left_out() -> None:
    """Functions note labels whose ids fit no question, as their commands do."""
    frame = graded(60, 30)
    labels = frame.drop_duplicates("qid")[["qid", "human"]].dropna()
    labels["qid"] = labels["qid"].where(labels.index % 2 == 0, labels["qid"] + 5000)
    given = {"columns": {"qid": "question", **COLUMNS, "human": "label"}, "labels": labels}
    bare = frame.drop(columns="human")
    found = ir.gate(bare, least={"within_one": 0.5}, **given)
    assert "of what was not judged" in " ".join(map(str, found.notes))
    for answer in (found, ir.keep(bare, **given), ir.card(bare, **given)):
        assert [*map(str, answer.notes)] == [*map(str, found.notes)]
        assert f"Note: {found.notes[0]}" in repr(answer).replace("\n", " ")


@pytest.mark.slow
def test_a_gate_is_true_where_it_passes() -> None:
    """`assert` in a pipeline stops at the outcomes that are no pass."""
    frame = graded(60, 30)
    for limit in (0.01, 0.9, 0.999):
        found = ir.gate(frame, columns=COLUMNS, least={"within_one": limit})
        assert bool(found) == (found.result == "passes") == (limit == 0.01)


def test_a_list_of_frames_is_refused_with_what_joins_them() -> None:
    """It is no list of paths, and a frame is not called something else than a frame."""
    with pytest.raises(ir.UserError, match=r"A list of data frames .* pandas\.concat"):
        ir.watch([graded(60, 30), graded(60, 30)])


@pytest.mark.slow
def test_a_report_as_a_mapping_is_the_json_of_its_command(tmp_path: Path) -> None:
    """`to_dict` has what `--format json` prints."""
    file = str(tmp_path / "grades.csv")
    graded(60, 30).to_csv(file, index=False)
    named = [f"--column={yours}={ours}" for yours, ours in COLUMNS.items()]
    printed = json.loads(invoke("report", file, *named, "--format", "json").stdout)
    assert ir.analyse(file, columns=COLUMNS).to_dict() == printed


@pytest.mark.slow
def test_a_next_call_says_that_it_is_of_the_same_rows() -> None:
    """Of rows chosen from a larger frame; of a whole frame there is nothing to say."""
    rows = [
        (judge, f"q{q}", "AB"[(q + (q % 9 == 0)) % 2], "AB"[q % 2])
        for judge in ("one", "other")
        for q in range(20)
        for _ in range(2)
    ]
    both = pd.DataFrame(rows, columns=["judge", "question", "verdict", "label"])
    own = both[both["judge"] == "other"]
    for frame, of_same in ((own, True), (own.reset_index(drop=True), False)):
        gated = repr(ir.gate(frame, least={"accuracy": 0.6}))
        assert "ir.keep(judgments" in gated
        assert ("# judgments: the same 40 rows" in " ".join(gated.split())) == of_same
