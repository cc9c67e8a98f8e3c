import json
from dataclasses import replace
from pathlib import Path

from inspect_reliability.designs import Item
from inspect_reliability.study.benchmarks import BENCHMARKS, question
from inspect_reliability.study.responses import prediction_item

BBH = question("q", "navigate", ["Do you return?"])
SQUAD = question("q", "x", ["Who?"], ["Ann"], "Ann came.")
TWO_TURNS = question("q", "writing", ["Write.", "Rewrite."])
FACT = question("q", "head", ["Where is Rome?"], ["Italy"])


def judge_prompt(benchmark: str, asked: Item, responses: tuple[str, ...]) -> str:
    names = "abcde"
    item = replace(asked, responses=dict(zip(names, responses, strict=True)))
    return BENCHMARKS[benchmark].design.ask(item, names)


def correctness_prompt(asked: Item, prediction: str) -> str:
    item = prediction_item(replace(asked, responses={"x": prediction}))
    return BENCHMARKS["Head-to-Tail"].design.ask(item, ["x"])


def respond_prompt(benchmark: str, asked: Item, first: str | None = None) -> str:
    return BENCHMARKS[benchmark].prompt(asked, first)


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
    assert judge_prompt("BBH", BBH, RESPONSES) == FIGURE_2A
    assert judge_prompt("MT-Bench", TWO_TURNS, RESPONSES) == FIGURE_2B
    passage = FIGURE_2A.replace("Do you return?", "Context: Ann came.\nQuestion: Who?")
    assert judge_prompt("SQuAD", SQUAD, RESPONSES) == passage


def test_respond_prompts_are_figure_1() -> None:
    """The responders' prompts are the paper's; the second turn holds the first and its answer."""
    first = "Include step-by-step reasoning in answering the following question:"
    assert respond_prompt("BBH", BBH) == f"{first}\nDo you return?"
    assert respond_prompt("SQuAD", SQUAD) == f"{first}\nContext: Ann came.\nQuestion: Who?\nAnswer:"
    assert respond_prompt("MT-Bench", TWO_TURNS) == f"{first}\nWrite."
    assert respond_prompt("MT-Bench", TWO_TURNS, "Mine.") == f"{first}\nWrite.\nMine.\nRewrite."


def test_head_to_tail_prompts_are_the_published_scripts(data: Path) -> None:
    """Both Head-to-Tail prompts equal the published scripts' around their slots."""
    published = json.loads((data / "paper" / "application_prompts.json").read_text())
    assert respond_prompt("Head-to-Tail", FACT) == (
        published["responder_prefix"] + "Where is Rome?" + published["responder_suffix"]
    )
    assert correctness_prompt(FACT, "In Italy") == published["judge_prefix"] + published[
        "judge_suffix"
    ].format(question="Where is Rome?", ground_truth="Italy", response="In Italy")


def test_several_ground_truths_are_a_json_list() -> None:
    """A list of ground truths looks like the lists in the prompt's examples."""
    fact = question("q", "head", ["Who?"], ["Ann", "Bo"])
    assert 'Ground truth: ["Ann", "Bo"]\n' in correctness_prompt(fact, "Ann")
