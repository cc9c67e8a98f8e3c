"""Questions of a benchmark from the sample pack or official files."""

import random
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from ...errors import UserError
from ...files import read_json, user_path
from .benchmark import BENCHMARKS
from .question import Question

SAMPLE_PACK = "sample"
"""Name of the sample pack as a source of questions or responses."""


def load_questions(
    benchmark: str,
    source: str | Path = SAMPLE_PACK,
    per_category: int | Literal["all"] = 1,
    seed: int = 0,
) -> list[Question]:
    """Load questions of a benchmark.

    Args:
        benchmark: Its name.
        source: "sample" for the sample pack, or a path to official files: BBH, the folder or a file
            of it; SQuAD, a v1.1 or v2.0 JSON file; MT-Bench, `question.jsonl`; Head-to-Tail, the
            folder or a file of it.
        per_category: How many questions of each BBH category, SQuAD article, MT-Bench category
            or Head-to-Tail popularity, or "all".
        seed: Seed of the draw.

    Raises:
        UserError: The source is missing or malformed, two questions share an id,
            or a category has fewer than `per_category` questions.
    """
    row = BENCHMARKS[benchmark]
    if source == SAMPLE_PACK:
        questions = [question for question, _ in sample_pack(benchmark)]
    else:
        questions = row.from_files(user_path(source))
    if not questions:
        raise UserError(f"No questions in {source}.")
    return sample_per_category(questions, per_category, seed)


def sample_pack(benchmark: str) -> list[tuple[Question, Mapping[str, Any]]]:
    """Questions of our own in the form of a benchmark, each with its whole entry in the pack."""
    path = Path(str(files(__package__) / "sample_pack" / f"{BENCHMARKS[benchmark].key}.json"))
    pack = read_json(path)
    return [
        (
            Question(
                id=entry["id"],
                benchmark=benchmark,
                category=entry["category"],
                turns=tuple(entry["turns"]),
                context=entry.get("context"),
                targets=tuple(entry.get("targets") or filter(None, [entry.get("target")])),
                source=pack["name"],
                metadata={key: entry[key] for key in ("answerable", "domain") if key in entry},
            ),
            entry,
        )
        for entry in pack["questions"]
    ]


def sample_per_category(
    questions: Sequence[Question], per_category: int | Literal["all"], seed: int
) -> list[Question]:
    """Draw the same number of questions of every category, in the given order.

    A category's draw depends on the seed, its name and the ids of its questions alone. More per
    category adds to the draw and replaces nothing.

    Raises:
        UserError: Two questions have one id, or a category has too few.
    """
    by_category: dict[str, list[str]] = {}
    seen: set[str] = set()
    for question in questions:
        if question.id in seen:
            raise UserError(f"Two questions of {question.source} have the id '{question.id}'.")
        seen.add(question.id)
        by_category.setdefault(question.category, []).append(question.id)
    if per_category == "all":
        return list(questions)
    # bool is an int to Python, never to a user who types per_category=true.
    if not isinstance(per_category, int) or isinstance(per_category, bool) or per_category < 1:
        raise UserError(f"per_category={per_category} is not a number from 1 on, or 'all'.")
    drawn: set[str] = set()
    for category, ids in by_category.items():
        if len(ids) < per_category:
            raise UserError(
                f"Category '{category}' has {len(ids)} question(s), per_category={per_category} "
                "asks for more. Use a smaller number or per_category=all."
            )
        shuffled = sorted(ids)
        random.Random(f"{seed}|{category}").shuffle(shuffled)
        drawn.update(shuffled[:per_category])
    return [question for question in questions if question.id in drawn]
