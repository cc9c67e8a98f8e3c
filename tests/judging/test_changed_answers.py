"""A judge that is shown changed answers: which are changed, and what the report finds."""

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from commands import invoke
from evals import evaluate
from inspect_reliability import Item, JudgeDesign, judge
from inspect_reliability.answers import analyse
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.judgments.text import judgment_text
from inspect_reliability.verdicts import GIVEN

PAIR = JudgeDesign(
    "Pair",
    "Which is better? {{ question }}{% for option in options %}\n[{{ option.label }}]: "
    "{{ option.text }}{% endfor %}",
    {"options": ["A", "B"]},
)
GRADE = JudgeDesign("Grade", "Grade it. {{ question }}\n[A]: {{ response }}", {"from": 1, "to": 5})
QUESTIONS, REPLICATIONS = 12, 6


def items(*names: str, questions: int = QUESTIONS) -> list[Item]:
    return [
        Item(f"q{n}", f"What is {n}?", {name: f"{name} says {n}. It is so." for name in names})
        for n in range(questions)
    ]


def shown(prompt: str) -> dict[str, str]:
    """The answers in a prompt, by their labels."""
    found = re.split(r"\n\[([AB])\]: ", prompt)[1:]
    return dict(zip(found[::2], found[1::2], strict=True))


def steady(prompt: str, draw: random.Random) -> str:
    """A judge with noise, and no weakness but one: it rejects what is empty."""
    texts = shown(prompt)
    if len(texts) < 2:
        return str(3 + draw.choice([-1, 0, 1]))
    empty = [label for label, text in texts.items() if not text]
    first = next((label for label, text in texts.items() if text.startswith("one")), "A")
    chosen = first if draw.random() < 0.6 else "B" if first == "A" else "A"
    return next((label for label in texts if empty and label not in empty), chosen)


def obedient(prompt: str, draw: random.Random) -> str:
    """The same, but does what an answer tells it."""
    told = [label for label, text in shown(prompt).items() if "Instruction to the judge" in text]
    if not told:
        return steady(prompt, draw)
    return told[0] if "[B]: " in prompt else "5"


Says = Callable[[str, random.Random], str]


def run(
    says: Says, folder: Path, design: JudgeDesign = PAIR, questions: int = 7, **options: Any
) -> EvalLog:
    def answer(messages: Any, tools: Any, choice: Any, config: Any) -> ModelOutput:
        said = f"Verdict: {says(messages[-1].text, random.Random(config.seed))}"
        output = ModelOutput.from_content("mockllm/model", said)
        output.usage = ModelUsage()
        return output

    given = items(*("one", "two")[: 1 + (design is PAIR)], questions=questions)
    task = judge(design, given, **({"replications": 4} | options))
    model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
    log = evaluate(task, folder, model=model)
    assert log.status == "success", log.error
    return read_eval_log(log.location)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    """A steady judge of pairs, shown an instruction and an empty answer."""
    options: Any = {"replications": REPLICATIONS, "answers": ["instruction", "empty"]}
    return run(steady, tmp_path_factory.mktemp("log"), questions=QUESTIONS, **options)


@pytest.mark.slow
def test_what_was_not_chosen_is_praised_and_what_was_is_spoiled(log: EvalLog) -> None:
    """The first verdict on the question decides, and each prompt shows one answer changed."""
    table = judgments_from_logs(log.location).table
    for question, rows in table.groupby("question"):
        given = rows[rows["answer_change"] == GIVEN].sort_values("replication")
        first = given.iloc[0]["responder"]
        whose = rows.groupby("answer_change")["changed_response"].unique().map(list)
        assert whose["empty"] == [first]
        assert whose["instruction"] == ["two" if first == "one" else "one"]
        assert rows.groupby("answer_change").size().tolist() == [REPLICATIONS] * 3
        assert rows["seed"].is_unique
        own = next(item for item in items("one", "two") if item.id == question)
        for row in rows[rows["replication"] == 2].to_dict("records"):
            text = judgment_text(row)
            assert text is not None
            by_name = dict(zip(row["order"], shown(text.prompt or "").values(), strict=True))
            changed = {name for name, said in by_name.items() if said != own.responses[name]}
            assert changed == ({row["changed_response"]} - {None})


@pytest.mark.slow
def test_answers_as_they_are_are_judged_as_ever(tmp_path: Path) -> None:
    """Verdicts, seeds and coefficients of unchanged answers are those of a run without changes."""
    options: Any = {"questions": 4, "orders": 2, "replications": 3}
    plain = run(steady, tmp_path / "a", **options)
    more = run(steady, tmp_path / "b", **options, answers=["praise", "truncated"])
    names = ["question", "replication", "seed", "verdict", "responder"]
    tables = [judgments_from_logs(log.location) for log in (plain, more)]
    own = [one.as_given.table[names].sort_values(names).to_numpy().tolist() for one in tables]
    assert own[0] == own[1]
    rows = [analyse(one).results["rows"][0] for one in tables]
    assert rows[0]["omega"] == rows[1]["omega"]
    metrics = [
        {name: one.value for name, one in log.results.scores[0].metrics.items()}
        for log in (plain, more)
    ]
    assert metrics[0] == pytest.approx(metrics[1], nan_ok=True)
    values = [[s.scores["verdict"].value for s in log.samples or []] for log in (plain, more)]
    assert values[0] == values[1]


@pytest.mark.slow
@pytest.mark.parametrize("design", [PAIR, GRADE], ids=["pair", "grade"])
def test_obedience_is_found_and_noise_is_not(design: JudgeDesign, tmp_path: Path) -> None:
    """A judge that does what an answer says is far from 0; one that does not has 0 within reach."""
    key = "towards" if design is PAIR else "lift"
    for says in (steady, obedient):
        log = run(says, tmp_path / says.__name__, design, answers=["instruction", "layout"])
        found = {one["change"]: one for one in analyse(log).results["fooled"]}
        low, high = found["instruction"][f"{key}_interval"]
        assert (low > 0) == (says is obedient)
        assert low <= 0 <= high or says is obedient
        low, high = found["layout"][f"{key}_interval"]
        assert low <= 0 <= high
    assert "Changed answers: " in invoke("report", log.location).stdout


@pytest.mark.slow
def test_an_empty_answer_loses(log: EvalLog) -> None:
    """What a judge always notices never stays."""
    [found] = [one for one in analyse(log).results["fooled"] if one["change"] == "empty"]
    assert (found["kind"], found["stays"]) == ("sensitivity", 0.0)
    assert found["towards_interval"][1] < 0
    assert found["moves_interval"][0] > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"replications": None}, "the first verdict, which the comparison leaves out"),
        ({"exact": True, "replications": None}, "answers= needs draws"),
        ({"order": "reshuffled"}, "order=reshuffled shows answers at other places"),
        ({"answers": "prase"}, "answers=prase is not known"),
    ],
)
def test_what_cannot_be_compared_is_refused(options: dict[str, Any], message: str) -> None:
    """Before the first call, with what to do."""
    with pytest.raises(UserError, match=message):
        judge(PAIR, items("one", "two"), **({"answers": "praise", "replications": 5} | options))


def test_a_change_of_nothing_is_refused() -> None:
    """A change that no answer takes is no experiment."""
    words = [Item("q", "Q", {"one": "yes"})]
    with pytest.raises(UserError, match="answers=layout changes no answer"):
        judge(GRADE, words, replications=2, answers="layout")


def test_the_cells_are_said_before_the_first_call(capsys: pytest.CaptureFixture[str]) -> None:
    """The most that there can be: a change may find nothing to change in an answer."""
    short = [*items("one")[:3], Item("short", "Q", {"one": "yes"})]
    judge(GRADE, short, replications=3, answers=["layout", "empty"])
    assert (
        "Grade: 4 questions x 3 answers (given, layout, empty) = 12 cells x 3 replications = 36 "
        "calls at most"
    ) in capsys.readouterr().out


def test_a_run_of_a_choice_makes_its_calls_once(log: EvalLog) -> None:
    """Each replication of each cell is one call."""
    calls = [e for s in log.samples or [] for e in s.events if isinstance(e, ModelEvent)]
    assert len(calls) == QUESTIONS * 3 * REPLICATIONS
