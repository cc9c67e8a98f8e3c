"""The exact distribution of a judge's verdict, instead of draws from it."""

import logging
import math
from collections.abc import Sequence
from contextlib import suppress

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import GenerateConfig, Model, ModelOutput, get_model
from inspect_ai.solver import TaskState
from inspect_ai.util import collect, warn_once

from ..errors import UserError
from ..hf_seeded import distributing
from ..parsing.reader import Reader
from ..record.replications import replication_numbers
from .asking import Asking, SeededPrompt
from .replicate import note_first

logger = logging.getLogger(__name__)

AT_VERDICT = GenerateConfig(logprobs=True, top_logprobs=20)
"""What a provider is asked for where verdicts are exact after a sampled reasoning."""


def temperatures_of(
    asking: Asking, exact: object, replications: object, temperatures: object
) -> tuple[float, ...]:
    """Temperatures of exact verdicts; none for that of the run, or to draw reasonings.

    Raises:
        UserError: An option has a wrong value, two options contradict each other, the judge's
            verdicts cannot be listed, or reasonings would see other prompts.
    """
    reader = asking.design.reader
    if not isinstance(exact, bool) and exact != "verdict":
        raise UserError(f"exact={exact!r} is not known. Use true, false or verdict.")
    if exact and not reader.verdicts:
        what = "several criteria" if reader.criteria else "numbers with decimals"
        raise UserError(
            f"exact={exact} needs verdicts that can be listed, and this judge gives {what}. Use "
            "-T replications=20 instead."
        )
    if exact is not True and temperatures is not None:
        raise UserError(
            "temperatures= is for exact verdicts: add -T exact=true, or draw at one temperature "
            "with --temperature."
        )
    if exact == "verdict":
        if asking.order == "reshuffled":
            raise UserError(
                "exact=verdict tells reasonings apart, so all must see the same prompt. Leave out "
                "order=reshuffled."
            )
        if replications is None or len(replication_numbers(replications)) < 2:
            raise UserError(
                "exact=verdict samples several reasonings of each question. Say how many, for "
                "example -T exact=verdict -T replications=10."
            )
    if exact is True and replications is not None:
        raise UserError(
            "An exact verdict needs no replications. Leave out exact=true or replications=."
        )
    given = temperatures if isinstance(temperatures, list | tuple) else [temperatures]
    numbers = [] if temperatures is None else [_temperature(one) for one in given]
    return tuple(dict.fromkeys(numbers))


def _temperature(value: object) -> float:
    with suppress(TypeError, ValueError):  # inspect gives the numbers of a list as text
        if 0 <= (temperature := float(value)) < math.inf:  # type: ignore[arg-type]
            return temperature
    raise UserError(
        f"temperatures: {value!r} is not a number from 0 on. Use for example "
        "-T temperatures=1,0.75,0.5."
    )


async def exact_verdicts(
    state: TaskState, reader: Reader, cells: Sequence[SeededPrompt], temperatures: Sequence[float]
) -> TaskState:
    """Compute the distribution of a question's verdict in each cell, and record how it was read.

    Raises:
        UserError: The provider cannot compute the distribution of a text.
    """
    model = get_model()
    if not getattr(model.api, "gives_distributions", False):
        raise UserError(
            f"exact=true needs a judge that runs on this machine, such as hf_seeded/MODEL; {model} "
            "can only be sampled. Use -T replications=100 instead."
        )
    state.metadata["exact"] = True
    note_first(state, state.epoch, cells[0])
    outputs = await collect(*(_exact_verdict(model, reader, cell, temperatures) for cell in cells))
    state.output = outputs[0]
    if len(cells) > 1:
        state.output.metadata = dict(state.output.metadata or {}) | {
            "distributions": [
                {**one, "cell": number}
                for number, output in enumerate(outputs)
                for one in (output.metadata or {})["distributions"]
            ]
        }
    state.messages.append(state.output.message)
    return state


async def _exact_verdict(
    model: Model, reader: Reader, asked: SeededPrompt, temperatures: Sequence[float]
) -> ModelOutput:
    def parse(text: str) -> str:
        return reader.read(text).verdict

    def read(text: str) -> str | None:
        return None if reader.completed(text) is None else parse(text)

    with distributing(read, parse, temperatures):
        return await model.generate(
            asked.prompt, config=GenerateConfig(seed=asked.seed), cache=False
        )


def note_probabilities(state: TaskState) -> None:
    """Record whether the replications of a sample come with probabilities, and their kind.

    Without them, warn once: verdicts are then those drawn.
    """
    model = get_model()
    if not any(choice.logprobs for choice in state.output.choices):
        warn_once(
            logger,
            f"exact=verdict: {model} returns no log probabilities, so verdicts are "
            "sampled. Ask another provider of this model, or raise -T replications.",
        )
        return
    before = None
    if not getattr(model.api, "logprobs_as_drawn", False):
        calls = [event for event in transcript().events if isinstance(event, ModelEvent)]
        before = calls[-1].config.temperature if calls else None
        before = 1.0 if before is None else before  # what providers draw at by themselves
    state.metadata["at_verdict"] = {"temperature": before}
