"""Files that we write: whole or not at all, and by one process at a time."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from tempfile import gettempdir

import fsspec
from filelock import FileLock, Timeout
from fsspec.implementations.local import LocalFileSystem

from .errors import UserError, reason


@contextmanager
def whole(location: str | Path) -> Iterator[str]:
    """A name to write a file under, local or a URL; the file gets its own name once it is whole.

    Its folder is made if need be. Where writing fails, what was there before stays.

    Raises:
        UserError: It cannot be written.
    """
    try:
        files, path = _place(location)
        local = isinstance(files, LocalFileSystem)
        path = os.path.realpath(path) if local else path  # a link stays a link
        part = f"{path}.part"
        files.makedirs(files._parent(path), exist_ok=True)
        with suppress(FileNotFoundError):
            files.rm(part)  # of a process that was killed
        try:
            yield part if local else f"{location}.part"
            (os.replace if local else files.mv)(part, path)
        except BaseException:
            with suppress(Exception):
                files.rm(part)
            raise
    except UserError:
        raise
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

    The operating system releases the lock of a process that was killed.

    Raises:
        UserError: Another process writes there, or it cannot be written.
    """
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
        Path(lock.lock_file).unlink(missing_ok=True)
        lock.release()


def beside(location: str | Path, ending: str) -> Path:
    """A local file beside another one; of a remote one in the folder of temporary files."""
    files, path = _place(location)
    if isinstance(files, LocalFileSystem):
        return Path(path.rstrip("/") + ending)
    name = blake2b(str(location).encode(), digest_size=8).hexdigest()
    return Path(gettempdir(), f"inspect-reliability-{name}{ending}")


def _place(location: str | Path) -> tuple[fsspec.AbstractFileSystem, str]:
    found: tuple[fsspec.AbstractFileSystem, str] = fsspec.core.url_to_fs(str(location))
    return found
