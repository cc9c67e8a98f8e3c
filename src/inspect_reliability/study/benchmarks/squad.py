"""SQuAD (Rajpurkar et al. 2016, 2018): questions about passages of Wikipedia articles."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...errors import UserError
from ...files import entry, expect, objects, read_json
from .hub import hub_records
from .question import Question

HUB_PATH = "rajpurkar/squad_v2"
HUB_REVISION = "3ffb306f725f7d2ce8394bc1873b24868140c412"


def squad_from_hub() -> list[Question]:
    """All questions of version 2.0's development set on the hub."""
    return [
        _question(
            record["id"],
            record["title"],
            record["context"],
            record["question"],
            record["answers"]["text"],
            bool(record["answers"]["text"]),
            f"{HUB_PATH}@{HUB_REVISION}",
        )
        for record in hub_records(HUB_PATH, "validation", HUB_REVISION)
    ]


def squad_from_files(path: Path) -> list[Question]:
    """Questions of an official file, version 1.1 or 2.0.

    A list of `{"id", "context", "question", "answers", "is_impossible"}`, as the study published
    its sample, is read too; it names no articles, so each question is a category of its own.

    Raises:
        UserError: The file is of another shape, or an article has no questions.
    """
    content = read_json(path)
    if isinstance(content, list):
        return [
            _read(record, None, None, where, path.name)
            for where, record in objects(content, str(path))
        ]
    version = entry(expect(content, dict, str(path)), "version", str, str(path))
    return [
        question
        for where, article in objects(content.get("data"), f"{path}, 'data'", "article")
        for question in _article(article, where, f"SQuAD {version}")
    ]


def _article(article: Mapping[str, Any], where: str, source: str) -> list[Question]:
    title = entry(article, "title", str, where)
    questions = [
        _read(record, title, entry(paragraph, "context", str, place), asked, source)
        for place, paragraph in objects(
            article.get("paragraphs"), f"{where} ('{title}')", "paragraph"
        )
        for asked, record in objects(paragraph.get("qas"), f"{place}, 'qas'", "question")
    ]
    if not questions:
        raise UserError(f"{where}: '{title}' has no questions.")
    return questions


def _read(
    record: Mapping[str, Any], title: str | None, context: str | None, where: str, source: str
) -> Question:
    id = entry(record, "id", str, where)
    answers = [
        entry(answer, "text", str, place)
        for place, answer in objects(record.get("answers"), where, "answer")
    ]
    # Version 1.1 has no such field: all its questions can be answered.
    answerable = not expect(record.get("is_impossible", False), bool, f"{where}, 'is_impossible'")
    if answerable and not answers:
        raise UserError(f"{where}: question '{id}' has no answers and is not marked impossible.")
    return _question(
        id,
        title or id,
        context if context is not None else entry(record, "context", str, where),
        entry(record, "question", str, where),
        answers if answerable else [],
        answerable,
        source,
    )


def _question(
    id: str,
    title: str,
    context: str,
    asked: str,
    answers: Sequence[Any],
    answerable: bool,
    source: str,
) -> Question:
    return Question(
        id=f"squad:{id}",
        benchmark="SQuAD",
        category=title,
        turns=(asked,),
        context=context,
        targets=tuple(dict.fromkeys(answers)),
        source=source,
        metadata={"answerable": answerable},
    )
