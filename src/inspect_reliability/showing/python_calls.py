"""The call in Python that does what a printed command does, and the argument for its option."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import Any, Self

from ..arguments import refuse_other_types
from ..judgments.reading import Reading
from ..judgments.rows import has_judgments
from ..judgments.table import Judgments
from ..stats import COEFFICIENTS, SHARES

_PAGE = re.compile(r"report LOGS --html (\S+)")
_ERRORS = re.compile(r"report LOGS --errors \S+")
_CALL = re.compile(
    r"(?P<command>[a-z]+) (?P<source>LOGS|NEW\b)(?P<new> NEW)?(?P<again> \.\.\.)?"
    r"(?P<options>(?: --[a-z][a-z-]*(?: (?:'[^']*'|[^-\s]\S*))?)*)"
)
_INLINE = re.compile(r"inspect-reliability ([a-z]+ LOGS(?: \S*[^\s.])*)(\.?)$")
_FUNCTIONS = {
    **{name: name for name in ("card", "choose", "compare", "gate", "keep", "label", "plan")},
    **{"rank": "rank", "watch": "watch", "report": "analyse", "validate": "analyse"},
}
"""Command -> the function that does the same."""

_READS = ("by", "labels", "columns", "swap", "reading")
"""Arguments of how judgments are read, which the next call needs as well."""

_WRITES = ("out", "save_rule")
"""Arguments of what is written, which is not written again."""

_PLACES = ("labels", "price", "reading", "rule", "stream")
"""Arguments that may be paths."""

_LIST = re.compile(r"^\[\*(\w+)\]$")
"""A list that is called by its name, and nothing beside it."""

_LONGEST = 160
"""Characters of a list or mapping above which it is called by its name."""


@dataclass(frozen=True)
class Call:
    """What a function was called with, for the call that comes next.

    Attributes:
        source: Where the judgments are, as Python writes it; `judgments` where that is no path.
        given: Name of each other argument -> its value as Python writes it, or its name.
        frame: The judgments, if they are a data frame.
        reader: Function that reads them, "" if they are read; None of several files, or of what
            may be any.
        by_row: Names of arguments with a value for each row of a frame whose index repeats: what is
            chosen of its rows is chosen of these.
    """

    source: str = "judgments"
    given: Mapping[str, str] = field(default_factory=dict)
    frame: Any = field(default=None, repr=False, compare=False)
    reader: str | None = None
    by_row: tuple[str, ...] = ()

    @classmethod
    def of(cls, function: Callable[..., Any], *given: Any, **options: Any) -> "Call":
        """These arguments of a function whose first one is the judgments."""
        (_, source), *others = signature(function).bind(*given, **options).arguments.items()
        said = {
            name: _written(value) or (f"[*{name}]" if isinstance(value, list | tuple) else name)
            for name, value in others
            if not _is_unsaid(value)
        }
        places = _written(source) if isinstance(source, str | Path | list | tuple) else None
        frame = source if hasattr(source, "iloc") else None
        by_row = tuple(name for name, value in others if _repeats_index(value, frame))
        return cls(places or "judgments", said, frame, _reader(source), by_row)

    @property
    def without_paths(self) -> "Call":
        """The same for a page, which goes to other people."""
        hidden = {name: name for name in _PLACES if self.given.get(name, "")[:1] in ('"', "[")}
        reader = None if self.frame is None else self.reader
        return replace(self, source="judgments", given={**self.given, **hidden}, reader=reader)

    def then(self, command: str) -> str:
        """What to call for a command on LOGS; the command itself where Python has no call for it.

        Three dots after `LOGS` are every argument that was given.
        """
        if page := _PAGE.fullmatch(command):
            made = f"ir.analyse({self._arguments(self._read)}).to_html()"
            return f'open("{page[1]}", "w", encoding="utf-8").write({made})'
        if command == "report STREAM" and "stream" in self.given:
            return replace(self, source=_LIST.sub(r"\1", self.given["stream"])).then("report LOGS")
        if _ERRORS.fullmatch(command):
            return f"ir.analyse({self._arguments(self._read)}).errors()"
        found = _CALL.fullmatch(command)
        function = _FUNCTIONS.get(found["command"]) if found else None
        new = _options_as_arguments(found["options"]) if found else None
        if found is None or function is None or new is None:
            return f"inspect-reliability {command}  # in a terminal"
        known = dict(self.given) if found["again"] else self._read
        known = {name: of for name, of in known.items() if name not in (*_WRITES, "second")}
        new = {name: self.given.get(name, of) if of.isupper() else of for name, of in new.items()}
        if function == "compare" or {"columns"} <= new.keys():  # `by` names what was compared
            known.pop("by", None)
        if {"labels"} <= known.keys() & new.keys():  # the new ones come to those there are
            new["labels"] = f"[{_unpacked(known['labels'])}, {new['labels']}]"
        if {"columns"} <= known.keys() & new.keys():
            new["columns"] = f"{{{_items(known['columns'])}, {_items(new['columns'])}}}"
        other = self.given.get("second", "second")
        places = {"LOGS": self.source, "NEW": "new" if other == "second" else other}
        new = {name: places.get(of, of) for name, of in new.items()}
        sources = [places[of] for of in (found["source"], (found["new"] or "").strip()) if of]
        return f"ir.{function}({self._arguments({**known, **new}, sources)})"

    def of_rows(self, levels: Mapping[str, str]) -> "Call":
        """The same of the judgments that have these levels, by column.

        Of a data frame these are its rows, if they are seen there. Else they are of what reads the
        judgments, with their labels where some are given: which of the columns are theirs, only
        both together show.
        """
        if not levels:
            return self
        tests = []
        for name, level in levels.items() if self.frame is not None else ():
            found = self.frame[name].dropna().unique().tolist() if name in self.frame else ()
            same = [
                one for one in found if level in (str(one), f"{one:g}" if _is_number(one) else "")
            ]
            if len(same) == 1 and (value := _written(same[0])) is not None:
                tests.append(f"judgments[{json.dumps(name, ensure_ascii=False)}] == {value}")
        if len(tests) == len(levels):
            which = " & ".join(f"({one})" for one in tests) if tests[1:] else tests[0]
            rows = {name: f"{self.given[name]}[{which}]" for name in self.by_row}
            return replace(self, source=f"judgments[{which}]", given={**self.given, **rows})
        only = f".only({_written(levels)})"
        if self.reader == "":
            return replace(self, source=f"{self.source}{only}")
        read = {
            name: of for name, of in self.given.items() if name in ("columns", "swap", "reading")
        }
        if self.reader is None or (read and "labels" in self.given):
            made = f"ir.analyse({self._arguments(self._read)}).judgments{only}"
            known = {*_READS} - {"by"}
            return replace(
                self,
                source=made,
                given={name: of for name, of in self.given.items() if name not in known},
            )
        rest = {name: of for name, of in self.given.items() if name not in read}
        made = f"ir.{self.reader}({self._arguments(read)}){only}"
        return replace(self, source=made, given=rest)

    @property
    def same_rows(self) -> str:
        """That `judgments` are the rows given here, where these look chosen from a larger frame."""
        index = getattr(self.frame, "index", None)
        if index is None or index.dtype.kind not in "iu" or not index.is_monotonic_increasing:
            return ""
        every = getattr(index, "start", None) == 0 and index.step == 1
        return (
            "" if every or not index.is_unique else f"  # judgments: the same {len(index):,} rows"
        )

    @property
    def _read(self) -> dict[str, str]:
        return {name: text for name, text in self.given.items() if name in _READS}

    def _arguments(self, named: Mapping[str, str], sources: Sequence[str] = ()) -> str:
        said = {name: _LIST.sub(r"\1", of) for name, of in named.items()}
        given = [f"{name}={of}" for name, of in said.items()]
        return ", ".join([*(sources or [self.source]), *given])


@dataclass(frozen=True, eq=False, repr=False)
class Answered:
    """What a function answers.

    Attributes:
        call: How it was called.
    """

    call: Call = field(default=Call(), kw_only=True)

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: what was found, without what is computed of it when it is asked for."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def after(self, call: Call) -> Self:
        """The same answer to this call."""
        return replace(self, call=call)


def _reader(source: Any) -> str | None:
    """The function that reads this source; "" if it was read, None if it is several."""
    match source:
        case str() | Path():
            return "judgments_from_file" if has_judgments(str(source)) else "judgments_from_logs"
        case Judgments():
            return ""
    return "judgments_from_frame" if hasattr(source, "iloc") else None


def _repeats_index(value: Any, frame: Any) -> bool:
    """Whether a series has the index of a frame, and several rows under one entry of it."""
    if frame is None or not hasattr(value, "iloc") or hasattr(value, "columns"):
        return False
    return not value.index.is_unique and bool(value.index.equals(frame.index))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _is_unsaid(value: Any) -> bool:
    return value is None or (isinstance(value, str | list | tuple | Mapping) and not value)


def _unpacked(labels: str) -> str:
    """Labels as items of a list: those of a list one by one."""
    return labels[1:-1] if labels.startswith("[") else labels


def _items(mapping: str) -> str:
    """A mapping as items of another: those of one that is written out one by one."""
    return mapping[1:-1] if mapping.startswith("{") else f"**{mapping}"


def _written(value: Any) -> str | None:
    """A value as Python writes it, if that is short; None for data frames and the like."""
    text = None
    match value:
        case None | bool():
            text = repr(value)
        case str() | Path():
            text = json.dumps(str(value), ensure_ascii=False)
        case int() | float():
            text = json.dumps(value)
        case Reading():
            said = {name: _written(of) for name, of in value.entries.items()}
            if None not in said.values():
                text = f"ir.Reading({', '.join(f'{name}={of}' for name, of in said.items())})"
        case Mapping():
            pairs = [(_written(name), _written(of)) for name, of in value.items()]
            if not any(None in pair for pair in pairs):
                text = "{" + ", ".join(f"{name}: {of}" for name, of in pairs) + "}"
        case list() | tuple():
            items = [*map(_written, value)]
            if None not in items:
                text = f"[{', '.join(map(str, items))}]"
    short = text is None or isinstance(value, str | Path) or len(text) <= _LONGEST
    return text if short else None


def _options_as_arguments(options: str) -> dict[str, str] | None:
    """Options as arguments, several `--by` as a list; None where one has none, or two the same."""
    given = [options_in_python(f"--{one}") for one in options.split(" --")[1:]]
    pairs = [one.partition("=") for one in given]
    named: dict[str, list[str]] = {}
    for name, _, value in pairs:
        named.setdefault(name, []).append(value)
    no_value = [name for name, _, value in pairs if name.startswith("--") or not value]
    again = [name for name, values in named.items() if len(values) > 1 and name != "by"]
    if no_value or again:
        return None
    return {
        name: values[0] if len(values) == 1 else f"[{', '.join(values)}]"
        for name, values in named.items()
    }


_WORD = r"[\w+:-]+(?:\.\w+)*"
_FILE = r"[\w./-]+\.(?:csv|html|json|parquet|xlsx|yaml)"
_DATE = r"\d{4}-\d\d-[\w:.+-]*\w"
_PURPOSES = ("keep", "gate", "width")
"""What `label --for` takes; `plan --for` takes names of coefficients and shares."""

_NAMES = "|".join(["none", "bt", "order", *_PURPOSES, *SHARES, *COEFFICIENTS])
_OPTION = re.compile(
    r"(?<![\w-])--(?:(by) (\w+)|([a-z]+(?:-[a-z]+)*)"
    rf"(?: ('[^']*'|{_WORD}={_WORD}|[A-Z]+\b|{_FILE}|{_DATE}|\.?\d[\d.]*\b|(?:{_NAMES})\b))?)"
)
_ARGUMENTS = {
    "abstain": 'reading=ir.Reading(abstain=["{}"])',
    "anytime": "anytime=True",
    "baseline": 'baseline="{}"',
    "by": 'by="{}"',
    "cascade": 'cascade="{}"',
    "column": 'columns={{"{}": "{}"}}',
    "confidence": "confidence={}",
    "current": "current={}",
    "facet": 'reading=ir.Reading(facets=["{}"])',
    "family": "family={}",
    "for": 'names=["{}"]',
    "from": 'reading=ir.Reading(made_by="{}")',
    "labels": "labels={}",
    "map": 'reading=ir.Reading(map={{"{}": "{}"}})',
    "half-width": "half_width={}",
    "html": "to_html()",
    "max": 'most={{"{}": {}}}',
    "max-error": "max_error={}",
    "method": 'method="{}"',
    "most": "most={}",
    "min-kept": "min_kept={}",
    "min": 'least={{"{}": {}}}',
    "no-swap": "swap=False",
    "no-within-one": "within_one=False",
    "out": 'out="{}"',
    "over": 'over="{}"',
    "price": "price={}",
    "read-as": 'reading=ir.Reading(read_as="{}")',
    "rule": 'rule="{}"',
    "save-rule": 'save_rule="{}"',
    "settle": "settle=True",
    "sheet": 'reading=ir.Reading(sheet="{}")',
    "since": 'since="{}"',
    "stream": "stream={}",
    "swap": "swap=True",
    "votes": "votes={}",
    "within-one": "within_one=True",
}
"""Option of the commands -> argument of the functions, with its value in it."""


def _refuse_unknown(function: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Refuse an argument that a function does not have, and say which it has instead.

    Raises:
        TypeError: The message says what is to be given in place of the command's option.
    """
    known = signature(function).parameters
    unknown = next((one for one in options if one not in known), None)
    if unknown is None or any(one.kind is one.VAR_KEYWORD for one in known.values()):
        return
    option = unknown.replace("_", "-")
    form = 'for_="{}"' if option == "for" and "for_" in known else _ARGUMENTS.get(option, "")
    argument = form.partition("=")[0]
    if argument in known or argument.endswith("()"):
        here = form.format(*["..."] * form.count("{}"))
        hint = f"What the command calls --{option} is {here} here."
    elif near := get_close_matches(unknown, known, 1):
        hint = f"Did you mean {near[0]}?"
    else:
        hint = f"It has {', '.join(known)}."
    raise TypeError(f"{function.__name__}() has no argument {unknown!r}. {hint}")


def options_in_python(words: str, call: Call | None = None) -> str:
    """Words with arguments in place of options; other options, and other commands, stay.

    A command on `LOGS` that ends a line is the call that comes after `call`.
    """
    return "\n".join(_line(line, call or Call()) for line in words.split("\n"))


def _line(line: str, call: Call) -> str:
    if (found := _INLINE.search(line)) and (then := call.then(found[1])).startswith("ir."):
        return f"{_with_arguments(line[: found.start()])}{then}{found[2]}"
    return line if "inspect-reliability " in line else _with_arguments(line)


_AGAIN = re.compile(r"\}\) reading=ir\.Reading\(map=\{|\} columns=\{")
"""Between two options of one mapping."""


def _with_arguments(words: str) -> str:
    return _AGAIN.sub(", ", _OPTION.sub(_argument, words))


def _argument(found: re.Match[str]) -> str:
    option, value = found[1] or found[3], found[2] or found[4]
    form = _ARGUMENTS.get(option)
    if option == "for" and value in (None, *_PURPOSES):  # of label, not of plan
        form = 'for_="{}"' if value else "for_"
    if form is None:
        return found[0]
    if value is None or "{}" not in form:
        left = "" if value is None else f" {value}"
        return (form if "{}" not in form else f"{form.partition('=')[0]}=") + left
    if '"' not in form and re.fullmatch(_FILE, value):
        return form.format(f'"{value}"')
    values = (value.strip("'") if '"{}"' in form else value).split("=")
    return form.format(*values) if len(values) == form.count("{}") else found[0]


def _in_pandas(value: Any) -> Any:
    """A table of Arrow, Polars and the like as a data frame."""
    return value.to_pandas() if hasattr(value, "to_pandas") else value


def _each_in_pandas(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _in_pandas(value) for name, value in options.items()}


def speaking_python(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose errors name its arguments, where a command's name its options.

    Its answer knows how it was called, so that it can say what to call next.
    """

    @wraps(function)
    def called(*given: Any, **options: Any) -> Any:
        _refuse_unknown(function, options)
        try:
            asked = signature(function).bind(*map(_in_pandas, given), **_each_in_pandas(options))
            refuse_other_types(function, asked.arguments)
            found = function(*asked.args, **asked.kwargs)
        except ValueError as error:
            if error.args and isinstance(error.args[0], str):
                call = Call.of(function, *given, **options)
                error.args = (options_in_python(error.args[0], call), *error.args[1:])
            raise
        return (
            found.after(Call.of(function, *given, **options)) if hasattr(found, "after") else found
        )

    called.__module__ = __package__.partition(".")[0]  # where pickle finds it
    return called
