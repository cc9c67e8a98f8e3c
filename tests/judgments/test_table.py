"""Scores, data frames, and the table as counts."""

import random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from inspect_ai.scorer import Score

from inspect_reliability.errors import UserError
from inspect_reliability.judgments.columns import most_levels, numbers_of
from inspect_reliability.judgments.count import Judged, Judgment
from inspect_reliability.judgments.score import judgments_in
from inspect_reliability.judgments.sources import judgments_from_frame

LETTERS = tuple("ABCDE")
CATEGORIES = (*LETTERS, "non-response", "invalid")

PARTS = {"style": ["1", "2"], "facts": ["yes", "no"]}
NAMES = ["ann", "bob", "cy", "dee", "eve"]


def score(value: Any, sample: str = "q", **metadata: Any) -> list[Judgment]:
    return judgments_in(Score(value=value, metadata=metadata), sample, "s")


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        ("A", "A"),
        ("C", "C"),
        (True, "true"),
        (1, "1"),
        (1.0, "1"),
        (0.1, "0.1"),
        (-2, "-2"),
        (float("nan"), "non-response"),
        ([], None),
        (["spam", "rude"], "rude, spam"),
        (("rude", "spam", "rude"), "rude, spam"),
        (["a, b"], "'a, b'"),
        ([1, 0.5, 0], None),
        ([True], None),
        ("", ""),
    ],
)
def test_a_score_value_is_a_name(value: Any, verdict: str | None) -> None:
    """Verdicts are names whatever their type, and letters are never grades."""
    (found,) = score(value)
    assert found.verdict == verdict


def test_dict_scores_are_one_scorer_a_key() -> None:
    """A score of several parts is several judgments."""
    parts = score({"style": "good", "facts": 0})
    assert [(one.scorer, one.verdict) for one in parts] == [("s.style", "good"), ("s.facts", "0")]
    parts = score({"style": "1", "facts": "non-response"}, categories=PARTS, read_by="json")
    assert [one.categories for one in parts] == list(PARTS.values())
    assert [one.read_by for one in parts] == ["json", None]


def test_metadata_that_is_not_what_its_name_says_is_left_alone() -> None:
    """A foreign scorer's `replication` or `order` of another type breaks nothing."""
    (found,) = score("A", replication="first", order="up", question=7, verdict="B", responder=1)
    assert found == Judgment("q", "q", "s", "A")


def test_a_seed_without_a_replication_is_not_that_of_a_judgment() -> None:
    """Somebody's scorer may record the seed of its dataset."""
    assert score("A", seed=42)[0].seed is None
    assert score("A", seed=42, replication=3)[0].seed == 42


def judgments(order_of_replication: Any) -> list[Judgment]:
    found = []
    for question in ("p", "q"):
        for n in range(20):
            order = order_of_replication(n)
            favourite = order.index("cy")
            found.extend(
                score(
                    LETTERS[favourite],
                    question,
                    replication=n + 1,
                    order=order,
                    responder="cy",
                )
            )
    return found


def test_category_is_the_letter_while_the_order_is_held() -> None:
    """With the order held, K is the seven declared verdicts."""
    found = Judged.of(judgments(lambda n: NAMES)).counts()
    assert found.categories == CATEGORIES
    assert found.table[:, CATEGORIES.index("C")].tolist() == [20, 20]


def test_category_is_the_responder_where_the_order_varies() -> None:
    """A judge that follows one responder through all orders is perfectly steady."""
    found = Judged.of(judgments(lambda n: random.Random(n).sample(NAMES, 5))).counts()
    assert set(NAMES) < set(found.categories)
    assert found.table[:, found.categories.index("cy")].tolist() == [20, 20]


def test_a_tie_is_a_category_in_any_order() -> None:
    """What a judge can answer beside the options is a category, whether it occurs or not."""
    declared = ["A", "B", "tie", "non-response", "invalid"]
    given = [("A", ["x", "y"]), ("A", ["y", "x"]), ("tie", ["y", "x"])]
    for some in (given, given[:2]):
        found = [
            one
            for verdict, order in some
            for one in score(verdict, categories=declared, order=order)
        ]
        counts = Judged.of(found).counts()
        assert counts.categories == ("x", "y", "tie", "non-response", "invalid")
        assert counts.table.tolist() == [[1, 1, len(some) - 2, 0, 0]]


@pytest.mark.parametrize(
    ("given", "categories"),
    [
        ("C", "CI"),
        ("CPN", "CINP"),
        ("ABCD", "ABCD"),
        ("CD", "CD"),
        ("P", "P"),
        (["true"], ["true", "false"]),
        (["correct", "non-response"], ["correct", "incorrect", "non-response"]),
        (["true", "mostly true"], ["true", "false", "mostly true"]),
    ],
)
def test_a_grade_has_its_opposite_and_a_choice_has_none(given: Any, categories: Any) -> None:
    """Who gave a grade could have given the other; "C" beside "A" or "D" is an option."""
    found = Judged.of(one for verdict in given for one in score(verdict)).counts()
    assert found.categories == tuple(categories)


def test_foreign_verdicts_declare_themselves() -> None:
    """Where nothing is known of the verdicts, those that occur are the categories."""
    assert Judged.of(score("yes") + score("no")).counts().categories == ("no", "yes")


def matrix(table: pd.DataFrame) -> list[list[str | None]]:
    return Judged(table).matrix(list(table["verdict"])).tolist()


def test_matrix_keeps_replications_in_their_columns() -> None:
    """A judgment that is not there leaves its place empty; the later ones stay where they are."""
    frame = pd.DataFrame(
        {"question": list("pppqq"), "replication": [1, 2, 3, 3, 1], "verdict": list("ABCDE")}
    )
    table = judgments_from_frame(frame).table
    assert matrix(table) == [["A", "B", "C"], ["E", None, "D"]]


def test_matrix_has_a_row_a_question() -> None:
    """Replications stand in order, what is missing is None, repeated numbers are all kept."""
    table = judgments_from_frame(
        pd.DataFrame(
            {"question": list("qpqpq"), "replication": [2, 1, 1, 7, 2], "verdict": list("ABCDE")}
        )
    ).table
    assert matrix(table) == [["C", "A", "E"], ["B", "D", None]]


@pytest.mark.parametrize(
    "verdicts",
    [[1, 2], [1.0, 2.5], [True, False], ["a", None], np.array([1, 2]), pd.Categorical(["a", "b"])],
)
def test_frame_of_any_dtype(verdicts: Any) -> None:
    """A frame's verdicts are read as a score's values are."""
    frame = pd.DataFrame({"id": [3, 3], "verdict": verdicts})
    judgments = judgments_from_frame(frame, {"id": "question"}, judge="j", temperature=1e-17)
    given = [float("nan") if v is None else v for v in pd.Series(verdicts).astype(object)]
    expected = [score(v)[0].verdict for v in given]
    assert judgments.table["verdict"].tolist() == expected
    assert set(judgments.table["judge"]) == {"j"}
    assert set(judgments.table["temperature"]) == {0.0}
    assert judgments.table["question"].tolist() == ["3"] * len(expected)
    assert [note.count for note in judgments.notes] == ([1] if None in verdicts else [])


def reshuffled(**columns: Any) -> pd.DataFrame:
    frame = {"question": ["q", "q", "r", "r"], "verdict": ["A", "B", "B", "B"]}
    order = [("ann", "bob"), ("bob", "ann"), ("ann", "bob"), ("ann", "bob")]
    return pd.DataFrame(frame | {"order": order} | columns)


@pytest.mark.slow
def test_a_frame_of_reshuffled_orders_says_who_was_chosen() -> None:
    """The responder of a label is at its place in the order, whether or not a column says so."""
    chosen = ["ann", "ann", "bob", "bob"]
    for columns in (
        {},
        {"responder": chosen},
        {"verdict": ["1", "2", "2", "2"], "categories": [("1", "2")] * 4},
        {"order": [["ann", "bob"], ["bob", "ann"], ["ann", "bob"], ["ann", "bob"]]},
        {"order": list(np.array([["ann", "bob"], ["bob", "ann"], ["ann", "bob"], ["ann", "bob"]]))},
    ):
        table = judgments_from_frame(reshuffled(**columns)).table
        assert Judged(table).choices == chosen


@pytest.mark.parametrize("verdict", ["3", "C"])
def test_a_verdict_that_no_order_has_is_refused(verdict: str) -> None:
    """It could mean any option; the error says which column tells the labels."""
    with pytest.raises(UserError, match=f"1 verdicts, such as '{verdict}'.*'categories'"):
        judgments_from_frame(reshuffled(verdict=["A", "B", "B", verdict]))


def test_frame_counts_replications_up() -> None:
    """Rows of one question are its replications, within a judge and temperature."""
    frame = pd.DataFrame(
        {"question": ["q"] * 4, "verdict": list("ABAB"), "judge": ["x", "x", "y", "y"]}
    )
    assert judgments_from_frame(frame).table["replication"].tolist() == [1, 2, 1, 2]


@pytest.mark.parametrize(
    ("frame", "columns", "message"),
    [
        ({"verdict": ["A"]}, {}, "no column 'question'"),
        ({"question": ["q"], "verdict": ["A"]}, {"score": "verdict"}, "no column 'score'"),
        ({"question": ["q"], "verdict": [None]}, {}, "no row has a verdict"),
        ({"question": ["q"], "verdict": ["A"], "tokens": ["many"]}, {}, "'tokens': 'many' is not"),
        ({"question": ["q"], "verdict": ["A"], "order": [[1, 2]]}, {}, "is not a list of names"),
    ],
)
def test_frames_that_are_no_judgments(frame: Any, columns: Any, message: str) -> None:
    """What is missing is named."""
    with pytest.raises(UserError, match=message):
        judgments_from_frame(pd.DataFrame(frame), columns)


@pytest.mark.slow
def test_repeated_replications_are_noted() -> None:
    """Rows of one replication may be of two raters who were not told apart."""
    frame = pd.DataFrame({"question": ["q", "q"], "replication": [1, 1], "verdict": ["A", "B"]})
    (note,) = judgments_from_frame(frame).notes
    assert note.count == 1
    assert "repeat a replication of the same judge and question (q):" in note.what
    frame["verdict"] = "A"
    (note,) = judgments_from_frame(frame).notes
    assert "question (q), and are the same in every column: delete" in note.what
    assert judgments_from_frame(frame.assign(judge=["x", "y"])).notes == ()


def test_grouping_by_an_unknown_column() -> None:
    """The message lists the columns there are."""
    frame = pd.DataFrame({"question": ["q"], "verdict": ["A"], "mood": ["good"]})
    judgments = judgments_from_frame(frame)
    with pytest.raises(UserError, match=r"no column 'modo'.*mood"):
        list(judgments.groups(["modo"]))
    assert [group for group, _ in judgments.groups(["mood"])] == [{"mood": "good"}]


def test_counts_of_a_table_are_the_tally() -> None:
    """Counting through the table is counting."""
    chance = random.Random(0)
    drawn = [(chance.choice("pqr"), chance.choice("ABCDE")) for _ in range(500)]
    found = Judged.of(one for q, v in drawn for one in score(v, q)).counts()
    for i, question in enumerate(found.questions):
        for k, category in enumerate(found.categories):
            assert found.table[i, k] == drawn.count((question, category))
    frame = pd.DataFrame(drawn, columns=["question", "verdict"]).assign(benchmark="BBH")
    again = Judged(judgments_from_frame(frame).table).counts()
    assert (again.table == found.table).all()


def test_a_responder_that_is_a_number_is_a_name() -> None:
    """Names of judges, benchmarks and responders are texts, whatever type they come in."""
    frame = pd.DataFrame(
        {"question": ["q", "q"], "verdict": ["yes", "no"], "judge": 7, "responder": [7, 8]}
    )
    table = judgments_from_frame(frame).table
    assert table["judge"].tolist() == ["7", "7"]
    assert table["responder"].tolist() == ["7", "8"]
    mixed = pd.DataFrame(
        {"question": "q", "verdict": pd.Series([1, None, 1.0, True], dtype=object)}
    )
    mixed["responder"] = pd.Series([1, "1", 2.5, None], dtype=object)
    table = judgments_from_frame(mixed).table
    assert table["verdict"].tolist() == ["1", "non-response", "1", "true"]
    assert table["responder"].tolist() == ["1", "1", "2.5", None]


@pytest.mark.parametrize("seed", range(5))
def test_rows_are_numbered_as_pandas_groups_them(seed: int) -> None:
    """By first appearance, where missing values are equal; and so are different levels counted."""
    rng = random.Random(seed)
    values = [None, "a", float("nan"), 1, 1.0, "b", ("x", "y")]
    rows = [[rng.choice(values[: 2 * n + 1]) for n in range(4)] for _ in range(40)]
    for n in range(1, 5):
        frame = pd.DataFrame(rows, dtype=object)[[*range(n)]]
        grouped = frame.groupby([*frame], dropna=False, sort=False)
        number = numbers_of(*(frame[name] for name in frame))
        assert number.tolist() == grouped.ngroup().tolist()
        other = pd.Series([row[3] for row in rows], dtype=object)
        assert most_levels(other, number) == other.groupby(number).nunique(dropna=False).max()
    assert most_levels(other[:0], number[:0]) == 0
