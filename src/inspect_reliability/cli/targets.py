"""What the commands write: whatever it would replace of the user's is refused before they begin."""

import os
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import wraps
from pathlib import Path
from typing import Any

import click

from ..errors import UserError, reason
from ..saving import place

_IN_FOLDERS = (".eval", ".json")
"""Endings of what the commands read from folders."""


class Target(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.3
    """A file to write, or a folder for files."""

    name = "target"

    def __init__(
        self,
        endings: Collection[str],
        files: Callable[[], Iterable[str]] | None,
        always: Collection[str],
    ) -> None:
        """Set the endings that a file may have, and the names of the files in a folder."""
        self.endings, self.files, self.always = tuple(endings), files, always

    def written(self, path: str) -> list[str]:
        """Paths of the files that are written there."""
        return [path] if self.files is None else [os.path.join(path, one) for one in self.files()]


def writes(
    option: str,
    *,
    help: str,
    endings: Collection[str] = (),
    files: Callable[[], Iterable[str]] | None = None,
    always: Collection[str] = (),
    **more: Any,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """An option for what a command writes.

    Before the command begins, this refuses to replace anything that it reads, another of its
    outputs, and whatever is no regular file.

    Args:
        option: Its name.
        help: What it is for.
        endings: A file's name has one of these.
        files: For a folder: names of the files in it, as far as they are known.
        always: Those that are written each time. Where they are missing, files of the other names
            are the user's.
        more: Further arguments of `click.option`.
    """
    target = Target(endings, files, always)
    form = "FILE" if files is None else "FOLDER"

    def add(command: Callable[..., None]) -> Callable[..., None]:
        @click.option(option, type=target, metavar=form, help=help, **more)
        @wraps(command)
        def run(*args: Any, **options: Any) -> None:
            params = click.get_current_context().params
            for key, name, _ in _outputs():
                if name == option and (path := params[key]) is not None:
                    _refuse_kind(option, path, target)
                    refuse_to_replace(option, target.written(path))
            command(*args, **options)

        return run

    return add


def refuse_to_replace(option: str, files: Iterable[str]) -> None:
    """Refuse files that the command reads, that another option writes, and devices and folders.

    Raises:
        UserError: One of the files to write is such a file; the message names it.
    """
    there: dict[object, str] = {}
    params, outputs = click.get_current_context().params, [*_outputs()]
    others = {
        _identity(one): name
        for key, name, target in outputs
        if name != option and (path := params[key]) is not None
        for one in (path, *target.written(path))
    }
    for file in files:
        if mode := _mode(file):
            there[_identity(file)] = file
            if not stat.S_ISREG(mode):
                what = "a folder" if stat.S_ISDIR(mode) else "a device or a pipe"
                raise UserError(f"{option} cannot write {file}: it is {what}. Name a file.")
        if other := others.get(_identity(file)):
            raise UserError(f"{option} and {other} would both write {file}. Name two places.")
    given = [value for key, value in params.items() if key not in {key for key, *_ in outputs}]
    for source in _sources(given) if there else ():
        if known := there.get(_identity(source)):
            raise UserError(
                f"{option} would replace {known}, which this command reads. Name another place."
            )


def same_file(one: str, other: str) -> bool:
    """Whether two paths lead to one file."""
    return _identity(one) == _identity(other)


def _refuse_kind(option: str, path: str, target: Target) -> None:
    """Refuse a folder that is none, and a file whose name has another ending."""
    if not path:
        raise UserError(f"The path is empty. Name a place after {option}.")
    mode = _mode(path)
    if target.files is not None:
        if mode and not stat.S_ISDIR(mode):
            raise UserError(f"{path} is a file. Name a folder: {option} FOLDER")
        there = {*os.listdir(path)} if mode else set()
        if (known := there.intersection(target.files())) and not there.issuperset(target.always):
            raise UserError(
                f"{path} has a file {min(known)}, which {option} did not write and would replace. "
                "Name another folder."
            )
        return
    here = _local(path)
    # A link stays a link: what it leads to is written.
    for name in (path, os.path.realpath(here or "x") if here else path):
        if target.endings and not name.lower().endswith(target.endings):
            raise UserError(
                f"{option} writes a file whose name ends in {' or '.join(target.endings)}, and "
                f"{name} does not. Name another file."
            )


def _outputs() -> Iterator[tuple[str, str, Target]]:
    """The command's options for what it writes: parameter, name and type."""
    for one in click.get_current_context().command.params:
        if isinstance(one.type, Target):
            yield str(one.name), one.opts[0], one.type


def _sources(value: Any) -> list[str]:
    """Every file that a value of an option may name: itself, a part of it, or one in its folder."""
    if isinstance(value, Mapping):
        value = [*value, *value.values()]
    if isinstance(value, list | tuple):
        return [one for part in value for one in _sources(part)]
    if not isinstance(value, str | Path):
        return []
    text = os.path.expanduser(value)
    found = ((above, name) for above, _, names in os.walk(text) for name in names)
    inside = [os.path.join(*one) for one in found if one[1].endswith(_IN_FOLDERS)]
    # Code is named FILE.py@NAME, a model PROVIDER/FILE.
    return [text, text.rpartition("@")[0], text.partition("/")[2], *inside]


def _local(path: str) -> str | None:
    """A path on this machine; None of another place."""
    if "://" not in path:
        return path
    try:
        _, found, local = place(path)
    except Exception:  # each kind of place has its own; whoever reads it says what is wrong
        return None
    return found if local else None


def _mode(path: str) -> int:
    """What a path leads to, in the bits of `stat`; 0 if nothing is there, or it is elsewhere."""
    if (here := _local(path)) is None:
        return 0
    try:
        return os.stat(here).st_mode
    except FileNotFoundError:
        return 0
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be written: {reason(error)}. Name another place.") from None


def _identity(path: str) -> object:
    """What two spellings of a path have in common, links included."""
    if (here := _local(path)) is None:
        return path
    try:
        found = os.stat(here)
        return found.st_dev, found.st_ino
    except (OSError, ValueError):  # nothing is there yet: no name may differ in case alone
        return os.path.realpath(here).casefold() if "\0" not in here else path
