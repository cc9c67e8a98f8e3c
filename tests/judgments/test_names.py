"""Which column is which, and what is said of it."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pytest

from inspect_reliability.errors import UserError
from inspect_reliability.judgments.other_names import same_in
from inspect_reliability.judgments.pairs import PLACES
from inspect_reliability.judgments.sources import judgments_from_file, judgments_from_frame
from inspect_reliability.judgments.table import Judgments


def read(header: str, columns: Mapping[str, str] | None = None, **given: object) -> Judgments:
    """Judgments of two judges, two questions and two tries under these column names."""
    judge, question, number, verdict = header.split("|")
    cells = [(j, q, n) for j in "xy" for q in ("p", "q") for n in (1, 2)]
    frame = pd.DataFrame(cells, columns=[judge, question, number])
    return judgments_from_frame(frame.assign(**{verdict: list("ABBBAAAB")}, **given), columns)


@pytest.mark.parametrize("words", PLACES[2:], ids="/".join)
def test_words_of_places_are_asked_about_beside_letters_of_another_judge(
    words: tuple[str, str],
) -> None:
    """In each language that names places elsewhere, one judge may say so what another letters."""
    first, second = (one.capitalize() for one in words)
    meant = same_in({first, second, "tie"}, {"A", "B"})
    assert meant == {first: "A", second: "B"}


OURS = read("judge|question|replication|verdict")


@pytest.mark.parametrize(
    "header",
    [
        " judge|Question|REPLICATION|verdict ",
        "Judge|question\u200b|\ufeffreplication|ver\u00addict",
        "judge\xa0|questi\u200don|Replication|Verdict",
        "evaluator|question_id|run|score",
        "grader|Prompt ID|try|winner",
        "judge-model|item|epoch|Judge Rating",
        "Grader Model|id|Trial|llm_judgement",
        "grader|pair|try|winner",
        "grader|pair_id|try|winner",
        "evaluatorName|questionId|iteration|preference",
    ],
)
def test_names_that_mean_ours_are_taken_and_announced(header: str) -> None:
    """Whatever a judgment's columns are called, the table is the same, and a note names each."""
    found = read(header)
    pd.testing.assert_frame_equal(found.table, OURS.table)
    ours = ("judge", "question", "replication", "verdict")
    given = dict(zip(header.split("|"), ours, strict=True))
    said = {f"column {y!r} taken for '{o}'" for y, o in given.items() if y != o}
    assert {note.what for note in found.notes} == said


def test_our_exact_name_wins() -> None:
    """Beside it, a near-miss and a usual name are columns of the user's own."""
    more = {"Judge": "z", "grader": "z", "score": range(8), "run": 1, "prompt_id": "one"}
    found = read("judge|question|replication|verdict", **more)
    assert not found.notes
    pd.testing.assert_frame_equal(found.table.drop(columns=more), OURS.table)


def test_several_candidates_are_never_guessed_in_silence() -> None:
    """Two near-misses are refused; of two usual names one is taken, and the other's call given."""
    with pytest.raises(UserError, match="'Judge' and ' judge' could each be 'judge'"):
        read("Judge|question|replication|verdict", **{" judge": "z"})
    found = read("judge|question|replication|score", rating=list("BABABABA"))
    pd.testing.assert_frame_equal(found.table.drop(columns="rating"), OURS.table)
    assert "columns={'rating': 'verdict'}" in " ".join(note.what for note in found.notes)


def test_a_bare_name_is_a_label_where_it_has_verdicts() -> None:
    """A right answer is none; who labels is a rater only beside labels."""
    for name, values, taken in (
        ("gold", "ABABABAB", True),
        ("Ground Truth", ["42", "Paris"] * 4, False),
    ):
        found = read("judge|question|replication|verdict", **{name: list(values)}, coder="ann")
        assert ("label" in found.table) == ("rater" in found.table) == taken
        assert len(found.notes) == 2 * taken


@pytest.mark.parametrize(
    ("verdicts", "gold", "calls"),
    [
        ([*"ABBA"], ["Alice", "Bob"], ["gold=label", "gold=unused"]),
        ([*"ABBA"], [*"AB"], []),
        (["6,5", "5,0", "5,0", "6,0"], ["5", "6"], []),
        ([*"ABBA"], ["x0", "y1"], []),
    ],
)
def test_a_column_of_labels_is_read_or_asked_about(
    verdicts: list[str], gold: list[str], calls: list[str]
) -> None:
    """Whether it has verdicts, the text of the right option, or names of its own."""
    rows = [(f"q{q}", verdicts[q % 4], gold[q % 2], f"x{q % 2}", f"y{q % 2}") for q in range(20)]
    frame = pd.DataFrame(rows, columns=["question", "verdict", "gold", "option_A", "option_B"])
    found = judgments_from_frame(frame)
    columns = [{call.split("=")[0]: call.split("=")[1]} for call in calls]
    assert [f"columns={one}" for one in columns] == [c for note in found.asked for c in note.calls]
    if not calls:
        assert {*found.table["label"]} == {"A", "B"} if gold != ["5", "6"] else {"5", "6"}


@pytest.mark.slow
def test_what_each_row_has_anew_is_no_question_verdict_or_replication() -> None:
    """A row's number, a text and a time stamp are passed over for what fits."""
    each = {"id": range(8), "judgment": [f"Because {n}" for n in range(8)]}
    found = read("judge|query|replication|vote", **each)
    pd.testing.assert_frame_equal(found.table.drop(columns=["id", "judgment"]), OURS.table)
    once = pd.DataFrame({"qid": range(8), "prompt": "v2", "verdict": [*"ABABABAA"]})
    assert judgments_from_frame(once).table["question"].nunique() == 8
    counted = read("judge|question|n|verdict", run=range(100, 108))
    assert counted.table["replication"].tolist() == [1, 2] * 4


@pytest.mark.parametrize(
    ("names", "numbers"),
    [
        (["run-7", "run 12"], [7, 12]),
        (["2026-01-08", "2026-01-03"], [8, 3]),
        (["r1", "s1"], [1, 2]),
        (["morning", "evening"], [2, 1]),
        ([True, False], [2, 1]),
    ],
)
def test_replications_under_names_are_numbered(names: list[object], numbers: list[int]) -> None:
    """By the number that each ends in, if these differ, else from A to Z; a note says so."""
    found = read("judge|question|n|verdict", {"run": "replication"}, run=names * 4)
    assert found.table["replication"].tolist() == numbers * 4
    (note,) = found.notes
    assert f"as {str(names[0])!r} for {numbers[0]}" in note.what
    assert note.count == 8


def test_a_column_can_be_left_out() -> None:
    """`unused` takes it away, whatever its name."""
    found = read("judge|question|worker|verdict", {"worker": "unused", "judge": "unused"})
    assert "worker" not in found.table
    assert found.table["judge"].isna().all()
    assert found.table["replication"].tolist() == [1, 2, 1, 2, 3, 4, 3, 4]


def test_columns_are_joined_into_one() -> None:
    """Each pair of values is one name, and no two pairs are the same one."""
    pairs = [("a, b", "c"), ("a", "b, c"), ("a", "b"), ("'a", "b"), (1.0, 2)]
    frame = pd.DataFrame(pairs, columns=["set", "index"], dtype=object).assign(verdict="A")
    for ours in ("question", "output"):
        other = {} if ours == "question" else {"question": "q"}
        found = judgments_from_frame(frame.assign(**other), {"set+index": ours}).table
        assert found["question"].nunique() == len(pairs)
    assert found["output"].tolist()[-1] == "1, 2"
    outputs = frame.rename(columns={"set": "question", "index": "output"})
    assert judgments_from_frame(outputs).table["question"].nunique() == len(pairs)
    with pytest.raises(UserError, match="no column 'number'"):
        judgments_from_frame(frame, {"set+number": "question"})


def test_a_name_that_is_not_ours_is_refused() -> None:
    """With those that are."""
    with pytest.raises(UserError, match=r"'judgee' is no column of ours.*judge, benchmark"):
        read("evaluator|question|replication|verdict", {"evaluator": "judgee"})


@pytest.mark.slow
def test_an_index_with_a_name_is_a_column(tmp_path: Path) -> None:
    """Judges in the index of a frame, or of a parquet file, are judges."""
    frame = OURS.table[["judge", "question", "replication", "verdict"]]
    unnamed = frame.set_axis(frame.index[::-1] + 3)
    for given in (frame.set_index("judge"), frame.set_index(["judge", "question"]), unnamed):
        given.to_parquet(tmp_path / "a.parquet")
        for found in (judgments_from_frame(given), judgments_from_file(tmp_path / "a.parquet")):
            pd.testing.assert_frame_equal(found.table, OURS.table)


@pytest.mark.slow
def test_texts_of_right_answers_become_labels_by_the_texts_of_options() -> None:
    """A note says so of a column that has another text for each question, and it holds."""
    rows = [(f"q{n // 2}", "AB"[n % 3 % 2], f"town {n // 2}") for n in range(40)]
    frame = pd.DataFrame(rows, columns=["question", "verdict", "gold"])
    found = judgments_from_frame(frame)
    (note,) = (one for one in found.notes if "'gold'" in one.what)
    assert "option_A and option_B" in note.what
    assert not found.asked
    assert "label" not in found.table
    options = frame.assign(option_A=frame["gold"], option_B="none of them")
    assert {*judgments_from_frame(options).table["label"]} == {"A"}
    same = frame.assign(gold=frame["question"].map(lambda one: "AB"[int(one[1:]) % 2]))
    assert not any("'gold', such" in one.what for one in judgments_from_frame(same).notes)
