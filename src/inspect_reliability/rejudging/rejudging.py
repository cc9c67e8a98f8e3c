"""A log to judge again: graders and cost are settled before the first call."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, cast

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.log import EvalLog
from inspect_ai.model import Model, ModelConfig, ModelCost, get_model
from rich.markup import render

from ..errors import UserError
from ..judging.connection import reached
from ..judging.cost import Cost
from ..record.graders import Grading, LoggedScorer, grading_of
from ..record.replications import REJUDGING
from ..record.seeds import base_seed, seeds_from
from ..verdicts import GIVEN
from .arguments import models_named, names_grader
from .limits import Limits
from .logged import chosen_scorers, packages_of
from .made import Made
from .outputs import Wanted, ranges, recorded, samples_of
from .scorer import rejudge
from .trust import kept_settings, vet, vet_media, vet_model
from .wordings import wordings_of
from .wrapped import Wrapped, find_scorer, scorer_of_task


@dataclass(frozen=True)
class Chosen:
    """A scorer to run again, as the log names it, and how it graded there."""

    logged: LoggedScorer
    wrapped: Wrapped
    grading: Grading


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
        wordings: File of other wordings of the scorers' templates or instructions; every output is
            judged `replications` times in each, and in their own.
        limit: The most outputs to judge.
        prices: Prices of graders by their names, as inspect's `--model-cost-config` has them.

    Raises:
        UserError: There is nothing to judge, it is not clear by which scorer, the scorer asks no
            model, or the log asks for what only the user may decide.
    """

    log: EvalLog
    scorers: Sequence[str] = ()
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

    def __post_init__(self) -> None:
        """Settle the graders."""
        self._where = self.log.location.removeprefix("file://") or "The log"
        self.samples = [one for one in self.log.samples or [] if not one.error][: self.limit]
        if not self.samples:
            raise UserError(f"{self._where} has no sample that ended without an error.")
        for sample in self.samples:
            vet_media(sample, self._where)
        base_seed(self.seed)
        self.chosen = [*self._found()]
        self._roles, self._evaluated = self._needed()
        for role, bound in self._roles.items():
            for one in _bound(bound):
                vet_model(one, f"{self._where}, role {role},")
        vet_model(self._evaluated, f"{self._where}, model,")

    # What is judged

    def missing(self, made: Made, first: int = 1) -> list[Wanted]:
        """Replications that are not made, from one number on, by output, scorer and wording."""
        several = len({sample.epoch for sample in self.samples}) > 1
        found = []
        for sample in self.samples:
            output = (sample.id, sample.epoch)
            name = f"{sample.id}, epoch {sample.epoch}" if several else str(sample.id)
            for wrapped, wording in self._asked:
                identity = wrapped.identity
                seeds = seeds_from(wrapped.seed(self.seed, *output, wording), self.replications)
                lacking = [
                    number
                    for number, seed in enumerate(seeds, 1)
                    if number >= first and (identity, *output, seed) not in made
                ]
                found += [Wanted(*output, name, identity, wording, *r) for r in ranges(lacking)]
        return found

    @property
    def _asked(self) -> list[tuple[Wrapped, str]]:
        """Each scorer in each of its wordings."""
        return [(one.wrapped, wording) for one in self.chosen for wording in one.wrapped.wordings]

    def to_task(
        self, wanted: Sequence[Wanted], limits: Limits | None = None, **metadata: Any
    ) -> Task:
        """The task that makes replications: an output is a sample, its grader the scorer.

        `limits` bounds the calls of all its scorers together.

        Raises:
            UserError: The grader cannot be used.
        """
        model, roles = self._models()
        numbers = f"1-{self.replications}"
        scorers: Any = [rejudge(one.wrapped.spec, numbers, self.seed) for one in self.chosen]
        for one in scorers if limits else ():
            one.limits = limits
        return Task(
            name=self.log.eval.task,
            dataset=MemoryDataset(
                samples_of(wanted, self.samples), name=self.log.eval.dataset.name
            ),
            solver=recorded(self.samples),
            scorer=scorers,
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
            for one in self.chosen
            for name, changes in one.wrapped.wordings.items()
            if name != GIVEN
        }
        return {
            "log": self.log.eval.eval_id,
            "scorer": "; ".join(one.wrapped.identity for one in self.chosen),
            "grader": "; ".join(map(self._named, self.chosen)),
            "seed": self.seed,
            "temperature": self.temperature,
            "max tokens": self.max_tokens,
        } | texts

    # What is said before

    def costs(self, missing: Sequence[Wanted]) -> list[Cost]:
        """The cost of each scorer in each wording, where these replications are missing."""
        left = Counter[tuple[str, str]]()
        for wanted in missing:
            left[wanted.scorer, wanted.wording] += wanted.replications
        outputs = len(self.samples)
        return [
            Cost(
                outputs,
                self.replications,
                made=outputs * self.replications - left[one.wrapped.identity, wording],
                calls_each=one.grading.calls,
                tokens_each=one.grading.tokens,
                dollars_each=self._dollars(one.grading),
            )
            for one in self.chosen
            for wording in one.wrapped.wordings
        ]

    def announcement(self) -> list[str]:
        """The graders, and what differs from the log: for the user, before the first call."""
        lines = [line for one in self.chosen for line in self._announcement(one)]
        if names := [n for one in self.chosen if len(w := one.wrapped.wordings) > 1 for n in w]:
            outputs, n = len(self.samples), self.replications
            cells = f"{outputs:,} outputs x {len(names)} = {outputs * len(names):,} cells of {n:,}"
            lines.append(f"Wordings: {', '.join(names)}. {cells} replications.")
        return list(dict.fromkeys(lines))

    def _announcement(self, one: Chosen) -> Iterator[str]:
        grading, now = one.grading, self._named(one)
        logged = ", ".join(sorted(grading.models))
        yield f"Scorer: {one.wrapped.name}. Grader: {now}."
        if logged and logged != now:
            yield f"Note: the grader in the log was {logged}; {now} answers now."
        if settings := one.wrapped.settings:
            given = (f"{key} {value:g}" for key, value in settings.items())
            yield f"Its settings now: {', '.join(given)}.".replace("_", " ")
        if not grading.is_known:
            yield "Note: the log does not show this scorer at work, nor who its grader was."
        if grading.models and grading.not_asked and self.task is None:
            yield (
                f"Note: the log scored {grading.not_asked:,} of these outputs without asking the "
                "grader, which may be asked now. To score them as the task does, add --task "
                f"{_task_of(self.log)}."
            )

    def _named(self, one: Chosen) -> str:
        if self.model is not None:
            return str(self.model)
        if one.grading.is_known:
            return ", ".join(sorted(one.grading.models))
        bound = ", ".join(each.model for each in _bound(self._roles.get("grader", [])))
        return bound or str(one.wrapped.arguments.get("model") or self.log.eval.model)

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

    # Who judges

    def _found(self) -> Iterator[Chosen]:
        for logged in chosen_scorers(self.log, self.scorers):
            grading = grading_of(self.log, logged)
            if self.task is not None:
                arguments = self.log.eval.task_args_passed
                vet(self._kept(arguments, grading), f"{self._where}, its task")
                score = logged.name if logged.again else logged.score
                wrapped = scorer_of_task(self.task, arguments, score)
            else:
                wrapped = self._logged(logged, grading, logged.name in self.scorers)
            if self.model is not None:
                wrapped = wrapped.regraded(self._grader(grading), grading.models)
            given = {"temperature": self.temperature, "max_tokens": self.max_tokens}
            wrapped = replace(
                wrapped,
                wordings=self._wordings(wrapped),
                settings={key: value for key, value in given.items() if value is not None},
                graders=grading.models if self.model is None else frozenset([str(self.model)]),
            )
            yield Chosen(logged, wrapped, grading)

    def _logged(self, scorer: LoggedScorer, grading: Grading, is_trusted: bool) -> Wrapped:
        name, task = scorer.name, _task_of(self.log)
        if grading.is_known and not grading.models:
            raise _asks_no_model(name)
        if not is_trusted:
            vet(name, self._where)
        vet(self._kept(scorer.arguments, grading), f"{self._where}, scorer {name}", task)
        wrapped = find_scorer(name, scorer.arguments, list(packages_of(self.log)), task)
        if wrapped.name.startswith("inspect_reliability/"):
            raise _asks_no_model(name)  # before its judge is loaded for nothing
        return wrapped

    def _wordings(self, wrapped: Wrapped) -> Mapping[str, Mapping[str, str]]:
        if self.wordings is None:
            return wrapped.wordings
        facts = {name for sample in self.samples for name in sample.metadata}
        return wordings_of(wrapped, self.wordings, facts)

    def _kept(self, arguments: Mapping[str, Any], grading: Grading) -> dict[str, Any]:
        """The log's arguments, without those that name the grader, if another one takes over."""
        return {
            key: value
            for key, value in arguments.items()
            if self.model is None or not names_grader(key, value, grading.models)
        }

    def _needed(self) -> tuple[dict[str, ModelConfig | list[ModelConfig]], ModelConfig]:
        """The roles of the log that its scorers need, and the evaluated model, or none."""
        spec, none = self.log.eval, ModelConfig(model="none/none")
        every, roles, needed = spec.model_roles or {}, dict[str, Any](), False
        for one in self.chosen:
            grading = one.grading
            if self.model is not None:
                roles |= {k: v for k, v in every.items() if not grading.is_known and k != "grader"}
            elif grading.is_known:
                lost = grading.models if grading.roles - every.keys() else set()
                roles |= {k: v for k, v in every.items() if k in grading.roles}
                needed |= spec.model in grading.unnamed | lost
            else:
                # The evaluated model is not loaded where it has most likely nothing to say.
                roles |= every
                needed |= not (one.wrapped.arguments.get("model") or "grader" in every)
        if not needed:
            return roles, none
        return roles, ModelConfig(
            model=spec.model,
            config=self.log.plan.config.merge(spec.model_generate_config),
            base_url=spec.model_base_url,
            args=spec.model_args,
        )

    def _models(self) -> tuple[Model, dict[str, Any]]:
        """The model for scorers that name none, and the models of their roles."""
        roles = {role: _made(config) for role, config in self._roles.items()}
        if self.model is None:
            for one in self.chosen:
                for name in models_named(one.wrapped.arguments, one.grading.models):
                    _made(ModelConfig(model=name))  # or an error before anything is paid for
            return cast(Model, _made(self._evaluated)), roles
        asked = {role for one in self.chosen for role in one.grading.roles}
        grader = self._grader(self.chosen[0].grading)
        return grader, roles | dict.fromkeys(asked | {"grader"}, grader)

    def _grader(self, grading: Grading) -> Model:
        if isinstance(self.model, Model):
            return self.model
        named = ModelConfig(
            model=str(self.model),
            config=kept_settings(grading.config),
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
