"""The scorer to run again: found by name, made when the first output is judged."""

import inspect
import re
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, get_type_hints

from inspect_ai._util.module import load_module
from inspect_ai._util.path import chdir_python

# What a name stands for, and the arguments that an object was made with, have no public accessor.
from inspect_ai._util.registry import (
    is_model_dict,
    registry_kwargs,
    registry_lookup,
    registry_params,
    registry_value,
)
from inspect_ai.model import Model, model_roles
from inspect_ai.scorer import Scorer
from inspect_ai.util import registry_info
from pydantic import ConfigDict, TypeAdapter, ValidationError

from ..errors import UserError
from ..shell import quote

# How a scorer to run again is named.


ScorerSpec = Scorer | str | Mapping[str, Any]
"""A scorer; its name, `package/name` or `file.py@name`; or a mapping of `name` and `params`."""

_NAMES_A_GRADER = re.compile(r"(^|_)(models?|graders?|judges?|llm)$")

_LONGEST = 60


@dataclass(frozen=True, eq=False)
class Wrapped:
    """A scorer to run again.

    It is made inside the run, because some scorers look for their grader when they are made.

    Attributes:
        name: Its registered name, including the package's.
        arguments: Its arguments, as in a log.
        factory: The function that makes it from arguments.
    """

    name: str
    arguments: Mapping[str, Any]
    factory: Callable[..., Scorer]

    @cached_property
    def scorer(self) -> Scorer:
        """The scorer; a UserError if it cannot be made."""
        try:
            return self.factory(**_typed(self.factory, registry_kwargs(**self.arguments)))
        except UserError:
            raise
        except Exception as error:  # code of somebody else
            raise _cannot_be_made(self.name, error) from error

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Its parameters with their default values."""
        found = inspect.signature(self.factory).parameters
        return {name: parameter.default for name, parameter in found.items()}

    def regraded(self, grader: Model | str, earlier: Set[str]) -> "Wrapped":
        """The same scorer with another grader in place of any that its arguments name.

        Raises:
            UserError: An argument names a grader in a way that cannot be replaced.
        """
        changed = {
            key: _regraded(key, value, grader)
            for key, value in {**self.parameters, **self.arguments}.items()
            if names_grader(key, value, earlier)
        }
        return replace(self, arguments={**self.arguments, **changed})

    def models(self, earlier: Set[str]) -> set[str]:
        """Names of models in the arguments that name a grader."""
        named = (one for key, one in self.arguments.items() if names_grader(key, one, earlier))
        return {name for value in named for name in models_in(value) if "/" in name}

    @property
    def panel(self) -> list[str]:
        """Names of its graders in order, if it asks several; only within a run."""
        role = str(self.arguments.get("model_role", "grader"))
        named = self.arguments.get("model") or model_roles().get(role)
        return models_in(named) if isinstance(named, list) else []

    @property
    def identity(self) -> str:
        """Its name and arguments, models by name, long ones as digests: equal for equal scorers."""
        given = [f"{key}={_short(value)}" for key, value in sorted(self.arguments.items())]
        return f"{self.name}({', '.join(given)})" if given else self.name

    @property
    def spec(self) -> dict[str, Any]:
        """The description that a log keeps, and from which `wrap` makes it again."""
        return {"name": self.name, "params": dict(self.arguments)}


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
        return find_scorer(spec["name"], dict(spec.get("params") or {}))
    if isinstance(spec, str):
        return find_scorer(spec, {})
    try:
        made = Wrapped(registry_info(spec).name, registry_params(spec), lambda **_: spec)
    except ValueError:
        raise UserError(
            f"{spec!r} is not a scorer. Call the function that makes it, as in "
            "rejudge(model_graded_qa()), and decorate a function of your own with @scorer."
        ) from None
    made.__dict__["scorer"] = spec  # made by the user, once
    return made


def find_scorer(name: str, arguments: Mapping[str, Any]) -> Wrapped:
    """Find a scorer by name: `name`, `package/name` or `file.py@name`, whose file is run.

    A name without a package is looked up in all that are installed, because a log names scorers
    without theirs.

    Raises:
        UserError: There is no such scorer, or it does not take these arguments.
    """
    file, _, short = name.rpartition("@")
    if file:
        _load(Path(file))
    found: Any = registry_lookup("scorer", short)
    if found is None:
        packages = sorted({entry.name for entry in entry_points(group="inspect_ai")})
        several = [one for one in packages if registry_lookup("scorer", f"{one}/{short}")]
        if len(several) > 1:
            raise UserError(
                f"Several packages have a scorer '{short}': {', '.join(several)}. Name the one you "
                f"mean: --scorer {quote(f'{several[0]}/{short}')}."
            )
        found = registry_lookup("scorer", f"{several[0]}/{short}") if several else None
    if found is None:
        last = short.rpartition("/")[2]
        raise UserError(
            f"There is no scorer '{short}'. Name one of an installed package "
            f"(--scorer {quote(f'package/{last}')}), or one in a file "
            f"(--scorer {quote(f'file.py@{last}')}). If a task makes it inside a function, or from "
            "a scanner of inspect_scout, let a function with @scorer in a file return it."
        )
    full_name = registry_info(found).name
    try:
        inspect.signature(found).bind(**arguments)
        _typed(found, arguments)
    except TypeError as error:
        raise _cannot_be_made(full_name, error) from None
    return Wrapped(full_name, arguments, found)


def _typed(factory: Callable[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments converted to the types that a factory declares.

    Raises:
        UserError: An argument is a text and may be none. It was a function or a class, and a log
            keeps only its name.
    """
    try:
        hints = get_type_hints(inspect.unwrap(factory))
    except Exception:  # names that are not there when the code runs
        hints = {}
    found = dict(arguments)
    for key, value in arguments.items():
        try:
            hint = TypeAdapter(hints.get(key, Any), config=ConfigDict(arbitrary_types_allowed=True))
            found[key] = hint.validate_python(value)
        except ValidationError:
            if isinstance(value, str):
                raise UserError(
                    f"There is only the name '{value}' of what the scorer "
                    f"{registry_info(factory).name} takes as '{key}'. Let a function with @scorer "
                    "in a file return the scorer, and name it: --scorer FILE.py@NAME"
                ) from None
        except Exception:  # a type that pydantic does not check
            continue
    return found


def names_grader(key: str, value: Any, earlier: Set[str]) -> bool:
    """Whether an argument names a grader, by its own name or by a model that graded before."""
    return bool(_NAMES_A_GRADER.search(key) or {*models_in(value)} & earlier)


def models_in(value: Any) -> list[str]:
    """Names of models in an argument, in order."""
    if isinstance(value, list | tuple):
        return [name for part in value for name in models_in(part)]
    if isinstance(value, Mapping):
        return models_in(value.get("model"))
    return [str(value)] if isinstance(value, str | Model) else []


def _regraded(key: str, value: Any, grader: Model | str) -> Any:
    if isinstance(value, list | tuple):
        return [grader]
    if value is None or isinstance(value, str | Model) or is_model_dict(value):
        return grader
    if isinstance(value, Mapping):
        raise UserError(f"'{key}' cannot be given the grader {grader}. Leave --model out.")
    return value


def _cannot_be_made(name: str, error: Exception) -> UserError:
    why = str(error).removesuffix(".") or type(error).__name__
    return UserError(f"The scorer '{name}' cannot be made: {why}.")


def model_settings(model: Model) -> str | None:
    """What a model is called with beside its name, as a digest; None for nothing."""
    known = registry_value(model)
    config = {name: value for name, value in known["config"].items() if value is not None}
    plain = str | int | float | bool  # others have no text that is the same in every run
    own = {name: value for name, value in known["model_args"].items() if isinstance(value, plain)}
    given = (config, known["base_url"], own)
    return _digest(repr(given)) if any(given) else None


def _short(value: object) -> str:
    text = repr(_named(registry_value(value)))
    return text if len(text) <= _LONGEST else _digest(text)


def _named(value: Any) -> Any:
    """An argument, with models by their names: a log says their settings beside them."""
    if is_model_dict(value):
        return value["model"]
    return list(map(_named, value)) if isinstance(value, list) else value


def _digest(text: str) -> str:
    return f"<{blake2b(text.encode(), digest_size=6).hexdigest()}>"


def _load(file: Path) -> None:
    """Run a Python file, to register its scorers."""
    if file.suffix != ".py" or not file.is_file():
        raise UserError(f"There is no Python file {file}.")
    place = file.resolve()
    try:
        with chdir_python(str(place.parent)):
            load_module(place)
    except Exception as error:
        raise UserError(f"{file} cannot be loaded: {type(error).__name__}: {error}") from error
