"""Judgments of the published layout."""

import json
import re
import signal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.log import EvalLog, read_eval_log

from example_published import (
    JUDGES,
    QUESTIONS,
    REPLICATIONS,
    RESPONDERS,
    content,
    imported,
    judgments_in,
    published_folder,
)
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.judgments.text import judgment_text
from inspect_reliability.saving import alone
from inspect_reliability.study.published.imported import (
    PublishedRun,
    best_of_five,
    file_names,
    full_name,
    published_runs,
    write_published_logs,
)
from processes import COMMAND, python

LETTERS = tuple("ABCDE")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return published_folder(tmp_path)


def file_of(folder: Path, judge: str = JUDGES[0]) -> Path:
    return folder / "results" / f"full_judgements_{judge.replace('/', '_')}.json"


@pytest.mark.parametrize(
    ("stem", "known", "name"),
    [
        ("meta-llama_Meta-Llama-3-8B-Instruct", [], "meta-llama/Meta-Llama-3-8B-Instruct"),
        ("google_gemma_7b", [], "google/gemma_7b"),
        ("gpt2", [], "gpt2"),
        ("odd_org_name", ["odd_org/name"], "odd_org/name"),
        ("odd_org_name", ["other/name"], "odd/org_name"),
    ],
)
def test_slash_of_a_name(stem: str, known: list[str], name: str) -> None:
    """The first underscore is the slash, unless a known name says otherwise."""
    assert full_name(stem, known) == name


def test_every_output_is_a_judgment(folder: Path) -> None:
    """Each output stands in the table once, read by the published pattern."""
    table = judgments_in(folder)
    best = table[table["benchmark"] != "Head-to-Tail"]
    groups: Any = best.groupby(["judge", "temperature"])
    for (judge, temperature), rows in groups:
        key = {1: "1", 0.5: "0.5", 0: "2.220446049250313e-16"}[temperature]
        outputs = content(judge)[judge][f"temperature: {key}"]
        found = {(r.question, r.replication): r.verdict for r in rows.itertuples()}
        assert found == {
            (q, n): best_of_five(text)
            for q, texts in outputs.items()
            for n, text in enumerate(texts, 1)
        }
    assert len(best) == 2 * 3 * len(QUESTIONS) * REPLICATIONS
    assert set(best["judge"]) == set(JUDGES)
    assert set(best["benchmark"]) == {"BBH", "SQuAD", "MT-Bench"}


def test_letters_are_responders(folder: Path) -> None:
    """The responder behind a letter is the one at its place in the published responses."""
    table = judgments_in(folder)
    chosen = table[table["verdict"].isin(LETTERS)]
    assert len(chosen)
    for row in chosen.itertuples():
        assert row.responder == RESPONDERS[LETTERS.index(row.verdict)]


def test_names_of_a_head_to_tail_file(folder: Path) -> None:
    """Judge and responder come from names found in the files, underscores and all."""
    table = judgments_in(folder)
    rows = table[table["benchmark"] == "Head-to-Tail"]
    assert set(rows["judge"]) == {"acme/Judge-1_b"}
    assert set(rows["responder"]) == {"org/small_model"}
    assert rows["temperature"].isna().all()
    assert set(rows["verdict"]) == {"correct", "incorrect", "non-response"}
    missing = rows.groupby("question")["missing"].first()
    assert missing.tolist() == [False, False, False, True]


def test_names_without_the_other_files(folder: Path) -> None:
    """Alone, a Head-to-Tail file's name is split at "_by_" and the first underscores."""
    (folder / "application_data" / "application_responses.json").unlink()
    for path in folder.glob("results/*"):
        path.unlink()
    table = judgments_in(folder)
    assert set(table["judge"]) == {"acme/Judge-1_b"}
    assert set(table["responder"]) == {"org/small_model"}


@pytest.mark.slow
def test_a_second_copy_adds_nothing(folder: Path, tmp_path: Path) -> None:
    """A judge whose file is there twice is counted once, and that is said."""
    [(judge, by_temperature)] = content(JUDGES[0]).items()
    for path in [*folder.rglob("judge_full_*"), *(folder / "results").iterdir()]:
        path.unlink()
    for path in (file_of(folder), file_of(folder, "copy")):
        path.write_text(json.dumps({judge: {"temperature: 1": by_temperature["temperature: 1"]}}))
    judgments = imported(folder, tmp_path / "logs")
    asked = judgments.table[["judge", "temperature", "question", "replication"]]
    assert not asked.duplicated().any()
    assert len(asked) == len(QUESTIONS) * REPLICATIONS
    assert sum(note.count for note in judgments.notes) == len(QUESTIONS) * REPLICATIONS


@pytest.mark.parametrize(
    ("damage", "what"),
    [
        (lambda text: text[: len(text) // 2], "is not JSON"),
        (lambda text: text.replace("temperature: 1", "heat: 1"), "temperature: <number>"),
        (lambda text: "[]", "expected an object"),
        (lambda text: text.replace("temperature: 1", "temperature: 1e999"), "1e999"),
        (lambda text: text.replace("temperature: 1", "temperature: --"), "'temperature: --'"),
        (lambda text: text.replace('"I cannot say."', "5"), "expected text, found a number"),
        (lambda text: text.replace('"I cannot say."', "null"), "expected text"),
        (lambda text: '{"a": {"temperature: 1": {"bbh:x": "A"}}}', "expected a list"),
        (lambda text: '{"a": {"temperature: 1": {"bbh:x": []}}}', "no output"),
        (lambda text: '{"a": [], "b": {}}', "expected an object, found a list"),
        (lambda text: b"\xff", "not UTF-8"),
    ],
)
def test_a_broken_file_is_named(folder: Path, damage, what: str) -> None:
    """What the study did not publish is refused, with its place."""
    path = file_of(folder)
    broken = damage(path.read_text())
    path.write_bytes(broken if isinstance(broken, bytes) else broken.encode())
    with pytest.raises(UserError, match=re.escape(what)) as refused:
        published_runs(folder)
    assert str(path) in str(refused.value)


def test_another_folder(tmp_path: Path) -> None:
    """A folder of another layout is told from a published one."""
    with pytest.raises(UserError, match="has neither results/full_judgements"):
        published_runs(tmp_path)


@pytest.mark.slow
def test_logs_say_what_their_files_said(folder: Path, small_logs: Path) -> None:
    """A row leads back to its output and to a prompt with all five responses."""
    table = judgments_from_logs(small_logs).table
    asked = ["judge", "benchmark", "question", "replication", "responder", "verdict", "uuid"]
    written, given = (one[asked].fillna("").value_counts() for one in (table, judgments_in(folder)))
    assert written.sort_index().equals(given.sort_index())
    row = table.query(
        "judge == 'other/judge' and temperature == 0.5 and question == 'mtb:m2'"
    ).iloc[4]
    text = judgment_text(row.to_dict())
    assert text is not None
    assert text.output == content("other/judge")["other/judge"]["temperature: 0.5"]["mtb:m2"][4]
    assert text.prompt is not None
    assert all(f"{name} on mtb:m2" in text.prompt for name in RESPONDERS)


NAMES = ["a/b_c", "a_b/c", "a b/c", "A/b_c", "long" * 75, "../../up"]


@pytest.mark.slow
def test_logs_of_like_names_do_not_overwrite_each_other(tmp_path: Path) -> None:
    """Each judge and temperature has a log of its own, the same one each time."""
    temperatures = {f"temperature: {t}": {"bbh:q": ["[A]", "[B]"]} for t in ("1", "1.0000001")}
    file = tmp_path / "published" / "results" / "full_judgements_many.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(dict.fromkeys(NAMES, temperatures)))
    log_dir = tmp_path / "logs"
    for _ in range(2):
        paths = {path for path, _ in write_published_logs(published_runs(file.parents[1]), log_dir)}
        written = list(log_dir.iterdir())
        assert paths == set(written)
        assert len(written) == 2 * len(NAMES)
        found = {(log.eval.model, log.plan.config.temperature) for log in map(header, written)}
        assert found == {(name, t) for name in NAMES for t in (1, 1.0000001)}


def header(path: Path) -> EvalLog:
    return read_eval_log(str(path), header_only=True)


@pytest.mark.slow
@given(
    st.lists(
        st.builds(
            PublishedRun,
            st.text(max_size=200),
            st.sampled_from(["BBH", "Head-to-Tail", "x_y"]),
            st.none() | st.floats(min_value=0, max_value=2),
            st.none() | st.text(max_size=200),
            st.sampled_from([Path("a.json"), Path("b.json")]),
            st.just({}),
        ),
        max_size=8,
    )
)
def test_names_of_files_are_distinct_and_usable(runs: list[PublishedRun]) -> None:
    """No two runs share a name, however they are called, nor differ in case alone."""
    names = file_names(runs)
    assert len({name.casefold() for name in names}) == len(runs)
    assert names == file_names(runs)
    for name in names:
        assert re.fullmatch(r"[A-Za-z0-9._-]{1,150}\.eval", name)


# Ends the import before the log of one run has its name.
KILLED = """
import os, signal, sys

def kill(event, arguments):
    if event == "os.rename" and str(arguments[1]).endswith("t0.5.eval"):
        os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(kill)
"""


@pytest.mark.slow
def test_a_killed_import_leaves_whole_logs(tmp_path: Path) -> None:
    """What cannot be read after a kill has no name of a log."""
    folder, log_dir = published_folder(tmp_path / "published"), tmp_path / "logs"
    killed = python(KILLED + COMMAND, "import", folder, "--log-dir", log_dir)
    assert killed.returncode == -signal.SIGKILL
    for path in log_dir.glob("*.eval"):
        assert read_eval_log(str(path)).status == "success"
    assert [path for path in log_dir.iterdir() if path.suffix != ".eval"]  # it was half-way
    for _ in write_published_logs(published_runs(folder), log_dir):
        pass
    assert len(list(log_dir.glob("*.eval"))) == 3 * 3 * 2 + 1


def test_two_imports_do_not_write_one_folder(tmp_path: Path) -> None:
    """The second is refused in words."""
    with alone(tmp_path / "logs"), pytest.raises(UserError, match="Another process is writing"):
        next(
            write_published_logs(
                published_runs(published_folder(tmp_path / "published")), tmp_path / "logs"
            )
        )
