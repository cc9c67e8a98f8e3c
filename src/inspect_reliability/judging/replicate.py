"""Replications of a question, each with its own seed, in as few calls as the provider allows."""

import logging
from collections.abc import Callable, Mapping, Sequence

from inspect_ai.model import (
    ChatMessageUser,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.solver import TaskState
from inspect_ai.util import LimitExceededError, collect, warn_once

from ..errors import UserError
from ..record.replications import STOPPED, prompt_fingerprint, seeds_from, texts_of
from .asking import SeededPrompt
from .requests import Provider, Providers, is_refused, options_not_sent, response_schema
from .seed_check import Drawn

logger = logging.getLogger(__name__)

Asked = Mapping[int, SeededPrompt]
"""Number of each replication, which follow one another over all cells -> what it asks."""

Then = Callable[[str | None], Asked]

Made = list[tuple[Sequence[int], ModelOutput | Exception]]
"""Calls by the numbers of their replications, each with its output or its error."""


async def replicate(
    state: TaskState,
    asked: Asked,
    question: str,
    providers: Providers | None = None,
    then: Then | None = None,
) -> TaskState:
    """Generate replications of a question, each with its own seed, and record which.

    Replications of one prompt are choices of one call, or of a few, if the provider draws choice i
    of seed s as it draws seed s + i; otherwise each is a call of its own. The choices of the
    state's output are the replications, in their order. A failed call loses no other: the sample's
    metadata name its replications (`errors`).

    Args:
        state: State of the sample.
        asked: The replications by number.
        question: Id of the question.
        providers: What the run knows; without it each replication is a plain call.
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
    if providers is None:
        _put_together(state, asked, await _make_calls(Provider(model), asked), question)
        return state
    alike = len({one.prompt for one in asked.values()}) < len(asked)
    provider = await providers.of(model, prompt, seed, alike)
    made = await _make_calls(provider, asked)
    if then is not None:
        output = made[0][1]
        said = output.completion if isinstance(output, ModelOutput) else None
        every = then(said)
        made += await _make_calls(provider, {n: every[n] for n in every if n not in asked})
        asked = every
    _put_together(state, asked, made, question)
    _note_provider(state, provider)
    # After a limit a check would be refused.
    if not any(isinstance(one, LimitExceededError) for _, one in made):
        await _check_seeds(providers, state, provider, asked)
    return state


async def _check_seeds(
    providers: Providers, state: TaskState, provider: Provider, asked: Asked
) -> None:
    """Let the first replication, if it was made, show whether seeds are honoured."""
    first, one = next(iter(asked.items()))
    texts = texts_of(state.metadata, state.output) or {first: state.output.completion}
    drawn = {number: Drawn(text) for number, text in texts.items() if text is not None}
    if first not in drawn:
        return

    async def draw(seed: int) -> Drawn:
        config = GenerateConfig(seed=seed, response_schema=response_schema(one.schema))
        return Drawn((await provider.make(one.prompt, config, cache=False)).completion)

    following = one._replace(seed=seeds_from(one.seed, 2)[1])
    same = first + 1 in asked and asked[first + 1] == following
    other = drawn.get(first + 1) if same else None
    model = str(provider.model)
    if outcome := await providers.seeds.of(model, draw, one.seed, drawn[first], other):
        state.metadata["seed_check"] = outcome


def _note_provider(state: TaskState, provider: Provider) -> None:
    """Record whether choices follow seeds, and which options the judge did not get."""
    if provider.choices:
        state.metadata["seeds_of_choices"] = provider.choices
    if missing := ", ".join(options_not_sent()):
        state.metadata["options_not_sent"] = missing
        warn_once(
            logger,
            f"{provider.model}: {missing} of this task did not reach the judge, since inspect's "
            "provider does not send them or the server refused them. The judge runs without: "
            "another judge than the log's header describes. Use a provider that sends them, or "
            "unset them.",
        )


def note_first(state: TaskState, number: int, asked: SeededPrompt) -> None:
    """Record the first replication of a sample, and show its prompt."""
    prompt = asked.prompt
    state.metadata.update(replication=number, seed=asked.seed, prompt=prompt_fingerprint(prompt))
    state.messages = [ChatMessageUser(content=prompt)]


async def _make_calls(provider: Provider, asked: Asked) -> Made:
    """Make replications in as few calls as the provider allows, all at once.

    An output has a choice for each seed, unless the prompt does not fit into the model's context.
    """
    calls: list[list[int]] = []
    for number, one in asked.items():
        last = calls[-1] if calls else []
        before = asked[last[-1]] if last else one
        if one == before._replace(seed=before.seed + 1) and len(last) < provider.most_choices:
            last.append(number)
        else:
            calls.append([number])
    if len(calls) == 1:  # collecting would add a span to the log, which takes time
        return await _made(provider, calls[0], asked)
    made = await collect(*(_made(provider, call, asked) for call in calls))
    return [one for some in made for one in some]


async def _made(provider: Provider, numbers: Sequence[int], asked: Asked) -> Made:
    """Make a call, and further ones if the server makes fewer choices."""
    wanted, given = len(numbers), 0
    prompt, seed, schema = asked[numbers[0]]
    made: Made = []
    config = GenerateConfig(
        seed=seed,
        num_choices=wanted if wanted > 1 else None,
        response_schema=response_schema(schema),
    )
    try:
        output = await provider.make(prompt, config)
        given = len(output.choices)
        if wanted == 1 or given >= wanted or _is_overlong(output):
            return [(numbers, output)]
        made = [(numbers[:given], output)]
    except UserError:
        raise
    except Exception as error:  # the other replications must not be lost with it
        if wanted == 1 or not is_refused(error):
            return [(numbers, error)]
    provider.most_choices = min(provider.most_choices, given or wanted // 2)
    rest = {number: asked[number] for number in numbers[given:]}
    return made + await _make_calls(provider, rest)


def _put_together(state: TaskState, asked: Asked, made: Made, question: str) -> None:
    """Make the state's output of these calls, and record what failed."""
    outputs = [one for _, one in made if isinstance(one, ModelOutput)]
    if overlong := next(filter(_is_overlong, outputs), None):
        reason = overlong.error or overlong.completion
        raise UserError(
            f"Question '{question}' was not answered: {reason} Shorten its texts, use a model with "
            "a longer context, or go on without it: --no-fail-on-error."
        )
    errors = {n: one for numbers, one in made if isinstance(one, Exception) for n in numbers}
    if not outputs:
        limits = (one for one in errors.values() if isinstance(one, LimitExceededError))
        raise next(limits, next(iter(errors.values())))
    if errors:
        state.metadata["errors"] = {
            str(number): f"{type(one).__name__}: {one}" for number, one in errors.items()
        }
        logger.warning("%d replications of question '%s' failed.", len(errors), question)
    if len(asked) > 1:
        state.metadata["replications"] = len(asked)
    if any((one.metadata or {}).get(STOPPED) for one in outputs):
        state.metadata[STOPPED] = True
    usage = [one.usage for one in outputs if one.usage is not None]
    # --num-choices asks for more of a call of one replication.
    choices = [
        choice
        for numbers, one in made
        if isinstance(one, ModelOutput)
        for choice in one.choices[: len(numbers)]
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
