"""A log to judge again: grader and cost are settled before the first call."""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import KW_ONLY, dataclass, field, replace
from hashlib import blake2b
from itertools import product
from pathlib import Path
from typing import Any, cast

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.log import EvalLog
from inspect_ai.model import Model, ModelConfig, ModelCost, get_model
from rich.markup import render

from ..designs import changes_of
from ..errors import UserError
from ..judging.connection import reached
from ..judging.cost import Cost
from ..record.graders import grading_of
from ..record.replications import REJUDGING
from ..record.seeds import base_seed, seeds_from
from ..verdicts import GIVEN
from .answers import changed_outputs
from .arguments import models_named, names_grader
from .limits import Limits
from .logged import chosen_scorer, packages_of
from .made import Made
from .outputs import Wanted, ranges, recorded, samples_of
from .scorer import rejudge
from .trust import kept_settings, vet, vet_media, vet_model
from .wordings import wordings_of
from .wrapped import Wrapped, find_scorer, scorer_of_task


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
        task: The log's task, `package/name` or `file.py@name`, to take the scorer from. It has the
            facts that a log lacks.
        wordings: File of other wordings of the scorer's template or instructions; every output is
            judged `replications` times in each, and in its own.
        answers: Changes of the outputs (see `changes_of`), each judged `replications` times beside
            the outputs as they are.
        limit: The most outputs to judge.
        prices: Prices of graders by their names, as inspect's `--model-cost-config` has them.

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
    task: str | None = None
    wordings: str | Path | None = None
    answers: str | Sequence[str] | None = None
    limit: int | None = None
    prices: Mapping[str, ModelCost] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Settle the grader."""
        self._where = self.log.location.removeprefix("file://") or "The log"
        self.samples = [one for one in self.log.samples or [] if not one.error][: self.limit]
        if not self.samples:
            raise UserError(f"{self._where} has no sample that ended without an error.")
        for sample in self.samples:
            vet_media(sample, self._where)
        base_seed(self.seed)
        self.changes = changes_of(self.answers)
        self.changed = changed_outputs(self.changes, self.samples)
        self._logged = chosen_scorer(self.log, self.scorer)
        self.grading = grading_of(self.log, self._logged)
        self.wrapped = self._worded(self._found())
        self.graders = self.grading.models if self.model is None else frozenset([str(self.model)])
        self._roles, self._evaluated = self._needed()
        for role, bound in self._roles.items():
            for one in _bound(bound):
                vet_model(one, f"{self._where}, role {role},")
        vet_model(self._evaluated, f"{self._where}, model,")

    # What is judged

    def missing(self, made: Made, first: int = 1) -> list[Wanted]:
        """Replications that are not made, from one number on, by output and wording."""
        several = len({sample.epoch for sample in self.samples}) > 1
        found = []
        for sample in self.samples:
            output = (sample.id, sample.epoch)
            name = f"{sample.id}, epoch {sample.epoch}" if several else str(sample.id)
            for wording, (answer, spoils) in product(self.wrapped.wordings, self._answers.items()):
                if answer != GIVEN and output not in self.changed[answer]:
                    continue
                own = self.wrapped.seed(self.seed, *output, wording, answer)
                seeds = seeds_from(own, self.replications)
                lacking = [
                    number
                    for number, seed in enumerate(seeds, 1)
                    if number >= first and (*output, seed) not in made
                ]
                found += [
                    Wanted(*output, name, wording, *run, answer, spoils) for run in ranges(lacking)
                ]
        return found

    @property
    def _answers(self) -> dict[str, bool | None]:
        """Each change of the outputs, none first, and whether it spoils them."""
        return {GIVEN: None} | {one.name: one.kind == "sensitivity" for one in self.changes}

    def to_task(
        self, wanted: Sequence[Wanted], limits: Limits | None = None, **metadata: Any
    ) -> Task:
        """The task that makes replications: an output is a sample, its grader the scorer.

        Raises:
            UserError: The grader cannot be used.
        """
        model, roles = self._models()
        scorer: Any = rejudge(self.wrapped.spec, f"1-{self.replications}", self.seed)
        scorer.limits, scorer.graders = limits or Limits(), self.graders
        scorer.settings = self._given
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
            f"wording {name}": blake2b(str(changes).encode(), digest_size=6).hexdigest()
            for name, changes in self.wrapped.wordings.items()
            if name != GIVEN
        }
        texts |= {
            f"answer {one.name}": blake2b(one.answer.encode(), digest_size=6).hexdigest()
            for one in self.changes
        }
        return {
            "log": self.log.eval.eval_id,
            "scorer": self.wrapped.identity,
            "grader": self._named,
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

    def costs(self, missing: Sequence[Wanted]) -> list[Cost]:
        """The cost of the scorer in each wording, where these replications are missing."""
        left = Counter[tuple[str, str]]()
        for wanted in missing:
            left[wanted.wording, wanted.answer] += wanted.replications
        outputs = {GIVEN: len(self.samples)} | {n: len(own) for n, own in self.changed.items()}
        return [
            Cost(
                n,
                self.replications,
                made=n * self.replications - left[wording, answer],
                calls_each=self.grading.calls,
                tokens_each=self.grading.tokens,
                dollars_each=self._dollars,
            )
            for wording, (answer, n) in product(self.wrapped.wordings, outputs.items())
        ]

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
        if len(names := self.wrapped.wordings) > 1:
            outputs, n = len(self.samples), self.replications
            cells = f"{outputs:,} outputs x {len(names)} = {outputs * len(names):,} cells of {n:,}"
            lines.append(f"Wordings: {', '.join(names)}. {cells} replications.")
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
        known = [self.prices.get(name) for name in self.graders]
        total = used.total_cost if self.model is None else None
        if len(known) == 1 and (price := known[0]):
            total = (
                price.input * used.input_tokens
                + price.output * used.output_tokens
                + price.input_cache_write * (used.input_tokens_cache_write or 0)
                + price.input_cache_read * (used.input_tokens_cache_read or 0)
            ) / 1e6
        return total / self.grading.choices if total and self.grading.choices else None

    # Who judges

    def _found(self) -> Wrapped:
        logged, grading = self._logged, self.grading
        if self.task is not None:
            arguments = self.log.eval.task_args_passed
            vet(self._kept(arguments), f"{self._where}, its task")
            found = scorer_of_task(
                self.task, arguments, logged.name if logged.again else logged.score
            )
        else:
            task = _task_of(self.log)
            if logged.name != self.scorer:  # else the user trusts it
                vet(logged.name, self._where)
            vet(self._kept(logged.arguments), f"{self._where}, scorer {logged.name}", task)
            packages = list(packages_of(self.log))
            if grading.is_known and not grading.models:
                raise _asks_no_model(logged.name)
            found = find_scorer(logged.name, logged.arguments, packages, task)
            if found.name.startswith("inspect_reliability/"):
                raise _asks_no_model(found.name)  # before its judge is loaded for nothing
        if self.model is None:
            return found
        return found.regraded(self._grader(), grading.models)

    def _worded(self, wrapped: Wrapped) -> Wrapped:
        if self.wordings is None:
            return wrapped
        facts = {name for sample in self.samples for name in sample.metadata}
        return replace(wrapped, wordings=wordings_of(wrapped, self.wordings, facts))

    def _kept(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The log's arguments, without those that name the grader, if another one takes over."""
        return {
            key: value
            for key, value in arguments.items()
            if self.model is None or not names_grader(key, value, self.grading.models)
        }

    @property
    def _taken(self) -> Set[str]:
        """The roles that another grader takes over."""
        return {"grader"} | self.grading.roles

    def _needed(self) -> tuple[dict[str, ModelConfig | list[ModelConfig]], ModelConfig]:
        """The roles of the log that its scorer needs, and the evaluated model, or none."""
        spec, grading = self.log.eval, self.grading
        every = spec.model_roles or {}
        asked = grading.roles if grading.is_known else every.keys()
        roles = {role: bound for role, bound in every.items() if role in asked}
        if self.model is not None:
            roles = {role: bound for role, bound in roles.items() if role not in self._taken}
            needed = False
        elif grading.is_known:
            unbound = bool(grading.unnamed or grading.roles - every.keys())
            needed = unbound and spec.model in grading.models
        else:
            # The evaluated model is not loaded where it has most likely nothing to say.
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
        roles = {role: _made(config) for role, config in self._roles.items()}
        if self.model is not None:
            grader = self._grader()
            return grader, roles | dict.fromkeys(self._taken, grader)
        for name in models_named(self.wrapped.arguments, self.grading.models):
            _made(ModelConfig(model=name))  # or an error before anything is paid for
        return cast(Model, _made(self._evaluated)), roles

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
        return reached(made)
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


def _asks_no_model(scorer: str) -> UserError:
    return UserError(
        f"The scorer '{scorer}' asks no model, so there is nothing to replicate: it says the same "
        "of an output every time. Name a model-graded scorer. Where the epochs of a log are "
        "replications of a judge, `inspect-reliability report` shows its reliability."
    )
