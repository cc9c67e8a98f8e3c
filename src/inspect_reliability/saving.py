"""Writes files whole or not at all, one process at a time.

What is slow to import is imported where it is used: most commands write nothing.
"""

import ctypes
import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from glob import escape, glob
from hashlib import blake2b
from itertools import count
from pathlib import Path
from socket import gethostname
from tempfile import gettempdir
from typing import TYPE_CHECKING

from .errors import UserError, reason

if TYPE_CHECKING:
    import fsspec

_EXCHANGE, _HERE = 2, -100
"""Flags of Linux's `renameat2`."""
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
        part = _part(path)
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
    """A local folder for new files; once all are whole, they replace those of another folder.

    Other files there stay, except `ours`. If there are no others and the system can, all files
    change in one step; otherwise one after another, as in a mounted folder.

    Raises:
        UserError: It cannot be written.
    """
    with _told(location):
        path = os.path.realpath(location)
        above = os.path.dirname(path)
        os.makedirs(above, exist_ok=True)
        closed = os.path.ismount(path) or not os.access(above, os.W_OK)
        part = _part(os.path.join(path, "new") if closed else path)
        os.makedirs(part)
        try:
            yield Path(part)
            _takeplace(Path(part), Path(path), {*ours})
        finally:
            shutil.rmtree(part, ignore_errors=True)


@contextmanager
def _told(location: str | Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        raise UserError(
            f"{location} cannot be written: {reason(error)}. Make room, or name another place."
        ) from None


def _part(path: str) -> str:
    """A name that no other process writes under; leftovers of killed processes are removed."""
    import psutil  # type: ignore[import-untyped]

    own = f"{path}.{gethostname()}-"
    for left in glob(f"{escape(own)}*.part"):
        number, *rest = left.removeprefix(own).split("-")
        # The name of another machine may begin with that of this one.
        if len(rest) == 1 and number.isdecimal() and not psutil.pid_exists(int(number)):
            with suppress(OSError):
                shutil.rmtree(left) if os.path.isdir(left) else os.remove(left)
    return f"{own}{os.getpid()}-{next(_NUMBERS)}.part"


def _takeplace(part: Path, folder: Path, ours: set[str]) -> None:
    new = {*os.listdir(part)}
    try:
        part.rename(folder)
    except OSError:  # unless it is missing or empty
        if {*os.listdir(folder)} <= new | ours and _exchanged(part, folder):
            return
        for name in new:
            (part / name).replace(folder / name)
        for name in ours - new:
            (folder / name).unlink(missing_ok=True)


def _exchanged(part: Path, folder: Path) -> bool:
    """Exchange two folders in one step; false if impossible, as for a working directory."""
    shutil.copymode(folder, part)
    exchange = getattr(ctypes.CDLL(None), "renameat2", None) if os.name == "posix" else None
    if exchange is None or Path.cwd().is_relative_to(folder):
        return False
    names = os.fsencode(part), os.fsencode(folder)
    return bool(exchange(_HERE, names[0], _HERE, names[1], _EXCHANGE) == 0)


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
