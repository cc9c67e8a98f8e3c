"""The scorer that runs another scorer again and again on the same output."""

import logging
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.scorer import scorer as register
from inspect_ai.solver import TaskState
from inspect_ai.util import LimitExceededError, collect
from rich.markup import escape

from ..errors import UserError
from ..errors.inspect_error import PrerequisiteError
from ..judging.provider_check import ProviderCheck, SeedTurn
from ..judging.seeds import base_seed, seeds_from
from ..judging.trials import Drawn, Outcome
from ..judgments.replications import replications_in
from ..scoring import reliability
from ..verdicts import graded
from .calls import Choices, FirstCalls, seeded_calls, share_graders
from .replications import NOT_MADE, Known, Output, Replication, kept_replications, summarise
from .run import Run
from .wrapped import ScorerSpec, Wrapped, wrap

logger = logging.getLogger(__name__)


@register(metrics=[reliability()])
def rejudge(scorer: ScorerSpec | None = None, replications: int = 20, seed: int = 0) -> Scorer:
    """Run a model-graded scorer several times on the same output, one seed each.

    Epochs replicate the model under test together with its judge. To measure the judge alone, hold
    the output fixed: here each output is judged `replications` times.

    The score's value is the one that most replications gave (of those tied, the first by number),
    or the mean of numbers; by key where the scorer gives a mapping. Replications that failed or
    gave no grade do not count. Without any grade the value is "non-response"; where all failed, the
    sample is unscored. If the value is a grade, add `accuracy()` and the like to the metrics.

    The score's metadata keep the verdict of every replication (`replications`, which
    `judgments.replications` reads: "non-response" where the grader gave no grade, None where the
    replication failed), the `votes` of a panel of graders (where inspect keeps them: that of a
    `majority`), the `seed` of the first (each of the others has the next), and `explanations`;
    `errors` (number of the replication -> why it failed), `scorer`, `grader` (the models called),
    `temperature` (if set) and, in one score of each run, `seed_check`.

    Scoring a log again with the same arguments and `--action append` runs only missing
    replications: those that failed, or that a higher number asks for.

    If all replications of the first output send one prompt, those of each later output share a
    request, provided that the provider draws choice i of seed s as it draws seed s + i.

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
        if not isinstance(replications, int) or isinstance(replications, bool) or replications < 1:
            raise UserError(f"replications={replications!r} is not a positive whole number.")
        return JudgeAgain(wrap(scorer), replications, base_seed(seed))
    except UserError as error:
        # After a ValueError `inspect score` looks for the scorer elsewhere, and does not say why.
        raise PrerequisiteError(escape(str(error))) from None


class JudgeAgain:
    """The scorer that `rejudge` makes.

    Attributes:
        wrapped: The scorer that it runs.
        run: Receives its replications and calls.
        choices: Whether its replications share calls.
        known: Replications of an output that are in none of its scores.
        seed_checks: What the seed check of an output found before.
    """

    def __init__(self, wrapped: Wrapped, replications: int, seed: int) -> None:
        self.wrapped = wrapped
        self.run, self.choices = Run(), Choices()
        self.known: Known = {}
        self.seed_checks: Mapping[Output, str] = {}
        self._replications, self._seed = replications, seed
        self._check = ProviderCheck()

    async def __call__(self, state: TaskState, target: Target) -> Score | None:
        """Judge an output; None if the run stopped before any call."""
        output = (state.sample_id, state.epoch)
        first = self.wrapped.seed(self._seed, output)
        scores = ((one, replications_in(one)) for one in reversed((state.scores or {}).values()))
        mine = (self.wrapped.identity, first)
        earlier = next(
            (one for one, kept in scores if kept and (kept.scorer, kept.seed) == mine), None
        )
        known = self.known.get(output) or kept_replications(earlier)
        checked = self.seed_checks.get(output)
        if not checked and earlier is not None:
            checked = (earlier.metadata or {}).get("seed_check")
        numbers = range(1, max(self._replications, *known, 0) + 1)
        there = {number: one for number, one in known.items() if one.error is None}
        every = dict(zip(numbers, seeds_from(first, len(numbers)), strict=True))
        seeds = {number: seed for number, seed in every.items() if number not in there}

        async def replication(number: int, seed: int, calls: FirstCalls | None) -> Replication:
            one = await self._replicate(state, target, seed, calls)
            self.run.record(output, number, one)
            return one

        # No earlier run has made the check, nor does another wording.
        fresh = earlier is None and not self.seed_checks and not self.wrapped.changes
        turn = self._check.seeds(str(state.model)) if fresh else nullcontext()
        share_graders()
        with turn as check_seeds:
            _ = self.wrapped.scorer  # where it cannot be made, before anything is judged
            async with self.choices.of_output(seeds, self.run) as calls:
                new = await collect(*(replication(n, seed, calls) for n, seed in seeds.items()))
            there |= dict(zip(seeds, new, strict=True))
            made = [there[number] for number in numbers]
            if all((one.error or "").startswith(NOT_MADE) for one in made):
                return None
            result = summarise(self.wrapped.identity, made)
            if check_seeds and made[0].error is None and made[0].models:
                checked = await self._check_seeds(check_seeds, made, state, target) or checked
        result.metadata = result.metadata or {}
        if self.wrapped.wording:
            result.metadata["wording"] = self.wrapped.wording.name
        if checked and not self.run.stopped:
            result.metadata["seed_check"] = checked
        return result

    async def _replicate(
        self, state: TaskState, target: Target, seed: int, calls: FirstCalls | None = None
    ) -> Replication:
        """Run the scorer once, with this seed in its model calls.

        Raises:
            PrerequisiteError: A mistake in the set-up that no repetition can mend.
        """
        with seeded_calls(seed, self.run, calls) as made:
            try:
                score = await self.wrapped.scorer(state, target)
                if made.refused:
                    raise made.refused
            except PrerequisiteError:
                raise
            except LimitExceededError as limit:
                return Replication(seed, None, error=f"{NOT_MADE}: {limit.message}")
            except Exception as error:  # the other replications must not be lost with it
                message = f"{type(error).__name__}: {error}"
                logger.info("A replication with seed %d failed: %s", seed, message)
                return Replication(seed, None, error=message, models=frozenset(made.models))
        score = Score.unscored() if score is None else score
        return Replication(
            seed=seed,
            verdict=graded(score.value, score.metadata),
            explanation=score.explanation or "",
            answer=score.answer,
            models=frozenset(made.models),
            temperature=made.temperature,
            cached=made.cached,
            prompt=made.prompt,
            votes=_votes(score, self.wrapped.panel),
        )

    async def _check_seeds(
        self, check: SeedTurn, made: Sequence[Replication], state: TaskState, target: Target
    ) -> Outcome | None:
        async def draw(seed: int) -> Drawn:
            if made[0].cached:
                raise RuntimeError("outputs come from inspect's cache")
            again = await self._replicate(state, target, seed)
            if again.error is not None:
                raise RuntimeError(again.error)
            return again.drawn

        other = next((one.drawn for one in made[1:2] if one.error is None), None)
        [_, second] = seeds_from(made[0].seed, 2)
        return await check(draw, {made[0].seed: made[0].drawn, second: other}, made[0].grader)


def _votes(score: Score, panel: Sequence[str]) -> dict[str, Any]:
    """Grades of each grader of a panel; empty if inspect does not keep them."""
    kept = (score.metadata or {}).get("panel")
    votes = kept.get("votes") if isinstance(kept, Mapping) else None
    if not isinstance(votes, list) or len(votes) != len(set(panel)):
        return {}
    return {name: graded(vote) for name, vote in zip(panel, votes, strict=True)}
