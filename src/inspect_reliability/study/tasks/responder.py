"""A responder: how it is asked, and whether its answer is right."""

from typing import get_args

from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from ...errors import one_of
from ...judging.replicate import replicate, replication_of
from ..benchmarks import BENCHMARKS, Question, RuleName
from ..benchmarks.right_answer import has_right_answer


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
            prompts = {state.epoch: ask(question, state.metadata.get("first_response"))}
            state = await replicate(state, generate, prompts, seed, question.id)
        return state

    return solve


@scorer(metrics=[accuracy(), stderr()])
def right_answer(rule: RuleName = "default") -> Scorer:
    """Whether the response is right, by a rule of its benchmark.

    Args:
        rule: "default", or "published" for the rule of the study's script.

    Raises:
        UserError: No rule has that name.
    """
    one_of("rule", rule, get_args(RuleName))

    async def score(state: TaskState, target: Target) -> Score | None:
        question = Question.of(state.metadata["question"])
        is_right = BENCHMARKS[question.benchmark].rules.get(rule)
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
