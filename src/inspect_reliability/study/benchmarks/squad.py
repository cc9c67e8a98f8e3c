"""SQuAD (Rajpurkar et al. 2016, 2018): questions about passages of Wikipedia articles."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...designs import Item
from ...errors import UserError
from ...files import entry, expect, objects, read_json
from .question import question


def squad_from_files(path: Path) -> list[Item]:
    """Questions of an official file, version 1.1 or 2.0.

    Also reads a list of `{"id", "context", "question", "answers", "is_impossible"}`, as the study
    published its sample; it names no articles, so each question is a category of its own.

    Raises:
        UserError: The file has another form, or an article has no questions.
    """
    content = read_json(path)
    if isinstance(content, list):
        return [_read(record, where) for where, record in objects(content, str(path))]
    data, items = expect(content, dict, str(path)).get("data"), list[Item]()
    for where, article in objects(data, f"{path}, 'data'", "article"):
        title, before = entry(article, "title", str, where), len(items)
        own = f"{where} ('{title}')"
        for place, paragraph in objects(article.get("paragraphs"), own, "paragraph"):
            context = {"context": entry(paragraph, "context", str, place)}
            for asked, record in objects(paragraph.get("qas"), f"{place}, 'qas'", "question"):
                items.append(_read(record | context, asked, title))
        if len(items) == before:
            raise UserError(f"{where}: '{title}' has no questions.")
    return items


def _read(record: Mapping[str, Any], where: str, title: str | None = None) -> Item:
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
    return question(
        f"squad:{known['id']}",
        title or known["id"],
        [known["question"]],
        [*dict.fromkeys(answers)],
        known["context"],
        answerable=bool(answers),
    )
