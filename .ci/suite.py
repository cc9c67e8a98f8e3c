"""A suite as a newcomer has one, with `reliability()` added. Its model needs no network."""

from itertools import cycle

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import accuracy, match

from inspect_reliability import reliability

SAID = cycle(["2", "3", "3"])


def answer(*_: object) -> ModelOutput:
    """The next output, with its usage: without one, inspect downloads a file to count tokens."""
    output = ModelOutput.from_content("mockllm/model", next(SAID))
    output.usage = ModelUsage()
    return output


@task
def sums() -> Task:
    """Three questions, asked four times each."""
    return Task(
        [Sample(input=f"1 + {n}?", target=str(n + 1)) for n in range(3)],
        scorer=match(),
        metrics=[accuracy(), reliability()],
        epochs=4,
        model=get_model("mockllm/model", custom_outputs=answer),
    )
