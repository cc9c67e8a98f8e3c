"""Each value of a frame as its column holds it; whole outputs are read as verdicts."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, time
from decimal import Decimal
from hashlib import blake2b
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, TypeAdapter

from ..errors import CellError, UserError
from ..verdicts import NO_VERDICTS, NON_RESPONSE
from .columns import COLUMNS, LARGEST, N_JUDGMENTS, SETTLED_LABEL, Kind, each_once, without_arrays
from .count import NUMBER
from .reading import Code, Note, Reading
from .score import verdict_name
from .table import clean_temperature

if TYPE_CHECKING:
    import pandas as pd

    from ..parsing.parsed import Parsed
    from .table import Saved


FORMS = "options:A,B,tie, scale:1-10, json:FIELD or pattern:REGEX"
"""What `read_as` can be."""

OUTPUT = "judge_output"
"""The column that keeps what the judge wrote, where verdicts are read from it."""

_LONG = 30
"""Characters from which a verdict is a text."""

_FEWEST = 8
"""Different texts from which they may be whole outputs."""

_MOSTLY = 0.8
"""Share of rows that must be read, or be different texts."""

_ROWS = 200
"""Rows that show how outputs end."""

_SCALE = re.compile(r"(-?\d+(?:\.\d+)?)\s*(?:-|to|\.\.)\s*(-?\d+(?:\.\d+)?)")


def as_verdicts(frame: pd.DataFrame, reading: Reading) -> pd.DataFrame:
    """A frame whose outputs are the verdicts in them, if the reading says how to read them.

    Raises:
        UserError: `read_as` has another form.
    """
    if reading.read_as is None:
        return frame
    read = reader(reading.read_as)
    verdict = each_once(frame["verdict"], lambda one: None if one is None else read(_text_of(one)))
    kept = {} if OUTPUT in frame else {OUTPUT: frame["verdict"]}
    return frame.assign(verdict=verdict.where(frame["verdict"].notna(), None), **kept)


def _text_of(value: Any) -> str:
    """An output as text: a whole number without decimals, which spreadsheets and pandas add."""
    text = str(plain(value))
    whole = _WITH_ZEROS.fullmatch(text)
    return whole[1] if whole else text


def verdicts_of_outputs(frame: pd.DataFrame, reading: Reading) -> list[Note]:
    """Ask how to read verdicts that are whole outputs: long texts, nearly all different.

    What is offered was tried on the first rows, and reads most of them.
    """
    given = frame["verdict"].dropna()
    texts = [one for one in given.head(_ROWS) if isinstance(one, str)]
    long = [one for one in texts if len(one) > _LONG]
    if reading.read_as or len(texts) < 2 or len(long) < len(texts) / 2:
        return []
    if len({*texts}) < max(_FEWEST, len(texts) / 4):
        return []
    ways = []
    for spec in dict.fromkeys(_proposed(texts)):
        read = [reader(spec)(one) for one in texts]
        known = [one for one in read if one not in NO_VERDICTS]
        if len(known) >= _MOSTLY * len(texts) and len({*known}) < max(len(texts) / 2, 2):
            shown = ", ".join(f"{one!r:.20}" for one in read[:5])
            ways.append(reading.choice(f"the first are {shown}", {"read_as": spec}))
    if not ways:
        example = reading.call({"read_as": "options:A,B,tie"})
        raise UserError(
            f"{reading.where}: the verdicts are texts, such as {texts[0]!r:.60}, and most differ. "
            f"Say what a judge can answer, as in {example} ({FORMS}), or name another column: "
            f"{reading.hint}"
        )
    what = "verdicts are whole outputs: say how their verdicts are read"
    return [Note(what, len(given), reading.where, Code.OUTPUTS_OPEN, tuple(ways[:3]))]


def reader(spec: str) -> Callable[[str], str]:
    """What reads an output, as `read_as` says."""
    from ..parsing.parsers.patterns import JsonParser, PatternParser  # they import inspect
    from ..parsing.reader import Reader

    kind, _, of = spec.partition(":")
    how: Any
    if (
        kind == "options"
        and len(names := [one.strip() for one in of.split(",") if one.strip()]) > 1
    ):
        letters = [one for one in names if len(one) == 1]
        others = [one for one in names if one not in letters]
        verdict = {"options": letters, "also": others} if len(letters) > 1 else names
        how = Reader(verdict)
    elif kind == "scale" and (ends := _SCALE.fullmatch(of.strip())):
        low, high = map(float, ends.groups())
        step = {"step": "any"} if "." in of or high - low <= 1 else {}
        how = Reader({"from": low, "to": high, **step})
    elif kind == "json" and of:
        how = JsonParser(of, _AsWritten())  # type: ignore[arg-type]
    elif kind == "pattern" and of:
        Reader(["a", "b"], {"pattern": of})  # checks it
        how = PatternParser(of, str.strip)
    else:
        raise UserError(f"read_as={spec!r:.60} is not known. Use {FORMS}.")
    return lambda text: str(how.read(text).verdict)


class _AsWritten:
    """Takes a value as the verdict."""

    def read(self, text: str) -> Parsed:
        """Read a whole value."""
        from ..parsing.parsed import Parsed

        return Parsed(text.strip(), "json") if text.strip() else Parsed(NON_RESPONSE)


_BRACKETS = re.compile(r"\[\[\s*([^\[\]]{1,30}?)\s*\]\]")

_NAMED = re.compile(
    r"(?:verdict|winner|answer|choice|decision|judgment|judgement|preferred|better)\b[\"'*_\s]*(?:is|[:=])"
    r"[\s\"'*_\[(]*(?:(?:response|answer|option|assistant|model)\s+)?([A-Za-z]{1,12}\b)",
    re.IGNORECASE,
)

_RATED = re.compile(
    r"(?:score|rating|grade)\b[\"'*_\s]*(?:is|of|[:=])?[\s\"'*_\[(]*(\d+(?:\.\d+)?)", re.IGNORECASE
)

_FIELD = re.compile(r"\"([A-Za-z_][\w ]{0,30})\"\s*:")


def _proposed(texts: Sequence[str]) -> Iterator[str]:
    """Ways to read outputs, the surest first."""
    ends = Counter(found[-1] for one in texts if (found := _BRACKETS.findall(one)))
    if ends.total() >= _MOSTLY * len(texts):
        yield from _answers([*ends])
    fields = Counter(name for one in texts for name in {*_FIELD.findall(one)})
    for name, n in fields.most_common(5):
        if n >= _MOSTLY * len(texts):
            yield f"json:{name}"
    for pattern in (_NAMED, _RATED):
        said = Counter(found[-1] for one in texts if (found := pattern.findall(one)))
        if said.total() >= _MOSTLY * len(texts):
            yield from _answers([one for one, n in said.items() if n > 0.01 * said.total()])


def _answers(names: Sequence[str]) -> Iterator[str]:
    """The options or the scale that these names are of."""
    numbers = [float(one) for one in names if re.fullmatch(r"\d+(\.\d+)?", one)]
    if len(numbers) == len(names) > 1:
        whole = all(one.is_integer() for one in numbers)
        top = next((one for one in (1, 5, 10, 100) if one >= max(numbers)), max(numbers))
        low = min(0 if min(numbers) < 1 else 1, min(numbers))
        yield f"scale:{low:g}-{top:g}" if whole else f"scale:{low:.1f}-{top:.1f}"
    elif len(names) > 1:
        letters = sorted({one for one in names if len(one) == 1})
        yield "options:" + ",".join([*letters, *sorted({*names} - {*letters})])


_UNSEEN = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff"))
_WHOLE = re.compile(r"([+-]?(?:0|[1-9]\d*))\.0+")
_WITH_ZEROS = re.compile(r"([+-]?(?:0|[1-9]\d*))(?:\.0+|,00?)")
_NONE = {
    *("", "na", "n/a", "n.a.", "nan", "<na>", "null"),
    *("#n/a", "#value!", "#div/0!", "#ref!", "#name?", "#num!", "#null!", "#spill!", "#calc!"),
    *("#nv", "#wert!", "#bezug!", "#zahl!", "#überlauf!", "#valeur!", "#nom?", "#nombre!"),
    *("#nul!", "#n/d", "#¡valor!", "#¡div/0!", "#¡ref!", "#¿nombre?", "#¡num!", "#¡nulo!"),
    *("#valore!", "#rif!", "#nome?", "#nullo!", "#waarde!", "#verw!", "#naam?", "#getal!"),
}
"""What people write where there is no verdict, and spreadsheets where a formula failed."""
_MINUS = str.maketrans("−–—﹣－", "-----")
_HUGE = 1e15
"""No grade is as large."""
_QUOTED = r"""(?:'([^']*)'|"([^"]*)")"""
_AS_PRINTED = re.compile(rf"[\[(]\s*{_QUOTED}(?:[,\s]\s*{_QUOTED})*\s*,?\s*[\])]")
"""A list of names as Python, or numpy, prints it into a CSV."""
_OF_DATE = (
    " A spreadsheet makes dates of texts such as 1.5: give the column the format Text, and write "
    "the grade again."
)
_LAST = re.compile(r".*?(\d{1,18})", re.DOTALL)


def converted(values: pd.Series[Any], where: str, saved: Saved | None = None) -> pd.Series[Any]:
    """A column converted to its kind, in a saved file maybe from JSON; each different value once.

    Columns of the user's own are texts, as a CSV has them; a saved file has them as they are.

    Raises:
        UserError: A value is of another kind.
    """
    import pandas as pd

    name = str(values.name)
    kind: Kind = COLUMNS[name].kind if name in COLUMNS else "any"
    own = _OWN if name not in COLUMNS and saved is None else _KINDS[kind]
    convert, what = _BY_NAME.get(name, own)
    may_be = name in _OF_GRADES and values.dtype == object
    texts = may_be and pd.api.types.infer_dtype(values) in ("string", "empty")
    dates = [_has_day(value) for value in values] if may_be and not texts else []
    days = 0 < 2 * sum(dates) < values.notna().sum()  # of grades, as `days` reads them
    as_json = saved is not None and name in saved.as_json

    def one(value: Any) -> Any:
        if days:
            value = _day_as_text(value)
        try:
            return convert(json.loads(value) if as_json else plain(value))
        except (OverflowError, TypeError, ValueError):
            same = (str(without_arrays(other)) == str(value) for other in values)
            row = next(n for n, found in enumerate(same, 1) if found)
            date = isinstance(value, datetime)
            hint = _OF_DATE if date else ""
            if name in ("verdict", "label") and str(value).strip("+-").casefold()[:3] == "inf":
                hint += " Leave the cell empty if there is no verdict."
            if name == "temperature":
                hint += " Write the number alone, or leave the column out (temperature=unused)."
            shown = f"{value:%Y-%m-%d}" if date else f"{value!r:.40}"
            said = f"{shown} is not {what}.{hint}"
            raise CellError.of(where, row, name, str(value), said) from None

    if values.dtype in ("float16", "float32"):  # 0.1 is no 0.10000000149
        values = values.astype(str).astype(float)
    made = each_once(values, one)
    return made.astype(float) if kind == "number" else made


_OF_GRADES = ("verdict", "label", SETTLED_LABEL)
"""Columns that may have grades of which a spreadsheet made days."""


def _has_day(value: Any) -> bool:
    """Whether a cell is a time, or a list with one."""
    return any(isinstance(one, datetime) for one in (value if isinstance(value, list) else [value]))


def _day_as_text(value: Any) -> Any:
    """A day, or each in a list, as text; anything else as it is."""
    if isinstance(value, list):
        return [*map(_day_as_text, value)]
    day = isinstance(value, datetime) and value.time() == time()
    return f"{value:%Y-%m-%d}" if day else value


def as_their_user_sees(
    error: CellError,
    frame: pd.DataFrame,
    columns: Mapping[str, str],
    row_of: Callable[[int], int],
) -> CellError:
    """An error of a value with its row and column in a frame as it was given.

    Args:
        error: The error.
        frame: Rows that have the value.
        columns: Name there -> our name.
        row_of: The number of a row, from 0 -> what its user calls it.
    """
    names = [yours for yours, ours in columns.items() if ours == error.column and yours in frame]
    names = names or [error.column] * (error.column in frame)
    for n, row in enumerate(frame[names].itertuples(index=False)):
        for name, value in zip(names, row, strict=True):
            if str(without_arrays(value)) == error.written:
                return error.at(row_of(n), name)
    return error


def numbered_tries(frame: pd.DataFrame, where: str) -> tuple[pd.DataFrame, list[Note]]:
    """A frame whose replications are numbers where they are names, with a note on these.

    "run-1" is 1 where every name ends in a number of its own; else names are numbered within each
    question, from A to Z.
    """
    values = frame.get("replication")
    if values is None or values.isna().all():
        return frame, []
    if (given := values.notna().to_numpy()).sum() < len(values):  # as in a row of totals
        numbered, notes = numbered_tries(frame[given], where)
        filled = values.to_numpy(dtype=object, copy=True)
        filled[given] = numbered["replication"]
        return (frame.assign(replication=filled) if notes else frame), notes
    texts = each_once(values, lambda one: str(plain(one)))
    names = sorted({*texts})
    if all(map(NUMBER.fullmatch, names)):
        return frame, []
    if all(map(_ID.fullmatch, names)):
        # Other files may have other runs, so that numbers within this one would not do.
        what = f"runs told apart by their ids, as {names[0]!r:.40}"
        return frame.assign(replication=texts.map(_number_of_id)), [
            Note(what, len(frame), where, Code.TRIES)
        ]
    try:
        number = {one: number_of_try(one) for one in names}
    except ValueError:
        number = {}
    how = "read as the numbers in which they end"
    made = texts.map(number)
    if len({*number.values()}) < len(names):
        how = "numbered within each question"
        place = texts.map({one: n for n, one in enumerate(names)})
        made = place.groupby(frame["question"].map(str).to_numpy()).rank("dense").astype(int)
    example = next(n for n, one in enumerate(texts) if not NUMBER.fullmatch(one))
    what = f"replications {how}, as {texts.iloc[example]!r:.40} for {made.iloc[example]}"
    return frame.assign(replication=made), [Note(what, len(frame), where, Code.TRIES)]


_ID = re.compile(
    r"(?:[\w.-]*[\s_-])?(?:[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}"
    r"|(?=[a-z\d]*\d)(?=\d*[a-z])[a-z\d]{12,}|[\w./\\-]+\.(?:eval|json|jsonl|csv|log|txt))",
    re.IGNORECASE,
)
"""A UUID, a hash, or the name of a file."""


def _number_of_id(text: str) -> int:
    """A number that only this id has, whatever other files there are."""
    return int.from_bytes(blake2b(text.encode(), digest_size=7).digest())


def number_of_try(value: Any) -> int:
    """The number of a replication, which a text may end in.

    Raises:
        ValueError: It is no whole number and ends in none.
    """
    value = plain(value)
    last = None if NUMBER.fullmatch(str(value)) else _LAST.fullmatch(str(value))
    return _COUNT.validate_python(last[1] if last else value)


def converted_all(frame: pd.DataFrame, where: str, saved: Saved | None = None) -> pd.DataFrame:
    """The columns of a frame with their values as the table has them; see `converted`."""
    import pandas as pd

    return pd.DataFrame({name: converted(frame[name], where, saved) for name in frame})


def plain(value: Any) -> Any:
    """A value without spaces around it, characters nobody sees, and types only some files have."""
    if isinstance(value, bytes):
        value = value.decode()
    if isinstance(value, str):
        return value.strip() if value.isascii() else value.translate(_UNSEEN).strip()
    return float(value) if isinstance(value, Decimal) else value


def is_spaced(value: Any) -> bool:
    """Whether a text has spaces around it, or characters nobody sees."""
    return isinstance(value, str) and value not in ("", plain(value))


def name_of(value: Any) -> str | None:
    """A name as text: a whole number without decimals, a day without its midnight."""
    if isinstance(value, list | dict | tuple):
        raise TypeError
    if isinstance(value, datetime) and value.time() == time():
        value = value.date()
    text = str(value)
    whole = _WHOLE.fullmatch(text) if text.endswith("0") else None
    return whole[1] if whole else text or None


def _judge(value: Any) -> str | None:
    """A judge's name; some files give its parts."""
    plain_list = isinstance(value, list) and all(isinstance(one, str) for one in value)
    return " ".join(value) if plain_list and value else name_of(value)


def said(value: Any) -> str | None:
    """A verdict as text, numbers in one form; None for an empty one."""
    if value is None or value == [] or (isinstance(value, str) and value.casefold() in _NONE):
        return None
    if isinstance(value, float) and math.isinf(value):
        raise OverflowError
    if (found := verdict_name(value)) is None:
        raise TypeError
    if found.lstrip("+-").casefold() in ("inf", "infinity"):
        raise OverflowError
    if isinstance(value, list) and len({*map(str, value)}) < len(value):
        raise ValueError  # several tries are no set of names
    if NUMBER.fullmatch(plain_minus := found.translate(_MINUS)):
        found = plain_minus
        whole = re.fullmatch(r"[+-]?\d+", found)
        if not abs(float(found)) < _HUGE:
            raise OverflowError
        return str(verdict_name(int(found) if whole else float(found)))
    if found.casefold() in ("true", "false"):
        return found.casefold()
    return found


def _hashable(value: Any) -> Any:
    """A value by which tables can be grouped."""
    if isinstance(value, list | dict | tuple):
        return json.dumps(value, default=str)
    return name_of(value) if isinstance(value, str) else value


def _names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, str):
        return _NAMES.validate_python(value)
    try:
        return _NAMES.validate_json(value)
    except ValueError:
        if not _AS_PRINTED.fullmatch(value):
            raise
        return tuple(found[1] or found[2] for found in re.finditer(_QUOTED, value))


def _categories(value: Any) -> tuple[str, ...]:
    found = tuple(said(one) or one for one in _names(value))
    if len({*found}) < len(found):
        raise ValueError
    return found


def _order(value: Any) -> str | tuple[str, ...] | None:
    if isinstance(value, int | float):
        return name_of(value)
    if isinstance(value, str) and not value.startswith("[") and not _AS_PRINTED.fullmatch(value):
        return value
    if len(names := _names(value)) < 2:
        raise ValueError
    return names


def _number(value: Any) -> float:
    return float(value.replace(",", ".") if isinstance(value, str) else value)


def _of_each_rater(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Conversion of a value, or of each in a list, which a CSV has as JSON."""

    def each(value: Any) -> Any:
        if isinstance(value, str) and value[:1] in ("[", '"'):
            with suppress(ValueError, RecursionError):
                value = json.loads(value)
        return tuple(map(convert, value)) if isinstance(value, list | tuple) else convert(value)

    return each


_NAMES = TypeAdapter(tuple[str, ...])
_COUNT = TypeAdapter(Annotated[int, Field(gt=-LARGEST, lt=LARGEST)])
_SHARE = TypeAdapter(Annotated[float, Field(ge=0, le=1)])

_NUMBER = TypeAdapter(Annotated[int, Field(gt=0, lt=LARGEST)])

_A_VERDICT = "a text, a finite number, true, false or a list of different texts"

_KINDS: Mapping[Kind, tuple[Callable[[Any], Any], str]] = {
    "text": (name_of, "a text"),
    "name": (name_of, "a text"),
    "number": (_number, "a number"),
    "whole": (_COUNT.validate_python, "a whole number below 2^63"),
    "names": (_names, "a list of names"),
    "order": (_order, "a list of names"),
    "flag": (TypeAdapter(bool).validate_python, "true or false"),
    "any": (_hashable, "a value"),
}
_OWN: tuple[Callable[[Any], Any], str] = lambda value: name_of(_hashable(value)), "a value"
_BY_NAME: Mapping[str, tuple[Callable[[Any], Any], str]] = {
    "judge": (_judge, "a text"),
    "verdict": (said, _A_VERDICT),
    "categories": (_categories, "a list of names, each of them once"),
    **dict.fromkeys(("label", SETTLED_LABEL), (_of_each_rater(said), _A_VERDICT)),
    "best": (said, _A_VERDICT),
    "rater": (_of_each_rater(name_of), "a text"),
    "temperature": (lambda value: clean_temperature(_number(value)), "a number"),
    N_JUDGMENTS: (_NUMBER.validate_python, "a whole number from 1"),
    "share": (_SHARE.validate_python, "a number from 0 to 1"),
}
"""Columns with their own conversion."""
