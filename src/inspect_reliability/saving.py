"""Writes files whole or not at all, and never over a file of somebody else.

What is slow to import is imported where it is used: most commands write nothing.
"""

import errno
import os
import re
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from glob import escape
from hashlib import blake2b, file_digest
from itertools import count
from pathlib import Path
from socket import gethostname
from tempfile import TemporaryDirectory, gettempdir

from .errors import UserError, reason
from .files import place, reached

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Errors of a place that has no room."""

_NUMBERS = count()

_LIST = ".inspect-reliability"
"""A hidden file in a folder of several files: the digest of each that was ever written there."""

_HEADING = (
    "What inspect-reliability wrote here, by SHA-256. It replaces nothing else in this folder."
)


def free_name(name: str, taken: Iterable[str]) -> str:
    """The name of a new file, with a number before its ending where files that are `taken` have it.

    Large and small letters are one, as on many disks.
    """
    stem, ending = os.path.splitext(name)
    known = {Path(one).name.lower() for one in taken}
    names = (f"{stem}{-n or ''}{ending}" for n in (0, *range(2, len(known) + 3)))
    return next(one for one in names if one.lower() not in known)


@dataclass(frozen=True)
class Ours:
    """A kind of file that we write, and how one is known.

    Attributes:
        name: What it is, in words.
        made: Whether a file of this machine is one.
        stays: Why one that people worked in is not replaced, after its name; "" for any other.
    """

    name: str
    made: Callable[[Path], bool]
    stays: Callable[[Path], str] = lambda _: ""


def refuse_others(location: str | Path, ours: Ours) -> None:
    """Refuse a place where there is a file that is not ours, or that is protected.

    Raises:
        UserError: There is such a file.
    """
    files, path, local = place(location)
    with nullcontext() if local else reached(location):
        if not files.exists(path):
            return
    if local and not os.access(path, os.W_OK):
        raise UserError(f"{location} is protected: nothing may write to it. Name another place.")
    why = f"exists, and is no {ours.name}. Name another place."
    with suppress(Exception), ExitStack() as stack:  # what cannot be read is not ours
        here = Path(path)
        if not local:
            here = Path(stack.enter_context(TemporaryDirectory()), here.name)
            files.get_file(path, str(here))
        if ours.made(here):
            return
        why = ours.stays(here) or why
    raise UserError(f"{location} {why}")


def refuse_others_in(folder: str | Path, names: Iterable[str]) -> None:
    """Refuse a folder in which one of these files is not as `whole_folder` left it.

    Raises:
        UserError: There is such a file, or the folder is on another machine.
    """
    if others := _others(_here(folder), names):
        raise UserError(
            f"{folder} has a file {others[0]}, which was not written here, or was changed since. "
            "It would be replaced: name another folder."
        )


@contextmanager
def whole(location: str | Path, ours: Ours) -> Iterator[Path]:
    """A local file to write; once it is whole, it gets its place, local or a URL.

    Creates its folder if necessary. If writing fails, the earlier file stays.

    Args:
        location: The place.
        ours: What is written; anything else that is there by now stays.

    Raises:
        UserError: It cannot be written, or would replace a file that is not ours.
    """
    with _told(location), ExitStack() as stack:
        _, path, local = place(location)
        if local:
            path = os.path.realpath(path)  # a link stays a link
            part = Path(f"{path}.{_own()}")
            part.parent.mkdir(parents=True, exist_ok=True)
            _sweep(part.parent, f"{Path(path).name}.")
        else:
            part = Path(stack.enter_context(TemporaryDirectory()), "part")
        try:
            yield part
            refuse_others(location, ours)
            if local:
                part.replace(path)
            else:
                _send(part, location)
        except BaseException:
            with suppress(OSError):
                part.unlink()
            raise


def _send(part: Path, location: str | Path) -> None:
    """Bring a whole file to its place elsewhere."""
    files, path, _ = place(location)
    unfinished = f"{path}.{_own()}"
    with reached(location):
        files.makedirs(files._parent(path), exist_ok=True)
        try:
            files.put_file(str(part), unfinished)
            files.mv(unfinished, path)
        except Exception:
            with suppress(Exception):
                files.rm(unfinished)
            raise


@contextmanager
def whole_folder(location: str | Path, ours: Collection[str] = ()) -> Iterator[Path]:
    """A local folder for new files; once all are whole, they move into another folder.

    Other files there stay. Of `ours`, those that we wrote and do not write again are removed.

    Raises:
        UserError: It cannot be written, or would replace a file that is not ours.
    """
    with _told(location):
        folder = _here(location)
        folder.mkdir(parents=True, exist_ok=True)
        _sweep(folder)
        part = folder / _own()
        part.mkdir()
        try:
            yield part
            new = {name: _digest(part / name) for name in os.listdir(part)}
            refuse_others_in(location, new)
            gone = {*ours} - {*new, *_others(folder, ours)}
            # Before any file moves: a process that is killed leaves no file of unknown origin.
            _note(folder, new.values())
            for name in new:
                (part / name).replace(folder / name)
            for name in gone:
                (folder / name).unlink(missing_ok=True)
        finally:
            shutil.rmtree(part, ignore_errors=True)


def _here(location: str | Path) -> Path:
    _, path, local = place(location)
    if not local:
        raise UserError(f"{location} is on another machine. Name a folder of this one.")
    return Path(path)


def _others(folder: Path, names: Iterable[str]) -> list[str]:
    """Those files among `names` in a folder that are not as we wrote them."""
    there = [name for name in sorted(names) if os.path.lexists(folder / name)]
    known = _noted(folder) if there else set()
    return [name for name in there if _digest(folder / name) not in known]


def _digest(file: Path) -> str:
    if not file.is_file():
        return ""
    with file.open("rb") as content:
        return file_digest(content, "sha256").hexdigest()


def _noted(folder: Path) -> set[str]:
    """Digests of the files that were written into a folder."""
    file = folder / _LIST
    if not os.path.lexists(file):
        return set()
    heading, *found = file.read_text(encoding="utf-8", errors="replace").split("\n")
    if heading != _HEADING:
        raise UserError(f"{file} was not written here. Name another folder.")
    return {*found}


def _note(folder: Path, digests: Iterable[str]) -> None:
    """Add digests to those of a folder: the list only grows, so processes never lose a line."""
    file = folder / _LIST
    lines = sorted({*digests} - _noted(folder))
    text = "".join(f"\n{one}" for one in lines)
    with file.open("a", encoding="utf-8") as more:
        more.write(text if os.path.getsize(file) else _HEADING + text)


def _own() -> str:
    """A name that no other process writes under."""
    return f"{gethostname()}-{os.getpid()}-{next(_NUMBERS)}.part"


def _sweep(folder: Path, prefix: str = "") -> None:
    """Remove what processes of this machine were writing when they were killed."""
    form = re.compile(re.escape(f"{prefix}{gethostname()}-") + r"(\d+)-\d+\.part")
    for left in folder.glob(f"{escape(prefix)}*.part"):
        if (found := form.fullmatch(left.name)) and not _runs(int(found[1])):
            shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)


def _runs(process: int) -> bool:
    """Whether there is such a process; not known elsewhere than on POSIX."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is another user's
        return True
    return True


@contextmanager
def _told(location: str | Path) -> Iterator[None]:
    try:
        yield
    except UserError:
        raise
    except (OSError, ValueError) as error:
        room = "Make room, or name" if getattr(error, "errno", None) in FULL else "Name"
        raise UserError(
            f"{location} cannot be written: {reason(error)}. {room} another place."
        ) from None


def write_text(location: str | Path, text: str, ours: Ours) -> None:
    """Write a text as a whole file."""
    with whole(location, ours) as part:
        part.write_bytes(text.encode())


@contextmanager
def alone(location: str | Path) -> Iterator[None]:
    """Keep other processes of this machine from writing to the same place, local or a URL.

    The operating system releases the lock of a killed process.

    Raises:
        UserError: Another process writes there, or it cannot be written.
    """
    from filelock import FileLock, Timeout

    try:
        file = beside(location, ".lock")
        if os.path.lexists(file) and os.path.getsize(file):  # ours are empty
            raise UserError(f"{file} is in use for something else. Name another place.")
        lock = FileLock(file, blocking=False)
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
    except UserError:
        raise
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
