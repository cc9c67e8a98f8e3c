"""The scorer to run again: found by name, made when the first output is judged."""

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from hashlib import blake2b
from importlib.metadata import entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, NamedTuple

from inspect_ai import Task

# What a name stands for, and the arguments that an object was made with, have no public accessor.
from inspect_ai._util.registry import registry_lookup, registry_params
from inspect_ai.model import model_roles
from inspect_ai.scorer import Scorer
from inspect_ai.util import registry_info

from ..errors import UserError
from ..judging.seeds import replication_seed
from .arguments import Regrade, made_with, models_in, refuse_what_logs_cannot_say

ScorerSpec = Scorer | str | Mapping[str, Any]
"""A scorer; its name, `package/name` or `file.py@name`; or a mapping of `name` and `params`."""

_LONGEST = 60


class Wording(NamedTuple):
    """One of several wordings of a scorer: its name, and the arguments it changes."""

    name: str
    changes: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Wrapped:
    """A scorer to run again.

    It is made inside the run, because some scorers look for their grader when they are made.

    Attributes:
        name: Its registered name, including the package's.
        arguments: Its arguments, as in a log.
        make: Makes it from arguments.
        task: Name of the task that makes it, if any.
        defaults: Its parameters with their default values; empty if not known.
        wording: Its wording, if it runs in several.
        regrade: A grader that replaces the one in its arguments.
    """

    name: str
    arguments: Mapping[str, Any]
    make: Callable[[Mapping[str, Any], Regrade | None], Scorer]
    task: str | None = None
    defaults: Mapping[str, Any] = field(default_factory=dict)
    wording: Wording | None = None
    regrade: Regrade | None = None

    @property
    def changes(self) -> Mapping[str, str]:
        """Arguments that its wording changes."""
        return self.wording.changes if self.wording else {}

    @cached_property
    def scorer(self) -> Scorer:
        """The scorer itself; a UserError if it cannot be made."""
        try:
            return self.make({**self.arguments, **self.changes}, self.regrade)
        except UserError:
            raise
        except Exception as error:  # code of somebody else
            raise _cannot_be_made(self.name, error) from error

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
        name += f" as {self.wording.name}" if self.wording and self.changes else ""
        return f"{name} of {self.task}" if self.task else name

    def seed(self, base: int, output: tuple[int | str, int]) -> int:
        """Seed of an output's first replication; different outputs have different seeds."""
        text = "".join(f"{key}: {value}" for key, value in sorted(self.changes.items()))
        worded = f"|{blake2b(text.encode(), digest_size=8).hexdigest()}" if text else ""
        return replication_seed(base, f"{output[0]}|{output[1]}{worded}", 1)

    @property
    def spec(self) -> dict[str, Any]:
        """The description that a log keeps."""
        spec: dict[str, Any] = {"name": self.name, "params": dict(self.arguments)}
        if self.wording:
            spec["wording"] = {"name": self.wording.name, "changes": dict(self.wording.changes)}
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
        if spec.get("task"):
            return scorer_of_task(spec["task"], arguments, name)
        found = find_scorer(name, arguments)
        worded = spec.get("wording")
        return replace(found, wording=Wording(**worded)) if worded else found
    if isinstance(spec, str):
        return find_scorer(spec, {})
    try:
        return Wrapped(registry_info(spec).name, registry_params(spec), lambda *_: spec)
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
    except TypeError as error:
        raise _cannot_be_made(full_name, error) from None
    refuse_what_logs_cannot_say(factory, full_name, arguments, task)
    parameters = inspect.signature(factory).parameters
    return Wrapped(
        full_name,
        arguments,
        partial(made_with, factory),
        defaults={name: parameter.default for name, parameter in parameters.items()},
    )


def scorer_of_task(task: str, arguments: Mapping[str, Any], score: str) -> Wrapped:
    """A scorer as a task (`package/name` or `file.py@name`) makes it, with all its arguments.

    The task's file is run. `arguments` are those of the task, `score` is the score's name in its
    logs.

    Raises:
        UserError: There is no such task.
    """
    factory = _find("task", task, ())
    name = registry_info(factory).name

    def make(given: Mapping[str, Any], regrade: Regrade | None) -> Scorer:
        made: Task = made_with(factory, given, regrade)
        scorers = made.scorer or []
        names = score_names(registry_info(one).name.rpartition("/")[2] for one in scorers)
        if score not in names:
            has = f"only {', '.join(names)}" if names else "no scorer at all"
            raise UserError(f"The task {name} does not make the scorer '{score}': it has {has}.")
        return scorers[names.index(score)]

    return Wrapped(score, arguments, make, task=name)


def score_names(scorers: Iterable[str]) -> list[str]:
    """Names of the scores of several scorers; inspect numbers equal names."""
    names = list(scorers)
    before = [names[:place].count(name) for place, name in enumerate(names)]
    return [f"{name}{n or ''}" for name, n in zip(names, before, strict=True)]


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


def _cannot_be_made(name: str, error: Exception) -> UserError:
    why = str(error).removesuffix(".") or type(error).__name__
    return UserError(f"The scorer '{name}' cannot be made: {why}.")


def _short(value: object) -> str:
    text = repr(value)
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
