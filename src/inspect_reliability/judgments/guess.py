"""What columns look like by their names and values, for the call that a question proposes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..errors import QuestionError
from ..shell import quote
from .column_names import (
    MOST_VALUES,
    as_texts,
    asks,
    could_be,
    few_values,
    in_one_spelling,
    is_called,
    joined_once,
    names_a_case,
    normalised_name,
    numbers_of_tries,
)
from .columns import COLUMNS, PEOPLE, UNUSED, words_of
from .days import are_days_or_months
from .duplicates import MOST_COLUMNS
from .judges_or_people import Way, may_be_tries, meanings_of_columns, people_or_nothing
from .pairs import pairs_shown
from .reading import Note, Reading
from .side_by_side import meaning_in_words, meaning_of
from .text import text_of_outputs
from .totals import sums_up

if TYPE_CHECKING:
    import pandas as pd

_MOST_GRADES = 11
"""Different numbers up to which a column that repeats them has grades, and no questions."""

_MOST_JUDGES = 20
"""Most different names of judges."""

_ROWS = 1000
"""Rows that show which columns have the same values."""

_BESIDE_LABELS = ("question", "id", "label", "rater", "part")
_OF_A_DRAW = {"weight", "weights", "unsure", "note", "seconds", "drawn", "position", "split"}


def has_labels_alone(frame: pd.DataFrame, named: pd.DataFrame) -> bool:
    """Whether columns are those of a file of labels, and no more.

    Args:
        frame: Rows under the names of their user.
        named: Columns under our names.
    """
    others = {normalised_name(str(name)) for name in {*named} - {*_BESIDE_LABELS}}
    return "label" in named and len(frame.columns) > 1 and others <= _OF_A_DRAW


@dataclass(frozen=True)
class Guess:
    """What the columns of a source look like: a question, with one complete call for each answer.

    Attributes:
        reading: How it would be read.
        judged: Whether the source has a column of judges.
        settled: What its rows ask beyond that, and each a choice.
        notes: How its file was read, such as which sheet.
        means: What its columns are, where they can be several things.
        others: What else they can be.
    """

    reading: Reading
    judged: bool
    settled: tuple[tuple[Note, str], ...] = ()
    notes: tuple[Note, ...] = ()
    means: str = ""
    others: tuple[Guess, ...] = ()

    @property
    def error(self) -> QuestionError:
        """The question."""
        found = QuestionError(self.text)
        found.guess = self
        return found

    @property
    def text(self) -> str:
        """What is asked, with the call that says it."""
        return self._of_several if self.others else self._of_one

    @property
    def _of_several(self) -> str:
        ways = (f"{one._call.strip()}\n    {one.means}.{one._open}" for one in (self, *self.others))
        said = "".join(f" {note}." for note in self.notes)
        what = f"{self.reading.where}: its columns can mean several things.{said}"
        return "\n  ".join([f"{what} Run the one that is right:", *ways, self._if_not])

    @property
    def _of_one(self) -> str:
        reading = self.reading
        columns = {y: o for y, o in joined_once(reading.columns).items() if o != UNUSED}
        several = {ours: [*_of(columns, ours)] for ours in ("verdict", "label")}
        several = {ours: names for ours, names in several.items() if names[1:]}
        each = [f"{yours!r} the {ours}" for yours, ours in columns.items() if ours not in several]
        for ours, names in several.items():
            what = "label of another person"
            if ours == "verdict":
                what = f"verdict ({meaning_in_words(meaning_of(names, self.judged))})"
            each.append(f"each of {', '.join(map(repr, names))} a {what}")
        is_it = f"Is {', '.join(each[:-1])}{' and ' * bool(each[1:])}{each[-1]}?"
        more = "".join(f" {note}." for note in self.notes) + self._open
        return f"{is_it} Names and values say so.{more} {self._if_not} If so:{self._call}"

    @property
    def _call(self) -> str:
        reading = self.reading
        said = reading.call(reading.entries)
        if reading.in_python:
            return f" {said}."
        return f"\n  inspect-reliability read {quote(reading.where)} {said} --save reading.yaml"

    @property
    def _open(self) -> str:
        return "".join(
            f" Then this is open: {note.counted}. The call answers: {means}."
            for note, means in self.settled
        )

    @property
    def _if_not(self) -> str:
        hint = self.reading.hint
        return f"If not, {hint[0].lower()}{hint[1:]}"


def guessed(frame: pd.DataFrame, reading: Reading) -> Guess | None:
    """What the columns of a frame look like; None if they do not show question and verdict.

    Args:
        frame: Rows of the source, under the names of its user.
        reading: What is known of its columns.
    """
    first, *others = likely_ways(frame, reading)
    if (found := _guess_of(frame, reading, first)) is None:
        return None
    ways = (_guess_of(frame, reading, way) for way in others)
    return replace(found, others=tuple(one for one in ways if one))


def _guess_of(frame: pd.DataFrame, reading: Reading, way: Way) -> Guess | None:
    """The guess that columns are this; None if question or verdict is lacking."""
    columns = {**reading.columns, **way.columns}
    asked = next(iter(_of(columns, "question")), "question")
    if "output" not in {*columns.values(), *map(str, frame)} and asked in frame:
        free = frame.drop(columns=[one for one in columns if one in frame and one != asked])
        text = text_of_outputs(free, asked)
        columns |= {text: "output"} if text else {}
    columns = dict(sorted(columns.items(), key=lambda one: _place(one[1])))
    found = {*columns.values(), *map(str, frame)}
    if not {"question", "verdict"} <= found:
        return None
    judged = "judge" in found
    return Guess(replace(reading, columns=columns), judged, means=way.means)


_ORDER = ("question", "judge", "replication", "verdict", "label")


def _place(ours: str) -> int:
    return _ORDER.index(ours) if ours in _ORDER else len(_ORDER)


def _of(columns: Mapping[str, str], ours: str) -> list[str]:
    return [yours for yours, one in columns.items() if one == ours]


def likely_ways(frame: pd.DataFrame, reading: Reading) -> list[Way]:
    """What columns can be, the likeliest way first.

    A question repeats, once for each try and judge. Tries are numbered within it from 0 or 1, and
    judges have few names, which are no days or months. Of columns with few values, a label is the
    same in all rows of a question, and a verdict is not. Where questions have one row each, columns
    with the same values are verdicts, and those that are named for people, or half empty beside
    them, are labels; where names do not say, they can be either. Of several that could be one
    thing, what its name calls so is taken; comments and dates are nothing. Nothing is likely where
    other columns could be the verdict as well.
    """
    rows = as_texts(frame)
    found = {yours: ours for yours, ours in reading.columns.items() if yours in rows}
    known = {*found.values()} | ({*rows} & {*COLUMNS})
    free = [name for name in map(str, rows) if name.strip() and name not in found]
    free = [name for name in free if name not in COLUMNS]
    free = [name for name in free if not _says_nothing(rows, name)]
    taken: dict[str, str] = {}

    def take(ours: str, *names: str) -> None:
        for name in names if ours not in known else ():
            taken[name] = ours
            free.remove(name)

    question = next(iter(_of(found, "question")), "question")
    if "question" not in known:
        if (one := _question(rows, free)) is None:
            return [Way({})]
        question = one
        take("question", question)
    each: Any = rows.groupby(question, dropna=False)
    once = not _without_copies(rows)[question].duplicated().any()
    if not once:
        take("temperature", *_first(free, "temperature", lambda name: _temperatures(rows, name)))
        take("replication", *_first(free, "replication", lambda name: _tries(rows, each, name)))
        take("time", *_first(free, "time", lambda name: _days_or_months(rows, name)))
        take("judge", *_first(free, "judge", lambda name: _looks_like_judges(rows, each, name)))
    few = [name for name in free if few_values(rows[name]) or _of_people(name)]
    few = [name for name in few if 0 < rows[name].nunique() <= MOST_VALUES]
    fixed = [name for name in few if each[name].nunique().max() < 2]
    take("label", *_labels(rows, fixed, few))
    few = [name for name in few if name in free]
    if "verdict" in known:
        return [Way(taken)]
    tries = _numbered_names([name for name in few if may_be_tries(name)]) if once else []
    if graded := _graded_alike(rows, few, tries) if once else []:
        ways = meanings_of_columns(graded, tries, "label" in {*taken.values(), *known})
        return [Way({**taken, **one.columns}, one.means) for one in ways]
    varied = [name for name in few if name not in fixed]
    named = [name for name in (varied or few) if is_called(name, "verdict")]
    if not once and len(named) == 1:
        few, varied = named, [name for name in varied if name in named]
    numbers = [name for name in (varied or few) if _numbers(rows[name])]
    verdict = next(iter(numbers or varied or few), None)
    said = {*rows[verdict].dropna()} if verdict else set()
    same = [one for one in few if one != verdict and _alike(said, {*rows[one].dropna()})]
    if any(one in varied for one in same) or (once and len(same) > 1):
        return [Way({})]
    take("verdict", *([verdict] if verdict else []))
    alike = [name for name in fixed if name in free and _alike(said, {*rows[name].dropna()})]
    if "label" in taken.values() or "label" in known:
        return [Way(taken)]
    ways = people_or_nothing(alike) if alike[1:] else [Way(dict.fromkeys(alike, "label"))]
    return [Way({**taken, **one.columns}, one.means) for one in ways]


def _graded_alike(rows: pd.DataFrame, few: Sequence[str], tries: Sequence[str]) -> list[str]:
    """The columns that share most of their values with tries, or else with most others."""
    values = {name: {*rows[name].dropna().map(in_one_spelling)} for name in few}

    def like(own: set[str]) -> list[str]:
        return [
            name
            for name, of in values.items()
            if of and 2 * len(own & of) >= min(len(own), len(of))
        ]

    if tries:
        alike = like(set[str]().union(*(values[name] for name in tries)))
        return [name for name in few if name in tries or (name in alike and not sums_up(name))]
    found = max((like(own) for own in values.values()), key=len, default=[])
    return found if found[1:] else []


def _first(names: Sequence[str], ours: str, fits: Any) -> list[str]:
    """The first column that fits, before others one whose name says so; none if none does."""
    found = [name for name in names if fits(name)]
    return sorted(found, key=lambda name: _certainty(name, ours))[:1]


def _certainty(name: str, ours: str) -> int:
    """0 for a column whose name says what it is; a model may be the judge, or what is judged."""
    return 1 if not is_called(name, ours) else int(is_called(name, "model"))


_DATE = re.compile(r"\d{4}-\d\d-\d\d.*|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}.*")


def _says_nothing(rows: pd.DataFrame, name: str) -> bool:
    """Whether a column has comments, dates or times."""
    values = rows[name].dropna()
    if is_called(name, "comment") or is_called(name, "time"):
        return True
    return len(values) > 0 and bool(values.map(_DATE.fullmatch).notna().all())


_PARTLY = 0.2
"""Share of empty cells from which a column beside full ones has labels of some questions."""


def _labels(rows: pd.DataFrame, fixed: Sequence[str], few: Sequence[str]) -> list[str]:
    """The columns of labels: named for people, or else partly empty beside full ones like them."""
    said = [name for name in fixed if _of_people(name)]
    if said:
        return said if len(few) > len(said) else []
    empty = {name: float(rows[name].isna().mean()) for name in fixed}
    partly = [name for name in fixed if empty[name] >= _PARTLY]
    partly = [name for name in partly if _like_another(rows, name)]
    return partly if len(partly) == 1 < len(fixed) else []


def _like_another(rows: pd.DataFrame, name: str) -> bool:
    """Whether a column could be labels of another one, by their values."""
    own = {*rows[name].dropna()}
    others = [one for one in rows if one != name and few_values(rows[one])]
    return any(_alike({*rows[one].dropna()}, own) for one in others)


def _of_people(name: str) -> bool:
    return could_be(name, "label") or not PEOPLE.isdisjoint(words_of(name))


def _numbered_names(names: Sequence[str]) -> list[str]:
    """The names of tries among others, of one judge or several; else none."""
    kinds: dict[str, list[str]] = defaultdict(list)
    for name in names:
        kinds[re.sub(r"\d+", "", name)].append(name)
    found = [own for own in kinds.values() if numbers_of_tries(own)]
    if len(found) == 1:
        return found[0]
    several = [name for own in kinds.values() if own[1:] for name in own]
    tries = bool(several) and len(next(iter(meaning_of(several, False).values()))) > 1
    return several if tries else []


def _question(rows: pd.DataFrame, free: list[str]) -> str | None:
    """The column with most values of equally many rows each, of two or more if any has.

    Of these, one that is called so, then one of ids, and then one of texts, best of no output.
    Beside numbered columns of verdicts, ids of single rows come first. Grades in words are no
    question where each row has a value of its own: few values that another column has as well.
    """
    best: tuple[tuple[bool, bool, bool, bool, bool, bool, int], str] | None = None
    rows = _without_copies(rows)
    cases = max((rows[name].nunique() for name in free if names_a_case(name)), default=0)
    free = [name for name in free if not (asks(name) and rows[name].nunique() <= cases)]
    few = [name for name in free if few_values(rows[name])]
    wide = bool(_numbered_names(few))
    words = {*_of_one_scale(rows, few)} if any(rows[name].is_unique for name in free) else set()
    for name in free:
        sizes = rows[name].value_counts(dropna=False)
        if len(sizes) < 3 or rows[name].isna().any():
            continue
        even = bool(sizes.max() <= 2 * sizes.min())
        repeats = bool(sizes.min() > 1)
        called, ids = is_called(name, "question"), _ids(rows[name]) or _counts_rows(rows[name])
        if repeats and len(sizes) <= _MOST_GRADES and _numbers(rows[name]):
            continue
        if name in words and not called:
            continue
        own = wide and ids and int(sizes.max()) == 1  # a row a question, and names come again
        texts = not _numbers(rows[name])
        rank = (own, repeats, called, ids, texts, not is_called(name, "output"), len(sizes))
        if even and (best is None or rank > best[0]):
            best = rank, name
    return best and best[1]


def _of_one_scale(rows: pd.DataFrame, names: Sequence[str]) -> list[str]:
    """The columns with few values of which most are found in another of these columns."""
    each = {name: {*rows[name].dropna().map(in_one_spelling)} for name in names}
    each = {name: own for name, own in each.items() if len(own) <= _MOST_GRADES}
    return [
        name
        for name, own in each.items()
        if any(2 * len(own & of) > len(own | of) for other, of in each.items() if other != name)
    ]


def _counts_rows(values: pd.Series[str]) -> bool:
    """Whether values number the rows, from 0 or 1."""
    numbers = [int(one) for one in values if one.isdecimal()]
    return any(numbers == [*range(first, first + len(values))] for first in (0, 1))


_COPIES = 0.1
"""Share of rows up to which those that repeat another one whole are copies, and no tries."""


def _without_copies(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows, of equal ones the first; all of them where many are equal, as tries may be."""
    first = rows.drop_duplicates()
    return first if len(first) >= (1 - _COPIES) * len(rows) else rows


_ID = re.compile(r"(?=.*\d)[\w-]{3,}")


def _ids(values: pd.Series[str]) -> bool:
    """Whether values are ids, as 00123400 or q-17: one word of equal form with a number."""
    forms = {re.sub(r"\d+", "9", one) for one in values}
    lengths = {len(one) for one in values}
    written = len(forms) == 1 and (forms != {"9"} or len(lengths) == 1)
    return written and bool(values.map(_ID.fullmatch).notna().all())


def _tries(rows: pd.DataFrame, each: Any, name: str) -> bool:
    """Whether a column counts from 0 or 1 within each question."""
    values = rows[name].dropna()
    if not len(values) or not values.map(str.isdecimal).all():
        return False
    numbers = sorted(values.astype(int).unique().tolist())
    counted = numbers in ([*range(len(numbers))], [*range(1, len(numbers) + 1)])
    return (
        counted and len(numbers) > 1 and bool((each[name].nunique() == len(numbers)).mean() > 0.9)
    )


def _looks_like_judges(rows: pd.DataFrame, each: Any, name: str) -> bool:
    """Whether a column has few names, all of them in nearly every question, equally often.

    Where its name says so, the first rows may lack some of them.
    """
    sizes = rows[name].value_counts()
    if not 1 < len(sizes) <= _MOST_JUDGES or _numbers(rows[name]) or rows[name].isna().any():
        return False
    if _certainty(name, "judge") == 0:
        return True
    every = (each[name].nunique() == len(sizes)).mean() > 0.9
    return bool(every and sizes.max() <= 1.1 * sizes.min())


def _temperatures(rows: pd.DataFrame, name: str) -> bool:
    """Whether a column that is called so has temperatures."""
    return is_called(name, "temperature") and _numbers(rows[name])


def _days_or_months(rows: pd.DataFrame, name: str) -> bool:
    """Whether a column has several days or months."""
    values = {*rows[name].dropna()}
    return len(values) > 1 and are_days_or_months(values)


def _numbers(values: pd.Series[str]) -> bool:
    """Whether every value is a number, with a point or a comma."""
    import pandas as pd

    texts = values.dropna().map(in_one_spelling)
    return bool(pd.to_numeric(texts, errors="coerce").notna().all())


def _alike(verdicts: set[str], labels: set[str]) -> bool:
    """Whether labels could be those of these verdicts: the same values, or numbers as well."""
    both = len(verdicts & labels) * 2 >= min(len(verdicts), len(labels))
    return both or all(one.replace(".", "", 1).isdecimal() for one in verdicts | labels)


def hint_of_several(frame: pd.DataFrame, reading: Reading, ours: str = "verdict") -> str:
    """How to say that several columns are verdicts or labels, where their values are alike."""
    shown = {name for pair in pairs_shown(frame) for name in pair}
    free = [name for name in map(str, frame) if name not in shown and not could_be(name, "label")]
    free = [name for name in free if not any(could_be(name, one) for one in _NAMED)]
    free = [name for name in free if name.strip() and name not in reading.columns]
    values = {
        name: {*frame[name].head(_ROWS).dropna().map(str).map(in_one_spelling)}
        for name in free[:MOST_COLUMNS]
    }
    few = {name: of for name, of in values.items() if 0 < 2 * len(of) < max(len(frame), 3)}
    for own in few.values():
        same = [name for name, of in few.items() if 2 * len(own & of) > len(own | of)]
        same = same if len(same) > 1 else [name for name, of in few.items() if _grades(of)]
        labels = _labels(as_texts(frame), same, same) if ours == "verdict" else []
        same = [name for name in same if name not in labels]
        if len(same) > 1:
            calls = reading.column_call(ours, *same)
            judge = any(could_be(name, "judge") for name in map(str, frame))
            kinds = (
                "tries or parts of a score"
                if judge
                else "verdicts of one judge each, or tries (of people who label, say label)"
            )
            kinds = "labels of one person each" if ours == "label" else kinds
            return f" If several are {kinds}, say so of each: {calls}."
    return ""


_NAMED = ("question", "judge", "replication", "temperature", "rater")


def _grades(values: set[str]) -> bool:
    """Whether all are small whole numbers, as grades are."""
    return all(one.isdecimal() and len(one) < 3 for one in values)
