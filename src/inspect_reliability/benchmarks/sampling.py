"""Which questions of a benchmark: so many of each category, drawn by a seed."""

import random
from collections.abc import Sequence
from typing import Literal

from ..errors import UserError
from .question import Question


def sample_per_category(
    questions: Sequence[Question], per_category: int | Literal["all"], seed: int
) -> list[Question]:
    """Draw the same number of questions of every category, in the given order.

    A category's draw depends on the seed, its name and the ids of its questions alone: not on
    their order, nor on other categories. More per category adds to the draw and replaces nothing.

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
