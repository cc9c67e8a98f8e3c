"""An output as a person sees it: no thoughts, no markup, one form of each letter."""

import re
import unicodedata
from collections.abc import Iterable

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
