"""One verdict in many spellings, and many that are not one."""

import json
import random
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from commands import invoke
from inspect_reliability import analyse
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.given_labels import labelled_judgments
from inspect_reliability.judgments.labels import with_labels
from inspect_reliability.judgments.reading import Reading
from inspect_reliability.judgments.sources import judgments_from, judgments_from_frame
from inspect_reliability.judgments.table import Judgments
from inspect_reliability.verdicts import NON_RESPONSE


def read(verdicts: list[object], **columns: object) -> Judgments:
    frame = pd.DataFrame({"question": range(len(verdicts)), **columns})
    return judgments_from_frame(frame.assign(verdict=pd.Series(verdicts, dtype=object)))


NUMBERS = list(map(str, range(1, 11))) * 2


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        (["first", " first ", "First", "FIRST", "fir\u200bst"], ["first"] * 5),
        (["1.0", 1, 1.0, "1", "1.00"], ["1"] * 5),
        ([True, "True", "TRUE", "true", False], ["true"] * 4 + ["false"]),
        (["A", "a", "b", "a"], ["a", "a", "b", "a"]),
        (["Stra\u00dfe", "STRASSE", "Stra\u00dfe"], ["Stra\u00dfe"] * 3),
        (["A", "", None, "n/a"], ["A", *["non-response"] * 3]),
        ([f"{n}/10" for n in NUMBERS], NUMBERS),
        ([f"Score: {n}" for n in NUMBERS], NUMBERS),
        ([f"Rating: [[{n}]]" for n in NUMBERS], NUMBERS),
        ([f"{n} out of 10" for n in NUMBERS], NUMBERS),
        ([f"{n},5" for n in NUMBERS], [f"{n}.5" for n in NUMBERS]),
        ([*NUMBERS, "refused"], [*NUMBERS, "non-response"]),
        ([*NUMBERS, "tie"], [*NUMBERS, "tie"]),
        # What is no scale stays as it is.
        (["1", "2", "1/2"] * 4, ["1", "2", "1/2"] * 4),
        (["1,2", "1,3", "2,3"] * 4, ["1,2", "1,3", "2,3"] * 4),
        (["1/3", "2/5", "4/7"] * 4, ["1/3", "2/5", "4/7"] * 4),
        (["Response 1", "Response 2", "Response 3"], ["Response 1", "Response 2", "Response 3"]),
    ],
)
def test_each_verdict_has_one_spelling(given: list[object], taken: list[str]) -> None:
    """And a note counts what was written otherwise than as plain text or a number."""
    found = read(given)
    assert found.table["verdict"].tolist() == taken
    plain = {str(one).lower() if isinstance(one, bool) else str(one) for one in given}
    if plain == {*taken}:
        assert not found.notes


def test_spellings_that_are_declared_stay_apart() -> None:
    """One that is declared is taken, and two that are stay two."""
    assert read(["a", "a", "A"], categories=[("A", "B")] * 3).table["verdict"].tolist() == ["A"] * 3
    both = read(["a", "a", "A"], categories=[("a", "A")] * 3)
    assert both.table["verdict"].tolist() == ["a", "a", "A"]


def test_a_label_is_no_spelling_of_a_response() -> None:
    """A is the option shown first, whatever response is called a."""
    found = read(["A", "B", "A"], order=[("b", "a"), ("a", "b"), ("b", "a")])
    assert found.table["verdict"].tolist() == ["A", "B", "A"]


def test_labels_are_written_as_verdicts_are() -> None:
    """A label of 7/10 is the verdict 7."""
    found = read([f"{n}/10" for n in NUMBERS], label=[f"Score: {n}" for n in NUMBERS])
    assert found.table["label"].tolist() == found.table["verdict"].tolist()


def test_one_judge_of_words_leaves_another_its_numbers() -> None:
    """Each judge has a scale of its own."""
    for words in (["good"], ["1", "2", "garbage"]):
        found = read([*NUMBERS, *words], judge=["x"] * 20 + ["y"] * len(words))
        assert found.table["verdict"].tolist() == [*NUMBERS, *words]
        assert not found.asked


@pytest.mark.parametrize("mark", [",0", "%", "/5"])
def test_judges_that_use_some_grades_of_a_scale_share_it(mark: str) -> None:
    """One that says two of the numbers says them as numbers, and labels are those of all."""
    said = ["1", "2", "3", "2"], ["3", "1", "3", "1"]
    rows = [
        {"question": n, "judge": judge, "verdict": one + mark, "label": said[0][n] + mark}
        for judge, own in zip("xy", said, strict=True)
        for n, one in enumerate(own)
    ]
    table = with_labels(judgments_from_frame(pd.DataFrame(rows))).table
    assert table["verdict"].tolist() == [*said[0], *said[1]]
    assert table["label"].tolist() == [*said[0], *said[0]]


def test_files_agree_on_spellings(tmp_path: Path) -> None:
    """The most frequent spelling of all files together is that of each."""
    draws = random.Random(1).choices(["yes", "Yes", "no", "NO"], [5, 3, 3, 5], k=60)
    frame = pd.DataFrame({"question": range(60), "replication": 1, "verdict": draws})
    for name, rows in (("a", frame[:50]), ("b", frame[50:])):
        rows.to_csv(tmp_path / f"{name}.csv", index=False)
    found = judgments_from([tmp_path / "a.csv", tmp_path / "b.csv"])
    often = {one: Counter(draws)[one] for one in ("yes", "NO")}
    assert {*found.table["verdict"]} == {*often}


@pytest.mark.parametrize("name", ["spaces", "mixedcase", "slash10", "scoretext", "fewtext"])
def test_files_as_people_have_them(data: Path, name: str) -> None:
    """Three names, or ten numbers; what was changed is noted."""
    path = data / "doors" / f"{name}.csv"
    if not path.exists():
        pytest.skip(f"needs {path}")
    found = judgments_from(str(path))
    given = {*found.table["verdict"]} - {"non-response"}
    assert given == {"first", "second", "tie"} or {*map(float, given)} <= {*map(float, NUMBERS)}
    assert found.notes


def test_empty_verdicts_are_non_responses(data: Path) -> None:
    """Forty percent of a file's verdicts are empty."""
    path = data / "doors" / "empty40.csv"
    if not path.exists():
        pytest.skip(f"needs {path}")
    table = judgments_from(str(path)).table
    empty = pd.read_csv(path, dtype=str)["verdict"].isna().mean()
    assert (table["verdict"] == "non-response").mean() == empty
    assert empty == pytest.approx(0.4, abs=0.05)


SENTENCES = ["I cannot decide.", "I\u2019m sorry, I can\u2019t help.", "The answer is (B)."]


@pytest.mark.slow
@pytest.mark.parametrize("mark", ["({})", "{}", "[[{}]]"])
def test_sentences_among_short_verdicts_are_asked_about_once(mark: str) -> None:
    """Counted by hand: the first choice gives the verdict that one names, the second three more."""
    short = [mark.format("A")] * 30 + [mark.format("B")] * 24
    said = [*short, *SENTENCES, *SENTENCES[:2]]
    found = read([*said, *said], judge=["x"] * len(said) + ["y"] * len(said))
    [note] = found.asked
    assert note.count == 10
    none, own = (
        judgments_from_frame(
            pd.DataFrame({"question": range(len(said)), "verdict": said}),
            reading=Reading(map=choice.entries["map"]),
        )
        for choice in note.choices
    )
    for one in (none, own):
        assert not one.asked
    named = mark.format("B")
    assert Counter(none.table["verdict"]) == Counter([*short, named, *["non-response"] * 4])
    assert Counter(own.table["verdict"]) == Counter(said)


@pytest.mark.parametrize(
    ("given", "columns"),
    [
        (["It is right."] * 20 + ["It is wrong."] * 15 + ["I am not sure."], {}),
        (["A"] * 20 + ["B"] * 15 + ["Neither of them"], {"label": ["Neither of them"] * 36}),
        ([f"topic {n}" for n in range(40)] + ["news of the world"], {}),
        (["A"] * 20 + ["B"] * 15 + ["cannot tell"], {}),
    ],
)
def test_sentences_are_verdicts_where_usual_verdicts_or_labels_are(
    given: list[str], columns: dict[str, list[str]]
) -> None:
    """Nothing is asked, and each stays as it is."""
    found = read([*given], **columns)
    assert not found.asked
    assert found.table["verdict"].tolist() == given


def test_sentences_that_all_differ_are_read() -> None:
    """None of them can be a verdict that is given again; a note says what was taken for what."""
    sorry = [f"Sorry, I cannot judge item {n}." for n in range(10)]
    named = [f"I would choose B for item {n}." for n in range(10)]
    found = read([*"AB" * 20, *sorry, *named])
    assert not found.asked
    assert Counter(found.table["verdict"]) == {"A": 20, "B": 30, "non-response": 10}
    [note] = found.notes
    assert note.count == 20


@pytest.mark.slow
@pytest.mark.parametrize(
    ("short", "phrase"),
    [
        (["sehr gut", "Sehr gut", "sehr  gut", "gut"], "gut bis sehr gut"),
        (["yes", "no", "YES"], "yes and no"),
        ([*"AB" * 30, *(f"topic{n}" for n in range(30))], "news of the world"),
    ],
)
def test_a_phrase_beside_verdicts_in_several_spellings_is_asked_about(
    short: list[str], phrase: str
) -> None:
    """Spellings are one verdict, and the phrase names several or none: no verdict, or its own."""
    found = read([*short * 9, phrase])
    assert found.table["verdict"].nunique() == len(
        {" ".join(one.lower().split()) for one in [*short, phrase]}
    )
    [note] = found.asked
    assert [one.entries["map"] for one in note.choices] == [
        {phrase: "non-response"},
        {phrase: phrase},
    ]


@pytest.mark.slow
def test_a_number_that_another_judge_calls_a_tie_is_asked_about(tmp_path: Path) -> None:
    """Counted by pandas: the first proposal makes 0 the other's Tie, the second keeps grades."""
    generator = np.random.default_rng(3)
    label = generator.choice(["0", "1", "2"], 60)
    parts = [
        pd.DataFrame({"judge": judge, "question": range(60), "label": label}).assign(
            verdict=np.where(generator.random(60) < share, label, "1")
        )
        for judge, share in (("numbers", 0.9), ("words", 0.6))
    ]
    parts[1]["verdict"] = parts[1]["verdict"].replace("0", "Tie")
    table = pd.concat(parts)
    table.to_csv(tmp_path / "both.csv", index=False)
    refused = invoke("report", tmp_path / "both.csv")
    assert refused.exit_code == 2
    said = " ".join(refused.stderr.split())
    assert "'words' judged the same questions, says 'Tie' and never '0'" in said
    names, grades = re.findall(r"^  (--map .*)$", refused.stderr, re.MULTILINE)
    found = invoke("report", tmp_path / "both.csv", *names.split(), "--format", "json")
    named = table[["verdict", "label"]].replace("0", "Tie")
    right = (named["verdict"] == named["label"]).groupby(table["judge"]).mean()
    rows = {one["judge"]: one for one in json.loads(found.stdout)["validity"]}
    for judge in ("numbers", "words"):
        assert rows[judge]["accuracy"] == pytest.approx(right[judge])
        assert rows[judge]["within_one"] is None
    kept = invoke("report", tmp_path / "both.csv", *grades.split(), "--format", "json")
    [one] = [of for of in json.loads(kept.stdout)["validity"] if of["judge"] == "numbers"]
    assert one["within_one"] is not None
    parts[0].to_csv(tmp_path / "alone.csv", index=False)  # nothing contradicts it
    assert not judgments_from(tmp_path / "alone.csv").asked
    parts[1].to_csv(tmp_path / "alone.csv", index=False)
    assert "options:0,1,2,Tie" in invoke("report", tmp_path / "alone.csv").stderr


def chosen(tie: str = "tie", most: int = 3, labelled: bool = True) -> pd.DataFrame:
    """Verdicts that are numbers of options, with a tie in 15%, beside the right option."""
    rng = np.random.default_rng(6)
    right = np.repeat(rng.integers(most + 1, size=60), 3)
    said = np.where(rng.random(180) < 0.7, right, rng.integers(most + 1, size=180)).astype(str)
    said[: most + 1] = range(most + 1)
    verdict = np.where(rng.random(180) < 0.15, tie, said.astype(object))
    frame = pd.DataFrame({"question": np.repeat(range(60), 3), "verdict": verdict})
    return frame.assign(label=right.astype(str)) if labelled else frame


@pytest.mark.slow
def test_numbers_beside_a_tie_are_grades_or_options() -> None:
    """As options, right and undecided are counts by hand, and nothing is near; as grades it is."""
    frame = chosen()
    [note] = judgments_from_frame(frame).asked
    options, grades = (Reading(**one.entries) for one in note.choices)
    assert (options.read_as, grades.read_as) == ("options:0,1,2,3,tie", "scale:0-3")
    with pytest.raises(UserError, match="options:0,1,2,3,tie"):
        analyse(frame)
    for own in (frame, frame.assign(verdict=frame["verdict"].map(as_in_excel))):
        [one] = analyse(own, reading=options).results["validity"]
        right, tied = frame["verdict"] == frame["label"], frame["verdict"] == "tie"
        assert one["accuracy"] == pytest.approx(right.mean())
        assert one["undecided"] == pytest.approx(tied.mean())
        assert one["within_one"] is None
    read = judgments_from_frame(frame, reading=grades)
    assert read.table["verdict"].tolist() == frame["verdict"].replace("tie", NON_RESPONSE).tolist()
    [one] = analyse(frame, reading=grades).results["validity"]
    near = (
        read.table["verdict"].replace(NON_RESPONSE, "9").astype(int) - frame["label"].astype(int)
    ).abs() <= 1
    assert one["within_one"] == pytest.approx(near.mean())


@pytest.mark.slow
def test_a_scale_that_may_be_options_says_how_to_say_so() -> None:
    """In Python as an argument, which labels in a series take as well; nothing then is near."""
    frame = chosen(tie="0")
    labels = frame.groupby("question")["label"].first()
    found = analyse(frame.drop(columns="label"), labels=labels)
    [said] = found.frame("validity")["cautions"]
    call = 'ir.Reading(read_as="options:0,1,2,3")'
    assert f"reading={call}" in said
    assert "--" not in said
    for form, near in (("options:0,1,2,3", False), ("scale:0-3", True)):
        reading = Reading(read_as=form)
        [one] = analyse(frame.drop(columns="label"), labels=labels, reading=reading).results[
            "validity"
        ]
        assert (one["within_one"] is not None) == near
        assert not one["cautions"]


def of_few_questions(most: int, right: str | None = None) -> pd.DataFrame:
    """The first 15 questions of verdicts up to `most`, whose labels go to 3 or are all the same."""
    frame = chosen(most=most)[:45]
    return frame.assign(label=right or np.repeat(np.arange(15) % 4, 3).astype(str))


@pytest.mark.slow
@pytest.mark.parametrize(
    "frame", [of_few_questions(3), of_few_questions(1), of_few_questions(3, right="0")]
)
def test_few_questions_are_asked_about_too(frame: pd.DataFrame) -> None:
    """Few labels may all be alike by chance, and a judge may not choose every option."""
    [note] = judgments_from_frame(frame).asked
    assert note.choices[0].entries == {"read_as": "options:0,1,2,3,tie"}
    [found] = analyse(frame, reading=Reading(read_as="options:0,1,2,3,tie")).results["validity"]
    assert found["within_one"] is None


def as_in_excel(verdict: str) -> object:
    """A number as a spreadsheet has it."""
    return verdict if verdict == "tie" else float(verdict)


@pytest.mark.slow
@pytest.mark.parametrize("tie", ["Tie (both bad)", "none", "tie"])
def test_what_no_grade_has_beside_it_is_asked_about(tie: str) -> None:
    """Whatever its name."""
    assert judgments_from_frame(chosen(tie)).asked


@pytest.mark.slow
@pytest.mark.parametrize("tie", ["Draw", "none"])
def test_what_no_grade_has_beside_it_is_asked_about_in_other_ways(tie: str) -> None:
    """Also where it is said to be no verdict, and where labels come in a file of their own."""
    frame, labels = chosen(tie, labelled=False), chosen(tie).groupby("question")["label"].first()
    if tie != "none":  # which is a failed call among grades
        assert not judgments_from_frame(frame).asked  # nothing can be near
    assert judgments_from_frame(frame, reading=Reading(map={tie: "non-response"})).asked
    with pytest.raises(UserError, match="options:0,1,2,3"):
        labelled_judgments(frame, labels)


@pytest.mark.parametrize(
    "frame",
    [
        *(
            chosen(one)
            for one in ("N/A", "unknown", "refused", "unsure", "None", "ERROR", "abstain")
        ),
        chosen(most=20),
        chosen(most=1),
        chosen().rename(columns={"label": "best"}),
        chosen().assign(label="0"),
        chosen().assign(categories=[("0", "1", "2", "3", "tie")] * 180),
    ],
)
def test_numbers_that_mean_one_thing_are_not_asked_about(frame: pd.DataFrame) -> None:
    """Grades beside abstentions and failures, many numbers, and options that are known."""
    assert not [one for one in judgments_from_frame(frame).asked if "options" in one.what]


@pytest.mark.parametrize(
    ("own", "other", "meant"),
    [
        ("123", "ABC", "ABC"),
        ("012", "ABC", "ABC"),
        ("012", ["A", "B", "tie"], ["tie", "A", "B"]),
        ("123", ["[[A]]", "[[B]]", "tie"], ["[[A]]", "[[B]]", "tie"]),
        ("12", "ABC", "AB"),
        ("01", ["yes", "no"], ["no", "yes"]),
        (["lose", "win"], ["Response 2", "Response 1"], None),
        (["lose", "win"], ["fail", "pass"], ["fail", "pass"]),
        ("123", ["pass", "fail"], None),
        (list(map(str, range(1, 11))), "ABCDE", None),
    ],
)
def test_judges_that_share_no_verdict_are_asked_about(
    own: list[str], other: list[str], meant: list[str] | None
) -> None:
    """By hand: the first choice renames the verdicts of one, the second changes nothing."""
    rows = [
        {"question": f"q{n}", "judge": judge, "verdict": names[(n + k) % len(names)]}
        for n in range(30)
        for judge, names, k in (("own", own, 0), ("other", other, 1), ("third", own, 2))
    ]
    frame = pd.DataFrame(rows)
    found = judgments_from_frame(frame)
    if meant is None:
        assert not found.asked
        return
    [note] = found.asked
    same, others = (
        judgments_from_frame(frame, reading=Reading(map=one.entries["map"])) for one in note.choices
    )
    names = dict(zip(own, meant, strict=True))
    assert note.choices[0].entries["map"] == names
    for one, expected in ((same, frame["verdict"].replace(names)), (others, frame["verdict"])):
        assert not one.asked
        assert one.table["verdict"].tolist() == expected.tolist()
    apart = frame.assign(question=frame["judge"] + frame["question"])
    assert not judgments_from_frame(apart).asked  # of other questions


@pytest.mark.slow
def test_two_files_that_share_no_verdict_are_asked_about(tmp_path: Path) -> None:
    """And under the same names both are as often right, as they are."""
    for name, letters in (("letters", "ABC"), ("numbers", "123")):
        rows = [
            (f"q{n}", letters[(n * n + t) % 3], "ABC"[n * n % 3])
            for n in range(30)
            for t in (0, 0, 1)
        ]
        frame = pd.DataFrame(rows, columns=["question", "verdict", "label"])
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    files = tmp_path / "letters.csv", tmp_path / "numbers.csv"
    refused = invoke("compare", *files)
    assert refused.exit_code == 2
    assert "are 1, 2, 3" in refused.stderr
    names, apart = re.findall(r"^  (--map .*)$", refused.stderr, re.MULTILINE)
    found = json.loads(invoke("compare", *files, *names.split(), "--format", "json").stdout)
    [one] = [of for of in found["rows"] if of["coefficient"] == "accuracy"]
    assert one["difference"] == 0
    assert invoke("compare", *files, *apart.split()).exit_code == 0
