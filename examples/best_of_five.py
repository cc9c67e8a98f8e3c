"""A grader that picks the best of five answers: how often does it pick the same one twice?

    inspect eval examples/best_of_five.py@best_of_five             # the suite as it was
    inspect eval examples/best_of_five.py@best_of_five_rejudged    # each answer judged 20 times

The suite compares an answer with four references by inspect's model_graded_qa. The answers were
written earlier, so nothing is generated but grades; bind the grader with --model-role grader=...
"""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Metric, SampleScore, Scorer, metric, model_graded_qa
from inspect_ai.solver import Generate, Solver, TaskState, solver

from inspect_reliability import rejudge, reliability
from inspect_reliability.study.benchmarks import BENCHMARKS
from inspect_reliability.study.responses import load_responses

TEMPLATE = """{instructions}

Question: {question}

Responses:
- [A]: {answer}
- [B]: {terse}
- [C]: {muddled}
- [D]: {mistaken}
- [E]: {astray}"""


@solver
def stored_answer() -> Solver:
    """Take the answer that was written earlier."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output.completion = state.metadata["thorough"]
        return state

    return solve


def grader() -> Scorer:
    """The suite's scorer: the letter of the best answer."""
    pattern = r"Best Response:\W*([A-E])\b"
    instruction = BENCHMARKS["BBH"].design.prompt.partition("\n\n")[0]
    return model_graded_qa(TEMPLATE, instruction, pattern)


@metric(scores="unreduced")
def won() -> Metric:
    """Share of the answers that were judged best; letters are names, and have no mean."""

    def compute(scores: list[SampleScore]) -> float:
        return sum(score.score.value == "A" for score in scores) / max(len(scores), 1)

    return compute


def suite(scorer: Scorer, *metrics: Metric) -> Task:
    """The answers, with this scorer and these metrics."""
    samples = [
        Sample(id=one.id, input=one.question, metadata=dict(one.responses))
        for one in load_responses(None, "BBH")
    ]
    return Task(dataset=samples, solver=stored_answer(), scorer=scorer, metrics=[*metrics])


@task
def best_of_five() -> Task:
    """The suite as it was."""
    return suite(grader(), won())


@task
def best_of_five_rejudged(replications: int = 20) -> Task:
    """The same suite, with its judge's reliability beside its own metric."""
    return suite(rejudge(grader(), replications), won(), reliability())
