"""Verdicts that an output announces: "Winner: C", "the best response is C", "I choose C"."""

import re
from collections.abc import Iterator, Sequence

from . import english as say
from .output import Claim, Lead, Output
from .spelling import ALONE, CLOSE, ENDS, Spelling

_UNSURE = re.compile(
    rf"{CLOSE}(?:[ \t]*\?|\s+(?:{say.TAKES_BACK})\b"
    rf"|,?\s+according\s+to\s+(?:the\s+)?(?:{say.NOUN})\s+[a-z\d]\b)"
)

_STATED = re.compile(
    rf"{ENDS}|{CLOSE}(?:[.,;:!](?:\s|$)|\s*[–—]|\s+(?:[-(\[]|(?:{say.GOES_ON})\b))"
)

_END = re.compile(rf"{CLOSE}(?:[.!]|\s*\n|\s*\Z)")

_SENTENCE = re.compile(r"[.!?;]\s|\n")

_FINAL = re.compile(say.FINAL)

_ANSWER = re.compile(say.ANSWER)

_MINE = r"(?:(?:my|the|your|our|an?|final|overall|of|is)\s+)*"

_JUDGED = re.compile(rf"{_MINE}(?:verdict|winner|(?:{say.BEST})(?:\s+(?:{say.NOUN}))?)")

_AROUND = " \t*_#>\"'`-"

_TAG = re.compile(r"<\s*[\w -]{1,40}\Z")

_KEY = re.compile(r"(?:\A|[{,\n])\s*[\"'][\w -]{1,40}[\"']\s*\Z")

_NAMES = {
    "options": [say.BEST, say.VERDICT, say.TRANSLATED],
    "words": [say.VERDICT, say.CLASS, say.RATING, say.ANSWER],
    "scale": [say.RATING, say.VERDICT],
}

_VERBS = {"options": say.CHOOSE, "words": say.CLASSIFY, "scale": say.GRADE}


class SentenceVerdicts:
    """Finds the verdicts that an output announces, by the labels of the design."""

    def __init__(self, kind: str, spelling: Spelling, labels: Sequence[str]) -> None:
        self._spelling = spelling
        self._kind = spelling.kind
        self._chooses = spelling.kind == "options"
        grades = [say.RATING] if spelling.kind != kind else []  # "Grade: B"
        names = "|".join([*map(say.loosely, labels), *grades, *_NAMES[spelling.kind]])
        self.name = re.compile(f"(?:{names})")
        self._title = re.compile(rf"{_MINE}(?:(?:{names}|{say.ANSWER})\s*)+")
        words = r"(?:[^\W\d_]+\s*){1,3}"
        self._answer = re.compile(words if self._kind == "words" else _MINE + say.ANSWER)
        lead, given, name = spelling.lead, spelling.given, spelling.name
        self._mark = re.compile(
            rf"(?:[-=]{{1,3}}>|[:=|>→⇒\n]|[–—-](?=\s)|\](?=\s)|\*\*(?=\s))(?=(?P<lead>{lead}))"
        )
        self._link = re.compile(
            rf"[ \n](?:(?P<copula>{say.COPULA})|{_VERBS[self._kind]})\s(?=(?P<lead>{given}))"
        )
        noun = rf"(?:{say.NOUN})"
        self._correct = re.compile(
            rf"\W*+(?:{noun}\s+\W{{0,4}})?(?P<name>{name}){CLOSE}\s+is\s+the\s+(?:correct|right)"
            rf"\s+{noun}\b"
        )
        self._so = re.compile(rf"\b(?:so|therefore|thus),?\s(?P<lead>\W{{0,3}})(?={spelling.one})")
        other = rf"|{given}{spelling.one}" if spelling.two else ""
        adverbs = rf"(?:(?:{say.ADVERB})\s+){{0,4}}"
        self._subject = re.compile(
            rf"{name}{CLOSE}(?:['’]s\s+{noun})?\s+{adverbs}(?:(?:{say.WINS})(?!\w)"
            rf"|(?:{say.IS}|{say.HAS})\s+{adverbs}(?P<good>{say.GOOD})"
            rf"(?:\s+(?:{noun}|one|overall|possible)){{0,2}}"
            rf"(?:(?={CLOSE}(?:[.,;:!)–—-]|\s*\n|\s*\Z)|\s+(?:{say.OF_ALL})(?!\w))"
            rf"|\s+than\s+(?P<all>(?:the\s+)?(?:others?|rest|all|any|every|both){other})(?!\w)))"
        )
        self._before_subject = re.compile(rf"(?:^|\b(?:{say.NOUN}|{say.SAYS}))$")
        # "A's final answer is C", "Response A chooses C", "Response A: the answer is C".
        response = rf"{noun}\W{{1,4}}{name}"
        self._of_response = re.compile(rf"{name}(?:['’]s\b|(?:\s*[a-z]+ly)?\s*\Z)")
        self._by_response = re.compile(
            rf"\baccording\s+to\s+(?:the\s+)?{response}[^.;\n]*\Z"
            rf"|\A\n[\W\d]{{0,8}}{response}\W{{0,4}}:[^\n]*\Z"
        )

    def claims(self, output: Output) -> Iterator[Claim]:
        """Verdicts that are announced as such."""
        for found in self._mark.finditer(output.low):
            if how := self._marked(output, found):
                yield from self._claim(output, found, how)
        for found in self._link.finditer(output.low):
            lead = output.lead(found.start() + (found[0][0] == "\n"))
            named = not found["copula"] or self._is_name(lead.clause)
            if named and self._is_own(output, found, lead) and self._stated(output, found):
                yield from self._claim(output, found, "sentence")
        if self._chooses:
            yield from self._subjects(output, partial=False)

    def answers(self, output: Output) -> Iterator[Claim]:
        """Verdicts called an answer; they may answer the judged question itself."""
        for found in self._mark.finditer(output.low):
            lead, how = output.lead(found.start()), self._how(output, found)
            line = output.low[output.low.rfind("\n", 0, found.start()) + 1 : found.start()]
            begins = lead.cut in ("", "-", "[", "**", "<") or line.strip(_AROUND) == lead.phrase
            begins_line = begins and self._set_off(output, found)
            if (
                found[0] in ":=|>"
                and (begins_line or how == "json")
                and self._answer.fullmatch(lead.phrase)
                and not lead.denies
            ):
                yield from self._claim(output, found, how)
        if self._chooses and (correct := self._correct.match(output.low)):
            yield from self._named(output, correct.start("name"))

    def called_answers(self, output: Output) -> Iterator[Claim]:
        """Verdicts that a sentence calls the answer, which cast doubt on one that is only shown."""
        for found in self._link.finditer(output.low):
            lead = output.lead(found.start() + (found[0][0] == "\n"))
            named = found["copula"] and _ANSWER.search(lead.clause)
            # "[D]: Clay is left of tin, so the answer is (E)." quotes response D.
            apart = lead.cut != "," or _SENTENCE.search(output.low[: found.start()].lstrip())
            if named and apart and self._is_own(output, found, lead):
                yield from self._claim(output, found, "sentence")
        for found in self._so.finditer(output.low):  # "[D]: Clay is left of tin, so (E)."
            names, end = self._spelling.named(output.text, found.end("lead"))
            if names and _END.match(output.low, end):
                yield Claim(found.start(), names, "sentence")

    def better(self, output: Output) -> Iterator[Claim]:
        """Of several verdicts, those that a sentence calls better; it may compare only some."""
        if self._chooses:
            yield from self._subjects(output, partial=True)

    def _claim(self, output: Output, found: re.Match[str], how: str) -> Iterator[Claim]:
        names, end = self._spelling.named(output.text, found.end("lead"))
        if names == (self._spelling.tie,) and not _STATED.match(output.low, end):
            return  # "the best is both short and clear"
        if names and (output.text.startswith("]]", end) or not _UNSURE.match(output.low, end)):
            yield Claim(found.start(), names, how)

    def _marked(self, output: Output, found: re.Match[str]) -> str:
        """How a mark announces the verdict after it; empty if it does not."""
        mark, start = found[0][-1], found.start()
        if "\n" in mark + found["lead"] and not self._set_off(output, found):
            return ""
        lead = output.lead(start)
        if mark in "]*-–—":
            opened = {"]": "[", "*": "**"}.get(mark, lead.cut)
            apart = mark in "]*" or (output.low[start - 1 : start] + found["lead"][:1]).isspace()
            title = self._title.fullmatch(lead.phrase)
            return "label" if apart and lead.cut == opened and title else ""
        if found[0] == ">" and not _TAG.search(output.near(start)):
            return ""
        own = self._is_own(output, found, lead)
        return self._how(output, found) if own and self._is_name(lead.phrase) else ""

    def _is_own(self, output: Output, found: re.Match[str], lead: Lead) -> bool:
        """Whether the verdict is the judge's own: neither denied nor quoted from a response."""
        if lead.denies or not self._chooses:
            return not lead.denies
        if lead.cut == "." and _JUDGED.fullmatch(lead.phrase):
            return True  # "Response A: good. Verdict: A"
        line = output.low[max(0, output.low.rfind("\n", 0, found.start())) : found.start()]
        return not (self._of_response.search(lead.phrase) or self._by_response.search(line))

    def _how(self, output: Output, found: re.Match[str]) -> str:
        if found[0] == ">":
            return "tag"
        key = found[0][0] == ":" and _KEY.search(output.near(found.start()))
        return "json" if key else "label"

    def _is_name(self, phrase: str) -> bool:
        return self.name.search(phrase) is not None or (
            _FINAL.search(phrase) is not None and _ANSWER.search(phrase) is not None
        )

    def _set_off(self, output: Output, found: re.Match[str]) -> bool:
        """Whether the verdict stands alone on its line, or heads no text but its own."""
        names, end = self._spelling.named(output.text, found.end("lead"))
        if ALONE.match(output.text, end):
            return True
        head = len(names) == 1 and output.heads_text(found["lead"], end)
        return head and not output.lists(found["lead"], names)

    def _stated(self, output: Output, found: re.Match[str]) -> bool:
        """Whether the sentence ends with the verdict; more words could qualify it."""
        if self._kind == "scale" or (self._chooses and found["copula"]):
            return True
        end = self._spelling.named(output.text, found.end("lead"))[1]
        return _STATED.match(output.low, end) is not None

    def _subjects(self, output: Output, partial: bool) -> Iterator[Claim]:
        """Verdicts that a sentence calls the best, or better than some."""
        for found in self._subject.finditer(output.low):
            lead = output.lead(found.start())
            good = found["good"] or ""
            some = not (self._spelling.two or found["all"]) and re.fullmatch(say.BETTER, good)
            own = self._before_subject.search(lead.phrase) and not lead.denies
            whole = _END.match(output.low, found.end())
            if own and (some and whole if partial else not some):
                yield from self._named(output, found.start())

    def _named(self, output: Output, start: int) -> Iterator[Claim]:
        if names := self._spelling.named(output.text, start)[0]:
            yield Claim(start, names[:1], "sentence")
