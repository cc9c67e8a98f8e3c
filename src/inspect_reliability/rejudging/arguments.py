"""Rebuilds the arguments of a log's scorer or task, with types and another grader."""

import inspect
import re
from collections.abc import Callable, Mapping, Set
from typing import Any, get_type_hints

# A model, a class or a function that an argument was has no public way back from its name.
from inspect_ai._util.registry import registry_kwargs
from inspect_ai.model import Model
from pydantic import ConfigDict, TypeAdapter

from ..errors import UserError

_NAMES_A_GRADER = re.compile(r"(^|_)(models?|graders?|judges?|llm)$")
_MODEL = re.compile(r"[\w.-]+/\S+")


def made_with(factory: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    """Call a factory with a log's arguments, converted to the types it declares."""
    hints = _hints(factory)
    fitting = registry_kwargs(**arguments)
    for key, value in fitting.items():
        if key in hints and _fits(hints[key], value):
            fitting[key] = _as_type(hints[key], value)
    return factory(**fitting)


def refuse_what_logs_cannot_say(
    factory: Callable[..., Any], name: str, arguments: Mapping[str, Any], task: str
) -> None:
    """Refuse functions and classes among the arguments: a log has only their names."""
    hints = _hints(factory)
    for key, value in arguments.items():
        if isinstance(value, str) and key in hints and not _fits(hints[key], value):
            raise UserError(
                f"The log has only the name '{value}' of what the scorer {name} takes as '{key}'. "
                f"If you trust the log's task, take the scorer from it: --task {task}"
            )


def named_grader(
    factory: Callable[..., Any], arguments: Mapping[str, Any], grader: Model, earlier: Set[str]
) -> dict[str, Any]:
    """Arguments of a scorer or task, with another grader in place of the named one.

    Raises:
        UserError: An argument names a grader in a way that cannot be replaced.
    """
    hints, changed = _hints(factory), dict(arguments)
    for key, parameter in inspect.signature(factory).parameters.items():
        value = arguments.get(key, parameter.default)
        if not names_grader(key, value, earlier):
            continue
        for one in (grader, str(grader), [grader]):
            if _fits(hints.get(key, Any), one):
                changed[key] = one
                break
        else:
            if key in arguments and not isinstance(value, str):
                raise UserError(f"'{key}' cannot be given the grader {grader}.")
    return changed


def names_grader(key: str, value: Any, earlier: Set[str]) -> bool:
    """Whether an argument names a grader, by its own name or by a model that graded before."""
    return bool(_NAMES_A_GRADER.search(key) or {*models_in(value)} & earlier)


def models_named(arguments: Mapping[str, Any], earlier: Set[str]) -> set[str]:
    """Names of models in the arguments that name a grader."""
    named = (value for key, value in arguments.items() if names_grader(key, value, earlier))
    return {name for value in named for name in models_in(value) if _MODEL.fullmatch(name)}


def models_in(value: Any) -> list[str]:
    """Names of models in an argument, in order."""
    if isinstance(value, list | tuple):
        return [name for part in value for name in models_in(part)]
    if isinstance(value, Mapping):
        return models_in(value.get("model"))
    return [str(value)] if isinstance(value, str | Model) else []


def _hints(factory: Callable[..., Any]) -> dict[str, Any]:
    try:
        return get_type_hints(inspect.unwrap(factory))
    except Exception:  # names that are not there when the code runs
        return {}


def _fits(hint: Any, value: Any) -> bool:
    try:
        _as_type(hint, value)
    except ValueError:
        return False
    return True


def _as_type(hint: Any, value: Any) -> Any:
    """A value converted to a type; unchanged if the type cannot be checked.

    Raises:
        ValueError: It does not fit the type.
    """
    try:
        adapter = TypeAdapter(hint, config=ConfigDict(arbitrary_types_allowed=True))
    except Exception:
        try:
            adapter = TypeAdapter(hint)  # a type with settings of its own
        except Exception:
            return value
    return adapter.validate_python(value)
