"""The prompts and readings that the tiny judge learns: those of the paper's designs."""

from collections.abc import Sequence

from inspect_reliability.designs import DESIGNS
from inspect_reliability.designs.paper import LETTERS
from inspect_reliability.study.benchmarks import BENCHMARKS, Question
from inspect_reliability.study.responses import Answer, judged_item, prediction_item


def judge_prompt(question: Question, responses: Sequence[str]) -> str:
    """Show a judge five responses, in the order of the letters."""
    item = judged_item(question, dict(zip(LETTERS, responses, strict=True)))
    return BENCHMARKS[question.benchmark].design.ask(item, LETTERS)


def correctness_prompt(question: Question, prediction: str) -> str:
    """Ask a judge whether a prediction is correct."""
    item = prediction_item(Answer(question, "responder", prediction, ""))
    return BENCHMARKS[question.benchmark].design.ask(item, ["responder"])


def parse_verdict(output: str) -> str:
    """Read the letter of the best response."""
    return DESIGNS["bbh"].reader.read(output).verdict


def parse_correctness(output: str) -> str:
    """Read "correct" or "incorrect"."""
    return DESIGNS["head_to_tail"].reader.read(output).verdict
