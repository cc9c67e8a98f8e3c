"""One replication: a prompt generated once, with a seed of its own."""

from hashlib import blake2b
from typing import Any

from inspect_ai.model import ChatMessageUser, GenerateConfig, get_model
from inspect_ai.solver import Generate, TaskState

from ..errors import UserError
from .seed_check import SeedCheck
from .seeds import replication_seed


async def replicate(
    state: TaskState,
    generate: Generate,
    prompt: str,
    base_seed: int,
    question: str,
    check: SeedCheck | None = None,
) -> TaskState:
    """Generate one replication of a prompt with a seed of its own, and record which.

    Args:
        state: State of the sample; its epoch is the number of the replication.
        generate: Inspect's generate function.
        prompt: What the judge is to see, the same for every replication.
        base_seed: Base seed of the run.
        question: Id of the question.
        check: The run's check of seeds, made with the first replication that the run begins (or,
            if that fails, with another); None makes none.

    Raises:
        UserError: `--seed` was given, which would be one seed for all replications; or the
            prompt does not fit into the model's context.
    """
    fixed = get_model().config.seed
    if fixed is not None:
        raise UserError(
            f"--seed {fixed} would give every replication the same seed. "
            f"Set the base seed with -T seed={fixed} instead."
        )
    seed = replication_seed(base_seed, question, state.epoch)
    # Whether two judgments under one id were of one prompt is asked of logs without transcripts.
    fingerprint = blake2b(prompt.encode(errors="surrogatepass"), digest_size=6).hexdigest()
    state.metadata.update(replication=state.epoch, seed=seed, prompt=fingerprint)
    state.messages = [ChatMessageUser(content=prompt)]
    model = str(get_model())
    checking = check is not None and check.claim(model)
    try:
        state = await generate(state, seed=seed)
        _refuse_overlong(state, question)
    except Exception:
        if check is not None and checking:
            check.release(model)
        raise
    if check is not None and (checking or check.claim(model)):

        async def draw(seed: int) -> str:
            config = GenerateConfig(seed=seed)
            output = await get_model().generate(prompt, config=config, cache=False)
            return output.completion

        other = replication_seed(base_seed, question, state.epoch + 1)
        drawn = {seed: state.output.completion, other: None}
        state.metadata["seed_check"] = await check.run(model, draw, drawn)
    return state


def replication_of(state: TaskState) -> dict[str, Any]:
    """What `replicate` recorded of a replication, as metadata of its score.

    Logs are read by their scores: what is not in them is not on record.
    """
    recorded = ("seed", "prompt", "seed_check")
    known = {key: state.metadata[key] for key in recorded if key in state.metadata}
    return {"replication": state.epoch, **known}


def _refuse_overlong(state: TaskState, question: str) -> None:
    # Providers report a prompt that does not fit as an output without tokens. Scored, it would
    # be a hundred perfectly agreeing non-responses.
    output = state.output
    if output.stop_reason != "model_length":
        return
    if output.error is None and output.usage is not None and output.usage.output_tokens > 0:
        return
    reason = output.error or output.completion
    raise UserError(
        f"Question '{question}' was not judged: {reason} Shorten its responses, use a judge "
        "with a longer context, or go on without it: --no-fail-on-error."
    )
