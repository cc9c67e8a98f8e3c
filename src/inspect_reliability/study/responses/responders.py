"""Exactly five responders, each with an answer to every question."""

import random
from collections.abc import Sequence

from ...errors import UserError
from ..benchmarks import Question
from .answers import Answer, ResponseSet

FIVE = 5
"""Number of responses that the paper's judges choose from."""

_MOST = 6
"""Most names listed by an error."""


def responses_per_question(
    answers: Sequence[Answer], responders: Sequence[str] | str | None, seed: int, source: str
) -> list[ResponseSet]:
    """Arrange answers as five responses a question (see `choose_responders`).

    Raises:
        UserError: Not five responders; two answers to one question by one responder; two
            questions under one id; a responder without an answer to a question.
    """
    questions: dict[str, Question] = {}
    said: dict[str, dict[str, Answer]] = {}
    for answer in answers:
        question = questions.setdefault(answer.question.id, answer.question)
        asked = answer.question
        if (question.turns, question.context) != (asked.turns, asked.context):
            raise UserError(
                f"{answer.where}: question '{question.id}' reads differently than it does "
                "elsewhere. Responses can be compared only on the same question."
            )
        of_responder = said.setdefault(answer.responder, {})
        if question.id in of_responder:
            raise UserError(
                f"Responder '{answer.responder}' answers question '{question.id}' twice: "
                f"{of_responder[question.id].where} and {answer.where}."
            )
        of_responder[question.id] = answer
    chosen = choose_responders(list(said), responders, seed, source)
    _insist_complete({name: said[name] for name in chosen}, source)
    return [
        ResponseSet(question, {name: said[name][question.id].text for name in chosen})
        for question in questions.values()
        if question.id in said[chosen[0]]
    ]


def choose_responders(
    names: list[str], responders: Sequence[str] | str | None, seed: int, source: str
) -> list[str]:
    """Names of five responders: those wanted, all there are, or a draw of more.

    Raises:
        UserError: One wanted is not there, or there are not five.
    """
    listed = responders is None or isinstance(responders, list | tuple)
    wanted = responders if listed else str(responders).split(",")
    if wanted is not None:
        missing = [name for name in wanted if name not in names]
        if missing:
            raise UserError(
                f"{source}: no responses by {_listed(missing)}. Responders: {_listed(names)}."
            )
        if len(set(wanted)) != FIVE:
            raise UserError(
                f"responders= names {len(set(wanted))} ({_listed(wanted)}); a judge chooses from "
                f"exactly five."
            )
        return list(wanted)
    if len(names) < FIVE:
        raise UserError(
            f"{source}: a judge chooses from exactly five responses, but there are only "
            f"{len(names)} responders: {_listed(names)}. Run the responder task with "
            f"{FIVE - len(names)} more."
        )
    if len(names) == FIVE:
        return names
    drawn = set(random.Random(seed).sample(sorted(names), FIVE))
    return [name for name in names if name in drawn]


def _insist_complete(said: dict[str, dict[str, Answer]], source: str) -> None:
    everything = dict.fromkeys(id for of_responder in said.values() for id in of_responder)
    gaps = {
        name: missing
        for name, of_responder in said.items()
        if (missing := [id for id in everything if id not in of_responder])
    }
    if not gaps:
        return
    common = sum(all(id in of_responder for of_responder in said.values()) for id in everything)
    lines = [
        f"- '{name}' has no answer to {len(missing)} of {len(everything)}: {_listed(missing)}"
        for name, missing in gaps.items()
    ]
    raise UserError(
        f"{source}: the five responders did not answer the same questions "
        f"({common} in common):\n" + "\n".join(lines) + "\nRun the responder task on the same "
        "questions (same source, per_category and seed) for each of the five."
    )


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:_MOST])
    return shown if len(names) <= _MOST else f"{shown} and {len(names) - _MOST} more"
