"""What the commands write: whatever it would replace of the user's is refused before they begin."""

import os
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from ..errors import UserError, reason
from ..files import local_path
from ..saving import Ours, refuse_others, refuse_others_in, write_text
from ..showing import PAGE, render
from ..showing.document import Document
from ..showing.terminal import console, print_text

_IN_FOLDERS = (".eval", ".json")
"""Endings of what the commands read from folders."""


class Target(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.3
    """A file to write, or a folder for files."""

    name = "target"

    def __init__(
        self,
        endings: Collection[str],
        ours: Ours | None,
        files: Callable[[], Iterable[str]],
        logs: bool,
    ) -> None:
        """Set how a file ends and is known, or what a folder gets: files, or logs by inspect."""
        self.endings, self.ours, self.files, self.logs = tuple(endings), ours, files, logs

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder."""
        return self.ours is None

    def convert(self, value: str, *_: Any) -> str:
        """Return the path as everything after this takes it, without `file:` and `~`."""
        return value if (here := local_path(value)) is None else here

    def written(self, path: str) -> list[str]:
        """Paths of the files that are written there, as far as they are known."""
        return [os.path.join(path, one) for one in self.files()] if self.is_folder else [path]


def writes(
    option: str,
    *,
    help: str,
    endings: Collection[str] = (),
    ours: Ours | None = None,
    files: Callable[[], Iterable[str]] = tuple,
    logs: bool = False,
    **more: Any,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """An option for what a command writes; `refuse_outputs` checks it before the command begins.

    Args:
        option: Its name.
        help: What it is for.
        endings: A file's name has one of these.
        ours: How an earlier file is known; None for a folder.
        files: For a folder: names of the files in it, as far as they are known.
        logs: For a folder: whether inspect writes logs there, which replace nothing.
        more: Further arguments of `click.option`.
    """
    target = Target(endings, ours, files, logs)
    form = "FOLDER" if target.is_folder else "FILE"
    return click.option(option, type=target, metavar=form, help=help, **more)


def refuse_outputs() -> None:
    """Refuse every output that would replace what the command reads, or what is not ours.

    Nor may it be another output, or anything but a regular file.

    Raises:
        UserError: An output is refused; the message names it.
    """
    params = click.get_current_context().params
    for key, option, target in _outputs():
        if (path := params[key]) is not None:
            _refuse_kind(option, path, target)
            refuse_to_replace(option, target.written(path))
            if target.ours:
                refuse_others(path, target.ours)
            elif not target.logs:
                refuse_others_in(path, target.files())


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
    if target.is_folder:
        if mode and not stat.S_ISDIR(mode):
            raise UserError(f"{path} is a file. Name a folder: {option} FOLDER")
        if not target.logs and local_path(path) is None:
            raise UserError(f"{path} is on another machine. Name a folder of this one.")
        return
    here = local_path(path)
    # A link stays a link: what it leads to is written.
    for name in (path, os.path.realpath(here) if here else path):
        if not name.lower().endswith(target.endings):
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
    text = local_path(value) or str(value)
    found = ((above, name) for above, _, names in os.walk(text) for name in names)
    inside = [os.path.join(*one) for one in found if one[1].endswith(_IN_FOLDERS)]
    # Code is named FILE.py@NAME, a model PROVIDER/FILE.
    return [text, text.rpartition("@")[0], text.partition("/")[2], *inside]


def _mode(path: str) -> int:
    """What a path leads to, in the bits of `stat`; 0 if nothing is there, or it is elsewhere."""
    if (here := local_path(path)) is None:
        return 0
    try:
        return os.stat(here).st_mode
    except FileNotFoundError:
        return 0
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be written: {reason(error)}. Name another place.") from None


def _identity(path: str) -> object:
    """What two spellings of a path have in common, links included."""
    if (here := local_path(path)) is None:
        return path
    try:
        found = os.stat(here)
        return found.st_dev, found.st_ino
    except (OSError, ValueError):  # nothing is there yet: no name may differ in case alone
        return os.path.realpath(here).casefold() if "\0" not in here else path


def html_option(what: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The option for a page of `what`."""
    return writes(
        "--html",
        endings=[".html", ".htm"],
        ours=PAGE,
        help=f"Also write the {what} as one HTML page that works offline.",
    )


def write_page(file: str, document: Document) -> None:
    """Write a page, and say so. Its document names no folders: only the terminal does."""
    write_text(file, render(document, "html"), PAGE)
    print_text(console(stderr=True), f"Wrote {file}")
