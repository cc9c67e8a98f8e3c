"""Broken files: what can be used is used, the rest is named; nothing ends in a traceback."""

import json
import shutil
import zipfile
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from inspect_ai.log import read_eval_log, write_eval_log

import example_logs
from commands import invoke
from example_published import judgments_in, published_folder
from inspect_reliability.answers.score_variance import score_variance
from inspect_reliability.cli.options import Finite
from inspect_reliability.designs.design_files import design_from_file
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.count import Judged
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.judgments.sources import judgments_from_file
from inspect_reliability.judgments.table import save
from inspect_reliability.saving import Ours, whole
from inspect_reliability.study.published.imported import (
    file_names,
    published_runs,
    write_published_log,
)
from inspect_reliability.study.responses import load_predictions, load_responses

pytestmark = [pytest.mark.usefixtures("undrawn")]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of 3 questions in 4 replications."""
    folder = tmp_path_factory.mktemp("log")
    return Path(example_logs.judged(folder).location.removeprefix("file://"))


@pytest.fixture
def changed(log: Path, tmp_path: Path) -> Callable[..., Path]:
    """Writes the log with its scores' metadata and its temperature changed."""

    def change(metadata: dict[str, Any], temperature: float | None = 1.0, **rest: Any) -> Path:
        found = read_eval_log(str(log))
        found.plan.config.temperature = temperature
        for sample in found.samples or []:
            for score in (sample.scores or {}).values():
                score.metadata = metadata if rest.get("only") else {**score.metadata, **metadata}
                score.value = rest.get("value", score.value)
        path = tmp_path / "changed.eval"
        write_eval_log(found, str(path))
        return path

    return change


@pytest.mark.slow
@pytest.mark.parametrize(
    ("option", "place"),
    [("--html", "/proc/x.html"), ("--tables", "/proc/x"), ("--figures", "/proc/x")],
)
def test_a_report_that_cannot_be_written(log: Path, option: str, place: str) -> None:
    """The results are printed, and one line says which file could not be written, and why."""
    result = invoke("report", log, option, place)
    assert result.exit_code == 2
    assert "cannot be written: " in result.stderr
    assert "Omega" in result.stdout


@pytest.mark.parametrize("place", ["{folder}/file/p", "{folder}/" + "a" * 400, "{folder}/nul\0"])
@pytest.mark.parametrize("option", ["--html", "--tables", "--figures", "--save"])
def test_a_place_that_can_never_be_written(
    log: Path, tmp_path: Path, option: str, place: str
) -> None:
    """Nothing is computed for it: one line says which it is, and why."""
    (tmp_path / "file").write_text("a file")
    ending = {"--html": ".html", "--save": ".parquet"}.get(option, "")
    result = invoke("report", log, option, place.format(folder=tmp_path) + ending)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "cannot be written: " in result.stderr
    assert [*tmp_path.rglob("*")] == [tmp_path / "file"]


def test_what_was_there_stays_where_writing_fails(tmp_path: Path) -> None:
    """A good page is not replaced by half of one; a link stays a link."""
    page, link = tmp_path / "page.html", tmp_path / "link.html"
    page.write_text("good")
    link.symlink_to(page)

    anything = Ours("page", lambda _: True)

    def half() -> None:
        with whole(link, anything) as part:
            part.write_text("ha")
            raise OSError(28, "No space left on device")

    with pytest.raises(UserError, match="No space left"):
        half()
    assert page.read_text() == "good"
    with whole(link, anything) as part:
        part.write_text("better")
    assert (link.is_symlink(), page.read_text()) == (True, "better")


@pytest.mark.parametrize("kept", [0, 5])
def test_a_finished_log_that_lacks_samples(log: Path, tmp_path: Path, kept: int) -> None:
    """Its samples are counted against what the run made, whatever its status says."""
    broken = tmp_path / "broken.eval"
    with zipfile.ZipFile(log) as old, zipfile.ZipFile(broken, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "summaries.json":
                content = json.dumps(json.loads(content)[:kept]).encode()
            new.writestr(name, content)
    shutil.copy(log, tmp_path / "good.eval")
    notes = " ".join(map(str, judgments_from_logs(tmp_path).notes))
    assert f"broken.eval: {kept} of 12 samples in the log: the others are missing" in notes


def test_a_json_log_without_samples(log: Path, tmp_path: Path) -> None:
    """`"samples": null` is not silence."""
    found = read_eval_log(str(log))
    found.samples = None
    write_eval_log(found, str(tmp_path / f"{log.stem}.json"))
    shutil.copy(log, tmp_path)
    (note,) = judgments_from_logs(tmp_path).notes
    assert "0 of 12 samples in the log" in str(note)


def test_what_is_no_log_though_it_has_the_name_of_one(log: Path, tmp_path: Path) -> None:
    """Links, folders and capitals that inspect passes over are counted in one line."""
    shutil.copy(log, tmp_path)
    (tmp_path / "loop.eval").symlink_to(tmp_path / "loop.eval")
    (tmp_path / "dangling.eval").symlink_to(tmp_path / "nothing")
    (tmp_path / "folder.eval").mkdir()
    shutil.copy(log, tmp_path / "CAPITALS.EVAL")
    found = judgments_from_logs(tmp_path)
    assert len(found) == 12
    (note,) = found.notes
    assert note.count == 4
    assert "that inspect does not list" in note.what


@pytest.mark.parametrize("name", ["a%20b#c?d.eval", "x y+z.eval"])
def test_logs_with_names_that_urls_spell_otherwise(log: Path, tmp_path: Path, name: str) -> None:
    """A log is read through its folder as it is by its name."""
    folder = tmp_path / "odd%20folder#1?"
    folder.mkdir()
    shutil.copy(log, folder / name)
    assert len(judgments_from_logs(folder)) == len(judgments_from_logs(folder / name)) == 12


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [{"seed": 42}, {"seed": 42, "replication": 1}])
def test_the_seed_of_a_dataset_is_that_of_no_draw(
    changed: Callable[..., Path], seeds: dict[str, int]
) -> None:
    """A seed that all epochs of a question share makes no duplicates of them."""
    found = judgments_from_logs(changed(seeds, only=True, value="A"))
    assert (len(found), found.notes) == (12, ())


METADATA: list[tuple[str, Any]] = [
    ("replication", 10**25),
    ("replication", -(10**25)),
    ("seed", 10**25),
    ("temperature", 10**400),
    ("temperature", "hot"),
    ("order", [1, 2]),
    ("order", ["a", ["b"]]),
    ("categories", [["A"], 2]),
    ("responder", 4),
    ("study", 4),
    ("tokens", "many"),
    ("options_not_sent", 4),
    ("own", 10**25),
    ("replications", {"values": [1], "verdicts": "0 0"}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("key", "value"), METADATA)
def test_metadata_of_another_kind(
    changed: Callable[..., Path], tmp_path: Path, key: str, value: Any
) -> None:
    """What has our key but not our type is somebody else's: judgments can be read and saved."""
    saved = tmp_path / "saved.parquet"
    save(judgments_from_logs(changed({key: value})), saved)
    assert len(pd.read_parquet(saved))


@pytest.mark.slow
def test_a_report_of_metadata_of_every_other_kind(log: Path, tmp_path: Path) -> None:
    """The same in one log: its report can be made, with all of its tables."""
    found = read_eval_log(str(log))
    for sample, (key, value) in zip(cycle(found.samples or []), METADATA, strict=False):
        for score in (sample.scores or {}).values():
            score.metadata = {**(score.metadata or {}), key: value}
    write_eval_log(found, str(tmp_path / "changed.eval"))
    made = invoke("report", tmp_path, "--format", "json", "--tables", tmp_path / "data")
    assert made.exit_code == 0
    assert len(pd.read_parquet(tmp_path / "data" / "judgments.parquet"))


def test_orders_of_somebody_else(changed: Callable[..., Path], log: Path) -> None:
    """Without the labels of options, an order is no place of a choice: C stays "correct"."""
    orders = [{"order": ["r", "s", "t"][::step], "seed": step} for step in (1, -1)]
    found = read_eval_log(str(log))
    for sample in found.samples or []:
        for score in (sample.scores or {}).values():
            score.metadata, score.value = orders[sample.epoch % 2], "CI"[sample.epoch // 3]
    table = judgments_from_logs(found).table
    assert set(Judged(table).choices) == {"C", "I"}
    assert len(table) == 12


def test_numbers_of_thousands_of_digits(tmp_path: Path) -> None:
    """JSON that Python reads no number of is refused with its line."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"question": 1, "verdict": "A"}\n{"verdict": 1' + "0" * 5000 + "}")
    result = invoke("report", path)
    assert result.exit_code == 2
    assert f"{path}, line 2 cannot be read" in result.stderr


@pytest.mark.slow
def test_a_copy_is_named(tmp_path: Path) -> None:
    """The same judgments in two files are noted, with the place of the copy."""
    path = tmp_path / "a.csv"
    path.write_text("question,verdict,replication\n" + "q,A,1\nr,B,1\n")
    save(judgments_from_file(path), tmp_path / "a.parquet")
    result = invoke("report", path, tmp_path / "a.parquet")
    notes = " ".join(result.stderr.split())
    assert f"Note: {tmp_path}/a.parquet: 2 judgments are in {path} too" in notes
    assert "copies, counted once" in notes


@pytest.mark.slow
@pytest.mark.parametrize(
    "broken", [{"replication": None}, {"replications": {"values": []}}, {"seed": 2**63}]
)
def test_replications_that_cannot_be_read(
    changed: Callable[..., Path], broken: dict[str, Any]
) -> None:
    """A score whose replications are damaged is no judgment, and that is said."""
    kept = {"values": ["A", "B"], "verdicts": "0 1 0"}
    ours = {"replication": 1, "seed": 5, "replications": kept}
    assert len(judgments_from_logs(changed(ours, only=True, value="A"))) == 36
    with pytest.raises(UserError, match="12 scores left out: their replications or distributions"):
        judgments_from_logs(changed(ours | broken, only=True, value="A"))


@pytest.mark.slow
@pytest.mark.parametrize("value", [10**400, 1e308, float("inf"), {"a": 1e308, "b": -1e308}])
def test_values_beyond_all_bounds(
    changed: Callable[..., Path], value: Any, recwarn: pytest.WarningsRecorder
) -> None:
    """Numbers without a sensible size are verdicts like others, and warn of nothing."""
    assert invoke("report", changed({}, value=value), "--format", "json").exit_code == 0
    assert not [w for w in recwarn if issubclass(w.category, RuntimeWarning | FutureWarning)]


@pytest.mark.slow
@pytest.mark.parametrize("temperature", [float("inf"), float("nan"), -1.0])
def test_temperatures_that_are_none(changed: Callable[..., Path], temperature: float) -> None:
    """What no sampler can be set to is not known."""
    (row,) = json.loads(
        invoke("report", changed({}, temperature=temperature), "--format", "json").stdout
    )["rows"]
    assert row["temperature"] is None


@pytest.mark.parametrize("verdict", ["inf", "1e308"])
def test_the_variance_of_numbers_beyond_all_bounds(verdict: str) -> None:
    """Grades whose squares are no numbers are refused, not computed with."""
    table = pd.DataFrame({"sample": [1, 1, 2], "epoch": 1, "verdict": ["1", verdict, "0"]})
    with pytest.raises(UserError, match="needs numbers or grades"):
        score_variance(table)


BESIDE: dict[str, tuple[str, str, str]] = {
    "truncated": ("prompt_responses.json", '{"bbh:q0": {', "is not JSON"),
    "list": ("prompt_responses.json", "[]", "is not a file of responses"),
    "other type": (
        "prompt_responses.json",
        '{"q": {"type": "zzz", "prompt": "x", "model_responses": {}}}',
        "type 'zzz'",
    ),
    "no turns": (
        "prompt_responses.json",
        '{"q": {"type": "mtb", "prompt": [], "model_responses": {"a": "b"}}}',
        "has 2 turn(s) of text, 'prompt' has 0",
    ),
    "predictions": (
        "application_data/application_responses.json",
        '{"org/small_model": {"mag": [{"question": 3}]}}',
        "missing key 'response'",
    ),
}


@pytest.mark.parametrize("case", BESIDE)
def test_broken_files_beside_published_judgments(tmp_path: Path, case: str) -> None:
    """They are refused: orders, responders and categories would go missing."""
    name, content, why = BESIDE[case]
    folder = published_folder(tmp_path)
    (folder / name).write_text(content)
    with pytest.raises(UserError) as refused:
        [run.facts(question) for run in published_runs(folder) for question in run.outputs]
    assert str(folder / name) in str(refused.value)
    assert why in str(refused.value)


@pytest.mark.parametrize("judge", ["x" * 300, "../../evil", ""])
def test_judges_with_names_that_no_file_can_have(tmp_path: Path, judge: str) -> None:
    """Importing gives each a log in the folder asked for, which reads as the file does."""
    (tmp_path / "results").mkdir()
    outputs = {f"bbh:q{n}": ["Best Response: [A]", "Best Response: [B]"] for n in range(3)}
    (tmp_path / "results" / "full_judgements_a.json").write_text(
        json.dumps({judge: {"temperature: 1": outputs}})
    )
    (one,) = published_runs(tmp_path)
    (name,) = file_names([one])
    path = write_published_log(one, tmp_path / "logs" / name)
    assert [file.name for file in (tmp_path / "logs").iterdir()] == [path.name] == [name]
    read = judgments_from_logs(path).table
    assert list(read["verdict"]) == list(judgments_in(tmp_path)["verdict"])


@pytest.mark.parametrize("path", ["", "nul\0", "a" * 5000, "~nosuch/x", "{loop}", "{file}/in.json"])
@pytest.mark.parametrize(
    "read", [lambda path: load_responses(path, "BBH"), load_predictions, design_from_file]
)
def test_paths_that_lead_nowhere(tmp_path: Path, read: Callable[[str], Any], path: str) -> None:
    """Every reader says so in words."""
    (tmp_path / "file").write_text("a file")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(UserError, match=r"empty|cannot be read|No file"):
        read(path.format(loop=tmp_path / "loop", file=tmp_path / "file"))


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "a%"])
def test_limits_that_are_no_numbers(log: Path, number: str) -> None:
    """No interval can meet or miss such a limit: it is refused."""
    for options in (
        ["gate", log, f"--min=omega={number}"],
        ["plan", log, f"--half-width={number}"],
    ):
        result = invoke(*options)
        assert result.exit_code == 2
        assert number in result.stderr


@pytest.mark.parametrize(("written", "number"), [("75%", 0.75), (" 7.5 % ", 0.075), (".75", 0.75)])
def test_a_percentage_is_a_share(written: str, number: float) -> None:
    """People write the share that a judge must be right in as percent."""
    assert Finite(min=0, max=1).convert(written, None, None) == number


def test_a_folder_that_is_named_twice_is_read_once(tmp_path: Path) -> None:
    """However its path is written: the report is the same, and has no judgment twice."""
    folder = published_folder(tmp_path)
    options = ["report", "--format", "json", folder]
    assert invoke(*options, f"{folder}/.").stdout == invoke(*options).stdout
