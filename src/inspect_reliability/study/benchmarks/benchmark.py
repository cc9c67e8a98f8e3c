"""The benchmarks of the paper: one row each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ...designs import JudgeDesign, design_from_file
from .bbh import bbh_from_files
from .head_to_tail import head_to_tail_from_files
from .mt_bench import mt_bench_from_files
from .question import Question
from .responder_prompts import respond_prompt, short_answer_prompt
from .right_answer import concludes, contains, first_line_contains
from .squad import squad_from_files

Rule = Callable[[Question, str], bool]
"""Whether a response to a question is right."""


@dataclass(frozen=True)
class Benchmark:
    """Questions, how a responder is asked them, and how a judge sees the responses.

    Attributes:
        key: Its name in tasks and files ("bbh").
        name: Its name in logs and reports.
        prefix: Its name in the study's files, and the start of its question ids.
        turns: Texts of a question.
        is_right: Whether a response is right; None if none is right or wrong.
    """

    key: str
    name: str
    prefix: str
    from_files: Callable[[Path], list[Question]]
    turns: int = 1
    prompt: Callable[[Question, str | None], str] = respond_prompt
    is_right: Rule | None = None

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
    Benchmark("bbh", "BBH", "bbh", bbh_from_files, is_right=concludes),
    Benchmark("squad", "SQuAD", "squad", squad_from_files, is_right=contains),
    Benchmark("mt_bench", "MT-Bench", "mtb", mt_bench_from_files, turns=2),
    Benchmark(
        "head_to_tail",
        "Head-to-Tail",
        "head_to_tail",
        head_to_tail_from_files,
        prompt=short_answer_prompt,
        is_right=first_line_contains,
    ),
)

BENCHMARKS: Mapping[str, Benchmark] = {row.name: row for row in _ROWS}
"""The benchmarks by name."""
