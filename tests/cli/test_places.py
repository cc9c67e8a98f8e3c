"""Paths and addresses that lead nowhere: one line that says what, where and what to do."""

from pathlib import Path

import pytest
from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSpec, write_eval_log

from commands import invoke

NOWHERE = {
    "empty": ("", "The path is empty"),
    "unknown protocol": ("foo://x", "Protocol not known: foo"),
    "no server": ("http://127.0.0.1:9/x.eval", "127.0.0.1:9"),
    "too long": ("a" * 5_000, "aaa"),
    "null character": ("nul\0.eval", ".eval"),
    "no such user": ("~nosuch/x", "~nosuch/x"),
}


@pytest.mark.parametrize("place", NOWHERE)
@pytest.mark.parametrize("command", ["report", "rejudge", "compare", "gate", "plan"])
def test_what_leads_nowhere_is_refused_in_words(command: str, place: str) -> None:
    """No command ends with a traceback, or takes an empty name for the current folder."""
    path, message = NOWHERE[place]
    more = {"gate": ["--min", "omega=0.5"], "compare": ["--by", "judge"]}.get(command, [])
    done = invoke(command, path, *more)
    assert isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == 2
    assert message in done.stderr


@pytest.mark.parametrize("name", ["loop", "dangling", "folder/x"])
def test_links_that_end_nowhere_are_refused_in_words(tmp_path: Path, name: str) -> None:
    """A link to itself, a link to nothing and a path through a file are no logs."""
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    (tmp_path / "folder").write_text("a file")
    done = invoke("report", str(tmp_path / name))
    assert isinstance(done.exception, SystemExit), done.exception
    assert (done.exit_code, name in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        ("file", "is a file. Name a folder"),
        ("file/in", "cannot be written"),
        ("a" * 5_000, "cannot be written: File name too long"),
        ("foo://x", "Protocol not known: foo"),
        ("nul\0", "cannot be written"),
    ],
)
def test_a_sweep_tries_its_folder_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, message: str
) -> None:
    """A folder of logs that cannot be written is refused before a judge is loaded."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("not a folder")
    command = ["sweep", "--model", "nosuch/model", "--benchmark", "bbh", "--temperature", "1"]
    done = invoke(*command, "--limit", "1", "--log-dir", folder)
    assert isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == 2
    assert message in done.stderr


def test_what_cannot_be_meant_is_refused_in_words(tmp_path: Path) -> None:
    """One place under two names, an empty name, and more replications than memory has room for."""
    spec = EvalSpec(
        created="2026-01-01T00:00:00+00:00",
        task="t",
        dataset=EvalDataset(),
        model="none/none",
        config=EvalConfig(),
    )
    write_eval_log(EvalLog(eval=spec), log := str(tmp_path / "a.json"))
    for arguments, message in (
        (["compare", "x", "./x/"], "Both sources are x"),
        (["rejudge", log, "--log-dir", ""], "The path is empty"),
        (["sweep", "--replications", "1000000000"], "is not in the range"),
    ):
        done = invoke(*arguments)
        assert isinstance(done.exception, SystemExit), done.exception
        assert message in done.stderr
