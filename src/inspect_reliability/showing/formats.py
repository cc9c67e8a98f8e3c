"""Values and texts as people read them, harmless in terminals, tables, titles and sentences."""

import math
import re
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from ..errors import UserError

_HARMLESS = "\n\t"


def printable(text: str, limit: int | None = None) -> str:
    r"""Escape characters that would act on a terminal or a page.

    Control characters (ANSI escapes, bells, backspaces), characters that turn the direction of
    writing, and lone surrogates become escapes such as `\x1b`.

    Args:
        text: Any text.
        limit: Characters kept; the rest is counted.
    """
    shown = text if limit is None else text[:limit]
    harmless = shown.translate({ord(character): _shown(character) for character in {*shown}})
    left = len(text) - len(shown)
    return f"{harmless} [... {left:,} more characters]" if left else harmless


def one_line(text: str) -> str:
    """A text on one line, with what would act on a terminal escaped."""
    return " ".join(printable(text).split())


def slug(text: str) -> str:
    """A text as the name of a file or label: `my-judge-bbh-temperature-0.5`."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-.")


def _shown(character: str) -> str:
    if character in _HARMLESS or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co"):
        return character
    if ord(character) < 128:
        return f"\\x{ord(character):02x}"
    return character.encode("ascii", "backslashreplace").decode()


Record = dict[str, Any]
"""A result as plain values: what JSON, CSV and data frames contain."""

T = TypeVar("T")

K = TypeVar("K", bound=Hashable)


TRY_NUMBERS = ("epoch", "run", "replication")
"""Columns that number tries of everything."""

_GROUPS = {
    "judge": ("Judge", "{}"),
    "benchmark": ("Benchmark", "{}"),
    "temperature": ("T", "temperature {}"),
    "wording": ("Wording", "wording {}"),
    "answer_form": ("Form of answer", "form {}"),
    "time": ("Time", "time {}"),
    **{name: (name.capitalize(), f"{name} {{}}") for name in TRY_NUMBERS},
    "scorer": ("Scorer", "scorer {}"),
    "responder": ("Responder", "of {}"),
    "study": ("Study", "study {}"),
    "method": ("Verdicts", "{}"),
}
"""Columns that rows are grouped by: their headings, and their values in words."""


ALL = "all judgments"
"""A group in words where nothing divides the judgments."""


class TableColumn(NamedTuple):
    """A key of a result, declared once for tables, legends and the reference.

    Attributes:
        key: Its name in JSON, files and data frames; empty if only tables have it.
        meaning: What it says.
        null_when: When it is null; empty if never.
        heading: Its heading in tables, with [95%] if they also show the interval; empty if no table
            has it.
        form: The `format()` of its value, or of the record if it has braces.
        missing: What tables show for null.
        ends: Whether `<key>_interval` follows.
        shown: Formats a record for tables, if no format can.
    """

    key: str
    meaning: str = ""
    null_when: str = ""
    heading: str = ""
    form: str = ""
    missing: str = ""
    ends: bool = False
    shown: Callable[[Record], str] | None = None

    def show(self, record: Record) -> str:
        """The text that a table shows for a record."""
        if self.shown:
            return self.shown(record)
        if self.heading.endswith("[95%]") and not (self.missing and record[self.key] is None):
            return estimate_text(record, self.key, self.form)
        if "{" in self.form:
            return self.form.format_map(record)
        return text(record.get(self.key), self.form, self.missing)


def grouped(name: str, missing: str = "") -> TableColumn:
    """A grouping column; one that is not ours keeps its own name."""
    return TableColumn(name, heading=_GROUPS.get(name, (name,))[0], missing=missing)


def grouped_by(things: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Things with the same key together, in order of first appearance."""
    found: dict[K, list[T]] = {}
    for one in things:
        found.setdefault(key(one), []).append(one)
    return found


def whole_number(value: Any) -> Any:
    """A plain Python value, a whole number without its point: temperature 1, not 1.0."""
    value = value.item() if hasattr(value, "item") else value
    return int(value) if isinstance(value, float) and value.is_integer() else value


def finite(number: float) -> float | None:
    """A number of replications; None for the infinitely many of exact distributions."""
    return None if math.isinf(number) else number


def plain_group(group: Mapping[str, Any]) -> Record:
    """A group as plain values."""
    return {name: whole_number(value) for name, value in group.items()}


def of_group(group: Mapping[str, Any], record: Record) -> Record:
    """A record that begins with its group.

    Raises:
        UserError: A grouping column has the name of a number.
    """
    own = plain_group(group)
    if taken := [name for name in own if name in record and record[name] != own[name]]:
        raise UserError(
            f"Nothing can be grouped by {taken[0]!r}: a result has this name. Rename the column."
        )
    return own | record


def picked(found: object, *names: str) -> Record:
    """Some attributes by name."""
    return {name: getattr(found, name) for name in names}


def keys_of(record: Record, after: str = "", before: str = "n_questions") -> Record:
    """The first keys of a record, before its results."""
    names = list(record)
    start = names.index(after) + 1 if after else 0
    return {name: record[name] for name in names[start : names.index(before)]}


def describe(group: Mapping[str, Any]) -> str:
    """A group in words: "my-judge, BBH, temperature 1"."""
    known = {name: whole_number(value) for name, value in group.items() if value is not None}
    words = (_GROUPS.get(name, ("", "{}"))[1].format(value) for name, value in known.items())
    return ", ".join(words) or ALL


def told_apart(among: Sequence[Record], *always: str) -> Callable[[Record], str]:
    """A name for each of several records: the values that differ, and those `always` named.

    One that has none of these is not all judgments: "without judge".
    """
    seen: dict[str, set[str]] = {name: set() for one in among for name in one}
    for one in among:
        for name, values in seen.items():
            values.add(str(one.get(name)))
    differ = [name for name, values in seen.items() if len(values) > 1]
    apart = {*differ, *always}

    def named(keys: Record) -> str:
        own = {name: value for name, value in keys.items() if name in apart}
        lacks = bool(differ) and all(value is None for value in own.values())
        return f"without {', '.join(differ)}" if lacks else describe(own)

    return named


def flat(found: Record) -> Record:
    """A record in which every value is a number or a text."""
    plain: Record = {}
    for name, value in found.items():
        if name.endswith("_interval"):
            low, high = value or (None, None)
            stem = name.removesuffix("_interval")
            plain |= {f"{stem}_low": low, f"{stem}_high": high}
        elif name.endswith("_floor"):
            mean, low, high = value or (None, None, None)
            plain |= {f"{name}_mean": mean, f"{name}_low": low, f"{name}_high": high}
        elif name == "not_estimable":
            plain[name] = "; ".join(f"{key}: {reason}" for key, reason in value.items())
        elif name == "cautions":
            plain[name] = " ".join(value)
        else:
            plain[name] = value
    return plain


def text(value: Any, form: str = "", missing: str = "") -> str:
    """A value in a format of `format()`, a list with commas; `missing` for None."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return missing if value is None else rounded(whole_number(value), form)


def rounded(value: Any, form: str) -> str:
    """A number in a format of `format()`; what lies midway goes away from 0.

    Else 0.815, which has no exact float, would be 0.81 with two places and 82% as a percentage.
    The form "p" is that of p-values, of which none is 0.
    """
    if form == "p":
        return "<0.001" if value < 0.001 else f"{value:.3f}"
    if isinstance(value, float) and form.endswith(("f", "%")):
        value += math.copysign(ROUNDING, value)
    return format(value, form)


def chance(p: float) -> str:
    """A p-value: "p = 0.042"."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def percent(share: float) -> str:
    """A share that somebody chose, with all its digits, because 99.9% is not 100%."""
    return f"{100 * share:g}%"


_MANY = 1_000
"""Questions from which a share has a decimal."""

ROUNDING = 1e-9
"""What a share may differ from 0 or 1 by the processor's arithmetic."""


def share(value: float, n: int) -> str:
    """A share of n questions; a small one is not 0%, and a large one not 100%."""
    places = share_places(n)
    least = 10 ** -(places + 2)
    if ROUNDING < value < least / 2:
        return f"<{least:.{places}%}"
    if 1 - least / 2 <= value < 1 - ROUNDING:
        return f">{1 - least:.{places}%}"
    return rounded(value, f"z.{places}%")


def adding_up(values: Sequence[float], n: int, whole: float = 1.0) -> list[str]:
    """Parts of a whole, as shares of n questions, whose percentages add up to that of the whole.

    The first is rounded by itself; of the others the largest remainders are rounded up.
    """
    unit = 10 ** (share_places(n) + 2)
    total, first = (math.floor(one * unit + 0.5 + ROUNDING) for one in (whole, values[0]))
    others = [one * unit for one in values[1:]]
    parts = [math.floor(one + ROUNDING) for one in others]
    left = max(total - first - sum(parts), 0)
    for at in sorted(range(len(parts)), key=lambda at: round(parts[at] - others[at], 6))[:left]:
        parts[at] += 1
    # What is neither nothing nor all is not shown as that.
    pairs = zip(values, (first, *parts), strict=True)
    return [share(part / unit if 0 < part < unit else one, n) for one, part in pairs]


def share_beside(limit: float, value: float, n: int) -> str:
    """A share of n questions, with so many digits that one below a limit is not shown as it."""
    said, places = share(value, n), share_places(n)
    while value < limit - ROUNDING and round(value, places + 2) >= limit - ROUNDING:
        places += 1
        said = f"{value:.{places}%}"
    return said


def width_beside(wanted: Iterable[float], width: float, places: int) -> str:
    """A half-width with so many digits that it is shown neither as 0 nor as another one wanted."""
    others = [0.0, *(one for one in wanted if not math.isclose(one, width))]
    for more in range(places, places + 3):
        said = f"{width:.{more}f}"
        if not any(math.isclose(float(said), one) for one in others):
            return said
    return f"{width:.1g}"


def points(value: float, n: int) -> str:
    """A difference of shares of n questions in points."""
    return rounded(100 * value, f"z.{share_places(n)}f")


def share_places(n: int) -> int:
    """Decimals of a share of n questions in percent."""
    return 1 if n > _MANY else 0


def reaching(ends: Sequence[float], form: str) -> str:
    """The interval of a difference: "[-11, -2]".

    An end on one side of 0 does not look like 0 where the whole interval is on that side.
    """
    shown = [rounded(one, form) for one in ends]
    for i, one in enumerate(ends):
        if (min(ends) > 0 or max(ends) < 0) and not any(map(shown[i].count, "123456789")):
            unit = 0.01 if form.endswith("%") else 1.0
            places = math.ceil(-math.log10(abs(one) / unit))
            shown[i] = rounded(one, re.sub(r"\.\d+", f".{places}", form))
    return f"[{', '.join(shown)}]"


def reaching_in_points(ends: Sequence[float], n: int) -> str:
    """The same of a difference of shares of n questions in points."""
    return reaching([100 * one for one in ends], f"z.{share_places(n)}f")


def in_points(value: float, n: int) -> str:
    """The same with its unit: "1 point", "7 points"."""
    return amount(points(value, n), "point")


def amount(number: int | str, of: str) -> str:
    """A number of things: "1 label", "2,500 labels"."""
    shown = number if isinstance(number, str) else f"{number:,}"
    return f"{shown} {of}{'' if shown.lstrip('+-') == '1' else 's'}"


_TIMES, _ALWAYS = 10, 1_000
"""Times as many questions as somebody has that can be added, and a number that always can."""


def most_feasible(have: int) -> int:
    """The most questions or labels that somebody who has so many would make."""
    return max(_TIMES * have, _ALWAYS)


def capped(number: int, have: int) -> str:
    """A number of questions or labels to make; "more than 1,000" where nobody would make so many.

    Args:
        number: How many would do.
        have: How many there are.
    """
    most = most_feasible(have)
    return f"{number:,}" if number <= most else f"more than {most:,}"


BETTER = "take a better judge, or lower the bar"
"""What to do where more questions or labels than anybody would make are needed."""


def span(record: Record, key: str, form: str, n: int) -> str:
    """A value that is known, with its interval; `form` "%" has shares of n questions."""
    value, ends = record[key], record.get(f"{key}_interval")
    shown = share(value, n) if form == "%" else rounded(value, form)
    if ends is None:
        return shown
    few = n > _MANY and ends[1] < 0.1  # whole percents would hide the width
    low, high = (
        rounded(100 * one, f".{1 if few else 0}f") if form == "%" else rounded(one, form)
        for one in ends
    )
    return f"{shown} [{low}, {high}]"


def estimate_text(record: Record, key: str, form: str = "z.2f") -> str:
    """An estimate with its interval, or the reason for none; empty if the record lacks it."""
    if key not in record:
        return ""
    value, interval = record[key], record[f"{key}_interval"]
    if value is None:
        return f"not estimable: {record.get('not_estimable', {}).get(key) or record.get('reason')}"
    if interval is None:
        return f"{rounded(value, form)} (no interval)"
    return f"{rounded(value, form)} {reaching(interval, form)}"
