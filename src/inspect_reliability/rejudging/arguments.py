"""The arguments of a log's scorer or task: as their types, and with another grader."""

import inspect
import re
from collections.abc import Callable, Mapping, Set
from typing import Any, get_type_hints

from inspect_ai.model import Model
from inspect_ai.scorer import Scorer
from pydantic import ConfigDict, TypeAdapter, ValidationError

from ..errors import UserError

ScorerSpec = Scorer | str | Mapping[str, Any]
"""A scorer; its name, `package/name` or `file.py@name`; or a mapping of `name` and `params`."""

_NAMES_A_GRADER = re.compile(r"(^|_)(models?|graders?|judges?|llm)$")
_MODEL = re.compile(r"[\w.-]+/\S+")


def typed(factory: Callable[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments converted to the types that a factory declares.

    Raises:
        LookupError: An argument is a text and may be none: it was a function or a class, of which
            a log has only the name. The error has the argument's name.
    """
    try:
        hints = get_type_hints(inspect.unwrap(factory))
    except Exception:  # names that are not there when the code runs
        hints = {}
    found = {}
    for key, value in arguments.items():
        try:
            hint = TypeAdapter(hints.get(key, Any), config=ConfigDict(arbitrary_types_allowed=True))
            found[key] = hint.validate_python(value)
        except ValidationError:
            if isinstance(value, str):
                raise LookupError(key) from None
            found[key] = value
        except Exception:  # a type that pydantic does not check
            found[key] = value
    return found


def regraded(
    factory: Callable[..., Any], arguments: Mapping[str, Any], grader: Model, earlier: Set[str]
) -> dict[str, Any]:
    """Arguments of a scorer or task, with another grader in place of the named one.

    Raises:
        UserError: An argument names a grader in a way that cannot be replaced.
    """
    changed = dict(arguments)
    for key, parameter in inspect.signature(factory).parameters.items():
        value = arguments.get(key, parameter.default)
        if not names_grader(key, value, earlier):
            continue
        if isinstance(value, list | tuple):
            changed[key] = [grader]
        elif value is None or isinstance(value, str | Model) or _is_model(value):
            changed[key] = grader
        elif isinstance(value, Mapping):
            raise UserError(f"'{key}' cannot be given the grader {grader}. Leave --model out.")
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


def _is_model(value: Any) -> bool:
    """Whether an argument was a model, which logs keep as a mapping."""
    return isinstance(value, Mapping) and "model_args" in value
