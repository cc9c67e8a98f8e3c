"""The scorer of a log that is run again: the one that a user names, or the only one."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from inspect_ai.log import EvalLog

from ..errors import UserError
from ..record.graders import LoggedScorer, grading_of, scorers_in


def chosen_scorer(log: EvalLog, wanted: str | None) -> LoggedScorer:
    """The scorer to run again, by the name of its scores or its own.

    By default the only scorer, or the only one that asked a model. A scorer that the log does not
    name has no arguments.

    Raises:
        UserError: It is not clear which scorer is meant.
    """
    known = scorers_in(log)
    if wanted is None:
        found = _distinct(known)
        if len(found) > 1:
            found = [one for one in found if grading_of(log, one).models] or found
        if not found:
            raise UserError(
                "The log names no scorer. Say which scorer to run: --scorer PACKAGE/NAME"
            )
    else:
        short = wanted.rpartition("@")[2]
        by_score = [one for one in known if one.score == wanted]
        by_name = [one for one in known if one.name in (short, short.partition("/")[2])]
        named = [replace(one, name=wanted) for one in by_name]
        found = _distinct(by_score or named or [LoggedScorer(short, wanted, {})])
    if len(found) > 1:
        listed = "; ".join(map(str, found))
        raise UserError(
            f"Say which scorer to run again; the log names several: {listed}. Name one by its "
            f"score, as in --scorer {found[0].score}."
        )
    return found[0]


def _distinct(scorers: Sequence[LoggedScorer]) -> list[LoggedScorer]:
    found: list[LoggedScorer] = []
    for one in sorted(scorers, key=lambda one: one.again):
        if not any(one.is_like(other) for other in found):
            found.append(one)
    return found


def packages_of(log: EvalLog) -> Iterator[str]:
    """Packages that may have the scorers of a log, the task's own first."""
    task = log.eval.task_registry_name or log.eval.task
    if "/" in task:
        yield task.partition("/")[0]
    for name in log.eval.packages:
        yield name.replace("-", "_")
