"""Writes files whole or not at all, one process at a time.

What is slow to import is imported where it is used: most commands write nothing.
"""

import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from itertools import count
from pathlib import Path
from socket import gethostname
from tempfile import gettempdir
from typing import TYPE_CHECKING

from .errors import UserError, reason

if TYPE_CHECKING:
    import fsspec

_NUMBERS = count()


@contextmanager
def whole(location: str | Path) -> Iterator[str]:
    """A temporary name for a file, local or a URL; the finished file gets its own name.

    Creates its folder if necessary. If writing fails, the earlier file stays.

    Raises:
        UserError: It cannot be written.
    """
    with _told(location):
        files, path, local = place(location)
        path = os.path.realpath(path) if local else path  # a link stays a link
        part = f"{path}.{_own()}"
        files.makedirs(files._parent(path), exist_ok=True)
        try:
            yield part if local else f"{location}{part.removeprefix(path)}"
            (os.replace if local else files.mv)(part, path)
        except BaseException:
            with suppress(Exception):
                files.rm(part)
            raise


@contextmanager
def whole_folder(location: str | Path, ours: Collection[str] = ()) -> Iterator[Path]:
    """A local folder for new files; once all are whole, they move into another folder.

    Other files there stay, except `ours`.

    Raises:
        UserError: It cannot be written.
    """
    with _told(location):
        folder = Path(location)
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / _own()
        part.mkdir()
        try:
            yield part
            new = {*os.listdir(part)}
            for name in new:
                (part / name).replace(folder / name)
            for name in {*ours} - new:
                (folder / name).unlink(missing_ok=True)
        finally:
            shutil.rmtree(part, ignore_errors=True)


def _own() -> str:
    """A name that no other process writes under."""
    return f"{gethostname()}-{os.getpid()}-{next(_NUMBERS)}.part"


@contextmanager
def _told(location: str | Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        raise UserError(
            f"{location} cannot be written: {reason(error)}. Make room, or name another place."
        ) from None


def write_text(location: str | Path, text: str) -> None:
    """Write a text as a whole file."""
    with whole(location) as part:
        Path(part).write_bytes(text.encode())


@contextmanager
def alone(location: str | Path) -> Iterator[None]:
    """Keep other processes of this machine from writing to the same place, local or a URL.

    The operating system releases the lock of a killed process.

    Raises:
        UserError: Another process writes there, or it cannot be written.
    """
    from filelock import FileLock, Timeout

    try:
        lock = FileLock(beside(location, ".lock"), blocking=False)
        lock.acquire()
    except Timeout:
        if not Path(lock.lock_file).exists():
            raise UserError(
                f"{location} cannot be written: no file can be made there. Name another place."
            ) from None
        raise UserError(
            f"Another process is writing to {location}. Wait until it ends, or name another place."
        ) from None
    except NotImplementedError:  # a file system without locks
        yield
        return
    except (OSError, ValueError) as error:
        raise UserError(
            f"{location} cannot be written: {reason(error)}. Name another place."
        ) from None
    try:
        yield
    finally:
        with suppress(OSError):  # of a folder that is gone
            Path(lock.lock_file).unlink()
        lock.release()


def beside(location: str | Path, ending: str) -> Path:
    """A local file beside another; for a remote one, in the folder of temporary files."""
    _, path, local = place(location)
    if local:
        return Path(path.rstrip("/") + ending)
    name = blake2b(str(location).encode(), digest_size=8).hexdigest()
    return Path(gettempdir(), f"inspect-reliability-{name}{ending}")


def place(location: str | Path) -> "tuple[fsspec.AbstractFileSystem, str, bool]":
    """The file system of a place, its path there, and whether that is on this machine."""
    import fsspec
    from fsspec.implementations.local import LocalFileSystem

    files, path = fsspec.core.url_to_fs(str(location))
    return files, path, isinstance(files, LocalFileSystem)
