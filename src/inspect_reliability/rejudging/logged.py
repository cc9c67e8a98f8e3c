"""The scorers of a log that are run again: those that a user names, or the only one."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from inspect_ai.log import EvalLog

from ..errors import UserError
from ..record.graders import LoggedScorer, grading_of, scorers_in


def chosen_scorers(log: EvalLog, wanted: Sequence[str]) -> list[LoggedScorer]:
    """The scorers to run again, one for each wanted name of a score or scorer.

    By default the only scorer, or the only one that asked a model. A scorer that the log does not
    name has no arguments.

    Raises:
        UserError: It is not clear which scorer is meant.
    """
    known = scorers_in(log)
    if wanted:
        return [_chosen(known, name) for name in dict.fromkeys(wanted)]
    candidates = _distinct(known)
    if len(candidates) > 1:
        graders = [one for one in candidates if grading_of(log, one).models]
        candidates = graders or candidates
    if len(candidates) != 1:
        raise UserError(_ask(candidates))
    return candidates


def _chosen(known: Sequence[LoggedScorer], wanted: str) -> LoggedScorer:
    by_score = [one for one in known if one.score == wanted]
    short = wanted.rpartition("@")[2]
    by_name = [one for one in known if one.name in (short, short.partition("/")[2])]
    found = _distinct(by_score or by_name)
    if len(found) > 1:
        raise UserError(_ask(found))
    if not found:
        return LoggedScorer(short, wanted, {})
    return found[0] if by_score else replace(found[0], name=wanted)


def _distinct(scorers: Sequence[LoggedScorer]) -> list[LoggedScorer]:
    found: list[LoggedScorer] = []
    for one in sorted(scorers, key=lambda one: one.again):
        if not any(one.is_like(other) for other in found):
            found.append(one)
    return found


def _ask(candidates: Sequence[LoggedScorer]) -> str:
    if not candidates:
        return "The log names no scorer. Say which scorer to run: --scorer PACKAGE/NAME"
    listed = "; ".join(map(str, candidates))
    return (
        f"Say which scorer to run again; the log names several: {listed}. Name one by its score, "
        f"as in --scorer {candidates[0].score}, or repeat --scorer for several."
    )


def packages_of(log: EvalLog) -> Iterator[str]:
    """Packages that may have the scorers of a log, the task's own first."""
    task = log.eval.task_registry_name or log.eval.task
    if "/" in task:
        yield task.partition("/")[0]
    for name in log.eval.packages:
        yield name.replace("-", "_")
