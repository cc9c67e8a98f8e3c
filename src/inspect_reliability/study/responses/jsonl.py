"""Responses as JSONL: one response of one responder to one question a line."""

from hashlib import blake2b
from pathlib import Path
from typing import Any

from ...errors import UserError
from ...files import entry, expect, read_json_lines, texts
from ..benchmarks import Question
from .answers import Answer, turns_in

_KNOWN = {"id", "question", "responder", "response", "category", "context", "targets"}


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
            question=_question(record, benchmark, path, where),
            responder=entry(record, "responder", str, where),
            text=entry(record, "response", str, where),
            where=where,
        )
        for where, record in read_json_lines(path)
    ]


def _question(record: dict[str, Any], benchmark: str, path: Path, where: str) -> Question:
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
