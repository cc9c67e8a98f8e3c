"""Text from logs and models, made harmless for terminals and tables."""

import re
import unicodedata

_HARMLESS = "\n\t"


def printable(text: str, limit: int | None = None) -> str:
    r"""Escape characters that would act on a terminal or a page.

    Control characters (ANSI escapes, bells, backspaces), characters that turn the direction of
    writing, and lone surrogates become escapes such as `\x1b`.

    Args:
        text: Any text.
        limit: Characters kept; the rest is counted.
    """
    shown = text if limit is None else text[:limit]
    harmless = shown.translate({ord(character): _shown(character) for character in {*shown}})
    left = len(text) - len(shown)
    return f"{harmless} [... {left:,} more characters]" if left else harmless


def one_line(text: str) -> str:
    """The same on one line."""
    return " ".join(printable(text).split())


def slug(text: str) -> str:
    """A text as the name of a file or label: `my-judge-bbh-temperature-0.5`."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-.")


def _shown(character: str) -> str:
    if character in _HARMLESS or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co"):
        return character
    if ord(character) < 128:
        return f"\\x{ord(character):02x}"
    return character.encode("ascii", "backslashreplace").decode()
