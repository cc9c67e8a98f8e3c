"""What a judge can answer, and how its outputs are read."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..errors import UserError
from ..verdicts import INVALID, NON_RESPONSE
from .parsers import Parser, make_parser
from .reading import ParserName, Reading

Verdict = Mapping[str, Any] | Sequence[str]
"""`{"options": labels}`, a list of words, or `{"from": 1, "to": 10}`."""

MOST_OPTIONS = 26


@dataclass(frozen=True)
class Reader:
    """Reads the outputs of a judge.

    Attributes:
        verdict: What the judge can answer, as `JudgeDesign.verdict`.
        parser: How to find the verdict in an output, as `JudgeDesign.parser`.

    Raises:
        UserError: A field is not what it should be; the message names it.
    """

    verdict: Verdict
    parser: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        _ = self.verdicts, self._fields

    @cached_property
    def kind(self) -> str:
        """What a verdict is: one of the "options" shown, one of some "words", or on a "scale"."""
        if not isinstance(self.verdict, Mapping):
            return "words"
        return "options" if "options" in self.verdict else "scale"

    @cached_property
    def verdicts(self) -> tuple[str, ...]:
        """Every verdict the judge can give, lowest to highest on a scale."""
        if self.kind == "scale":
            return _scale(self.verdict)
        named = self.verdict["options"] if isinstance(self.verdict, Mapping) else self.verdict
        return _names(named, "verdict, options" if self.kind == "options" else "verdict")

    @property
    def categories(self) -> tuple[str, ...]:
        """Every category a judgment can fall into; chance-corrected coefficients need them all."""
        # A pattern bound to the beginning matches once; every other parser can find two verdicts.
        once = str(self._fields.get("pattern", "")).startswith(r"\A")
        return (*self.verdicts, NON_RESPONSE, *(() if once else (INVALID,)))

    def read(self, output: str, parser: ParserName = "default") -> Reading:
        """Read a verdict from a judge's whole output.

        Returns:
            One of `verdicts`; "non-response" where the output names none; "invalid" where it
            names several.

        Raises:
            UserError: No parser of that name reads these verdicts.
        """
        return self._parser(parser).read(output)

    def completed(self, output: str) -> str | None:
        """Read the verdict of an output that is still being written; None before it names one."""
        return self._parser("default").completed(output)

    @cached_property
    def _fields(self) -> dict[str, Any]:
        return _parser_fields(self.parser)

    def _parser(self, name: ParserName) -> Parser:
        return make_parser(self.kind, self.verdicts, name, **self._fields)


def _scale(verdict: Any) -> tuple[str, ...]:
    known = {"from", "to"}
    if set(verdict) != known:
        raise UserError(
            "verdict: expected {options: [...]}, a list of words, or {from: 1, to: 10}; "
            f"found the fields {', '.join(map(str, verdict)) or 'none'}."
        )
    ends = [str(verdict[key]) for key in ("from", "to")]
    if not all(re.fullmatch(r"-?\d{1,6}", end) for end in ends):
        raise UserError(
            f"verdict: 'from' and 'to' must be whole numbers, not {' and '.join(ends)}."
        )
    low, high = map(int, ends)
    if low >= high:
        raise UserError(f"verdict: 'from' must be below 'to', but {low} is not below {high}.")
    if high - low > 1000:
        raise UserError(f"verdict: a scale from {low} to {high} has more than 1,001 values.")
    return tuple(str(value) for value in range(low, high + 1))


def _names(values: object, where: str) -> tuple[str, ...]:
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise UserError(f"{where}: expected a list of texts.")
    names = tuple(values)
    for name in names:
        if not isinstance(name, str) or not name.strip():
            raise UserError(f"{where}: expected texts. Put each in quotes.")
        if name != " ".join(name.split()):
            raise UserError(f"{where}: remove the white space around or doubled in '{name}'.")
        if name in (NON_RESPONSE, INVALID):
            raise UserError(f"{where}: '{name}' is what outputs without a verdict are called.")
    if len({name.casefold() for name in names}) < len(names):
        raise UserError(f"{where}: two verdicts differ only in case, or not at all.")
    if not 2 <= len(names) <= MOST_OPTIONS:
        raise UserError(f"{where}: expected 2 to {MOST_OPTIONS} verdicts, found {len(names)}.")
    return names


def _parser_fields(parser: object) -> dict[str, Any]:
    """The fields of `JudgeDesign.parser`, as arguments that can be a key."""
    if parser is None:
        return {}
    if not isinstance(parser, Mapping) or len(parser) != 1 or not {*parser} <= _PARSER_FIELDS:
        raise UserError("parser: expected one of {labels: [...]}, {pattern: ...} and {json: ...}.")
    ((kind, value),) = parser.items()
    if kind == "labels":
        if isinstance(value, str) or not isinstance(value, Sequence) or not value:
            raise UserError("parser, labels: expected a list of texts.")
        if not all(isinstance(label, str) and label.strip() for label in value):
            raise UserError("parser, labels: expected texts. Put each in quotes.")
        return {"labels": tuple(value)}
    if not isinstance(value, str) or not value.strip():
        raise UserError(f"parser, {kind}: expected a text.")
    if kind == "pattern":
        try:
            groups = re.compile(value).groups
        except (re.error, RecursionError, OverflowError) as error:
            raise UserError(f"parser, pattern: not a regular expression: {error}.") from None
        if not groups:
            raise UserError(
                "parser, pattern: put the verdict into a group, as in 'Verdict: (\\w+)'."
            )
    return {kind: value}


_PARSER_FIELDS = {"labels", "pattern", "json"}
