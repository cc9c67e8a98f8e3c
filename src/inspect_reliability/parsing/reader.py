"""What a judge can answer, and how to read its outputs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from ..verdicts import INVALID, NON_RESPONSE
from .fields import Options, ReaderFields, Scale, checked
from .parsed import Parsed, Parser
from .parsers.default import DefaultParser
from .parsers.patterns import JsonParser, PatternParser
from .parsers.spelling import spelled_as

Verdict = Mapping[str, Any] | Sequence[str]
"""`{"options": labels}`, a list of words, `{"from": 1, "to": 10}`, or `{"criteria": ...}`."""


@dataclass(frozen=True)
class Reader:
    """Reads the outputs of a judge.

    Attributes:
        verdict: The judge's possible answers, as `JudgeDesign.verdict`.
        parser: How to find the verdict in an output, as `JudgeDesign.parser`.

    Raises:
        UserError: A field is not what it should be; the message names it.
    """

    verdict: Verdict
    parser: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        _ = self._fields

    @cached_property
    def kind(self) -> str:
        """The kind of verdict: "options" (those shown), "words", "scale" or "criteria"."""
        verdict = self._fields.verdict
        return "words" if isinstance(verdict, tuple) else verdict.kind

    @cached_property
    def options(self) -> tuple[str, ...]:
        """The labels of the responses shown; empty where the judge does not choose."""
        verdict = self._fields.verdict
        return verdict.options if isinstance(verdict, Options) else ()

    @cached_property
    def verdicts(self) -> tuple[str, ...]:
        """All possible verdicts: options first, a scale from lowest to highest.

        Empty if they cannot be listed: numbers with decimals, several criteria.
        """
        verdict = self._fields.verdict
        return verdict if isinstance(verdict, tuple) else verdict.names

    @cached_property
    def ends(self) -> tuple[str, ...]:
        """The lowest and the highest number of a scale; empty for other judges."""
        verdict = self._fields.verdict
        return verdict.ends if isinstance(verdict, Scale) else ()

    @cached_property
    def criteria(self) -> Mapping[str, "Reader"]:
        """The reader of each criterion by its name in the JSON object; empty without criteria."""
        if self.kind != "criteria" or not isinstance(self.verdict, Mapping):
            return {}
        given = self.verdict["criteria"].items()
        return {name: Reader(verdict, {"json": name}) for name, verdict in given}

    @property
    def categories(self) -> tuple[str, ...]:
        """All categories of a judgment; empty if they cannot be listed."""
        if not self.verdicts:
            return ()
        # A pattern bound to the beginning matches once; every other parser can find two verdicts.
        once = str((self.parser or {}).get("pattern", "")).startswith(r"\A")
        return (*self.verdicts, NON_RESPONSE, *(() if once else (INVALID,)))

    def read(self, output: str) -> Parsed:
        """Read one of `verdicts` from a whole output: "non-response" is none, "invalid" several."""
        return self._read(output)

    @cached_property
    def _read(self) -> Callable[[str], Parsed]:
        # Most replications say the same, and reading takes longer than looking up.
        return lru_cache(maxsize=256)(self._parser.read)

    def value(self, output: str) -> tuple[str | dict[str, str], str]:
        """What a score keeps of an output: the verdict, or one per criterion; and its form."""
        if not self.criteria:
            return self.read(output)
        read = {name: one.read(output) for name, one in self.criteria.items()}
        how = max(one.how for one in read.values())
        return {name: one.verdict for name, one in read.items()}, how

    def finished(self, output: str) -> bool:
        """Whether an unfinished output has its verdict, in lines that are complete.

        What follows could only contradict it: the rest of an explanation, or another verdict.
        """
        lines = output.rpartition("\n")[0]
        return bool(lines) and self._names(f"{lines}\n")

    @cached_property
    def _names(self) -> Callable[[str], bool]:
        """Whether complete lines name a verdict: asked at every token, and mostly of known ones."""

        def names(lines: str) -> bool:
            if self.criteria:
                return all(one.finished(lines) for one in self.criteria.values())
            return self._parser.finished(lines)

        return lru_cache(maxsize=4096)(names)

    def completed(self, output: str) -> str | None:
        """Read the verdict of an unfinished output; None until it names one."""
        return None if self.criteria else self._parser.completed(output)

    @cached_property
    def _fields(self) -> ReaderFields:
        return checked(ReaderFields, {"verdict": self.verdict, "parser": self.parser})

    @cached_property
    def _parser(self) -> Parser:
        verdict, parser = self._fields.verdict, self._fields.parser
        scale = verdict if isinstance(verdict, Scale) else None
        if parser and parser.pattern:
            spelled = scale.spelled if scale else spelled_as(self.verdicts)
            return PatternParser(parser.pattern, spelled)
        labels = tuple((parser and parser.labels) or ())
        if scale:
            value = DefaultParser(self.kind, scale.ends, scale.spelled, labels)
        else:
            value = _of_names(self.kind, self.verdicts, labels)
        return JsonParser(parser.json_field, value) if parser and parser.json_field else value


@lru_cache(maxsize=64)
def _of_names(kind: str, names: tuple[str, ...], labels: tuple[str, ...]) -> DefaultParser:
    """One for all readers of these verdicts: its expressions take as long as reading outputs."""
    return DefaultParser(kind, names, spelled_as(names), labels)
