"""The benchmarks of the paper: one row each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from ...designs import Item, JudgeDesign, design_from_file
from .bbh import bbh_from_files
from .head_to_tail import head_to_tail_from_files
from .mt_bench import mt_bench_from_files
from .responder_prompts import respond_prompt, short_answer_prompt
from .squad import squad_from_files


@dataclass(frozen=True)
class Benchmark:
    """Questions, how a responder is asked them, and how a judge sees the responses.

    Attributes:
        key: Its name in tasks and files ("bbh").
        name: Its name in logs and reports.
        prefix: Its name in the study's files, and the start of its question ids.
        judged: What a judge is asked of it, in words; of several responses, which is best.
        answered: What a responder does, in words.
        turns: Texts of a question.
        best_of: Whether a judge chooses among responses, and does not judge a single one.
        per_category: How many questions of each category a responder is asked.
    """

    key: str
    name: str
    prefix: str
    from_files: Callable[[Path], list[Item]]
    judged: str
    answered: str
    turns: int = 1
    best_of: bool = True
    per_category: int | Literal["all"] = 1
    prompt: Callable[[Item, str | None], str] = respond_prompt

    @property
    def design_file(self) -> Path:
        """How a judge sees the responses, as the paper words it."""
        return _FOLDER / f"{self.key}.yaml"

    @cached_property
    def design(self) -> JudgeDesign:
        """The design of that file; its name is the benchmark's."""
        return design_from_file(self.design_file)


_FOLDER = Path(__file__).parent / "designs"


_ROWS = (
    Benchmark(
        "bbh",
        "BBH",
        "bbh",
        bbh_from_files,
        "BIG-Bench Hard: which of five responses is best?",
        "answer with step-by-step reasoning.",
    ),
    Benchmark(
        "squad",
        "SQuAD",
        "squad",
        squad_from_files,
        "SQuAD: which of five responses to a question about a passage is best?",
        "answer with step-by-step reasoning, given the passage.",
    ),
    Benchmark(
        "mt_bench",
        "MT-Bench",
        "mtb",
        mt_bench_from_files,
        "MT-Bench: which of five responses to the second question is best?",
        "answer two turns, the second in view of the first answer.",
        turns=2,
    ),
    Benchmark(
        "head_to_tail",
        "Head-to-Tail",
        "head_to_tail",
        head_to_tail_from_files,
        "Head-to-Tail: is a prediction correct, given the ground truth?",
        'answer in as few words as possible, or say "unsure".',
        best_of=False,
        per_category="all",
        prompt=short_answer_prompt,
    ),
)

BENCHMARKS: Mapping[str, Benchmark] = {row.name: row for row in _ROWS}
"""The benchmarks by name."""
