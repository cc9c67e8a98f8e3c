"""Forms of answer: a judge asked for a bare verdict, for JSON and for a sentence."""

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval
from inspect_ai.log import EvalLog

from chat_server import ChatServer, serving
from commands import invoke
from evals import evaluate
from inspect_reliability import Item, JudgeDesign, judge
from inspect_reliability.answers import analyse
from inspect_reliability.designs import design_from_file, forms_of
from inspect_reliability.designs.judge_design import FORMS, ask_for_form, schema_of
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.parsing.reader import Reader
from inspect_reliability.verdicts import GIVEN

DESIGN = JudgeDesign(
    name="Pick",
    prompt="Which is best?\n\nQuestion: {{ question }}"
    "{% for option in options %}\n[{{ option.label }}]: {{ option.text }}{% endfor %}",
    verdict={"options": ["A", "B", "C"]},
)
ITEMS = [Item(f"q{n}", f"{n}?", {"x": "good", "y": f"bad {n}", "z": "poor"}) for n in range(4)]

VERDICTS: list[Any] = [
    {"options": ["A", "B"], "also": ["tie"]},
    ["yes", "no", "not sure"],
    {"from": 1, "to": 10},
    {"from": 0, "to": 1, "step": "any"},
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("verdict", VERDICTS, ids=str)
def test_each_form_is_read_as_it_is_asked_for(verdict: Any, form: Any) -> None:
    """What the words ask for, filled in with a verdict, is read as that verdict."""
    reader = Reader(verdict)
    asked = ask_for_form(reader, form)
    for name in reader.verdicts or ("0", "0.25", "1"):
        value = name if reader.kind == "scale" else json.dumps(name)
        answer = {
            "bare": name,
            "json": f'{{"verdict": {value}}}',
            "sentence": f"My verdict is {name}.",
        }[form]
        assert reader.read(answer).verdict == name
    shown = {"json": '{"verdict": ...}', "sentence": '"My verdict is ...."', "bare": "Give your"}
    assert shown[form] in asked
    assert all(name in asked for name in reader.verdicts if reader.kind != "scale")


def test_a_schema_allows_the_verdicts_and_nothing_else() -> None:
    """Another library that checks schemas takes every verdict, and no other answer."""
    jsonschema = pytest.importorskip("jsonschema")
    for verdict in VERDICTS:
        reader = Reader(verdict)
        check = jsonschema.Draft202012Validator(schema_of(reader))
        right = [json.loads(v) for v in reader.ends] or [*reader.verdicts]
        assert all(check.is_valid({"verdict": value}) for value in right)
        for wrong in ("other", 11, None, ["A"]):
            assert not check.is_valid({"verdict": wrong}), (verdict, wrong)
        assert not check.is_valid({"verdict": right[0], "why": "x"})
        assert not check.is_valid({})
    both = Reader({"criteria": {"style": {"from": 1, "to": 5}, "facts": ["yes", "no"]}})
    check = jsonschema.Draft202012Validator(schema_of(both))
    assert check.is_valid({"style": 4, "facts": "no"})
    assert not check.is_valid({"style": 4})
    assert '{"style": ..., "facts": ...}' in ask_for_form(both, "json")


def test_a_design_asks_for_its_form(tmp_path: Path) -> None:
    """At the end of the prompt, or where the prompt shows it."""
    file = tmp_path / "pick.yaml"
    file.write_text(
        "name: Pick\nprompt: '{{ question }} {{ response }}'\nverdict: [good, bad]\n"
        "answer_form: json\n"
    )
    design = design_from_file(file)
    item = Item("q", "Why?", {"x": "So."})
    prompt = design.ask(item, ["x"])
    assert prompt.startswith("Why? So.\n\nUse this form of answer")
    assert prompt.endswith('{"verdict": ...}. The verdict is one of "good", "bad".')
    shown = JudgeDesign("Pick", "{{ answer_form }} {{ question }} {{ response }}", ["good", "bad"])
    assert shown.ask(item, ["x"]) == " Why? So."
    (bare,) = [one for name, one in forms_of(shown, "bare").items() if name == "bare"]
    assert bare.ask(item, ["x"]).endswith("The verdict is one of good, bad. Why? So.")


@pytest.mark.slow
def test_what_cannot_be_asked_is_refused() -> None:
    """Unknown forms, the design's own, and those that its parser would not read."""
    for asked, message in {
        "xml": "Use bare, json, sentence",
        ("json", "json"): "has this form already",
    }.items():
        with pytest.raises(UserError, match=message):
            judge(DESIGN, ITEMS, answer_forms=asked)
    lone = JudgeDesign("Pick", DESIGN.prompt, DESIGN.verdict, {"pattern": r"\A([ABC])\Z"})
    with pytest.raises(UserError, match=r"does not read \{\"verdict\": \"A\"\}"):
        judge(lone, ITEMS, answer_forms="json")
    several = {"criteria": {"style": {"from": 1, "to": 5}, "facts": ["yes", "no"]}}
    with pytest.raises(UserError, match="outside of JSON"):
        JudgeDesign("Pick", "{{ question }}", several, answer_form="bare")
    with pytest.raises(UserError, match="answer_form"):
        JudgeDesign("Pick", "{{ question }}", ["a", "b"], answer_form="xml")  # type: ignore[arg-type]


@dataclass
class FormServer(ChatServer):
    """A judge that prefers A in JSON and B elsewhere, with some noise."""

    def _text(self, seed: int, body: dict[str, Any]) -> str:
        asked = body["messages"][-1]["content"]
        draws = random.Random(seed)
        noise = draws.random() < 0.2
        if "JSON" in asked:
            return json.dumps({"verdict": "C" if noise else "A"})
        letter = "C" if noise else "B"
        return f"My verdict is {letter}." if "sentence" in asked else letter


def served(server: ChatServer, folder: Path, **options: Any) -> EvalLog:
    with serving(server) as model:
        task = judge(DESIGN, ITEMS, **options)
        (log,) = eval(task, model=model, log_dir=str(folder), display="none", log_realtime=False)
    assert log.status == "success", log.error
    return log


@pytest.mark.server
@pytest.mark.parametrize("refuses", [(), ("response_format",)])
def test_the_form_moves_the_verdict(tmp_path: Path, refuses: tuple[str, ...]) -> None:
    """A schema reaches a server that takes one, the words every one; a report says what moved."""
    server = FormServer(refuses=refuses)
    log = served(server, tmp_path, answer_forms=["json", "sentence"], replications=3)
    schemas = [one for one in server.requests if "response_format" in one]
    assert bool(schemas) is not bool(refuses)
    assert all("JSON" in one["messages"][-1]["content"] for one in schemas)
    if schemas:
        sent = schemas[0]["response_format"]["json_schema"]["schema"]
        assert sent["properties"]["verdict"]["enum"] == ["A", "B", "C"]
    table = judgments_from_logs(log.location).table
    assert table.groupby("answer_form").size().to_dict() == {GIVEN: 12, "json": 12, "sentence": 12}
    assert set(table[table["answer_form"] == "json"]["verdict"]) == {"A", "C"}
    assert set(table[table["answer_form"] == "json"]["read_by"]) == {"json"}
    (move,) = analyse(judgments_from_logs(log.location)).results["moves"]
    assert move["facet"] == "answer_form"
    assert move["disagreement_across"] - move["disagreement_within"] > 0.2
    shown = invoke("report", log.location, "--full").stdout
    assert "answer_form" in shown
    assert ("response_schema" in shown) is bool(refuses)
    assert ("options_not_sent" in table) is bool(refuses)


@pytest.mark.slow
def test_a_local_judge_is_asked_in_words(tmp_path: Path) -> None:
    """The tiny judge takes no schema, and its own form keeps prompts and seeds of a run without."""
    from inspect_reliability.study.tasks import bbh_judge

    columns = ["question", "replication", "seed", "verdict"]
    model = "hf_seeded/tiny-judge"
    log = evaluate(
        bbh_judge(answer_forms=["bare", "json", "sentence"], replications=3),
        tmp_path / "a",
        model=model,
        limit=2,
    )
    assert log.status == "success", log.error
    table = judgments_from_logs(log.location).table
    assert table.groupby("answer_form").size().to_dict() == dict.fromkeys([GIVEN, *FORMS], 6)
    assert set(table["options_not_sent"]) == {"response_schema"}
    plain = evaluate(bbh_judge(replications=3), tmp_path / "b", model=model, limit=2)
    own = table[table["answer_form"] == GIVEN][columns].reset_index(drop=True)
    assert own.equals(judgments_from_logs(plain.location).table[columns])
    assert log.samples is not None
    cells = (log.samples[0].scores or {})["verdict"].explanation or ""
    assert all(f"**{form}**" in cells for form in (GIVEN, *FORMS))
