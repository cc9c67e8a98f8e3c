"""Multiple choice, asked ten times: is the model as right as it was last time?

    inspect eval examples/multiple_choice.py --model openai/gpt-4o-mini

Epochs are replications of the model under test. What was added to an ordinary suite: the epochs,
and one metric.
"""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import accuracy, choice
from inspect_ai.solver import multiple_choice

from inspect_reliability import reliability

QUESTIONS = {
    "rivers": [
        ("Which river flows through Vienna?", ["Rhine", "Danube", "Elbe"], "B"),
        ("Which river flows through Cairo?", ["Nile", "Niger", "Congo"], "A"),
        ("Which river flows through London?", ["Severn", "Trent", "Thames"], "C"),
    ],
    "arithmetic": [
        ("What is 7 times 8?", ["54", "56", "63"], "B"),
        ("What is 144 divided by 12?", ["12", "14", "16"], "A"),
        ("What is 17 plus 26?", ["33", "42", "43"], "C"),
    ],
}


@task
def rivers_and_sums() -> Task:
    """Six questions with three answers each."""
    samples = [
        Sample(input=text, choices=answers, target=letter, metadata={"topic": topic})
        for topic, asked in QUESTIONS.items()
        for text, answers, letter in asked
    ]
    return Task(
        dataset=samples,
        solver=multiple_choice(),
        scorer=choice(),
        epochs=10,  # added
        metrics=[accuracy(), reliability(by="topic")],  # added
    )
