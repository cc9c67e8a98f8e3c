"""A saved rule on questions without labels, and labels that say that there is none."""

import json
import math
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta, betabinom, binom

import inspect_reliability as ir
from commands import invoke
from inspect_reliability.record.rule import KeepRule
from inspect_reliability.showing.formats import adding_up, share

pytestmark = pytest.mark.usefixtures("read_once")


def month(seed: int, n: int = 80) -> pd.DataFrame:
    """Three grades of each letter around its own, which is the label."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, n)
    off = np.clip(rng.normal(0, 0.7, (n, 3)).round(), -1, 1)
    given = np.clip(truth[:, None] + off, 1, 5).astype(int)
    rows = [
        {"question": f"q{seed}-{q}", "judge": "m", "replication": k, "verdict": one}
        | {"label": truth[q]}
        for q, own in enumerate(given)
        for k, one in enumerate(own, 1)
    ]
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The rule of a month that is labelled."""
    file = tmp_path_factory.mktemp("made") / "rule.json"
    ir.keep(month(1), max_error=0.15, save_rule=file)
    return file


@pytest.fixture
def rule(made: Path, tmp_path: Path) -> str:
    """A copy of it, which a test may change."""
    return shutil.copy(made, str(tmp_path / "rule.json"))


@pytest.mark.slow
def test_a_rule_decides_a_month_without_labels(tmp_path: Path, rule: str) -> None:
    """Each verdict is that of the rule by itself; the answer says what the promise rests on."""
    frame = month(2).drop(columns="label")
    frame.to_csv(tmp_path / "new.csv", index=False)
    out = tmp_path / "kept.csv"
    done = invoke("keep", tmp_path / "new.csv", "--rule", rule, "--out", out)
    said = " ".join(done.stdout.split())
    assert "by the 80 labels that made the rule, with 95% confidence at most 15%" in said
    assert "questions drawn like those" in said
    of = KeepRule.read(rule)
    kept = pd.read_csv(out, dtype=str).set_index("question")
    known = 0
    for question, own in frame.groupby("question"):
        verdict, _ = of.decide([str(one) for one in own["verdict"]])
        assert (kept["decision"][question] == "keep") == (verdict is not None)
        if verdict is not None:
            assert kept["final"][question] == verdict
            known += 1
    assert 0 < known < 80
    answer = ir.keep(frame, rule=rule)
    assert answer.summary()["kept"][0] == pytest.approx(known / 80)
    # What is filled in is the user's, and the rule stays.
    listed = pd.read_csv(out)
    listed.loc[listed["decision"] == "escalate", "checked"] = 3
    listed.to_csv(tmp_path / "checked.csv", index=False)
    again = ("--labels", tmp_path / "checked.csv", "--out", tmp_path / "final.csv")
    done = invoke("keep", tmp_path / "new.csv", "--rule", rule, *again)
    assert pd.read_csv(tmp_path / "final.csv")["final"].notna().all()
    assert f"{80 - known} of 80 verdicts are people's" in " ".join(done.stdout.split())


@pytest.mark.slow
def test_a_month_without_labels_is_offered_those_that_check_its_rule(
    tmp_path: Path, rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of so many, all right, beta's bound is at most the rule's; the labels drawn do check it."""
    monkeypatch.chdir(tmp_path)
    whole = month(2)
    whole.drop(columns="label").to_csv("new.csv", index=False)
    said = " ".join(invoke("keep", "new.csv", "--rule", rule).stdout.split())
    n = int(re.findall(r"to check the rule here, label (\d+) questions drawn at random", said)[0])
    assert f"inspect-reliability label new.csv --most {n} --out label.html" in said
    kept = ir.keep(whole.drop(columns="label"), rule=rule).summary()["kept"][0]
    assert beta.ppf(0.95, 1, kept * n) <= 0.15 < beta.ppf(0.95, 1, kept * (n - 2))
    invoke("label", "new.csv", "--most", n, "--out", "sheet.csv")
    sheet = pd.read_csv("sheet.csv", dtype=str)
    right = whole.drop_duplicates("question").set_index("question")["label"]
    sheet.assign(target=sheet["id"].map(right)).to_csv("sheet.csv", index=False)
    done = invoke("keep", "new.csv", "--rule", rule, "--labels", "sheet.csv")
    assert "kept verdicts with a label" in done.stdout
    assert "to check the rule here" not in done.stdout


def test_a_rule_is_refused_where_it_says_nothing(rule: str) -> None:
    """Of fewer verdicts, of another promise, and as a rule to save again."""
    frame = month(2).drop(columns="label")
    with pytest.raises(ir.UserError, match="3 verdicts of each question, and m has 2"):
        ir.keep(frame[frame["replication"] < 3], rule=rule)
    with pytest.raises(ir.UserError, match="at most 15% of what is kept"):
        ir.keep(frame, rule=rule, max_error=0.2)
    with pytest.raises(ir.UserError, match="no new rule"):
        ir.keep(frame, rule=rule).rule()
    with pytest.raises(ir.UserError, match="leave out rule= to make another"):
        ir.keep(month(2), rule=rule, max_error=0.2)


@pytest.mark.slow
def test_a_limit_that_is_typed_is_the_rules_or_refused(tmp_path: Path, rule: str) -> None:
    """Typing what is usual is not leaving it out: the rule promises 15%."""
    frame = month(2).drop(columns="label")
    frame.to_csv(tmp_path / "new.csv", index=False)
    asked = ("keep", tmp_path / "new.csv", "--rule", rule)
    for typed, code in (
        ((), 0),
        (("--max-error", 0.15, "--confidence", 0.95, "--cascade", "m"), 0),
        (("--max-error", 0.1), 2),
        (("--confidence", 0.9), 2),
        (("--cascade", "other"), 2),
    ):
        done = invoke(*asked, *typed)
        assert done.exit_code == code
        assert ("at most 15% of what is kept" in " ".join(done.output.split())) == (code == 2)
    with pytest.raises(ir.UserError, match="at most 15% of what is kept"):
        ir.keep(frame, rule=rule, max_error=0.1)


def few(labels: pd.DataFrame, n: int) -> pd.DataFrame:
    """Labels of the first questions alone."""
    known = labels["question"].isin(labels["question"].unique()[:n])
    return labels.assign(label=labels["label"].where(known))


def wrong_of(frame: pd.DataFrame, rule: str) -> list[bool]:
    """Whether each labelled verdict that the rule keeps is more than a step off."""
    found = []
    for _, own in frame.dropna(subset="label").groupby("question"):
        verdict, _ = KeepRule.read(rule).decide([str(one) for one in own["verdict"]])
        if verdict is not None:
            found.append(abs(float(verdict) - float(own["label"].iloc[0])) > 1)
    return found


@pytest.mark.slow
def test_labels_check_a_rule_and_make_no_other(rule: str) -> None:
    """The list is that without labels, by the rule's own limit; the bound is that of beta."""
    frame = few(month(2), 20)
    answer = ir.keep(frame, rule=rule)
    alone = ir.keep(frame.drop(columns="label"), rule=rule)
    same = ["question", "verdict", "confidence"]
    pd.testing.assert_frame_equal(answer.verdicts[same], alone.verdicts[same])
    decided, without = answer.verdicts["decision"], alone.verdicts["decision"]
    changed = decided != without
    assert {*decided[changed]} <= {"labelled"}
    assert (answer.verdicts["final"] != answer.verdicts["verdict"])[changed].any()
    (one,) = answer.to_dict()["keep"]
    assert (one["max_error"], one["n_labelled"], one["reason"]) == (0.15, 20, None)
    wrong = wrong_of(frame, rule)
    k, n = sum(wrong), len(wrong)
    assert k <= 0.15 * n
    most = beta.ppf(0.95, k + 1, n - k)
    said = " ".join(str(answer).split())
    assert f"{k} of {n} kept verdicts with a label" in said
    assert f"agrees with the rule (with 95% confidence at most {most:.1%} is" in said
    with pytest.raises(ir.UserError, match="no new rule"):
        answer.rule()


@pytest.mark.slow
def test_checks_of_what_is_not_kept_say_nothing_of_what_is(rule: str) -> None:
    """Neither that the rule agrees, nor how much fewer votes would get wrong."""
    frame = month(2).drop(columns="label")
    others = ir.keep(frame, rule=rule).verdicts.query("decision != 'keep'")
    found = ir.keep(frame, rule=rule, labels=others.assign(checked=3))
    said = " ".join(str(found).split())
    assert f"None of the {len(others)} labelled questions is kept, so labels do not check" in said
    assert {one["error"] for one in found.to_dict()["fewer_votes"]} == {None}


@pytest.mark.slow
def test_labels_that_contradict_a_rule_leave_no_promise(tmp_path: Path, rule: str) -> None:
    """Where the lower end is above the limit nothing is kept, and a new rule is the next step."""
    frame = month(2)
    frame["label"] = frame["label"].where(frame["label"] > 3, 5)
    frame = few(frame, 20)
    wrong = wrong_of(frame, rule)
    k, n = sum(wrong), len(wrong)
    least = beta.ppf(0.05, k, n - k + 1)
    assert least > 0.15
    frame.to_csv(tmp_path / "new.csv", index=False)
    done = invoke("keep", tmp_path / "new.csv", "--rule", rule, "--out", tmp_path / "kept.csv")
    said = " ".join(done.stdout.split())
    assert f"No promise: {k} of {n} kept verdicts with a label are more than a step off" in said
    assert f"contradicts the rule: with 95% confidence at least {least:.1%} is" in said
    assert "see what the labels of these questions promise without that rule" in said
    assert "--rule" not in said.partition("Next:")[2]
    assert "keep" not in set(pd.read_csv(tmp_path / "kept.csv")["decision"])
    # One label can be wrong by chance: 0.15 is above 0.05.
    names = frame["question"].unique()
    each = (frame.assign(label=frame["label"].where(frame["question"] == of)) for of in names)
    one = next(own for own in each if wrong_of(own, rule) == [True])
    answer = ir.keep(one, rule=rule)
    assert "so few labels cannot contradict the rule" in " ".join(str(answer).split())
    assert answer.summary()["kept"][0] > 0


def test_labels_that_are_no_grades_in_between_leave_the_step(rule: str) -> None:
    """Labels of 1, 3 and 5 alone are two apart, and the step of the rule stays one."""
    frame = month(2)
    frame["label"] = frame["label"].where(frame["label"] % 2 == 1)
    wrong = wrong_of(frame, rule)
    (one,) = ir.keep(frame, rule=rule).to_dict()["keep"]
    assert one["n_kept_labelled"] == len(wrong)
    assert one["error"] == pytest.approx(np.mean(wrong))


@pytest.mark.slow
def test_no_answer_of_a_person_is_no_label(tmp_path: Path) -> None:
    """In a sheet, in a column and for `read`: k.A. and an empty cell count as nothing."""
    frame = month(3).drop(columns="label")
    truth = month(3).drop_duplicates("question").set_index("question")["label"]
    frame.to_csv(tmp_path / "j.csv", index=False)
    sheet = tmp_path / "sheet.csv"
    assert invoke("label", tmp_path / "j.csv", "--most", 60, "--out", sheet).exit_code == 0
    table = pd.read_csv(sheet, dtype=object)
    table["target"] = [str(truth[one]) for one in table["id"]]
    table.loc[[0, 5], "target"] = "k.A."
    table.loc[7, "target"] = None
    table.to_csv(sheet, index=False)
    known = table[table["target"].isin([*"12345"])]
    mean = frame.groupby("question")["verdict"].mean().round()
    off = (mean[known["id"]] - known["target"].astype(int).to_numpy()).abs() > 1
    asked = ("keep", tmp_path / "j.csv", "--labels", sheet, "--max-error", 0.2)
    done = invoke(*asked, "--format", "json")
    (one,) = json.loads(done.stdout)["keep"]
    assert one["n_labelled"] == len(known) == 57
    assert one["error"] == pytest.approx(off.mean(), abs=0.02)
    assert "labels of 57 questions" in done.stderr
    frame.assign(label=frame["question"].map(known.set_index("id")["target"]).fillna("")).assign(
        label=lambda own: own["label"].where(own["question"] != table["id"][0], "k.A.")
    ).to_csv(tmp_path / "column.csv", index=False)
    said = invoke("read", tmp_path / "column.csv").stdout
    assert "labels of 57 questions" in said


@pytest.mark.slow
def test_what_is_skipped_in_a_page_is_named(tmp_path: Path) -> None:
    """It counts as wrong, because labelling stops, and the sentence counts it apart."""
    frame = month(4).drop(columns="label")
    truth = month(4).drop_duplicates("question").set_index("question")["label"]
    sheet = ir.label(frame, for_="keep", max_error=0.05).sheet
    sheet["target"] = [str(truth[one]) for one in sheet["id"]]
    sheet.loc[[1, 2], "target"] = None
    some = ir.keep(frame, labels=sheet.head(20), max_error=0.05).summary()["reason"][0]
    assert some == "not decided yet by 18 labels, and 2 skipped or unsure count as wrong"
    every = ir.keep(frame, labels=sheet.assign(target=sheet["target"].where(sheet.index > 9)))
    n = len(sheet)
    text = f"0 of {n - 10} labelled questions are more than a step off, and 10 skipped or unsure"
    assert every.summary()["reason"][0].startswith(f"too many errors: {text} count as wrong")


@pytest.mark.slow
def test_a_perfect_judge_of_grades_has_no_brier_score() -> None:
    """Zero where every vote is the label; of others by hand, over exact matches."""
    frame = month(5)
    perfect = frame.assign(verdict=frame["label"])
    assert ir.keep(perfect, columns={"label": "label"}).to_dict()["brier"][0][
        "score"
    ] == pytest.approx(0)
    (found,) = ir.keep(frame).to_dict()["brier"]
    votes = pd.crosstab(frame["question"], frame["verdict"])
    hits = pd.crosstab(frame["question"], frame["label"]).reindex(columns=votes.columns) > 0
    share = votes / 3
    noise = (share * (1 - share) / 2).sum(axis=1)
    by_hand = (((share - hits) ** 2).sum(axis=1) - noise).mean()
    assert found["score"] == pytest.approx(by_hand)


def test_an_offer_names_the_grade_that_does_as_well() -> None:
    """Of labels around 3, always 3 is more than a step off in 20%, and 30% are offered."""
    truth = [*[3] * 12, *[2] * 10, *[4] * 10, *[1] * 4, *[5] * 4]
    said = [one + (2 if n % 8 == 0 else 0) for n, one in enumerate(truth)]
    rows = [
        {"question": f"q{n}", "judge": "m", "replication": k, "verdict": v, "label": one}
        for n, (one, v) in enumerate(zip(truth, said, strict=True))
        for k in (1, 2, 3)
    ]
    answer = str(ir.keep(pd.DataFrame(rows), max_error=0.1))
    text = " ".join(answer.split())
    assert "allow 30% of errors" in text
    assert "always 3 is more than a step off in 20% of them" in text


@pytest.mark.slow
@pytest.mark.parametrize(("wrong", "n"), [(1, 37), (2, 52), (7, 126)])
def test_few_errors_are_no_reason_against_a_judge(wrong: int, n: int) -> None:
    """Where fewer are wrong than allowed the labels are too few; with more errors, it is these."""
    rows = [
        {"question": f"q{q}", "judge": "m", "replication": k, "verdict": "A"}
        | {"label": ("B" if q < wrong else "A") if q < n else None}
        for q in range(4 * n)
        for k in range(3)
    ]
    frame = pd.DataFrame(rows)
    said = str(ir.keep(frame, max_error=0.1).summary()["reason"][0])
    assert said.startswith(f"too few labels to show at most 10%: {wrong} of {n} labelled questions")
    enough = r"about (\d+) labels would be enough with 80% probability"
    (needed,) = map(int, re.findall(enough, said))

    def probability(labels: int) -> float:
        passing = int(np.sum(binom.cdf(np.arange(labels), labels, 0.1) <= 0.05))
        further = betabinom(labels - n, wrong + 1, n - wrong + 1)
        return float(further.cdf(passing - 1 - wrong))

    fewer = map(probability, range(n + 1, int(0.95 * needed)))
    assert probability(needed) >= 0.8 > max(fewer, default=0)
    many = frame["label"].mask(frame["question"].isin([f"q{q}" for q in range(n // 5)]), "B")
    reason = ir.keep(frame.assign(label=many), max_error=0.1).summary()["reason"][0]
    assert reason.startswith("too many errors: ")


@pytest.mark.slow
def test_where_questions_have_other_numbers_of_votes_the_rule_says_what_counts() -> None:
    """Of 6, 10 and 12 votes most have 10: 9 of these, 90% of 12, and no question of 6."""
    rows = [
        {"question": f"q{q}", "judge": "m", "replication": k, "verdict": "A" if k else "B"}
        | {"label": "A"}
        for q in range(100)
        for k in range({0: 6, 1: 12}.get(q % 10, 10))
    ]
    answer = ir.keep(pd.DataFrame(rows), max_error=0.1)
    (one,) = answer.to_dict()["keep"]
    assert (one["votes"], one["votes_needed"], one["kept"]) == (10, 9, 0.9)
    assert (
        "have 9 or more of 10 votes (of more, 90%; questions with fewer are not kept): with"
        in " ".join(str(answer).split())
    )
    fewer = {each["votes"]: each["votes_needed"] for each in answer.to_dict()["fewer_votes"]}
    assert fewer == {1: 1, 3: 3, 5: 5, 9: 9}
    wrong = ir.keep(pd.DataFrame(rows).assign(label="B"), max_error=0.1).summary()["reason"][0]
    assert "with 90% of votes or more" in wrong


@pytest.mark.slow
def test_parts_of_a_whole_add_up(half: str) -> None:
    """As printed, each is within a point of its own; the first is as it is alone."""
    kept, person = adding_up([0.575, 0.425], 200)
    assert (kept, person) == ("58%", "42%")
    rng = np.random.default_rng(0)
    for values in rng.dirichlet([1.0, 1.0, 1.0], 200):
        n = int(rng.integers(50, 2_000))
        said = adding_up(values.tolist(), n)
        assert said[0] == share(values[0], n)
        if all(one[0] not in "<>" for one in said):
            shown = [float(one[:-1]) for one in said]
            assert sum(shown) == pytest.approx(100)
            assert np.abs(np.array(shown) - 100 * values).max() < 1
        inside = adding_up(values[:2].tolist(), n, values[:2].sum())
        whole = share(values[:2].sum(), n)
        if all(one[0] not in "<>" for one in (whole, *inside)):
            assert sum(float(one[:-1]) for one in inside) == pytest.approx(float(whole[:-1]))
    shows = " ".join(str(ir.keep(unanimous(69, 120), rule=half)).split())
    assert "Keep the 58%" in shows
    assert "42% are for a person" in shows


def test_votes_are_counted_and_not_shares() -> None:
    """Of three tries two are enough, which is said as votes."""
    frame = month(6)
    frame["label"] = frame["label"].where(frame.index % 9 > 2, 6 - frame["label"])
    why = ir.keep(frame, max_error=0.05).summary()["reason"][0]
    assert "with 2 of 3 votes or more" in why


@pytest.mark.slow
def test_kept_verdicts_that_people_gave_are_counted(tmp_path: Path) -> None:
    """Of what the rule keeps, the rows that still say keep and have a label are both's."""
    frame = month(7)
    frame["label"] = frame["label"].where(frame.index < 180)
    frame.to_csv(tmp_path / "j.csv", index=False)
    done = invoke("keep", tmp_path / "j.csv", "--max-error", 0.2, "--out", tmp_path / "l.csv")
    table = pd.read_csv(tmp_path / "l.csv")
    kept = table["decision"].eq("keep")
    both = int((kept & table["labelled"].notna()).sum())
    overruled = int(table["why"].str.contains("a person says", na=False).sum())
    text = " ".join(done.stdout.split())
    every = re.findall(
        r"Of the (\d+) that the rule keeps, people gave (\d+) as well, and (\d+)", text
    )
    assert len(every) == 1
    held, same, otherwise = map(int, every[0])
    assert same == both > 0
    assert held - otherwise == kept.sum()
    assert 0 < otherwise <= overruled
    assert float(re.findall(r"Keep the (\d+)%", text)[0]) == round(100 * held / len(table))


def names(labelled: bool) -> pd.DataFrame:
    """Sixty questions whose three votes are all A, B or tie; one label is not theirs."""
    rows = [
        {"question": f"q{n}", "judge": "m", "replication": k, "verdict": ("A", "B", "tie")[n % 3]}
        for n in range(60)
        for k in range(3)
    ]
    frame = pd.DataFrame(rows)
    own = frame["verdict"].where(frame["question"] != "q0", "B")
    return frame.assign(label=own) if labelled else frame


def test_a_rule_of_names_is_applied_as_it_was_made(tmp_path: Path) -> None:
    """A tie that labels called right is kept a month later, and names are no grades."""
    made = tmp_path / "rule.json"
    ir.keep(names(labelled=True), save_rule=made, max_error=0.2)
    assert "tie" not in KeepRule.read(str(made)).abstain
    said = " ".join(str(ir.keep(names(labelled=False), rule=made)).split())
    assert "Keep the 100%" in said
    assert "grades" not in said
    assert "by the 60 labels that made the rule" in said


def split(right: bool) -> pd.DataFrame:
    """Sixty questions with three votes that are right, and forty with two that may be."""
    rows = [
        {"question": f"q{n}", "judge": "m", "replication": k}
        | {"verdict": "B" if n >= 60 and k == 2 else "A", "label": "A" if right or n < 60 else "C"}
        for n in range(100)
        for k in range(3)
    ]
    return pd.DataFrame(rows)


def test_after_a_contradicted_rule_the_next_call_leads_on(tmp_path: Path) -> None:
    """It makes the rule that these labels do promise, all three votes, by the same limit."""
    made = tmp_path / "rule.json"
    ir.keep(split(right=True), save_rule=made, max_error=0.2)
    assert KeepRule.read(str(made)).votes_needed == 2
    said = str(ir.keep(split(right=False), rule=made))
    assert "which contradicts the rule" in " ".join(said.split())
    _, call, *_ = said.partition("Next:")[2].splitlines()
    assert call.strip() == 'ir.keep(judgments, max_error=0.2, save_rule="rule_2.json")'
    own = ir.keep(split(right=False), save_rule=tmp_path / "rule_2.json", max_error=0.2)
    assert own.rule().votes_needed == 3


def unanimous(kept: int, n: int, labels: int = 0) -> pd.DataFrame:
    """Questions with three votes alike, spread evenly, which are right; the others are wrong."""
    rows = [
        {"question": f"q{q}", "judge": "m", "replication": k}
        | {"verdict": "A" if alike or k else "B", "label": ("A" if alike else "B") * (q < labels)}
        for q in range(n)
        for alike in [(q + 1) * kept // n > q * kept // n]
        for k in range(3)
    ]
    return pd.DataFrame(rows)


def by_counting(kept: int, n: int, now: int, m: int) -> float:
    """How often a draw of the kept is as far from its mean as this one, by counting draws."""
    both = kept + now
    far = [abs(k - n * both / (n + m)) for k in range(both + 1)]
    ways = [math.comb(n, k) * math.comb(m, both - k) for k in range(both + 1)]
    farther = [w for w, one in zip(ways, far, strict=True) if one >= far[kept] - 1e-9]
    return sum(farther) / math.comb(n + m, both)


@pytest.mark.slow
@pytest.mark.parametrize("lacks", [(), ("agreeing",), ("agreeing", "n_questions")])
def test_a_rule_that_keeps_another_share_promises_nothing(
    tmp_path: Path, lacks: tuple[str, ...]
) -> None:
    """By a permutation test at 1%, of the questions that made it, or else those of its labels."""
    made = tmp_path / "rule.json"
    ir.keep(unanimous(60, 120, 80), save_rule=made, max_error=0.1)
    known = json.loads(made.read_text())
    assert (known["agreeing"], known["n_questions"]) == ([0, 0, 60, 60], 120)
    made.write_text(json.dumps({name: one for name, one in known.items() if name not in lacks}))
    of = 80 if "n_questions" in lacks else 120
    p = {now: by_counting(of // 2, of, now, 100) for now in range(51)}
    last = max(now for now, one in p.items() if one <= 0.006)
    first = min(now for now, one in p.items() if one >= 0.016)
    assert 20 < last < first < 40
    holds = ir.keep(unanimous(first, 100), rule=made)
    assert holds.summary()["kept"][0] == first / 100
    assert "at most 10% of these are wrong" in " ".join(str(holds).split())
    other = ir.keep(unanimous(last, 100), rule=made)
    said = " ".join(str(other).split())
    shares = f"the rule was made of, 50% had all 3 votes alike, and {last}% of these (p = "
    assert f"No promise: of the questions that {shares}" in said
    assert float(said.partition(shares)[2][:5]) == pytest.approx(p[last], abs=0.002)
    assert "with 95% confidence" not in said
    assert "label" in said.partition("Next:")[2]
    assert not other.verdicts["decision"].eq("keep").any()
    # Labels that show the promise by themselves give it back; fewer are told and do not.
    whole = ir.keep(unanimous(last, 100, 100), rule=made, max_error=0.1)
    assert bool(whole.summary()["kept"][0]) == (0.9**last <= 0.05)
    few = " ".join(str(ir.keep(unanimous(last, 100, 50), rule=made)).split())
    assert "No promise: of the questions that the rule was made of, 50%" in few
    assert f"0 of {last // 2} kept verdicts with a label are wrong" in few


@pytest.mark.slow
def test_a_rule_that_keeps_as_much_of_a_less_steady_month_promises_nothing(tmp_path: Path) -> None:
    """Two of three votes are enough for a loose rule, and half as many are all alike now."""
    made = tmp_path / "rule.json"
    then = unanimous(90, 120, 120).assign(label="A")
    ir.keep(then, save_rule=made, max_error=0.2)
    assert KeepRule.read(str(made)).votes_needed == 2
    alike = ir.keep(unanimous(84, 120), rule=made)
    assert alike.summary()["kept"][0] == 1
    said = " ".join(str(ir.keep(unanimous(45, 120), rule=made)).split())
    assert "was made of, 75% had all 3 votes alike, and 38% of these" in said
    known = json.loads(made.read_text())
    made.write_text(json.dumps(known | {"agreeing": [120]}))
    with pytest.raises(ir.UserError, match="agreeing: 1 numbers of 0 to 3 votes"):
        KeepRule.read(str(made))


@pytest.mark.slow
def test_a_rule_of_a_judge_that_became_milder_promises_nothing(tmp_path: Path, rule: str) -> None:
    """Its votes are as steady as before, and a grade higher.

    The rule has how many questions the votes of the first month gave each grade, by counting.
    """
    verdicts = month(1).groupby("question")["verdict"]
    clear = verdicts.agg(lambda own: own.mode()[0] if own.nunique() < 3 else None).dropna()
    mean = verdicts.mean().round().astype(int)
    known = mean[clear.index].value_counts()
    assert KeepRule.read(rule).verdicts == {str(grade): n for grade, n in known.items()}
    milder = month(1)
    milder["verdict"] = (milder["verdict"] + 1).clip(upper=5)
    milder["question"] = "new " + milder["question"]
    of = milder.drop(columns="label")
    said = " ".join(str(ir.keep(of, rule=rule)).split())
    then = share((mean[clear.index] >= 2).mean(), len(clear))
    had = f"{then} had a grade of 2 or more, and 100% of these (p < 0.001)"
    assert f"No promise: of the questions that the rule was made of, {had}" in said
    assert "the judge changed, or what it judges did" in said
    assert "compare EARLIER" in said
    # A name is another one as often as it was, and as many votes agree.
    made = tmp_path / "names.json"
    names = unanimous(60, 120, 80)
    ir.keep(names, save_rule=made)
    other = names.replace({"A": "B", "B": "A"}).drop(columns="label")
    said = " ".join(str(ir.keep(other, rule=made)).split())
    assert "was made of, 100% had the verdict 'A', and 0% of these (p < 0.001)" in said
    assert ir.keep(names.drop(columns="label"), rule=made).summary()["kept"][0] == 0.5


def test_labels_that_leave_a_rule_open_ask_for_as_many_as_decide(tmp_path: Path) -> None:
    """6 of 18 are wrong where 20% may be: beta's bound says how many would contradict it."""
    made = tmp_path / "rule.json"
    ir.keep(split(right=True), save_rule=made, max_error=0.2)
    now, number = split(right=False), [*range(12), *range(60, 66)]
    kept = now["question"].isin([f"q{n}" for n in number])
    said = " ".join(str(ir.keep(now.assign(label=now["label"].where(kept)), rule=made)).split())
    assert "6 of 18 kept verdicts with a label are wrong: more than 20%, which neither" in said
    needed = next(
        n for n in range(19, 101) if beta.ppf(0.05, round(n / 3), n - round(n / 3) + 1) >= 0.2
    )
    assert f"before you use the rule, label {needed - 18} more questions" in said
    assert "write what to keep" not in said


def test_few_labels_of_what_would_be_kept_ask_for_as_many_as_do() -> None:
    """51 of 120 grades come with three votes alike; of 85 labels 33 are of these, all right.

    Of 10%, beta's bound at half of the level needs 36 without an error: so many are kept of the
    labels asked for even if these are a standard deviation fewer than expected.
    """
    labelled = [q < 33 or 51 <= q < 103 for q in range(120)]
    rows = [
        {"question": f"q{q}", "judge": "m", "replication": k}
        | {"verdict": 1 + q % 3 + (q >= 51 and k == 2)}
        | {"label": (1 + q % 3 + (q % 4 == 0 and q >= 51) * 3) if labelled[q] else None}
        for q in range(120)
        for k in range(3)
    ]
    assert beta.ppf(0.975, 1, 36) <= 0.1 < beta.ppf(0.975, 1, 35)
    more = next(n for n in range(99) if n * 51 / 120 - (n * 51 * 69) ** 0.5 / 120 >= 36 - 33)
    said = " ".join(str(ir.keep(pd.DataFrame(rows), max_error=0.1)).split())
    assert (
        f"about {85 + more} labels would be enough with 80% probability for those with all" in said
    )
    assert "draw more questions at random, and label them" in said
    assert f"most={more}," in said


@pytest.fixture
def half(tmp_path: Path) -> str:
    """The rule that keeps half of 120 questions, all three votes, with at most 30% wrong."""
    file = tmp_path / "half.json"
    ir.keep(unanimous(60, 120, 120), save_rule=file, max_error=0.3)
    return str(file)


@pytest.mark.slow
def test_a_gate_holds_the_saved_rule(tmp_path: Path, half: str) -> None:
    """What the rule keeps, with its exact interval, where labels alone would keep all."""
    now = unanimous(66, 120)
    now.to_csv(tmp_path / "new.csv", index=False)
    right = now.assign(label="A")
    assert ir.keep(right).summary()["kept"][0] == 1
    ends = beta.ppf(0.025, 66, 55), beta.ppf(0.975, 67, 54)
    asked = ((now.drop(columns="label"), 0.66, "fails"), (right, 0.44, "passes"))
    for frame, limit, result in asked:
        found = ir.gate(frame, rule=half, least={"kept": limit})
        (one,) = found.checks
        assert (one["requirement"], one["result"]) == (f"kept by the rule >= {limit}", result)
        assert (one["value"], *one["value_interval"]) == pytest.approx((66 / 120, *ends))
        assert "kept by the rule in 55% [46, 64]" in str(found)
    assert "0 of 66 kept verdicts with a label are wrong: agrees" in " ".join(str(found).split())
    limits = ("--rule", half, "--min", "kept=.4", "--min", "agreement=.1")
    done = invoke("gate", tmp_path / "new.csv", *limits, "--format", "json")
    first, last = json.loads(done.stdout)["rows"]
    assert (first["requirement"], last["value"]) == ("agreement >= 0.1", 66 / 120)


@pytest.mark.slow
def test_a_gate_by_a_rule_never_passes_against_its_labels(tmp_path: Path, half: str) -> None:
    """By the rule's own limit of errors: labels that contradict it fail, another share is open."""
    new = tmp_path / "new.csv"
    asked = ("gate", new, "--rule", half, "--min", "kept=.3")
    of_30 = unanimous(60, 120, 120)
    for wrong, code in ((18, 0), (30, 1)):  # 30% is allowed
        alike = of_30.groupby("question")["verdict"].transform("nunique") == 1
        few = of_30["question"].isin(of_30.loc[alike, "question"].unique()[:wrong])
        of_30.assign(label=of_30["label"].mask(few, "B")).to_csv(new, index=False)
        done = invoke(*asked)
        said = " ".join(done.stdout.split())
        assert done.exit_code == code
        assert f"{wrong} of 60 kept verdicts with a label are wrong" in said
        assert ("The gate fails: 30 of 60" in said) == (code == 1)
        assert ("which contradicts the rule" in said) == (code == 1)
    unanimous(110, 120).drop(columns="label").to_csv(new, index=False)
    done = invoke(*asked)
    said = " ".join(done.stdout.split())
    assert done.exit_code == 3
    assert "was made of, 50% had all 3 votes alike, and 92% of these" in said
    assert f"inspect-reliability keep {new} --rule {half}" in done.stdout.replace("\n", "")


@pytest.mark.slow
def test_a_gate_holds_the_rule_of_a_cascade(tmp_path: Path) -> None:
    """One check of all its judges, of the share that `keep` says."""
    both = pd.concat([unanimous(k, 100, 100).assign(judge=j) for k, j in ((50, "a"), (90, "b"))])
    both["label"] = "A"
    made = tmp_path / "both.json"
    ir.keep(both, cascade=["a", "b"], save_rule=made)
    kept = ir.keep(both.drop(columns="label"), rule=made).summary()["kept"][0]
    table = ir.gate(both.drop(columns="label"), rule=made, least={"kept": 0.5}).summary()
    assert (table["judge"][0], table["value"][0], len(table)) == ("a, b", kept, 1)


@pytest.mark.slow
def test_a_saved_reading_reads_a_month_without_its_labels(tmp_path: Path, rule: str) -> None:
    """The column of labels may be gone, and is named; another one, or a typed one, may not."""
    own = {"question": "Vorgang", "verdict": "Note KI", "label": "Note Mensch"}
    full = month(2).rename(columns=own)
    columns = {yours: ours for ours, yours in own.items()}
    saved, new = tmp_path / "reading.yaml", tmp_path / "new.csv"
    saved.write_text(json.dumps({"columns": columns}), encoding="utf-8")
    full.drop(columns="Note Mensch").to_csv(new, index=False)
    full.to_csv(tmp_path / "old.csv", index=False)
    read = ("--reading", saved)
    done = invoke("keep", new, "--rule", rule, *read, "--format", "json")
    assert done.exit_code == 0, done.output
    (one,) = json.loads(done.stdout)["keep"]
    alone = ir.keep(month(2).drop(columns="label"), rule=rule)
    assert one["kept"] == alone.summary()["kept"][0] > 0
    told = "column 'Note Mensch' of the reading is not there: nothing in this file is labelled"
    assert told in " ".join(done.stderr.split())
    both = invoke("compare", tmp_path / "old.csv", new, *read)
    assert both.exit_code == 0, both.output
    assert told not in " ".join(invoke("keep", tmp_path / "old.csv", *read).stderr.split())
    typed = invoke("read", new, *read, "--column", "Note Mensch=label")
    assert "has no column 'Note Mensch'" in " ".join(typed.stderr.split())
    full.drop(columns="Note KI").to_csv(new, index=False)
    other = invoke("read", new, *read)
    assert "has no column 'Note KI'" in " ".join(other.stderr.split())
