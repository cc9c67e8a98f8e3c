"""Rejudging what a log holds."""

import logging
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from inspect_ai import score
from inspect_ai.log import EvalLog, EvalSample, write_eval_log
from inspect_ai.model import get_model
from inspect_ai.scorer import Score

from ..errors import UserError
from ..judging.seeds import base_seed, replication_seed
from ..judgments.replications import nothing_replicated, replications_in
from .replication import output_id
from .scorer import rejudge
from .wrapped import resolve_scorer, scorer_identity

logger = logging.getLogger(__name__)

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

    Replications that the log holds already are kept, all of them; those that failed, and those
    that a higher number asks for, are added. Samples that ended in an error are left alone.

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
        UserError: There is nothing to judge, it is not clear by which scorer, the scorer asks no
            model, there is no such grader, or the log holds replications of another base seed or
            grader.
    """
    if model is not None:
        _refuse_unknown(model)
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
    held = _set_aside(judged, identity, base_seed(seed), model)
    if held > replications:
        logger.warning("%s holds %d replications of an output. All are kept.", _name(log), held)
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
        if output is not None and any(_judged(judged, identity, seed)):
            write_eval_log(_as_far_as_it_went(log, judged, identity, seed), output)
        raise
    if nothing_replicated(_judged(judged, identity, seed)):
        raise _asks_no_model(name)
    for sample in judged.samples or []:
        (sample.scores or {}).pop(_EARLIER, None)
    judged.samples = [*(judged.samples or []), *failed]
    if output is not None:
        write_eval_log(judged, output)
    return judged


def _refuse_unknown(model: str) -> None:
    try:
        get_model(model)
    except ValueError as error:
        raise UserError(f"The grader {model} cannot be used: {error}") from None


def _name(log: EvalLog) -> str:
    return log.location.removeprefix("file://") or "The log"


def _asks_no_model(scorer: str) -> UserError:
    return UserError(
        f"The scorer '{scorer}' asks no model, so there is nothing to replicate: it says the same "
        "of an output every time. Name a model-graded scorer. Where the epochs of a log are "
        "replications of a judge, `inspect-reliability report` shows its reliability."
    )


def _judged(log: EvalLog, scorer: str, seed: int) -> Iterator[Score]:
    """The scores that keep the replications asked for, without those set aside."""
    for sample in log.samples or []:
        for name, one in (sample.scores or {}).items():
            if name != _EARLIER and _keeps(one, scorer) and _starts(one, sample, seed):
                yield one


def _keeps(score: Score, scorer: str) -> bool:
    """Whether a score keeps replications of a scorer."""
    kept = replications_in(score)
    return kept is not None and (score.metadata or {}).get("scorer") == scorer


def _starts(score: Score, sample: EvalSample, seed: int) -> bool:
    """Whether replications on a sample's output are those of a base seed."""
    kept = replications_in(score)
    first = replication_seed(seed, output_id(sample.id, sample.epoch), 1)
    return kept is not None and kept.seeds[0] == first


def _as_far_as_it_went(log: EvalLog, judged: EvalLog, scorer: str, seed: int) -> EvalLog:
    """The log with those of its outputs judged that were judged before an interruption."""
    new = {(sample.id, sample.epoch): sample for sample in judged.samples or []}
    samples = []
    for sample in log.samples or []:
        other = new.get((sample.id, sample.epoch), sample)
        scores = dict(other.scores or {})
        scores.pop(_EARLIER, None)
        done = any(_keeps(one, scorer) and _starts(one, other, seed) for one in scores.values())
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


def _set_aside(log: EvalLog, scorer: str, seed: int, model: str | None) -> int:
    """Move earlier replications by this scorer to where the new score finds them and replaces them.

    Inspect would put a second score beside the first.

    Returns:
        How many replications an output has at most.

    Raises:
        UserError: They are those of another base seed or another grader.
    """
    earlier, most = set(), 0
    for sample in log.samples or []:
        scores = sample.scores or {}
        held = [name for name, one in scores.items() if _keeps(one, scorer)]
        own = [name for name in held if _starts(scores[name], sample, seed)]
        if held and not own:
            raise _other_seed(log, scores[held[-1]], sample, seed)
        for name in own:
            kept = replications_in(scores[name])
            if kept is not None:
                _refuse_other_model(log, kept.grader, model)
                most = max(most, len(kept.verdicts))
            scores[_EARLIER] = scores.pop(name)
            earlier.add(name)
    if log.results is not None:
        log.results.scores = [one for one in log.results.scores if one.name not in earlier]
    log.reductions = [one for one in log.reductions or [] if one.scorer not in earlier]
    entries = zip(_score_names(log), log.eval.scorers or [], strict=True)
    log.eval.scorers = [entry for name, entry in entries if name not in earlier]
    return most


def _score_names(log: EvalLog) -> list[str]:
    """Names of the scores of a log's scorers: inspect numbers those that share a name."""
    names = [entry.name for entry in log.eval.scorers or []]
    before = [names[:place].count(name) for place, name in enumerate(names)]
    return [f"{name}{n or ''}" for name, n in zip(names, before, strict=True)]


_ANEW = "or begin anew from a log without them (with another --output)"


def _other_seed(log: EvalLog, score: Score, sample: EvalSample, asked: int) -> UserError:
    """What to say of replications whose seeds do not come from the base seed asked for."""
    tried = [(entry.options or {}).get("seed", 0) for entry in log.eval.scorers or []]
    known = [seed for seed in tried if isinstance(seed, int) and _starts(score, sample, seed)]
    which, what = ("another base seed", "the same --seed as before")
    if known:
        which, what = f"base seed {known[0]}", f"--seed {known[0]}"
    return UserError(
        f"{_name(log)} holds replications of {which}, not of {asked}. Give {what} to go on with "
        f"them, {_ANEW}."
    )


def _refuse_other_model(log: EvalLog, held: str, model: str | None) -> None:
    graders = held.split(", ") if held else []
    # One model can have several names: it is made, to ask for the one it has in logs.
    if graders and model is not None and not {model, str(get_model(model))} & set(graders):
        raise UserError(
            f"{_name(log)} holds replications of the grader {held}, not of {model}. Give --model "
            f"{held} to go on with them, {_ANEW}."
        )
