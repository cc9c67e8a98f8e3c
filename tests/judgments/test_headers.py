"""What stands between the names of the columns and the rows."""

from pathlib import Path

import openpyxl
import pandas as pd
import pytest

from inspect_reliability.errors import UserError
from inspect_reliability.judgments.reading import Reading
from inspect_reliability.judgments.rows import read_rows
from inspect_reliability.judgments.sources import judgments_from_file

NAMES = ["item", "gpt", "claude", "why"]
GRADES = [[f"q{n}", str(1 + n % 5), str(1 + n * n % 4), f"word {n * n} of it"] for n in range(12)]
COLUMNS = {"item": "question", "gpt": "verdict", "claude": "verdict"}
LONG = [[f"q{n // 4}", ("a", "b")[n % 2], "AB"[n % 3 % 2], "A"] for n in range(24)]
LONG_NAMES = ["question", "judge", "verdict", "label"]


def written(folder: Path, names: list[str], rows: list[list[str]]) -> Path:
    """A file of rows."""
    pd.DataFrame(rows, columns=names).to_csv(folder / "a.csv", index=False)
    return folder / "a.csv"


@pytest.mark.parametrize(
    "explained",
    [
        [["text", "(1-5)", "(1-5)", "n/a"]],
        [["", "1-5", "1-5", ""]],
        [["the question", "grade of one", "grade of another", "free text"]],
        [
            ["Response ID", "Rate it", "Rate it", ""],
            ['{"ImportId":"R"}', '{"I":"1"}', '{"I":"2"}', ""],
        ],
    ],
)
def test_units_and_explanations_are_no_judgments(
    explained: list[list[str]], tmp_path: Path
) -> None:
    """The rest is read as without them, and a note quotes them."""
    plain = judgments_from_file(written(tmp_path, NAMES, GRADES), COLUMNS)
    found = judgments_from_file(written(tmp_path, NAMES, explained + GRADES), COLUMNS)
    pd.testing.assert_frame_equal(found.table, plain.table)
    (note,) = set(found.notes) - set(plain.notes)
    assert note.count == len(explained)
    assert next(filter(None, explained[0])) in note.what
    assert "If they are judgments, move them to the end" in note.what


def test_explanations_over_rows_of_one_verdict_each(tmp_path: Path) -> None:
    """Names of judges and verdicts are known by what comes back."""
    explained = [["Id of the question", "Who judged", "What it said", "What is right"]]
    found = judgments_from_file(written(tmp_path, LONG_NAMES, explained + LONG))
    assert len(found.table) == len(LONG)
    assert {*found.table["judge"]} == {"a", "b"}


@pytest.mark.parametrize(
    "first",
    [
        ["q99", "n/a", "error", ""],
        ["q99", "Sorry, no", "overloaded", "busy"],
        ["q99", "10", "10", "other"],
        ["x1", "failed", "timeout", "the call failed"],
        ["the first", "5", "4", "a name in place of a number"],
    ],
)
def test_a_first_row_that_is_odd_is_a_row(first: list[str], tmp_path: Path) -> None:
    """Of failed calls, of grades that nothing else has, or with a name of another kind."""
    found = judgments_from_file(written(tmp_path, NAMES, [first, *GRADES]), COLUMNS)
    assert found.table["question"].nunique() == 13


def test_a_first_row_with_a_rare_verdict_is_a_row(tmp_path: Path) -> None:
    """Of a question that was judged once, by a judge that did nothing else."""
    rows = [["q99", "c", "tie", "A"], *LONG]
    assert len(judgments_from_file(written(tmp_path, LONG_NAMES, rows)).table) == len(rows)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([*GRADES[:6], ["Team B", "", "", ""], *GRADES[6:]], "headings or remarks: 'Team B'"),
        ([*GRADES, ["Quelle: Amt 3, März", "", "", ""]], "left out as headings or remarks"),
        (
            [*GRADES[:6], ["Team B", "", "", ""], *GRADES[6:], ["Summe", "30", "28", ""]],
            "headings or remarks: 'Team B'",
        ),
        ([*GRADES, ["Summe", "30", "28", ""]], "rows that sum up others left out: 'Summe'"),
        (
            [*GRADES, ["Ø gesamt", "3", "2", ""], ["Anzahl:", "12", "12", ""]],
            "'Ø gesamt', 'Anzahl:'",
        ),
    ],
)
def test_headings_remarks_and_totals_judge_nothing(
    rows: list[list[str]], says: str, tmp_path: Path
) -> None:
    """They are said; a row without any verdict stays, and so do questions called sum and mean."""
    plain = judgments_from_file(written(tmp_path, NAMES, GRADES), COLUMNS)
    found = judgments_from_file(written(tmp_path, NAMES, rows), COLUMNS)
    pd.testing.assert_frame_equal(found.table, plain.table)
    assert any(says in note.what for note in found.notes)
    failed = judgments_from_file(written(tmp_path, NAMES, [*GRADES, ["q99", "", "", ""]]), COLUMNS)
    assert failed.table["question"].nunique() == 13
    tasks = [[one, *row[1:]] for one, row in zip(["sum", "mean", "sort"], GRADES, strict=False)]
    named = judgments_from_file(written(tmp_path, NAMES, tasks), COLUMNS)
    assert {*named.table["question"]} == {"sum", "mean", "sort"}


@pytest.mark.parametrize("kinds", ["sum-{} max-{} sort-{}", "q{} sum"])
@pytest.mark.parametrize("verdicts", ["AB", "12"])
def test_questions_called_like_totals_are_judged(kinds: str, verdicts: str, tmp_path: Path) -> None:
    """With a number, or with as many rows as others; a single row among these is a total."""
    names = dict.fromkeys(kind.format(n) for n in range(12) for kind in kinds.split())
    rows = [[one, verdicts[(n + k) % 2]] for n, one in enumerate(names) for k in range(3)]
    found = judgments_from_file(written(tmp_path, ["question", "verdict"], rows))
    assert len(found.table) == len(rows)
    rows = [*rows, ["Total", "1.4"]]
    found = judgments_from_file(written(tmp_path, ["question", "verdict"], rows))
    assert len(found.table) == len(rows) - 1


@pytest.mark.slow
@pytest.mark.parametrize("column", ["question", "judge"])
def test_a_name_that_begins_a_block_is_that_of_its_rows(column: str, tmp_path: Path) -> None:
    """Of questions and of judges, where blocks are of like sizes; else an empty cell is empty."""
    frame = pd.DataFrame(LONG, columns=LONG_NAMES).sort_values(column, kind="stable")
    plain = judgments_from_file(written(tmp_path, LONG_NAMES, frame.to_numpy().tolist()))
    once = frame.assign(**{column: frame[column].mask(frame[column].eq(frame[column].shift()))})
    found = judgments_from_file(written(tmp_path, LONG_NAMES, once.to_numpy().tolist()))
    pd.testing.assert_frame_equal(found.table, plain.table)
    assert any(
        f"empty cells of column '{column}' read as the name above" in n.what for n in found.notes
    )
    once.iloc[[2, 3], LONG_NAMES.index(column)] = "x"
    other = judgments_from_file(written(tmp_path, LONG_NAMES, once.to_numpy().tolist()))
    assert not any("read as the name above" in note.what for note in other.notes)


@pytest.mark.slow
def test_a_mean_below_blocks_is_of_none(tmp_path: Path) -> None:
    """What is in every block, such as a part called overall, is judged."""
    names = ["question", "part", "verdict"]
    rows = [
        [f"q{n // 2}" * (n % 2 == 0), ("tone", "overall")[n % 2], str(1 + n * n % 5)]
        for n in range(24)
    ]
    for more in ([], [["", "mean", "3.25"]], [["mean", "", "3.25"]]):
        found = judgments_from_file(written(tmp_path, names, [*rows, *more]))
        assert found.table["question"].value_counts().eq(2).sum() == 12
        assert len(found.table) == 24
        assert any("rows that sum up others" in note.what for note in found.notes) == bool(more)


def test_a_judge_named_in_every_other_row_may_be_one_of_two(tmp_path: Path) -> None:
    """Only another name begins another block."""
    rows = [[f"q{n // 2}", "gpt-5" * (n % 2 == 0), "AB"[n % 3 % 2]] for n in range(24)]
    found = judgments_from_file(written(tmp_path, ["question", "judge", "verdict"], rows))
    assert (found.table["judge"] == "gpt-5").sum() == 12


UNEVEN = [
    (f"q{q}", judge, str(1 + (q + at) % 5)) for q in range(6) for at, judge in enumerate("abc")
]


@pytest.mark.parametrize("gone", [{4}, {4, 5, 10, 13}])
def test_blocks_that_lack_rows_name_each_row(gone: set[int], tmp_path: Path) -> None:
    """As where each row has its name; a mean without a judge below a block is of none."""
    names = ["question", "judge", "verdict"]
    rows = [list(row) for n, row in enumerate(UNEVEN) if n not in gone]
    plain = judgments_from_file(written(tmp_path, names, rows))
    once = [[row[0] if row[1] == "a" else "", *row[1:]] for row in rows]
    mean = ["", "", "2.75"]
    found = judgments_from_file(written(tmp_path, names, [*once[:3], mean, *once[3:], mean]))
    pd.testing.assert_frame_equal(found.table, plain.table)
    assert not found.asked


@pytest.mark.slow
@pytest.mark.parametrize(
    ("row", "asked"),
    [(["4", "2"], True), (["2.8", "2.2"], False), (["3", "2"], True), (["2.833", "2"], False)],
)
def test_a_row_without_an_id_is_asked_about_if_it_may_be_judged(
    row: list[str], asked: bool, tmp_path: Path
) -> None:
    """Its verdicts are those of other rows; the choices have a question more or not."""
    path = written(tmp_path, NAMES, [*GRADES, ["", *row, ""]])
    found = judgments_from_file(path, COLUMNS)
    assert [len(one.choices) for one in found.asked] == [2] * asked
    n = [
        judgments_from_file(path, COLUMNS, reading=Reading(map=one.entries["map"]))
        .table["question"]
        .nunique()
        for note in found.asked
        for one in note.choices
    ]
    assert n == [12, 13] * asked


def test_means_of_several_judges_are_no_judgments(tmp_path: Path) -> None:
    """Though each is a grade that its judge gave."""
    grades = [[f"q{n}", str(1 + n % 5), str(5 - n % 5), ""] for n in range(10)]
    path = written(tmp_path, NAMES, [*grades, ["", "3", "3", ""]])
    assert not judgments_from_file(path, COLUMNS).asked


BESIDE = ["Nr", "Antwort", "", "", "Lehrkraft"]
BELOW = ["", "", "", "", "Note"]
RUNS: list[list[object]] = [
    [n, f"Text {n} von {n * n}", n % 5 + 1, n * n % 5 + 1, n % 4 + 1] for n in range(1, 13)
]


def headed(path: Path, group: int, words: list[str], above: list[list[str]]) -> Path:
    """A table with a heading over columns 3 and 4; as a workbook these are one cell."""
    first, second = [*BESIDE], [*BELOW]
    first[2], second[2:4] = "KI", words
    if group > 3:  # the names of all others are in the second row as well
        first[:2], second[:2] = ["", ""], BESIDE[:2]
    rows: list[list[object]] = [[*one] for one in (*above, first, second, *RUNS)]
    if path.suffix == ".csv":
        pd.DataFrame(rows).to_csv(path, index=False, header=False)
        return path
    made = openpyxl.Workbook()
    for row in rows:
        made.active.append([one if one != "" else None for one in row])
    at = len(above) + 1
    made.active.merge_cells(start_row=at, end_row=at, start_column=3, end_column=4)
    if group < 4:
        made.active.merge_cells(start_row=at, end_row=at + 1, start_column=1, end_column=1)
    for title in range(1, at):
        made.active.merge_cells(f"A{title}:E{title}")
    made.save(path)
    return path


@pytest.mark.parametrize("group", [3, 4])
@pytest.mark.parametrize("above", [[], [["Noten der 7b", "", "", "", ""]]])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a.csv", ["Lauf 1", "Lauf 2"]),
        ("a.xlsx", ["Lauf 1", "Lauf 2"]),
        ("a.xlsx", ["erster", "zweiter"]),
    ],
)
def test_headings_in_two_rows_are_one(
    name: str, words: list[str], above: list[list[str]], group: int, tmp_path: Path
) -> None:
    """Each column has both its names, and no row is lost; what is not sure is refused."""
    found = read_rows(headed(tmp_path / name, group, words, above))
    frame = found.together()
    assert [*frame] == ["Nr", "Antwort", *(f"KI {one}" for one in words), "Lehrkraft Note"]
    assert frame.map(str).to_numpy().tolist() == [[*map(str, row)] for row in RUNS]
    assert found.number_of(0) == len(above) + 3
    assert f"2 rows of headings joined to names of columns, such as 'KI {words[0]}'" in " ".join(
        map(str, found.notes)
    )


def test_a_second_row_that_may_be_of_others_is_no_heading(tmp_path: Path) -> None:
    """Where a heading ends is not known without cells that are one, nor what has no name."""
    path = headed(tmp_path / "a.csv", 3, ["erster", "zweiter"], [])
    with pytest.raises(UserError, match="the column right of 'KI' has values like it, but no name"):
        read_rows(path).together()
    frame = pd.DataFrame(RUNS, columns=["Nr", "", "KI 1", "KI 2", "Lehrkraft"])
    frame.to_csv(path, index=False)
    with pytest.raises(UserError) as asked:
        judgments_from_file(path)
    assert "'KI 2' are replications" in str(asked.value)
    assert "--column =" not in str(asked.value)
