"""Replications of a prompt: generated each with a seed of its own."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from inspect_ai.model import (
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.solver import Generate, TaskState
from inspect_ai.util import LimitExceededError, collect

from ..errors import UserError
from .provider_check import FACTS, ProviderCheck, Requests
from .sample import prompt_fingerprint
from .seeds import replication_seed
from .trials import Drawn, Prompt

logger = logging.getLogger(__name__)

_REFUSED = (400, 413, 422)
"""Statuses of a request that the server understood and does not take."""


@dataclass(frozen=True)
class Call:
    """A call of the model: choice i is the replication of the i-th seed."""

    prompt: Prompt
    numbers: list[int]
    seeds: list[int]

    def part(self, start: int, end: int) -> "Call":
        """A call of some of these replications."""
        return Call(self.prompt, self.numbers[start:end], self.seeds[start:end])


async def replicate(
    state: TaskState,
    generate: Generate,
    prompts: Mapping[int, str],
    base_seed: int,
    question: str,
    provider: ProviderCheck | None = None,
) -> TaskState:
    """Generate replications of a question, each with a seed of its own, and record which.

    Replications of one prompt are choices of one call, or of a few, where the provider draws
    choice i of seed s as it draws seed s + i; elsewhere each is a call of its own. The choices of
    the state's output are the replications, in their order. A call that fails loses no other: the
    sample's metadata name its replications (`errors`).

    Args:
        state: State of the sample.
        generate: Inspect's generate function.
        prompts: Number of the replication -> what the judge is to see.
        base_seed: Base seed of the run.
        question: Id of the question.
        provider: The check of the run; without it each replication is a plain call, and nothing is
            checked.

    Raises:
        UserError: `--seed` was given, one seed for all replications, or the prompt does not fit
            into the model's context.
    """
    model = get_model()
    if model.config.seed is not None:
        raise UserError(
            f"--seed {model.config.seed} would give every replication the same seed. "
            f"Set the base seed with -T seed={model.config.seed} instead."
        )
    seeds = {number: replication_seed(base_seed, question, number) for number in prompts}
    first = next(iter(prompts))
    state.metadata.update(
        replication=first, seed=seeds[first], prompt=prompt_fingerprint(prompts[first])
    )
    state.messages = [ChatMessageUser(content=prompts[first])]
    if len(prompts) > 1:
        state.metadata["replications"] = len(prompts)
    if provider is None:
        return await _generated(state, generate, prompts, seeds, question, Requests())
    with provider.seeds(str(model)) as check_seeds:
        alike = len(set(prompts.values())) < len(prompts)
        requests = await provider.requests(model, prompts[first], seeds[first], alike)
        state.metadata |= requests.facts
        state = await _generated(state, generate, prompts, seeds, question, requests)
        texts = replications_of(state.metadata, state.output) or {first: state.output.completion}
        drawn = {number: None if text is None else Drawn(text) for number, text in texts.items()}
        if drawn[first] is None:
            return state

        async def draw(seed: int) -> Drawn:
            config = requests.extra.merge(GenerateConfig(seed=seed))
            output = await model.generate(prompts[first], config=config, cache=False)
            return Drawn(output.completion)

        same = prompts.get(first + 1) == prompts[first]
        other = replication_seed(base_seed, question, first + 1)
        two = {seeds[first]: drawn[first], other: drawn[first + 1] if same else None}
        if outcome := await check_seeds(draw, two, str(model)):
            state.metadata["seed_check"] = outcome
    return state


async def _generated(
    state: TaskState,
    generate: Generate,
    prompts: Mapping[int, str],
    seeds: Mapping[int, int],
    question: str,
    requests: Requests,
) -> TaskState:
    if len(prompts) == 1:
        [seed] = seeds.values()
        own = requests.extra.model_dump(exclude_none=True)
        state = await generate(state, seed=seed, **own)
        _refuse_overlong(state.output, question)
    else:
        model = get_model()
        made = await make_calls(model, requests, prompts, seeds)
        _put_together(state, model, made, question)
    return state


def replication_of(state: TaskState) -> dict[str, Any]:
    """What `replicate` recorded of the first replication, as metadata of its score."""
    recorded = ("replication", "seed", "prompt", "seed_check", *FACTS)
    return {key: state.metadata[key] for key in recorded if key in state.metadata}


def replications_of(metadata: Mapping[str, Any], output: ModelOutput) -> dict[int, str | None]:
    """The texts of a sample's replications by number, None where one failed; empty of just one."""
    if "replications" not in metadata:
        return {}
    first, errors = metadata["replication"], metadata.get("errors", {})
    numbers = range(first, first + metadata["replications"])
    made = [number for number in numbers if str(number) not in errors]
    texts = (choice.message.text for choice in output.choices)
    return dict.fromkeys(numbers) | dict(zip(made, texts, strict=True))


async def make_calls(
    model: Model, requests: Requests, prompts: Mapping[int, Prompt], seeds: Mapping[int, int]
) -> list[tuple[Call, ModelOutput | Exception]]:
    """Make replications, by their numbers, in as few calls as the provider allows, all at once.

    Returns:
        Each call with its output or its error. An output has a choice for each seed, except where
        the prompt does not fit into the model's context.
    """
    calls: list[Call] = []
    for number, prompt in prompts.items():
        call, seed = calls[-1] if calls else None, seeds[number]
        joins = call and call.prompt == prompt and call.seeds[-1] + 1 == seed
        if call and joins and len(call.seeds) < requests.most_choices:
            call.numbers.append(number)
            call.seeds.append(seed)
        else:
            calls.append(Call(prompt, [number], [seed]))
    return await _all_made(calls, model, requests)


async def _all_made(
    calls: Sequence[Call], model: Model, requests: Requests
) -> list[tuple[Call, ModelOutput | Exception]]:
    made = await collect(*(_made(call, model, requests) for call in calls))
    return [one for some in made for one in some]


async def _made(
    call: Call, model: Model, requests: Requests
) -> list[tuple[Call, ModelOutput | Exception]]:
    """Make a call, and two others of what it leaves where the server does not make so many."""
    number, given = len(call.seeds), 0
    made: list[tuple[Call, ModelOutput | Exception]] = []
    if number <= requests.most_choices:
        choices = number if number > 1 else None
        config = requests.extra.merge(GenerateConfig(seed=call.seeds[0], num_choices=choices))
        try:
            output = await model.generate(call.prompt, config=config)
            given = len(output.choices)
            if number == 1 or given >= number or _is_overlong(output):
                return [(call, output)]
            made = [(call.part(0, given), output)] if given else []
        except UserError:
            raise
        except Exception as error:  # the other replications must not be lost with it
            if number == 1 or getattr(error, "status_code", None) not in _REFUSED:
                return [(call, error)]
        requests.most_choices = min(requests.most_choices, given or number // 2)
    places = sorted({given, (given + number) // 2, number})
    rest = [call.part(start, end) for start, end in pairwise(places)]
    return made + await _all_made(rest, model, requests)


def _put_together(
    state: TaskState,
    model: Model,
    made: Sequence[tuple[Call, ModelOutput | Exception]],
    question: str,
) -> None:
    """Make the choices of several calls one output."""
    outputs = [one for _, one in made if isinstance(one, ModelOutput)]
    for output in outputs:
        _refuse_overlong(output, question)
    failed = [(call, one) for call, one in made if isinstance(one, Exception)]
    limits = [one for _, one in failed if isinstance(one, LimitExceededError)]
    if limits or not outputs:
        raise limits[0] if limits else failed[0][1]
    if failed:
        errors = {number: one for call, one in failed for number in call.numbers}
        state.metadata["errors"] = {
            str(number): f"{type(one).__name__}: {one}" for number, one in errors.items()
        }
        logger.warning("%d replications of question '%s' failed.", len(errors), question)
    empty = ModelOutput.from_content(str(model), "").choices
    usage = [one.usage for one in outputs if one.usage is not None]
    state.output = ModelOutput(
        model=outputs[0].model,
        # --num-choices asks for more of a call of one replication.
        choices=[
            choice
            for call, one in made
            if isinstance(one, ModelOutput)
            for choice in (one.choices or empty)[: len(call.seeds)]
        ],
        usage=sum(usage, start=ModelUsage()) if usage else None,
    )
    state.messages.append(state.output.message)


def _is_overlong(output: ModelOutput) -> bool:
    # Providers report a prompt that does not fit as an output without tokens. Scored, it would
    # be a hundred perfectly agreeing non-responses.
    if output.stop_reason != "model_length":
        return False
    return output.error is not None or output.usage is None or not output.usage.output_tokens


def _refuse_overlong(output: ModelOutput, question: str) -> None:
    if not _is_overlong(output):
        return
    reason = output.error or output.completion
    raise UserError(
        f"Question '{question}' was not answered: {reason} Shorten its texts, use a model with a "
        "longer context, or go on without it: --no-fail-on-error."
    )
