"""What the commands write replaces nothing of the user's: every option is tried."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import click
import pandas as pd
import pytest
from click.testing import Result
from inspect_ai.model import get_model
from inspect_ai.scorer import model_graded_qa
from pyarrow.parquet import read_table, write_table

import graders
from commands import invoke, read_once
from example_logs import DRAWN
from example_published import published_folder
from inspect_reliability import saving
from inspect_reliability.cli.main import COMMANDS, main
from inspect_reliability.cli.targets import Target
from inspect_reliability.judgments.sources import judgments_from_file
from inspect_reliability.judgments.table import save

pytestmark = pytest.mark.usefixtures("undrawn")

CALLS: dict[str, list[str]] = {
    "demo": [],
    "report": ["b.csv"],
    "compare": ["b.csv", "other.jsonl"],
    "plan": ["b.csv", "--half-width", ".3"],
    "rank": ["pairs.csv"],
    "read": ["b.csv"],
    "gate": ["b.csv", "--min", "omega=-1"],
    "keep": ["b.csv", "--labels", "labels.csv", "--max-error", ".5"],
    "validate": ["b.csv", "--labels", "labels.csv"],
    "label": ["b.csv", "--most", "3"],
    "watch": ["logs/a.eval", "--freeze", "2"],
    "card": ["b.csv"],
    "choose": ["b.csv", "--labels", "labels.csv"],
    "rejudge": ["logs/a.eval", "--replications", "2"],
    "design": ["bbh"],
    "sweep": [
        *("--model", DRAWN, "--benchmark", "bbh", "--temperature", "1", "--limit", "1"),
        *("--replications", "1"),
    ],
    "probe": ["--model", f"{graders.LENIENT}/x"],
    "import": ["published"],
}
"""A call of each command, from the folder of `inputs`."""

NEEDS = {
    ("keep", "--save-rule"): ["--cascade", "x"],
    ("report", "--errors"): ["--labels", "labels.csv"],
}
"""What an option cannot do without."""


def linked(make: Callable[[str, str], None], path: str) -> str:
    """Another name of a file."""
    name = f"link{Path(path).suffix}"
    Path(name).unlink(missing_ok=True)
    make(os.path.abspath(path), name)
    return name


def through_a_folder(path: str) -> str:
    """A path through a link to the folder."""
    if not os.path.lexists("here"):
        os.symlink(".", "here")
    return f"here/{path}"


SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": lambda path: path,
    "in another way": lambda path: f"./logs/../{path}",
    "by its full name": os.path.abspath,
    "from home": lambda path: f"~/{path}",
    "as file:": lambda path: f"file:{path}",
    "as file:/": lambda path: f"file:{os.path.abspath(path)}",
    "as file://": lambda path: f"file://{path}",
    "as file:///": lambda path: f"file://{os.path.abspath(path)}",
    "as local:": lambda path: f"local:{path}",
    "from home, as file:": lambda path: f"file:~/{path}",
    "by a link": partial(linked, os.symlink),
    "by a hard link": partial(linked, os.link),
    "through a link": through_a_folder,
}
"""Ways to write a path; home is the folder where the user stands."""


def run(command: str, *more: str) -> Result:
    """Run a command; a traceback is a failure whatever the test."""
    done = invoke(command, *CALLS[command], *more)
    return done


def options_of(command: str) -> Iterator[click.Parameter]:
    """Options that take a value."""
    found: Any = main.get_command(None, command)  # type: ignore[arg-type, attr-defined]
    for one in found.params:
        if isinstance(one, click.Option) and not one.is_flag:
            yield one


def targets_of(command: str) -> list[tuple[str, bool]]:
    """Options for what the command writes, and whether that is a folder."""
    found = [(one.opts[0], one.type) for one in options_of(command)]
    return [(name, kind.is_folder) for name, kind in found if isinstance(kind, Target)]


TARGETS = [(command, *one) for command in COMMANDS for one in targets_of(command)]


def bytes_of(folder: Path) -> dict[Path, bytes]:
    """Every file below a folder that is there."""
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One of each kind of input."""
    folder = tmp_path_factory.mktemp("inputs")
    rows = pd.DataFrame(
        [
            {
                "question": f"q{q}",
                "judge": judge,
                "replication": r,
                "verdict": "AB"[(q * r) % 3 % 2],
            }
            for q in range(12)
            for judge in ("x", "y")
            for r in range(4)
        ]
    )
    rows.to_csv(folder / "b.csv", index=False)
    rows.to_json(folder / "other.jsonl", orient="records", lines=True)
    save(judgments_from_file(folder / "b.csv"), folder / "saved.parquet")
    pairs = rows.assign(model_1="m", model_2="n", question=rows["question"] + rows["judge"])
    pairs.to_csv(folder / "pairs.csv", index=False)
    labels = pd.DataFrame({"id": [f"q{q}" for q in range(12)], "label": "A"})
    labels.loc[3, "label"] = "B"  # the only question that is wrong twice
    labels.to_csv(folder / "labels.csv", index=False)
    grader = get_model(f"{graders.LENIENT}/x")
    log = graders.run(graders.suite(model_graded_qa()), folder / "logs", grader)
    Path(log.location.removeprefix("file://")).rename(folder / "logs" / "a.eval")
    published_folder(folder / "published")
    (folder / "published/results/full_judgements_other_judge.json").unlink()
    [file] = (folder / "published/results").iterdir()
    [(judge, runs)] = json.loads(file.read_text()).items()
    asked = {name: one for name, one in runs["temperature: 1"].items() if "bbh" in name}
    file.write_text(json.dumps({judge: {"temperature: 1": asked}}))
    shutil.rmtree(folder / "published/application_data")
    return folder


@pytest.fixture
def inputs(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of them, where the user stands and is at home."""
    folder = tmp_path / "inputs"
    shutil.copytree(made, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder))
    read_once(monkeypatch)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_no_option_of_any_command_replaces_an_input(command: str, inputs: Path) -> None:
    """Whatever option is given a file that exists, and whatever else it does."""
    before, source = bytes_of(inputs), "logs/a.eval" if command == "rejudge" else "b.csv"
    of_report = {one.opts[0] for one in options_of("report") if command != "report"}
    for name in {one.opts[0] for one in options_of(command)} - of_report:
        if name not in dict(targets_of(command)):
            run(command, name, source, *NEEDS.get((command, name), ()))
            assert {file: bytes_of(inputs)[file] for file in before} == before, name


@pytest.mark.parametrize(
    ("command", "option", "spelled"),
    [(command, option, "as it is") for command, option, _ in TARGETS]
    + [("report", option, one) for option in ("--save", "--tables") for one in SPELLINGS],
)
def test_no_input_is_replaced_however_it_is_spelled(
    command: str, option: str, spelled: str, inputs: Path
) -> None:
    """Every kind of input, as the target and as the source of the command."""
    before = bytes_of(inputs)
    for file in before:
        path = str(file.relative_to(inputs))
        # As a source as well, so that only this can be the reason.
        takes_labels = command in ("report", "label", "validate", "keep", "choose")
        more = ["--labels", path] if takes_labels else NEEDS.get((command, option), ())
        asked = [option, SPELLINGS[spelled](path), *more]
        done = run(command, *asked)
        assert done.exit_code == 2, (path, done.output)
        after = bytes_of(inputs)
        assert {file: after[file] for file in before} == before, path
        assert {file.name.partition(".")[0] for file in after.keys() - before} <= {"link"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "spelled",
    [one for one in SPELLINGS if "by a" not in one],  # there is nothing to link to
)
def test_what_is_written_is_where_its_name_says(spelled: str, inputs: Path) -> None:
    """A file and a folder: no other place is made on the way."""
    before, written = bytes_of(inputs), {"--html": "new.html", "--tables": "new"}
    asked = [
        part for option, name in written.items() for part in (option, SPELLINGS[spelled](name))
    ]
    done = run("report", *asked)
    assert not done.exit_code, done.output
    made = {file for file in bytes_of(inputs).keys() - before if "here" not in file.parts}
    assert {file.relative_to(inputs).parts[0] for file in made} == {*written.values()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "option"), [(command, name) for command, name, folder in TARGETS if folder]
)
def test_a_new_folder_gets_files_and_then_others(command: str, option: str, inputs: Path) -> None:
    """An earlier output is no input: the same call ends well a second time."""
    before = bytes_of(inputs)
    for _ in range(2):
        done = run(command, option, "new")
        assert not done.exit_code, done.output
        assert any(Path("new").iterdir())
    assert {file: bytes_of(inputs)[file] for file in before} == before


@pytest.mark.slow
@pytest.mark.parametrize("option", [name for name, is_folder in targets_of("report") if is_folder])
def test_what_goes_into_a_folder_counts_file_by_file(option: str, inputs: Path) -> None:
    """A source there that has the name of one of the files is not replaced."""
    assert not run("report", option, "out").exit_code
    names = sorted(one.name for one in Path("out").iterdir() if one.suffix == ".csv")
    for name in names[::4]:
        earlier = Path("out", name).read_bytes()
        shutil.copy("b.csv", Path("out", name))
        done = invoke("report", f"out/{name}", option, "out")
        assert (done.exit_code, f"{option} would replace" in done.stderr) == (2, True), done.output
        assert Path("out", name).read_bytes() == Path("b.csv").read_bytes()
        Path("out", name).write_bytes(earlier)
    assert names


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "option"), [(command, name) for command, name, folder in TARGETS if not folder]
)
def test_a_file_is_replaced_if_it_is_ours(command: str, option: str, inputs: Path) -> None:
    """Not another output, one that was changed or an empty one, though it is not read."""
    kind: Any = next(one.type for one in options_of(command) if one.opts[0] == option)
    before, extra = bytes_of(inputs), NEEDS.get((command, option), [])
    for ending in kind.endings:
        # A name in capitals is another file, of the same form; inspect reads no log of such a name.
        spelled = ending if ending == ".eval" else ending.upper()
        target, capitals = Path(f"new{ending}"), f"first{spelled}"
        assert not run(command, option, capitals, *extra).exit_code
        if ending in (".htm", ".yml"):  # another name of a form that was tried
            continue
        ours = Path(capitals).rename(target).read_bytes()
        for content in (b"", b"mine", *others(target)):
            target.write_bytes(content)
            done = run(command, option, str(target), *extra)
            assert done.exit_code == 2, (content, done.output)
            # Which columns a list has is known once it is made.
            made = command == "keep" and ending == ".csv" and b"decision" in content
            assert made or not done.stdout
            said = "it is not replaced" if made else "exists, and is no"
            assert said in done.stderr
            assert target.read_bytes() == content
        target.write_bytes(ours)
        assert not run(command, option, str(target), *extra).exit_code
        assert target.read_bytes()[:4] == ours[:4]
    assert {file: bytes_of(inputs)[file] for file in before} == before


def others(ours: Path) -> Iterator[bytes]:
    """Files of the same form as one of ours: of the user's own, or changed since."""
    if ours.suffix in (".html", ".htm"):
        yield b"<!DOCTYPE html><html><head><title>inspect-reliability</title></head></html>"
    if ours.suffix == ".json":
        rule = json.loads(ours.read_bytes())
        yield json.dumps({**rule, "note": "mine"}).encode()
        yield json.dumps({**rule, "votes_needed": rule["votes"] + 1}).encode()
    if ours.suffix == ".parquet":
        table = pd.read_parquet(ours)
        for mine in (table.assign(label="A"), pd.read_csv("labels.csv")):
            yield mine.to_parquet()
        arrow = read_table(ours)  # with what the file says of itself
        more = arrow.append_column("label", [["A"] * len(arrow)])
        file = BytesIO()
        write_table(more.replace_schema_metadata(arrow.schema.metadata), file)
        yield file.getvalue()
    if ours.suffix == ".csv":
        yield Path("labels.csv").read_bytes()
        yield Path("b.csv").read_bytes()
        table = pd.read_csv(ours, dtype=str)
        for place in (0, 1, len(table.columns)):
            mine = table.copy()
            name = "target" if "label" in mine else "label"
            mine.insert(place, name, ["A", "B", *["A"] * (len(table) - 2)])
            yield mine.to_csv(index=False).encode()
    if ours.suffix == ".xlsx":
        table = pd.read_excel(ours, dtype=str)
        for mine in (table.assign(target=["A", *[None] * (len(table) - 1)]), table.assign(n=1)):
            file = BytesIO()
            mine.to_excel(file, index=False)
            yield file.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--tables", "--figures"])
def test_a_file_of_the_users_own_in_a_folder_stays(option: str, inputs: Path) -> None:
    """Whether the folder is the user's or ours, and if it is our file, with the user's labels."""
    assert not run("report", option, "ours").exit_code
    names = sorted(one.name for one in Path("ours").iterdir() if not one.name.startswith("."))
    assert len(names) > 2
    for name in (names[0], "judgments.csv" if option == "--tables" else names[-1]):
        shutil.rmtree("mine", ignore_errors=True)
        Path("mine").mkdir()
        theirs = Path("ours", name).read_bytes()
        for folder, content in (("mine", theirs), ("ours", b"mine"), ("ours", theirs + b"mine")):
            file = Path(folder, name)
            file.write_bytes(content)
            before = bytes_of(inputs)
            done = run("report", option, folder)
            assert (done.exit_code, done.stdout) == (2, "")
            assert f"has a file {name}" in done.stderr
            assert bytes_of(inputs) == before
        file.write_bytes(theirs)
    assert not run("report", option, "ours").exit_code


@pytest.mark.slow
def test_what_is_no_longer_made_goes_if_it_is_ours(inputs: Path) -> None:
    """A table of the earlier report is removed, the user's under such a name is not."""
    pd.read_csv("b.csv").query("judge == 'x'").to_csv("one.csv", index=False)
    assert not run("report", "--tables", "t").exit_code
    assert Path("t", "between_judges.csv").exists()
    Path("t", "fooled.csv").write_text("mine")
    assert "has a file fooled.csv" in invoke("report", "one.csv", "--tables", "t").stderr
    Path("t", "fooled.csv").unlink()
    assert not invoke("report", "one.csv", "--tables", "t").exit_code
    assert not Path("t", "between_judges.csv").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "option", "is_folder"),
    [one for one in TARGETS if one[0] not in ("rejudge", "sweep")],  # inspect names those logs
)
def test_a_file_that_appears_during_the_command_stays(
    command: str, option: str, is_folder: bool, inputs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is somebody else's, however late it comes."""
    kind: Any = next(one.type for one in options_of(command) if one.opts[0] == option)
    target = Path("new" if is_folder else f"new{kind.endings[0]}")
    file = target
    if is_folder:
        assert not run(command, option, "first").exit_code
        file /= min(one.name for one in Path("first").iterdir() if not one.name.startswith("."))
    begun = saving._own

    def late() -> str:
        file.parent.mkdir(exist_ok=True)
        file.write_text("mine")
        return begun()

    monkeypatch.setattr(saving, "_own", late)
    done = run(command, option, str(target), *NEEDS.get((command, option), ()))
    assert done.exit_code == 2, done.output
    assert "Error: new" in done.stderr
    assert file.read_text() == "mine"
    assert not list(inputs.rglob("*.part"))


@pytest.mark.parametrize(
    "outputs",
    [
        ("--save", "x.parquet", "--html", "x.parquet"),
        ("--save", "t/judgments.parquet", "--tables", "t"),
        ("--html", "t.html", "--tables", "t.html"),
        ("--save", "t/JUDGMENTS.parquet", "--tables", "./t"),
    ],
)
def test_two_outputs_never_share_a_file(inputs: Path, outputs: tuple[str, ...]) -> None:
    """Whichever would be the first, and where names may differ in case alone."""
    before = bytes_of(inputs)
    done = run("report", *outputs)
    assert (done.exit_code, done.stdout) == (2, "")
    assert bytes_of(inputs) == before


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, partial(os.symlink, "/dev/null")])
@pytest.mark.parametrize(("option", "is_folder"), targets_of("report"))
def test_a_device_is_not_replaced(inputs: Path, option: str, is_folder: bool, make: Any) -> None:
    """Nor a pipe, nor a folder where a file is wanted; nothing is computed before."""
    kind: Any = next(one.type for one in options_of("report") if one.opts[0] == option)
    name = "p" if is_folder else f"p{kind.endings[0]}"
    make(name)
    before = os.lstat(name)
    done = run("report", option, name)
    if is_folder and make is os.mkdir:
        assert not done.exit_code
        return
    assert (done.exit_code, done.stdout) == (2, ""), done.output
    assert os.path.samestat(before, os.lstat(name))


@pytest.mark.slow
def test_labels_that_are_filled_in_stay(inputs: Path) -> None:
    """A draw with nothing filled in is replaced; one with a label, or another column, is not."""
    draw = Path("draw.csv")
    again = partial(run, "label", "--out", str(draw))
    assert not again().exit_code
    assert not again().exit_code
    drawn = pd.read_csv(draw, dtype=str)
    for changed in (
        drawn.assign(target=["A", None, None]),
        drawn.assign(mood="good"),
        drawn.rename(columns={"target": "label"}),
    ):
        changed.to_csv(draw, index=False)
        text = draw.read_text()
        done = again()
        assert (done.exit_code, done.stdout) == (2, "")
        assert "nothing filled in" in done.stderr
        assert draw.read_text() == text


@pytest.mark.slow
def test_a_log_that_was_not_imported_stays(inputs: Path) -> None:
    """Though it has the name of one that an import writes."""
    assert not run("import", "--log-dir", "out").exit_code
    file = min(Path("out").glob("*.eval"))
    shutil.copy("logs/a.eval", file)
    done = run("import", "--log-dir", "out")
    assert (done.exit_code, "no log of an earlier import" in done.stderr) == (2, True)
    assert file.read_bytes() == Path("logs/a.eval").read_bytes()
