"""Judgments that `report --save` wrote, read again."""

import json
import random
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import example_logs
from commands import invoke, results
from inspect_reliability.answers import analyse
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.columns import COLUMNS
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.judgments.reading import Note
from inspect_reliability.judgments.sources import judgments_from, judgments_from_file
from inspect_reliability.judgments.table import Judgments, make_table, save


def report(*arguments: str | Path) -> dict[str, Any]:
    return results("report", *arguments)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two logs, one of another task, and a broken one."""
    folder = tmp_path_factory.mktemp("study") / "logs"
    example_logs.judged(folder, order="reshuffled")
    example_logs.foreign(folder)
    (folder / "broken.eval").write_text("no log")
    return folder


@pytest.fixture(scope="module")
def whole(logs: Path) -> dict[str, Any]:
    """The report of these logs, saved beside them."""
    return report(logs, "--save", logs.with_name("study.parquet"))


@pytest.mark.slow
def test_a_saved_study_has_the_report_of_its_logs(
    logs: Path, whole: dict[str, Any], tmp_path: Path
) -> None:
    """Every number, text and note, orders, seeds and another task's scores included."""
    saved, again = logs.with_name("study.parquet"), tmp_path / "again.parquet"
    assert report(saved, "--save", again) == whole
    first, second = judgments_from_file(saved), judgments_from_file(again)
    pd.testing.assert_frame_equal(first.table, second.table)
    assert first.notes == second.notes


@pytest.mark.slow
def test_saved_parts_are_one_study(logs: Path, whole: dict[str, Any], tmp_path: Path) -> None:
    """Files of two workers give the report of all logs, and a log that two have counts once."""
    parts = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    first, *others = sorted(logs.glob("2*.eval"))
    for part, some in zip(parts, ([first], [first, *others]), strict=True):
        save(judgments_from([*some]), part)
    both = report(*parts)
    assert {**both, "notes": []} == {**whole, "notes": []}
    new = [note for note in both["notes"] if note not in whole["notes"]]
    assert {note["what"] for note in new} == {"duplicate judgments left out"}
    assert sum(note["count"] for note in new) == len(judgments_from_logs(first))
    beside = analyse(judgments_from([parts[0], logs])).results["rows"]
    assert json.loads(json.dumps(beside)) == whole["rows"]


def test_values_keep_their_types(tmp_path: Path) -> None:
    """A number is no text after it was written, whatever others its column has."""
    table = make_table(
        [
            {"judge": "j", "benchmark": "b", "temperature": 0.5, "question": f"q{n}"}
            | {"replication": 1, "verdict": "A", "order": order, "output": "o", "own": own}
            | {"seed": seed, "label": label, "whole": n, "flag": flag, "large": 2**70 + n}
            for n, (order, own, seed, label, flag) in enumerate(
                [
                    (("x", "y"), 1, 2**31, "A", True),
                    (("y", "x"), True, None, ("A", "B"), None),
                    ("swapped", 1.0, 3, None, False),
                    (None, "1", 4, "[", False),
                ]
            )
        ]
    )
    path = tmp_path / "some.parquet"
    save(Judgments(table, (Note("broken", 2, "x.eval"),), ("own",)), path)
    read = judgments_from_file(path, {"not": "there"})
    assert read.notes == (Note("broken", 2, "x.eval"),)
    assert read.facets == ("own",)
    for name in table:
        told = [None if pd.isna(one) is True else one for one in table[name]]
        found = [None if pd.isna(one) is True else one for one in read.table[name]]
        assert found == told
        assert list(map(type, found)) == list(map(type, told)), name
    field = pq.read_schema(path).field("order")
    assert field.metadata[b"role"].decode() == COLUMNS["order"].role


@pytest.mark.slow
def test_a_saved_file_that_somebody_changed_is_named(logs: Path, tmp_path: Path) -> None:
    """What does not fit is refused in words."""
    judgments = judgments_from_logs(logs)
    path = tmp_path / "study.parquet"
    for notes in (b"5", b"{", b'{"notes": 1, "facets": [], "as_json": []}'):
        path.unlink(missing_ok=True)  # what somebody changed is not ours to replace
        save(judgments, path)
        table = pq.read_table(path)
        pq.write_table(table.replace_schema_metadata({b"inspect_reliability": notes}), path)
        result = invoke("report", path)
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        assert "cannot be read as parquet: its notes, columns or rows were cha" in result.stderr
    path.unlink()
    save(judgments, path)
    for rows in ([], [0, 0, *range(len(judgments))]):  # whose notes are of other rows
        pq.write_table(table.take(pa.array(rows, pa.int64())), path)
        with pytest.raises(UserError, match="columns or rows were changed"):
            judgments_from_file(path)
    with pytest.raises(UserError, match=r"ends with .parquet"):
        save(judgments, tmp_path / "study.pq")


@pytest.mark.slow
def test_a_damaged_file_gives_no_other_numbers(logs: Path, tmp_path: Path) -> None:
    """Cut off anywhere or with a byte changed, it is refused in a line or is the same table."""
    path = tmp_path / "study.parquet"
    save(judgments_from_logs(logs), path)
    table = judgments_from_file(path).table
    plain = [name for name in table if name != "sample"]
    good, chance = path.read_bytes(), random.Random(0)
    broken = {f"cut at {size}": good[:size] for size in (0, 4, len(good) // 2, len(good) - 1)}
    for place in chance.sample(range(len(good)), 25):
        changed = bytes([(good[place] + chance.randrange(1, 256)) % 256])
        broken[f"changed at {place}"] = good[:place] + changed + good[place + 1 :]
    refused = 0
    for how, content in broken.items():
        path.write_bytes(content)
        try:
            found = judgments_from_file(path)
        except UserError:
            refused += 1
            result = invoke("report", path)
            assert (result.exit_code, result.stderr.count("\n")) == (2, 1), result.stderr
        else:
            # A bit of the footer in thousands loses the notes, which say what is JSON.
            assert found.table[plain].equals(table[plain]), how
    assert 10 < refused < len(broken)


def test_what_parquet_has_no_checksum_of_is_checked(logs: Path, tmp_path: Path) -> None:
    """Lost rows, and notes of which one copy was lost or changed, are refused in a line."""
    path = tmp_path / "study.parquet"
    save(judgments_from_logs(logs), path)
    good = path.read_bytes()
    assert len(judgments_from_file(path)) == 48
    page = pq.read_metadata(path).row_group(0).column(0).data_page_offset + 1
    broken = {"fewer rows": good[:page] + bytes([good[page] ^ 1]) + good[page + 1 :]}
    broken["notes, columns or"] = good.replace(b"inspect_reliability", b"inspect_reliabilitx")
    copy = pq.read_metadata(path).metadata[b"ARROW:schema"]
    other = b64decode(copy).replace(b"inspect_reliability", b"inspect_reliabilitx")
    broken["notes, columns"] = good.replace(copy, b64encode(other))
    for said, content in broken.items():
        assert content != good
        path.write_bytes(content)
        with pytest.raises(UserError, match=said):
            judgments_from_file(path)
