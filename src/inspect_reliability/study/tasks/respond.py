"""Tasks in which a model answers a benchmark's questions, for a judge to choose from."""

from dataclasses import asdict
from typing import Literal, get_args

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from ...errors import UserError, one_of
from ...judging.replicate import Replication, replicate, replication_of
from ...record.seeds import base_seed, replication_seed
from ..benchmarks import BENCHMARKS, Question, RuleName, load_questions
from ..benchmarks.right_answer import has_right_answer
from ..responses.respond_logs import RESPONDER_TASK

RESPOND_CONFIG = GenerateConfig(temperature=0.75, top_k=50, max_tokens=150)
"""The paper's settings for responders; inspect's own options override them."""

VERSION = 1
"""Grows when the responses of two versions of a responder task cannot be compared."""

PerCategory = int | Literal["all"]


@task
def bbh_respond(
    source: str = "sample",
    per_category: PerCategory = 1,
    seed: int = 0,
    rule: RuleName = "default",
) -> Task:
    """BIG-Bench Hard: answer with step-by-step reasoning.

    Five responders' logs make the responses for `bbh_judge`.

    Args:
        source: The sample pack ("sample"), the model hub ("hub"), or the official JSON files.
        per_category: Questions of each of the 27 categories, or "all".
        seed: Base seed of the draw of questions and of the responses.
        rule: How an answer is found right: "default", or "published" for the study's rule.
    """
    questions = load_questions("BBH", source, per_category, base_seed(seed))
    return respond_task("BBH", questions, seed, rule)


@task
def squad_respond(
    source: str = "sample",
    per_category: PerCategory = 1,
    seed: int = 0,
    rule: RuleName = "default",
    unanswerable: bool = True,
) -> Task:
    """SQuAD: answer with step-by-step reasoning, given the passage.

    Five responders' logs make the responses for `squad_judge`.

    Args:
        source: The sample pack ("sample"), the model hub ("hub"), or an official JSON file of
            version 1.1 or 2.0.
        per_category: Questions of each article, or "all".
        seed: Base seed of the draw of questions and of the responses.
        rule: How an answer is found right: "default", or "published" for the study's rule.
        unanswerable: Keep questions that the passage does not answer; to say so is then right.
            With false they are left out after the draw, which the log says.
    """
    drawn = load_questions("SQuAD", source, per_category, base_seed(seed))
    kept = [q for q in drawn if unanswerable or q.metadata.get("answerable") is not False]
    if not kept:
        raise UserError(f"{source}: no question drawn can be answered from its passage.")
    return respond_task("SQuAD", kept, seed, rule, left_out=len(drawn) - len(kept))


@task
def mt_bench_respond(
    source: str = "sample",
    per_category: PerCategory = 1,
    seed: int = 0,
) -> Task:
    """MT-Bench: answer two turns, the second in view of the first answer.

    Five responders' logs make the responses for `mt_bench_judge`.

    Args:
        source: The sample pack ("sample"), the model hub ("hub"), or `question.jsonl`.
        per_category: Questions of each of the eight categories, or "all".
        seed: Base seed of the draw of questions and of the responses.
    """
    questions = load_questions("MT-Bench", source, per_category, base_seed(seed))
    return respond_task("MT-Bench", questions, seed)


@task
def head_to_tail_respond(
    source: str = "sample", per_category: PerCategory = "all", seed: int = 0
) -> Task:
    """Head-to-Tail: answer in as few words as possible, or say "unsure".

    The log makes the predictions for `head_to_tail_judge`.

    Args:
        source: The sample pack ("sample"), or the folder or a file of the benchmark's generator.
        per_category: Questions of each popularity (head, torso, tail), or "all".
        seed: Base seed of the draw of questions and of the responses.
    """
    questions = load_questions("Head-to-Tail", source, per_category, base_seed(seed))
    return respond_task("Head-to-Tail", questions, seed)


def respond_task(
    benchmark: str,
    questions: list[Question],
    seed: int,
    rule: RuleName = "default",
    left_out: int = 0,
) -> Task:
    """The responder task of a benchmark."""
    metadata = {RESPONDER_TASK: benchmark, "questions": questions[0].source}
    if left_out:
        metadata["left_out"] = f"{left_out} questions that the passage does not answer"
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
        scorer=right_answer(rule=rule) if any(map(has_right_answer, questions)) else None,
        config=RESPOND_CONFIG,
        version=VERSION,
        metadata=metadata,
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
