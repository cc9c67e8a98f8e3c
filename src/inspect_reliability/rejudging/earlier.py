"""Replications that a log has already, and those that it lacks."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.scorer import Score

from ..errors import UserError
from ..judgments.replications import replications_in
from .run import NOT_MADE
from .summary import Known, Output, keeps, kept_replications, summarise
from .wrapped import Wrapped

_MOST = 5
"""Kinds of errors that are quoted."""

_LONGEST = 300
_REQUEST = re.compile(r"\n?Request:\n.*\n\n", re.DOTALL)
"""What inspect puts before the error of a provider."""


def earlier_replications(
    log: EvalLog, wrapped: Wrapped, seed: int
) -> tuple[Known, dict[Output, Any]]:
    """Replications of a scorer with a base seed, and what their seed check found.

    Raises:
        UserError: The log has replications of this scorer, and none with this base seed; or they
            are no verdicts.
    """
    known: Known = {}
    checks: dict[Output, Any] = {}
    scorer = wrapped.identity
    for sample in log.samples or []:
        first = wrapped.seed(seed, sample.id, sample.epoch, 1)
        kept = [one for one in (sample.scores or {}).values() if keeps(one, scorer)]
        own = [one for one in kept if keeps(one, scorer, first)]
        if kept and not own:
            raise _other_seed(log, kept[-1], wrapped, sample, seed)
        for one in own:
            output, made = (scorer, sample.id, sample.epoch), kept_replications(one)
            try:
                summarise(scorer, list(made.values()))  # as it will be, after the calls
            except ValueError:
                raise UserError(
                    f"{_where(log)}, sample {sample.id}: the replications that it keeps are no "
                    "verdicts. Rejudge the log that this one was made from."
                ) from None
            known[output] = known.get(output, {}) | made
            if checked := (one.metadata or {}).get("seed_check"):
                checks[output] = checked
    return known, checks


def remove_earlier(log: EvalLog, wrapped: Wrapped, seed: int, scores: Iterable[str]) -> None:
    """Remove the scores with these replications from a log, and what was computed from them.

    Inspect would put a second score beside the first. `scores` are the names of the scores of the
    log's scorers, in their order.
    """
    removed = set()
    for sample in log.samples or []:
        for name, one in list((sample.scores or {}).items()):
            if keeps(one, wrapped.identity, wrapped.seed(seed, sample.id, sample.epoch, 1)):
                del (sample.scores or {})[name]
                removed.add(name)
    if log.results is not None:
        log.results.scores = [one for one in log.results.scores if one.name not in removed]
    log.reductions = [one for one in log.reductions or [] if one.scorer not in removed]
    entries = zip(scores, log.eval.scorers or [], strict=True)
    log.eval.scorers = [entry for name, entry in entries if name not in removed]


def replicated_scores(log: EvalLog) -> list[str]:
    """Names of the scores that keep replications, of which one at least did not fail."""
    found: dict[str, None] = {}
    for sample in log.samples or []:
        for name, one in (sample.scores or {}).items():
            kept = replications_in(one)
            if kept and kept.scorer and any(one is not None for one in kept.verdicts):
                found[name] = None
    return list(found)


def failures(log: EvalLog) -> list[str]:
    """Why replications failed, each without the request that caused it, in the log's order."""
    found = []
    for sample in log.samples or []:
        for score in (sample.scores or {}).values():
            if replications_in(score) is not None:
                errors = (score.metadata or {}).get("errors") or {}
                found += [short_error(str(why)) for why in errors.values()]
    return [why for why in found if not why.startswith(NOT_MADE)]


def failure_lines(failed: Sequence[str], missing: int, stopped: str | None) -> list[str]:
    """What to tell the user of `missing` replications, those that failed included."""
    lines = []
    if failed:
        kinds = Counter(failed)
        lines.append(f"{len(failed):,} replications failed:")
        lines += [f"  {count:,} x {why}" for why, count in kinds.most_common(_MOST)]
        if len(kinds) > _MOST:
            lines.append(f"  and {len(kinds) - _MOST:,} other errors, all in the log")
    if missing > len(failed):
        why = f": {stopped}" if stopped else ""
        lines.append(f"{missing - len(failed):,} replications were not made{why}.")
    return [*lines, "Run the same command again to make them."] if lines else []


def short_error(error: str) -> str:
    """An error without the request that caused it, on one line."""
    text = " ".join(_REQUEST.sub("", error).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _where(log: EvalLog) -> str:
    return log.location.removeprefix("file://") or "The log"


def _other_seed(
    log: EvalLog, score: Score, wrapped: Wrapped, sample: EvalSample, asked: int
) -> UserError:
    tried = [(entry.options or {}).get("seed", 0) for entry in log.eval.scorers or []]
    known = [
        seed
        for seed in tried
        if isinstance(seed, int)
        and keeps(score, wrapped.identity, wrapped.seed(seed, sample.id, sample.epoch, 1))
    ]
    if asked in tried and wrapped.wording:
        return UserError(
            f"{_where(log)} has replications of another text of '{wrapped.wording.name}'. Give the "
            "new wording another name, or name another --output to begin anew."
        )
    which, what = ("another base seed", "the same --seed as before")
    if known:
        which, what = f"base seed {known[0]}", f"--seed {known[0]}"
    return UserError(
        f"{_where(log)} has replications of {which}, not of {asked}. Give {what} to go on with "
        "them, or name another --output to begin anew."
    )
