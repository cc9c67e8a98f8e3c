"""What `report` writes into files and folders: all of it or none, also by two processes."""

from pathlib import Path

import pytest

from commands import invoke
from inspect_reliability.saving import whole, whole_folder
from processes import COMMAND, python, start

pytestmark = [pytest.mark.slow, pytest.mark.process]

KILLED = """
import os, signal, sys

place, left = sys.argv.pop(1), int(sys.argv.pop(1))

def killed(event, arguments):
    global left
    writes = event in ("os.rename", "os.mkdir", "os.remove", "os.rmdir")
    if writes or (event == "open" and "w" in str(arguments[1]) and place in str(arguments[0])):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(killed)
"""
"""Kills its own process where it is about to change a file for the n-th time."""


def texts(folder: Path) -> dict[str, str]:
    """Name of each file -> what it holds."""
    return {file.name: file.read_text() for file in folder.iterdir()}


def test_files_of_others_stay(tmp_path: Path) -> None:
    """What somebody else put into the folder is kept, what is ours and no longer made is not."""
    for name in ("a", "of the old", "somebody's"):
        (tmp_path / name).write_text("old")
    (tmp_path / "sub").mkdir()
    with whole_folder(tmp_path, ["of the old", "b"]) as part:
        (part / "a").write_text("new")
        assert (tmp_path / "a").read_text() == "old"
    assert {file.name for file in tmp_path.iterdir()} == {"a", "somebody's", "sub"}
    assert (tmp_path / "a").read_text() == "new"


def test_one_process_has_several_names(tmp_path: Path) -> None:
    """Tables and figures may go into one folder, and a page beside them."""
    with (
        whole(tmp_path / "data" / "page") as page,
        whole_folder(tmp_path / "data") as tables,
        whole_folder(tmp_path / "data") as figures,
    ):
        for file in (Path(page), tables / "table", figures / "figure"):
            file.write_text("new")
    assert texts(tmp_path / "data") == dict.fromkeys(["page", "table", "figure"], "new")
    assert len(list(tmp_path.iterdir())) == 1


def test_reports_into_one_place(tmp_path: Path) -> None:
    """Two at the same time both end well; one that is killed changes nothing and is no obstacle."""
    log = tmp_path / "judged.csv"
    log.write_text("question,verdict\n" + "".join(f"q{n % 4},{'ABA'[n % 3]}\n" for n in range(12)))
    places = [tmp_path / "out" / name for name in ("page.html", "data", "figures", "all.parquet")]
    asked = ["report", log, "--html", places[0], "--tables", places[1], "--figures", places[2]]
    asked += ["--save", places[3]]

    def made() -> dict[Path, int]:
        found = (tmp_path / "out").rglob("*")
        files = (file for file in found if file.is_file() and ".part" not in str(file))
        return {file: file.stat().st_mtime_ns for file in files}

    both = [start(COMMAND, *asked, err=tmp_path / f"err {n}") for n in range(2)]
    for one in both:
        one.join(120)
    said = [(tmp_path / f"err {n}").read_text() for n in range(2)]
    assert [one.exitcode for one in both] == [0, 0], said
    first = made()
    assert len(first) > 10
    assert not list(tmp_path.rglob("*.part"))
    asked = asked[:-2]
    for point in (1, 9):
        assert python(KILLED + COMMAND, tmp_path / "out", str(point), *asked).returncode < 0
        assert made() == first
    assert invoke(*asked).exit_code == 0
    again = made()
    assert again.keys() == first.keys()
    assert sum(at != first[file] for file, at in again.items()) == len(first) - 1
