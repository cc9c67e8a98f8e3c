"""A grader in several wordings: what it is asked, and how far they move the verdict."""

from pathlib import Path
from typing import Any

import pytest
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalLog
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match, model_graded_qa

from commands import invoke
from graders import LENIENT, TEMPLATE, in_full, letters, rejudged, run, suite, tiny, wins
from inspect_reliability.answers import analyse
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.rejudging.rejudging import Rejudging

ALL = "{question} {criterion} {answer} {instructions}"


def wordings(folder: Path, text: str) -> Path:
    file = folder / "wordings.yaml"
    file.write_text(f"wordings:\n{text}")
    return file


def graded_by(words: str) -> Model:
    """A grader that finds correct what it is asked with these words."""

    def answer(input: Any, *_: Any) -> ModelOutput:
        said = "C" if words in input[-1].text else "I"
        output = ModelOutput.from_content("mock", f"GRADE: {said}")
        output.usage = ModelUsage(input_tokens=9, output_tokens=1, total_tokens=10)
        return output

    return get_model("mockllm/model", custom_outputs=answer)


def plain(folder: Path) -> EvalLog:
    return run(suite(model_graded_qa()), folder / "logs", get_model(f"{LENIENT}/one"))


def kept(log: EvalLog) -> list[dict[str, Any]]:
    return [
        in_full(score) | {"wording": (score.metadata or {}).get("wording")}
        for sample in log.samples or []
        for name, score in (sample.scores or {}).items()
        if name.startswith("rejudge")
    ]


@pytest.mark.slow
def test_each_wording_is_asked_with_seeds_of_its_own(tmp_path: Path) -> None:
    """What a score says of its wording, seeds and texts is what the judge was asked and said."""
    log = run(suite(letters(), questions=2), tmp_path, tiny())
    other = TEMPLATE.replace("Responses:", "Answers:").replace("\n", "\n    ")
    file = wordings(tmp_path, f"- name: answers\n  prompt: |-\n    {other}\n")
    judged = rejudged(log, tmp_path / "again", replications=4, wordings=file)
    said: dict[int, tuple[str, str]] = {}
    for sample in judged.samples or []:
        for event in sample.events:
            if isinstance(event, ModelEvent):
                asked = "answers" if "Answers:" in event.input[-1].text else "given"
                for place, choice in enumerate(event.output.choices):
                    said[(event.config.seed or 0) + place] = asked, choice.message.text
    scores = kept(judged)
    assert sorted(one["wording"] for one in scores) == ["answers"] * 2 + ["given"] * 2
    for one in scores:
        for seed, text in zip(one["seeds"], one["explanations"], strict=True):
            assert said[seed][0] == one["wording"]
            assert said[seed][1] in text
    assert len({seed for one in scores for seed in one["seeds"]}) == 16


def test_the_report_says_how_far_wordings_move_the_verdict(tmp_path: Path) -> None:
    """Of three wordings one gives another grade: two of three pairs across them differ, and no
    other does."""
    file = wordings(tmp_path, f"- name: short\n  prompt: '{ALL}'\n- prompt: '{ALL} Now judge.'\n")
    judged = rejudged(
        plain(tmp_path),
        tmp_path / "again",
        model=graded_by("Now judge."),
        replications=2,
        wordings=file,
    )
    found = judgments_from_logs(judged)
    own = found.table
    assert len(own) == 3 * 3 * 2
    assert not [note for note in found.notes if "duplicate" in str(note)]
    grades = own.groupby("wording")["verdict"].unique().map(list).to_dict()
    assert grades == {"given": ["I"], "short": ["I"], "2": ["C"]}
    [moved] = [one for one in analyse(found).results["moves"] if one["facet"] == "wording"]
    assert moved["levels"] == 3
    assert moved["disagreement_across"] == pytest.approx(2 / 3)
    assert moved["disagreement_within"] == 0


def test_instructions_are_a_wording_too(tmp_path: Path) -> None:
    """Where a wording has instructions alone, the template stays."""
    file = wordings(tmp_path, "- instructions: 'Say GRADE: C or GRADE: I, nothing else.'\n")
    grader = graded_by("nothing else.")
    judged = rejudged(
        plain(tmp_path), tmp_path / "again", model=grader, replications=1, wordings=file
    )
    values = {one["wording"]: one["verdicts"] for one in kept(judged)}
    assert values == {"given": ["I"], "1": ["C"]}


def test_the_command_says_cells_and_calls_and_goes_on(tmp_path: Path) -> None:
    """They are said before the first call; later runs add what is missing, and keep the rest."""
    log = plain(tmp_path).location
    file = wordings(tmp_path, f"- name: short\n  prompt: '{ALL}'\n")
    folder = tmp_path / "out"
    command = ["rejudge", log, "--log-dir", str(folder), "--replications"]

    def judge(*more: str) -> str:
        done = invoke(*command, *more)
        assert done.exit_code == 0, done.output
        return " ".join(done.stderr.split())

    judge("2")
    first = judgments_from_logs(folder).table
    said = judge("3", "--wordings", str(file), "--dry-run")
    assert "Wordings: given, short. 3 outputs x 2 = 6 cells of 3 replications." in said
    assert "Together 12 calls" in said
    judge("3", "--wordings", str(file))
    after = judgments_from_logs(folder)
    assert after.table.groupby(["question", "wording"]).size().to_dict() == {
        (question, wording): 3 for question in "012" for wording in ("given", "short")
    }
    assert {*first["seed"]} < {*after.table["seed"]}
    assert not after.notes
    assert "Together 0 calls" in judge("3", "--wordings", str(file))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("- 'Judge {answer}.'", r"'1': the template lacks {criterion}, {instructions}, {question}"),
        (f"- '{ALL} {{mood}}'", r"nothing fills in {mood}"),
        (f"- '{ALL} {{'", r"cannot be filled in"),
        ("- name: x", r"item 1: missing field 'prompt' or 'instructions'"),
        (
            "- name: x\n  text: y",
            r"unknown field 'text'. Allowed fields: name, prompt, instructions",
        ),
        (f"- name: given\n  prompt: '{ALL}'", r"two wordings are called 'given'"),
        ("  []", r"expected 1 or more, found 0"),
    ],
)
def test_wordings_that_do_not_fit_are_refused(tmp_path: Path, text: str, why: str) -> None:
    """Before the first call, with the file's name and what is wrong with the wording."""
    file = wordings(tmp_path, text)
    with pytest.raises(UserError) as refused:
        Rejudging(plain(tmp_path), wordings=file)
    assert str(file) in str(refused.value)
    assert why in str(refused.value)


def test_a_scorer_without_a_template_has_no_wordings(tmp_path: Path) -> None:
    """A scorer that is not known to take a template or instructions is refused with the reason."""
    task = suite(match())
    task.scorer = [match(), wins()]
    log = run(task, tmp_path, graded_by("?"))
    file = wordings(tmp_path, f"- '{ALL}'")
    with pytest.raises(UserError, match="cannot be asked in other words"):
        Rejudging(log, "wins", wordings=file)


def test_a_wording_keeps_its_text(tmp_path: Path) -> None:
    """Another text by the same name is no more of it."""
    log, grader = plain(tmp_path), f"{LENIENT}/one"
    file, folder = wordings(tmp_path, f"- '{ALL}'"), tmp_path / "again"
    rejudged(log, folder, model=grader, replications=1, wordings=file)
    wordings(tmp_path, f"- 'Another. {ALL}'")
    with pytest.raises(UserError, match="has judgments with wording 1"):
        rejudged(log, folder, model=grader, replications=2, wordings=file)
