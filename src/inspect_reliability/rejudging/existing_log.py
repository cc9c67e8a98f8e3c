"""Judging again what is in a log."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from copy import deepcopy
from typing import Any, cast

from inspect_ai import score
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import Model, get_model
from inspect_ai.scorer import Score

from ..errors import UserError
from ..judging.seeds import base_seed
from ..judgments.replications import nothing_replicated, replications_in
from .run import Run
from .scorer import JudgeAgain, output_seed, rejudge
from .summary import kept_replications
from .target import opened
from .trust import vet_model, vet_scorer
from .wrapped import resolve_scorer, scorer_identity

logger = logging.getLogger(__name__)


def rejudge_log(
    log: EvalLog,
    scorer: str | None = None,
    *,
    replications: int = 20,
    seed: int = 0,
    model: str | Model | None = None,
    model_args: Mapping[str, Any] | None = None,
    model_base_url: str | None = None,
    output: str | None = None,
    run: Run | None = None,
) -> EvalLog:
    """Judge every output in a log again and again; the task's code is not needed.

    Replications that the log has already are kept, all of them; those that failed, and those that
    a higher number asks for, are added. Samples that ended in an error are left alone.

    A log decides neither which code runs here nor where requests go: see SECURITY.md.

    Args:
        log: A log with its samples; it is not changed.
        scorer: One of the log's scorers by its name, or any other (see `rejudge`); by default the
            log's own if it has one only.
        replications: How often each output is judged.
        seed: Base seed.
        model: The grader. By default the one that graded before: the scorer's own `model`, else
            the log's role `grader`, else the model that was evaluated.
        model_args: Arguments of the grader's provider, where `model` is a name.
        model_base_url: Address of the grader, where `model` is a name.
        output: Log file to write, tried before the first call. Each replication is on disk beside
            it as soon as it is made. After an interruption, call the function again to go on.
        run: Set its `stopped` to make no further call: the log is then written as a cancelled one.

    Returns:
        A copy of the log with the score `rejudge` in it; its `location` says where it is.

    Raises:
        UserError: There is nothing to judge, it is not clear by which scorer, the scorer asks no
            model, there is no such grader, the log asks for what only the user may decide, it has
            replications of another base seed or grader, or `output` cannot be written.
    """
    name, options = _scorer_of(log, scorer)
    if model is not None:
        options.pop("model", None)
    vet_scorer(name, options, _name(log), chosen=scorer is not None)
    wrapped = resolve_scorer({"name": name, "params": options})
    # After the scorer, whose file may register the model's provider.
    if isinstance(model, str):
        model = _made(model, model_args or {}, model_base_url)
    identity, base = scorer_identity(wrapped), base_seed(seed)
    if identity.startswith("inspect_reliability/"):
        raise _asks_no_model(name)  # before its judge is loaded for nothing
    active = _active_model(log, options, model)
    judged = deepcopy(log)
    failed = [sample for sample in judged.samples or [] if sample.error]
    judged.samples = [sample for sample in judged.samples or [] if not sample.error]
    if not judged.samples:
        raise UserError(f"{_name(log)} has no sample that ended without an error.")
    run = run or Run()
    with opened(output, log, base) if output is not None else nullcontext() as target:
        _take_out_earlier(judged, identity, base, run)
        if target is not None:
            for place, made in target.known().items():
                run.known[place] = run.known.get(place, {}) | made
            run.keep = target.keep
        run.expected = _earlier_graders(run)
        _say_what_is_kept(log, run, replications, model)
        again = cast(JudgeAgain, rejudge(wrapped, replications, seed))
        again.run = run
        judged = score(
            judged,
            again,
            model=active,
            model_roles={"grader": model} if model else None,
            action="append",
            copy=False,
        )
        if run.stranger:
            raise UserError(
                f"{_name(log)} has replications of the grader {_listed(run.expected)}, and "
                f"{run.stranger} would answer now. Name the same grader with --model, {_ANEW}."
            )
        if nothing_replicated(_judged(judged, identity, base)):
            raise _asks_no_model(name)
        judged.samples = [*(judged.samples or []), *failed]
        if run.stopped:
            judged.status = "cancelled"
        if target is not None:
            judged.location = target.write(judged)
    return judged


def _made(model: str, arguments: Mapping[str, Any], base_url: str | None) -> Model:
    try:
        return get_model(model, base_url=base_url, **arguments)
    except Exception as error:  # each provider has its own
        raise UserError(f"The grader {model} cannot be used: {error}") from None


def _active_model(log: EvalLog, options: dict[str, Any], model: Model | None) -> Model | str | None:
    """The model that scorers get which name none; None for the one that was evaluated."""
    where, roles = _name(log), log.eval.model_roles or {}
    for role, bound in roles.items():
        if model is None or role != "grader":
            for one in bound if isinstance(bound, list) else [bound]:
                vet_model(one.model, one.base_url, one.args, f"{where}, role {role},")
    if model is not None:
        return model
    if options.get("model") or "grader" in roles:
        return "none/none"  # the evaluated model has nothing to say: do not load it
    spec = log.eval
    vet_model(spec.model, spec.model_base_url, spec.model_args, f"{where}, model,")
    return None


def _name(log: EvalLog) -> str:
    return log.location.removeprefix("file://") or "The log"


def _asks_no_model(scorer: str) -> UserError:
    return UserError(
        f"The scorer '{scorer}' asks no model, so there is nothing to replicate: it says the same "
        "of an output every time. Name a model-graded scorer. Where the epochs of a log are "
        "replications of a judge, `inspect-reliability report` shows its reliability."
    )


def _judged(log: EvalLog, scorer: str, seed: int) -> Iterator[Score]:
    """The scores that keep the replications asked for."""
    for sample in log.samples or []:
        for one in (sample.scores or {}).values():
            if _keeps(one, scorer) and _starts(one, sample, seed):
                yield one


def _keeps(score: Score, scorer: str) -> bool:
    """Whether a score keeps replications of a scorer."""
    kept = replications_in(score)
    return kept is not None and (score.metadata or {}).get("scorer") == scorer


def _starts(score: Score, sample: EvalSample, seed: int) -> bool:
    """Whether replications on a sample's output are those of a base seed."""
    kept = replications_in(score)
    return kept is not None and kept.seeds[0] == output_seed(seed, sample.id, sample.epoch, 1)


def _take_out_earlier(log: EvalLog, scorer: str, seed: int, run: Run) -> None:
    """Move earlier replications of this scorer from the log to the run; their score is made anew.

    Raises:
        UserError: They are those of another base seed.
    """
    earlier = set()
    for sample in log.samples or []:
        scores = sample.scores or {}
        kept = [name for name, one in scores.items() if _keeps(one, scorer)]
        own = [name for name in kept if _starts(scores[name], sample, seed)]
        if kept and not own:
            raise _other_seed(log, scores[kept[-1]], sample, seed)
        for name in own:
            place, one = (scorer, sample.id, sample.epoch), scores.pop(name)
            run.known[place] = run.known.get(place, {}) | kept_replications(one)
            if checked := (one.metadata or {}).get("seed_check"):
                run.seed_checks[place] = checked
            earlier.add(name)
    if log.results is not None:
        log.results.scores = [one for one in log.results.scores if one.name not in earlier]
    log.reductions = [one for one in log.reductions or [] if one.scorer not in earlier]
    entries = zip(_score_names(log), log.eval.scorers or [], strict=True)
    log.eval.scorers = [entry for name, entry in entries if name not in earlier]


def _say_what_is_kept(log: EvalLog, run: Run, replications: int, model: Model | None) -> None:
    """Warn of replications that were not asked for.

    Raises:
        UserError: Replications of another grader are there.
    """
    most = max((number for made in run.known.values() for number in made), default=0)
    if most > replications:
        logger.warning("%s has %d replications of an output. All are kept.", _name(log), most)
    if model is not None and run.expected and str(model) not in run.expected:
        raise UserError(
            f"{_name(log)} has replications of the grader {_listed(run.expected)}, not of {model}. "
            f"Give --model {_listed(run.expected)} to go on with them, {_ANEW}."
        )


def _earlier_graders(run: Run) -> frozenset[str]:
    made = (one for replications in run.known.values() for one in replications.values())
    return frozenset(name for one in made for name in one.models)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))


def _scorer_of(log: EvalLog, wanted: str | None) -> tuple[str, dict[str, Any]]:
    """Name and arguments of the scorer to run again."""
    found: dict[str, dict[str, Any]] = {}
    again: dict[str, dict[str, Any]] = {}
    for entry in log.eval.scorers or []:
        options = dict(entry.options or {})
        wrapped = options.get("scorer")
        if entry.name == "rejudge" and isinstance(wrapped, dict):
            again[str(wrapped.get("name"))] = dict(wrapped.get("params") or {})
        else:
            found[entry.name] = options
    if wanted is not None:
        return wanted, (again | found).get(wanted, {})
    candidates = again or found
    if len(candidates) != 1:
        names = f"several: {', '.join(candidates)}" if candidates else "none"
        raise UserError(f"Say which scorer to run again with --scorer; the log names {names}.")
    return next(iter(candidates.items()))


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
