"""Commands as they are typed, in every shell."""

import os
import shlex

import pytest

from inspect_reliability import shell

WORDS = ["a.csv", "my file.csv", "yes=C", "a&b", "C:\\data\\x.csv", "it's", ""]


def test_a_shell_reads_the_words_that_were_joined() -> None:
    """The words of a command are those that the standard library reads out of it."""
    assert shlex.split(shell.join(WORDS)) == WORDS == shell.split(shell.join(WORDS))


def test_windows_has_double_quotes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Single quotes mean nothing to cmd.exe: what needs quotes has double ones."""
    monkeypatch.setattr(os, "name", "nt")
    typed = [shell.quote(word) for word in WORDS]
    assert typed == [
        "a.csv", '"my file.csv"', "yes=C", '"a&b"', "C:\\data\\x.csv", '"it\'s"', '""'
    ]  # fmt: skip
    assert shell.split(" ".join(typed)) == WORDS


@pytest.mark.parametrize("system", ["posix", "nt"])
def test_an_option_goes_with_its_value(system: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever its value has in it, the words beside it stay."""
    monkeypatch.setattr(os, "name", system)
    for value in filter(None, WORDS):
        typed = shell.join(["a b.csv", "--by", value, "--bylaw", "x", "--alpha", value, "--full"])
        kept = shell.join(["a b.csv", "--bylaw", "x", "--full"])
        assert shell.without(typed, "alpha", "by") == kept
