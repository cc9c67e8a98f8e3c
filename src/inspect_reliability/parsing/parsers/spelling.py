"""How to write the verdicts of a design in running text.

Context tells a label from an article or another letter. All labels are treated alike.
"""

import re
from collections.abc import Callable, Iterable

from ...verdicts import INVALID
from . import english as say

_CJK = r"\u2e80-\u9fff\uac00-\ud7af"
CLOSE = r"[\])}>\"'*_`”’»」』】]{0,6}"
ENDS = rf"{CLOSE}[.!]?{CLOSE}[ \t]*(?:\n|$|</)"
ALONE = re.compile(ENDS)
_MOST = 26
_END = (
    rf"(?!_*(?![{_CJK}])[^\W_]|['’\-‐‑](?!s\b)[^\W\d_]|['’]s\s+(?!(?:{say.NOUN})\b)\w|[.,:]\d"
    r"|\.[^\W\d_]\.|[%+#±])"
)
"""Not followed by the rest of a word or number."""

_COUNT = (
    r"(?![ \t]+(?!(?:because|since|due|over|and|or|to|wins?|for|has|as|with|is|was|out|on"
    r"|overall|given|based{})\b)[a-z])"
)
_SENTENCE = _COUNT.format(
    r"|are|were|first(?=[.,;!\n]|$)|by|in|at|here|from|than|but|although|though|while|if|when"
    r"|rather|instead|the|this|it|among|(?!series)[a-z]{2,}(?<![su])s|[a-z]+ly\s+[a-z]+s"
)
_COUNT = _COUNT.format("")
"""How sentences go on after the verdicts "A" and "7", not after an article or a count."""

_UNIT = r"(?:\s*(?:stars?|points?)(?![a-z]))"
_NUMBER = (
    rf"[-+]?(?:\d{{1,7}}+(?:[.,]\d{{1,20}}+)?+|\.\d{{1,20}}+){_UNIT}?+"
    rf"(?:\s*(?:/|out\s+of|of)\s*\d{{1,7}}+(?:\.\d{{1,4}}+)?+)?+{_UNIT}?+{_END}{_COUNT}"
)
_DASH = r"-(?!\.?\d)"
"""A dash that is no sign of a number."""
_INEXACT = re.compile(r"(?:(?:[<≤≥]|[<>]=|(?:[\w:=][ \t]+|:)[*_]{0,3}>)[ \t*_]*|[#№])\Z")
"""Before a number: it is a bound, or a place in a ranking."""

_AND = r"\s*[/&+=~]\s*|\s+(?:and|or|AND|OR|vs\.?|as\s+well\s+as|tied\s+with|ties\s+with)\s+"


Spelled = Callable[[str], str | None]
"""The verdict that a text spells; None if none."""


def spelled_as(verdicts: Iterable[str]) -> Spelled:
    """Verdicts in capitals or not, with any white space."""
    names = {name.casefold(): name for name in verdicts}
    return lambda written: names.get(" ".join(written.casefold().split()))


class Spelling:
    """The ways to write the verdicts of a design.

    Attributes:
        kind: As of the design; words that are labels (A, B, tie) are options.
        verdicts: All of them; of a scale its ends are enough.
        tie: The verdict that a tie is; options: the others; two: whether these are two.
        name: Where a verdict may be, in lower case; one: the same, or a tie.
        lead: The brackets and small words that may lead to one; given: and those to a number.
    """

    def __init__(
        self, kind: str, verdicts: tuple[str, ...], spelled: Spelled, labels: Iterable[str] = ()
    ) -> None:
        ties = [name for name in verdicts if re.fullmatch(say.TIE, name.lower())]
        letters = "".join(name for name in verdicts if re.fullmatch("[A-Z]", name))
        self.tie = ties[0] if len(ties) == 1 else INVALID
        self.options = [name for name in verdicts if name not in ties]
        self.two = len(self.options) == 2
        if letters and letters == "".join(self.options):
            kind = "options"
        self.kind, self.verdicts, self._spelled = kind, verdicts, spelled
        self._noun = "|".join([say.NOUN, *map(say.loosely, labels)])
        exact = _NUMBER if kind == "scale" else _names(verdicts, letters)
        tie = rf"|(?i:{say.TIE})(?![^\W_])" if kind == "options" else ""
        self._one = re.compile(exact + tie)
        seen = r"[-+]?\.?\d" if kind == "scale" else _seen(verdicts, letters)
        self.name, self.one = f"(?:{seen})(?![a-z])", f"(?:{seen}|{say.TIE})(?![a-z])"
        # Not what verdicts begin with: a sign, an emoji.
        begin = "".join(re.escape(name[0]) for name in verdicts if not name[0].isalnum())
        self.open = rf"(?:[^\w\n.?!;,\-{begin}]|_|{_DASH}){{0,16}}+"
        self.lead = self._leading(say.SMALL)
        self.given = self.lead if kind == "options" else self._leading(f"{say.SMALL}|{say.GIVEN}")
        between = _AND + (r"|\s*[-–—]\s*|\s+to\s+" if kind == "scale" else "")
        # "A and B have merits": after another label, a capital is no article.
        further = f"[{letters}]{_END}|" if letters else ""
        self._further = re.compile(further + self._one.pattern)
        one = rf"{self.open}(?:{exact}){CLOSE}"
        noun = rf"(?:(?i:{say.NOUN})[\s:*_#-]{{1,4}})?"
        comma = r"\s*,\s*(?:(?:and|or)\s+)?"
        self._more = re.compile(
            rf"{CLOSE}(?:(?:{between}){self.open}{noun}{self.open}"
            # A comma begins a new clause ("C, A and B are worse") unless the list ends there.
            rf"|{comma}(?=(?:{one}(?:{comma}|{between})){{0,8}}{one}\s*(?:[.;)\n]|$)){self.open})"
            rf"(?={self._further.pattern})"
        )
        self._rather = re.compile(
            rf"(?i:{CLOSE}[.,;!?–—\s-]{{1,8}}(?:(?:{say.RATHER})[^\w\n]{{1,4}}){{1,3}}(?:"
            rf"(?:(?:{say.NOUN}|{say.SMALL})\s+){{0,3}}{self.open}(?={self.one})))"
        )

    def named(self, text: str, at: int) -> tuple[tuple[str, ...], int]:
        """The verdicts that a text names at a place, and the end of the last one.

        "A and B" names two. A number off the scale, a bound or a place ("<5", "#1") names none.
        """
        names: list[str] = []
        one, end = self._one, at
        if self.kind == "scale" and _INEXACT.search(text, max(0, at - 8), at):
            found = one.match(text, at)
            if found and not text.startswith(">", found.end()):  # "<5>" is a number in brackets
                return (), end
        for _ in range(_MOST):
            if (found := one.match(text, at)) is None:
                break
            if (name := self._read(found[0])) is None:
                return (), end
            names.append(name)
            end = found.end()
            if rather := self._rather.match(text, end):
                names.clear()
            if not (more := rather or self._more.match(text, end)):
                break
            one, at = self._further, more.end()
        return tuple(names), end

    def _leading(self, words: str) -> str:
        dash = _DASH if self.kind == "scale" else "-"
        word = rf"(?:{self._noun}|(?:{words})(?![^\W_]))(?:[\s:*_\"'\[(#]|{dash}){{0,4}}"
        return rf"{self.open}(?:\n{self.open}){{0,2}}(?:{word}){{0,6}}{self.open}(?={self.one})"

    def _read(self, written: str) -> str | None:
        if self.kind != "scale":
            return self._spelled(written) or self.tie
        number, *highest = re.findall(r"[-+]?\d*[.,]?\d+", written)
        if any(self._spelled(one) != self.verdicts[-1] for one in highest):
            return None
        return self._spelled(number)


def _seen(verdicts: Iterable[str], letters: str) -> str:
    ways = [rf"[{letters.lower()}](?<![a-z0-9\u00c0-\u04ff].)"] if letters else []
    return "|".join([*ways, *(say.loosely(name) for name in verdicts if name not in {*letters})])


def _names(verdicts: Iterable[str], letters: str) -> str:
    ways = []
    if letters:
        # A small letter is a verdict where it is set apart.
        ways.append(
            rf"[{letters.lower()}]{_END}(?=[\])}}>\"'`*_,;:!»”’」】]|\.(?!\w)|[ \t]*(?:\n|$)"
            r"|[ \t]+(?:because|since|is|over|and|or)\b)"
        )
        ways.append(f"[{letters}]{_END}{_SENTENCE}")
    others = sorted({*verdicts} - {*letters}, key=len, reverse=True)
    for name in others:  # a number, and "no", may be in a sentence for other reasons
        counts = _COUNT if re.fullmatch(r"\d+|no", name, re.IGNORECASE) else ""
        ways.append(f"(?i:{say.loosely(name)}){_END}{counts}")
    return "|".join(ways)
