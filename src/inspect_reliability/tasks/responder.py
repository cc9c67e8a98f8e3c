"""A responder: how it is asked, and whether its answer is right."""

from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from ..benchmarks.metadata import question_of
from ..designs.prompts import respond_prompt
from ..errors import UserError
from ..judging.solver import replicate, replication_of
from ..responses.correctness import RULES, CorrectnessRule, has_right_answer


@solver
def respond(seed: int = 0) -> Solver:
    """Answer a question as the paper's Figure 1 asks it, in one turn or two.

    The prompt of the second turn holds the first question, the model's own first response, and
    the second question; the response to the second is what a judge will see. Needs the sample
    metadata `question`; adds `first_response` where there are two turns.

    Args:
        seed: Base seed of the responses.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        question = question_of(state.metadata)
        state = await replicate(state, generate, respond_prompt(question), seed, question.id)
        if len(question.turns) > 1:
            first = state.output.completion
            state.metadata["first_response"] = first
            prompt = respond_prompt(question, first)
            state = await replicate(state, generate, prompt, seed, question.id)
        return state

    return solve


@scorer(metrics=[accuracy(), stderr()])
def right_answer(rule: CorrectnessRule = "default") -> Scorer:
    """Whether the response is right, by a rule of `inspect_reliability.correctness`.

    Args:
        rule: "default", or "published" for the rule of the study's script.

    Raises:
        UserError: No rule has that name.
    """
    if rule not in RULES:
        raise UserError(f"rule='{rule}' is not known. Use one of: {', '.join(RULES)}.")

    async def score(state: TaskState, target: Target) -> Score | None:
        question = question_of(state.metadata)
        if not has_right_answer(question):
            return None
        response = state.output.completion
        return Score(
            value=CORRECT if RULES[rule](question, response) else INCORRECT,
            answer=response,
            metadata={
                "question": question.id,
                "category": question.category,
                **replication_of(state),
            },
        )

    return score
