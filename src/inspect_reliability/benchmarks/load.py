"""Questions of a benchmark from the sample pack, the model hub or official files."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from ..errors import UserError
from ..files import user_path
from .bbh import bbh_from_files, bbh_from_hub
from .head_to_tail import head_to_tail_from_files
from .hub import HUB
from .mt_bench import mt_bench_from_files, mt_bench_from_hub
from .question import Benchmark, Question
from .sample_pack import SAMPLE_PACK, sample_pack
from .sampling import sample_per_category
from .squad import squad_from_files, squad_from_hub

_HUB: dict[Benchmark, Callable[..., list[Question]]] = {
    "BBH": bbh_from_hub,
    "SQuAD": squad_from_hub,
    "MT-Bench": mt_bench_from_hub,
}
_FILES: dict[Benchmark, Callable[[Path], list[Question]]] = {
    "BBH": bbh_from_files,
    "SQuAD": squad_from_files,
    "MT-Bench": mt_bench_from_files,
    "Head-to-Tail": head_to_tail_from_files,
}


def load_questions(
    benchmark: Benchmark,
    source: str | Path = SAMPLE_PACK,
    per_category: int | Literal["all"] = 1,
    seed: int = 0,
    revision: str | None = None,
) -> list[Question]:
    """Load questions of a benchmark.

    Args:
        benchmark: The benchmark.
        source: "sample" for the sample pack, "hub" for the model hub, or a path to official
            files: BBH, the folder or a file of it; SQuAD, a v1.1 or v2.0 JSON file; MT-Bench,
            `question.jsonl`; Head-to-Tail, the folder or a file of it.
        per_category: How many questions of each BBH category, SQuAD article, MT-Bench category
            or Head-to-Tail popularity, or "all".
        seed: Seed of the draw.
        revision: Revision on the hub, instead of the pinned one.

    Raises:
        UserError: The source is not there or not what it should be, two questions have one id,
            or a category has fewer than `per_category` questions.
    """
    if source == SAMPLE_PACK:
        questions = [question for question, _ in sample_pack(benchmark)]
    elif source == HUB:
        if benchmark not in _HUB:
            raise UserError(f"{benchmark} is not on the hub. Give the files as the source.")
        questions = _HUB[benchmark](revision) if revision else _HUB[benchmark]()
    else:
        questions = _FILES[benchmark](user_path(source))
    if not questions:
        raise UserError(f"{source} holds no questions.")
    return sample_per_category(questions, per_category, seed)
