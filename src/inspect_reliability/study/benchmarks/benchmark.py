"""The benchmarks of the paper: one row each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from ...designs import JudgeDesign, design_from_file
from . import right_answer
from .bbh import bbh_from_files, bbh_from_hub
from .head_to_tail import head_to_tail_from_files
from .mt_bench import mt_bench_from_files, mt_bench_from_hub
from .question import Question
from .responder_prompts import respond_prompt, short_answer_prompt
from .squad import squad_from_files, squad_from_hub

RuleName = Literal["default", "published"]
Rule = Callable[[Question, str], bool]
"""Whether a response to a question is right."""


@dataclass(frozen=True)
class Benchmark:
    """Questions, how a responder is asked them, and how a judge sees the responses.

    Attributes:
        key: Its name in tasks and files ("bbh").
        name: Its name in logs and reports.
        prefix: Its name in the study's files, and the start of its question ids.
        from_hub: Reads it from the model hub; None if it is not there.
        turns: Texts of a question.
        rules: Rules for right responses; empty if no response is right or wrong.
        sampled: File of the study with the right answers to the questions it asked, if any.
    """

    key: str
    name: str
    prefix: str
    from_files: Callable[[Path], list[Question]]
    from_hub: Callable[[], list[Question]] | None = None
    turns: int = 1
    prompt: Callable[[Question, str | None], str] = respond_prompt
    rules: Mapping[RuleName, Rule] = field(default_factory=dict)
    sampled: str | None = None

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
        key="bbh",
        name="BBH",
        prefix="bbh",
        from_files=bbh_from_files,
        from_hub=bbh_from_hub,
        rules={
            "default": right_answer.concludes,
            "published": right_answer.letter_as_published,
        },
        sampled="bbh_sampled_q.json",
    ),
    Benchmark(
        key="squad",
        name="SQuAD",
        prefix="squad",
        from_files=squad_from_files,
        from_hub=squad_from_hub,
        rules={
            "default": right_answer.contains,
            "published": right_answer.first_character_as_published,
        },
        sampled="squad_sampled_q.json",
    ),
    Benchmark(
        key="mt_bench",
        name="MT-Bench",
        prefix="mtb",
        from_files=mt_bench_from_files,
        from_hub=mt_bench_from_hub,
        turns=2,
    ),
    Benchmark(
        key="head_to_tail",
        name="Head-to-Tail",
        prefix="head_to_tail",
        from_files=head_to_tail_from_files,
        prompt=short_answer_prompt,
        rules={"default": right_answer.first_line_contains},
    ),
)

BENCHMARKS: Mapping[str, Benchmark] = {row.name: row for row in _ROWS}
"""The benchmarks by name."""
