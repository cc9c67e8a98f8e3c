"""Verdicts that differ only in what people type differently are one."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Mapping

from ..verdicts import NO_VERDICTS
from .chosen_responses import chosen_in
from .count import NUMBER


def plain_verdict(text: str) -> str:
    """A verdict without what people type differently; empty where nothing else is left."""
    plain = unicodedata.normalize("NFKC", chosen_in(text) or text).casefold()
    plain = re.sub(r"(?<=\w)[\s_\-–—]+(?=\w)", " ", plain)
    plain = plain.strip(_MARKS)
    while len(plain) > 1 and _QUOTES.get(plain[0]) == plain[-1]:
        plain = plain[1:-1].strip(_MARKS)
    return " ".join(plain.split())


_MARKS = " \t\n.!:;,*"

_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’"}


def spelled_alike(text: str, names: Collection[str]) -> list[str]:
    """The names that a text is, whatever its case and the marks around it."""
    plain = plain_verdict(text)
    return [one for one in names if plain and plain_verdict(one) == plain]


def other_spellings(
    times: Mapping[str, int], declared: Collection[str], meant: Collection[str]
) -> dict[str, str]:
    """Each verdict that has another spelling -> the one that is taken."""
    fixed = {*NO_VERDICTS, *declared, *meant}
    groups: dict[str, set[str]] = defaultdict(set)
    for text in (*times, *fixed):
        if not NUMBER.fullmatch(text):
            groups[plain_verdict(text) or text].add(text)
    found: dict[str, str] = {}
    for one in groups.values():
        if len(one) > 1 and len(one & fixed) < 2:
            best = min(one & fixed or one, key=lambda text: (-times.get(text, 0), text))
            found |= dict.fromkeys(one - {best}, best)
    return found
