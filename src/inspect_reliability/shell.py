"""Words of a command as they are typed into the shell of this machine."""

import os
import re
import shlex
from collections.abc import Iterable
from subprocess import list2cmdline

_PLAIN = re.compile(r"[\w@%+=:,./\\~-]+")
"""What cmd.exe takes as it is."""

WORD = r"""(?:'[^']*'|"[^"]*"|[^\s'"])+"""
"""Pattern of a word as it is typed."""


def quote(word: str) -> str:
    """A word as it is typed: in single quotes where a shell needs them, on Windows in double."""
    if os.name != "nt":
        return shlex.quote(word)
    typed = list2cmdline([word])
    return typed if _PLAIN.fullmatch(word) or typed.startswith('"') else f'"{typed}"'


def join(words: Iterable[str]) -> str:
    """Several words as they are typed."""
    return " ".join(map(quote, words))


def without(typed: str, *options: str) -> str:
    """What was typed, without these options and their values."""
    return re.sub(rf" --(?:{'|'.join(options)}) {WORD}", "", typed)


def split(typed: str) -> list[str]:
    """The words of what `join` made."""
    if os.name != "nt":
        return shlex.split(typed)
    return [word.strip('"') for word in shlex.split(typed, posix=False)]
