"""The rule of `keep` as a file: each judge, and the votes with which a verdict is kept."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic.dataclasses import dataclass

from ..errors import UserError
from ..files import expect, read_json
from ..verdicts import NO_VERDICTS

_Share = Annotated[float, Field(ge=0, le=1)]


@dataclass(frozen=True, config=ConfigDict(strict=True, extra="forbid"))
class KeepRule:
    """Which verdicts are kept, and what that promises.

    Attributes:
        judges: Their names, in the order in which they are asked.
        votes: Votes that each of them has on an output.
        votes_needed: Votes that its most frequent verdict needs to be kept.
        abstain: Verdicts that decide nothing, so are never kept; so are non-responses.
        max_error: Share of the kept that may be wrong, with probability 1 - `confidence`.
        confidence: Probability, over draws of labels, that no more are.
        kept: Share of questions that was kept when the rule was made.
        error: Share of these, labelled, that was wrong.
        n_labelled: Labelled questions that the rule was made from.
        made_of: For each judge what its logs said of it, by name (`judge_of`): with other settings
            it is another judge, of which the rule promises nothing.
    """

    judges: Annotated[list[str], Field(min_length=1)]
    votes: Annotated[int, Field(ge=1, le=100_000)]
    votes_needed: Annotated[int, Field(ge=1)]
    abstain: list[str]
    max_error: _Share
    confidence: _Share
    kept: _Share
    error: _Share
    n_labelled: Annotated[int, Field(ge=0)]
    made_of: dict[str, dict[str, str]] = Field(default_factory=dict)

    @field_validator("votes_needed")
    @classmethod
    def _can_be_reached(cls, needed: int, known: ValidationInfo) -> int:
        if needed > (votes := known.data.get("votes", needed)):
            raise ValueError(f"{needed} of {votes} votes")
        return needed

    @classmethod
    def read(cls, path: str) -> "KeepRule":
        """The rule in a file.

        Raises:
            UserError: It cannot be read, or is no rule.
        """
        try:
            return cls(**expect(read_json(Path(path)), dict, path))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            why = first["msg"].removeprefix("Value error, ")
            raise UserError(
                f"{path} is no rule of keep: {where}: {why}. Write one with "
                "inspect-reliability keep LOGS --labels FILE --save-rule FILE."
            ) from None

    @property
    def text(self) -> str:
        """The rule as the file has it."""
        known: dict[str, Any] = TypeAdapter(KeepRule).dump_python(self)
        return json.dumps(known, indent=2) + "\n"

    def decide(self, verdicts: Sequence[str | None]) -> tuple[str | None, float]:
        """The verdict that these votes keep, None for none, and the most frequent one's share.

        Votes that failed are None. With fewer than the rule was made of, nothing is kept.
        """
        given = Counter(one for one in verdicts if one is not None)
        if not given:
            return None, 0.0
        (most, n), *others = given.most_common(2)
        open_ = most in (*self.abstain, *NO_VERDICTS) or any(same == n for _, same in others)
        enough = given.total() >= self.votes and n >= self.votes_needed
        return (None if open_ or not enough else most), n / given.total()
