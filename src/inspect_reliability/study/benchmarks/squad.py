"""SQuAD (Rajpurkar et al. 2016, 2018): questions about passages of Wikipedia articles."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...errors import UserError
from ...files import entry, expect, read_json
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
            _read(record, None, None, f"{path}, item {number}", path.name)
            for number, record in enumerate(content, 1)
        ]
    version = entry(expect(content, dict, str(path)), "version", str, str(path))
    articles = entry(content, "data", list, str(path))
    return [
        question
        for number, article in enumerate(articles, 1)
        for question in _article(article, f"{path}, article {number}", f"SQuAD {version}")
    ]


def _article(article: object, where: str, source: str) -> Iterator[Question]:
    fields = expect(article, dict, where)
    title = entry(fields, "title", str, where)
    asked = 0
    for number, paragraph in enumerate(entry(fields, "paragraphs", list, where), 1):
        place = f"{where} ('{title}'), paragraph {number}"
        context = entry(expect(paragraph, dict, place), "context", str, place)
        for record in entry(paragraph, "qas", list, place):
            asked += 1
            yield _read(record, title, context, f"{place}, question {asked}", source)
    if not asked:
        raise UserError(f"{where}: '{title}' has no questions.")


def _read(
    record: object, title: str | None, context: str | None, where: str, source: str
) -> Question:
    fields = expect(record, dict, where)
    id = entry(fields, "id", str, where)
    answers = [
        entry(expect(answer, dict, where), "text", str, where)
        for answer in entry(fields, "answers", list, where)
    ]
    # Version 1.1 has no such field: all its questions can be answered.
    answerable = not expect(fields.get("is_impossible", False), bool, f"{where}, 'is_impossible'")
    if answerable and not answers:
        raise UserError(f"{where}: question '{id}' has no answers and is not marked impossible.")
    return _question(
        id,
        title or id,
        context if context is not None else entry(fields, "context", str, where),
        entry(fields, "question", str, where),
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
