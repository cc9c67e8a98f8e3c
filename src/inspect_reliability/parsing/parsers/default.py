"""Reads a judge's output as a person would.

Judges announce verdicts in many ways; each announcement found is a claim. A wrong verdict is far
worse than none: what a person would doubt is no claim, and contradicting claims give no verdict.
"""

import re
from collections.abc import Sequence

from ...verdicts import NO_VERDICTS, NON_RESPONSE
from ..parsed import Parsed, one_verdict
from .bare import BareVerdicts
from .output import Claim, Output, plain_text
from .sentences import SentenceVerdicts
from .spelling import CLOSE, Spelled, Spelling

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z][A-Za-z]*\":)")
"""Before each further word of a JSON key, as in "bestResponse"."""


class DefaultParser:
    """Reads outputs as a person does, with the labels of the design."""

    def __init__(
        self, kind: str, verdicts: tuple[str, ...], spelled: Spelled, labels: Sequence[str] = ()
    ) -> None:
        self._spelling = spelling = Spelling(kind, verdicts, spelled, labels)
        self._announced = SentenceVerdicts(kind, spelling, labels)
        self._shown = BareVerdicts(spelling)
        verdict = rf"(?i:{spelling.lead}{spelling.one}{CLOSE}[.]?\s*)"
        self._note = re.compile(
            rf"\((?!{verdict}\))(?:[^()\n]|\([^()\n]*+\))*+\)|\[\w{{1,3}}\s?(?:[-–]|to)\s?\w{{1,3}}\]"
        )
        self._value = re.compile(rf"\":\s*\"(?!{verdict}\")(?:[^\"\\]|\\.)*+")
        self._closed = re.compile(
            rf"{self._announced.name.pattern}[^\n:=>.]{{0,30}}[:=>][^\w\n]*(?:{spelling.one}"
            rf"(?:\"\s*[,}}]|</|{CLOSE}[.]?[ \t]*\n)|(?:(?<=\[\[)|(?<=\[\[ )){spelling.one} ?\]\])"
        )

    def read(self, text: str) -> Parsed:
        """Read a whole output."""
        text = _CAMEL.sub(" ", "\n" + plain_text(text, self._spelling.verdicts))
        # Notes in parentheses and the texts of a JSON object count where nothing else does.
        main = self._value.sub('": ', self._note.sub(" ", text))
        for said in dict.fromkeys((main, text)):
            output = Output(said, self._spelling)
            tiers = (
                (self._announced.claims, self._shown.claims),
                (self._announced.answers, self._shown.alone),
                (self._shown.hints, self._announced.better),
            )
            for tier in tiers:
                if claims := [claim for find in tier for claim in find(output)]:
                    if all(claim.how == "sentence" for claim in claims):
                        # What an output begins with, where a sentence says otherwise.
                        stated = [claim.verdicts for claim in claims]
                        alone = (one for one in self._shown.alone(output) if one.start == 0)
                        one = next(alone, claims[0])
                        claims += (
                            [one] if len(one.verdicts) == 1 and one.verdicts not in stated else []
                        )
                    if all(claim.how == "bare" for claim in claims):
                        claims += self._announced.called_answers(output)
                    return _settled(output, sorted(claims))
        return Parsed(NON_RESPONSE)

    def completed(self, text: str) -> str | None:
        """Read an unfinished output; None until its verdict is announced.

        Only a later verdict, or the end of a thought, can then change the reading.
        """
        if self._closed.search(text.lower()) is None:
            return None
        verdict, how = self.read(text)
        known = verdict not in NO_VERDICTS and how in ("label", "tag", "json")
        return verdict if known else None

    def finished(self, lines: str) -> bool:
        """Whether the complete lines of an unfinished output announce its verdict."""
        return self.completed(lines) is not None


def _settled(output: Output, claims: Sequence[Claim]) -> Parsed:
    """The verdict of all claims, or of the claim named final and those after it."""
    named = {name for claim in claims for name in claim.verdicts}
    if len(named) > 1:
        final = next((n for n, claim in enumerate(claims) if output.is_final(claim.start)), 0)
        claims = claims[final:]
        named = {name for claim in claims for name in claim.verdicts}
    return one_verdict(named, claims[0].how)
