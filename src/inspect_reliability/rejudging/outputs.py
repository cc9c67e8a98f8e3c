"""Outputs of a log as samples of a task: what is judged, and how often."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSample
from inspect_ai.scorer import Target
from inspect_ai.solver import Generate, Solver, TaskState, solver

from ..verdicts import GIVEN

WANTED = "rejudged"
"""Metadata key of the replications that a sample makes."""


class Wanted(NamedTuple):
    """Replications that a sample of the task makes.

    Attributes:
        sample: Id of the sample in the log.
        epoch: Its epoch there.
        output: Name of the output.
        scorer: Identity of the scorer.
        wording: Its wording.
        first: Number of the first replication.
        replications: How many.
    """

    sample: int | str
    epoch: int
    output: str
    scorer: str
    wording: str
    first: int
    replications: int


def ranges(numbers: Collection[int]) -> Iterator[tuple[int, int]]:
    """First number and length of each run of numbers that follow one another."""
    for _, run in groupby(enumerate(sorted(numbers)), key=lambda placed: placed[1] - placed[0]):
        own = [number for _, number in run]
        yield own[0], len(own)


def samples_of(wanted: Sequence[Wanted], recorded: Sequence[EvalSample]) -> list[Sample]:
    """A sample for each, named by its output and by what else tells it from others."""
    outputs = {(one.id, one.epoch): one for one in recorded}
    scorers = len({one.scorer for one in wanted})
    found: dict[str, Sample] = {}
    for one in wanted:
        more = [one.scorer] if scorers > 1 else []
        more += [f"wording {one.wording}"] if one.wording != GIVEN else []
        name = ", ".join([one.output, *more])
        if name in found:  # replications between these were made
            name = f"{name}, from {one.first}"
        own = outputs[one.sample, one.epoch]
        found[name] = Sample(
            input=own.input,
            target=own.target,
            choices=own.choices,
            id=name,
            metadata=own.metadata | {WANTED: one._asdict()},
        )
    return list(found.values())


def recorded(samples: Sequence[EvalSample]) -> Solver:
    """A solver that lays the output that a log recorded, and asks no model."""
    outputs = {(one.id, one.epoch): one for one in samples}

    @solver(name="recorded")
    def lay() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            wanted = Wanted(**state.metadata[WANTED])
            own = outputs[wanted.sample, wanted.epoch]
            state.messages, state.output = [*own.messages], own.output
            for key, value in own.store.items():
                state.store.set(key, value)
            return state

        return solve

    return lay()


def as_recorded(state: TaskState, target: Target, wanted: Wanted) -> TaskState:
    """The state as the scorer saw it in the log, with the sample's own id, epoch and metadata."""
    metadata: Mapping[str, Any] = state.metadata
    return TaskState(
        model=state.model,
        sample_id=wanted.sample,
        epoch=wanted.epoch,
        input=state.input,
        messages=state.messages,
        target=target,
        choices=[choice.value for choice in state.choices],
        output=state.output,
        completed=True,
        metadata={key: value for key, value in metadata.items() if key != WANTED},
        store=dict(state.store.items()),
        scores={},
    )
