"""Outputs of a log as samples of a task: what is judged, how often, and what was judged already."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import PurePath
from typing import Any, NamedTuple

from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver

from ..designs import Change, Item
from ..designs.judge_design import RESERVED
from ..errors import UserError
from ..files import kind_of
from ..judging.asking import changed_answers
from ..log_files import logs_below, read_log, reading
from ..record.replications import output_of, rejudging_of, replications_in
from ..shell import quote
from ..verdicts import GIVEN

WANTED = "rejudged"
"""Metadata key of the replications that a sample makes."""

_OF_TRANSCRIPTS = {"events", "attachments", "store", "messages"}

Changed = Mapping[str, Mapping[tuple[int | str, int], str]]
"""Change of an output -> id and epoch of a sample -> its output in that form."""

Made = set[tuple[Any, int, int]]
"""Sample, epoch and seed of replications that did not fail."""


class PlannedReplications(NamedTuple):
    """Replications that a sample of the task makes.

    Attributes:
        sample: Id of the sample in the log.
        epoch: Its epoch there.
        output: Name of the output.
        first: Number of the first replication.
        replications: How many.
        answer: Change of the output, "given" for none.
        spoils: Whether it spoils the output; None for none.
        uuid: The sample's id among all samples, where the log says it.
    """

    sample: int | str
    epoch: int
    output: str
    first: int
    replications: int
    answer: str = GIVEN
    spoils: bool | None = None
    uuid: str | None = None


def first_uuid(sample: EvalSample) -> str | None:
    """The id of a sample among all; of one that was judged again, that of its suite's sample."""
    said = sample.metadata.get(WANTED)
    return (said.get("uuid") if isinstance(said, Mapping) else None) or sample.uuid


def ranges(numbers: Collection[int]) -> Iterator[tuple[int, int]]:
    """First number and length of each run of numbers that follow one another."""
    for _, run in groupby(enumerate(sorted(numbers)), key=lambda placed: placed[1] - placed[0]):
        own = [number for _, number in run]
        yield own[0], len(own)


def samples_in(log: EvalLog) -> list[EvalSample]:
    """The samples of a log, epoch by epoch, in the order of its dataset.

    inspect reads them by their names, so that new questions would come between those before, and
    evidence that may be looked at any time would not go on as it was.
    """
    place = {name: number for number, name in enumerate(log.eval.dataset.sample_ids or [])}
    known = log.samples or []
    return sorted(known, key=lambda one: (one.epoch, place.get(one.id, len(place))))


def samples_of(
    wanted: Sequence[PlannedReplications], recorded: Sequence[EvalSample]
) -> list[Sample]:
    """A sample for each, named by its output and by what else tells it from others."""
    outputs = {(one.id, one.epoch): one for one in recorded}
    found: dict[str, Sample] = {}
    for one in wanted:
        name = one.output if one.answer == GIVEN else f"{one.output}, answer {one.answer}"
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
            wanted = PlannedReplications(**state.metadata[WANTED])
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


def changed_outputs(changes: Sequence[Change], samples: Sequence[EvalSample]) -> Changed:
    """The outputs to which each change applies, in the form that it gives them.

    Templates of changes see `answer`, `question`, and the sample's metadata.

    Raises:
        UserError: A change applies to no output.
    """
    made = changed_answers(changes, [_item(one) for one in samples]) if changes else {}
    return {
        change: {
            (sample.id, sample.epoch): texts[""]
            for sample, texts in zip(samples, each, strict=True)
            if texts
        }
        for change, each in made.items()
    }


def _item(sample: EvalSample) -> Item:
    """An output as an item with one response; epochs of a sample answer the same question."""
    asked = (
        sample.input
        if isinstance(sample.input, str)
        else "\n".join(message.text for message in sample.input)
    )
    own = {
        name: text
        for name, text in sample.metadata.items()
        if isinstance(text, str) and name not in {*RESERVED, "messages", "targets"}  # no texts
    }
    return Item(str(sample.id), asked, {"": sample.output.completion}, fields=own)


def read_one_log(location: str) -> EvalLog:
    """Read the log of this name, which a user typed.

    Raises:
        UserError: It is a folder, it is not there, or it cannot be read.
    """
    kind = kind_of(location)
    if kind == "folder":
        raise UserError(f"{location} is a folder. {_one_in(location)}")
    if kind is None:
        raise UserError(f"There is no log {location}.")
    return read_log(location)


def _one_in(folder: str) -> str:
    """Which log of a folder to name: the only one, or what to name of several."""
    found = sorted(logs_below(folder), key=lambda one: PurePath(one).name)
    if not found:
        return "No log is in it. Name a log of inspect."
    call = f"inspect-reliability rejudge {quote(found[-1])}"
    if not found[1:]:
        return f"Name the log in it: {call}"
    return f"It has {len(found):,} logs, and each is rejudged by itself. Name one, as in: {call}"


def made_in(folder: str, settings: Mapping[str, Any]) -> Made:
    """Replications in the logs of a folder, which may be unfinished.

    Raises:
        UserError: The folder has other logs, or was judged with other settings.
    """
    kind = kind_of(folder)
    if kind == "file":
        raise UserError(f"{folder} is a file. Name a folder: --log-dir FOLDER")
    made: Made = set()
    for location in logs_below(folder) if kind else ():
        _refuse_others(folder, rejudging_of(read_log(location, header_only=True)), settings)
        with reading(location):
            log = read_eval_log(location, exclude_fields=_OF_TRANSCRIPTS)
            for sample in log.samples or ():
                for score in ({} if sample.error else sample.scores or {}).values():
                    kept, of = replications_in(score), output_of(score.metadata or {})
                    if kept is None or of is None:
                        continue
                    for seed, verdict in zip(kept.seeds, kept.verdicts, strict=True):
                        if verdict is not None and seed is not None:
                            made.add((of.sample, of.epoch, seed))
    return made


def _refuse_others(folder: str, was: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    if was.get("log") != now["log"]:
        raise UserError(
            f"{folder} has logs that are no rejudging of this one. Name another folder: --log-dir "
            "FOLDER"
        )
    both = {name: (was[name], now[name]) for name in now if name in was}
    if differ := [
        f"{name} {one} (now {other})" for name, (one, other) in both.items() if one != other
    ]:
        raise UserError(
            f"{folder} has judgments with {', '.join(differ)}. Give what was given before to go on "
            "with them, or name another folder to begin anew: --log-dir FOLDER"
        )
