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
    r"|<(/?)(b|i|u|s|p|em|strong|br|hr|span|div|h[1-6]|code|mark|font|center|li|ul|ol|pre)"
    r"(?:\s[^<>\n]{0,200})?/?>",
    re.IGNORECASE,
)
_LATEX = re.compile(
    r"\\(?:text\w{0,10}|math\w{0,10}|mbox|emph|bf|it)\s*\{([^{}\n]{0,80})\}|\\[()\[\],;:! ]|\$"
)
_BLANK_LINES = re.compile(r"\n{3,}")
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u20e3\ufe00-\ufe0f\ufeff]")

# Letters that NFKC leaves as they are: white on black, and Cyrillic and Greek look-alikes.
_NEGATIVE = {first + n: chr(ord("A") + n) for first in (0x1F150, 0x1F170) for n in range(26)}
_CAPITALS, *_ALIKE = "ABCEHIJKMNOPSTXYZ", "АВСЕНІЈКМ ОРЅТХҮ ", "ΑΒϹΕΗΙ ΚΜΝΟΡ ΤΧΥΖ"


def without_thoughts(text: str) -> str:
    """What follows the last finished thought, up to the next one, which does not end."""
    if not any(mark in text for mark in ("<", "[/THINK]", "[THINK]", "◁")):
        return text
    *_, last = [0, *(end.end() for end in _END.finditer(text))]
    begin = _BEGIN.search(text, last)
    return text[last : begin.start() if begin else None]


def plain_text(text: str, labels: Iterable[str]) -> str:
    """A text without thoughts and markup, where look-alikes of lone labels are these labels."""
    text = _BLANK_LINES.sub("\n\n", without_thoughts(text))
    if "<" in text:
        # "<b>" may be a verdict: a tag of one letter is one where it ends somewhere.
        low = text.lower()
        text = _MARKUP.sub(
            lambda tag: tag[0] if tag[2] and len(tag[2]) == 1 and f"</{tag[2].lower()}>" not in low
            else " ",
            text,
        )  # fmt: skip
    if "\\" in text or "$" in text:
        text = _LATEX.sub(lambda style: style[1] or " ", text)
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text).translate(_NEGATIVE))
    labels = {*labels}
    alike = {
        other: letter
        for others in _ALIKE
        for other, letter in zip(others, _CAPITALS, strict=True)
        if letter in labels and other not in labels
    }
    # A lone capital before a word of its own script is one of its words ("В первом ответе").
    return re.sub(
        r"(?<!\w)[\u0370-\u052f](?!\w| [\u0370-\u052f])", lambda m: alike.get(m[0], m[0]), text
    )
