"""A judge's output while it is read."""

import re
from typing import NamedTuple

from . import wordings as say

_BEFORE = 100
"""Characters before a verdict in which its announcement begins."""

_MOST_WORDS = 14
_BREAK = re.compile(
    r"[.!?。！？;,()\[{\n:]\s*|\*\*|<|\s[-–—]+\s|\b(?:but|however|although|while)\b"
)
_INSERTED = re.compile(r",[^,.;:\n]{1,40},\s*$")
_CLAUSE = re.compile(r"\b(?:because|since|that|which|who|whereas|where|so|and)\b")
_DECORATION = re.compile(r"[_*\"`~#<>/\[\]{}|\\]+|(?<!\w)['-]|['-](?!\w)|\s+")
_SENTENCE = re.compile(r"[.!?;]\s")
_FINAL = re.compile(say.FINAL)
_NOT = re.compile(say.NOT)


class Claim(NamedTuple):
    """Verdicts that an output announces in one place.

    Attributes:
        start: Where the announcement is.
        verdicts: The verdicts; several where it names several ("A and B").
        how: How it is announced, as `Reading.how`.
    """

    start: int
    verdicts: tuple[str, ...]
    how: str


class Lead(NamedTuple):
    """What leads to a verdict, back to the last break in its sentence.

    Attributes:
        phrase: Its words in lower case.
        cut: The break: a bracket, a mark, or nothing.
    """

    phrase: str
    cut: str

    @property
    def clause(self) -> str:
        """The last clause of the phrase."""
        return _CLAUSE.split(self.phrase)[-1]

    @property
    def denies(self) -> bool:
        """Whether the phrase says what the verdict is not."""
        return len(self.phrase.split()) > _MOST_WORDS or _NOT.search(self.phrase) is not None


class Output:
    """The text of an output, with a lower-case twin in which words are looked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        low = text.lower()
        if len(low) != len(text):  # a few letters become two
            low = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
        self.low = low

    def near(self, place: int) -> str:
        """What comes before a place, in lower case."""
        return self.low[max(0, place - _BEFORE) : place]

    def lead(self, place: int) -> Lead:
        """What leads to a place."""
        raw = self.text[max(0, place - _BEFORE) : place]
        if raw.rstrip().endswith(","):
            raw = _INSERTED.sub(" ", raw)
        raw = raw.rstrip(" \t*_\"'`")
        *_, cut = None, *_BREAK.finditer(raw)
        return Lead(simple(raw[cut.end() :]), cut[0].strip()) if cut else Lead(simple(raw), "")

    def line_before(self, place: int) -> str:
        """The words of the line that ends at a place."""
        return simple(self.text[self.text.rfind("\n", max(0, place - _BEFORE), place) + 1 : place])

    def is_final(self, place: int) -> bool:
        """Whether the sentence so far, or the title above, says that this is the last word."""
        above, _, line = self.text[max(0, place - _BEFORE) : place].rpartition("\n")
        if _FINAL.search(simple(_SENTENCE.split(line)[-1])):
            return True
        title = above.rstrip().rpartition("\n")[2]
        is_title = title.endswith((":", "*")) or title.startswith("#")
        return is_title and len(title) <= 50 and _FINAL.search(simple(title)) is not None


def simple(phrase: str) -> str:
    """A phrase in lower case, without decoration."""
    return _DECORATION.sub(" ", phrase).strip().lower()
