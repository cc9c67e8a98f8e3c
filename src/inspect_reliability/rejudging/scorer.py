"""The scorer that runs another scorer again and again on the same output."""

from collections.abc import Sequence

from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.scorer import scorer as register
from inspect_ai.solver import TaskState
from inspect_ai.util import collect
from rich.markup import escape

from ..errors import UserError
from ..errors.inspect_error import PrerequisiteError
from ..judging.seed_check import SeedCheck, SeedOutcome, log_outcome
from ..judging.seeds import base_seed, replication_seed
from ..scoring import reliability
from .choices import Choices, FirstCalls
from .run import Run
from .summary import Replication, keeps, kept_replications, summarise
from .wrapped import ScorerSpec, Wrapped, wrap


def output_seed(base: int, sample: int | str, epoch: int, replication: int) -> int:
    """Seed of a replication, from 1, of an output."""
    return replication_seed(base, f"{sample}|{epoch}", replication)


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

    The score's metadata keep the verdict of every replication (`replications`, which
    `judgments.replications` reads: "non-response" where the grader gave no grade, None where the
    replication failed), the `seed` of the first (each of the others has the next), and
    `explanations`; `errors` (number of the replication -> why it failed), `scorer`, `grader` (the
    models called), `temperature` (if set) and, in one score of each run, `seed_check`.

    Scoring a log again with the same arguments and `--action append` runs what is missing only:
    replications that failed, or that a higher number asks for.

    The first output shows whether all its replications send one prompt. If so, those of each other
    output share a request, where the provider draws choice i of seed s as it draws seed s + i.

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
        return JudgeAgain(_wrapped(scorer, replications), replications, base_seed(seed))
    except UserError as error:
        # After a ValueError `inspect score` looks for the scorer elsewhere, and does not say why.
        raise PrerequisiteError(escape(str(error))) from None


class JudgeAgain:
    """The scorer that `rejudge` makes.

    Attributes:
        wrapped: The scorer that it runs.
        run: What it knows of other outputs, and whom it tells of replications.
    """

    def __init__(self, wrapped: Wrapped, replications: int, seed: int) -> None:
        self.wrapped = wrapped
        self.run = Run()
        self._replications = replications
        self._seed = seed
        self._check = SeedCheck()
        self._choices = Choices()

    async def __call__(self, state: TaskState, target: Target) -> Score | None:
        """Judge an output; None where the run was stopped before it had a verdict."""
        name = self.wrapped.identity
        output = (name, state.sample_id, state.epoch)
        first, scores = self._seed_of(state, 1), reversed((state.scores or {}).values())
        earlier = next((one for one in scores if keeps(one, name, first)), None)
        known = self.run.known.get(output) or kept_replications(earlier)
        numbers = range(1, max(self._replications, *known, 0) + 1)
        _ = self.wrapped.scorer  # where it cannot be made, before anything is judged
        # An earlier run has made the check.
        fresh = earlier is None and not self.run.seed_checks
        checking = fresh and self._check.claim(str(state.model))

        there = {number: one for number, one in known.items() if one.error is None}
        seeds = {number: self._seed_of(state, number) for number in numbers if number not in there}

        async def replication(number: int, seed: int, calls: FirstCalls | None) -> Replication:
            one = await self._replicate(state, target, seed, calls)
            self.run.record(output, number, one)
            return one

        try:
            async with self._choices.of_output(seeds, self.run) as calls:
                new = await collect(*(replication(n, seed, calls) for n, seed in seeds.items()))
        except BaseException:  # a time limit cancels it
            if checking:
                self._check.release(str(state.model))
            raise
        there |= dict(zip(seeds, new, strict=True))
        made = [there[number] for number in numbers]
        if self.run.stopped and all(one.error for one in made):
            return None
        result = summarise(name, made)
        checked = self.run.seed_checks.get(output)
        if not checked and earlier is not None:
            checked = (earlier.metadata or {}).get("seed_check")
        judged = made[0].error is None and bool(made[0].models)
        if checking and not judged:
            self._check.release(str(state.model))
        elif fresh and judged and (checking or self._check.claim(str(state.model))):
            checked = await self._check_seeds(made, state, target)
        if checked and not self.run.stopped:
            result.metadata = {**(result.metadata or {}), "seed_check": checked}
        return result

    async def _replicate(
        self, state: TaskState, target: Target, seed: int, calls: FirstCalls | None = None
    ) -> Replication:
        from .seeded_calls import replicate  # registers a hook

        first = None if calls is None else calls.answer
        return await replicate(self.run, self.wrapped.scorer, state, target, seed, first)

    async def _check_seeds(
        self, made: Sequence[Replication], state: TaskState, target: Target
    ) -> SeedOutcome:
        first = made[0]
        if first.cached:
            return log_outcome(first.grader, "unknown", "outputs come from inspect's cache")

        async def draw(seed: int) -> str:
            again = await self._replicate(state, target, seed)
            if again.error is not None:
                raise RuntimeError(again.error)
            return again.text

        said = next((one.text for one in made[1:2] if one.error is None), None)
        drawn = {first.seed: first.text, self._seed_of(state, 2): said}
        return await self._check.run(first.grader, draw, drawn)

    def _seed_of(self, state: TaskState, number: int) -> int:
        return output_seed(self._seed, state.sample_id, state.epoch, number)


def _wrapped(scorer: ScorerSpec | None, replications: int) -> Wrapped:
    if scorer is None:
        raise UserError(
            "Say which scorer to run again: rejudge(model_graded_qa()) in a task, "
            "-S scorer=model_graded_qa on the command line."
        )
    if not isinstance(replications, int) or isinstance(replications, bool) or replications < 1:
        raise UserError(f"replications={replications!r} is not a positive whole number.")
    return wrap(scorer)
