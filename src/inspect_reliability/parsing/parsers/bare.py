"""Verdicts that an output shows: alone, in brackets, in a box, at the head of "C > A > B"."""

import re
from collections.abc import Iterator

from .output import Claim, Output
from .spelling import ALONE, CLOSE, ENDS, Spelling

_REASONED = re.compile(
    rf"{CLOSE}(?:,\s+(?!(?:or|and)\b|[a-z](?:,|\s+(?:and|or|are)\b))|\s+(?:because|since|as)\b)"
)

_EXPLAINED = re.compile(rf"{CLOSE}(?:[.!]\s|\s*\.{{3}}|\s*[–—]|\s+-\s)")

_STATED = re.compile(rf"{_REASONED.pattern}|{_EXPLAINED.pattern}|{CLOSE}[;:]\s")

_SET_OFF = re.compile(rf"{ENDS}|{_REASONED.pattern}|{CLOSE}(?:[.;!]\s|\s*\[\[)")

_LEADS_TO = re.compile(
    r"(?:^|[.!?:;,\n>=\]-]|\b(?:so|therefore|thus|hence|is|verdict|winner|answer|final))$"
)


class BareVerdicts:
    """Finds verdicts of one design that are shown."""

    def __init__(self, spelling: Spelling) -> None:
        self._spelling = spelling
        self._kind = spelling.kind
        one, lead = spelling.one, spelling.lead
        self._brackets = re.compile(rf"\[\[{lead}")
        self._boxed = re.compile(rf"\\f?boxed\s*\{{{lead}")
        self._line = re.compile(rf"\n+{lead}")
        self._last = re.compile(
            rf"[.!?]\s+(?:(?:so|therefore|thus|hence),?\s+)?{spelling.open}(?={one}{ENDS}\s*\Z)"
        )
        self._ranking = re.compile(
            rf"(?:\[\[)?(?<![\w>])(?P<first>{one}){CLOSE}"
            rf"(?:\s*(?:>{{1,3}}|≻|=)\s*{spelling.open}{one}{CLOSE})+"
        )
        self._tie = re.compile(
            r"\b(?:(?:it['’]?s|it\s+is|this\s+is|call\s+it|declare|in|is)\s+an?\s+(?:\w+\s+)?"
            rf"(?:tie|draw)|(?:both|they|two|responses\s+{one}{CLOSE}\s+and\s+{one}{CLOSE})\s+"
            r"[^.\n]{0,30}\b(?:equally|tied|equal))\b"
        )
        self._fraction = re.compile(
            rf"(?<![\w/.,-])\d{{1,7}}+(?:\.\d+)?+\s*(?:/|out\s+of)\s*"
            rf"{re.escape(spelling.verdicts[-1])}(?![\w%]|[.,/]\d)"
        )

    def claims(self, output: Output) -> Iterator[Claim]:
        """Verdicts whose form allows no other meaning."""
        for found in self._brackets.finditer(output.low):
            if self._is_set_off(output, found):
                yield from self._claim(output, found.start(), found.end(), "brackets")
        for found in self._boxed.finditer(output.low):
            yield from self._claim(output, found.start(), found.end(), "boxed")
        if self._kind == "options" and (">" in output.text or "≻" in output.text):
            for found in self._ranking.finditer(output.low):
                ranked = {*re.findall(self._spelling.one, found[0])}
                if len(ranked) == len(self._spelling.options) or found[0].startswith("[["):
                    yield from self._claim(output, found.start(), found.start("first"), "ranking")

    def alone(self, output: Output) -> Iterator[Claim]:
        """The verdict alone, as the first or the last thing said."""
        text = output.text
        if first := self._line.match(output.low):
            names, end = self._spelling.named(text, first.end())
            if names and self._begins(output, first, names, end):
                yield Claim(first.start(), names, "bare")
        start = text.rstrip().rfind("\n\n") + 1
        if last := self._line.match(output.low, start) if start > 1 else None:
            names, end = self._spelling.named(text, last.end())
            alone = ALONE.match(text, end)
            if alone and self._is_one(text, names, last, end) and not text[alone.end() :].strip():
                yield Claim(last.start(), names, "bare")
        if self._kind == "words" and (
            last := self._last.search(output.low, max(0, len(text) - 80))
        ):
            yield from self._claim(output, last.start() + 1, last.end(), "bare")

    def hints(self, output: Output) -> Iterator[Claim]:
        """Ties, and marks out of the highest; these may be about something else."""
        if self._kind == "options":
            for found in self._tie.finditer(output.low):
                if not output.lead(found.start()).denies:
                    yield Claim(found.start(), (self._spelling.tie,), "sentence")
        if self._kind == "scale":
            for found in self._fraction.finditer(output.low):
                yield from self._claim(output, found.start(), found.start(), "sentence")

    def _claim(self, output: Output, start: int, at: int, how: str) -> Iterator[Claim]:
        if names := self._spelling.named(output.text, at)[0]:
            yield Claim(start, names, how)

    def _is_set_off(self, output: Output, found: re.Match[str]) -> bool:
        """Whether a bracketed name is a verdict: neither denied nor part of a sentence."""
        end = self._spelling.named(output.text, found.end())[1]
        lead = output.near(found.start()).rstrip(" \t*_\"'`(")
        before = found.start() - len(output.near(found.start())) + len(lead.rstrip(" :"))
        return (
            output.text.startswith("]", end)
            and _LEADS_TO.search(lead[-20:]) is not None
            and _SET_OFF.match(output.text, end) is not None
            and not output.lead(before).denies
        )

    def _is_one(self, text: str, names: tuple[str, ...], line: re.Match[str], end: int) -> bool:
        """Whether a lone verdict is single and whole, not the first letter of a cut word."""
        ending = text[end:].strip()
        small = self._kind == "options" and text[line.end()].islower()
        cut_off = line[0][-1:] in "[(" and ending[:1] not in ("]", ")")
        # "Option (C)" may be the beginning of a sentence.
        begins = re.search(r"\w", line[0]) and not ending.endswith((".", "!", "*", "]"))
        one = len(names) == 1 and names != (self._spelling.tie,)
        return one and not (small or cut_off or begins)

    def _begins(
        self, output: Output, first: re.Match[str], names: tuple[str, ...], end: int
    ) -> bool:
        """Whether an output begins with its verdict, not with a word or a list."""
        text, noun = output.text, re.search(r"\w", first[0]) is not None
        listed = output.lists(first[0], names)
        if alone := ALONE.match(text, end):
            whole = not text[alone.end() :].strip(" \n.*_\"'`)]}")
            # "C.\n5. So ..." goes on with what came before.
            goes_on = alone[0].endswith(".\n") and not text.startswith("\n", alone.end())
            title = goes_on or listed or (noun and self._kind != "words")
            return whole or (not title and self._is_one(text, names, first, end))
        if len(names) > 1 or noun:
            return False
        if _REASONED.match(output.low, end):
            return True
        if self._kind != "options":
            return not listed and _STATED.match(output.low, end) is not None
        if names == (self._spelling.tie,):
            return _EXPLAINED.match(output.low, end) is not None
        small = text[first.end()].islower() or text[first.end() : end].isdigit()
        return not listed and not small and output.heads_text(first[0], end)
