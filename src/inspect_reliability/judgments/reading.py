"""How a source is read: what its user says of it, and what is said or asked of what was found."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from pydantic import Field

from .. import shell
from ..arguments import refuse_other_types
from ..errors import UserError
from ..parsing.fields import Strict, Text, read_fields
from ..saving import Ours
from .columns import JUDGMENTS, Words

Entries: TypeAlias = Mapping[str, Any]
"""Entries of a reading, as in `{"swap": True}` or `{"columns": {"grade": "verdict"}}`."""


class Code(StrEnum):
    """What a note is about."""

    CHOSE = "chose"
    COLUMN = "column"
    COLUMN_OPEN = "column_open"
    EXPORT = "export"
    FAILURES = "failures"
    FAILURES_OPEN = "failures_open"
    FORM = "form"
    LABEL_OPEN = "label_open"
    LABELS = "labels"
    LABELS_OTHER = "labels_other"
    MAP = "map"
    NAMES_OPEN = "names_open"
    NUMBERS = "numbers"
    NUMBERS_OPEN = "numbers_open"
    ORDERS = "orders"
    ORDERS_OPEN = "orders_open"
    OUTPUTS = "outputs"
    OUTPUTS_OPEN = "outputs_open"
    OUTSIDE_OPEN = "outside_open"
    OVERLAP = "overlap"
    PLACES = "places"
    REPEATS = "repeats"
    REPEATS_OPEN = "repeats_open"
    SENTENCES = "sentences"
    SENTENCES_OPEN = "sentences_open"
    SHEETS_OPEN = "sheets_open"
    SPELLING = "spelling"
    TRIES = "tries"
    UNREADABLE = "unreadable"
    UNUSED = "unused"
    LEFT_OUT = "left_out"


class Choice(NamedTuple):
    """One meaning of what a source leaves open.

    Attributes:
        means: It in a few words, as in "names of places".
        entries: The entries of a reading that choose it.
        call: What the user adds to the call to choose it.
        reads: What the source then says, once this was tried.
    """

    means: str
    entries: Entries
    call: str
    reads: str = ""


@dataclass(frozen=True)
class Note:
    """What was found in a source: said, or asked if its user has to choose what it means.

    Attributes:
        what: What it is, in words for a reader of a report ("duplicate judgments left out").
        count: How many judgments, labels or columns it is about.
        where: Log or file.
        code: What it is about.
        choices: What it can mean. Empty unless it is asked.
        column: The column that is not used, or that is asked about.
        why: Why it could not be read, if it could not.
    """

    what: str
    count: int
    where: str
    code: Code = Code.LEFT_OUT
    choices: tuple[Choice, ...] = ()
    column: str | None = None
    why: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.counted}"

    @property
    def counted(self) -> str:
        """What was found, with how many there are."""
        what = _of_one(self.what) if self.count == 1 else self.what
        return f"{self.count:,} {what}"

    @property
    def calls(self) -> tuple[str, ...]:
        """What the user adds to the call to make each choice."""
        return tuple(one.call for one in self.choices)

    @property
    def question(self) -> str:
        """What is asked, with a line for each choice."""
        lines = [
            f"{one.call}\n    {one.means}{one.reads and f': {one.reads}'}" for one in self.choices
        ]
        return "\n  ".join([str(self), *lines])


_THINGS = re.compile(
    r"(row|label|verdict|judgment|answer|score|question|empty cell)s"
    r"(?P<named> '[^']*'(?: beside grades)?)?(?P<that> that)?(?P<rest> .*)",
    re.DOTALL,
)
"""What notes begin with, in the plural."""

_VERBS = {
    **{"are": "is", "have": "has", "repeat": "repeats", "sum": "sums", "name": "names"},
    **{"say": "says", "decide": "decides", "look": "looks", "chose": "chose", "were": "was"},
}

_AGAIN = re.compile(r" (and|or) (are|say)\b")


def _of_one(what: str) -> str:
    """What a note says of one row, say: "rows that are empty" as "row that is empty".

    It stays as it is where a verb comes later, whose subject may be another word.
    """
    if (found := _THINGS.fullmatch(what)) is None:
        return what
    verb = re.split(r"\W", found["rest"][1:], maxsplit=1)[0]
    said, colon, explained = found["rest"][1 + len(verb) :].partition(":")
    if verb in _VERBS:
        said = _AGAIN.sub(lambda of: f" {of[1]} {_VERBS[of[2]]}", said)
        verb = _VERBS[verb]
    elif found["that"] or any(re.search(rf"\b{one}\b", said) for one in _VERBS if one != "were"):
        return what
    beginning = f"{found[1]}{found['named'] or ''}{found['that'] or ''}"
    return f"{beginning} {verb}{said}{colon}{explained}"


class OpenQuestionError(UserError):
    """A source can mean two things, and its user has not chosen one.

    Attributes:
        asked: What is asked.
    """

    asked: Collection[Note] = ()


def refuse_unreadable(notes: Iterable[Note]) -> None:
    """Refuse to decide anything by judgments that are known only in part.

    Raises:
        UserError: A log could not be read.
    """
    for note in notes:
        if note.code is Code.UNREADABLE:
            raise UserError(
                f"{note.where} cannot be read: {note.why}. A gate says nothing without it: mend "
                "it, or leave it out."
            )


def refuse(asked: Collection[Note]) -> None:
    """Refuse what needs one meaning.

    Raises:
        OpenQuestionError: Something is asked. The message says what each choice would read, and
            how to make it.
    """
    if not asked:
        return
    several = len(asked) > 1
    what = "These can each mean two things" if several else "This can mean two things"
    lines = [f"{what}. Choose one, then run it again:", *(one.question for one in asked)]
    if several:
        first = " ".join(one.choices[0].call for one in asked)
        lines.append(f"The first of each at once: {first}")
    error = OpenQuestionError("\n".join(lines))
    error.asked = asked
    raise error


@dataclass(frozen=True)
class Reading:
    """How a source is to be read.

    The first fields are entries, which `save` writes and the options of the commands set.

    Attributes:
        columns: Name in the source -> our name, or `unused`; "a+b" are two columns joined.
        facets: Columns of the user's own that she takes for facets.
        map: Verdict or label as written -> the verdict that it means; "non-response" is none,
            and "failed-call" no answer at all. Said of "non-response" itself, it is of all verdicts
            that are taken for none.
        swap: Whether verdicts under orders with names are those of places, which a swapped order
            exchanges; None if the user does not say.
        read_as: What whole outputs in the column of verdicts can answer, as in "options:A,B,tie",
            "scale:1-10", "json:FIELD" or "pattern:..."; None if verdicts are verdicts.
        made_by: The tool whose export it is; None if the form shows it.
        abstain: Verdicts that decide nothing.
        sheet: The sheet of workbooks that has the rows; None for that which can be read as
            judgments. "A+B" are two as one table, with their names in a column `sheet`. In a
            workbook of labels it is read if it is there.
        constant: Columns that are the same for all rows.
        where: File, or "data frame", for messages.
        in_python: Whether the user speaks Python, not on a command line.
        words: The columns that such a source has.
        may_lack: Columns of labels that a saved reading names, which new judgments may lack.

    Example:
        >>> import inspect_reliability as ir
        >>> reading = ir.Reading(abstain=["none"])
        >>> analysis = ir.analyse("examples/verdicts.csv", reading=reading)
        >>> analysis.frame("validity")[["judge", "undecided", "wrong"]].round(2)
                  judge  undecided  wrong
        0       gpt-5.4        0.0   0.32
        1  gpt-5.4-nano        0.0   0.50
    """

    columns: Mapping[Any, str] = field(default_factory=dict)
    facets: Sequence[str] = ()
    map: Mapping[str, str] = field(default_factory=dict)
    swap: bool | None = None
    read_as: str | None = None
    made_by: str | None = None
    abstain: Sequence[str] = ()
    sheet: str | None = None
    constant: Mapping[str, Any] = field(default_factory=dict)
    where: str = ""
    in_python: bool = False
    words: Words = JUDGMENTS
    may_lack: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Check the entries; a single name is a list of one."""
        for name in ("abstain", "facets"):
            if isinstance(one := getattr(self, name), str):
                object.__setattr__(self, name, (one,))
        if isinstance(self.columns, Mapping):  # columns of a frame may be called by numbers
            named = {str(yours): ours for yours, ours in self.columns.items()}
            object.__setattr__(self, "columns", named)
        refuse_other_types(Reading, vars(self))

    @property
    def hint(self) -> str:
        """How to say which column is which."""
        if self.in_python:
            yours, ours = self.words.example.split("=")
            pair = '"id": "question"' if self.words is JUDGMENTS else f'"{yours}": "{ours}"'
            return f"Say which it is, your name first: columns={{{pair}}}."
        return f"Say which it is: --column YOURS=OURS, as in --column {self.words.example}."

    def call(self, entries: Entries) -> str:
        """What the user adds to a call to say these entries."""
        said = {name: value for name, value in entries.items() if value not in ({}, (), None)}
        if self.in_python:
            own = [f"{name}={said.pop(name)!r}" for name in _OWN if name in said]
            others = ", ".join(f"{name}={of!r}" for name, of in said.items())
            return ", ".join([*own, *([f"reading=ir.Reading({others})"] if others else [])])
        return shell.join(one for name, of in said.items() for one in _OPTIONS[name](of))

    def column_call(self, ours: str, *yours: str) -> str:
        """What the user adds to a call to say that these columns are this one."""
        if not self.in_python:  # one column of several
            return " ".join(self.call({"columns": {one: ours}}) for one in yours)
        return self.call({"columns": dict.fromkeys(yours, ours)})

    def yours(self, ours: str) -> str:
        """The source's name of one of our columns."""
        return next((yours for yours, one in self.columns.items() if one == ours), ours)

    def choice(self, means: str, entries: Entries) -> Choice:
        """One meaning, with the call that chooses it."""
        return Choice(means, entries, self.call(entries))

    def chosen(self, entries: Entries) -> Reading:
        """Add entries to a reading: mappings are joined, other entries replaced."""
        made = {name: _merged(getattr(self, name), of) for name, of in entries.items()}
        typed = entries.get("columns", {})
        may_lack = tuple(one for one in self.may_lack if one not in typed)
        return replace(self, **{"may_lack": may_lack, **made})

    @classmethod
    def of(cls, given: Reading | None, **entries: Any) -> Reading:
        """A reading with more entries."""
        known = given or cls()
        return known.chosen({name: of for name, of in entries.items() if of not in ({}, (), None)})

    @property
    def entries(self) -> dict[str, Any]:
        """What the user says, without what is empty."""
        found = {one.name: getattr(self, one.name) for one in fields(self)[:_ENTRIES]}
        return {name: of for name, of in found.items() if of not in ({}, (), [], None)}


_OWN = ("columns", "swap")
"""Entries that are arguments of their own in Python."""

_ENTRIES = 8
"""How many of the fields are entries."""

_OPTIONS: Mapping[str, Callable[[Any], list[str]]] = {
    "columns": lambda of: _each("--column", map("=".join, of.items())),
    "map": lambda of: _each("--map", map("=".join, of.items())),
    "facets": lambda of: _each("--facet", of),
    "abstain": lambda of: _each("--abstain", of),
    "swap": lambda of: ["--swap" if of else "--no-swap"],
    "read_as": lambda of: ["--read-as", of],
    "made_by": lambda of: ["--from", of],
    "sheet": lambda of: ["--sheet", of],
}


def _each(option: str, values: Iterable[str]) -> list[str]:
    return [word for one in values for word in (option, one)]


def _merged(old: Any, new: Any) -> Any:
    if isinstance(old, Mapping):
        return {**old, **new}
    return (*old, *(one for one in new if one not in old)) if isinstance(old, tuple | list) else new


# A reading as a file.


_HEAD = "# How inspect-reliability reads a file: --reading takes this.\n"


def _is_reading(path: Path) -> bool:
    """Whether a file begins as those of `reading_text`."""
    with path.open(encoding="utf-8") as file:
        return file.readline() == _HEAD


READING = Ours("reading that read --save wrote", _is_reading)


class _ReadingFields(Strict):
    """The fields of a file of a reading."""

    columns: dict[Text, Text] = Field(default_factory=dict)
    facets: tuple[Text, ...] = ()
    map: dict[Text, Text] = Field(default_factory=dict)
    swap: bool | None = None
    read_as: Text | None = None
    made_by: Text | None = Field(None, alias="from")
    abstain: tuple[Text, ...] = ()
    sheet: Text | None = None


def read_reading(path: str | Path) -> Reading:
    """Read the reading in a YAML or JSON file that `write_reading` or a person wrote.

    Raises:
        UserError: It is no reading; the message names file, line and field.
    """
    _, found = read_fields(_ReadingFields, path)
    labels = tuple(yours for yours, ours in found.columns.items() if ours == "label")
    entries = {name: getattr(found, name) for name in _ReadingFields.model_fields}
    return Reading(**entries, may_lack=labels)


def reading_text(reading: Reading) -> str:
    """A reading as the file that `read_reading` reads."""
    import yaml

    names = {"made_by": "from"}
    entries = {names.get(name, name): of for name, of in reading.entries.items()}
    plain = {name: list(of) if isinstance(of, tuple) else of for name, of in entries.items()}
    text: str = yaml.safe_dump(plain, allow_unicode=True, sort_keys=False)
    return _HEAD + text
