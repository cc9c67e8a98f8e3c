"""Tasks in which a model answers a benchmark's questions, for a judge to choose from."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Literal

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from ...judging.replicate import Replication, replicate, replication_of
from ...record.seeds import base_seed, replication_seed
from ..benchmarks import BENCHMARKS, Question, load_questions
from ..benchmarks.right_answer import has_right_answer
from ..responses.respond_logs import RESPONDER_TASK

RESPOND_CONFIG = GenerateConfig(temperature=0.75, top_k=50, max_tokens=150)
"""The paper's settings for responders; inspect's own options override them."""

VERSION = 1
"""Grows when the responses of two versions of a responder task cannot be compared."""

PerCategory = int | Literal["all"]


def _respond(benchmark: str, about: str, default: PerCategory = 1) -> Callable[..., Task]:
    row = BENCHMARKS[benchmark]

    def responder(
        source: str = "sample", per_category: PerCategory = default, seed: int = 0
    ) -> Task:
        questions = load_questions(benchmark, source, per_category, base_seed(seed))
        return respond_task(benchmark, questions, seed)

    responder.__doc__ = f"""{benchmark}: {about}

    The logs make the responses for `{row.key}_judge`.

    Args:
        source: The sample pack ("sample"), or the benchmark's official files.
        per_category: Questions of each category, article or popularity, or "all".
        seed: Base seed of the draw of questions and of the responses.
    """
    return task(name=f"{row.key}_respond")(responder)


bbh_respond = _respond("BBH", "answer with step-by-step reasoning.")
squad_respond = _respond("SQuAD", "answer with step-by-step reasoning, given the passage.")
mt_bench_respond = _respond("MT-Bench", "answer two turns, the second in view of the first answer.")
head_to_tail_respond = _respond(
    "Head-to-Tail", 'answer in as few words as possible, or say "unsure".', "all"
)


def respond_task(benchmark: str, questions: list[Question], seed: int) -> Task:
    """The responder task of a benchmark."""
    return Task(
        dataset=MemoryDataset(
            [
                Sample(
                    id=question.id,
                    input="\n\n".join(question.turns),
                    target=list(question.targets),
                    metadata={"question": asdict(question)},
                )
                for question in questions
            ],
            name=questions[0].source,
        ),
        solver=respond(seed=seed),
        scorer=right_answer() if any(map(has_right_answer, questions)) else None,
        config=RESPOND_CONFIG,
        version=VERSION,
        metadata={RESPONDER_TASK: benchmark, "questions": questions[0].source},
    )


@solver
def respond(seed: int = 0) -> Solver:
    """Answer a question as the paper's Figure 1 asks it, in one turn or two.

    The prompt of the second turn repeats the first question and the model's own response to it. A
    judge will see the response to the second. Needs the sample metadata `question`; adds
    `first_response` for two turns.

    Args:
        seed: Base seed of the responses.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        question = Question.of(state.metadata["question"])
        ask = BENCHMARKS[question.benchmark].prompt
        for turn, _ in enumerate(question.turns):
            if turn:
                state.metadata["first_response"] = state.output.completion
            prompt = ask(question, state.metadata.get("first_response"))
            one = Replication(prompt, replication_seed(seed, question.id, state.epoch))
            state = await replicate(state, {state.epoch: one}, question.id)
        return state

    return solve


@scorer(metrics=[accuracy(), stderr()])
def right_answer() -> Scorer:
    """Whether the response is right, by the rule of its benchmark."""

    async def score(state: TaskState, target: Target) -> Score | None:
        question = Question.of(state.metadata["question"])
        is_right = BENCHMARKS[question.benchmark].is_right
        if is_right is None or not has_right_answer(question):
            return None
        response = state.output.completion
        return Score(
            value=CORRECT if is_right(question, response) else INCORRECT,
            answer=response,
            metadata={
                "question": question.id,
                "category": question.category,
                **replication_of(state),
            },
        )

    return score
