"""Questions of a benchmark from the sample pack or official files."""

import random
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Literal

from ...designs import Item
from ...errors import UserError
from ...files import read_json, user_path
from .benchmark import BENCHMARKS
from .question import question

SAMPLE_PACK = "sample"
"""Name of the sample pack as a source of questions or responses."""


def source_of(spec: object) -> str:
    """What a log calls the source of its questions: the sample pack, or the name of a place."""
    known = spec is None or spec == SAMPLE_PACK
    return "inspect-reliability sample pack" if known else Path(str(spec)).name


def load_questions(
    benchmark: str,
    source: str | Path = SAMPLE_PACK,
    per_category: int | Literal["all"] = 1,
    seed: int = 0,
) -> list[Item]:
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
        questions = [replace(item, responses={}, best=None) for item in sample_pack(benchmark)]
    else:
        questions = row.from_files(user_path(source))
    if not questions:
        raise UserError(f"No questions in {source}.")
    return sample_per_category(questions, per_category, seed)


def sample_pack(benchmark: str) -> list[Item]:
    """Questions of our own in the form of a benchmark, with their responses, the best one known."""
    path = Path(str(files(__package__) / "sample_pack" / f"{BENCHMARKS[benchmark].key}.json"))
    return [
        replace(
            question(
                entry["id"],
                entry["category"],
                entry["turns"],
                entry.get("targets") or [entry[key] for key in ("target",) if key in entry],
                entry.get("context"),
                **{key: entry[key] for key in ("answerable", "domain") if key in entry},
            ),
            responses=entry.get("responses") or {"sample pack": entry["prediction"]},
            best=entry.get("best"),
        )
        for entry in read_json(path)["questions"]
    ]


def sample_per_category(
    questions: Sequence[Item], per_category: int | Literal["all"], seed: int
) -> list[Item]:
    """Draw the same number of questions of every category, in the given order.

    A category's draw depends on the seed, its name and the ids of its questions alone. More per
    category adds to the draw and replaces nothing.

    Raises:
        UserError: Two questions have one id, or a category has too few.
    """
    by_category: dict[str, list[str]] = {}
    seen: set[str] = set()
    for item in questions:
        if item.id in seen:
            raise UserError(f"Two questions have the id '{item.id}'.")
        seen.add(item.id)
        by_category.setdefault(item.fields["category"], []).append(item.id)
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
    return [item for item in questions if item.id in drawn]
