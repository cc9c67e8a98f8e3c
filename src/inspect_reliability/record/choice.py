"""The judge that `choose` chose, as a file: its design, its votes, and the labels that chose it."""

from collections.abc import Hashable, Iterable
from hashlib import sha256
from typing import Annotated, Any, Literal

from pydantic import Field

from ..errors import UserError
from ..parsing.fields import Strict, read_fields
from ..saving import Ours
from .rule import KeepRule

EXACT = "exact"
"""The votes of a judge whose most probable verdict counts."""

_HEAD = "# The judge that inspect-reliability choose chose: --rule takes this.\n"

_Share = Annotated[float, Field(ge=0, le=1)]


class ChosenBy(Strict):
    """The labels that chose: a digest of them, which part of all labels, and their questions."""

    fingerprint: str
    part: Literal["all", "dev"]
    questions: Annotated[tuple[str, ...], Field(min_length=1)]


class ChosenJudge(Strict):
    """A judge, how it is asked, and what is known of it.

    Attributes:
        design: Its judge, temperature, wording and the like, by the names of columns, as texts.
        votes: Verdicts that vote on an output, or "exact" where the most probable one counts.
        order: "both" where votes are over several orders of the options, else "given".
        rule: How they become one verdict.
        abstain: Verdicts that decide nothing.
        accuracy: How often it is right, after choosing.
        at_least: The lower end of the interval of that.
        candidates: How many it was chosen among.
        labels: What chose it.
    """

    design: dict[str, str]
    votes: Annotated[int, Field(ge=1, le=100_000)] | Literal["exact"]
    order: Literal["given", "both"]
    rule: Literal["majority", "most probable"]
    abstain: tuple[str, ...] = ()
    accuracy: _Share
    at_least: _Share
    candidates: Annotated[int, Field(ge=2)]
    labels: ChosenBy

    @property
    def name(self) -> str:
        """The design in words."""
        return ", ".join(
            value if key in ("judge", "benchmark") else f"{key} {value}"
            for key, value in self.design.items()
        )

    @property
    def text(self) -> str:
        """The choice as its file has it."""
        import yaml

        plain = self.model_dump()
        plain["abstain"] = list(self.abstain)
        text: str = yaml.safe_dump(plain, allow_unicode=True, sort_keys=False)
        return _HEAD + text

    @property
    def as_rule(self) -> KeepRule:
        """The rule by which `selective_scorer` asks it: the most frequent of its votes is kept.

        Raises:
            UserError: It is asked for probabilities, or has no judge.
        """
        if self.votes == EXACT or "judge" not in self.design:
            raise UserError(
                f"{self.name} cannot be asked by a scorer: its verdicts are probabilities, or no "
                "judge is named. Choose among sampled verdicts of judges."
            )
        return KeepRule(
            judges=[self.design["judge"]],
            votes=int(self.votes),
            votes_needed=1,
            abstain=list(self.abstain),
            max_error=1 - self.at_least,
            confidence=0.95,
            kept=1.0,
            error=1 - self.accuracy,
            n_labelled=len(self.labels.questions),
        )


def read_choice(path: str) -> ChosenJudge:
    """The choice in a file that `choose --out` wrote.

    Raises:
        UserError: It is no choice; the message names file, line and field.
    """
    _, found = read_fields(ChosenJudge, path)
    return found


def labels_fingerprint(labels: Iterable[Hashable]) -> str:
    """A digest of labels: the same ones give the same, in any order."""
    lines = sorted(map(repr, labels))
    return sha256("\n".join(lines).encode()).hexdigest()[:16]


def _is_choice(path: Any) -> bool:
    with path.open(encoding="utf-8") as file:
        return bool(file.readline() == _HEAD)


CHOICE = Ours("choice that choose --out wrote", _is_choice)
