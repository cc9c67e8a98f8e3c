"""The prompts of the paper's responders, word for word.

Source: Schroeder & Wood-Doughty (2024), Figure 1; the Head-to-Tail prompt is that of its published
scripts.
"""

from ...designs import Item

RESPOND_INSTRUCTION = "Include step-by-step reasoning in answering the following question:"

SHORT_ANSWER_INSTRUCTION = (
    "Answer the following questions in as few words as possible. Say 'unsure' if you don’t know. "
    "\n Question: What is the capital of China? \n  Answer: Beijing \n Question: What is the "
    "captical of Wernythedia? \n Answer: unsure \n Question: "
)


def respond_prompt(item: Item, first_response: str | None = None) -> str:
    """Ask a question, with its context if it has one, for step-by-step reasoning.

    The prompt of a second turn needs the responder's own answer to the first.
    """
    first, *second = item.fields["turns"]
    if item.context is not None:
        slots = [f"Context: {item.context}", f"Question: {first}", "Answer:"]
    elif first_response is not None:
        slots = [first, first_response, *second]
    else:
        slots = [first]
    return "\n".join([RESPOND_INSTRUCTION, *slots])


def short_answer_prompt(item: Item, first_response: str | None = None) -> str:
    """Ask for an answer in as few words as possible, or "unsure"."""
    return f"{SHORT_ANSWER_INSTRUCTION}{item.question} \n Answer:"
