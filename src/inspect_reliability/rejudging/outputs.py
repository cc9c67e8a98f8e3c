"""Outputs of a log as samples of a task: what is judged, and how often."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSample
from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver

from ..verdicts import GIVEN

WANTED = "rejudged"
"""Metadata key of the replications that a sample makes."""


Changed = Mapping[str, Mapping[tuple[int | str, int], str]]
"""Change of an output -> id and epoch of a sample -> its output in that form."""


class Wanted(NamedTuple):
    """Replications that a sample of the task makes.

    Attributes:
        sample: Id of the sample in the log.
        epoch: Its epoch there.
        output: Name of the output.
        wording: Wording of the scorer.
        first: Number of the first replication.
        replications: How many.
        answer: Change of the output, "given" for none.
        spoils: Whether it spoils the output; None for none.
    """

    sample: int | str
    epoch: int
    output: str
    wording: str
    first: int
    replications: int
    answer: str = GIVEN
    spoils: bool | None = None


def ranges(numbers: Collection[int]) -> Iterator[tuple[int, int]]:
    """First number and length of each run of numbers that follow one another."""
    for _, run in groupby(enumerate(sorted(numbers)), key=lambda placed: placed[1] - placed[0]):
        own = [number for _, number in run]
        yield own[0], len(own)


def samples_of(wanted: Sequence[Wanted], recorded: Sequence[EvalSample]) -> list[Sample]:
    """A sample for each, named by its output and by what else tells it from others."""
    outputs = {(one.id, one.epoch): one for one in recorded}
    found: dict[str, Sample] = {}
    for one in wanted:
        name = one.output if one.wording == GIVEN else f"{one.output}, wording {one.wording}"
        name += f", answer {one.answer}" if one.answer != GIVEN else ""
        if name in found:  # replications between these were made
            name = f"{name}, from {one.first}"
        own = outputs[one.sample, one.epoch]
        found[name] = Sample(
            input=own.input,
            target=own.target,
            choices=own.choices,
            # Some scorers look their outputs up by the sample's id.
            id=one.sample if name == str(one.sample) else name,
            metadata=own.metadata | {WANTED: one._asdict()},
        )
    return list(found.values())


def recorded(samples: Sequence[EvalSample], changed: Changed) -> Solver:
    """A solver that lays the output that a log recorded, or one changed, and asks no model."""
    outputs = {(one.id, one.epoch): one for one in samples}

    @solver(name="recorded")
    def lay() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            wanted = Wanted(**state.metadata[WANTED])
            own = outputs[wanted.sample, wanted.epoch]
            state.messages, state.output = [*own.messages], own.output
            if wanted.answer != GIVEN:
                _lay(state, changed[wanted.answer][wanted.sample, wanted.epoch])
            for key, value in own.store.items():
                state.store.set(key, value)
            return state

        return solve

    return lay()


def _lay(state: TaskState, text: str) -> None:
    """Put a changed answer in the place of the output, and of the message that says it."""
    state.output = ModelOutput.from_content(state.output.model, text)
    said = [place for place, one in enumerate(state.messages) if one.role == "assistant"]
    for place in said[-1:]:
        state.messages[place] = state.messages[place].model_copy(update={"content": text})
