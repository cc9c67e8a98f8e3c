"""Rows that repeat a question, and what tells them apart."""

import re
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from commands import invoke
from inspect_reliability import analyse, judgments_from_file, judgments_from_frame
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.reading import Code
from inspect_reliability.judgments.sources import judgments_from


def verdicts(n: int) -> "np.ndarray":
    return np.random.default_rng(5).choice(["yes", "no"], n)


def two(column: str, levels: tuple[object, ...] = ("anna", "bert"), **more: object) -> pd.DataFrame:
    """Forty questions with two tries of each level of a column."""
    cells = list(product(range(40), levels, (0, 1)))
    frame = pd.DataFrame(cells, columns=["question", column, "_"]).drop(columns="_")
    return frame.assign(verdict=verdicts(len(frame)), **more)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "ours"),
    [("worker", "judge"), ("prompt_style", "wording")],
)
def test_a_column_that_tells_repeats_apart_must_be_explained(column: str, ours: str) -> None:
    """Until one call is chosen the row has no value; after it the column is read, or left out."""
    frame = two(column)
    [open_] = judgments_from_frame(frame).asked
    assert open_.calls == (f"columns={{'{column}': '{ours}'}}", f"columns={{'{column}': 'unused'}}")
    with pytest.raises(UserError, match="Choose"):
        analyse(frame)
    read = judgments_from_frame(frame, {column: ours})
    assert sorted(row.group[ours] for row in analyse(read).rows) == ["anna", "bert"]
    assert not judgments_from_frame(frame, {column: "unused"}).asked
    # Who groups by the column has said what tells rows apart.
    assert analyse(frame, by=column).frame("rows")["omega"].notna().tolist() == [True, True]


@pytest.mark.parametrize(
    ("column", "more", "call"),
    [
        ("shown_first", {}, {"shown_first": "order"}),
        ("is_swapped", {"label": ["yes", "yes", "no", "no"] * 40}, {"is_swapped": "order"}),
        ("rubric", {"label": ["yes", "yes", "no", "no"] * 40}, {"rubric": "scorer"}),
        ("who", {}, {"who": "judge"}),
        ("template", {}, {"template": "wording"}),
        ("turn", {}, {"turn+question": "question"}),
        ("model", {}, {"model": "judge"}),
        ("model", {"judge": "x"}, {"model": "output"}),
        ("generator", {}, {"generator": "output"}),
        ("response", {}, {"response": "output"}),
    ],
)
def test_what_a_column_may_be_follows_from_its_name(
    column: str, more: dict[str, object], call: dict[str, str]
) -> None:
    """The call beside "unused" is what people mean by such a name."""
    [open_] = judgments_from_frame(two(column, **more)).asked
    assert open_.calls[0] == f"columns={call}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "column"), [({}, "file"), ({"model": "x"}, "model"), ({"judge": "x"}, None)]
)
def test_files_that_name_no_judge_may_be_of_one_each(
    tmp_path: Path, more: dict[str, str], column: str | None
) -> None:
    """A file's name, or what differs between files, tells repeats apart like any column."""
    both = two("worker")
    files = [str(tmp_path / f"{name}.csv") for name in ("anna", "bert")]
    for n, file in enumerate(files):
        own = {name: f"{value}{n}" for name, value in more.items()}
        both[n * 2 :: 4].drop(columns="worker").assign(**own).to_csv(file, index=False)
    found = judgments_from(files)
    assert [one.column for one in found.asked] == [column] * bool(column)
    if column:
        apart = judgments_from(files, {column: "judge"})
        assert not apart.asked
        assert apart.table["judge"].nunique() == 2
        assert not judgments_from(files, {column: "unused", "file": "unused"}).asked
    assert not judgments_from([files[0], files[0]]).asked


@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "levels", "ways"),
    [
        ("Reihenfolge", ("AB", "BA"), []),
        ("pos", (1, 2), ["order", "unused"]),
        ("first", ("A", "B"), ["order", "judge", "unused"]),
        ("first", ("anna", "bert"), ["judge", "unused"]),
    ],
)
def test_a_column_beside_verdicts_on_two_places_may_be_their_order(
    column: str, levels: tuple[object, ...], ways: list[str]
) -> None:
    """AB and BA are orders; what else may be one is asked, and the call is read."""
    rows = two(column, levels)
    rows["verdict"] = rows["verdict"].map({"yes": "A", "no": "B"})
    [asked] = judgments_from_frame(rows).asked
    if not ways:
        assert asked.code is Code.ORDERS_OPEN
    else:
        assert [one.entries["columns"][column] for one in asked.choices] == ways


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "seeds", "calls"),
    [
        (("v_temp0.5", "v_temp1.0"), True, ["file=temperature", "file=time", "file=unused"]),
        (("v_T05", "v_T1"), False, ["file=temperature", "file=time", "file=unused"]),
        (("monday", "friday"), True, ["file=time", "file=judge", "file=unused"]),
        (("monday", "friday"), False, []),
        (("a_T1", "b_T0"), False, []),
    ],
)
def test_files_may_be_of_other_temperatures_or_runs(
    tmp_path: Path, names: tuple[str, str], seeds: bool, calls: list[str]
) -> None:
    """By their names, or by other verdicts under the same seeds; each call that is offered runs."""
    both = two("worker").assign(judge="x", seed=[0, 1] * 80)
    files = [str(tmp_path / f"{name}.csv") for name in names]
    for file, (_, own) in zip(files, both.groupby("worker"), strict=True):
        own.drop(columns=["worker", *(["seed"] * (not seeds))]).to_csv(file, index=False)
    asked = judgments_from(files).asked
    assert [one for note in asked for one in note.calls] == [f"--column {call}" for call in calls]
    for name, ours in (call.split("=") for call in calls):
        found = judgments_from(files, {name: ours})
        assert not found.asked
        if ours == "temperature":
            assert {*found.table[ours]} == {0.5, 1.0}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "of", "more"),
    [
        (["run_1", "run_2"], "replication", {}),
        (["first", "again"], "replication", {"judge": "x"}),
        (["gpt-4", "claude-3"], "judge", {}),
        (["gpt4", "gpt5"], "judge", {}),
        (["judge_1", "judge_2"], "judge", {}),
    ],
)
def test_several_columns_may_be_verdicts(names: list[str], of: str, more: dict[str, str]) -> None:
    """A row a question is read as a row a verdict; an error names the columns that are alike."""
    said = verdicts(80)
    levels = [1, 2] if of == "replication" else names
    rows = pd.DataFrame(list(product(range(40), levels)), columns=["question", of])
    wide = pd.DataFrame({"question": range(40), names[0]: said[::2], names[1]: said[1::2]})
    columns = dict.fromkeys(names, "verdict")
    found = judgments_from_frame(wide.assign(gold="yes", **more), columns).table
    expected = judgments_from_frame(rows.assign(gold="yes", verdict=said, **more)).table
    pd.testing.assert_frame_equal(found, expected)
    asked = columns | {"gold": "label"}
    with pytest.raises(UserError, match=re.escape(f": columns={asked}.")):
        judgments_from_frame(wide.assign(gold="yes", response_a="no", response_b="yes", **more))
    with pytest.raises(UserError, match="given one name"):
        judgments_from_frame(wide.assign(judge="x", scorer="y", replication=1), columns)


@pytest.mark.slow
def test_some_cells_may_lack_a_level() -> None:
    """95% of the cells are enough, and fewer are not."""
    frame = two("worker")
    lacking = [frame.drop(frame.index[: 4 * n : 4]) for n in (1, 8)]
    assert [bool(judgments_from_frame(one).asked) for one in lacking] == [True, False]


@pytest.mark.parametrize(
    ("column", "levels"),
    [
        ("score", (0, 1)),
        ("human_grade", ("good", "bad")),
        ("n_tokens", (10, 20)),
        ("day", ("monday", "friday")),
        ("created_at", ("2024-01-01", "2024-01-02")),
        ("weight", (0.25, 0.5)),
        ("note", ("a long text " * 6, "another text " * 6)),
    ],
)
def test_outcomes_scores_counts_times_and_texts_tell_nothing_apart(
    column: str, levels: tuple[object, ...]
) -> None:
    """Such columns are no condition of a judgment: their rows are replications."""
    assert not judgments_from_frame(two(column, levels)).asked


@pytest.mark.slow
def test_judges_of_their_own_keep_their_names() -> None:
    """Beside a judge column with several judges, the other column is joined to it."""
    frame = pd.concat([two("worker", judge=name) for name in ("x", "y")])
    [open_] = judgments_from_frame(frame).asked
    assert open_.calls[0] == "columns={'worker+judge': 'judge'}"
    assert len(analyse(judgments_from_frame(frame, {"worker+judge": "judge"})).rows) == 4


@pytest.mark.slow
def test_ids_that_start_again_are_joined_with_what_tells_them_apart() -> None:
    """Items of several subsets with ids of their own are questions of their own."""
    sizes = {"a": 40, "b": 25, "c": 12}
    cells = [(s, n, j) for s, size in sizes.items() for n in range(size) for j in "xy"]
    frame = pd.DataFrame(cells, columns=["subset", "index", "judge"])
    frame = frame.assign(verdict=verdicts(len(frame)))
    [open_] = judgments_from_frame(frame, {"index": "question"}).asked
    assert open_.calls[0] == "columns={'subset+index': 'question'}"
    read = judgments_from_frame(frame, {"subset+index": "question"})
    assert read.table["question"].nunique() == sum(sizes.values())
    assert not read.asked


@pytest.mark.slow
@pytest.mark.parametrize("named", ["rater", "annotator", None])
def test_rows_of_several_raters_are_one_verdict(named: str | None) -> None:
    """A verdict in one row a rater is given once, with several labels."""
    rng = np.random.default_rng(2)
    said, labels = verdicts(30), rng.choice(["yes", "no"], (30, 3))
    rows = [(q, said[q], f"person {r}", labels[q, r]) for q in range(30) for r in range(3)]
    frame = pd.DataFrame(rows, columns=["question", "verdict", named or "_", "label"])
    read = judgments_from_frame(frame if named else frame.drop(columns="_"))
    assert len(read) == 30
    assert [list(one) for one in read.table["label"]] == labels.tolist()
    wide = pd.DataFrame({"question": range(30), "verdict": said, "label": labels.tolist()})
    [one], [other] = (analyse(given).results["validity"] for given in (read, wide))
    assert one == other
    if not named:  # as pandas merges labels of some questions, by question
        more = [*frame.drop(columns="_").to_numpy(), *([n, "yes", None] for n in range(30, 35))]
        merged = judgments_from_frame(pd.DataFrame(more, columns=["question", "verdict", "label"]))
        assert merged.table["label"].notna().sum() == 30
        assert len(merged) == 35


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "says", "code"),
    [
        (
            "llmbar_colliding",
            "--column subset+question=question column 'subset' is the question: ",
            2,
        ),
        ("mtbench_colliding", "x 12 tries", 2),
        ("pandalm_raters_long", "3,996 rows with another label of a verdict", 0),
        ("pandalm_evaluator", "column 'evaluator' taken for 'judge'", 0),
    ],
)
def test_files_as_people_have_them(
    data: Path, tmp_path: Path, name: str, says: str, code: int
) -> None:
    """The line before the answer says what repeats, and how to say what it is."""
    file = data / f"doors/{name}.csv"
    tie = ["--map", "0=Tie"] if name.startswith("pandalm") else []
    if name == "llmbar_colliding":  # a row in seven shows it
        pd.read_csv(file, dtype=str)[::7].to_csv(file := tmp_path / file.name, index=False)
    run = invoke("report", file, *tie)
    assert says in " ".join(run.stderr.split())
    assert run.exit_code == code


@pytest.mark.slow
def test_raters_of_pandalm_leave_its_judges_with_one_verdict_each(data: Path) -> None:
    """Three people's labels are no replications: 999 verdicts of each judge."""
    table = judgments_from_file(data / "doors/pandalm_raters_long.csv").table
    assert table.groupby("judge").size().tolist() == [999, 999]
    assert table["replication"].max() == 1
    assert {len(one) for one in table["label"]} == {3}


@pytest.mark.slow
def test_documents_of_a_query_are_what_is_judged() -> None:
    """Thousands of items, a few on each question and the same for each judge, are asked about."""
    rows = [
        {"judge": judge, "question": f"q{q}", "passage": f"p{60 * q + k}"}
        for judge in "xyz"
        for q in range(5)
        for k in range(60)
    ]
    frame = pd.DataFrame(rows).assign(verdict=verdicts(len(rows)))
    [open_] = judgments_from_frame(frame).asked
    assert open_.calls[0] == "columns={'passage+question': 'question'}"
    read = judgments_from_frame(frame, {"passage+question": "question"})
    assert read.table["question"].nunique() == 300


def test_a_question_about_repeats_stands_alone() -> None:
    """Where a column may tell the repeats of a replication apart, no note says it again."""
    rows = [(q, v, k, "AB"[(q + v * k) % 2]) for q in range(9) for v in (1, 2) for k in (1, 2, 3)]
    frame = pd.DataFrame(rows, columns=["question", "prompt_version", "replication", "verdict"])
    read = judgments_from_frame(frame)
    assert "prompt_version" in str(read.asked)
    assert len(read.asked) == 1


@pytest.mark.slow
@pytest.mark.parametrize("counted", [False, True])
def test_outputs_under_one_number_are_no_tries(
    counted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Grades of three responses, each with tries 1 and 2, are not six tries, of any size."""
    if counted:
        for module in ("deduplication", "sources"):
            monkeypatch.setattr(f"inspect_reliability.judgments.{module}.BATCH", 100)
    cells = pd.DataFrame(
        [*product(range(40), range(3), (1, 2))], columns=["question", "response", "replication"]
    )
    draws = np.random.default_rng(3)
    level = draws.integers(1, 9, (40, 3))[cells["question"], cells["response"]]
    frame = cells.assign(verdict=level + draws.integers(0, 2, len(cells)))
    path = tmp_path / "grades.csv"
    frame.to_csv(path, index=False)
    [open_] = judgments_from_file(path).asked
    outputs, tries = (way.entries for way in open_.choices)
    assert outputs["columns"] == {"response": "output"}
    known = judgments_from_file(path, outputs["columns"])
    assert not known.asked
    table = known.table
    assert table["sample"].nunique() == 40
    assert table["question"].nunique() == 120
    read = judgments_from_file(path, tries["columns"])
    assert not read.asked
    assert read.table["question"].nunique() == 40


def test_what_a_judge_said_does_not_tell_its_tries_apart() -> None:
    """Two tries that say yes and no on few questions do so by accident; on many, half say both."""
    few = pd.DataFrame({"question": [0, 0, 1, 1], "verdict": list("abab"), "answer": list("ynyn")})
    assert not judgments_from_frame(few).asked
    many = two("_")[["question", "verdict"]]
    many["answer"] = np.random.default_rng(0).choice(["yes", "no"], len(many))
    assert not judgments_from_frame(many).asked


def under(column: str, levels: tuple[str, ...], tries: tuple[int, ...] = (0, 1)) -> pd.DataFrame:
    """Forty questions with numbered tries under each level, the second level without the last."""
    cells = [(q, level, k) for q, level, k in product(range(40), levels, tries)]
    frame = pd.DataFrame(cells, columns=["question", column, "try"]).assign(verdict="x")
    frame["verdict"] = verdicts(len(frame))
    return frame.drop(frame.index[(frame[column] == levels[1]) & (frame["try"] == tries[-1])])


@pytest.mark.slow
@pytest.mark.parametrize("numbers", ["repeat", "run on", "none"])
def test_prompts_that_questions_share_are_wordings(numbers: str) -> None:
    """Verdicts under prompts v1 and v2 are not pooled unless told, however tries are numbered."""
    frame = under("prompt", ("v1", "v2"))
    if numbers == "run on":
        frame["try"] = frame.groupby("question").cumcount()
    elif numbers == "none":
        del frame["try"]
    [open_] = judgments_from_frame(frame).asked
    pooled = {"prompt": "unused", **({"try": "unused"} if numbers == "repeat" else {})}
    assert [way.entries["columns"] for way in open_.choices] == [{"prompt": "wording"}, pooled]
    for entries in ({"prompt": "wording"}, pooled):
        assert not judgments_from_frame(frame, entries).asked
    with pytest.raises(UserError, match="Choose"):
        analyse(frame)
    apart = analyse(frame, by="prompt").rows
    assert [len(row.asked) for row in apart] == frame["prompt"].value_counts(sort=False).tolist()


def test_a_prompt_that_is_the_text_of_its_question_tells_nothing_apart() -> None:
    """Texts differ from question to question, also where a question has several."""
    frame = under("prompt", ("v1", "v2"))
    own = frame["prompt"] + " of " + frame["question"].map(str)
    assert not judgments_from_frame(frame.assign(prompt=own)).asked
    assert not judgments_from_frame(
        frame.assign(prompt=frame["question"].map("ask {}".format))[frame["prompt"] == "v1"]
    ).asked


@pytest.mark.slow
@pytest.mark.parametrize("column", ["date", "started_on"])
def test_numbers_that_repeat_on_another_day_offer_the_time(column: str) -> None:
    """Tries 0 and 1 of two days are those of two times; `by=` says so as well."""
    frame = under(column, ("2026-01-05", "2026-02-05"))
    [open_] = judgments_from_frame(frame).asked
    time, pooled = (way.entries["columns"] for way in open_.choices)
    assert (time, pooled) == ({column: "time"}, {column: "unused", "try": "unused"})
    assert [row.group["time"] for row in analyse(frame, columns=time).rows] == [
        "2026-01-05",
        "2026-02-05",
    ]
    assert len(analyse(frame, by=column).rows) == 2
    each = frame[column] + " at " + frame.index.map(str)  # a stamp of each row
    [again] = judgments_from_frame(frame.assign(**{column: each})).asked
    assert [way.entries["columns"] for way in again.choices][-1] == {"try": "unused"}


@pytest.mark.slow
def test_versions_whose_tries_are_numbered_on_are_asked_about() -> None:
    """Tries 1 to 3 of one version and 4 to 6 of the next are not six tries of one judge."""
    cells = [(q, r, ("v1", "v2")[r > 3]) for q in range(30) for r in range(1, 7)]
    frame = pd.DataFrame(cells, columns=["question", "replication", "version"])
    frame["verdict"] = verdicts(len(frame))
    [open_] = judgments_from_frame(frame).asked
    assert [way.entries["columns"] for way in open_.choices] == [
        {"version": "judge"},
        {"version": "unused"},
    ]
    for way in open_.choices:
        assert not judgments_from_frame(frame, way.entries["columns"]).asked
    assert not judgments_from_frame(frame.assign(version="v1")).asked
    each = frame.assign(version=frame["replication"].map("call {}".format))
    assert not judgments_from_frame(each).asked, "a name of each try"
    some = frame.assign(version=np.random.default_rng(1).choice(["a", "b"], len(frame)))
    assert not judgments_from_frame(some).asked, "what differs by chance"


@pytest.mark.parametrize("cell", [np.array, lambda tries: [*map(np.int64, tries)]])
def test_tries_in_a_cell_may_be_arrays(cell: Callable[[list[int]], Any], tmp_path: Path) -> None:
    """As parquet and groups of pandas give them; labels of several people, too."""
    tries = {"a": [5, 4, 4], "b": [1, 1, 2], "c": [3, 3, 3]}
    known = [(q, k, str(one)) for q in tries for k, one in enumerate(tries[q], 1)]
    frame = pd.DataFrame({"question": [*tries], "verdict": [cell(tries[q]) for q in tries]})
    frame["label"] = [cell([1, 2])] * 3
    frame.to_parquet(tmp_path / "lists.parquet")
    for given in (frame, tmp_path / "lists.parquet"):
        table = judgments_from(given).table
        rows = table[["question", "replication", "verdict"]].itertuples(index=False, name=None)
        assert [*rows] == known
        assert {*table["label"]} == {("1", "2")}
