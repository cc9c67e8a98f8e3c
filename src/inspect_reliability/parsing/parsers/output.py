"""A judge's output: as a person sees it, and while it is read."""

import re
import unicodedata
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from . import english as say
from .spelling import ALONE, Spelling

_THOUGHT = r"(?:think|thinking|thoughts?|reasoning|scratchpad)>|\[{0}THINK\]|◁{0}think▷"
_BEGIN = re.compile(
    "<" + _THOUGHT.format("") + r"|<\|channel\|>analysis<\|message\|>", re.IGNORECASE
)
_END = re.compile("</" + _THOUGHT.format("/") + r"|<\|channel\|>final<\|message\|>", re.IGNORECASE)
_MARKUP = re.compile(
    r"<\|[^|<>\n]{1,40}\|>"  # what some models end with
    r"|</?(b|i|u|s|p|em|strong|br|hr|span|div|h[1-6]|code|mark|font|center|li|ul|ol|pre)"
    r"(?:\s[^<>\n]{0,200})?/?>",
    re.IGNORECASE,
)
_CLOSED = re.compile(r"</(\w)>")
_LATEX = re.compile(
    r"\\(?:text\w{0,10}|math\w{0,10}|mbox|emph|bf|it)\s*\{([^{}\n]{0,80})\}|\\[()\[\],;:! ]|\$"
)
_BLANK_LINES = re.compile(r"\n{3,}")
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u20e3\ufe00-\ufe0f\ufeff]")
_MINUS = re.compile(r"(?<!\w)[−–‐](?=\.?\d)")
"""A sign of a number, where no number or word comes before it ("7–8")."""

_ALIKE = str.maketrans("АВСЕΑΒΕ", "ABCEABE")
_LONE = re.compile(r"(?<!\w)[АВСЕΑΒΕ](?!\w| [\u0370-\u052f])")
"""A Cyrillic or Greek letter that is no word ("В первом ответе")."""


def without_thoughts(text: str) -> str:
    """The text after the last finished thought, up to an unfinished one."""
    *_, last = 0, *(end.end() for end in _END.finditer(text))
    begin = _BEGIN.search(text, last)
    return text[last : begin.start() if begin else None]


def plain_text(text: str, labels: Iterable[str]) -> str:
    """A text without thoughts and markup, its letters and digits in their common form."""
    text = _BLANK_LINES.sub("\n\n", without_thoughts(text))
    # "<B>" is a verdict where no "</B>" follows.
    closed = {name.lower() for name in _CLOSED.findall(text)}
    text = _MARKUP.sub(
        lambda tag: tag[0] if tag[1] and len(tag[1]) == 1 and tag[1].lower() not in closed else " ",
        text,
    )
    text = _LATEX.sub(lambda style: style[1] or " ", text)
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).replace("\u2044", "/")  # of "½"
    if not all(map(str.isascii, labels)):
        return text
    return _LONE.sub(lambda letter: letter[0].translate(_ALIKE), _MINUS.sub("-", text))


_BEFORE = 100
"""Characters before a verdict in which its announcement may begin."""
_MOST_WORDS = 14

_BREAK = re.compile(
    r"[.!?。！？;,()\[{\n:]\s*|\*\*|<|\s[-–—]+\s|\b(?:but|however|although|while)\b"
)
_INSERTED = re.compile(r",[^,.;:\n]{1,40},\s*$")
_CLAUSE = re.compile(r"\b(?:because|since|that|which|who|whereas|where|so|and)\b")
_DECORATION = re.compile(r"[_*\"`~#<>/\[\]{}|\\]+|(?<!\w)['-]|['-](?!\w)|\s+")
_AROUND = re.compile(r"[^a-z\d-]|^[.;]\s+|\bin\b")
_LABEL = re.compile(r"[\s\[(*_\"'`#-]*")
_HEADS = re.compile(
    r"[*_]{0,2}(?:\]{1,2}[:.]?[*_]{0,2}\s+"
    # "A (C)", "D) A" name two.
    r"|(?:\)[:.]?|[:.;!]|\s*[–—]|\s+-)[*_]{0,2}\s+(?!\W{0,3}[a-z](?![\w'’])(?![ \t]+[a-z]{2})))"
    r"(?!(?:if|when|where|was|and|or|for|has|in|is(?!\s+the\s+(?:correct|right|best)))\b)"
)
_FAULT = re.compile(
    rf"\b(?:this|the|{say.NOUN})\s+(?:(?:{say.NOUN})\s+)?(?:(?:is|was|does|did|[a-z]+ly)\s+){{0,3}}"
    r"(?:not\b|in(?:correct|accurate|complete|valid)|wrong|false|fails|contradict"
    r"|(?:contains|has|makes)\b[^.\n]{0,20}\berror)"
    r"|\b[a-z]\]?\s+is\s+not\b|\bapolog|\bboth\s+\W?[a-z]\W?\s+and\b|\bquestion:|\bcorrect\s+answer:"
)
_SENTENCE = re.compile(r"[.!?;]\s")
_FINAL = re.compile(say.FINAL)
_NOT = re.compile(say.NOT)


class Claim(NamedTuple):
    """Verdicts that an output announces in one place; "A and B" are several."""

    start: int
    verdicts: tuple[str, ...]
    how: str


class Lead(NamedTuple):
    """The words before a verdict, in lower case, back to the last break ("" or a mark)."""

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
    """An output's text, and a lower-case copy in which to look for words."""

    def __init__(self, text: str, spelling: Spelling) -> None:
        self.text = text
        each = (c if len(c.lower()) > 1 else c.lower() for c in text)  # "İ" becomes two
        self.low = text.lower() if text.isascii() else "".join(each)
        self._spelling = spelling

    def near(self, place: int) -> str:
        """The text just before a place."""
        return self.low[max(0, place - _BEFORE) : place]

    def lead(self, place: int) -> Lead:
        """The words that lead to a place."""
        raw = self.text[max(0, place - _BEFORE) : place]
        if raw.rstrip().endswith(","):
            raw = _INSERTED.sub(" ", raw)
        raw = raw.rstrip(" \t*_\"'`")
        *_, cut = None, *_BREAK.finditer(raw)
        return Lead(_simple(raw[cut.end() :]), cut[0].strip()) if cut else Lead(_simple(raw), "")

    def heads_text(self, lead: str, end: int) -> bool:
        """Whether what ends here heads a text that finds no fault: "[C]: ..."."""
        head = _LABEL.fullmatch(lead) and _HEADS.match(self.low, end)
        return head is not None and not _FAULT.search(self.low, end, end + 3 * _BEFORE)

    def lists(self, lead: str, names: tuple[str, ...]) -> bool:
        """Whether other lines begin with other verdicts in the same way, so that all are titles."""
        if self.text.rstrip().endswith(("\n[", "\n(")):  # the next title is cut off
            return True
        return not self._titles.get(_AROUND.sub("", lead), set()) <= {*names}

    @cached_property
    def _titles(self) -> dict[str, set[str]]:
        """The verdicts at the heads of lines, by what leads to them."""
        titles: dict[str, set[str]] = {}
        for line in re.finditer(rf"(?:\n|[.;]\s{{1,3}}){self._spelling.lead}", self.low):
            names, end = self._spelling.named(self.text, line.end())
            if _HEADS.match(self.low, end) or ALONE.match(self.text, end):
                alike = titles.setdefault(_AROUND.sub("", line[0]), set())
                alike |= {*names} - {self._spelling.tie}
        return titles

    def is_final(self, place: int) -> bool:
        """Whether the sentence so far says that this is the last word."""
        line = self.near(place).rpartition("\n")[2]
        return _FINAL.search(_simple(_SENTENCE.split(line)[-1])) is not None


def _simple(phrase: str) -> str:
    return _DECORATION.sub(" ", phrase).strip().lower()
