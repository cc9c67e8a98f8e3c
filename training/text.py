"""The lines and words of which the training text is made, from `text.txt`."""

import re
from pathlib import Path

_TEXT = Path(__file__).with_name("text.txt").read_text(encoding="utf-8")
_PARTS = re.split(r"^== (.+) ==$", _TEXT, flags=re.MULTILINE)[1:]

LINES: dict[str, tuple[str, ...]] = {
    name: tuple(lines.strip("\n").split("\n"))
    for name, lines in zip(_PARTS[::2], _PARTS[1::2], strict=True)
}
"""Section -> its lines: patterns of sentences, whose `{slots}` take words of a scene."""

WORDS = {
    name.removeprefix("words: "): tuple(" ".join(lines).split())
    for name, lines in LINES.items()
    if name.startswith("words: ")
}
TOPICS = [line.split() for line in LINES["topics"]]
GRAMMAR = {name: LINES[name] for name in ("fact", "clause", "np", "vp", "pp", "unsure", "sure")}
"""Patterns of the slots that are phrases themselves."""

GRAMMAR["fact"] += ("{clause}",) * 2 * len(GRAMMAR["fact"])
