"""How the verdicts of a design are written in running text."""

import re

from ...verdicts import INVALID
from . import wordings as say

CJK = r"\u2e80-\u9fff\uac00-\ud7af"
_MOST = 26
_IN_WORD = r"[a-z0-9\u00c0-\u04ff]"
CLOSE = r"[\])}>\"'*_`”’»」』】]{0,6}"
ENDS = rf"{CLOSE}[.!]?{CLOSE}[ \t]*(?:\n|$|</)"

_END = (
    rf"(?!_*(?![{CJK}])[^\W_]|['’\-‐‑](?!s\b)[^\W\d_]|['’]s\s+(?!(?:{say.NOUN})\b)\w|[.,:]\d"
    r"|\.[^\W\d_]\.|[%+#±])"
)
"""Nothing follows that continues a word or a number."""

_COUNT = (
    r"(?![ \t]+(?!(?:because|since|due|over|and|or|to|wins?|for|has|as|with|is|was|out|on"
    r"|overall|given|based{})\b)[a-z])"
)
_SENTENCE = _COUNT.format(r"|(?!series)[a-z]{2,}(?<![su])s|[a-z]+ly\s+[a-z]+s")
_COUNT = _COUNT.format("")
"""How sentences go on after the verdicts "A" and "7", not after an article or a count."""

_UNIT = r"(?:\s*(?:stars?|points?|punkte|punt[io]s?|pontos|баллов|分|点|점)(?![a-z]))"
_OUT_OF = r"(?:\s*(?:/|out\s+of|of|von|sur|de|из)\s*\d{1,7}+)"
_COUNTED = {
    "zero": 0,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
"""Not "one", which has other uses."""

_NUMBER = (
    rf"[-+]?\d{{1,7}}+(?:[.,]\d{{1,4}}+)?+{_UNIT}?+{_OUT_OF}?+{_UNIT}?+{_END}{_COUNT}"
    rf"|(?i:{'|'.join(_COUNTED)})(?=[.,;!)\]\"'*]|\s*$|\s*\n|\s+(?:out\s+of|points|stars)\b)"
)
_FEW = 8
_INEXACT = re.compile(r"(?:(?:[<≤≥]|[<>]=|(?:[\w:=][ \t]+|:)[*_]{0,3}>)[ \t*_]*|[#№])\Z")
"""What makes the number after it a bound, or a place in a ranking."""

_AND = (
    r"\s*[/&+=~]\s*|\s*[和或与とや]\s*|\s+(?:and|or|AND|OR|und|oder|et|ou|y|o|e|и|или|vs\.?"
    r"|as\s+well\s+as|tied\s+with|ties\s+with)\s+"
)


class Spelling:
    """The ways to write the verdicts of a design, which are "options", "words" or a "scale".

    Attributes:
        name: What may be a verdict, a regular expression for text in lower case.
        one: The same, or what names no one verdict ("tie").
        lead: The same with the brackets and small words that may lead to it.
    """

    def __init__(self, kind: str, verdicts: tuple[str, ...]) -> None:
        self.kind = kind
        self.verdicts = verdicts
        self._verdicts = {name.casefold(): name for name in verdicts}
        letters = "".join(name for name in verdicts if re.fullmatch("[A-Z]", name))
        exact = _NUMBER if kind == "scale" else _names(verdicts, letters)
        self._one = re.compile(exact if kind != "options" else rf"{exact}|(?i:{say.TIE})(?![^\W_])")
        seen = rf"[-+]?\d|{'|'.join(_COUNTED)}" if kind == "scale" else _seen(verdicts)
        self.name = f"(?:{seen})(?![a-z])"
        self.one = f"(?:{seen}|{say.TIE})(?![a-z])"
        # Not what verdicts begin with: a sign, an emoji.
        begin = "".join(re.escape(name[0]) for name in verdicts if not name[0].isalnum())
        self.open = rf"(?:[^\w\n.?!;,\-{begin}]|_|-(?!\d)){{0,16}}+"
        self.lead = self._leading(say.SMALL)
        self.given = self.lead if kind == "options" else self._leading(f"{say.SMALL}|{say.GIVEN}")
        between = _AND + (r"|\s*[-–—]\s*|\s+to\s+" if kind == "scale" else "")
        one = rf"{self.open}(?:{exact}){CLOSE}"
        noun = rf"(?:(?i:{say.NOUN})[\s:*_#-]{{1,4}})?"
        self._more = re.compile(
            rf"{CLOSE}(?:(?:{between}){self.open}{noun}{self.open}"
            # A comma begins a new clause ("C, A and B are worse") unless the list ends there.
            rf"|\s*,\s*(?:(?:and|or)\s+)?(?=(?:{one}(?:\s*,\s*(?:(?:and|or)\s+)?|{between})){{0,8}}{one}\s*(?:[.;)\n]|$)){self.open})"
            rf"(?={self._one.pattern})"
        )

    def named(self, text: str, at: int) -> tuple[tuple[str, ...], int]:
        """The verdicts that a text names at a place, and where the last of them ends.

        "A and B" names two. A number that is not on the scale, or is a bound or a place ("<5",
        "#1"), names none.
        """
        names: list[str] = []
        end = at
        if self.kind == "scale" and _INEXACT.search(text, max(0, at - _FEW), at):
            found = self._one.match(text, at)
            if found and not text.startswith(">", found.end()):  # "<5>" is a number in brackets
                return (), end
        while len(names) < _MOST and (found := self._one.match(text, at)):
            name = self._read(found[0])
            if name is None:
                return (), end
            names.append(name)
            end = found.end()
            more = self._more.match(text, end)
            if more is None:
                break
            at = more.end()
        return tuple(names), end

    def _leading(self, words: str) -> str:
        word = rf"(?:{say.NOUN}|(?:{words})(?![^\W_]))[\s:*_\"'\[(#-]{{0,4}}"
        return rf"{self.open}(?:\n{self.open}){{0,2}}(?:{word}){{0,6}}{self.open}(?={self.one})"

    def _read(self, written: str) -> str | None:
        if self.kind != "scale":
            return self._verdicts.get(" ".join(written.casefold().split()), INVALID)  # else a tie
        if (word := written.lower()) in _COUNTED:
            return self._verdicts.get(str(_COUNTED[word]))
        number, *highest = re.findall(r"[-+]?\d+(?:[.,]\d+)?", written)
        thousands = re.search(r",\d{3}\Z", number) is not None
        value = float(number.replace(",", "" if thousands else "."))
        if highest not in ([], [self.verdicts[-1]]) or not value.is_integer():
            return None
        return self._verdicts.get(str(int(value)))


def _seen(verdicts: tuple[str, ...]) -> str:
    letters = "".join(name.lower() for name in verdicts if re.fullmatch("[A-Z]", name))
    others = [_spaced(name.lower()) for name in verdicts if not re.fullmatch("[A-Z]", name)]
    return "|".join([rf"[{letters}](?<!{_IN_WORD}.)", *others] if letters else others)


def _names(verdicts: tuple[str, ...], letters: str) -> str:
    # What a sentence may contain for other reasons.
    common = [name for name in verdicts if re.fullmatch(r"[AI]|\d+|no", name, re.IGNORECASE)]
    others = sorted({*verdicts} - {*letters, *common}, key=len, reverse=True)
    ways = []
    if letters:
        # A small letter is a verdict where it is set apart.
        ways.append(
            rf"[{letters.lower()}]{_END}(?=[\])}}>\"'`*_,;:!»”’」】]|\.(?!\w)|[ \t]*(?:\n|$)"
            r"|(?<![ai])[ \t]+[-–—]|[ \t]+(?:because|since|is|over|and|or)\b)"
        )
    if plain := "".join(letter for letter in letters if letter not in "AI"):
        ways.append(f"[{plain}]{_END}")
    if few := "".join(name for name in common if name in letters):
        ways.append(f"[{few}]{_END}{_SENTENCE}")
    if few := "|".join(name for name in common if name not in letters):
        ways.append(f"(?i:{few}){_END}{_COUNT}")
    if apart := "|".join(_spaced(name) for name in others if not _joined(name)):
        ways.append(f"(?i:{apart}){_END}")
    return "|".join([*ways, *(_spaced(name) for name in others if _joined(name))])


def _joined(name: str) -> bool:
    """Whether a name is written in letters that do not set words apart."""
    return re.search(f"[{CJK}]", name) is not None


def _spaced(name: str) -> str:
    return r"\s+".join(map(re.escape, name.split()))
