"""The prompts of the paper's responders, word for word.

Source: Schroeder & Wood-Doughty (2024), Figure 1; the Head-to-Tail prompt is that of its published
scripts.
"""

from .question import Question

RESPOND_INSTRUCTION = "Include step-by-step reasoning in answering the following question:"

SHORT_ANSWER_INSTRUCTION = (
    "Answer the following questions in as few words as possible. Say 'unsure' if you don’t know. "
    "\n Question: What is the capital of China? \n  Answer: Beijing \n Question: What is the "
    "captical of Wernythedia? \n Answer: unsure \n Question: "
)


def respond_prompt(question: Question, first_response: str | None = None) -> str:
    """Ask a question, with its context if it has one, for step-by-step reasoning.

    The prompt of a second turn needs the responder's own answer to the first.
    """
    if question.context is not None:
        slots = [f"Context: {question.context}", f"Question: {question.turns[0]}", "Answer:"]
    elif first_response is not None:
        slots = [question.turns[0], first_response, question.turns[1]]
    else:
        slots = [question.turns[0]]
    return "\n".join([RESPOND_INSTRUCTION, *slots])


def short_answer_prompt(question: Question, first_response: str | None = None) -> str:
    """Ask for an answer in as few words as possible, or "unsure"."""
    return f"{SHORT_ANSWER_INSTRUCTION}{question.turns[0]} \n Answer:"
