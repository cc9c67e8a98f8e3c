"""Answers together with what would be right."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ..benchmarks import Benchmark, load_questions
from ..files import user_path
from .answers import Answer
from .load import load_answers

_PUBLISHED = "prompt_responses.json"
_SAMPLED: Mapping[Benchmark, str] = {"BBH": "bbh_sampled_q.json", "SQuAD": "squad_sampled_q.json"}


def load_scorable_answers(spec: str | Path, benchmark: Benchmark) -> list[Answer]:
    """Load all answers to a benchmark, with the questions' targets where they are known.

    Logs and JSONL hold the targets themselves. The published responses do not; their targets are
    in the files of sampled questions beside them.

    Args:
        spec: As for `load_answers`, or the folder of the published `prompt_responses.json`.
        benchmark: The benchmark.

    Raises:
        NoAnswersError: There are no answers to this benchmark.
        UserError: There is no such place, or its content is not what it should be.
    """
    path = user_path(spec)
    if (path / _PUBLISHED).is_file():
        path = path / _PUBLISHED
    answers = load_answers(path, benchmark)
    sampled = path.parent / _SAMPLED.get(benchmark, "")
    if path.suffix != ".json" or not sampled.is_file():
        return answers
    known = {question.id: question for question in load_questions(benchmark, sampled, "all")}
    return [
        replace(answer, question=known.get(answer.question.id, answer.question))
        for answer in answers
    ]
