"""The benchmarks of the paper, one row each, and the questions drawn from them."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Literal

from ...designs import Item, JudgeDesign, design_from_file
from ...errors import UserError
from ...files import read_json, user_path
from .bbh import bbh_from_files
from .head_to_tail import head_to_tail_from_files
from .mt_bench import mt_bench_from_files
from .question import question
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

SAMPLE_PACK = "sample"
"""Name of the sample pack as a source of questions or responses."""


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
