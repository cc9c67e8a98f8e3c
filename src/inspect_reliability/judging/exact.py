"""The exact distribution of a judge's verdict, instead of draws from it."""

import logging
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, cast

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import GenerateConfig, Logprob, Model, ModelOutput, get_model
from inspect_ai.solver import TaskState
from inspect_ai.util import collect, warn_once

from ..designs import Reader
from ..errors import UserError
from ..hf_seeded import distributing
from ..record.cells import cells_in
from ..record.seeds import replication_numbers
from .at_verdict import at_verdict
from .order import OrderPolicy
from .replicate import Replication, note_first

logger = logging.getLogger(__name__)

AT_VERDICT = GenerateConfig(logprobs=True, top_logprobs=20)
"""What a provider is asked for where verdicts are exact after a sampled reasoning."""


def check_exact(exact: object, order: OrderPolicy, reader: Reader) -> None:
    """Refuse exact verdicts of a judge, or in an order, that has none.

    Raises:
        UserError: The verdicts cannot be listed, or reasonings would see other prompts.
    """
    if exact and not reader.verdicts:
        what = "several criteria" if reader.criteria else "numbers with decimals"
        raise UserError(
            f"exact={exact} needs verdicts that can be listed, and this judge gives {what}. Use "
            "-T replications=20 instead."
        )
    if exact == "verdict" and order == "reshuffled":
        raise UserError(
            "exact=verdict tells reasonings apart, so all must see the same prompt. Leave out "
            "order=reshuffled."
        )


def exact_temperatures(
    exact: object, replications: object, temperatures: object
) -> tuple[float, ...] | None:
    """Temperatures of exact verdicts (none: that of the run); None to draw verdicts.

    Raises:
        UserError: An option has a wrong value, or two options contradict each other.
    """
    if not isinstance(exact, bool) and exact != "verdict":
        raise UserError(f"exact={exact!r} is not known. Use true, false or verdict.")
    if exact is not True:
        if temperatures is not None:
            raise UserError(
                "temperatures= is for exact verdicts: add -T exact=true, or draw at one "
                "temperature with --temperature."
            )
        several = replications is not None and len(replication_numbers(replications)) > 1
        if exact == "verdict" and not several:
            raise UserError(
                "exact=verdict samples several reasonings of each question. Say how many, for "
                "example -T exact=verdict -T replications=10."
            )
        return None
    if replications is not None:
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
    state: TaskState,
    cells: Sequence[Replication],
    temperatures: Sequence[float],
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
    outputs = await collect(*(_exact_verdict(model, cell, temperatures) for cell in cells))
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
    model: Model, asked: Replication, temperatures: Sequence[float]
) -> ModelOutput:
    prompt, seed, reader = asked.prompt, asked.seed, cast("Reader", asked.reader)

    def parse(text: str) -> str:
        return reader.read(text).verdict

    def read(text: str) -> str | None:
        return None if reader.completed(text) is None else parse(text)

    with distributing(read, parse, temperatures):
        return await model.generate(prompt, config=GenerateConfig(seed=seed), cache=False)


def note_probabilities(state: TaskState) -> None:
    """Record whether the replications of a sample come with probabilities, and of which kind.

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


def distributions_at_verdict(
    state: TaskState,
    texts: Mapping[int, str | None],
    reader: Reader,
) -> list[dict[str, Any]]:
    """The distribution of the verdict after each reasoning that a sample drew.

    Open probability is assigned to the drawn verdict, which keeps the estimate unbiased where the
    judge names a verdict in this place. `texts` has the text of each replication by number, None if
    it failed.

    Returns:
        One distribution per reasoning; none if fewer than two have one.
    """
    known, cells = state.metadata.get("at_verdict"), cells_in(state.metadata)
    numbers = [number for number, text in texts.items() if text is not None]
    if known is None or len(numbers) < 2:
        return []
    first, found = min(texts), []
    for number, choice in zip(numbers, state.output.choices, strict=True):
        steps: list[Logprob] = choice.logprobs.content if choice.logprobs else []
        one = at_verdict(choice.message.text, steps, reader, known["temperature"])
        cell, place = cells.split(number - first, len(texts)) if cells else (None, number - first)
        found.append(
            {
                "cell": cell,
                "replication": first + place,
                "shares": one.shares,
                "open_mass": one.open_mass,
                "tail": [one.verdict] if one.open_mass else [],
            }
        )
    return found


def distributions_of(
    metadata: Mapping[str, Any], output: ModelOutput, reads_anew: bool
) -> Sequence[Mapping[str, Any]]:
    """The distributions of a sample, one per temperature; empty if it drew verdicts.

    Raises:
        UserError: They were read while the judge answered, and cannot be read anew.
    """
    if "exact" not in metadata:
        return ()
    if reads_anew:
        raise UserError(
            "Exact verdicts are read while the judge answers. To read them in another way, run the "
            "judge again with another 'parser' in its design."
        )
    found: Sequence[Mapping[str, Any]] = (output.metadata or {}).get("distributions", ())
    return found
