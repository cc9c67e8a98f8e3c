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
