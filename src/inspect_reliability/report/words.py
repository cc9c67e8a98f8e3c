"""What a reader is told: the cautions of `cautions.md`, and what `sentences.md` has of results."""

from typing import Any

from ..declared_pages import parts

_WORDS = {
    name: text
    for page in ("cautions.md", "sentences.md")
    for name, (text,) in parts(__package__, page).items()
}


def words(name: str, /, **found: Any) -> str:
    """A sentence by its name, with what was found in place of its braces."""
    return _WORDS[name].format(**found)
