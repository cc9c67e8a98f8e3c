"""Questions of a benchmark from the sample pack, the model hub or official files."""

from pathlib import Path
from typing import Literal

from ..errors import UserError
from ..files import user_path
from .hub import HUB
from .question import Question
from .sample_pack import SAMPLE_PACK, sample_pack
from .sampling import sample_per_category
from .table import BENCHMARKS


def load_questions(
    benchmark: str,
    source: str | Path = SAMPLE_PACK,
    per_category: int | Literal["all"] = 1,
    seed: int = 0,
) -> list[Question]:
    """Load questions of a benchmark.

    Args:
        benchmark: Name of the benchmark.
        source: "sample" for the sample pack, "hub" for the model hub, or a path to official
            files: BBH, the folder or a file of it; SQuAD, a v1.1 or v2.0 JSON file; MT-Bench,
            `question.jsonl`; Head-to-Tail, the folder or a file of it.
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
    elif source != HUB:
        questions = row.from_files(user_path(source))
    elif row.from_hub is None:
        raise UserError(f"{benchmark} is not on the hub. Give the files as the source.")
    else:
        questions = row.from_hub()
    if not questions:
        raise UserError(f"No questions in {source}.")
    return sample_per_category(questions, per_category, seed)
