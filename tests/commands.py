"""Our commands and inspect's, run in the process of the test."""

import json
from dataclasses import replace
from typing import Any

from click.testing import CliRunner, Result

from inspect_reliability.cli import main
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
