"""Replications of a prompt, each with its own seed."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from inspect_ai.model import (
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.solver import TaskState
from inspect_ai.util import LimitExceededError, collect, warn_once

from ..designs import Reader
from ..errors import UserError
from ..record.sample import prompt_fingerprint, texts_of
from ..record.seeds import seeds_from
from .provider_check import ProviderCheck
from .requests import Requests, is_refused, options_not_sent, top_k_in_body
from .trials import Drawn, Make, Prompt

logger = logging.getLogger(__name__)

NOT_SENT, CHOICES = FACTS = ("options_not_sent", "seeds_of_choices")
"""Keys of what is found of a provider, in the metadata of samples and scores."""


class Replication(NamedTuple):
    """What a judge sees, its seed, and the reader of its output, if any."""

    prompt: Prompt
    seed: int
    reader: Reader | None = None


Then = Callable[[str | None], Mapping[int, Replication]]

Made = list[tuple[Sequence[int], ModelOutput | Exception]]
"""Calls by the numbers of their replications, each with its output or its error."""


async def replicate(
    state: TaskState,
    asked: Mapping[int, Replication],
    question: str,
    provider: ProviderCheck | None = None,
    extra: GenerateConfig | None = None,
    then: Then | None = None,
) -> TaskState:
    """Generate replications of a question, each with its own seed, and record which.

    Replications of one prompt are choices of one call, or of a few, if the provider draws choice i
    of seed s as it draws seed s + i; otherwise each is a call of its own. The choices of the
    state's output are the replications, in their order. A failed call loses no other: the sample's
    metadata name its replications (`errors`).

    Args:
        state: State of the sample.
        asked: The replications by number; numbers follow one another over all cells.
        question: Id of the question.
        provider: The check of the run; without it each replication is a plain call.
        extra: Options added to each request where the server takes them.
        then: All replications, further ones included, once the first output is known.

    Raises:
        UserError: `--seed` was given, which is one seed for all replications, or the prompt does
            not fit into the model's context.
    """
    model = get_model()
    if model.config.seed is not None:
        raise UserError(
            f"--seed {model.config.seed} would give every replication the same seed. "
            f"Set the base seed with -T seed={model.config.seed} instead."
        )
    first, (prompt, seed, _) = next(iter(asked.items()))
    note_first(state, first, asked[first])
    if len(asked) > 1:
        state.metadata["replications"] = len(asked)
    if provider is None:
        _put_together(state, model, await make_calls(model, Requests(), asked), question)
        return state
    alike = len({str(one.prompt) for one in asked.values()}) < len(asked)
    first_one = Requests(extra=(extra or GenerateConfig()).merge(top_k_in_body(model)))
    requests = await provider.requests(model, prompt, seed, alike, first_one)
    made = await make_calls(model, requests, asked)
    if then is not None:
        every = then(_first_text(made))
        made += await make_calls(model, requests, {n: every[n] for n in every if n not in asked})
        asked = every
        state.metadata["replications"] = len(asked)
    _put_together(state, model, made, question)
    _note_provider(state, model, requests)
    # After a limit a check would be refused.
    if not any(isinstance(one, LimitExceededError) for _, one in made):
        make = requests.making(model, prompt, cache=False)
        await _check_seeds(provider, state, str(model), make, asked)
    return state


def _first_text(made: Made) -> str | None:
    """The text of the first replication; None if it failed."""
    output = made[0][1]
    return output.completion if isinstance(output, ModelOutput) and output.choices else None


async def _check_seeds(
    provider: ProviderCheck,
    state: TaskState,
    model: str,
    make: Make,
    asked: Mapping[int, Replication],
) -> None:
    """Let the first replication, if it was made, show whether seeds are honoured."""
    first, one = next(iter(asked.items()))
    texts = texts_of(state.metadata, state.output) or {first: state.output.completion}
    drawn = {number: None if text is None else Drawn(text) for number, text in texts.items()}
    if drawn[first] is None:
        return

    async def draw(seed: int) -> Drawn:
        return Drawn((await make(GenerateConfig(seed=seed))).completion)

    other = seeds_from(one.seed, 2)[1]
    same = first + 1 in asked and asked[first + 1][:2] == (one.prompt, other)
    two = {one.seed: drawn[first], other: drawn[first + 1] if same else None}
    if outcome := await provider.seeds(model, draw, two):
        state.metadata["seed_check"] = outcome


def _note_provider(state: TaskState, model: Model, requests: Requests) -> None:
    """Record whether choices follow seeds, and which options the judge did not get."""
    if requests.choices:
        state.metadata[CHOICES] = requests.choices
    if missing := ", ".join(options_not_sent()):
        state.metadata[NOT_SENT] = missing
        warn_once(
            logger,
            f"{model}: {missing} of this task did not reach the judge, since inspect's provider "
            "does not send them or the server refused them. The judge runs without: another judge "
            "than the log's header describes. Use a provider that sends them, or unset them.",
        )


def note_first(state: TaskState, number: int, asked: Replication) -> None:
    """Record the first replication of a sample, and show its prompt."""
    prompt = str(asked.prompt)
    state.metadata.update(replication=number, seed=asked.seed, prompt=prompt_fingerprint(prompt))
    state.messages = [ChatMessageUser(content=prompt)]


def replication_of(state: TaskState) -> dict[str, Any]:
    """What `replicate` recorded of the first replication, as metadata of its score."""
    recorded = ("replication", "seed", "prompt", "seed_check", *FACTS)
    return {key: state.metadata[key] for key in recorded if key in state.metadata}


async def make_calls(model: Model, requests: Requests, asked: Mapping[int, Replication]) -> Made:
    """Make replications, by number, in as few calls as the provider allows, all at once.

    An output has a choice for each seed, unless the prompt does not fit into the model's context.
    """
    calls: list[list[int]] = []
    for number, one in asked.items():
        last = calls[-1] if calls else []
        before = asked[last[-1]] if last else one
        if one[:2] == (before.prompt, before.seed + 1) and len(last) < requests.most_choices:
            last.append(number)
        else:
            calls.append([number])
    made = await collect(*(_made(call, asked, model, requests) for call in calls))
    return [one for some in made for one in some]


async def _made(
    numbers: Sequence[int], asked: Mapping[int, Replication], model: Model, requests: Requests
) -> Made:
    """Make a call, and further ones if the server makes fewer choices."""
    wanted, given = len(numbers), 0
    prompt, seed, *_ = asked[numbers[0]]
    made: Made = []
    choices = wanted if wanted > 1 else None
    config = GenerateConfig(seed=seed, num_choices=choices)
    try:
        output = await requests.making(model, prompt)(config)
        given = len(output.choices)
        if wanted == 1 or given >= wanted or _is_overlong(output):
            return [(numbers, output)]
        made = [(numbers[:given], output)] if given else []
    except UserError:
        raise
    except Exception as error:  # the other replications must not be lost with it
        if wanted == 1 or not is_refused(error):
            return [(numbers, error)]
    requests.most_choices = min(requests.most_choices, given or wanted // 2)
    rest = {number: asked[number] for number in numbers[given:]}
    return made + await make_calls(model, requests, rest)


def _put_together(state: TaskState, model: Model, made: Made, question: str) -> None:
    outputs = [one for _, one in made if isinstance(one, ModelOutput)]
    if overlong := next(filter(_is_overlong, outputs), None):
        reason = overlong.error or overlong.completion
        raise UserError(
            f"Question '{question}' was not answered: {reason} Shorten its texts, use a model with "
            "a longer context, or go on without it: --no-fail-on-error."
        )
    failed = [(numbers, one) for numbers, one in made if isinstance(one, Exception)]
    limits = [one for _, one in failed if isinstance(one, LimitExceededError)]
    if not outputs:
        raise limits[0] if limits else failed[0][1]
    if failed:
        errors = {number: one for numbers, one in failed for number in numbers}
        state.metadata["errors"] = {
            str(number): f"{type(one).__name__}: {one}" for number, one in errors.items()
        }
        logger.warning("%d replications of question '%s' failed.", len(errors), question)
    empty = ModelOutput.from_content(str(model), "").choices
    usage = [one.usage for one in outputs if one.usage is not None]
    # --num-choices asks for more of a call of one replication.
    choices = [
        choice
        for numbers, one in made
        if isinstance(one, ModelOutput)
        for choice in (one.choices or empty)[: len(numbers)]
    ]
    state.output = ModelOutput(
        model=outputs[0].model,
        choices=choices,
        usage=sum(usage, start=ModelUsage()) if usage else None,
    )
    state.messages.append(state.output.message)


def _is_overlong(output: ModelOutput) -> bool:
    # Providers report a prompt that does not fit as an output without tokens. Scored, it would
    # be a hundred perfectly agreeing non-responses.
    if output.stop_reason != "model_length":
        return False
    return output.error is not None or output.usage is None or not output.usage.output_tokens
