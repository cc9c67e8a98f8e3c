"""Responses in files: one a line, or as the study published them in `prompt_responses.json`."""

import re
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

from ...errors import UserError
from ...files import entry, expect, read_json, read_json_lines, texts
from ..benchmarks import BENCHMARKS, Question
from .answers import Answer, NoAnswersError, turns_in

_KNOWN = {"id", "question", "responder", "response", "category", "context", "targets"}
PUBLISHED_SOURCE = "published prompts and responses (Schroeder & Wood-Doughty 2024)"

_TYPES = {row.prefix: name for name, row in BENCHMARKS.items()}
_SQUAD_PROMPT = re.compile(r"Context: (.*)\n Question: (.*)\n Answer:", re.DOTALL)


def answers_from_json_lines(path: Path, benchmark: str) -> list[Answer]:
    """Read a JSONL file of responses.

    Each line is an object with `question` (a text; two of them for MT-Bench), `responder` and
    `response`. It may have `id`, `category`, `context` and `targets` (a list of texts). Without an
    `id`, its text identifies a question.

    Raises:
        UserError: A line is not such an object.
    """
    return [
        Answer(
            question=_line_question(record, benchmark, path, where),
            responder=entry(record, "responder", str, where),
            text=entry(record, "response", str, where),
            where=where,
        )
        for where, record in read_json_lines(path)
    ]


def _line_question(record: dict[str, Any], benchmark: str, path: Path, where: str) -> Question:
    unknown = sorted(record.keys() - _KNOWN)
    if unknown:
        raise UserError(
            f"{where}: unknown field {', '.join(map(repr, unknown))}. "
            f"Allowed fields: {', '.join(sorted(_KNOWN))}."
        )
    turns = turns_in(record, "question", benchmark, where)
    context = record.get("context")
    if context is not None:
        expect(context, str, f"{where}, 'context'")
    digest = blake2b("\n".join([*turns, context or ""]).encode(), digest_size=6).hexdigest()
    return Question(
        id=entry(record, "id", str, where) if "id" in record else f"text:{digest}",
        benchmark=benchmark,
        category=expect(record.get("category", ""), str, f"{where}, 'category'"),
        turns=turns,
        context=context,
        targets=texts(record.get("targets", []), f"{where}, 'targets'"),
        source=f"questions and responses of {path.name}",
    )


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
            question = _published_question(id, benchmark, record, where)
            for name, text in entry(record, "model_responses", dict, where).items():
                said = expect(text, str, f"{where}, response of '{name}'")
                answers.append(Answer(question, name, said, where))
    if not answers:
        raise NoAnswersError(f"No responses to {benchmark} in {path}.")
    return answers


def _published_question(id: str, benchmark: str, record: Mapping[str, Any], where: str) -> Question:
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
