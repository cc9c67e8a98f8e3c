"""One recorded verdict."""

from collections.abc import Sequence
from typing import NamedTuple


class Judgment(NamedTuple):
    """One decision of a judge, as a score records it. Fields are the columns of the same names.

    A field is None if the score does not say. `question` is the unit judged: a question, or one of
    several outputs of it; `cluster` is the question itself, whose outputs belong together.
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
    answer_change: str | None = None
    changed_response: str | None = None
    spoils: bool | None = None
