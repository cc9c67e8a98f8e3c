"""Last rows that sum up those above, by their numbers and by their names."""

import statistics
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from inspect_reliability import Judgments, Reading, judgments_from_file, judgments_from_frame
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.summary_rows import below_sums, summing_up
from inspect_reliability.judgments.totals import without_totals

IDS = [f"A{n}" for n in range(1, 41)]
WORDS = [a + b + c for a in ("Ma", "Le", "No", "Wi") for b in ("ri", "na") for c in "aeiou"]
GRADES = [[1 + (n * 7 + k * n * n) % 8 % 5 for k in (0, 1, 2)] for n in range(40)]
MEANS = [statistics.mean(own) for own in zip(*GRADES, strict=True)]
COLUMNS = ["ID", "KI 1", "KI 2", "Mensch"]
READ = {"ID": "question", "KI 1": "verdict", "KI 2": "verdict", "Mensch": "label"}

GRIDS = {
    "grades": lambda draws, size: draws.integers(1, 6, size),
    "points": lambda draws, size: draws.integers(0, 101, size),
    "few": lambda draws, size: draws.binomial(3, 0.1, size),
    "halves": lambda draws, size: draws.integers(2, 13, size) / 2,
    "thirds": lambda draws, size: draws.choice([1, 1.3, 1.7, 2, 2.3, 2.7, 3], size),
    "shares": lambda draws, size: draws.beta(2, 2, size).round(2),
}


def long(ids: Sequence[str], columns: Sequence[Sequence[object]]) -> pd.DataFrame:
    """A row a verdict, of columns of them."""
    rows = [
        (name, n, f"{own[at]:g}" if own[at] != "" else None)
        for at, name in enumerate(ids)
        for n, own in enumerate(columns)
    ]
    return pd.DataFrame(rows, columns=["question", "replication", "verdict"])


def read(*last: Sequence[object], map: dict[str, str] | None = None) -> Judgments:
    """Forty answers with two tries and a label, and what is below."""
    rows = [(name, *of) for name, of in zip(IDS, GRADES, strict=True)]
    frame = pd.DataFrame([*rows, *last], columns=COLUMNS, dtype=object)
    return judgments_from_frame(frame, READ, reading=Reading(map=map or {}))


@pytest.mark.slow
@pytest.mark.parametrize("grid", GRIDS)
def test_no_answer_sums_up_others(grid: str) -> None:
    """Of 40 random tables, with ids of words, of numbers, and with a last one of another form."""
    draws = np.random.default_rng(7)
    for n in range(40):
        size = int(draws.integers(11, len(WORDS)))
        columns = GRIDS[grid](draws, (1 + n % 3, size)).tolist()
        for ids in (WORDS[:size], IDS[:size]):
            assert summing_up(long(ids, columns)) == ([], []), (n, ids[0])
        sums, _ = summing_up(long([*IDS[: size - 1], "Zusatz"], columns))
        assert not sums


@pytest.mark.slow
@pytest.mark.parametrize("ids", [IDS, WORDS], ids=["numbers", "words"])
@pytest.mark.parametrize("grid", ["grades", "halves", "points"])
@pytest.mark.parametrize(
    "statistic", [statistics.mean, statistics.stdev, statistics.pstdev, statistics.variance, sum]
)
def test_rows_of_a_statistic_sum_up_whatever_they_are_called(
    ids: list[str], grid: str, statistic: Callable[[Sequence[float]], float]
) -> None:
    """Rounded to three digits or not; above it and below it stay no others."""
    draws = np.random.default_rng(3)
    columns = GRIDS[grid](draws, (3, len(ids))).tolist()
    for digits in (3, 12):
        last = [round(statistic(own), digits) for own in columns]
        table = long([*ids, "Zeile"], [[*own, of] for own, of in zip(columns, last, strict=True)])
        table["verdict"] = [f"{float(one):.12g}" for one in table["verdict"]]
        assert summing_up(table) == (["Zeile"], [])
        above = table[table["question"] != "Zeile"]
        assert summing_up(above) == ([], [])


def test_a_row_of_one_statistic_is_left_out_and_named() -> None:
    """With those below it by their names; its user may say that it is a question."""
    found = read(("Foo", *MEANS), ("Modus KI", 2, 1, 1))
    assert {*found.table["question"]} == {*IDS}
    [note] = [one for one in found.notes if "sum up others" in one.what]
    assert note.count == 2
    assert "'Foo', 'Modus KI'" in note.what
    own = read(("Foo", *MEANS), map={"summary-row": "question"})
    assert "Foo" in {*own.table["question"]}


@pytest.mark.slow
def test_a_mean_from_before_a_correction_is_asked_about() -> None:
    """So are grades beside one that sums up, which may be the highest or an answer."""
    [asked] = read(("Foo", 2.83, 3, 2.6)).asked
    assert "'Foo' (2.83, 3)" in asked.what
    ways = [one.entries["map"] for one in asked.choices]
    assert ways == [{"summary-row": "failed-call"}, {"summary-row": "question"}]
    left, kept = (read(("Foo", 2.83, 3, 2.6), map=one) for one in ways)
    assert {*left.table["question"]} == {*IDS}
    assert {*kept.table["question"]} == {*IDS, "Foo"}
    assert not left.asked
    assert not kept.asked
    below = read(("Foo", *MEANS), ("Spitze", 5, 5, 5))
    assert "'Spitze' (5, 5)" in below.asked[0].what
    late = read(("Foo", *MEANS), ("A41", 5, 5, 5))
    assert {*late.table["question"]} == {*IDS, "A41"}


NAMES = [
    *(
        "Standardabw.",
        "Std.-Abw.",
        "Notenschnitt",
        "Klassenschnitt",
        "Ø Note",
        "Schnitt KI",
        "Mode",
    ),
    *("Streuung", "Varianz", "n=", "Spannweite", "Moyenne générale", "Écart-type", "Médiane", "Ø"),
    *("Somme", "Effectif", "Std dev", "Std. Dev.", "StDev", "Mean score", "Mittelwert", "SD"),
    *("Moyenne", "Average", "Gesamtdurchschnitt", "Standardabweichung der KI"),
]


@pytest.mark.parametrize("name", NAMES)
def test_names_of_sums_are_known(name: str) -> None:
    """Below ids with numbers, whatever the number; as a question of its own, with a number."""
    columns = [[one for one, *_ in GRADES] + [3.05]]
    assert without_totals(long([*IDS, name], columns), 1)[1] == [name]
    assert not without_totals(long([*IDS, f"{name} 2"], columns), 1)[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Mittel", "Zeile"])
@pytest.mark.parametrize("means", ["judge", "class"])
def test_a_row_below_each_of_two_sheets_is_no_question(
    name: str, means: str, tmp_path: Path
) -> None:
    """Read as one table, whether sheets are judges or classes."""
    with pd.ExcelWriter(tmp_path / "two.xlsx") as book:
        for at, sheet in enumerate(("GPT", "Claude")):
            start = 12 * at if means == "class" else 0
            rows = [(IDS[start + n], *GRADES[n + 3 * at][:2], GRADES[n][2]) for n in range(12)]
            frame = pd.DataFrame(rows, columns=COLUMNS)
            frame.loc[12] = [name, *frame[COLUMNS[1:]].mean().round(2)]
            frame.to_excel(book, sheet_name=sheet, index=False)
    columns = READ | ({"sheet": "judge"} if means == "judge" else {})
    reading = Reading(sheet="GPT+Claude")
    found = judgments_from_file(str(tmp_path / "two.xlsx"), columns, reading=reading)
    assert len(found.table) == 48
    assert {*found.table["question"]} <= {*IDS}
    assert [one.count for one in found.notes if "sum up others" in one.what] == [2]


@pytest.mark.slow
def test_what_is_open_beside_columns_is_said_with_what_the_call_answers(tmp_path: Path) -> None:
    """Of one row or answer in the singular, and as what the call makes of it."""
    rows = [[name, *of] for name, of in zip(IDS, GRADES, strict=True)]
    rows[5][1] = "abs"
    frame = pd.DataFrame([*rows, ["Foo", 2.83, 3, 2.6]], columns=COLUMNS)
    frame.to_csv(tmp_path / "f.csv", index=False)
    with pytest.raises(UserError) as refused:
        judgments_from_file(str(tmp_path / "f.csv"))
    said = str(refused.value)
    assert "1 row sums up those above, or is judged like these: 'Foo' (2.83, 3)" in said
    assert "The call answers: sums, which are left out." in said
    assert "1 answer 'abs' beside grades is no verdict, a failed call, or a verdict" in said
    assert "The call answers: answers without a verdict." in said
    assert "--map summary-row=failed-call --map abs=non-response" in said


BELOW = {
    "Beste Note": (1, 1, 1),
    "Schlechteste Note": (5, 5, 5),
    "Highest grade": (5, 5, 5),
    "Lowest grade": (1, 1, 1),
    "Note minimale": (1, 1, 1),
    "Note maximale": (5, 5, 5),
    "N": (40, 40, 40),
    "Anz.": (40, 40, 40),
    "Zeile": tuple(round(statistics.stdev(own), 3) for own in zip(*GRADES, strict=True)),
}


@pytest.mark.slow
@pytest.mark.parametrize("mean", ["Durchschnitt", "Klassenergebnis"])
def test_statistics_below_a_row_that_sums_up_do_so_too(mean: str) -> None:
    """Whether that is known by its name or by its numbers; the note names all of them."""
    below = [(name, *own) for name, own in BELOW.items()]
    for rows in (below[:5], below[5:]):
        found = read((mean, *MEANS), *rows)
        assert {*found.table["question"]} == {*IDS}
        assert not found.asked
        [note] = [one for one in found.notes if "sum up others" in one.what]
        assert note.count == 1 + len(rows)
        assert all(f"'{name}'" in note.what for name, *_ in rows)


@pytest.mark.slow
def test_counts_of_grades_below_a_mean_are_asked_about() -> None:
    """They are left out, or stay with the mean, as their user says."""
    counts = [
        (f"Note {one}", *(own.count(one) for own in zip(*GRADES, strict=True)))
        for one in range(1, 6)
    ]
    below = [("Durchschnitt", *MEANS), *counts]
    asked = read(*below).asked[0]
    assert all(f"'{name}'" in asked.what for name, *_ in counts)
    left, kept = (read(*below, map=one.entries["map"]) for one in asked.choices)
    assert {*left.table["question"]} == {*IDS}
    assert not left.asked
    assert {"Durchschnitt", "Note 1", "Note 5"} < {*kept.table["question"]}


@pytest.mark.slow
def test_the_labels_of_a_row_below_say_whether_it_sums_up() -> None:
    """Where one is no statistic of the labels above, it is asked about."""
    mean = ("Durchschnitt", *MEANS)
    assert not read(mean, ("Beste Note", 1, 1, 1)).asked
    assert "'Beste Note' (1, 1)" in read(mean, ("Beste Note", 1, 1, 3)).asked[0].what


@pytest.mark.parametrize("grid", ["grades", "halves", "points"])
def test_no_answer_below_a_mean_is_left_out(grid: str) -> None:
    """One that goes on with the ids stays, others are asked about, with whatever grades."""
    draws = np.random.default_rng(11)
    for _ in range(6):
        columns = GRIDS[grid](draws, (2, 17)).tolist()
        with_mean = [[*own[:15], 2.718, *own[15:]] for own in columns]
        late = long([*IDS[:15], "Mittel", "A16", "A17"], with_mean)
        sums, open_ = below_sums(late, {"Mittel"})
        assert not sums
        odd = {"A16", "A17"} & {*open_}
        far = [max(own[15:]) > 2 * max(own[:15]) - min(own[:15]) for own in columns]
        assert not odd or any(far)
        named = long([*WORDS[:15], "Mittel", "Lea", "Jan"], with_mean)
        assert below_sums(named, {"Mittel"}) == ([], ["Lea", "Jan"])


def test_rows_below_each_block_but_the_last_are_answers() -> None:
    """Only what is below the last row of a sum is below the table."""
    ids = [*WORDS[:6], "Mittel", *WORDS[6:12], "Mittel"]
    columns = [[1, 2, 3, 4, 5, 1, 2.67, 3, 2, 3, 4, 5, 1, 3]]
    assert below_sums(long(ids, columns), {"Mittel"}) == ([], [])


def test_a_row_below_a_mean_does_not_hide_it() -> None:
    """A mean may be a whole number beside numbered ids, and have a row below it for each judge."""
    grades = [1, 2, 3, 4, 5, 1, 2, 3, 2, 3, 4, 5]
    last = ["Durchschnitt", "Beste Note"]
    table = long([*IDS[:12], *last], [[*grades, 3, 1]])
    assert without_totals(table, 1)[1] == ["Durchschnitt"]
    table = long([*WORDS[:12], *last], [[*grades, 2.917, 1]])
    two = [table.assign(judge=one) for one in ("a", "b")]
    assert without_totals(pd.concat(two), 1)[1] == ["Durchschnitt"]


@pytest.mark.slow
def test_ids_that_come_again_below_a_mean_are_asked_about() -> None:
    """Counts of the grades 1 to 3 are no second try of questions 1 to 3; the first ones stay."""
    rows = [(str(n), *of) for n, of in enumerate(GRADES, 1)]
    below = [("Durchschnitt", *MEANS), ("1", 9, 8, 7), ("2", 7, 9, 8), ("3", 8, 7, 9)]
    frame = pd.DataFrame([*rows, *below], columns=COLUMNS, dtype=object)
    asked = judgments_from_frame(frame, READ).asked[0]
    assert "'1' (9, 8); '2' (7, 9); '3' (8, 7)" in asked.what
    found = judgments_from_frame(frame, READ, reading=Reading(map={"summary-row": "failed-call"}))
    assert not found.asked
    assert len(found.table) == 2 * len(rows)
    assert {*found.table["question"]} == {name for name, *_ in rows}
