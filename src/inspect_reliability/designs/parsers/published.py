"""Reads outputs as the published study's code does."""

import re
from dataclasses import dataclass

from ...errors import UserError
from ...verdicts import CORRECT, INCORRECT
from ..reading import Reading, one_verdict


@dataclass(frozen=True)
class PublishedParser:
    r"""Reads an output as the published study's code does, so that its numbers come out.

    Best of five: `Best Response:\W*([A-Ea-e])`, which takes the first letter of a word for a
    verdict ("Best Response: Explanation" is E). Correct or incorrect: "correct" anywhere in the
    output in any case, unless "incorrect" is in it too; the label "Correctness:" counts as a
    "correct".

    Source: Schroeder & Wood-Doughty (2024), published scripts, judgments and Table 6.

    Raises:
        UserError: The study has no such verdicts.
    """

    verdicts: tuple[str, ...]
    can_contradict = True

    def __post_init__(self) -> None:
        if self.verdicts not in (tuple("ABCDE"), (CORRECT, INCORRECT)):
            raise UserError(
                "parser='published' reads the verdicts of the published study only: A to E, or "
                "correct and incorrect. Use parser='default'."
            )

    def read(self, text: str) -> Reading:
        """Read a whole output."""
        if CORRECT not in self.verdicts:
            letters = re.findall(r"Best Response:\W*([A-Ea-e])", text)
            return one_verdict(map(str.upper, letters), "published")
        lower = text.lower()
        named = [name for name in (INCORRECT, CORRECT) if name in lower]
        return one_verdict(named[:1], "published")

    def completed(self, text: str) -> None:
        """Not known before the end: its verdicts are of whole outputs."""
