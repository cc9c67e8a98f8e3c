"""Our commands and inspect's, run in the process of the test."""

import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from inspect_reliability.answers import Analysis, analyse
from inspect_reliability.cli import main
from inspect_reliability.judgments.given_labels import labelled_judgments
from inspect_reliability.judgments.sources import judgments_from
from inspect_reliability.judgments.table import Judgments
from inspect_reliability.showing.document import Document


def invoke(*arguments: object) -> Result:
    """Run a command; a traceback is a failure whatever the test."""
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def inspect(*arguments: object, **variables: str) -> Result:
    """Run a command of inspect with these environment variables."""
    from inspect_ai._cli.main import inspect as command  # takes a while to import

    runner = CliRunner(env=variables)
    return runner.invoke(command, [str(argument) for argument in arguments])


def full(document: Document) -> Document:
    """The document as `--full` prints it."""
    return replace(document, blocks=document.every)


def results(*arguments: object) -> dict[str, Any]:
    """What a command found, as JSON; it ended well."""
    done = invoke(*arguments, "--format", "json")
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def once(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which computes once what it returns for the same arguments."""
    known: dict[bytes, Any] = {}

    def same(*given: Any, **named: Any) -> Any:
        asked = pickle.dumps((given, named))
        if asked not in known:
            known[asked] = function(*given, **named)
        return known[asked]

    return same


_READ: dict[object, Judgments] = {}


def _content(given: Any) -> object:
    """What is in a data frame, files or folders, as a key; None of anything else."""
    if isinstance(given, pd.DataFrame):
        return pickle.dumps(given)
    places = given if isinstance(given, list | tuple) else [given]
    if not all(isinstance(one, str | Path) for one in places):
        return None
    found = []
    for place in (Path(str(one).removeprefix("file://")) for one in places):
        files = sorted(place.rglob("*")) if place.is_dir() else [place]
        found += [(str(place), one, one.read_bytes()) for one in files if one.is_file()]
    return tuple(found), repr(given)


def _known(read: Callable[..., Judgments]) -> Callable[..., Judgments]:
    """A function that reads judgments, which reads the same content in the same way once."""

    def known(given: Any, labels: Any = (), *, progress: Any = iter, **ways: Any) -> Judgments:
        both = () if isinstance(labels, list | tuple) and not labels else (labels,)
        contents = [_content(one) for one in (given, *both)]
        asked = (read.__name__, *contents, repr(ways))
        if None in contents or not contents[0]:
            return read(given, *both, progress=progress, **ways)
        if asked not in _READ:
            _READ[asked] = read(given, *both, progress=progress, **ways)
        return replace(_READ[asked], table=_READ[asked].table.copy())

    return known


_READERS: dict[Callable[..., Judgments], tuple[str, ...]] = {
    judgments_from: ("judgments.given_labels", "ranking.report", "ranking.systems"),
    labelled_judgments: ("answers.results", "answers.choose", "cli.options", "keeping.report"),
}
_ANALYSED: dict[bytes, Analysis] = {}
_ANALYSE = (
    *(f"cli.{name}" for name in ("card", "gate", "keep", "label", "plan", "report", "validate")),
    *("answers.choose", "answers.gate", "keeping.report"),
)
"""Modules that read, and that analyse what was read."""


def read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a source be read once in each way, for tests of what commands do with what was read.

    The same judgments are analysed once, whatever commands and forms tests ask for.
    """
    for read, modules in _READERS.items():
        for module in modules:
            monkeypatch.setattr(f"inspect_reliability.{module}.{read.__name__}", _known(read))

    def analyse_once(given: Any, by: Any = ()) -> Analysis:
        if not isinstance(given, Judgments):
            return analyse(given, by)
        asked = sha256(pickle.dumps((vars(given), by))).digest()
        if asked not in _ANALYSED:
            _ANALYSED[asked] = analyse(given, by)
        return _ANALYSED[asked]

    for module in _ANALYSE:
        monkeypatch.setattr(f"inspect_reliability.{module}.analyse", analyse_once)
