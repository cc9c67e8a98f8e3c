"""What `inspect eval --epochs` is told about its cost."""

from types import SimpleNamespace
from typing import Any

import click
import pytest

from inspect_reliability.judging.cost import advise_on_epochs

TREE: Any = SimpleNamespace(api=SimpleNamespace(choices_follow_seeds=True))
SERVED: Any = SimpleNamespace(api=SimpleNamespace())


def told(capsys: pytest.CaptureFixture[str], model: Any, **options: Any) -> tuple[str, str]:
    """What is said before the run and at its end."""
    with click.Context(click.Command("eval-set")) as context:
        context.params = {"epochs": "100", "max_samples": None, "limit": None} | options
        advise_on_epochs(model, 27)
        before = capsys.readouterr().err
    return before, capsys.readouterr().err


def test_the_way_that_costs_less_is_named_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    """A run of many epochs is told once, when it has ended; one of few, or of a server, is not."""
    before, after = told(capsys, TREE)
    assert not before
    assert after.count("-T replications=100 instead of --epochs 100") == 1
    assert told(capsys, TREE, epochs="5") == ("", "")
    assert told(capsys, TREE, epochs=None) == ("", "")
    assert told(capsys, SERVED, max_samples=10) == ("", "")


@pytest.mark.parametrize(
    ("options", "suits"),
    [
        ({"max_samples": 100}, "2,700"),
        ({"max_connections": 10}, "2,700"),
        ({"max_samples": 10, "limit": "5"}, "500"),
        ({"max_samples": 10, "limit": "3-6"}, "400"),
        ({"max_samples": 2700}, None),
        ({"max_samples": 500, "limit": "5"}, None),
    ],
)
def test_few_samples_at_once_are_warned_of(
    options: dict[str, Any], suits: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before the run, with the number that lets all replications of all questions run together."""
    before, _ = told(capsys, TREE, **options)
    assert (f"use {suits}, so that all run together" in before) == bool(suits)
    assert bool(before) == bool(suits)


def test_nothing_is_said_outside_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    """Where inspect runs from Python, its options are not known."""
    advise_on_epochs(TREE, 27)
    assert capsys.readouterr().err == ""
