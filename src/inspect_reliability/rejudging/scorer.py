"""The scorer that runs another scorer again and again on the same output."""

from collections.abc import Iterable, Mapping

from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.scorer import scorer as register
from inspect_ai.solver import TaskState
from inspect_ai.util import collect

from ..errors import PrerequisiteError, UserError
from ..judging.seed_check import SeedCheck, SeedOutcome
from ..judging.seeds import base_seed, replication_seed
from ..scoring import reliability
from .replication import Replication, output_id, replicate
from .summary import earlier_score, kept_replications, summarise
from .wrapped import ScorerSpec, resolve_scorer, scorer_identity


@register(metrics=[reliability()])
def rejudge(scorer: ScorerSpec | None = None, replications: int = 20, seed: int = 0) -> Scorer:
    """Run a model-graded scorer several times on the same output, one seed each.

    Epochs replicate the model under test together with its judge. How reliable the judge is shows
    only where the output is held fixed: here each output is judged `replications` times, all at
    once, and the score keeps what every one of them said.

    The score's value is the one that most replications gave (of those tied, the one that came
    first by number), or the mean where the scorer gives numbers; by key where it gives a mapping.
    Replications that failed or gave no grade have no say. Without any grade the value is
    "non-response"; where all replications failed, the sample is unscored. Where the value is a
    grade, add `accuracy()` and the like to the task's metrics.

    The score's metadata hold, in the order of the replications: `verdicts` (the value;
    "non-response" where the grader gave no grade, null where the replication failed), `seeds` (as
    sent) and `explanations`; and `replications` (their number), `errors` (number of the
    replication -> why it failed), `scorer`, `grader` (the models called), `temperature` (if set)
    and, in one score of each run, `seed_check`.

    Scoring a log again with the same arguments and `--action append` runs what is missing only:
    replications that failed, or that a higher number asks for.

    Args:
        scorer: The scorer to run: `model_graded_qa()`, one of your own, or, on the command line,
            its name (`model_graded_qa`, `package/name`, `file.py@name`) or a mapping with its
            `name` and its arguments (`params`). It grades with the model it would use by itself:
            its own `model`, the role `grader`, or the model of the eval.
        replications: How often each output is judged.
        seed: Base seed; each replication of each output gets one of its own.

    Raises:
        PrerequisiteError: The scorer is not known, or a number is not one.
    """
    try:
        wrapped = _wrapped(scorer, replications)
        name, first_seed = scorer_identity(wrapped), base_seed(seed)
    except UserError as error:
        # After a ValueError `inspect score` looks for the scorer elsewhere, and does not say why.
        raise PrerequisiteError(error.message) from None
    check = SeedCheck()

    async def score(state: TaskState, target: Target) -> Score:
        def seed_of(replication: int) -> int:
            output = output_id(state.sample_id, state.epoch)
            return replication_seed(first_seed, output, replication)

        earlier = earlier_score(state.scores or {}, name, seed_of(1))
        kept = kept_replications(earlier) if earlier else []
        seeds = [seed_of(r) for r in range(1, max(replications, len(kept)) + 1)]
        known = {one.seed: one for one in kept if one.error is None}
        missing = [seed for seed in seeds if seed not in known]
        # An earlier run has made the check.
        checking = earlier is None and check.claim(str(state.model))
        new = await collect(*(replicate(wrapped, state, target, seed) for seed in missing))
        _refuse_other_grader(known.values(), new)
        known |= {one.seed: one for one in new}
        result = summarise(name, [known[seed] for seed in seeds])
        honoured = (earlier.metadata or {}).get("seed_check") if earlier else None
        first = known[seeds[0]]
        judged = first.error is None and bool(first.models)
        if checking and not judged:
            check.release(str(state.model))
        elif earlier is None and judged and (checking or check.claim(str(state.model))):
            second = known.get(seed_of(2))
            said = second.text if second and second.error is None else None
            honoured = await seeds_honoured(first, {seed_of(2): said}, state, target)
        if honoured is not None:
            result.metadata = {**(result.metadata or {}), "seed_check": honoured}
        return result

    async def seeds_honoured(
        first: Replication, other: Mapping[int, str | None], state: TaskState, target: Target
    ) -> SeedOutcome:
        if first.cached:
            return check.unknown(first.grader, "outputs come from inspect's cache")

        async def draw(seed: int) -> str:
            again = await replicate(wrapped, state, target, seed)
            if again.error is not None:
                raise RuntimeError(again.error)
            return again.text

        return await check.run(first.grader, draw, {first.seed: first.text, **other})

    return score


def _wrapped(scorer: ScorerSpec | None, replications: int) -> Scorer:
    if scorer is None:
        raise UserError(
            "Say which scorer to run again: rejudge(model_graded_qa()) in a task, "
            "-S scorer=model_graded_qa on the command line."
        )
    if not isinstance(replications, int) or isinstance(replications, bool) or replications < 1:
        raise UserError(f"replications={replications!r} is not a positive whole number.")
    return resolve_scorer(scorer)


def _refuse_other_grader(kept: Iterable[Replication], new: Iterable[Replication]) -> None:
    before = {model for one in kept for model in one.models}
    now = {model for one in new for model in one.models}
    if not (before <= now or now <= before):
        raise UserError(
            f"The log's replications were graded by {', '.join(sorted(before))}, the new ones by "
            f"{', '.join(sorted(now))}. Name the same model, or start again from the original log."
        )
