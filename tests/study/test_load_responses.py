"""Five responses a question: from the published file, JSONL and the sample pack."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_reliability.errors import UserError
from inspect_reliability.study.benchmarks import Question
from inspect_reliability.study.responses import (
    Answer,
    load_predictions,
    load_responses,
    load_sample_pack,
)
from inspect_reliability.study.responses.responders import responses_per_question

PREFIX: dict[str, str] = {"BBH": "bbh", "SQuAD": "squad", "MT-Bench": "mtb"}


@pytest.mark.parametrize(("benchmark", "count"), [("BBH", 27), ("SQuAD", 20), ("MT-Bench", 8)])
def test_the_published_file_is_read_word_for_word(benchmark: str, count: int, data: Path) -> None:
    """Every id, prompt and response of the published file is there, and nothing else."""
    path = data / "paper/prompt_responses.json"
    published = json.loads(path.read_text())
    found = load_responses(path, benchmark)
    assert len(found) == count
    assert [s.question.id for s in found] == [
        id for id in published if id.startswith(f"{PREFIX[benchmark]}:")
    ]
    for judged in found:
        item = published[judged.question.id]
        assert dict(judged.responses) == item["model_responses"]
        question = judged.question
        if benchmark == "MT-Bench":
            assert list(question.turns) == item["prompt"]
        elif benchmark == "BBH":
            assert question.turns == (item["prompt"],)
        else:
            asked = f"Context: {question.context}\n Question: {question.turns[0]}\n Answer:"
            assert asked == item["prompt"]


@pytest.mark.parametrize("benchmark", PREFIX)
def test_the_sample_pack_knows_the_best(benchmark: str) -> None:
    """Each question of the sample pack has five responses, of which the best is named."""
    for judged in load_sample_pack(benchmark):
        assert len(judged.responses) == 5
        assert judged.best in judged.responses
    assert load_responses(None, benchmark) == load_responses("sample", benchmark)
    with pytest.raises(ValueError, match="the sample pack: no responses by 'nobody'"):
        load_responses(None, benchmark, "nobody")


def _lines(*records: dict[str, Any]) -> str:
    return "\n".join(map(json.dumps, records))


def _record(responder: str = "a", **fields: Any) -> dict[str, Any]:
    return {"question": "Q?", "responder": responder, "response": f"of {responder}"} | fields


def test_json_lines(tmp_path: Path) -> None:
    """One response a line; questions without an id are known by their text."""
    path = tmp_path / "r.jsonl"
    path.write_text(
        _lines(
            *(_record(name, category="c", targets=["T"]) for name in "abcde"),
            *(_record(name, id="2", question="R?", response="") for name in "edcba"),
        )
        + "\n\n"
    )
    one, two = load_responses(path, "BBH")
    assert one.question.id.startswith("text:")
    assert (one.question.category, one.question.targets) == ("c", ("T",))
    assert dict(one.responses) == {name: f"of {name}" for name in "abcde"}
    assert two.question.id == "2"
    assert dict(two.responses) == dict.fromkeys("abcde", "")
    path.write_text(_lines(*(_record(name, question=["Q?", "R?"]) for name in "abcde")))
    assert load_responses(path, "MT-Bench")[0].question.turns == ("Q?", "R?")


def _answers(names: Sequence[str], questions: Sequence[str] = ("1", "2")) -> list[Answer]:
    return [
        Answer(Question(id, "BBH", "", (f"Q{id}",)), name, f"{name}{id}", "here")
        for id in questions
        for name in names
    ]


@given(st.integers(0, 50), st.randoms(use_true_random=False))
def test_five_of_more_are_drawn_by_seed(seed: int, random: Any) -> None:
    """The draw is the same for every question and does not depend on the order of answers."""
    answers = _answers("abcdefgh")
    drawn = [set(s.responses) for s in responses_per_question(answers, None, seed, "x")]
    assert drawn[0] == drawn[1]
    assert len(drawn[0]) == 5
    shuffled = random.sample(answers, len(answers))
    assert {frozenset(s.responses) for s in responses_per_question(shuffled, None, seed, "x")} == {
        frozenset(drawn[0])
    }


def test_five_of_more_are_chosen_by_name() -> None:
    """Named responders are taken in the order given, and seeds reach every responder."""
    for wanted in (list("hgcab"), "h,g,c,a,b"):
        chosen = responses_per_question(_answers("abcdefgh"), wanted, 0, "x")
        assert [list(s.responses) for s in chosen] == [list("hgcab")] * 2
    reached: set[str] = set()
    for seed in range(20):
        reached.update(responses_per_question(_answers("abcdefgh"), None, seed, "x")[0].responses)
    assert reached == set("abcdefgh")


def test_a_gap_of_a_responder_left_out_does_not_matter() -> None:
    """Only the five that are chosen must have answered everything."""
    answers = _answers("abcde") + _answers("f", ["1"])
    assert len(responses_per_question(answers, list("abcde"), 0, "x")) == 2
    with pytest.raises(ValueError, match="'f' has no answer to 1 of 2: '2'"):
        responses_per_question(answers, list("abcdf"), 0, "x")


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
        r"exactly five responses, but there are only 4 responders: 'a', 'b', 'c', 'd'. Run .* 1 mo",
    ),
    "gap": (
        "x.json",
        _item(model_responses={k: "" for k in "abcd"}),
        r"\(1 in common\):\n- 'e' has no answer to 1 of 2: 'bbh:y'",
    ),
    "null": ("x.json", _item(model_responses=FIVE | {"e": None}), "response of 'e': expected text"),
    "not utf-8": ("x.json", b'{"bbh:x": "\xe9"}', "not UTF-8: byte 11 is 0xe9"),
    "line": ("x.jsonl", '{"question": "Q?"', "x.jsonl, line 1 is not JSON"),
    "line shape": ("x.jsonl", "[1]", "line 1: expected an object, found a list"),
    "no responder": (
        "x.jsonl",
        _lines({"question": "Q", "response": ""}),
        "key 'responder'",
    ),
    "no question": (
        "x.jsonl",
        _lines({"responder": "a", "response": ""}),
        "missing key 'quest",
    ),
    "unknown": ("x.jsonl", _lines(_record(answer="A")), "unknown field 'answer'"),
    "two turns": ("x.jsonl", _lines(_record(question=["Q", "R"])), "a BBH question has 1 turn"),
    "twice": ("x.jsonl", _lines(_record(), _record()), "'a' answers question 'text:.*' twice"),
    "differs": (
        "x.jsonl",
        _lines(_record(id="1"), _record("b", id="1", question="Other?")),
        "line 2: question '1' reads differently",
    ),
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
        (["a", "b", "c"], "names 3 .* exactly five"),
        ("a,b,c,d,d", "names 4 .* exactly five"),
        (5, "no responses by '5'"),
    ],
)
def test_wrong_names_are_refused(responders: Any, message: str) -> None:
    """Five different names that exist, or a message."""
    with pytest.raises(ValueError, match=message):
        responses_per_question(_answers("abcdef"), responders, 0, "x")


def test_relative_paths_are_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path counts from where the user stands."""
    (tmp_path / "r.jsonl").write_text(_lines(*(_record(name) for name in "abcde")))
    with pytest.raises(ValueError, match=r"No file or folder 'r\.jsonl'"):
        load_responses("r.jsonl", "BBH")
    monkeypatch.chdir(tmp_path)
    assert len(load_responses("r.jsonl", "BBH")) == 1
    with pytest.raises(UserError, match="No file or folder '2024'"):
        load_responses(2024, "BBH")  # type: ignore[arg-type] # as "-T responses=2024" is read


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
    assert [(a.question.turns[0], a.text) for a in found] == [
        (r["question"], r["response"]) for r in records
    ]
    assert [
        a.question.targets[0] if isinstance(r["ground_truth"], str) else list(a.question.targets)
        for a, r in zip(found, records, strict=True)
    ] == [r["ground_truth"] for r in records]
    assert {a.question.metadata["domain"] for a in found} == {"mag", "dblp"}


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


def test_predictions_need_a_ground_truth_and_come_once(tmp_path: Path) -> None:
    """A prediction without a target cannot be judged; one given twice is a mistake."""
    path = tmp_path / "x.jsonl"
    path.write_text(_lines(_record()))
    with pytest.raises(ValueError, match="has no ground truth"):
        load_predictions(path)
    path.write_text(_lines(_record(targets=["T"]), _record(targets=["T"])))
    with pytest.raises(ValueError, match="answered twice"):
        load_predictions(path)


def test_a_broken_log_among_responders_logs_is_named(tmp_path: Path) -> None:
    """A truncated log in the folder is named, whatever else is there."""
    (tmp_path / "broken.eval").write_bytes(b"PK\x03\x04 no more")
    with pytest.raises(UserError, match=r"broken\.eval cannot be read"):
        load_responses(str(tmp_path), "BBH")
