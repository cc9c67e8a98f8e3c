"""Where a path or address leads: one answer for what reads, what writes, and what guards both."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import UserError, reason

if TYPE_CHECKING:
    import fsspec

_HERE = re.compile("(?:file|local):(?://)?")
"""How an address of this machine begins."""


def local_path(location: str | Path) -> str | None:
    """A location as a path of this machine, without `file:` and `~`; None if it is elsewhere."""
    text = str(location)
    address = _HERE.match(text)
    if address is None and "://" in text:
        return None
    return os.path.expanduser(text[address.end() :] if address else text)


def place(location: str | Path) -> "tuple[fsspec.AbstractFileSystem, str, bool]":
    """The file system of a location, its path there, and whether that is on this machine.

    Raises:
        UserError: The location is unknown, or goes through another (`simplecache::s3://...`).
    """
    import fsspec  # slow to import
    from fsspec.implementations.local import LocalFileSystem

    if (here := local_path(location)) is not None:
        return LocalFileSystem(), os.path.abspath(here), True
    if "::" in str(location):
        raise UserError(f"{location} goes through another place (::). Name the place itself.")
    with reached(location):
        files, path = fsspec.core.url_to_fs(str(location))
    return files, path, False


@contextmanager
def reached(location: str | Path) -> Iterator[None]:
    """Say in words what goes wrong in this block at a place elsewhere: each kind has its errors.

    Raises:
        UserError: Anything went wrong.
    """
    try:
        yield
    except Exception as error:
        raise UserError(
            f"{location} cannot be reached: {reason(error)}. Check the address."
        ) from None
