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
from .squad import squad_from_files

# The prompts of the paper's responders, word for word.
#
# Source: Schroeder & Wood-Doughty (2024), Figure 1; the Head-to-Tail prompt is that of its
# published scripts.


RESPOND_INSTRUCTION = "Include step-by-step reasoning in answering the following question:"

SHORT_ANSWER_INSTRUCTION = (
    "Answer the following questions in as few words as possible. Say 'unsure' if you don’t know. "
    "\n Question: What is the capital of China? \n  Answer: Beijing \n Question: What is the "
    "captical of Wernythedia? \n Answer: unsure \n Question: "
)


def respond_prompt(item: Item, first_response: str | None = None) -> str:
    """Ask a question, with its context if it has one, for step-by-step reasoning.

    The prompt of a second turn needs the responder's own answer to the first.
    """
    first, *second = item.fields["turns"]
    if item.context is not None:
        slots = [f"Context: {item.context}", f"Question: {first}", "Answer:"]
    elif first_response is not None:
        slots = [first, first_response, *second]
    else:
        slots = [first]
    return "\n".join([RESPOND_INSTRUCTION, *slots])


def short_answer_prompt(item: Item, first_response: str | None = None) -> str:
    """Ask for an answer in as few words as possible, or "unsure"."""
    return f"{SHORT_ANSWER_INSTRUCTION}{item.question} \n Answer:"


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
