"""Sources that have judgments in common."""

import random
from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import example_logs
from commands import results
from inspect_reliability.answers import analyse
from inspect_reliability.judgments.deduplication import combine
from inspect_reliability.judgments.sources import judgments_from, judgments_from_frame
from inspect_reliability.judgments.table import save

QUESTIONS, TRIES = 20, 8


def frame(seed: int = 0, steady: bool = False, tries: int = TRIES, **columns: Any) -> pd.DataFrame:
    """The tries of a judge that often changes its mind, or never."""
    chance = random.Random(seed)
    rows = [
        {"judge": "j", "question": f"q{q}", "replication": n + 1}
        | {"verdict": "AB"[q % 2] if steady else chance.choice("AB")}
        | columns
        for q in range(QUESTIONS)
        for n in range(tries)
    ]
    return pd.DataFrame(rows)


def plain(table: pd.DataFrame) -> pd.DataFrame:
    return table.drop(columns="replication")


def other(table: pd.DataFrame, rows: int) -> pd.DataFrame:
    """The same with other verdicts in the first rows."""
    flipped = table["verdict"].map({"A": "B", "B": "A"})
    return table.assign(verdict=table["verdict"].mask(table.index < rows, flipped))


ALL, SECOND, ONCE = frame(), frame(1), frame(steady=True, tries=1)
NUMBER = len(ALL)
COPIES, RUNS, HELD = (
    "copies, counted once",
    "have another verdict",
    "if one is a copy, leave it out",
)

CASES: Mapping[str, tuple[Mapping[str, pd.DataFrame], int, list[str]]] = {
    "half of the questions": ({"all": ALL, "part": ALL[:80]}, NUMBER, [COPIES]),
    "shuffled": ({"all": ALL, "copy": ALL.sample(frac=1, random_state=1)}, NUMBER, [COPIES]),
    "three copies": ({"a": ALL[:100], "b": ALL[60:], "c": ALL[:10]}, NUMBER, [COPIES, COPIES]),
    "two runs": ({"a": ALL, "b": SECOND}, 2 * NUMBER, [RUNS]),
    "two runs that differ little": ({"a": ALL, "b": other(ALL, 1)}, 2 * NUMBER, [RUNS]),
    "two runs in three files": (
        {"a": ALL, "b": SECOND[:90], "c": SECOND[80:]},
        2 * NUMBER,
        [COPIES, RUNS],
    ),
    "runs that have names": (
        {"a": ALL.assign(time="monday"), "b": ALL.assign(time="friday")},
        2 * NUMBER,
        [],
    ),
    "not numbered": ({"all": plain(ALL), "part": plain(ALL)[:80]}, NUMBER + 80, [HELD]),
    "not numbered and shuffled": (
        {"all": plain(ALL), "part": plain(ALL).sample(frac=1, random_state=1)},
        2 * NUMBER,
        [HELD],
    ),
    "one is not numbered": ({"all": ALL, "b": plain(ALL)}, NUMBER, [COPIES]),
    "tries of a steady judge": (
        {"a": plain(ONCE), "b": plain(ONCE), "c": plain(other(ONCE, 3))},
        3 * QUESTIONS,
        [HELD],
    ),
    "other tries": ({"a": plain(ALL), "b": plain(SECOND)}, 2 * NUMBER, []),
    "other judges": ({"a": ALL, "b": ALL.assign(judge="k")}, 2 * NUMBER, []),
    "a wording that one knows": ({"a": ALL.assign(wording="x"), "b": ALL}, NUMBER, [COPIES]),
    "rows that a file repeats": (
        {"a": pd.concat([ALL, ALL[:5]]), "b": frame(judge="k")},
        2 * NUMBER,
        ["rows left out as copies"],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_judgments_of_several_files_count_once(case: str, tmp_path: Path) -> None:
    """Copies once and runs apart, whichever file comes first, and a note says which."""
    files, expected, notes = CASES[case]
    for name, table in files.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    given = [tmp_path / f"{name}.csv" for name in files]
    first, other = (judgments_from(order) for order in (given, given[::-1]))
    pd.testing.assert_frame_equal(other.table, first.table)
    assert other.notes == first.notes
    assert len(first) == expected
    said = [note.what for note in first.notes]
    assert len(said) == len(notes), said
    assert all(any(note in one for one in said) for note in notes), said
    if RUNS in str(notes):
        assert first.asked
        runs = first.table["time"].value_counts().sort_index()
        assert [*runs.index] in (["a.csv", "b.csv"], ["a.csv", "c.csv"])
        assert runs.tolist() == [NUMBER, NUMBER]
    if case == "two runs":
        rows = analyse(replace(first, asked=())).rows
        assert [row.record["n_judgments"] for row in rows] == [NUMBER, NUMBER]
    if case == "tries of a steady judge":
        assert analyse(first).rows[0].record["n_replications"] == 3


@pytest.mark.slow
def test_runs_have_the_shortest_names_that_tell_them_apart(tmp_path: Path) -> None:
    """The folder is part of a run's name where its files have one name."""
    for name, table in {"monday": ALL, "friday": other(ALL, 3)}.items():
        (tmp_path / name).mkdir()
        table.to_csv(tmp_path / name / "j.csv", index=False)
    found = judgments_from([tmp_path / "monday" / "j.csv", tmp_path / "friday" / "j.csv"])
    assert {*found.table["time"]} == {"monday/j.csv", "friday/j.csv"}


@pytest.mark.slow
def test_one_file_of_several_paths_is_one_source(tmp_path: Path) -> None:
    """Nothing is said of a copy, because there is none."""
    plain(ONCE).to_csv(path := tmp_path / "all.csv", index=False)
    (link := tmp_path / "link.csv").symlink_to(path)
    for paths in permutations([str(path), f"{tmp_path}/./all.csv", str(link)]):
        found = judgments_from(paths)
        assert (len(found), found.notes) == (QUESTIONS, ())


@pytest.mark.slow
@pytest.mark.parametrize("table", [ALL, plain(ALL), plain(ONCE)], ids=["numbers", "tries", "one"])
def test_a_file_beside_what_was_saved_of_it(table: pd.DataFrame, tmp_path: Path) -> None:
    """Its judgments count once, in either order, with or without numbers of their own."""
    table.to_csv(path := tmp_path / "some.csv", index=False)
    save(alone := judgments_from(path), saved := tmp_path / "saved.parquet")
    for paths in permutations([path, saved]):
        found = judgments_from(paths)
        pd.testing.assert_frame_equal(found.table.dropna(axis=1), alone.table.dropna(axis=1))
        [note] = found.notes
        assert COPIES in note.what


def test_a_copy_without_labels_loses_none() -> None:
    """What people said of a judgment stays, whichever copy has it."""
    labelled = judgments_from_frame(ALL.assign(label="A", rater="r"))
    bare = judgments_from_frame(ALL)
    for parts in ([labelled, bare], [bare, labelled]):
        found = combine(parts).table
        assert len(found) == NUMBER
        assert {*found["label"]} == {"A"}
        assert {*found["rater"]} == {"r"}


def test_a_rater_stays_beside_her_own_label() -> None:
    """A label without a rater does not get the rater of another label of the same judgment."""
    nameless = judgments_from_frame(ALL.assign(label="A"))
    named = judgments_from_frame(ALL.assign(label="B", rater="r"))
    for parts in ([nameless, named], [named, nameless]):
        found = combine(parts).table
        assert {*zip(found["label"], found["rater"].fillna(""), strict=True)} <= {
            ("A", ""),
            ("B", "r"),
        }


@pytest.mark.slow
def test_logs_beside_what_was_written_of_them(tmp_path: Path) -> None:
    """A log, its saved file, its tables and its folder in any order give the report of the log."""
    example_logs.judged(logs := tmp_path / "logs")
    [log] = logs.glob("*.eval")
    saved, tables = tmp_path / "a.parquet", tmp_path / "tables"
    alone = results("report", log, "--save", saved, "--tables", tables)
    hand = pd.read_csv(tables / "judgments.csv").drop(columns=["uuid", "log", "sample", "epoch"])
    hand.drop(columns=["seed", "prompt"]).to_csv(by_hand := tmp_path / "hand.csv", index=False)
    for one in (saved, tables / "judgments.csv", tables / "judgments.parquet", logs, by_hand):
        first, second = (
            judgments_from([str(path) for path in both]) for both in ((log, one), (one, log))
        )
        pd.testing.assert_frame_equal(first.table, second.table)
        assert first.notes == second.notes
        assert analyse(first).results["rows"] == alone["rows"], one
