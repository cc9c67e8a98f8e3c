"""The solver that shows an item to a judge, whose verdict is drawn often or found exactly."""

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, get_args

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import LimitExceededError, collect, warn_once

from ..designs import JudgeDesign, changes_of, forms_of, wordings_of
from ..errors import UserError, one_of
from ..hf_seeded import distributing, stopping
from ..parsing.reader import Reader
from ..record.replications import (
    STOPPED,
    base_seed,
    prompt_fingerprint,
    replication_numbers,
    seeds_from,
    texts_of,
)
from .asking import OTHER, AskedItem, Asking, OrderPolicy, Orders, SeededPrompt, item_of
from .requests import Drawn, Provider, Providers, is_refused, options_not_sent, response_schema

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
    _note_provider(state, provider, any(one.schema for one in asked.values()))
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


def _note_provider(state: TaskState, provider: Provider, with_schema: bool) -> None:
    """Record whether choices follow seeds, and which options the judge did not get."""
    if provider.choices:
        state.metadata["seeds_of_choices"] = provider.choices
    missing = options_not_sent()
    # No warning: words of the prompt ask for the form all the same.
    words_alone = ["response_schema"] if with_schema and not provider.takes_schemas else []
    if missing or words_alone:
        state.metadata["options_not_sent"] = ", ".join([*missing, *words_alone])
    if missing:
        warn_once(
            logger,
            f"{provider.model}: {', '.join(missing)} of this task did not reach the judge, since "
            "inspect's provider does not send them or the server refused them. The judge runs "
            "without: another judge than the log's header describes. Use a provider that sends "
            "them, or unset them.",
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


@solver
def judge_responses(
    design: JudgeDesign | Mapping[str, Any],
    order: OrderPolicy = "shuffled",
    seed: int = 0,
    replications: int | str | None = None,
    exact: bool | str = False,
    temperatures: Sequence[float] | float | None = None,
    orders: Orders | None = None,
    wordings: str | Sequence[str] | None = None,
    answers: str | Sequence[str] | None = None,
    answer_forms: str | Sequence[str] | None = None,
) -> Solver:
    """Show the judge an item and let it generate its verdict, once or many times.

    Needs the sample metadata that `judge_sample` writes. Adds `order` (names of the responses, in
    the order of the labels), `replication` and `seed` (as sent to the provider). The first
    replication of a run has `seed_check` (whether the provider honours seeds). Of several
    replications these describe the first; `replications` is their number, `orders` the order of
    each (as places in `order`) if they differ, and `errors` the failures.

    In an experiment (`orders`, `wordings`, `answers`, `answer_forms`) each cell has this many
    replications, one cell after the other. `cells` describes them (see `Grid`). Where the judge
    chooses, the first output decides which answer is changed.

    Args:
        design: How the judge is asked, or the fields of a `JudgeDesign`.
        order: Order of the options: "shuffled" per question and held over replications,
            "reshuffled" for every replication, or "given".
        seed: Base seed of option order and replications.
        replications: Replications that one sample makes: how many, or the first and the last
            ("51-100"). Their verdicts are those of as many epochs. By default each epoch is one.
        exact: Find the distribution of each question's verdict instead of drawing verdicts. Needs a
            judge that runs on this machine: hf_seeded/MODEL. "verdict" is for judges that reason
            first: it samples `replications` reasonings, and finds the distribution of the verdict
            after each. Needs a provider that returns log probabilities.
        temperatures: Temperatures of exact verdicts, as in "1,0.75,0.5": one run serves all. By
            default that of the run.
        orders: Show each question with its options in so many orders, the same for all questions: 2
            or more, "rotations" (each option has every place once), or "all". Each order has all
            replications, with seeds of its own.
        wordings: Ask each question in other wordings too: those of a YAML or JSON file, or changes
            that keep the meaning: "labels" (brackets around them), "whitespace", or both. Those of
            the design by default.
        answers: Change an answer, to find out what fools the judge: by changes that come with the
            package, such as "praise", which must not move the verdict, or "truncated", which must
            (a name that is none of them lists all). Or by changes of a YAML or JSON file, or by
            several of these.
        answer_forms: Ask each question for other forms of answer too: "bare" (the verdict alone),
            "json", "sentence", or several of these.

    Raises:
        UserError: An option has a wrong value, or two options contradict each other.
    """
    one_of("order", order, get_args(OrderPolicy))
    own = design if isinstance(design, JudgeDesign) else JudgeDesign(**design)
    changes = changes_of(answers)
    forms = [*forms_of(own, answer_forms)]
    worded = wordings_of(own, wordings)
    asking = Asking(own, worded, order, base_seed(seed), orders, changes, forms)
    _ = asking.several  # or an error before the first call
    numbers = replication_numbers(1 if replications is None else replications)
    providers, drawn = Providers(), True
    if changes:
        _check_answers(asking, exact, len(numbers))
    if exact is not False or temperatures is not None:
        at = temperatures_of(asking, exact, replications, temperatures)
        providers, drawn = Providers(AT_VERDICT), exact is not True
    chooses = asking.design.reader.kind == "options"

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        item = item_of(state.metadata)
        first = numbers.start + (state.epoch - 1) * len(numbers)
        asked = AskedItem(asking, item, range(first, first + len(numbers)))

        def changed(said: str | None) -> dict[int, SeededPrompt]:
            asked.change(said, state.metadata.get(OTHER, {}))
            state.metadata.update(asked.kept)
            return dict(enumerate(asked.requests, first))

        if changes and not chooses:
            changed(None)
        state.metadata |= asked.kept
        if not drawn:
            return await exact_verdicts(state, own.reader, asked.requests, at)
        by_number = dict(enumerate(asked.requests, first))
        then = changed if changes and chooses else None
        with stopping(own.reader.finished):
            state = await replicate(state, by_number, item.id, providers, then)
        if exact == "verdict":
            note_probabilities(state)
        return state

    return solve


def _check_answers(asking: Asking, exact: object, number: int) -> None:
    """Refuse changes of answers whose effect could not be told from the judge's own noise.

    Raises:
        UserError: Verdicts are exact, the order is no fact of a cell, or the first verdict, which
            decides what is changed, is the only one.
    """
    if exact:
        raise UserError(f"answers= needs draws. Leave out exact={exact}: -T replications=5.")
    if asking.order == "reshuffled":
        raise UserError("order=reshuffled shows answers at other places. Leave out one of them.")
    if asking.design.reader.kind == "options" and number < 2:
        raise UserError(
            "answers= changes an answer by the first verdict, which the comparison leaves out. Say "
            "how many there are in one sample: -T replications=5."
        )
