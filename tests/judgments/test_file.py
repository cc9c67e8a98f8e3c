"""Files of judgments, and frames that are none."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow.parquet import write_table

import example_logs
from commands import invoke, results
from example_judgments import made
from inspect_reliability.answers import analyse
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.reading import Reading
from inspect_reliability.judgments.sources import (
    judgments_from,
    judgments_from_file,
    judgments_from_frame,
)


def rows(*arguments: str | Path) -> list[dict[str, Any]]:
    return list(results("report", *arguments)["rows"])


@pytest.mark.slow
def test_semicolons_separate_as_commas_do(tmp_path: Path) -> None:
    """Many spreadsheets write semicolons into a CSV; the judgments are the same."""
    lines = ["question,verdict", *(f"q{k % 5},{'AB'[k % 2]}" for k in range(15))]
    (tmp_path / "commas.csv").write_text("\n".join(lines))
    (tmp_path / "semicolons.csv").write_text("\n".join(lines).replace(",", ";"))
    assert rows(tmp_path / "commas.csv") == rows(tmp_path / "semicolons.csv")


@pytest.mark.slow
def test_a_file_says_what_its_logs_said(tmp_path: Path) -> None:
    """What a report saves as judgments is read back as the same judgments, in every form."""
    example_logs.judged(tmp_path / "logs", order="reshuffled")
    example_logs.foreign(tmp_path / "logs")
    expected = rows(tmp_path / "logs", "--tables", tmp_path)
    table = pd.read_parquet(tmp_path / "judgments.parquet")
    table.to_json(tmp_path / "judgments.jsonl", orient="records", lines=True)
    for ending in ("csv", "jsonl", "parquet"):
        found = analyse(judgments_from(tmp_path / f"judgments.{ending}")).results["rows"]
        assert json.loads(json.dumps(found)) == expected, ending


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_columns_are_named_on_the_command_line(tmp_path: Path, ending: str) -> None:
    """A column of another name is what the user says, also where a column has that name."""
    frame = pd.DataFrame(
        {
            "passage": ["001", "001", "002", "002"],
            "question": "all the same",
            "grade": [3, None, 1, 3],
            "day": ["monday", "friday", "monday", "friday"],
        }
    )
    path = tmp_path / f"grades.{ending}"
    if ending == "csv":
        frame.to_csv(path, index=False)
    elif ending == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path)
    found = judgments_from_file(path, {"passage": "question", "grade": "verdict"})
    assert found.table["question"].tolist() == ["001", "001", "002", "002"]
    assert found.table["verdict"].tolist() == ["3", "non-response", "1", "3"]
    assert {str(note).removeprefix(f"{path}: ") for note in found.notes} == {
        "1 verdict that is empty or a mark such as NA taken for non-responses: "
        "calls that failed, or answers without a verdict "
        "(--map non-response=failed-call leaves them out)",
        "1 column 'question' replaced by one that you named",
    }
    called = {"passage": "question", "grade": "verdict"}
    reading = Reading(map={"non-response": "failed-call"})
    bare = judgments_from_file(path, called, reading=reading)
    assert bare.table["verdict"].tolist() == ["3", "1", "3"]
    assert "1 calls that failed left out: they are no answers of the judge" in str(bare.notes[-1])
    labelled = frame.assign(grade=[3, 3, 1, 1], label=[3, 3, "ERROR", "ERROR"])
    analysis = analyse(labelled, columns=called, reading=Reading(map={"ERROR": "failed-call"}))
    assert analysis.results["validity"][0]["n_labelled"] == 1
    columns = ["--column", "passage=question", "--column", "grade=verdict"]
    if ending == "csv":
        for command in ("plan", "card"):
            assert invoke(command, path, *columns).exit_code == 0
        assert invoke("gate", path, *columns, "--min", "omega=0").exit_code == 3
    assert [row["day"] for row in rows(path, *columns, "--facet", "day")] == ["friday", "monday"]


def test_what_a_file_lacks_is_named(tmp_path: Path) -> None:
    """The columns that are missing, those that were found, and the option that says which is."""
    path = tmp_path / "grades.csv"
    path.write_text("passage,grade\n1,2\n")
    result = invoke("report", path)
    assert result.exit_code == 2
    assert "no column 'question' (found 'passage', 'grade')" in result.stderr
    assert "--column YOURS=OURS" in result.stderr
    assert "no column 'pasage'" in invoke("report", path, "--column", "pasage=question").stderr
    assert "YOURS=OURS" in invoke("report", path, "--column", "passage").stderr
    assert "--column is for files" in invoke("report", tmp_path, "--column", "a=b").stderr
    both = ["--column", "passage=question", "--column", "grade=verdict"]
    assert "no column 'mood'" in invoke("report", path, *both, "--facet", "mood").stderr


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", ""),
        ("a.csv", "question,verdict\n1,2,3\n"),
        ("a.csv", "question,question,verdict\n1,1,2\n"),
        ("a.csv", "\0\0"),
        ("a.jsonl", ""),
        ("a.jsonl", "[1]"),
        ("a.jsonl", '{"question": "q"'),
        ("a.parquet", "no parquet"),
    ],
)
def test_files_that_are_none(tmp_path: Path, name: str, content: str) -> None:
    """Each is refused in a line that names it."""
    path = tmp_path / name
    path.write_text(content)
    result = invoke("report", path)
    assert result.exit_code == 2
    assert str(path) in result.stderr


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"share": ["half"]}, "'share': 'half' is not a number"),
        ({"share": [1.5]}, "'share': 1.5 is not"),
        ({"temperature": ["T=0.2"]}, "'T=0.2' is not a number. Write the number alone, or"),
        ({"share": [-1]}, "'share': -1 is not a number from 0 to 1"),
        ({"scorer": [["a", "b"]]}, "'scorer': .'a', 'b'. is not a text"),
        ({"prompt": [{"a": 1}]}, "'prompt': {'a': 1} is not a text"),
        ({"temperature": [10**400]}, "'temperature': 1000.* is not a number"),
        ({"replication": [1.5]}, "'replication': 1.5 is not a whole number"),
        ({"replication": [10**25]}, "'replication': 1000.* is not a whole number below"),
        ({"seed": [2**63]}, "'seed': 9223372036854775808 is not a whole number below"),
        ({"replication": [None]}, "'replication': a value is missing"),
        ({"tail": ["perhaps"]}, "'tail': 'perhaps' is not true or false"),
        ({"order": [["a"]]}, "'order': .'a'. is not a list of names"),
        ({"categories": ["A, B"]}, "'categories': 'A, B' is not a list of names"),
        ({"categories": [["A", "A"]]}, "row 1, column 'categories': .* each of them once"),
        ({"share": [0.5], "tail": [3]}, "row 1, column 'tail': 3 is not true or false"),
    ],
)
def test_values_of_another_kind_are_refused(columns: dict[str, Any], message: str) -> None:
    """By column and value, in words."""
    frame = pd.DataFrame({"question": ["q"], "verdict": ["A"], **columns}, dtype=object)
    with pytest.raises(UserError, match=message):
        judgments_from_frame(frame)


def test_shares_of_more_than_one_name_their_question() -> None:
    """Those of several judges or replications are several distributions."""
    cells = [(q, verdict) for q in "pq" for verdict in "ABAB"]
    frame = pd.DataFrame(cells, columns=["question", "verdict"])
    frame["share"] = [0.5, 0.5, 0.25, 0.75, 0.5, 0.5, 0.5, 0.75]
    with pytest.raises(UserError, match=r"data frame: the shares of question 'p' are 2 in all"):
        judgments_from_frame(frame)
    judges = frame.assign(judge=list("xxyy") * 2)
    with pytest.raises(UserError, match=r"question 'q' are 1\.25 in all"):
        judgments_from_frame(judges)
    assert len(judgments_from_frame(judges[:-2])) == 6


def test_a_json_list_is_read(tmp_path: Path) -> None:
    """A list of rows is one file of judgments, and no broken log."""
    path = tmp_path / "a.json"
    path.write_text('[{"question": "q", "verdict": "A"}, {"question": "q", "verdict": "B"}]')
    found = judgments_from(str(path))
    assert found.table["verdict"].tolist() == ["A", "B"]
    path.write_text('["A"]')
    with pytest.raises(UserError, match=r"a\.json, item 1: expected an object, found text"):
        judgments_from(str(path))


def test_columns_with_one_name_are_refused(tmp_path: Path) -> None:
    """Nobody could tell which of them is meant."""
    twins = pa.Table.from_arrays([pa.array(["q"])] * 3, names=["question", "question", "verdict"])
    write_table(twins, tmp_path / "twins.parquet")
    with pytest.raises(UserError, match=r"twins\.parquet: duplicate column 'question'"):
        judgments_from(str(tmp_path / "twins.parquet"))
    frame = pd.DataFrame([["q", "r", "A"]], columns=["question", "question", "verdict"])
    with pytest.raises(UserError, match="duplicate column 'question'"):
        judgments_from_frame(frame)
    levels = pd.MultiIndex.from_tuples([("a", "question"), ("a", "verdict")])
    with pytest.raises(UserError, match="no column 'question' and no column 'verdict'"):
        judgments_from_frame(pd.DataFrame([["q", "A"]], columns=levels))
    frame = pd.DataFrame([["q", "r", "A"]], columns=["id", "name", "verdict"])
    with pytest.raises(UserError, match="two columns were given one name"):
        judgments_from_frame(frame, {"id": "question", "name": "question"})


def test_lists_in_a_column_of_ones_own_can_be_grouped_by() -> None:
    """They are kept as text, as in logs."""
    frame = pd.DataFrame({"question": ["q", "q"], "verdict": ["A", "B"], "tags": [["x"], ["x"]]})
    (row,) = analyse(judgments_from_frame(frame), ["tags"]).rows
    assert row.group == {"tags": '["x"]'}


def test_several_outputs_belong_to_their_question() -> None:
    """Each is judged on its own, and intervals are over questions."""
    table = made(questions=10, replications=4).table
    question = table["question"].str[1:].astype(int)
    frame = table.drop(columns=["order"]).assign(question=question // 2, output=question % 2)
    (row,) = analyse(judgments_from_frame(frame)).rows
    assert (len(row.counts.questions), row.counts.n_clusters) == (10, 5)


def test_an_order_with_a_name_leaves_verdicts_as_they_are() -> None:
    """Where verdicts name responses, their order is a facet that shares a row."""
    draws = [(o, v) for o in ("given", "swapped") for v in "ABB"]
    frame = pd.DataFrame(draws * 2, columns=["order", "verdict"])
    frame["question"] = ["p"] * 6 + ["q"] * 6
    judgments = judgments_from_frame(frame, swap=False)
    assert judgments.table["replication"].tolist() == [1, 2, 3] * 4
    (row,) = analyse(judgments).rows
    assert (row.record["n_replications"], row.counts.categories) == (6, ("A", "B"))
