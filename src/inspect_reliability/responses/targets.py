"""Answers together with what would be right."""

from dataclasses import replace
from pathlib import Path

from ..benchmarks import BENCHMARKS, load_questions
from ..files import user_path
from .answers import Answer
from .load import load_answers

_PUBLISHED = "prompt_responses.json"


def load_scorable_answers(spec: str | Path, benchmark: str) -> list[Answer]:
    """Load all answers to a benchmark, with the questions' targets where they are known.

    Logs and JSONL name the targets themselves. The targets of the published responses, a file or
    its folder, are in the files of sampled questions beside them.

    Raises:
        NoAnswersError: Nobody answered this benchmark.
        UserError: The file does not exist or is malformed.
    """
    path = user_path(spec)
    if (path / _PUBLISHED).is_file():
        path = path / _PUBLISHED
    answers = load_answers(path, benchmark)
    sampled = path.parent / (BENCHMARKS[benchmark].sampled or "")
    if path.suffix != ".json" or not sampled.is_file():
        return answers
    known = {question.id: question for question in load_questions(benchmark, sampled, "all")}
    return [
        replace(answer, question=known.get(answer.question.id, answer.question))
        for answer in answers
    ]
