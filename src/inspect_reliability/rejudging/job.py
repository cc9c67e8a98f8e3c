"""Judges a log again: everything is settled before the first call."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from copy import deepcopy
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from inspect_ai import score
from inspect_ai.log import EvalLog, EvalResults
from inspect_ai.model import (
    Model,
    ModelConfig,
    ModelCost,
    ModelInfo,
    get_model,
    get_model_info,
    set_model_info,
)
from rich.markup import render

from ..errors import UserError
from ..judging.bounds import bound_answers
from ..judging.cost import Cost
from ..judging.seeds import base_seed
from .arguments import models_named, named_grader, names_grader
from .calls import Choices, stop_run
from .earlier import earlier_replications, remove_earlier
from .logged import Grading, LoggedScorer, chosen_scorers, grading_of, packages_of, scorers_in
from .replications import Known, Replication
from .run import Run
from .scorer import JudgeAgain, rejudge
from .target import Target
from .trust import vet, vet_media, vet_model
from .wordings import in_wordings
from .wrapped import ScorerSpec, Wrapped, find_scorer, scorer_of_task, wrap


@dataclass(frozen=True)
class Job:
    """A scorer to run again, what it needs from the log, and its cost."""

    again: JudgeAgain
    grading: Grading
    roles: Mapping[str, ModelConfig | list[ModelConfig]]
    evaluated: ModelConfig
    cost: Cost

    @property
    def earlier_graders(self) -> frozenset[str]:
        """Names of the models that made the replications of the log."""
        return frozenset(name for one in _all(self.again.known) for name in one.models)


@dataclass(eq=False)
class Rejudging:
    """A log to judge again.

    The log decides neither which code runs nor where requests go; see SECURITY.md.

    Attributes:
        log: A log with its samples; it is not changed.
        scorers: Scorers of the log by the names of their scores or their own, or any others (see
            `rejudge`); by default the only one, or the only one that asked a model.
        replications: How often each output is judged.
        seed: Base seed.
        model: The grader; by default the one that graded before.
        model_args: Arguments of the grader's provider, where `model` is a name.
        model_base_url: Address of the grader, where `model` is a name.
        temperature: Sampling temperature of the grader, instead of its own.
        max_tokens: The most tokens of a call, instead of the grader's own limit.
        task: The log's task, `package/name` or `file.py@name`, to take the scorers from. It has the
            facts that a log lacks.
        wordings: File of other wordings of the scorers' templates or instructions, every output is
            judged `replications` times in each, and in their own.
        limit: The most outputs to judge.
        prices: Prices of graders by their names, as inspect's `--model-cost-config` has them.
        output: Log file to write.
        costs: The cost of each scorer.

    Raises:
        UserError: There is nothing to judge, it is not clear by which scorer, the scorer asks no
            model, the log asks for what only the user may decide, or it has replications of another
            base seed.
    """

    log: EvalLog
    scorers: Sequence[ScorerSpec] = ()
    _: KW_ONLY
    replications: int = 20
    seed: int = 0
    model: str | Model | None = None
    model_args: Mapping[str, Any] = field(default_factory=dict)
    model_base_url: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    task: str | None = None
    wordings: str | Path | None = None
    limit: int | None = None
    prices: Mapping[str, ModelCost] = field(default_factory=dict)
    output: str | None = None

    def __post_init__(self) -> None:
        """Settle the graders and the cost."""
        self._where = self.log.location.removeprefix("file://") or "The log"
        given = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        self._settings = {key: value for key, value in given.items() if value is not None}
        if "/" not in self.log.eval.model:
            raise UserError(
                f"{self._where} names no model that was evaluated ({self.log.eval.model!r}), so "
                "inspect cannot score it. Set eval.model in the log, to none/none if it is not "
                "known."
            )
        samples = [sample for sample in self.log.samples or [] if not sample.error][: self.limit]
        if not samples:
            raise UserError(f"{self._where} has no sample that ended without an error.")
        for sample in samples:
            vet_media(sample, self._where)
        self._outputs = {(sample.id, sample.epoch) for sample in samples}
        seed = base_seed(self.seed)
        self._target = Target(self.output, self.log, seed) if self.output else None
        unfinished = self._target.known() if self._target else {}
        self._jobs = []
        for wrapped, grading in self._found():
            choices, every = Choices(), [wrapped]
            if self.wordings is not None:
                facts = {name for sample in samples for name in sample.metadata}
                every = in_wordings(wrapped, self.wordings, facts)
            for one in every:
                self._jobs.append(self._job(one, grading, choices, unfinished))
        self.costs = [job.cost for job in self._jobs]

    def announcement(self) -> list[str]:
        """The graders, and what differs from the log: for the user, before the first call."""
        lines = [line for job in self._jobs for line in self._announcement(job)]
        wordings = (job.again.wrapped.wording for job in self._jobs)
        if names := [one.name for one in wordings if one]:
            outputs, n = len(self._outputs), self.replications
            cells = f"{outputs:,} outputs x {len(names)} = {outputs * len(names):,} cells of {n:,}"
            lines.append(f"Wordings: {', '.join(names)}. {cells} replications.")
        return list(dict.fromkeys(lines))

    def run(self, run: Run | None = None) -> EvalLog:
        """Judge the outputs again; setting `stopped` of a run ends it.

        Returns:
            A copy of the log with a score `rejudge` for each scorer; `location` is its place. A
            stopped run gives a cancelled log of what was judged.

        Raises:
            UserError: The output cannot be written, the grader cannot be used or is not the
                expected one, or the scorer asks no model.
        """
        run = run or Run()
        run.settings = self._settings
        for name, price in self.prices.items():
            info = get_model_info(name) or ModelInfo()
            set_model_info(name, info.model_copy(update={"cost": price}))
        models = [self._models(job) for job in self._jobs]  # before anything is paid for
        judged = deepcopy(self.log)
        with self._target.opened() if self._target else nullcontext():
            for place, job in enumerate(self._jobs):
                if place and run.is_over():
                    break  # the next run goes on with this scorer
                judged = self._judge(job, judged, run, *models[place])
                if run.stopped:
                    judged.status = "cancelled"
                if self._target:
                    judged.location = self._target.write(judged)
            if self._target:
                self._target.finish()
        return judged

    def _found(self) -> Iterator[tuple[Wrapped, Grading]]:
        named = [one for one in self.scorers if isinstance(one, str)]
        for logged in chosen_scorers(self.log, named) if named or not self.scorers else []:
            grading = grading_of(self.log, logged)
            if self.task is not None:
                arguments = self.log.eval.task_args_passed
                vet(self._kept(arguments, grading), f"{self._where}, its task")
                score = logged.name if logged.again else logged.score
                wrapped = scorer_of_task(self.task, arguments, score)
            else:
                wrapped = self._logged(logged, grading, logged.name in named)
            yield replace(wrapped, regrade=self._regrade(grading)), grading
        yield from ((wrap(one), Grading()) for one in self.scorers if not isinstance(one, str))

    def _logged(self, scorer: LoggedScorer, grading: Grading, is_trusted: bool) -> Wrapped:
        name, task = scorer.name, _task_of(self.log)
        if self.wordings is None and any(
            one.worded and one.is_like(scorer) for one in scorers_in(self.log)
        ):
            raise UserError(
                f"{self._where} has replications of the scorer {name} in several wordings. Give "
                "the same --wordings to go on with them, or name another --output to begin anew."
            )
        if scorer.task is not None:
            raise UserError(
                f"{self._where} has replications of the scorer {name} of a task. If you trust it, "
                f"name the task to go on: --task {scorer.task}"
            )
        if grading.is_known and not grading.models:
            raise _asks_no_model(name)
        if not is_trusted:
            vet(name, self._where)
        vet(self._kept(scorer.arguments, grading), f"{self._where}, scorer {name}", task)
        wrapped = find_scorer(name, scorer.arguments, list(packages_of(self.log)), task)
        if wrapped.name.startswith("inspect_reliability/"):
            raise _asks_no_model(name)  # before its judge is loaded for nothing
        return wrapped

    def _kept(self, arguments: Mapping[str, Any], grading: Grading) -> dict[str, Any]:
        """The log's arguments, with another grader in place of any that they name."""
        return {
            key: value
            for key, value in arguments.items()
            if self.model is None or not names_grader(key, value, grading.models)
        }

    def _job(
        self,
        wrapped: Wrapped,
        grading: Grading,
        choices: Choices,
        unfinished: Mapping[str, Known],
    ) -> Job:
        # Inspect names the scorer in the log by what `rejudge` was called with.
        again = cast(JudgeAgain, rejudge(wrapped.spec, self.replications, self.seed))
        again.wrapped, again.choices = wrapped, choices
        known, again.seed_checks = earlier_replications(self.log, wrapped, self.seed)
        again.known = known
        for output, made in unfinished.get(wrapped.identity, {}).items():
            known[output] = known.get(output, {}) | made
        roles, evaluated = self._needed(wrapped, grading)
        for role, bound in roles.items():
            for one in _bound(bound):
                vet_model(one, f"{self._where}, role {role},")
        vet_model(evaluated, f"{self._where}, model,")
        there = [
            sum(one.error is None for one in known.get(output, {}).values())
            for output in self._outputs
        ]
        cost = Cost(
            outputs=len(self._outputs),
            replications=self.replications,
            made=sum(min(number, self.replications) for number in there),
            calls_each=grading.calls,
            tokens_each=grading.tokens,
            dollars_each=self._dollars(grading),
        )
        temperatures = (one.temperature for one in _all(known))
        had = next((one for one in temperatures if one != self.temperature), self.temperature)
        if self.temperature is not None and had != self.temperature:
            what = "its own temperature" if had is None else f"temperature {had:g}"
            raise UserError(
                f"{self._where} has replications at {what}, not at {self.temperature:g}. Leave "
                "--temperature out to go on with them, or name another --output to begin anew."
            )
        return Job(again, grading, roles, evaluated, cost)

    def _dollars(self, grading: Grading) -> float | None:
        """Price of one call, as the log recorded it or at the grader's price now."""
        used = grading.used
        names = grading.models if self.model is None else {str(self.model)}
        known = [self.prices.get(name) for name in names]
        total = used.total_cost if self.model is None else None
        if len(known) == 1 and (price := known[0]):
            total = (
                price.input * used.input_tokens
                + price.output * used.output_tokens
                + price.input_cache_write * (used.input_tokens_cache_write or 0)
                + price.input_cache_read * (used.input_tokens_cache_read or 0)
            ) / 1e6
        return total / grading.choices if total and grading.choices else None

    def _needed(
        self, wrapped: Wrapped, grading: Grading
    ) -> tuple[Mapping[str, ModelConfig | list[ModelConfig]], ModelConfig]:
        """The roles of the log that a scorer needs, and the evaluated model, or none."""
        spec, none = self.log.eval, ModelConfig(model="none/none")
        roles = spec.model_roles or {}
        if self.model is not None:
            known = grading.is_known
            return {k: v for k, v in roles.items() if not known and k != "grader"}, none
        if grading.is_known:
            unbound = grading.unnamed | (grading.models if grading.roles - roles.keys() else set())
            roles = {k: v for k, v in roles.items() if k in grading.roles}
            is_needed = spec.model in unbound
        else:
            # The evaluated model is not loaded where it has most likely nothing to say.
            is_needed = not (wrapped.arguments.get("model") or "grader" in roles)
        evaluated = ModelConfig(
            model=spec.model,
            config=self.log.plan.config.merge(spec.model_generate_config),
            base_url=spec.model_base_url,
            args=spec.model_args,
        )
        return roles, evaluated if is_needed else none

    def _announcement(self, job: Job) -> list[str]:
        logged = ", ".join(sorted(job.grading.models))
        if self.model is not None:
            now = str(self.model)
        elif job.grading.is_known:
            now = logged
        else:
            now = ", ".join(one.model for one in _bound(job.roles.get("grader", [])))
            now = now or str(job.again.wrapped.arguments.get("model") or self.log.eval.model)
        lines = [f"Scorer: {job.again.wrapped.name}. Grader: {now}."]
        if logged and logged != now:
            lines.append(f"Note: the grader in the log was {logged}; {now} answers now.")
        if self._settings:
            given = (f"{key} {value:g}" for key, value in self._settings.items())
            lines.append(f"Its settings now: {', '.join(given)}.".replace("_", " "))
        most = max((number for made in job.again.known.values() for number in made), default=0)
        if most > self.replications:
            lines.append(f"Note: an output has {most:,} replications already. All are kept.")
        if not job.grading.is_known:
            lines.append("Note: the log does not show this scorer at work, nor who its grader was.")
        if job.grading.models and job.grading.not_asked and self.task is None:
            lines.append(
                f"Note: the log scored {job.grading.not_asked:,} of these outputs without asking "
                "the grader, which may be asked now. To score them as the task does, add --task "
                f"{_task_of(self.log)}."
            )
        return lines

    def _judge(
        self,
        job: Job,
        log: EvalLog,
        run: Run,
        active: Model,
        roles: dict[str, Model | list[Model]],
    ) -> EvalLog:
        remove_earlier(log, job.again.wrapped, self.seed, (one.score for one in scorers_in(log)))
        job.again.run = run
        if self._target:
            run.keep = partial(self._target.keep, job.again.wrapped.identity)
        run.models, run.expected = set(), job.earlier_graders or job.grading.models
        if self.model is not None:
            run.expected = frozenset([str(active)])
        samples, bound = log.samples or [], log.eval.model_roles
        reducer = log.eval.config.epochs_reducer
        log.samples = [one for one in samples if (one.id, one.epoch) in self._outputs]
        log.results = log.results or EvalResults()
        log.eval.model_roles = None  # inspect would load them all
        log.eval.config.epochs_reducer = None  # ours reduces nothing, and a log's may not be known
        log = score(log, job.again, model=active, model_roles=roles, action="append", copy=False)
        log.eval.model_roles, log.eval.config.epochs_reducer = bound, reducer
        log.samples = samples
        if run.stranger:
            raise self._other_answers(job, run)
        made = _all(earlier_replications(log, job.again.wrapped, self.seed)[0])
        if not made:
            raise UserError(f"Nothing was judged: {run.stopped}. Run the same command again.")
        if any(one.verdict is not None for one in made) and not any(one.models for one in made):
            raise _asks_no_model(job.again.wrapped.name)
        return log

    def _models(self, job: Job) -> tuple[Model, dict[str, Model | list[Model]]]:
        """The model for scorers that name none, and the models of their roles."""
        roles = {role: _made(config) for role, config in job.roles.items()}
        if self.model is None:
            for name in models_named(job.again.wrapped.arguments, job.grading.models):
                bound_answers(_made(ModelConfig(model=name)), stop_run)
            return cast(Model, _made(job.evaluated)), roles
        grader, earlier = self._grader(job.grading), job.earlier_graders
        if earlier and str(grader) not in earlier:
            raise UserError(
                f"{self._where} has replications of the grader {_listed(earlier)}, not of "
                f"{grader}. Give --model {_listed(earlier)} to go on with them, or name another "
                "--output to begin anew."
            )
        return grader, roles | dict.fromkeys(job.grading.roles | {"grader"}, grader)

    def _grader(self, grading: Grading) -> Model:
        if isinstance(self.model, Model):
            return self.model
        named = ModelConfig(
            model=str(self.model),
            config=grading.config,
            base_url=self.model_base_url,
            args=dict(self.model_args),
        )
        return cast(Model, _made(named))

    def _regrade(self, grading: Grading) -> Any:
        if self.model is None:
            return None
        return lambda factory, arguments: named_grader(
            factory, arguments, self._grader(grading), grading.models
        )

    def _other_answers(self, job: Job, run: Run) -> UserError:
        if self.model is not None:
            return UserError(
                f"The scorer {job.again.wrapped.name} asks {run.stranger}, whatever --model says. "
                "Leave --model out, or name a scorer that asks the grader it is given."
            )
        what = "replications of the grader" if job.earlier_graders else "gradings of"
        return UserError(
            f"{self._where} has {what} {_listed(run.expected)}, and {run.stranger} would answer "
            f"now. Name the same grader with --model, or another --output to begin anew."
        )


def rejudge_log(
    log: EvalLog,
    scorer: ScorerSpec | Sequence[ScorerSpec] | None = None,
    *,
    run: Run | None = None,
    **options: Any,
) -> EvalLog:
    """Judge every output in a log again and again, without the task's code.

    All replications in the log are kept; failed ones, and those that a higher number asks for, are
    added. Samples that ended in an error are left alone. `scorer` is one or several; `options` are
    the fields of `Rejudging`, which names the errors raised.

    Returns:
        A copy of the log with a score `rejudge` for each scorer.
    """
    several = isinstance(scorer, Sequence) and not isinstance(scorer, str)
    scorers = cast(Any, scorer if several else [] if scorer is None else [scorer])
    return Rejudging(log, scorers, **options).run(run)


def _made(given: ModelConfig | list[ModelConfig]) -> Any:
    if isinstance(given, list):
        return [_made(one) for one in given]
    try:
        return get_model(given.model, config=given.config, base_url=given.base_url, **given.args)
    except Exception as error:  # each provider has its own
        why = " ".join(render(str(error)).plain.split()).removesuffix(".")
        raise UserError(
            f"The grader {given.model} cannot be used: {why}. Mend that, or name another with "
            "--model."
        ) from None


def _task_of(log: EvalLog) -> str:
    """What to give as --task; a task in a file is registered without a package."""
    name = log.eval.task_registry_name or ""
    return name if "/" in name else f"FILE.py@{name or 'TASK'}"


def _bound(bound: ModelConfig | list[ModelConfig]) -> list[ModelConfig]:
    return bound if isinstance(bound, list) else [bound]


def _all(known: Known) -> list[Replication]:
    return [one for made in known.values() for one in made.values()]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))


def _asks_no_model(scorer: str) -> UserError:
    return UserError(
        f"The scorer '{scorer}' asks no model, so there is nothing to replicate: it says the same "
        "of an output every time. Name a model-graded scorer. Where the epochs of a log are "
        "replications of a judge, `inspect-reliability report` shows its reliability."
    )
