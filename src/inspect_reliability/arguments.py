"""Does an argument have the type that the signature of its function names?"""

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from importlib import import_module
from inspect import signature
from math import isfinite
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from .errors import UserError

_LONGEST = 40
"""Characters of a value above which only its type is named."""

_ONE_AND_MORE = {
    str: ("a string", "strings"),
    bool: ("True or False", "True or False"),
    int: ("a whole number", "whole numbers"),
    float: ("a number", "numbers"),
    Path: ("a path", "paths"),
    Any: ("a value", "names"),
}

_AS_IN = {
    "by": 'by="judge"',
    "cascade": 'cascade=["mini", "large"]',
    "columns": 'columns={"score": "verdict"}',
    "family": 'family=[("gpt-5.4", "gpt-5.4-mini")]',
    "half_widths": "half_widths=[0.05, 0.1]",
    "least": 'least={"accuracy": 0.8}',
    "map": 'map={"yes": "1"}',
    "most": 'most={"non_response_rate": 0.05}',
    "names": 'names=["omega"]',
    "reading": 'reading=ir.Reading(abstain=["tie"])',
    "price": 'price={"gpt-5.4": 0.02}',
    "votes": "votes=[1, 3, 5]",
}
"""Argument -> an example, where its type alone does not show what is wanted."""


def refuse_other_types(function: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Refuse arguments of other types than a function names; those it names elsewhere pass.

    Raises:
        UserError: The message says which argument it is, what it is, and what to give.
    """
    for name, wanted in _types(function).items():
        if name not in given or _fits(given[name], wanted):
            continue
        example = _AS_IN.get(name) if not isinstance(wanted, type) else None
        raise UserError(
            f"{name} is {_said(given[name])}. Give {_wanted(wanted)}"
            f"{f', as in {example}' if example else ''}."
        )


@cache
def _types(function: Callable[..., Any]) -> dict[str, Any]:
    """Argument -> its type, of those that can be read where the function is."""
    names = vars(sys.modules[function.__module__])
    found = {}
    for one in signature(function).parameters.values():
        if one.kind is not one.VAR_KEYWORD and one.annotation is not one.empty:
            try:
                found[one.name] = _read(one.annotation, names)
            except (NameError, TypeError):  # what is imported for type checkers alone
                continue
    return found


def _read(annotation: Any, names: Mapping[str, Any]) -> Any:
    if not isinstance(annotation, str):
        return annotation
    frames = {"pd": import_module("pandas")} if "pd." in annotation else {}
    return eval(annotation, {**names, **frames})


@cache
def _parts(wanted: Any) -> tuple[Any, tuple[Any, ...]]:
    """What a type is made of, as Mapping of str and int."""
    return get_origin(wanted), get_args(wanted)


def _fits(value: Any, wanted: Any) -> bool:
    origin, parts = _parts(wanted)
    if origin in (Union, UnionType):
        return any(_fits(value, one) for one in parts)
    if origin is Literal:  # the function says which values it knows
        return any(isinstance(value, type(one)) for one in parts)
    if origin is Mapping:
        return isinstance(value, Mapping) and all(
            _fits(name, parts[0]) and _fits(of, parts[1]) for name, of in value.items()
        )
    if origin is tuple:
        return isinstance(value, tuple | list) and len(value) == len(parts)
    if origin in (Sequence, Collection):
        listed = isinstance(value, Sequence if origin is Sequence else Collection)
        return (
            listed
            and not isinstance(value, str | bytes | Mapping)
            and all(_fits(one, parts[0]) for one in value)
        )
    if origin is Callable:
        return callable(value)
    if wanted is float:
        return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
    if wanted is int:
        return isinstance(value, Integral) and not isinstance(value, bool)
    if wanted is bool:
        return isinstance(value, bool) or type(value).__name__ == "bool"  # that of numpy
    if wanted is Path:
        return isinstance(value, PathLike)
    return wanted is Any or not isinstance(wanted, type) or isinstance(value, wanted)


def _said(value: Any) -> str:
    """A value as Python writes it; its type where that is long."""
    text = repr(value)
    short = len(text) <= _LONGEST and "\n" not in text and " at 0x" not in text
    return text if short else _a(type(value).__name__)


def _a(name: str) -> str:
    return f"{'an' if name[0] in 'aeiouAEIO' else 'a'} {name}"


def _wanted(wanted: Any, several: bool = False) -> str:
    """What a type asks for, in words."""
    origin, parts = get_origin(wanted), get_args(wanted)
    if origin in (Union, UnionType):
        known = [one for one in parts if one not in (NoneType, Any)]
        if Path in known:
            known.remove(str)
        said = list(dict.fromkeys(_wanted(one, several) for one in known))
        return " or ".join(filter(None, (", ".join(said[:-1]), said[-1])))
    if origin is Literal:
        return " or ".join(f'"{one}"' if isinstance(one, str) else str(one) for one in parts)
    if origin is Mapping:
        return f"a dict from {_wanted(parts[0], True)} to {_wanted(parts[1], True)}"
    if origin is Callable:
        return "a function"
    if origin is tuple:
        return f"pairs of {_wanted(parts[0], True)}"
    if origin in (Sequence, Collection):
        return f"a list of {_wanted(parts[0], True)}"
    one, more = _ONE_AND_MORE.get(wanted, ("", ""))
    name = getattr(wanted, "__name__", "value")
    return (more if several else one) or (f"{name}s" if several else _a(name))
