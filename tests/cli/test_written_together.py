"""What `report` writes into files and folders: all of it or none, also by two processes."""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from socket import gethostname

import pytest

from commands import invoke
from inspect_reliability.errors import UserError
from inspect_reliability.saving import Ours, whole, whole_folder
from processes import COMMAND, python, start

pytestmark = [pytest.mark.slow, pytest.mark.process]

LIST = ".inspect-reliability"

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


ANYTHING = Ours("text", lambda _: True)


def written(folder: Path, *names: str, ours: Sequence[str] = ()) -> None:
    """Write files into a folder, each with a new text."""
    with whole_folder(folder, ours) as part:
        for name in names:
            (part / name).write_text(f"new {name}")


def test_files_of_others_stay(tmp_path: Path) -> None:
    """What somebody else put into the folder is kept, what is ours and no longer made is not."""
    written(tmp_path, "a", "of the old")
    for name in ("somebody's", "b"):
        (tmp_path / name).write_text("mine")
    (tmp_path / "sub").mkdir()
    written(tmp_path, "a", ours=["of the old", "b"])
    assert {file.name for file in tmp_path.iterdir()} == {LIST, "a", "b", "somebody's", "sub"}
    (tmp_path / "a").write_text("mine")
    with pytest.raises(UserError, match="has a file a, which was not written here, or was changed"):
        written(tmp_path, "a", "c")
    assert (tmp_path / "a").read_text() == (tmp_path / "b").read_text() == "mine"
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("kind", ["folder", "link", "dangling", "pipe"])
def test_what_is_no_file_stays(tmp_path: Path, kind: str) -> None:
    """A folder, a pipe or a link of the user's under the name of one of our files."""
    folder, mine, name = tmp_path / "out", tmp_path / "mine", tmp_path / "out" / "a"
    folder.mkdir()
    if kind == "link":
        mine.write_text("mine")
    {"folder": os.mkdir, "pipe": os.mkfifo}.get(kind, lambda one: os.symlink(mine, one))(name)
    before = os.lstat(name)
    with pytest.raises(UserError, match="has a file a"):
        written(folder, "a")
    assert os.path.samestat(before, os.lstat(name))


def test_a_list_of_the_user_s_own_stays(tmp_path: Path) -> None:
    """Whatever has the name of the hidden list of digests."""
    (tmp_path / LIST).write_text("mine")
    with pytest.raises(UserError, match=f"{LIST} was not written here"):
        written(tmp_path, "a")
    assert texts(tmp_path) == {LIST: "mine"}


def test_a_list_that_was_cut_off_is_no_obstacle(tmp_path: Path) -> None:
    """Where a process was killed as it added a line, the next lines are whole."""
    written(tmp_path, "a")
    with (tmp_path / LIST).open("a") as file:
        file.write("\n12ab")
    written(tmp_path, "a", "b")
    written(tmp_path, "a", "b")


def test_one_process_has_several_names(tmp_path: Path) -> None:
    """Tables and figures may go into one folder, and a page beside them."""
    with (
        whole(tmp_path / "data" / "page", ANYTHING) as page,
        whole_folder(tmp_path / "data") as tables,
        whole_folder(tmp_path / "data") as figures,
    ):
        for file in (page, tables / "table", figures / "figure"):
            file.write_text("new")
    found = texts(tmp_path / "data")
    assert found.pop(LIST).startswith("What inspect-reliability wrote")
    assert found == dict.fromkeys(["page", "table", "figure"], "new")
    assert len(list(tmp_path.iterdir())) == 1


def test_what_a_killed_process_left_goes(tmp_path: Path) -> None:
    """At the next run of a process of this machine; what another is writing stays."""
    host, gone, runs = gethostname(), 2**22 + 1, os.getppid()
    left = [f"{host}-{gone}-0.part", f"a.{host}-{gone}-3.part"]
    kept = [f"{host}-{runs}-0.part", f"x{host}-{gone}-0.part", f"a.{host}-{runs}-0.part", "a.part"]
    for name in (*left, *kept):
        (tmp_path / name).mkdir() if "." not in name[:2] else (tmp_path / name).write_text("half")
    (tmp_path / left[0] / "half").write_text("half")
    with whole(tmp_path / "a", ANYTHING) as part:
        part.write_text("whole")
    written(tmp_path, "b")
    assert {file.name for file in tmp_path.iterdir()} == {*kept, "a", "b", LIST}


class KilledError(BaseException):
    """Ends a block as a signal would: nothing is put in order."""


def test_files_of_a_killed_process_are_ours(tmp_path: Path) -> None:
    """Whichever of its files have their names by then."""
    for moved in range(3):
        folder, left = tmp_path / str(moved), iter(range(moved))
        written(folder, "a", "b")

        def move(one: Path, place: Path, left: Iterator[int] = left) -> None:
            if next(left, None) is None:
                raise KilledError
            os.replace(one, place)

        with pytest.MonkeyPatch.context() as patch, suppress(KilledError):
            patch.setattr(Path, "replace", move)
            with whole_folder(folder) as part:
                for name in ("a", "b"):
                    (part / name).write_text(f"killed {name}")
        assert sum("killed" in one for one in texts(folder).values()) == moved
        written(folder, "a", "b")
        assert {*texts(folder).values()} > {"new a", "new b"}


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
        return {file: file.stat().st_mtime_ns for file in files if file.name != LIST}

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
    assert list(tmp_path.rglob("*.part"))
    assert invoke(*asked).exit_code == 0
    assert not list(tmp_path.rglob("*.part"))
    again = made()
    assert again.keys() == first.keys()
    assert sum(at != first[file] for file, at in again.items()) == len(first) - 1
