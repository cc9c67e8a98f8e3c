"""The same judgments in every form in which people write them: the same numbers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from inspect_reliability import analyse, judgments_from_frame
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.reading import Code
from inspect_reliability.judgments.sources import judgments_from

QUESTIONS, TRIES = 12, 4


def grades() -> pd.DataFrame:
    """Grades from 3 to 9 of one judge, four tries each, one of them failed."""
    rng = np.random.default_rng(3)
    rows = [
        (f"q{q:02d}", r, str(int(np.clip(6 + q % 3 + rng.integers(-1, 2), 3, 9))))
        for q in range(QUESTIONS)
        for r in range(1, TRIES + 1)
    ]
    frame = pd.DataFrame(rows, columns=["question", "replication", "verdict"])
    frame.loc[5, "verdict"] = ""
    return frame


def words() -> pd.DataFrame:
    frame = grades()
    return frame.assign(verdict=frame["verdict"].map(lambda one: one and "yn"[int(one) % 2] + "es"))


def numbers_of(judgments: Any, **how: Any) -> dict[str, Any]:
    """The numbers of the one row of a report."""
    [row] = analyse(judgments, **how).results["rows"]
    names = ("n_questions", "agreement", "omega", "mean_difference", "non_response_rate")
    return {name: row[name] for name in names if name in row}


def each(frame: pd.DataFrame, write: Callable[[str, int], str]) -> pd.DataFrame:
    """The frame with its verdicts written otherwise, by their text and place."""
    said = [one and write(one, place) for place, one in enumerate(frame["verdict"])]
    return frame.assign(verdict=said)


GRADES: dict[str, Callable[[str, int], str]] = {
    "of ten": lambda one, _: f"{one}/10",
    "a sentence": lambda one, _: f"I give it {one} out of 10",
    "a label": lambda one, n: (f"Score: {one}", f"Rating: [[{one}]]", f"**{one}**")[n % 3],
    "a unit": lambda one, n: (f"{one} Punkte", f"Note: {one}", f"{one} von 10")[n % 3],
    "decimals": lambda one, n: (f"{one}.0", f"{one},0", one)[n % 3],
    "percent of ten": lambda one, n: f"{int(one) * 10}%" if n % 4 == 0 else f"{one}/10",
    "of five beside ten": lambda one, n: f"{int(one) / 2:g}/5" if n % 5 == 0 else f"{one}/10",
}
WORDS: dict[str, Callable[[str, int], str]] = {
    "case": lambda one, n: (one, one.upper(), one.title())[n % 3],
    "points": lambda one, n: (one, f"{one}.", f"{one}!", f' "{one}" ')[n % 4],
}
FAILURES = ("NA", "#NV", "error", "ERROR: 500", "[ERROR] 429 rate limit", "timeout", "parse_error")


@pytest.mark.parametrize("form", GRADES)
def test_a_grade_is_its_number(form: str) -> None:
    """However it is written, on the scale of most."""
    assert numbers_of(each(grades(), GRADES[form])) == pytest.approx(numbers_of(grades()))


@pytest.mark.parametrize("form", WORDS)
def test_a_word_has_one_spelling(form: str) -> None:
    """Case and marks around it say nothing."""
    assert numbers_of(each(words(), WORDS[form])) == pytest.approx(numbers_of(words()))


@pytest.mark.parametrize(
    ("failure", "made"), [*((one, grades) for one in FAILURES), (FAILURES[0], words)]
)
def test_a_failed_call_is_a_non_response(failure: str, made: Callable[[], pd.DataFrame]) -> None:
    """As an empty verdict is, in grades and in words."""
    frame = made()
    failed = frame.assign(verdict=frame["verdict"].replace("", failure))
    assert numbers_of(failed) == pytest.approx(numbers_of(frame))


@pytest.mark.parametrize("seed", range(3))
def test_no_number_depends_on_the_order_of_rows_and_columns(seed: int) -> None:
    """Nor on columns that mean nothing."""
    rng = np.random.default_rng(seed)
    frame = each(grades(), GRADES["a label"]).assign(note=lambda one: range(len(one)))
    shuffled = frame.sample(frac=1, random_state=seed)[[*rng.permutation([*frame])]]
    assert numbers_of(shuffled) == pytest.approx(numbers_of(grades()))


@pytest.mark.slow
def test_tables_of_other_shapes_say_the_same(tmp_path: Path) -> None:
    """A column a try, a list in a cell, nested fields, an object a line."""
    frame = words().assign(verdict=lambda one: one["verdict"].replace("", "error"))
    expected = numbers_of(frame)
    wide = frame.pivot(index="question", columns="replication", values="verdict")
    wide = wide.set_axis([f"run_{n}" for n in wide], axis=1).reset_index()
    columns = {f"run_{n}": "verdict" for n in range(1, TRIES + 1)}
    assert numbers_of(wide, columns=columns) == pytest.approx(expected)
    lists = frame.groupby("question")["verdict"].agg(list).reset_index()
    assert numbers_of(lists) == pytest.approx(expected)
    lists.assign(verdict=lists["verdict"].map(json.dumps)).to_csv(tmp_path / "l.csv", index=False)
    assert numbers_of([str(tmp_path / "l.csv")]) == pytest.approx(expected)
    rows = frame.to_dict("records")
    nested = [{"question": one["question"], "out": {"verdict": one["verdict"]}} for one in rows]
    (tmp_path / "n.json").write_text(json.dumps(nested))
    found = numbers_of([str(tmp_path / "n.json")], columns={"out.verdict": "verdict"})
    assert found == pytest.approx(expected)
    (tmp_path / "lines.json").write_text("\n".join(map(json.dumps, rows)))
    assert numbers_of([str(tmp_path / "lines.json")]) == pytest.approx(expected)


@pytest.mark.parametrize("form", ["{}.0", "{},0"])
def test_numbers_of_options_may_have_zeros_behind_a_point(form: str) -> None:
    """As pandas writes whole numbers beside an empty cell."""
    from inspect_reliability.judgments.reading import Reading

    frame = pd.DataFrame({"question": [*"pqr"], "verdict": map(form.format, (1, 2, 3))})
    found = judgments_from_frame(frame, reading=Reading(read_as="options:1,2,3"))
    assert [*found.table["verdict"]] == [*"123"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("write", "read_as"),
    [
        (lambda one: f"I thought long about item {hash(one)}. So [[{one}]]", "options:yes,nes"),
        (lambda one: json.dumps({"why": "long reasons are here", "verdict": one}), "json:verdict"),
        (lambda one: f"It is quite long.\nVERDICT={one};", r"pattern:VERDICT=(\w+);"),
    ],
)
def test_whole_outputs_are_read_as_said(write: Callable[[str], str], read_as: str) -> None:
    """By the parsers of a design; without a word they are asked about."""
    frame = words()
    texts = [one and f"{n}: {write(one)}" for n, one in enumerate(frame["verdict"])]
    outputs = frame.assign(verdict=texts)
    from inspect_reliability.judgments.reading import Reading

    assert numbers_of(outputs, reading=Reading(read_as=read_as)) == pytest.approx(numbers_of(frame))
    try:
        asked = [one.code for one in judgments_from_frame(outputs).asked]
    except UserError as error:  # nothing that was tried reads them
        asked = [Code.OUTPUTS_OPEN] if "read_as" in str(error) else []
    assert asked == [Code.OUTPUTS_OPEN]


def test_a_word_that_may_be_a_failure_is_asked_once_it_is_frequent() -> None:
    """And a rare one is a failure; beside its opposite it is a verdict."""
    frame = words().assign(verdict=lambda one: one["verdict"].replace("", "unknown"))
    assert not judgments_from_frame(frame).asked
    often = frame.assign(verdict=lambda one: one["verdict"].where(one.index % 5 > 0, "unknown"))
    [asked] = judgments_from_frame(often).asked
    assert asked.code is Code.FAILURES_OPEN
    tests = frame.assign(verdict=["passed", "failed"] * (len(frame) // 2))
    found = judgments_from_frame(tests)
    assert not found.asked
    assert {*found.table["verdict"]} == {"passed", "failed"}


@pytest.mark.parametrize(
    ("values", "asked"),
    [
        ([-1, 0, 1] * 16, False),
        ([1, 2, 3, 4, 5, -1] * 8, True),
        ([1, 2, 3, 4, 5, 999] * 8, True),
        ([0, 1, 2, 3, 4, 5] * 8, False),
        ([1, 3, 5, 7, 10, 8] * 8, False),
        ([999, *[1, 2, 3, 4, 5] * 10][:48], True),
        ([-1, *[1, 2, 3, 4, 5] * 10][:48], True),
        ([0, *[75, 80, 85, 90, 95, 100] * 8][:48], False),
        ([100, *[0, 10, 20, 30, 40, 45] * 8][:48], False),
        ([999, *[0, 7, 41, 78, 110, 157] * 8][:48], False),
        ([0, *[1, 2, 3, 4, 5] * 10][:48], True),
        ([0, *[2, 3, 4, 5] * 12][:48], True),
        ([0, 0, 0, 1, *[5] * 9, *[2, 3, 4] * 12][:48], False),
        ([0, 1, 1, 1, 2, 2, 2, 2, 2, 2, *[3] * 12, *[4] * 18, *[5] * 8], False),
        ([0, 1, 1, 1, 1, 1, *[2] * 25, *[3] * 17], False),
    ],
)
def test_a_number_outside_the_others_is_asked_about(values: list[int], asked: bool) -> None:
    """But a grade is none with grades between it and the others, nor once within their scale.

    A 0 is one where other grades of its question are low.
    """
    frame = grades().assign(verdict=values)
    found = [one.code for one in judgments_from_frame(frame).asked]
    assert found == [Code.OUTSIDE_OPEN] * asked


@pytest.mark.parametrize("column", ["label", "judge"])
def test_a_rare_zero_is_a_grade_where_labels_or_other_judges_show_it(column: str) -> None:
    """And else it is asked about."""
    frame = pd.DataFrame([(f"q{n}", 1 + n % 5) for n in range(60)], columns=["question", "verdict"])
    frame.loc[7, "verdict"] = 0
    assert [one.code for one in judgments_from_frame(frame).asked] == [Code.OUTSIDE_OPEN]
    if column == "label":
        frame["label"] = [n // 2 % 6 for n in range(60)]
    else:
        other = frame.assign(verdict=[n % 6 for n in range(60)], judge="b")
        frame = pd.concat([frame.assign(judge="a"), other], ignore_index=True)
    assert not judgments_from_frame(frame).asked


@pytest.mark.slow
@pytest.mark.parametrize("remark", ["{} (not sure at all, could be lower)", "{} leider"])
def test_a_grade_with_a_remark_is_asked_about_as_that_grade(remark: str) -> None:
    """It is no failed call unless its user says so; a range is no grade."""
    verdicts = [str(1 + n % 5) for n in range(48)]
    frame = grades().assign(verdict=[remark.format(4), *verdicts[1:]])
    (asked,) = judgments_from_frame(frame).asked
    assert asked.choices[0].entries == {"map": {remark.format(4): "4"}}
    (of_range,) = judgments_from_frame(frame.assign(verdict=["3-5", *verdicts[1:]])).asked
    assert "grade" not in of_range.choices[0].means


def test_logs_have_the_rules_of_files() -> None:
    """Scores of a log that are words have one spelling, and failures are non-responses."""
    door = Path(__file__).parent.parent / "doors" / "log_text_values.json"
    said = {*judgments_from([str(door)]).table["verdict"]}
    assert len(said) == 3
    assert "non-response" in said
