"""The scorer to run again: found by name, made when the first output is judged."""

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from importlib.metadata import entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from inspect_ai import Task

# What a name stands for, and the arguments that an object was made with, have no public accessor.
from inspect_ai._util.registry import (
    registry_kwargs,
    registry_lookup,
    registry_params,
    registry_value,
)
from inspect_ai.model import Model, model_roles
from inspect_ai.scorer import Scorer
from inspect_ai.util import registry_info

from ..errors import UserError
from ..record.graders import score_names
from ..record.seeds import replication_seed
from ..verdicts import GIVEN
from .arguments import ScorerSpec, models_in, regraded, typed

_LONGEST = 60


@dataclass(frozen=True, eq=False)
class Wrapped:
    """A scorer to run again.

    It is made inside the run, because some scorers look for their grader when they are made.

    Attributes:
        name: Its registered name, including the package's.
        arguments: Its arguments, as in a log.
        make: Makes it from arguments.
        factory: The function that `make` calls; None if the user made the scorer.
        task: Name of the task that makes it, if any.
        wordings: Arguments that each wording changes, by its name; its own is "given".
    """

    name: str
    arguments: Mapping[str, Any]
    make: Callable[[Mapping[str, Any]], Scorer]
    factory: Callable[..., Any] | None = None
    task: str | None = None
    wordings: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: {GIVEN: {}})
    _made: dict[str, Scorer] = field(default_factory=dict)

    def scorer(self, wording: str) -> Scorer:
        """The scorer in one of its wordings; a UserError if it cannot be made."""
        if wording not in self._made:
            try:
                given = {**self.arguments, **self.wordings[wording]}
                self._made[wording] = self.make(given)
            except UserError:
                raise
            except Exception as error:  # code of somebody else
                raise _cannot_be_made(self.name, error) from error
        return self._made[wording]

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Its parameters with their default values; empty if not known."""
        if self.factory is None or self.task is not None:
            return {}
        found = inspect.signature(self.factory).parameters
        return {name: parameter.default for name, parameter in found.items()}

    def regraded(self, grader: Model, earlier: Set[str]) -> "Wrapped":
        """The same scorer with another grader in place of any that its arguments name."""
        if self.factory is None:
            return self
        return replace(self, arguments=regraded(self.factory, self.arguments, grader, earlier))

    @property
    def panel(self) -> list[str]:
        """Names of its graders in order, if it asks several; only within a run."""
        role = str(self.arguments.get("model_role", "grader"))
        named = self.arguments.get("model") or model_roles().get(role)
        return models_in(named) if isinstance(named, list) else []

    @property
    def identity(self) -> str:
        """Its name and arguments, long ones as digests: equal for equal scorers."""
        given = [f"{key}={_short(value)}" for key, value in sorted(self.arguments.items())]
        name = f"{self.name}({', '.join(given)})" if given else self.name
        return f"{name} of {self.task}" if self.task else name

    def seed(
        self, base: int, sample: int | str, epoch: int, wording: str = GIVEN, answer: str = GIVEN
    ) -> int:
        """Seed of an output's first replication; different outputs have different seeds."""
        text = "".join(f"{key}: {value}" for key, value in sorted(self.wordings[wording].items()))
        worded = f"|{blake2b(text.encode(), digest_size=8).hexdigest()}" if text else ""
        changed = f"|answer {answer}" if answer != GIVEN else ""
        return replication_seed(base, f"{sample}|{epoch}{worded}{changed}", 1)

    @property
    def spec(self) -> dict[str, Any]:
        """The description that a log keeps, and from which `wrap` makes it again."""
        spec: dict[str, Any] = {"name": self.name, "params": dict(self.arguments)}
        if len(self.wordings) > 1:
            spec["wordings"] = {name: dict(one) for name, one in self.wordings.items()}
        return spec | ({"task": self.task} if self.task else {})


def wrap(spec: ScorerSpec | None) -> Wrapped:
    """Find the scorer that a user names.

    Raises:
        UserError: There is no such scorer, or it does not take these arguments.
    """
    if spec is None:
        raise UserError(
            "Say which scorer to run again: rejudge(model_graded_qa()) in a task, "
            "-S scorer=model_graded_qa on the command line."
        )
    if isinstance(spec, Mapping):
        if not isinstance(spec.get("name"), str):
            raise UserError(f"scorer={dict(spec)} does not say a name: scorer={{'name': ...}}.")
        name, arguments = spec["name"], dict(spec.get("params") or {})
        task = spec.get("task")
        found = scorer_of_task(task, arguments, name) if task else find_scorer(name, arguments)
        return replace(found, wordings=spec.get("wordings", found.wordings))
    if isinstance(spec, str):
        return find_scorer(spec, {})
    try:
        return Wrapped(registry_info(spec).name, registry_params(spec), lambda _: spec)
    except ValueError:
        raise UserError(
            f"{spec!r} is not a scorer. Call the function that makes it, as in "
            "rejudge(model_graded_qa()), and decorate a function of your own with @scorer."
        ) from None


def find_scorer(
    name: str,
    arguments: Mapping[str, Any],
    packages: Sequence[str] = (),
    task: str = "PACKAGE/TASK",
) -> Wrapped:
    """Find a scorer by name: `name`, `package/name` or `file.py@name`, whose file is run.

    A name without a package is first looked up in `packages`. The message suggests `task` for facts
    that a log lacks.

    Raises:
        UserError: There is no such scorer, or it does not take these arguments.
    """
    within = (
        f" If its task makes it inside a function, or from a scanner of inspect_scout, name the "
        f"task: --task {task}."
    )
    factory = _find("scorer", name, packages, within)
    full_name = registry_info(factory).name
    try:
        inspect.signature(factory).bind(**arguments)
        typed(factory, arguments)
    except TypeError as error:
        raise _cannot_be_made(full_name, error) from None
    except LookupError as error:
        [key] = error.args
        raise UserError(
            f"The log has only the name '{arguments[key]}' of what the scorer {full_name} takes as "
            f"'{key}'. If you trust the log's task, take the scorer from it: --task {task}"
        ) from None
    return Wrapped(full_name, arguments, partial(_call, factory), factory)


def scorer_of_task(task: str, arguments: Mapping[str, Any], score: str) -> Wrapped:
    """A scorer as a task (`package/name` or `file.py@name`) makes it, with all its arguments.

    The task's file is run. `arguments` are those of the task, `score` is the score's name in its
    logs.

    Raises:
        UserError: There is no such task.
    """
    factory = _find("task", task, ())
    name = registry_info(factory).name

    def make(given: Mapping[str, Any]) -> Scorer:
        made: Task = _call(factory, given)
        scorers = made.scorer or []
        names = score_names(registry_info(one).name.rpartition("/")[2] for one in scorers)
        if score not in names:
            has = f"only {', '.join(names)}" if names else "no scorer at all"
            raise UserError(f"The task {name} does not make the scorer '{score}': it has {has}.")
        return scorers[names.index(score)]

    return Wrapped(score, arguments, make, factory, name)


def _find(kind: Any, name: str, packages: Sequence[str], otherwise: str = "") -> Callable[..., Any]:
    file, _, short = name.rpartition("@")
    if file:
        _load(Path(file))
    places = [short, *(f"{package}/{short}" for package in packages)]
    found: Any = next((one for place in places if (one := registry_lookup(kind, place))), None)
    if found is None:
        # A log names scorers without their package.
        installed = sorted({entry.name for entry in entry_points(group="inspect_ai")})
        other = [(f"{package}/{short}", package) for package in installed]
        several = [place for place, _ in other if registry_lookup(kind, place)]
        if len(several) > 1:
            raise UserError(
                f"Several packages have a {kind} '{short}': {', '.join(several)}. Name the one you "
                f"mean with --{kind}."
            )
        found = registry_lookup(kind, several[0]) if several else None
    if found is None:
        last = short.rpartition("/")[2]
        raise UserError(
            f"There is no {kind} '{short}'. Name one of an installed package "
            f"(--{kind} package/{last}), or one in a file (--{kind} file.py@{last}).{otherwise}"
        )
    return found  # type: ignore[no-any-return]


def _call(factory: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    return factory(**typed(factory, registry_kwargs(**arguments)))


def _cannot_be_made(name: str, error: Exception) -> UserError:
    why = str(error).removesuffix(".") or type(error).__name__
    return UserError(f"The scorer '{name}' cannot be made: {why}.")


def _short(value: object) -> str:
    text = repr(registry_value(value))  # of a model its name and settings
    return (
        text if len(text) <= _LONGEST else f"<{blake2b(text.encode(), digest_size=6).hexdigest()}>"
    )


def _load(file: Path) -> None:
    """Run a Python file, to register its scorers and tasks."""
    spec = spec_from_file_location(file.stem, file)
    if file.suffix != ".py" or not file.is_file() or spec is None or spec.loader is None:
        raise UserError(f"There is no Python file {file}.")
    module = module_from_spec(spec)
    sys.modules[file.stem] = module
    sys.path.insert(0, str(file.parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UserError(f"{file} cannot be loaded: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(file.parent))
