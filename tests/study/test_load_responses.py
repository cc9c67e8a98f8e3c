"""Five responses a question: from the published file, JSONL and the sample pack."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from inspect_reliability.designs import Item
from inspect_reliability.errors import UserError
from inspect_reliability.study.benchmarks import question, sample_pack
from inspect_reliability.study.responses import load_predictions, load_responses
from inspect_reliability.study.responses.responders import with_five

PREFIX: dict[str, str] = {"BBH": "bbh", "SQuAD": "squad", "MT-Bench": "mtb"}


@pytest.mark.parametrize(("benchmark", "count"), [("BBH", 27), ("SQuAD", 20), ("MT-Bench", 8)])
def test_the_published_file_is_read_word_for_word(benchmark: str, count: int, data: Path) -> None:
    """Every id, prompt and response of the published file is there, and nothing else."""
    path = data / "paper/prompt_responses.json"
    published = json.loads(path.read_text())
    found = load_responses(path, benchmark)
    assert len(found) == count
    assert [one.id for one in found] == [
        id for id in published if id.startswith(f"{PREFIX[benchmark]}:")
    ]
    for item in found:
        given = published[item.id]
        assert item.responses == given["model_responses"]
        if benchmark == "MT-Bench":
            assert item.fields["turns"] == given["prompt"]
        elif benchmark == "BBH":
            assert item.question == given["prompt"]
        else:
            assert (
                f"Context: {item.context}\n Question: {item.question}\n Answer:" == given["prompt"]
            )


@pytest.mark.parametrize("benchmark", PREFIX)
def test_the_sample_pack_knows_the_best(benchmark: str) -> None:
    """Each question of the sample pack has five responses, of which the best is named."""
    for item in sample_pack(benchmark):
        assert len(item.responses) == 5
        assert item.best in item.responses
    assert load_responses(None, benchmark) == load_responses("sample", benchmark)
    with pytest.raises(ValueError, match="sample: no responses by 'nobody'"):
        load_responses(None, benchmark, "nobody")


def _lines(*records: dict[str, Any]) -> str:
    return "\n".join(map(json.dumps, records))


def _row(**fields: Any) -> dict[str, Any]:
    return {
        "id": "1",
        "question": "Q?",
        "responses": {name: f"of {name}" for name in "abcde"},
    } | fields


def test_json_lines(tmp_path: Path) -> None:
    """Rows of a judge of one's own are the study's as well: one question a line."""
    path = tmp_path / "r.jsonl"
    path.write_text(
        _lines(_row(category="c"), _row(id=2, responses=dict.fromkeys("edcba", ""))) + "\n\n"
    )
    one, two = load_responses(path, "BBH")
    assert (one.id, one.fields) == ("1", {"category": "c"})
    assert one.responses == {name: f"of {name}" for name in "abcde"}
    assert (two.id, two.responses) == ("2", dict.fromkeys("abcde", ""))
    path.write_text(_lines(_row(turns=["Q?", "R?"])))
    assert load_responses(path, "MT-Bench")[0].fields["turns"] == ["Q?", "R?"]


def _answers(names: Sequence[str], questions: Sequence[str] = ("1", "2")) -> list[Item]:
    return [
        replace(question(id, "", [f"Q{id}"]), responses={name: f"{name}{id}"})
        for id in questions
        for name in names
    ]


def test_five_of_more_are_chosen_by_name() -> None:
    """Named responders are taken, and without names it is said what to do."""
    for wanted in (list("hgcab"), "h,g,c,a,b"):
        chosen = with_five(_answers("abcdefgh"), wanted, "x")
        assert [set(s.responses) for s in chosen] == [set("hgcab")] * 2
    with pytest.raises(ValueError, match=r"here are 8 responders: 'a', .* Name five"):
        with_five(_answers("abcdefgh"), None, "x")


def test_a_gap_of_a_responder_left_out_does_not_matter() -> None:
    """Only the five that are chosen must have answered everything."""
    answers = _answers("abcde") + _answers("f", ["1"])
    assert len(with_five(answers, list("abcde"), "x")) == 2
    with pytest.raises(ValueError, match="'f' has no answer to 1 of 2: '2'"):
        with_five(answers, list("abcdf"), "x")


FIVE = {name: f"of {name}" for name in "abcde"}
ITEM = {"type": "bbh", "prompt": "Q?", "model_responses": FIVE}


def _item(**fields: Any) -> dict[str, Any]:
    return {"bbh:x": ITEM, "bbh:y": ITEM | fields}


BAD: dict[str, tuple[str, object, str]] = {
    "malformed": ("x.json", '{"bbh:x": ', r"x.json is not JSON: Expecting value, line 1, column 1"),
    "shape": ("x.json", {"rows": []}, "is not a file of responses. Expected the published form"),
    "list": ("x.json", [1], "is not a file of responses"),
    "empty": ("x.json", {}, "is not a file of responses"),
    "suffix": ("x.txt", "", "is not a file of responses"),
    "id twice": (
        "x.json",
        f'{{"bbh:x": {json.dumps(ITEM)}, "bbh:x": {json.dumps(ITEM)}}}',
        "duplicate key 'bbh:x'",
    ),
    "type": ("x.json", _item(type="trivia"), "'bbh:y': type 'trivia' is not one of"),
    "no prompt": ("x.json", {"bbh:y": {"type": "bbh", "model_responses": FIVE}}, "key 'prompt'"),
    "no responses": ("x.json", _item(model_responses=[]), "'model_responses': expected an object"),
    "other benchmark": ("x.json", {"m": ITEM | {"type": "mtb", "prompt": ["Q", "R"]}}, "No respon"),
    "four": (
        "x.json",
        {"bbh:x": ITEM | {"model_responses": {k: "" for k in "abcd"}}},
        r"exactly five responses, and here are 4 responders: 'a', 'b', 'c', 'd'. Run .* 1 mo",
    ),
    "gap": (
        "x.json",
        _item(model_responses={k: "" for k in "abcd"}),
        r"\(1 in common\):\n- 'e' has no answer to 1 of 2: 'bbh:y'",
    ),
    "null": ("x.json", _item(model_responses=FIVE | {"e": None}), "response of 'e': expected text"),
    "not utf-8": ("x.json", b'{"bbh:x": "\xe9"}', "not UTF-8: byte 11 is 0xe9"),
    "twice": ("x.jsonl", '{"question": 1, "question": 2}', r"\A\S*x.jsonl, line 1: duplicate key"),
    "line": ("x.jsonl", '{"question": "Q?"', "x.jsonl, line 1 is not JSON"),
    "line shape": ("x.jsonl", "[1]", "line 1: expected an object, found a list"),
    "no responses in a row": ("x.jsonl", _lines(_row(responses=None)), "line 1, 'responses': exp"),
    "four in a row": ("x.jsonl", _lines(_row(responses={"a": ""})), "needs 5 in each row"),
    "two turns": ("x.json", _item(prompt=["Q", "R"]), "a BBH question has 1 turn"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused_in_words(case: str, tmp_path: Path) -> None:
    """A bad file gives one message that says what is wrong and where, and no responses."""
    name, content, message = BAD[case]
    path = tmp_path / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(ValueError, match=f"(?s){message}"):
        load_responses(path, "BBH")


@pytest.mark.parametrize(
    ("responders", "message"),
    [
        (["a", "b", "c", "d", "z"], "no responses by 'z'. Responders: 'a', 'b'"),
        (["a", "b", "c"], "exactly five .* here are 3"),
        ("a,b,c,d,d", "exactly five .* here are 4"),
        (5, "no responses by '5'"),
    ],
)
def test_wrong_names_are_refused(responders: Any, message: str) -> None:
    """Five different names that exist, or a message."""
    with pytest.raises(ValueError, match=message):
        with_five(_answers("abcdef"), responders, "x")


def test_relative_paths_are_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path counts from where the user stands."""
    (tmp_path / "r.jsonl").write_text(_lines(_row()))
    with pytest.raises(ValueError, match=r"No file or folder 'r\.jsonl'"):
        load_responses("r.jsonl", "BBH")
    monkeypatch.chdir(tmp_path)
    assert len(load_responses("r.jsonl", "BBH")) == 1
    with pytest.raises(UserError, match="No file or folder '2024'"):
        load_responses(2024, "BBH")  # type: ignore[arg-type] # as "-T responses=2024" is read


@pytest.mark.slow
def test_published_predictions(data: Path) -> None:
    """The published Head-to-Tail predictions are whole, with their ground truths."""
    path = data / "paper/application_data/application_responses.json"
    published = json.loads(path.read_text())
    with pytest.raises(ValueError, match=r"predictions by 2 responders\. Choose one"):
        load_predictions(path)
    with pytest.raises(ValueError, match="no predictions by 'nobody'"):
        load_predictions(path, "nobody")
    found = load_predictions(path, "tiiuae/falcon-7b")
    records = [r for domain in published["tiiuae/falcon-7b"].values() for r in domain]
    assert [(one.question, *one.responses.values()) for one in found] == [
        (r["question"], r["response"]) for r in records
    ]
    truths = [r["ground_truth"] for r in records]
    assert [one.fields["targets"] for one in found] == [
        [truth] if isinstance(truth, str) else truth for truth in truths
    ]
    assert {one.fields["domain"] for one in found} == {"mag", "dblp"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "No predictions in"),
        ({"m": []}, "'m': expected an object, found a list"),
        ({"m": {"mag": [{"question": "Q"}]}}, "missing key 'response'"),
        ({"m": {"mag": [{"question": "Q", "response": ""}]}}, "missing key 'ground_truth'"),
    ],
)
def test_bad_predictions_are_refused(content: object, message: str, tmp_path: Path) -> None:
    """A file of another shape gives one message."""
    path = tmp_path / "x.json"
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match=message):
        load_predictions(path)


def test_predictions_need_a_ground_truth(tmp_path: Path) -> None:
    """A prediction without a target cannot be judged."""
    path = tmp_path / "x.jsonl"
    path.write_text(_lines(_row(responses={"a": "T"})))
    with pytest.raises(ValueError, match=r"line 1, prompt of 'Head-to-Tail', .*'targets' is undef"):
        load_predictions(path)


def test_one_question_in_two_places_reads_the_same() -> None:
    """Answers to two questions under one id cannot be compared."""
    other = replace(_answers("b", ["1"])[0], question="Other?")
    with pytest.raises(ValueError, match="question '1' reads differently"):
        with_five([*_answers("a", ["1"]), other], None, "x")


def test_a_broken_log_among_responders_logs_is_named(tmp_path: Path) -> None:
    """A truncated log in the folder is named, whatever else is there."""
    (tmp_path / "broken.eval").write_bytes(b"PK\x03\x04 no more")
    with pytest.raises(UserError, match=r"broken\.eval cannot be read"):
        load_responses(str(tmp_path), "BBH")
