"""Our commands and inspect's, run in the process of the test."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from inspect_reliability.cli import main
from inspect_reliability.judgments.rows import has_judgments
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


_READ: dict[object, Judgments] = {}


def read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a file be read once in each way, for tests of what commands do with what was read."""

    def known(given: Any, **ways: Any) -> Judgments:
        places = given if isinstance(given, tuple | list) else ()
        paths = [one for one in places if isinstance(one, str | Path) and has_judgments(str(one))]
        texts = [(one, Path(one).read_bytes()) for one in paths if Path(one).is_file()]
        if not texts or len(texts) < len(given):
            return judgments_from(given, **ways)
        asked = repr((texts, ways["reading"]))
        if asked not in _READ:
            _READ[asked] = judgments_from(given, **ways)
        return replace(_READ[asked], table=_READ[asked].table.copy())

    for module in ("judgments.given_labels", "ranking.systems"):
        monkeypatch.setattr(f"inspect_reliability.{module}.judgments_from", known)
