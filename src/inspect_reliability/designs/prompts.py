"""The prompts of the paper, word for word: they are the stimulus.

Source: Schroeder & Wood-Doughty (2024), Figures 1, 2a and 2b; the Head-to-Tail prompts are those
of its published scripts.
"""

import json
from collections.abc import Sequence

from ..benchmarks import Question
from ..verdicts import LETTERS

RESPOND_INSTRUCTION = "Include step-by-step reasoning in answering the following question:"

_SELECT = "You are a fair and objective judge tasked with selecting the strongest of the following "
_CRITERIA = (
    "Base your judgment upon the accuracy, utility, and relevance of each. Do not consider length "
    "of response, positioning of response or title of response in your judgment. Output the "
    "letter of the best response followed by an explanation, and strictly follow the following "
    'format: "Best Response: [[letter]]".'
)

JUDGE_INSTRUCTION = f"{_SELECT}responses to the provided question. {_CRITERIA}"
JUDGE_INSTRUCTION_TWO_TURNS = (
    f'{_SELECT}responses to the second provided question ("Question 2"). Question 1 is only '
    f"provided for context. {_CRITERIA}"
)

CORRECTNESS_INSTRUCTION = """\
You need to check whether the prediction of a question-answering systemto a question is correct. \
You should make the judgment based on a list of ground truth answers provided to you. Your \
response should be "correct" if the prediction is correct or "incorrect" if the prediction is wrong.
Question: Who authored The Taming of the Shrew (published in 2002)?
Ground truth: ["William Shakespeare", "Roma Gill"]
Prediction: W Shakespeare
Correctness: correct
Question: Who authored The Taming of the Shrew (published in 2002)?
Ground truth: ["William Shakespeare", "Roma Gill"]
Prediction: Roma Gill and W Shakespeare
Correctness: correct
Question: Who authored The Taming of the Shrew (published in 2002)?
Ground truth: ["William Shakespeare", "Roma Gill"]
Prediction: Roma Shakespeare
Correctness: incorrect
Question: What country is Maharashtra Metro Rail Corporation Limited located in?
Ground truth: ["India"]
Prediction: Maharashtra
Correctness: incorrect
Question: What’s the job of Song Kang-ho in Parasite (2019)?
Ground truth: ["actor"]
Prediction: He plays the role of Kim Ki-taek, the patriarch of the Kim
family.
Correctness: correct
Question:\x20
"""

SHORT_ANSWER_INSTRUCTION = (
    "Answer the following questions in as few words as possible. Say 'unsure' if you don’t know. "
    "\n Question: What is the capital of China? \n  Answer: Beijing \n Question: What is the "
    "captical of Wernythedia? \n Answer: unsure \n Question: "
)


def respond_prompt(question: Question, first_response: str | None = None) -> str:
    """Prompt for a responder (Figure 1).

    Args:
        question: The question. SQuAD gives its context; a two-turn question needs the
            responder's own answer to its first turn for the second.
        first_response: Answer to the first turn, for the prompt of the second turn.

    Returns:
        The prompt of the first turn, or of the second where `first_response` is given.
    """
    if question.benchmark == "Head-to-Tail":
        return f"{SHORT_ANSWER_INSTRUCTION}{question.turns[0]} \n Answer:"
    if question.context is not None:
        slots = [f"Context: {question.context}", f"Question: {question.turns[0]}", "Answer:"]
    elif first_response is not None:
        slots = [question.turns[0], first_response, question.turns[1]]
    else:
        slots = [question.turns[0]]
    return "\n".join([RESPOND_INSTRUCTION, *slots])


def judge_prompt(question: Question, responses: Sequence[str]) -> str:
    """Prompt for a judge of five responses (Figure 2a; Figure 2b where there are two turns).

    Args:
        question: The question that was answered.
        responses: Five responses, in the order of the letters.

    Returns:
        The prompt. The question of a SQuAD item is its context and question.
    """
    if len(question.turns) > 1:
        instruction = JUDGE_INSTRUCTION_TWO_TURNS
        asked = "\n".join(f"Question {n}: {turn}" for n, turn in enumerate(question.turns, 1))
    else:
        instruction = JUDGE_INSTRUCTION
        context = "" if question.context is None else f"Context: {question.context}\nQuestion: "
        asked = f"Question: {context}{question.turns[0]}"
    options = "\n".join(
        f"[{letter}]: {response}" for letter, response in zip(LETTERS, responses, strict=True)
    )
    return f"{instruction}\n\n{asked}\n\nResponses:\n{options}"


def correctness_prompt(question: Question, prediction: str) -> str:
    """Prompt for a Head-to-Tail judge: is the prediction right, given the ground truth?"""
    # The published script writes a single ground truth bare; its examples show lists as JSON.
    several = len(question.targets) > 1
    truth = json.dumps(question.targets, ensure_ascii=False) if several else question.targets[0]
    return (
        f"{CORRECTNESS_INSTRUCTION}{question.turns[0]}\n Ground truth: {truth}\n "
        f"Prediction: {prediction}\n Correctness: "
    )
