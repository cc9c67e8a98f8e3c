"""What `report` writes into files and folders: all of it or none, also by two processes."""

from pathlib import Path
from socket import gethostname

import pytest

import example_logs
from inspect_reliability.saving import whole, whole_folder
from processes import COMMAND, python, start

pytestmark = [pytest.mark.slow, pytest.mark.process]

KILLED = """
import os, signal, sys

place, left = sys.argv.pop(1), int(sys.argv.pop(1))

def killed(event, arguments):
    global left
    writes = event in ("os.rename", "os.mkdir", "os.remove", "os.rmdir", "ctypes.call_function")
    if writes or (event == "open" and "w" in str(arguments[1]) and place in str(arguments[0])):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(killed)
"""
"""Kills its own process where it is about to change a file for the n-th time."""

WRITES = """
from pathlib import Path
from inspect_reliability.saving import whole_folder

with whole_folder(place, {"of the old", "c"}) as part:
    for name in "abc":
        Path(part, name).open("w").write("new")
"""

OLD = {"a": "old", "b": "old", "of the old": "old"}
NEW = dict.fromkeys("abc", "new")


def texts(folder: Path) -> dict[str, str]:
    """Name of each file -> what it holds."""
    return {file.name: file.read_text() for file in folder.iterdir()}


def test_a_folder_is_wholly_old_or_wholly_new(tmp_path: Path) -> None:
    """Wherever its writer is killed; the next one leaves nothing of that."""
    folder, found = tmp_path / "data", []
    for point in range(30):
        folder.mkdir(exist_ok=True)
        for name in texts(folder):
            (folder / name).unlink()
        for name, text in OLD.items():
            (folder / name).write_text(text)
        done = python(KILLED + WRITES, folder, str(point))
        found.append(texts(folder))
        assert found[-1] in (OLD, NEW), point
        if done.returncode == 0:
            break
    assert (done.returncode, found[0]) == (0, OLD)
    assert sum(one == NEW for one in found) > 1  # some were killed after the change
    assert list(tmp_path.iterdir()) == [folder]


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


@pytest.mark.parametrize(("asks", "answer"), [("os.path.ismount", True), ("os.access", False)])
def test_nothing_is_written_beside_a_mounted_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asks: str, answer: bool
) -> None:
    """Nor where nobody may write: a file cannot move from there, or cannot be made."""
    monkeypatch.setattr(asks, lambda *_: answer)
    folder = tmp_path / "data"
    for _ in range(2):
        with whole_folder(folder) as part:
            (part / "a").write_text("new")
            assert list(tmp_path.iterdir()) == [folder]
        assert texts(folder) == {"a": "new"}


def test_parts_of_another_machine_stay(tmp_path: Path) -> None:
    """Though its name begins with that of this one, and its process has another's number here."""
    other = tmp_path / f"page.{gethostname()}-{2**22 + 1}-77-0.part"
    left = tmp_path / f"page.{gethostname()}-{2**22 + 1}-0.part"
    for file in (other, left):
        file.touch()
    with whole(tmp_path / "page") as part:
        Path(part).touch()
    assert {*tmp_path.iterdir()} == {tmp_path / "page", other}


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
    log = example_logs.judged(tmp_path / "logs").location
    places = [tmp_path / "out" / name for name in ("page.html", "data", "figures", "all.parquet")]
    asked = ["report", log, "--html", places[0], "--tables", places[1], "--figures", places[2]]
    asked += ["--save", places[3]]

    def made() -> dict[Path, int]:
        found = (tmp_path / "out").rglob("*")
        return {file: file.stat().st_mtime_ns for file in found if file.is_file()}

    both = [start(COMMAND, *asked, err=tmp_path / f"err {n}") for n in range(2)]
    for one in both:
        one.join(120)
    said = [(tmp_path / f"err {n}").read_text() for n in range(2)]
    assert [one.exitcode for one in both] == [0, 0], said
    first = made()
    assert len(first) > 20
    assert not list(tmp_path.rglob("*.part"))
    asked = asked[:-2]
    for point in (1, 9, 20):
        assert python(KILLED + COMMAND, tmp_path / "out", str(point), *asked).returncode < 0
        assert {file: at for file, at in made().items() if ".part" not in str(file)} == first
    assert python(COMMAND, *asked).returncode == 0
    again = made()
    assert again.keys() == first.keys()
    assert sum(at != first[file] for file, at in again.items()) == len(first) - 1
