"""A log to judge again: grader and cost are settled before the first call."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from hashlib import blake2b
from typing import Any, cast

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.log import EvalLog
from inspect_ai.model import Model, ModelConfig, compute_model_cost, get_model, get_model_info
from rich.markup import render

from ..designs import changes_of
from ..errors import UserError
from ..judging.cost import Cost
from ..judging.requests import reachable_model
from ..record.graders import LoggedScorer, grading_of, scorers_in
from ..record.replications import EVALUATED, REJUDGING, base_seed, seeds_from
from ..shell import quote
from ..verdicts import GIVEN
from .again import RunLimits, output_seed
from .outputs import (
    Made,
    PlannedReplications,
    changed_outputs,
    first_uuid,
    ranges,
    recorded,
    samples_in,
    samples_of,
)
from .scorer import rejudge
from .trust import kept_settings, vet, vet_media, vet_model, vet_name, vet_templates
from .wrapped import Wrapped, find_scorer, model_settings, names_grader

_OURS = ("rejudge", "selective_scorer")
"""Scorers whose replications are in the log."""


@dataclass(eq=False)
class Rejudging:
    """A log to judge again.

    The log decides neither which code runs nor where requests go; see SECURITY.md.

    Attributes:
        log: A log with its samples; it is not changed.
        scorer: A scorer of the log by the name of its scores or its own, or any other (see
            `rejudge`); by default the only one, or the only one that asked a model.
        replications: How often each output is judged.
        seed: Base seed.
        model: The grader; by default the one that graded before.
        model_args: Arguments of the grader's provider, where `model` is a name.
        model_base_url: Address of the grader, where `model` is a name.
        temperature: Sampling temperature of the grader, instead of its own.
        max_tokens: The most tokens of a call, instead of the grader's own limit.
        answers: Changes of the outputs (see `changes_of`), each judged `replications` times beside
            the outputs as they are.
        limit: The most outputs to judge.

    Raises:
        UserError: There is nothing to judge, it is not clear by which scorer, the scorer asks no
            model, or the log asks for what only the user may decide.
    """

    log: EvalLog
    scorer: str | None = None
    _: KW_ONLY
    replications: int = 20
    seed: int = 0
    model: str | Model | None = None
    model_args: Mapping[str, Any] = field(default_factory=dict)
    model_base_url: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    answers: str | Sequence[str] | None = None
    limit: int | None = None

    def __post_init__(self) -> None:
        """Settle the grader."""
        self._where = self.log.location.removeprefix("file://") or "The log"
        self.samples = [one for one in samples_in(self.log) if not one.error][: self.limit]
        if not self.samples:
            raise UserError(f"{self._where} has no sample that ended without an error.")
        for sample in self.samples:
            vet_media(sample, self._where)
        base_seed(self.seed)
        self.changes = changes_of(self.answers)
        self.changed = changed_outputs(self.changes, self.samples)
        self._logged = chosen_scorer(self.log, self.scorer)
        self.grading = grading_of(self.log, self._logged.score)
        self.wrapped = self._found()
        self.graders = self.grading.models if self.model is None else frozenset([str(self.model)])
        self._roles, self._evaluated = self._needed()
        for role, bound in self._roles.items():
            for one in _bound(bound):
                vet_model(one, f"{self._where}, role {role},")
        vet_model(self._evaluated, f"{self._where}, model,")

    # What is judged

    def missing(self, made: Made, first: int = 1) -> list[PlannedReplications]:
        """Replications that are not made, from one number on, by output and change."""
        several = len({sample.epoch for sample in self.samples}) > 1
        found = []
        for sample in self.samples:
            output, uuid = (sample.id, sample.epoch), first_uuid(sample)
            name = f"{sample.id}, epoch {sample.epoch}" if several else str(sample.id)
            applying = (one for one in self.changes if output in self.changed[one.name])
            spoils = {GIVEN: None} | {one.name: one.kind == "sensitivity" for one in applying}
            for answer in spoils:
                seeds = seeds_from(output_seed(self.seed, *output, answer), self.replications)
                lacking = [
                    number
                    for number, seed in enumerate(seeds, 1)
                    if number >= first and (*output, seed) not in made
                ]
                found += [
                    PlannedReplications(*output, name, *run, answer, spoils[answer], uuid)
                    for run in ranges(lacking)
                ]
        return found

    def to_task(
        self,
        wanted: Sequence[PlannedReplications],
        limits: RunLimits | None = None,
        **metadata: Any,
    ) -> Task:
        """The task that makes replications: an output is a sample, its grader the scorer.

        Raises:
            UserError: The grader cannot be used.
        """
        model, roles = self._models()
        scorer: Any = rejudge(self.wrapped.spec, f"1-{self.replications}", self.seed)
        scorer.limits = limits or RunLimits()
        scorer.limits.graders, scorer.limits.settings = self.graders, self._given
        return Task(
            name=self.log.eval.task,
            dataset=MemoryDataset(
                samples_of(wanted, self.samples), name=self.log.eval.dataset.name
            ),
            solver=recorded(self.samples, self.changed),
            scorer=scorer,
            model=model,
            model_roles=roles,
            # An output that cannot be judged stops no other.
            fail_on_error=False,
            metadata={REJUDGING: self.settings} | metadata,
        )

    @property
    def settings(self) -> dict[str, Any]:
        """What replications must share to be those of one grader, as the task's logs keep it."""
        texts = {
            f"answer {one.name}": blake2b(one.answer.encode(), digest_size=6).hexdigest()
            for one in self.changes
        }
        return {
            "log": self.log.eval.eval_id,
            "task": self.log.eval.task_id,
            EVALUATED: self.log.eval.model,
            "scorer": self.wrapped.identity,
            "grader": self._named,
            "grader settings": None if self.model is None else model_settings(self._grader()),
            "seed": self.seed,
            "temperature": self.temperature,
            "max tokens": self.max_tokens,
        } | texts

    @property
    def _given(self) -> dict[str, float]:
        """Settings of the grader that the user gave."""
        given = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        return {key: value for key, value in given.items() if value is not None}

    # What is said before

    def cost(self, missing: Sequence[PlannedReplications]) -> Cost:
        """The cost of these replications, where all others are made."""
        outputs = len(self.samples) + sum(map(len, self.changed.values()))
        left = sum(one.replications for one in missing)
        return Cost(
            outputs,
            self.replications,
            made=outputs * self.replications - left,
            calls_each=self.grading.calls,
            tokens_each=self.grading.tokens,
            dollars_each=self._dollars,
        )

    def announcement(self) -> list[str]:
        """The grader, and what differs from the log: for the user, before the first call."""
        lines = [f"Scorer: {self.wrapped.name}. Grader: {self._named}."]
        logged = ", ".join(sorted(self.grading.models))
        if logged and logged != self._named:
            lines.append(f"Note: the grader in the log was {logged}; {self._named} answers now.")
        if self._given:
            given = ", ".join(f"{key} {value:g}" for key, value in self._given.items())
            lines.append(f"Its settings now: {given}.".replace("_", " "))
        if not self.grading.is_known:
            lines.append("Note: the log does not show this scorer at work, nor who its grader was.")
        if lost := sum(one.error is not None for one in self.log.samples or []):
            lines.append(f"Note: samples left out because they ended in an error: {lost:,}.")
        if self.changed:
            each = ", ".join(f"{name} {len(own):,}" for name, own in self.changed.items())
            lines.append(f"Changed answers: {each} of {len(self.samples):,} outputs.")
        return lines

    @property
    def _named(self) -> str:
        if self.graders:
            return ", ".join(sorted(self.graders))
        bound = ", ".join(each.model for each in _bound(self._roles.get("grader", [])))
        return bound or str(self.wrapped.arguments.get("model") or self.log.eval.model)

    @property
    def _dollars(self) -> float | None:
        """Price of one call, as the log recorded it or at the grader's price now."""
        used = self.grading.used
        total = used.total_cost if self.model is None else None
        known = [info.cost for name in self.graders if (info := get_model_info(name))]
        if len(known) == 1 and (price := known[0]):
            total = compute_model_cost(price, used)
        return total / self.grading.choices if total and self.grading.choices else None

    # Who judges

    def _found(self) -> Wrapped:
        logged, grading = self._logged, self.grading
        if logged.name != self.scorer:  # else the user trusts it
            vet_name(logged.name, self._where)
        taken, where = self._kept(logged.arguments), f"{self._where}, scorer {logged.name}"
        vet(taken, where)
        vet_templates(taken, self.samples, where)
        if grading.is_known and not grading.models:
            raise _asks_no_model(logged.name)
        found = find_scorer(logged.name, logged.arguments)
        if found.name.startswith("inspect_reliability/"):
            raise _asks_no_model(found.name)  # before its judge is loaded for nothing
        if self.model is None:
            return found
        return found.regraded(self._grader(), grading.models)

    def _kept(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The log's arguments, without those that name the grader, if another one takes over."""
        return {
            key: value
            for key, value in arguments.items()
            if self.model is None or not names_grader(key, value, self.grading.models)
        }

    def _needed(self) -> tuple[dict[str, ModelConfig | list[ModelConfig]], ModelConfig]:
        """The roles of the log that its scorer needs, and the evaluated model, or none."""
        spec, grading = self.log.eval, self.grading
        every = spec.model_roles or {}
        if self.model is not None:
            return {}, ModelConfig(model="none/none")
        roles = {
            role: bound
            for role, bound in every.items()
            if role in grading.roles or not grading.is_known
        }
        # The evaluated model is not loaded where it has most likely nothing to say.
        if grading.is_known:
            bound = {one.model for some in roles.values() for one in _bound(some)}
            needed = spec.model in grading.models - bound
        else:
            needed = not (self.wrapped.arguments.get("model") or "grader" in every)
        if not needed:
            return roles, ModelConfig(model="none/none")
        return roles, ModelConfig(
            model=spec.model,
            config=self.log.plan.config.merge(spec.model_generate_config),
            base_url=spec.model_base_url,
            args=spec.model_args,
        )

    def _models(self) -> tuple[Model, dict[str, Any]]:
        """The model for scorers that name none, and the models of their roles."""
        if self.model is not None:
            roles = {"grader", *self.grading.roles, *(self.log.eval.model_roles or {})}
            return (grader := self._grader()), dict.fromkeys(roles, grader)
        for name in self.wrapped.models(self.grading.models):
            _made(ModelConfig(model=name))  # or an error before anything is paid for
        bound = {role: _made(config) for role, config in self._roles.items()}
        return cast(Model, _made(self._evaluated)), bound

    def _grader(self) -> Model:
        if isinstance(self.model, Model):
            return self.model
        named = ModelConfig(
            model=str(self.model),
            config=kept_settings(self.grading.config),
            base_url=self.model_base_url,
            args=dict(self.model_args),
        )
        return cast(Model, _made(named))


def _made(given: ModelConfig | list[ModelConfig]) -> Any:
    if isinstance(given, list):
        return [_made(one) for one in given]
    try:
        made = get_model(given.model, config=given.config, base_url=given.base_url, **given.args)
        return reachable_model(made)
    except Exception as error:  # each provider has its own
        why = " ".join(render(str(error)).plain.split()).removesuffix(".")
        raise UserError(
            f"The grader {given.model} cannot be used: {why}. Mend that, or name another with "
            "--model."
        ) from None


def chosen_scorer(log: EvalLog, wanted: str | None) -> LoggedScorer:
    """The scorer to run again, by the name of its scores or its own.

    By default the only scorer, or the only one that asked a model. A scorer that the log does not
    name has no arguments.

    Raises:
        UserError: It is not clear which scorer is meant.
    """
    known = scorers_in(log)
    if wanted is None:
        found = [one for one in known if one.name.rpartition("/")[2] not in _OURS] or known
        if len(found) > 1:
            found = [one for one in found if grading_of(log, one.score).models] or found
        if not found:
            raise UserError(
                "The log names no scorer. Say which scorer to run: --scorer PACKAGE/NAME"
            )
    else:
        short = wanted.rpartition("@")[2]
        by_score = [one for one in known if one.score == wanted]
        by_name = [one for one in known if one.name in (short, short.partition("/")[2])]
        named = [replace(one, name=wanted) for one in by_name]
        found = by_score or named or [LoggedScorer(short, wanted, {})]
    if len(found) > 1:
        listed = "; ".join(map(str, found))
        raise UserError(
            f"Say which scorer to run again; the log names several: {listed}. Name one by its "
            f"score, as in --scorer {quote(found[0].score)}."
        )
    return found[0]


def _bound(bound: ModelConfig | list[ModelConfig]) -> list[ModelConfig]:
    return bound if isinstance(bound, list) else [bound]


def _asks_no_model(scorer: str) -> UserError:
    return UserError(
        f"The scorer '{scorer}' asks no model, or its replications are in the log, so there is "
        "nothing to replicate. Name a model-graded scorer. Where the epochs of a log are "
        "replications of a judge, `inspect-reliability report` shows its reliability."
    )
