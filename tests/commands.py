"""Our commands and inspect's, run in the process of the test."""

import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from inspect_reliability.cli import main
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
    return tuple(found)


def read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a source be read once in each way, for tests of what commands do with what was read."""

    def known(given: Any, **ways: Any) -> Judgments:
        content = _content(given)
        if not content:
            return judgments_from(given, **ways)
        places = "" if isinstance(given, pd.DataFrame) else repr(given)
        asked = (content, places, repr(ways["reading"]))
        if asked not in _READ:
            _READ[asked] = judgments_from(given, **ways)
        return replace(_READ[asked], table=_READ[asked].table.copy())

    for module in ("judgments.given_labels", "ranking.report", "ranking.systems"):
        monkeypatch.setattr(f"inspect_reliability.{module}.judgments_from", known)
