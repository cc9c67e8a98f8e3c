"""The published file of the study: `prompt_responses.json`."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import UserError
from ...files import entry, expect, read_json
from ..benchmarks import BENCHMARKS, Question
from .answers import Answer, NoAnswersError, turns_in

PUBLISHED_SOURCE = "published prompts and responses (Schroeder & Wood-Doughty 2024)"

_TYPES = {row.prefix: name for name, row in BENCHMARKS.items()}
_SQUAD_PROMPT = re.compile(r"Context: (.*)\n Question: (.*)\n Answer:", re.DOTALL)


def answers_from_published(path: Path, benchmark: str) -> list[Answer]:
    """Read the published responses to one benchmark; the file's question ids are kept.

    Raises:
        UserError: An entry is not of the published form, or none is of this benchmark.
    """
    content = read_json(path)
    entries = content.values() if isinstance(content, dict) else ()
    if not any(isinstance(one, dict) and "model_responses" in one for one in entries):
        raise UserError(
            f"{path} is not a file of responses. Expected the published form: an object that "
            "gives every question's id its 'type', 'prompt' and 'model_responses'."
        )
    answers = []
    for id, item in content.items():
        where = f"{path}, '{id}'"
        record = expect(item, dict, where)
        kind = entry(record, "type", str, where)
        if kind not in _TYPES:
            raise UserError(f"{where}: type '{kind}' is not one of {', '.join(map(repr, _TYPES))}.")
        if _TYPES[kind] == benchmark:
            question = _question(id, benchmark, record, where)
            for name, text in entry(record, "model_responses", dict, where).items():
                said = expect(text, str, f"{where}, response of '{name}'")
                answers.append(Answer(question, name, said, where))
    if not answers:
        raise NoAnswersError(f"No responses to {benchmark} in {path}.")
    return answers


def _question(id: str, benchmark: str, record: Mapping[str, Any], where: str) -> Question:
    turns, context = turns_in(record, "prompt", benchmark, where), None
    if slots := _SQUAD_PROMPT.fullmatch(turns[0]):
        context, turns = slots[1], (slots[2],)
    return Question(
        id=id,
        benchmark=benchmark,
        category=id.partition(":")[2] or id,
        turns=turns,
        context=context,
        source=PUBLISHED_SOURCE,
    )
