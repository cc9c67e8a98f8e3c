"""Head-to-Tail: the predictions of one responder, to be judged right or wrong."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...designs import Item, JudgeDesign
from ...errors import UserError
from ...files import entry, expect, objects, read_json, user_path
from ...verdicts import CORRECT, INCORRECT
from ..benchmarks import Question
from ..benchmarks.head_to_tail import targets_of
from ..benchmarks.right_answer import first_line_contains
from ..benchmarks.selection import SAMPLE_PACK, sample_pack
from .answers import Answer, judged_item
from .places import answers_in

_UNSURE = re.compile(r"\bunsure\b", re.IGNORECASE)
_SOURCE = "published questions and predictions (Schroeder & Wood-Doughty 2024)"


def load_predictions(spec: str | Path | None, responder: str | None = None) -> list[Answer]:
    """Load one responder's answers to Head-to-Tail questions, from the places of `load_responses`.

    Raises:
        UserError: There is no such place or responder, its content has another form, a question has
            no ground truth, or is answered twice.
    """
    if spec is None or spec == SAMPLE_PACK:
        answers = [
            Answer(question, "sample pack", item["prediction"], f"sample pack, '{question.id}'")
            for question, item in sample_pack("Head-to-Tail")
        ]
    else:
        answers = answers_in(user_path(spec), "Head-to-Tail", predictions_from_published)
    names = list(dict.fromkeys(answer.responder for answer in answers))
    if responder is None and len(names) > 1:
        raise UserError(
            f"{spec} has predictions by {len(names)} responders. Choose one with "
            f"-T responder=NAME: {', '.join(names)}."
        )
    chosen = [answer for answer in answers if answer.responder == (responder or names[0])]
    if not chosen:
        raise UserError(f"{spec}: no predictions by '{responder}'. Responders: {', '.join(names)}.")
    seen: set[str] = set()
    for answer in chosen:
        if not answer.question.targets:
            raise UserError(
                f"{answer.where}: question '{answer.question.id}' has no ground truth "
                "('targets'), so a judge cannot tell whether its prediction is right."
            )
        if answer.question.id in seen:
            raise UserError(f"{answer.where}: question '{answer.question.id}' is answered twice.")
        seen.add(answer.question.id)
    return chosen


def prediction_item(prediction: Answer) -> Item:
    """A prediction as a judge is shown it."""
    responses = {prediction.responder: prediction.text}
    missing, label = is_missing(prediction.text), ground_truth(prediction)
    return judged_item(prediction.question, responses, missing=missing, label=label)


def cut(design: JudgeDesign) -> JudgeDesign:
    """The design that shows the first 15 characters of a prediction, as the study's script does."""
    return replace(design, prompt=design.prompt.replace("{{ response }}", "{{ response[:15] }}"))


def ground_truth(prediction: Answer) -> str:
    """The right verdict on a prediction: whether its first line contains an accepted answer."""
    right = first_line_contains(prediction.question, prediction.text)
    return CORRECT if right else INCORRECT


def is_missing(response: str) -> bool:
    """Whether a Head-to-Tail answer is no answer: "unsure" or empty (Sun et al. 2023)."""
    first_line = response.strip().partition("\n")[0]
    return not first_line or bool(_UNSURE.search(first_line))


def predictions_from_published(path: Path, benchmark: str = "Head-to-Tail") -> list[Answer]:
    """The published predictions of every responder, or a UserError."""
    content = expect(read_json(path), dict, str(path))
    answers = []
    for responder, domains in content.items():
        for domain, records in expect(domains, dict, f"{path}, '{responder}'").items():
            where = f"{path}, '{responder}', '{domain}'"
            for number, (place, record) in enumerate(objects(records, where, first=0)):
                said = entry(record, "response", str, place)
                question = _question(record, domain, number, place)
                answers.append(Answer(question, responder, said, place))
    if not answers:
        raise UserError(f"No predictions in {path}.")
    return answers


def _question(record: Mapping[str, Any], domain: str, number: int, where: str) -> Question:
    if "ground_truth" not in record:
        entry(record, "ground_truth", str, where)
    return Question(
        # The study asked the head questions only, in the order of Head-to-Tail's own files.
        id=f"head_to_tail:{domain}:head:{number}",
        benchmark="Head-to-Tail",
        category="head",
        turns=(entry(record, "question", str, where),),
        targets=targets_of(record["ground_truth"], f"{where}, 'ground_truth'"),
        source=_SOURCE,
        metadata={"domain": domain},
    )
