"""Inspect logs as files: their places, forms, summaries and edits."""

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from zipfile import ZipFile

import fsspec
from inspect_ai.log import (
    EvalLog,
    EvalSampleSummary,
    list_eval_logs,
    read_eval_log,
    read_eval_log_sample_summaries,
)
from inspect_ai.model import ChatMessage, ModelUsage
from inspect_ai.scorer import Score
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from .errors import UserError, reason

_SHORT = 1_000
"""Characters of a text that inspect never shortens in a summary."""


def logs_below(folder: str) -> list[str]:
    """Logs in a folder and those below it, the newest first.

    Raises:
        UserError: They cannot be listed.
    """
    try:
        # Of a path as a URL, inspect would take "%20" and "#" for something else.
        return [info.name.removeprefix("file://") for info in list_eval_logs(folder)]
    except Exception as error:  # each kind of place has its own
        raise UserError(
            f"{folder} cannot be read: {reason(error)}. Check the path or address."
        ) from None


def read_log(location: str, header_only: bool = False) -> EvalLog:
    """Read an inspect log, or only its header.

    Raises:
        UserError: It cannot be read.
    """
    with reading(location):
        return read_eval_log(location, header_only=header_only, resolve_attachments="core")


@contextmanager
def reading(location: str) -> Iterator[None]:
    """Read in this block from a log, which may have changed since its header was read.

    Raises:
        UserError: It cannot be read.
    """
    try:
        yield
    except UserError:
        raise
    except Exception:  # a file can be broken in as many ways as there are bytes
        raise UserError(
            f"{location.removeprefix('file://')} cannot be read: it is truncated, or not an "
            "inspect log. Move it out of its folder and try again."
        ) from None


def has_edits(location: str) -> bool:
    """Whether people edited scores of a log file, which its summaries do not tell.

    Its samples are searched as bytes; a log that cannot be searched counts as not edited.
    """
    try:
        here = Path(location).is_file()
        with open(location, "rb") if here else fsspec.open(location) as file, ZipFile(file) as log:
            samples = (name for name in log.namelist() if name.startswith("samples/"))
            return any(b'"history":[{' in log.read(one) for one in samples)
    except Exception:  # whoever reads it says what is wrong with it
        return False


class _Written(BaseModel):
    """What judgments are made of, as a summary in a log has it."""

    model_config = ConfigDict(protected_namespaces=())

    id: int | str
    epoch: int
    input: str | list[ChatMessage]
    scores: dict[str, Score] | None = None
    model_usage: dict[str, ModelUsage] = Field(default_factory=dict)
    error: str | None = None
    started_at: str | None = None
    uuid: str | None = None

    @property
    def is_short(self) -> bool:
        """Whether inspect would shorten no text of it."""
        metadata = (score.metadata or {} for score in (self.scores or {}).values())
        texts = [one for known in metadata for one in known.values() if isinstance(one, str)]
        short = isinstance(self.input, str) and len(self.input) <= _SHORT
        return short and all(len(one) <= _SHORT and " ".join(one.split()) == one for one in texts)


_WRITTEN = TypeAdapter(list[_Written])

_EMPTY = EvalSampleSummary(id="", epoch=0, input="", target="", uuid="")


def read_summaries(location: str) -> list[EvalSampleSummary]:
    """The summaries of a log's samples, as inspect's `read_eval_log_sample_summaries` has them.

    They have only what judgments are made of; explanations and answers are as the log has them.
    inspect shortens texts when it writes a summary, and again at each reading, which takes most of
    the time. Here, only what is not short is shortened again. A log that is remote, unfinished,
    broken or no .eval is left to inspect.
    """
    with suppress(Exception):
        written = json.loads(read_member(location, "summaries.json"))
        found = {}
        for row, one in zip(written, _WRITTEN.validate_python(written), strict=True):
            known = (
                _EMPTY.model_copy(update=dict(one))
                if one.is_short
                else EvalSampleSummary.model_validate(row)
            )
            found[str(one.id), one.epoch] = known  # of a sample that was run again, the last counts
        return [*found.values()]
    return read_eval_log_sample_summaries(location)


def read_member(location: str, name: str) -> bytes:
    """A file in a local .eval log.

    Raises:
        Exception: It cannot be read, in as many ways as there are bytes.
    """
    with ZipFile(location) as log:
        return log.read(name)
