"""Days as texts: those that begin with the day or the month become 2026-01-31 and sort as texts."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date

from ..errors import UserError
from ..verdicts import NON_RESPONSE
from .count import NUMBER
from .reading import Code, Note, Reading

_PARTS = re.compile(r"(\d{1,2})([-./ ])(\d{1,2})\2(\d{4}|\d{2})(?!\d)(.*)", re.DOTALL)

_ORDERS = {"day first": (2, 1, 0), "month first": (2, 0, 1), "year first": (0, 1, 2)}
"""Which part is the year, the month and the day."""

_ISO = re.compile(r"\d{4}-\d\d-\d\d(?!\d)")

_ISO_MONTH = re.compile(r"(?:19|20)\d\d-(?:0[1-9]|1[0-2])$")

_DOT = "."
"""Between parts that begin with the day in every country that writes them so."""


def iso_days(texts: Iterable[str]) -> dict[str, str]:
    """Each text as a day of ISO, with what follows the day; as it is if it is no such text.

    One order is read from all texts together, where only one makes days of all of them. Where
    several do, the texts remain: `refuse_either_order` says so.
    """
    found = {text: text for text in texts}
    for ways in _ways(found):
        found |= next(iter(ways.values())) if len(ways) == 1 else {}
    return found


def is_iso_day(text: str) -> bool:
    """Whether a text begins with a day as 2026-01-31."""
    return bool(_ISO.match(text))


def readings_of(text: str) -> list[str]:
    """Every day of ISO that a text can be; itself if it is no text that begins with a day."""
    return [way[text] for ways in _ways([text]) for way in ways.values()] or [text]


def refuse_either_order(texts: Iterable[str]) -> None:
    """Refuse to sort texts that are days in two orders.

    Raises:
        UserError: They are; the message has both readings of one.
    """
    for ways in _ways(texts):
        if len(ways) < 2:
            continue
        first, second, *_ = ways.values()
        text = next(one for one in first if first[one] != second[one])
        raise UserError(
            f"The time {text!r} can be {first[text]} or {second[text]}, and so can every other "
            "time here. Write them as 2026-01-31."
        )


def _ways(texts: Iterable[str]) -> Iterator[Mapping[str, Mapping[str, str]]]:
    """Of the texts with one sign between parts: the orders that make days of all, with the days.

    Orders that make the same days are one.
    """
    known = {text: found for text in texts if (found := _PARTS.fullmatch(text.strip()))}
    for sign in {found[2] for found in known.values()}:
        ways: dict[str, dict[str, str]] = {}
        for name, order in _ORDERS.items():
            if sign == _DOT and name != "day first":
                continue
            own = {text: _day(of, order) for text, of in known.items() if of[2] == sign}
            days = {text: day for text, day in own.items() if day}
            if len(days) == len(own) and days not in ways.values():
                ways[name] = days
        yield ways


def _day(found: re.Match[str], order: tuple[int, int, int]) -> str:
    """The day of ISO with what follows it; empty if the parts are no day in this order."""
    parts = found[1], found[3], found[4]
    year, month, day = (parts[at] for at in order)
    if len(year) not in (2, 4) or len(day) > 2:
        return ""
    try:
        made = date(int(year) + (2000 if len(year) == 2 else 0), int(month), int(day))
    except ValueError:
        return ""
    return f"{made.isoformat()}{found[5].replace(',', ' ', 1)}"


_MONTHS = tuple(
    names.split()
    for names in (
        "january januari janvier jänner enero gennaio janeiro",
        "february februari février fevrier feber febrero febbraio fevereiro",
        "march märz maerz mrz maart mars marzo março",
        "april avril abril",
        "may mai mei mayo maggio maio",
        "june juni juin junio junho giugno",
        "july juli juillet julio julho luglio",
        "august augustus août aout agosto",
        "september septembre septiembre settembre setembro",
        "october oktober octobre octubre ottobre outubro",
        "november novembre noviembre novembro",
        "december dezember décembre decembre diciembre dicembre dezembro",
    )
)
"""Names of months in several languages; the shorter ones that begin alike are left out."""

_IN_FIGURES = re.compile(r"\d\d\.(?:0\d|1[0-2])\.")

_NO_YEAR = (
    re.compile(r"(?P<day>\d{1,2})[-./ ]{1,2}(?P<name>[^\W\d]{3,})\.?"),
    re.compile(r"(?P<name>[^\W\d]{3,})[-./ ]{1,2}(?P<day>\d{1,2})\.?"),
    re.compile(r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\."),
    re.compile(r"\d{4}-(?P<month>\d\d)-(?P<day>\d\d)(?: 00:00:00)?"),
)
"""Days as spreadsheets show them that made one of a number."""


def grades_of_days(words: Iterable[str], verdicts: Iterable[str]) -> dict[str, str]:
    """The words that are days beside grades, with the grades of which a spreadsheet made them."""
    numbers = (one.replace(",", ".") for one in verdicts)
    grades = {float(one) for one in numbers if NUMBER.fullmatch(one)}
    return {text: grade for text in words if (grade := _grade_of_day(text, grades))}


def grades_for_days(days: Mapping[str, str]) -> str:
    """Every day, with the grade of which a spreadsheet made it."""
    each = ", ".join(f"{grade} of {text!r:.40}" for text, grade in days.items())
    return f"grades of which a spreadsheet made days, {each}"


def asked_of_day_labels(
    labels: Iterable[str], verdicts: Collection[str], where: str, reading: Reading
) -> list[Note]:
    """Ask about labels that are days beside grades: a spreadsheet made them of numbers.

    A label of which the user says what it means is settled.
    """
    names = {*labels}.difference(reading.map)
    days = grades_of_days(sorted(names), {*verdicts, *names})
    if not days:
        return []
    text = next(iter(days))
    ways = (
        reading.choice(grades_for_days(days), {"map": days}),
        reading.choice("no labels", {"map": dict.fromkeys(days, NON_RESPONSE)}),
    )
    what = f"different labels such as {text!r:.40}, which are days, are grades, or no labels"
    return [Note(what, len(days), where, Code.NUMBERS_OPEN, ways)]


def is_day_in_figures(text: str) -> bool:
    """Whether a text is day and month in two figures each, as 01.05., which is no 1.05."""
    return bool(_IN_FIGURES.fullmatch(text))


def _grade_of_day(text: str, grades: Collection[float]) -> str:
    """The grade of which a spreadsheet made a day, as 1.5 of "01. Mai"; empty if it is none.

    A country that writes a day first makes the first of May of 1.5, others the fifth of January.
    Grades that are known decide: one between them, with decimals that others have, or a half.
    """
    found = next(filter(None, (one.fullmatch(text.strip()) for one in _NO_YEAR)), None)
    if found is None or not grades:
        return ""
    parts = found.groupdict()
    month = int(parts.get("month") or _month_of(parts.get("name") or ""))
    day = int(parts["day"])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return ""
    ways = [text for text in (f"{day}.{month}", f"{month}.{day}") if _between(text, grades)]
    usual = {0.5, *(round(one % 1, 6) for one in grades if one % 1)}
    return next((one for one in ways if round(float(one) % 1, 6) in usual), "".join(ways[:1]))


def _between(text: str, grades: Collection[float]) -> bool:
    return min(grades) <= float(text) <= max(grades)


def _month_of(name: str) -> int:
    """The number of a month by its name or the beginning of it; 0 where it is none."""
    word = name.casefold()
    of = (n for n, names in enumerate(_MONTHS, 1) for one in names if one.startswith(word))
    return next(of, 0) if len(word) > 2 else 0


def month_in(name: str) -> int:
    """The number of the month that a name has in a word; 0 where it has none."""
    words = re.findall(r"[^\W\d_]{3,}", name)
    return next(filter(None, map(_month_of, words)), 0)


_PERIODS = (
    re.compile(
        r"(?P<year>(?:19|20)\d\d)[-./ ]?(?P<part>\d{1,2})(?:[-./ ](?P<rest>\d{1,2}(?!\d).*))?"
    ),
    re.compile(r"(?P<part>\d{1,2})[-./ ](?P<year>(?:19|20)\d\d)"),
    re.compile(r"(?P<year>(?:19|20)\d\d)[-./ ]?(?:Q|W|KW)[ ]?(?P<part>\d{1,2})", re.IGNORECASE),
    re.compile(r"(?:Q|W|KW)[ ]?(?P<part>\d{1,2})[-./ ]?(?P<year>(?:19|20)\d\d)", re.IGNORECASE),
    re.compile(r"(?P<name>[^\W\d]{3,})[-.,/ ]*(?P<year>(?:19|20)\d\d)"),
    re.compile(r"(?P<year>(?:19|20)\d\d)[-.,/ ]*(?P<name>[^\W\d]{3,})\.?"),
)
"""Months, weeks, quarters and days with their year, one form for all texts."""


def by_date(texts: Collection[str]) -> dict[str, tuple[int, int, int, str]] | None:
    """Each text as what sorts by date; None where one is no date, month, week or quarter.

    A month without a year is none: December may be before January.
    """
    days = iso_days(texts)
    every = (_read_as(form, {text: days[text] for text in texts}) for form in _PERIODS)
    return next((one for one in every if one is not None), None)


def _read_as(
    form: re.Pattern[str], texts: Mapping[str, str]
) -> dict[str, tuple[int, int, int, str]] | None:
    """What sorts each text by date, in one form for all; None where one does not have it."""
    read = {name: form.fullmatch(_in_one_form(text)) for name, text in texts.items()}
    found = {name: one and _sorted_by(one.groupdict()) for name, one in read.items()}
    known = {name: one for name, one in found.items() if one}
    return known if len(known) == len(texts) else None


_MONTHS_WITH_YEAR = (_PERIODS[1], *_PERIODS[-2:])


def as_months(texts: Collection[str]) -> dict[str, str] | None:
    """Each text as 2026-01 where all are months with their year, as 01.2026 or Januar 2026.

    None of others. 01.2026 is no number: of all months with such numbers the first would be 1.2025,
    and the second 1.2026.
    """
    every = (_read_as(form, dict(zip(texts, texts, strict=True))) for form in _MONTHS_WITH_YEAR)
    known = (one for one in every if one is not None)
    months = (one for one in known if all(month <= 12 for _, month, *_ in one.values()))
    if (found := next(months, None)) is None:
        return None
    return {text: f"{year}-{month:02}" for text, (year, month, *_) in found.items()}


def are_days_or_months(texts: Collection[str]) -> bool:
    """Whether all texts are days, or all are months, with their year. `watch` reads these."""
    days = iso_days(texts).values()
    return any(all(map(of.match, days)) for of in (_ISO, _ISO_MONTH)) or bool(as_months(texts))


def _in_one_form(text: str) -> str:
    """A text whose letters with marks are one sign each, as not every system writes them."""
    return unicodedata.normalize("NFC", text).strip()


def _sorted_by(parts: Mapping[str, str | None]) -> tuple[int, int, int, str] | None:
    """Year, month (week or quarter), day and what follows it."""
    part = _month_of(parts.get("name") or "") or int(parts.get("part") or 0)
    day = re.match(r"(\d{1,2})(.*)", parts.get("rest") or "0", re.DOTALL)
    if not part or not day or not parts["year"]:
        return None
    later = re.sub(r"(?<!\d)(\d)(?=:)", r"0\1", day[2])  # 9:00 is before 10:00
    return int(parts["year"]), part, int(day[1]), later.replace("T", " ")
