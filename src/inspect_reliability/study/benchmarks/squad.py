"""SQuAD (Rajpurkar et al. 2016, 2018): questions about passages of Wikipedia articles."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import UserError
from ...files import entry, expect, objects, read_json
from .question import Question


def squad_from_files(path: Path) -> list[Question]:
    """Questions of an official file, version 1.1 or 2.0.

    Also reads a list of `{"id", "context", "question", "answers", "is_impossible"}`, as the study
    published its sample; it names no articles, so each question is a category of its own.

    Raises:
        UserError: The file has another form, or an article has no questions.
    """
    content = read_json(path)
    if isinstance(content, list):
        return [_read(record, where, path.name) for where, record in objects(content, str(path))]
    version = entry(expect(content, dict, str(path)), "version", str, str(path))
    questions: list[Question] = []
    for where, article in objects(content.get("data"), f"{path}, 'data'", "article"):
        title, before = entry(article, "title", str, where), len(questions)
        own = f"{where} ('{title}')"
        for place, paragraph in objects(article.get("paragraphs"), own, "paragraph"):
            context = {"context": entry(paragraph, "context", str, place)}
            for asked, record in objects(paragraph.get("qas"), f"{place}, 'qas'", "question"):
                questions.append(_read(record | context, asked, f"SQuAD {version}", title))
        if len(questions) == before:
            raise UserError(f"{where}: '{title}' has no questions.")
    return questions


def _read(record: Mapping[str, Any], where: str, source: str, title: str | None = None) -> Question:
    known = {key: entry(record, key, str, where) for key in ("id", "context", "question")}
    answers = [
        entry(answer, "text", str, place)
        for place, answer in objects(record.get("answers"), where, "answer")
    ]
    # Version 1.1 has no such field: all its questions can be answered.
    if expect(record.get("is_impossible", False), bool, f"{where}, 'is_impossible'"):
        answers = []
    elif not answers:
        raise UserError(
            f"{where}: question '{known['id']}' has no answers and is not marked impossible."
        )
    return Question(
        id=f"squad:{known['id']}",
        benchmark="SQuAD",
        category=title or known["id"],
        turns=(known["question"],),
        context=known["context"],
        targets=tuple(dict.fromkeys(answers)),
        source=source,
        metadata={"answerable": bool(answers)},
    )
