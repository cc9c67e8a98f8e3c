"""The log to write: tried before the first call, never lost."""

import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from itertools import count
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import fsspec
from fsspec.implementations.local import LocalFileSystem
from inspect_ai.log import EvalLog, write_eval_log

from ..errors import UserError, reason
from ..log_files import format_of
from ..saving import alone, beside, whole
from .replications import Known, Output, Replication


class Target:
    """Place of a rejudged log, and of judgments since it was last written.

    Each new replication goes at once to a file beside the log, one JSON object per line. Writing
    the whole log removes that file.
    """

    def __init__(self, location: str, log: EvalLog, seed: int) -> None:
        self.location, self._log = location, log
        self._run = {"log": log.eval.eval_id, "base_seed": seed}
        self._unfinished = beside(location, ".unfinished")

    def known(self) -> dict[str, Known]:
        """Judgments by scorer that an earlier run could not write to the log.

        Raises:
            UserError: They belong to another log or another base seed.
        """
        found: dict[str, Known] = {}
        for entry in _lines(self._unfinished):
            try:
                run = {key: entry.pop(key) for key in self._run}
                scorer, output = entry.pop("scorer"), (entry.pop("sample"), entry.pop("epoch"))
                number, models = entry.pop("number"), frozenset(entry.pop("models"))
                one = Replication(**entry, models=models)
            except (AttributeError, KeyError, TypeError):
                continue  # somebody else's line
            if run != self._run:
                raise UserError(
                    f"{self._unfinished} has judgments of another log or another base seed "
                    f"({run['base_seed']}). Give the same --seed to go on with them, or name "
                    "another --output to begin anew."
                )
            found.setdefault(scorer, {}).setdefault(output, {})[number] = one
        return found

    def keep(self, scorer: str, output: Output, number: int, replication: Replication) -> None:
        """Put a replication on disk at once."""
        sample, epoch = output
        entry = self._run | {"scorer": scorer, "sample": sample, "epoch": epoch, "number": number}
        entry |= asdict(replication) | {"models": sorted(replication.models)}
        with self._unfinished.open("a", encoding="utf-8") as file:
            file.write(f"\n{json.dumps(entry)}\n")  # the line before may be half written

    def write(self, log: EvalLog) -> str:
        """Write the log, elsewhere if necessary, and return its place.

        Raises:
            UserError: It cannot be written anywhere; the replications stay on disk.
        """
        places = [self.location, *_elsewhere(Path(self.location).name)]
        reasons = []
        for place in places:
            try:
                with whole(place) as part:
                    write_eval_log(log, part, format=format_of(place))
            except Exception as error:  # what was paid for must not be lost
                reasons.append(f"{place} ({reason(error)})")
                continue
            return place
        raise UserError(
            f"The log cannot be written: {'; '.join(reasons)}. The judgments are in "
            f"{self._unfinished}: make room and run the same command again."
        )

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Reserve the target, a file or any URL that inspect can write, for this block.

        Judgments stay on disk until all of them are in the log.

        Raises:
            UserError: It cannot be written, or another process writes it.
        """
        where = self.location
        if not where.endswith((".eval", ".json")):
            raise UserError(
                f"{where} is no name of a log. Name a file that ends in .eval or .json."
            )
        with ExitStack() as stack:
            try:
                files, path = fsspec.core.url_to_fs(where)
                if files.isdir(path):
                    raise UserError(f"{where} is a folder. Name a file in it: --output FILE.eval")
                files.makedirs(files._parent(path), exist_ok=True)
                if isinstance(files, LocalFileSystem):
                    _refuse_full_disk(where, path, self._log)
                stack.enter_context(alone(where))
                self._try_out()
            except UserError:
                raise
            except Exception as error:
                raise UserError(
                    f"{where} cannot be written: {reason(error)}. Name another --output."
                ) from None
            yield

    def _try_out(self) -> None:
        """Write a sample log under another name, open the file of replications, and remove both."""
        files, path = fsspec.core.url_to_fs(f"{self.location}.part")
        few = self._log.model_copy(update={"samples": (self._log.samples or [])[:1]})
        write_eval_log(few, f"{self.location}.part", format=format_of(self.location))
        files.rm(path)
        self._unfinished.open("a").close()
        if not self._unfinished.stat().st_size:
            self._unfinished.unlink()

    def finish(self) -> None:
        """Remove the file of replications, since the log has all of them."""
        self._unfinished.unlink(missing_ok=True)


def _refuse_full_disk(location: str, path: str, log: EvalLog) -> None:
    source = Path(log.location.removeprefix("file://"))
    needed = 2 * source.stat().st_size if log.location and source.is_file() else 0
    free = shutil.disk_usage(Path(path).parent).free
    if free < needed:
        raise UserError(
            f"{location} needs about {needed / 1e6:,.0f} MB, and {free / 1e6:,.0f} MB are free. "
            "Make room, or name another --output."
        )


def _elsewhere(name: str) -> Iterator[str]:
    """Free names in folders that can most likely be written."""
    for folder in dict.fromkeys([Path.cwd(), Path(gettempdir()), Path.home()]):
        names = (folder / f"{n or ''}{name}" for n in count())
        yield str(next(file for file in names if not file.exists()))


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    try:
        text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
    except OSError:
        return  # `opened` says why
    for line in text.splitlines():
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            continue  # empty, or half written when the process was killed
