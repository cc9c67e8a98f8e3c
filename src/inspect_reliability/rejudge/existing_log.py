"""Rejudging what a log holds."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from inspect_ai import score
from inspect_ai.log import EvalLog, write_eval_log
from inspect_ai.scorer import Score

from ..errors import UserError
from ..replications import nothing_replicated, replications_in
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
    output: str | None = None,
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
        output: Log file to write. Where the run is interrupted, it is written as a cancelled log
            with the outputs that were judged by then, to go on from.

    Returns:
        A copy of the log with the score `rejudge` in it.

    Raises:
        UserError: There is nothing to judge, it is not clear by which scorer, or the scorer asks
            no model.
    """
    name, options = _scorer_of(log, scorer)
    own_model = options.pop("model", None) if model else options.get("model")
    wrapped = resolve_scorer({"name": name, "params": options})
    identity = scorer_identity(wrapped)
    if identity.startswith("inspect_reliability/"):
        raise _asks_no_model(name)  # before its judge is loaded for nothing
    judged = deepcopy(log)
    failed = [sample for sample in judged.samples or [] if sample.error]
    judged.samples = [sample for sample in judged.samples or [] if not sample.error]
    if not judged.samples:
        raise UserError(f"{log.location or 'The log'} holds no sample that ended without an error.")
    _set_aside(judged, identity)
    roles = log.eval.model_roles or {}
    active = model
    if active is None and (own_model or "grader" in roles):
        active = "none/none"  # the evaluated model has nothing to say: do not load it
    try:
        judged = score(
            judged,
            rejudge(wrapped, replications, seed),
            model=active,
            model_roles={"grader": model} if model else None,
            action="append",
            copy=False,
        )
    except BaseException:
        # Scores are there as soon as their output is judged, and have been paid for.
        if output is not None and any(_judged(judged, identity)):
            write_eval_log(_as_far_as_it_went(log, judged, identity), output)
        raise
    if nothing_replicated(_judged(judged, identity)):
        raise _asks_no_model(name)
    for sample in judged.samples or []:
        (sample.scores or {}).pop(_EARLIER, None)
    judged.samples = [*(judged.samples or []), *failed]
    if output is not None:
        write_eval_log(judged, output)
    return judged


def _asks_no_model(scorer: str) -> UserError:
    return UserError(
        f"The scorer '{scorer}' asks no model, so there is nothing to replicate: it says the same "
        "of an output every time. Name a model-graded scorer. Where the epochs of a log are "
        "replications of a judge, `inspect-reliability report` shows its reliability."
    )


def _judged(log: EvalLog, scorer: str) -> Iterator[Score]:
    """The scores that keep the replications of a scorer, without those set aside."""
    for sample in log.samples or []:
        for name, one in (sample.scores or {}).items():
            if name != _EARLIER and _keeps(one, scorer):
                yield one


def _keeps(score: Score, scorer: str) -> bool:
    kept = replications_in(score)
    return kept is not None and (score.metadata or {}).get("scorer") == scorer


def _as_far_as_it_went(log: EvalLog, judged: EvalLog, scorer: str) -> EvalLog:
    """The log with those of its outputs judged that were judged before an interruption."""
    new = {(sample.id, sample.epoch): sample for sample in judged.samples or []}
    samples = []
    for sample in log.samples or []:
        other = new.get((sample.id, sample.epoch), sample)
        scores = dict(other.scores or {})
        scores.pop(_EARLIER, None)
        done = any(_keeps(one, scorer) for one in scores.values())
        samples.append(other.model_copy(update={"scores": scores}) if done else sample)
    return log.model_copy(update={"samples": samples, "status": "cancelled"})


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
            if _keeps(scores[name], scorer):
                scores[_EARLIER] = scores.pop(name)
                earlier.add(name)
    if log.results is not None:
        log.results.scores = [one for one in log.results.scores if one.name not in earlier]
    log.reductions = [one for one in log.reductions or [] if one.scorer not in earlier]
    log.eval.scorers = [one for one in log.eval.scorers or [] if one.name not in earlier]
