"""One verdict on record."""

from collections.abc import Sequence
from typing import NamedTuple


class Judgment(NamedTuple):
    """What a score says a judge decided, once.

    Attributes:
        question: What was judged: a question, or one of several outputs of it.
        cluster: The question itself. Its outputs belong together: other questions would bring
            other outputs.
        scorer: Name of the scorer, with the key of the part (`rubric.style`) where its score has
            several parts.
        verdict: Name of the category; None where there is none.
        replication: Number of the replication, from 1; None where the score does not say.
        seed: Seed that was sent; None where the score does not say.
        categories: All verdicts that the judge could have given; None where that is not known.
        order: Names of the responses shown, in the order of the option labels; None where the
            judge did not choose among options.
        responder: Whose response was chosen or, without options, judged.
        share: Probability of the verdict, where the score has the exact distribution; None where
            the verdict was drawn.
        place: Number of the verdict in its exact distribution, from 1; None where it was drawn.
        tail: True where the verdict was drawn from what the exact distribution leaves open; such
            draws share its probability.
        temperature: Temperature of the exact distribution; None where it is that of the run.
        read_by: How the verdict was found in the output; None where the score does not say.
        wording: Name of the prompt's wording; None where the score does not say.
        best: Response that is known to be best; None where none is.
        label: Verdict that is known to be right; None where none is.
        missing: Whether the answer that was judged is missing; None where the score does not say.
    """

    question: str
    cluster: str
    scorer: str
    verdict: str | None
    replication: int | None = None
    seed: int | None = None
    categories: Sequence[str] | None = None
    order: Sequence[str] | None = None
    responder: str | None = None
    share: float | None = None
    place: int | None = None
    tail: bool | None = None
    temperature: float | None = None
    read_by: str | None = None
    wording: str | None = None
    best: str | None = None
    label: str | None = None
    missing: bool | None = None

    @property
    def weight(self) -> float:
        """How many judgments this one counts for."""
        return 1.0 if self.share is None else self.share
