"""Replications of a scorer that a log already has, and why some failed."""

from collections.abc import Iterable, Iterator

from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.scorer import Score

from ..errors import UserError
from ..judgments.replications import Replications, replications_in
from .replications import NOT_MADE, Known, Output, kept_replications, summarise
from .wrapped import Wrapped


def earlier_replications(
    log: EvalLog, wrapped: Wrapped, seed: int
) -> tuple[Known, dict[Output, str]]:
    """A log's replications of a scorer and base seed, and what its seed checks found.

    Raises:
        UserError: The log has replications of this scorer but none with this base seed, or they are
            no verdicts.
    """
    known: Known = {}
    checks: dict[Output, str] = {}
    where = log.location.removeprefix("file://") or "The log"
    for sample, _, score in _earlier_scores(log, wrapped, seed):
        made = kept_replications(score)
        try:
            summarise(wrapped.identity, list(made.values()))  # as it will be, after the calls
        except ValueError:
            raise UserError(
                f"{where}, sample {sample.id}: the replications that it keeps are no verdicts. "
                "Rejudge the log that this one was made from."
            ) from None
        known.setdefault((sample.id, sample.epoch), {}).update(made)
        if checked := (score.metadata or {}).get("seed_check"):
            checks[sample.id, sample.epoch] = checked
    return known, checks


def remove_earlier(log: EvalLog, wrapped: Wrapped, seed: int, scores: Iterable[str]) -> None:
    """Remove the scores with these replications from a log, and the metrics computed from them.

    Otherwise inspect would add a second score. `scores` are the names of the scores of the log's
    scorers, in order.
    """
    removed = set()
    for sample, name, _ in list(_earlier_scores(log, wrapped, seed)):
        del (sample.scores or {})[name]
        removed.add(name)
    if log.results is not None:
        log.results.scores = [one for one in log.results.scores if one.name not in removed]
    log.reductions = [one for one in log.reductions or [] if one.scorer not in removed]
    entries = zip(scores, log.eval.scorers or [], strict=True)
    log.eval.scorers = [entry for name, entry in entries if name not in removed]


def replicated_scores(log: EvalLog) -> list[str]:
    """Names of the scores with at least one replication that did not fail."""
    every = (one for sample in log.samples or [] for one in _rejudged(sample))
    named = {name: None for name, _, kept in every if len(kept.lost) < len(kept.verdicts)}
    return list(named)


def failures(log: EvalLog) -> list[str]:
    """Errors of failed replications, in the log's order."""
    every = (score for sample in log.samples or [] for _, score, _ in _rejudged(sample))
    errors = [((score.metadata or {}).get("errors") or {}).values() for score in every]
    return [str(why) for each in errors for why in each if not str(why).startswith(NOT_MADE)]


def _rejudged(sample: EvalSample) -> Iterator[tuple[str, Score, Replications]]:
    for name, score in (sample.scores or {}).items():
        if (kept := replications_in(score)) and kept.scorer:
            yield name, score, kept


def _earlier_scores(
    log: EvalLog, wrapped: Wrapped, seed: int
) -> Iterator[tuple[EvalSample, str, Score]]:
    for sample in log.samples or []:
        mine = [one for one in _rejudged(sample) if one[2].scorer == wrapped.identity]
        first = wrapped.seed(seed, (sample.id, sample.epoch))
        own = [(sample, name, score) for name, score, kept in mine if kept.seed == first]
        if mine and not own:
            raise _other_seed(log, wrapped, sample, mine[-1][2].seed, seed)
        yield from own


def _other_seed(
    log: EvalLog, wrapped: Wrapped, sample: EvalSample, first: int | None, asked: int
) -> UserError:
    where = log.location.removeprefix("file://") or "The log"
    tried = [(entry.options or {}).get("seed", 0) for entry in log.eval.scorers or []]
    known = [
        seed
        for seed in tried
        if isinstance(seed, int) and first == wrapped.seed(seed, (sample.id, sample.epoch))
    ]
    if asked in tried and wrapped.wording:
        return UserError(
            f"{where} has replications of another text of '{wrapped.wording.name}'. Give the "
            "new wording another name, or name another --output to begin anew."
        )
    which, what = ("another base seed", "the same --seed as before")
    if known:
        which, what = f"base seed {known[0]}", f"--seed {known[0]}"
    return UserError(
        f"{where} has replications of {which}, not of {asked}. Give {what} to go on with them, or "
        "name another --output to begin anew."
    )
