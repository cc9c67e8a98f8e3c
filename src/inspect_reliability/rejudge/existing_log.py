"""Rejudging what a log holds."""

from copy import deepcopy
from typing import Any

from inspect_ai import score
from inspect_ai.log import EvalLog

from ..errors import UserError
from ..replications import replications_in
from .scorer import rejudge
from .wrapped import resolve_scorer, scorer_identity

_EARLIER = "rejudge (earlier)"


def rejudge_log(
    log: EvalLog,
    scorer: str | None = None,
    *,
    replications: int = 20,
    seed: int = 0,
    model: str | None = None,
) -> EvalLog:
    """Judge every output in a log again and again; the task's code is not needed.

    Replications that the log holds already are kept; those that failed, and those that a higher
    number asks for, are added. Samples that ended in an error are left alone.

    Args:
        log: A log with its samples; it is not changed.
        scorer: One of the log's scorers by its name, or any other (see `rejudge`); by default the
            log's own if it has one only.
        replications: How often each output is judged.
        seed: Base seed.
        model: The grader. By default the one that graded before: the scorer's own `model`, else
            the log's role `grader`, else the model that was evaluated.

    Returns:
        A copy of the log with the score `rejudge` in it.

    Raises:
        UserError: There is nothing to judge, or it is not clear by which scorer.
    """
    log = deepcopy(log)
    failed = [sample for sample in log.samples or [] if sample.error]
    log.samples = [sample for sample in log.samples or [] if not sample.error]
    if not log.samples:
        raise UserError(f"{log.location or 'The log'} holds no sample that ended without an error.")
    name, options = _scorer_of(log, scorer)
    own_model = options.pop("model", None) if model else options.get("model")
    wrapped = resolve_scorer({"name": name, "params": options})
    _set_aside(log, scorer_identity(wrapped))
    roles = log.eval.model_roles or {}
    active = model
    if active is None and (own_model or "grader" in roles):
        active = "none/none"  # the evaluated model has nothing to say: do not load it
    log = score(
        log,
        rejudge(wrapped, replications, seed),
        model=active,
        model_roles={"grader": model} if model else None,
        action="append",
        copy=False,
    )
    for sample in log.samples or []:
        (sample.scores or {}).pop(_EARLIER, None)
    log.samples = [*(log.samples or []), *failed]
    return log


def _scorer_of(log: EvalLog, wanted: str | None) -> tuple[str, dict[str, Any]]:
    """Name and arguments of the scorer to run again."""
    found: dict[str, dict[str, Any]] = {}
    again: dict[str, dict[str, Any]] = {}
    for entry in log.eval.scorers or []:
        options = dict(entry.options or {})
        if entry.name == "rejudge" and isinstance(options.get("scorer"), dict):
            wrapped = options["scorer"]
            again[wrapped["name"]] = dict(wrapped.get("params") or {})
        else:
            found[entry.name] = options
    if wanted is not None:
        return wanted, (again | found).get(wanted, {})
    candidates = again or found
    if len(candidates) != 1:
        names = f"several: {', '.join(candidates)}" if candidates else "none"
        raise UserError(f"Say which scorer to run again with --scorer; the log names {names}.")
    return next(iter(candidates.items()))


def _set_aside(log: EvalLog, scorer: str) -> None:
    """Move earlier replications by this scorer to where the new score finds them and replaces them.

    Inspect would put a second score beside the first.
    """
    earlier = set()
    for sample in log.samples or []:
        scores = sample.scores or {}
        for name in list(scores):
            kept = replications_in(scores[name])
            if kept is not None and (scores[name].metadata or {}).get("scorer") == scorer:
                scores[_EARLIER] = scores.pop(name)
                earlier.add(name)
    if log.results is not None:
        log.results.scores = [one for one in log.results.scores if one.name not in earlier]
    log.reductions = [one for one in log.reductions or [] if one.scorer not in earlier]
    log.eval.scorers = [one for one in log.eval.scorers or [] if one.name not in earlier]
