import json
from pathlib import Path

from inspect_reliability.study.benchmarks import BENCHMARKS, Question
from inspect_reliability.study.responses import Answer, ResponseSet, prediction_item

BBH = Question("q", "BBH", "navigate", ("Do you return?",))
SQUAD = Question("q", "SQuAD", "x", ("Who?",), context="Ann came.", targets=("Ann",))
TWO_TURNS = Question("q", "MT-Bench", "writing", ("Write.", "Rewrite."))
FACT = Question("q", "Head-to-Tail", "head", ("Where is Rome?",), targets=("Italy",))


def judge_prompt(question: Question, responses: tuple[str, ...]) -> str:
    names = "abcde"
    item = ResponseSet(question, dict(zip(names, responses, strict=True))).item
    return BENCHMARKS[question.benchmark].design.ask(item, names)


def correctness_prompt(question: Question, prediction: str) -> str:
    item = prediction_item(Answer(question, "x", prediction, ""))
    return BENCHMARKS[question.benchmark].design.ask(item, ["x"])


def respond_prompt(question: Question, first: str | None = None) -> str:
    return BENCHMARKS[question.benchmark].prompt(question, first)


FIGURE_2A = """\
You are a fair and objective judge tasked with selecting the strongest of the following responses \
to the provided question. Base your judgment upon the accuracy, utility, and relevance of each. Do \
not consider length of response, positioning of response or title of response in your judgment. \
Output the letter of the best response followed by an explanation, and strictly follow the \
following format: "Best Response: [[letter]]".

Question: Do you return?

Responses:
[A]: one
[B]: two
[C]: three
[D]: four
[E]: five"""

FIGURE_2B = """\
You are a fair and objective judge tasked with selecting the strongest of the following responses \
to the second provided question ("Question 2"). Question 1 is only provided for context. Base your \
judgment upon the accuracy, utility, and relevance of each. Do not consider length of response, \
positioning of response or title of response in your judgment. Output the letter of the best \
response followed by an explanation, and strictly follow the following format: "Best Response: \
[[letter]]".

Question 1: Write.
Question 2: Rewrite.

Responses:
[A]: one
[B]: two
[C]: three
[D]: four
[E]: five"""

RESPONSES = ("one", "two", "three", "four", "five")


def test_judge_prompts_are_figures_2a_and_2b() -> None:
    """The judge's prompts are the paper's, character by character, apart from the slots."""
    assert judge_prompt(BBH, RESPONSES) == FIGURE_2A
    assert judge_prompt(TWO_TURNS, RESPONSES) == FIGURE_2B
    slot = "Question: Context: Ann came.\nQuestion: Who?"
    assert judge_prompt(SQUAD, RESPONSES) == FIGURE_2A.replace("Question: Do you return?", slot)


def test_respond_prompts_are_figure_1() -> None:
    """The responders' prompts are the paper's; the second turn holds the first and its answer."""
    first = "Include step-by-step reasoning in answering the following question:"
    assert respond_prompt(BBH) == f"{first}\nDo you return?"
    assert respond_prompt(SQUAD) == f"{first}\nContext: Ann came.\nQuestion: Who?\nAnswer:"
    assert respond_prompt(TWO_TURNS) == f"{first}\nWrite."
    assert respond_prompt(TWO_TURNS, "Mine.") == f"{first}\nWrite.\nMine.\nRewrite."


def test_head_to_tail_prompts_are_the_published_scripts(data: Path) -> None:
    """Both Head-to-Tail prompts equal the published scripts' around their slots."""
    published = json.loads((data / "paper" / "application_prompts.json").read_text())
    assert respond_prompt(FACT) == (
        published["responder_prefix"] + "Where is Rome?" + published["responder_suffix"]
    )
    assert correctness_prompt(FACT, "In Italy") == published["judge_prefix"] + published[
        "judge_suffix"
    ].format(question="Where is Rome?", ground_truth="Italy", response="In Italy")


def test_several_ground_truths_are_a_json_list() -> None:
    """A list of ground truths looks like the lists in the prompt's examples."""
    fact = Question("q", "Head-to-Tail", "head", ("Who?",), targets=("Ann", "Bo"))
    assert 'Ground truth: ["Ann", "Bo"]\n' in correctness_prompt(fact, "Ann")
