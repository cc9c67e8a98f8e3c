"""What a published study may add to a report; without one, nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..judgments.text import JudgmentText, judgment_text
from ..stats import Estimate
from .row import Row, values
from .wording import Record, of_group


@dataclass(frozen=True)
class Added:
    """What a study adds to one row.

    Attributes:
        estimates: Its own coefficients.
        numbers: Its other results, as plain values.
        not_estimable: Why some of them are missing.
        cautions: What a reader must know of them.
    """

    estimates: Mapping[str, Estimate] = field(default_factory=dict)
    numbers: Record = field(default_factory=dict)
    not_estimable: Mapping[str, str] = field(default_factory=dict)
    cautions: tuple[str, ...] = ()

    def to(self, row: Row) -> Row:
        """The row with these results among its own.

        Raises:
            UserError: A column that was grouped by has the name of a number.
        """
        numbers = dict(row.record)
        why = numbers.pop("not_estimable") | self.not_estimable
        cautions = [*numbers.pop("cautions"), *self.cautions]
        numbers |= values(self.estimates, why) | self.numbers
        record = of_group(row.group, numbers | {"not_estimable": why, "cautions": cautions})
        return replace(row, estimates={**row.estimates, **self.estimates}, record=record)


class Study:
    """No study: rows have our own results, and texts come from logs."""

    def added(self, row: Row) -> Added:
        """What the study adds to a row."""
        return Added()

    def text(self, judgment: Mapping[str, Any]) -> JudgmentText | None:
        """Prompt and output of one row of the judgments; None if they cannot be read."""
        return judgment_text(judgment)


NO_STUDY = Study()
