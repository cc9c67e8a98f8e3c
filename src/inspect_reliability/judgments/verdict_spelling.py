"""One verdict however it is written: failures, numbers and spellings, in all sources together.

A guess costs a wrong number and a question a line: what could be a verdict as well is asked.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, product
from typing import TYPE_CHECKING, Any, TypeAlias

from ..verdicts import FAILED_CALL, NO_VERDICTS, NON_RESPONSE, abstentions
from .chosen_responses import by_their_names
from .columns import each_once, label_names, numbers_of
from .count import NUMBER
from .days import grades_for_days, grades_of_days, is_day_in_figures
from .no_verdict_words import CALL, FAILED, MAYBE, NO_VERDICT, OPPOSITE, without_verdict
from .noted_grades import asked_of_noted_labels, grade_in
from .options_or_grades import asked_of_options
from .other_names import asked_of_names
from .outside_scale import is_zero_grade, numbers_outside
from .reading import Code, Note, Reading
from .sentence_verdicts import (
    SORRY,
    asked_of_sentences,
    meanings_of,
    none_can_be_verdicts,
    sentences_in,
)
from .signed_grades import asked_of_signs, ways_of_signs
from .spellings import other_spellings, plain_verdict
from .table import n_judgments, weights
from .values import said

if TYPE_CHECKING:
    import pandas as pd


_Names: TypeAlias = Mapping[str, str]

_Judge: TypeAlias = tuple[str, ...]

_OFTEN = 0.05
"""Share of verdicts from which a word that may be a failure is asked about."""

_SCORE = re.compile(
    r"(?:i (?:would )?(?:give|rate|score)(?: (?:it|this|the \w+))?(?: an?)?\s+)?"
    r"(?:(?:my |the )?(?:final |overall |total )?"
    r"(?:score|rating|grade|points?|stars?|note|bewertung|wertung|punkte)"
    r"(?:\s*(?:is|of|[:=-]))?)?"
    r"[\s*\[(]*(?P<number>[+-]?\d+(?:[.,]\d+)?)[\s*\])]*"
    r"(?:(?:/|out of|of|von|sur|de|su)\s*(?P<most>\d+))?[\s*\])]*(?P<percent>%|percent)?"
    r"\s*(?:points?|stars?|pts?|pkte?|punkte?|sterne?|puntos?|estrellas?|étoiles?)?\.?",
    re.IGNORECASE,
)
"""A number and what people write around it where it is a score."""

_MINUS = str.maketrans("−–—﹣－", "-----")

_SCALE = 3
"""Fewest different numbers of a scale: two could be the numbers of two responses."""

_HALF = 0.5
"""Share of a judge's answers that are numbers where it grades."""

_DECIDED = {"both", "neither", "none", "same"}
"""Verdicts beside the numbers of responses."""

_SHOWN = 3
"""How many spellings a note quotes."""


@dataclass
class Source:
    """A table whose verdicts get one form, with what is said and asked of them.

    Attributes:
        table: Judgments. Those of our own judge tasks keep their verdicts, which were parsed.
        where: Its name, for notes.
    """

    table: pd.DataFrame
    where: str
    notes: list[Note] = field(default_factory=list)


def in_one_form(sources: Sequence[Source], reading: Reading) -> None:
    """Give every verdict of these sources one form: as mapped, a failure, a number, a spelling.

    What people and tools write where a call failed is a non-response. "7/10", "Score: 7" and "7,5"
    are numbers where half of a judge's answers are, of three values or more. Verdicts that differ
    in case, marks around them, spaces, hyphens and underscores are one.

    Args:
        sources: The sources that are read together. Their tables change.
        reading: Its entry `map` comes first, and settles what would be asked.
    """
    for one in sources:
        one.table, chosen = by_their_names(one.table, _free(one.table), one.where, reading)
        one.notes += chosen
    times: dict[_Judge, Counter[str]] = defaultdict(Counter)
    declared, labels = set[str](), set[str]()
    each = [[*_counted(one.table)] for one in sources]
    for one, counted in zip(sources, each, strict=True):
        for judge, text, n in counted:
            times[judge][text] += n
        if "categories" in one.table:  # an order names responses, which are no spellings
            known = one.table["categories"].dropna().drop_duplicates()
            declared.update(chain.from_iterable(known))
        labels |= label_names(one.table)
    mapped = {
        text: of for counts in times.values() for text in counts if (of := _mapped(text, reading))
    }
    given = {text for counts in times.values() for text in counts}
    signs, noted = ways_of_signs(times.values(), labels, {*mapped, *reading.map})
    meant = {
        text: mapped.get(text, noted.get(text, text))
        for text in given
        if not is_day_in_figures(text)
    }
    found = {text: _SCORE.fullmatch(one.translate(_MINUS)) for text, one in meant.items()}
    scores = {text: one for text, one in found.items() if one}
    named = all("judge" in one.table for one in sources)
    zero = _zero_grades(sources, scores, named)
    forms = {
        judge: _Forms(
            counts,
            scores,
            mapped,
            declared.union(noted),
            reading,
            "0" in labels or zero.get(judge[named:], True),
        )
        for judge, counts in times.items()
    }
    if sources:
        first, tables = sources[0], [one.table for one in sources]
        first.notes += asked_of_signs(signs, first.where, reading)
        first.notes += asked_of_noted_labels(labels.difference(noted), given, first.where, reading)
        first.notes += asked_of_options(times.values(), tables, mapped, first.where, reading)
    _sentences(sources, each, forms, declared | labels, mapped, reading)
    if named:
        for (judge, counts), (other, words) in product(times.items(), repeat=2):
            if judge[0] != other[0] and judge[1:] == other[1:]:
                forms[judge].ask_number_of_tie(counts, words, other[0])
        _other_names(sources, times, forms, mapped, reading)
    total: Counter[str] = Counter()
    for judge, counts in times.items():
        for text, n in counts.items():
            total[forms[judge].names.get(text, text)] += n
    spelled = other_spellings(total, declared, {*mapped.values()})
    for one in sources:
        _renamed(one, forms, mapped, spelled)


def _sentences(
    sources: Sequence[Source],
    each: Sequence[Sequence[tuple[_Judge, str, int]]],
    forms: Mapping[_Judge, _Forms],
    known: Collection[str],
    mapped: Collection[str],
    reading: Reading,
) -> None:
    """Ask about sentences among short verdicts, each once; those that all differ are read."""
    found = {judge: sentences_in(form.words, known, mapped) for judge, form in forms.items()}
    every = sum(map(Counter, found.values()), Counter[str]())
    if not every:
        return
    beside = chain.from_iterable(forms[judge].words for judge in found if found[judge])
    meanings = meanings_of(every, {*beside}.difference(every, mapped))
    if none_can_be_verdicts(every):
        for judge, texts in found.items():
            for text in texts:
                forms[judge].take(text, meanings[text], Code.SENTENCES)
        return
    open_ = {*every}
    for one, counted in zip(sources, each, strict=True):
        texts = Counter[str]()
        for judge, text, n in counted:
            if text in open_ and text in found[judge]:
                texts[text] += n
        if texts:
            often = {text: n for text, n in texts.most_common()}
            one.notes.append(asked_of_sentences(often, meanings, one.where, reading))
            open_ -= texts.keys()


def _other_names(
    sources: Sequence[Source],
    times: Mapping[_Judge, Counter[str]],
    forms: Mapping[_Judge, _Forms],
    mapped: Collection[str],
    reading: Reading,
) -> None:
    """Ask whether judges that share no verdict give the same ones under other names."""
    judges: dict[_Judge, dict[str, Counter[str]]] = defaultdict(dict)
    for judge, counts in times.items():
        words = judges[judge[1:]].setdefault(judge[0], Counter())
        for text, n in counts.items():
            words[forms[judge].names.get(text, text)] += n

    def judged(name: str) -> set[str]:
        tables = (one.table for one in sources)
        return {q for of in tables for q in of["question"][of["judge"].map(str) == name].map(str)}

    def judged_same(one: str, other: str) -> bool:
        return not judged(one).isdisjoint(judged(other))

    for words_of in judges.values():
        where = sources[0].where
        sources[0].notes += asked_of_names(words_of, judged_same, mapped, where, reading)


def _counted(table: pd.DataFrame) -> Iterator[tuple[_Judge, str, int]]:
    """How often each judge gave each verdict that may be written in several forms."""
    free = _free(table)
    rows = table if free.all() else table[free]
    if len(rows):
        by = [rows[name] for name in (*_judge(table), "verdict")]
        given = numbers_of(*by)
        first = ~given.duplicated().to_numpy()
        keys = zip(*(one.to_numpy()[first] for one in by), strict=True)
        for (*judge, text), n in zip(keys, weights(rows).groupby(given).sum(), strict=True):
            yield _key(judge), str(text), round(n)


def _free(table: pd.DataFrame) -> pd.Series[bool]:
    """Which verdicts nobody has parsed yet: all but those of our own judge tasks in logs."""
    given = table["verdict"].notna()
    if "log" not in table or "categories" not in table:
        return given
    ours: pd.Series[bool] = table["log"].notna() & table["categories"].notna()
    return given & ~ours


def _judge(table: pd.DataFrame) -> list[str]:
    return [name for name in ("judge", "benchmark", "scorer") if name in table]


def _key(judge: Iterable[Any]) -> _Judge:
    """The values of these columns, a missing one as an empty text."""
    return tuple("" if value is None or value != value else str(value) for value in judge)


def _mapped(text: str, reading: Reading) -> str | None:
    """What the user says that a verdict means; what has none is settled once all are read."""
    meant = reading.map.get(text)
    if text == NON_RESPONSE and meant == FAILED_CALL:
        return None
    if meant is None:
        plain = text.casefold()
        meant = next((of for one, of in reading.map.items() if one.casefold() == plain), None)
    return NON_RESPONSE if meant == "none" and text.casefold() != "none" else meant


class _Forms:
    """The forms in which one judge writes its verdicts.

    Attributes:
        names: Verdict as written -> the one that it is, where that is another.
        codes: What each of these is about.
        asked: What is open.
        words: How often the judge gave each verdict, where it does not grade.
        reading: How they are read.
        zero_is_grade: Whether labels or other judges show that 0 is a grade.
    """

    def __init__(
        self,
        counts: Mapping[str, int],
        every: Mapping[str, re.Match[str]],
        mapped: _Names,
        declared: Collection[str],
        reading: Reading,
        zero_is_grade: bool,
    ) -> None:
        """Find them in how often the judge gave each verdict, and in the scores of every judge."""
        self.zero_is_grade = zero_is_grade
        self.names: dict[str, str] = dict(mapped)
        self.codes: dict[str, Code] = dict.fromkeys(mapped, Code.MAP)
        self.asked: list[tuple[str, int, Code, list[tuple[str, dict[str, str]]]]] = []
        self.reading = reading
        settled = {*mapped, *declared, *NO_VERDICTS}
        given = {text: n for text, n in counts.items() if text not in settled}
        all_given = {text: n for text, n in counts.items() if text not in NO_VERDICTS}
        sure = [text for text in given if FAILED.fullmatch(text)]
        rest = {text: n for text, n in all_given.items() if text not in sure}
        scores = {text: every[text] for text in rest if text in every}
        maybe = [text for text in given if text in rest and MAYBE.fullmatch(text)]
        graded = self._is_scale(rest, scores, maybe, every)
        for text in sure:
            self.take(text, NON_RESPONSE, Code.FAILURES)
        self._ambiguous(maybe, rest, graded)
        named = {t: n for t, n in rest.items() if self.names.get(t) not in NO_VERDICTS}
        self.words = {} if graded else named
        if graded:
            self._numbers({text: one for text, one in scores.items() if text in given}, rest)
            words = [t for t in given if t in rest and t not in scores and t not in maybe]
            self._words(words, rest)

    def take(self, text: str, name: str, code: Code) -> None:
        """Take a verdict as written for another one."""
        if text != name:
            self.names[text] = name
            self.codes[text] = code

    @staticmethod
    def _is_scale(
        rest: Mapping[str, int],
        scores: Mapping[str, re.Match[str]],
        maybe: Collection[str],
        every: Mapping[str, re.Match[str]],
    ) -> bool:
        """Whether a judge grades with numbers.

        One that says nothing else may use two grades of a scale that all judges show.
        """
        words = sum(n for text, n in rest.items() if text not in maybe)
        most = Counter(one["most"] for one in scores.values() if one["most"])
        if most and 2 * max(most.values()) < most.total():
            return False  # fractions
        few = len({_value(one["number"]) for one in scores.values()}) < _SCALE
        shown, share = (every, 1.0) if few else (scores, _HALF)
        values = {_value(one["number"]) for one in shown.values()}
        # "1,2" and "1,3" are two labels each; "1,5" and "2,5" are halves.
        sets = [text for text in shown if re.fullmatch(r"\d,\d", text)]
        halves = all(text[2] == "5" for text in sets)
        if len(values) < _SCALE or (not halves and all(text[0] < text[2] for text in sets)):
            return False
        return bool(scores) and sum(rest[text] for text in scores) >= share * words

    def _ambiguous(self, maybe: Sequence[str], rest: Mapping[str, int], graded: bool) -> None:
        """Words that are a failure or a verdict."""
        total = sum(rest.values())
        plain = {plain_verdict(text) for text in rest}
        for text in maybe:
            if not graded and plain.intersection(OPPOSITE.get(plain_verdict(text) or text, ())):
                continue
            if graded or rest[text] <= _OFTEN * total:
                self.take(text, NON_RESPONSE, Code.FAILURES)
                continue
            self._ask(f"verdicts {text!r:.40}", text, rest[text], Code.FAILURES_OPEN)

    def _ask(self, noun: str, text: str, count: int, code: Code, grade: str = "") -> None:
        """Ask whether a word is a failure or a verdict, or the grade that it says."""
        what = f"{noun} are {grade and f'grade {grade}, '}{NO_VERDICT}, or a verdict"
        ways = [*without_verdict(text), ("a verdict of its own", {text: text})]
        ways[:0] = [(f"grade {grade}", {text: grade})] if grade else []
        self.asked.append((what, count, code, ways))

    def ask_number_of_tie(
        self, counts: Mapping[str, int], words: Mapping[str, int], other: str
    ) -> None:
        """Ask whether a number, as of 0, 1 and 2, is what another judge calls a tie.

        Args:
            counts: How often the judge gave each verdict.
            words: How often the other judge did.
            other: The other judge.
        """
        own = {text for text in counts if text not in NO_VERDICTS and text not in self.names}
        its = {text for text in words if NUMBER.fullmatch(text)}
        ties = sorted(abstentions([*words], ()), key=lambda one: -words[one])
        numbers = len(own) == _SCALE and all(map(NUMBER.fullmatch, own))
        if not (numbers and ties and len(its) == _SCALE - 1 and its < own):
            return
        [text] = own - its
        if any(one[0].startswith(f"verdicts {text!r}") for one in self.asked):
            return  # a third judge asks the same
        what = (
            f"verdicts {text!r} are names or grades: {other!r:.40} judged the same questions, says "
            f"{ties[0]!r:.40} and never {text!r}"
        )
        ways = [
            (f"names, of which {text!r} is {ties[0]!r:.40}", {text: ties[0]}),
            (f"grades {', '.join(sorted(own, key=float))}", {text: text}),
        ]
        self.asked.append((what, counts[text], Code.NUMBERS_OPEN, ways))

    def _numbers(self, scores: Mapping[str, re.Match[str]], rest: Mapping[str, int]) -> None:
        """Grades on one scale; a number far outside the others may be no grade."""
        most = Counter[str]()
        for text, one in scores.items():
            if one["most"]:
                most[one["most"]] += rest[text]
        bare = [
            float(_value(s["number"])) for s in scores.values() if not (s["most"] or s["percent"])
        ]
        top = float(max(most, key=lambda one: (most[one], float(one)))) if most else None
        percent = {text for text, one in scores.items() if one["percent"]}
        of_percent = top or (1.0 if bare and max(bare) <= 1 else 100.0)
        values: dict[str, float] = {}
        for text, one in scores.items():
            number, factor = float(_value(one["number"])), 1.0
            if text in percent:
                factor = of_percent / 100
            elif top and one["most"] and float(one["most"]) != top:
                factor = top / float(one["most"])
            values[text] = number if factor == 1 else float(f"{number * factor:.12g}")
        mixed = percent and bare and not top and 1 < max(bare) <= 10
        for text, value in values.items():
            if mixed and text in percent:
                continue
            self.take(text, _written(value), Code.NUMBERS)
        if mixed:
            n = sum(rest[text] for text in percent)
            text = min(percent)
            known = _written(float(_value(scores[text]["number"])))
            of_ten = _written(float(known) / 10)
            what = f"grades in percent, as {text!r}, beside grades up to {max(bare):g}"
            ways = [("on a scale to 10", {text: of_ten}), ("on a scale to 100", {text: known})]
            self.asked.append((what, n, Code.NUMBERS_OPEN, ways))
        self._outside(values, rest)

    def _outside(self, values: Mapping[str, float], rest: Mapping[str, int]) -> None:
        """Ask about numbers outside the others, as -1 or 999 among 1 to 10."""
        times = Counter[float]()
        for text, value in values.items():
            times[value] += rest[text]
        for value, low, high in numbers_outside(times, self.zero_is_grade):
            shown = f"{low:g} to {high:g}"
            what = f"grades of {value:g}, outside the others ({shown}), are {NO_VERDICT}, or grades"
            text = next(text for text, of in values.items() if of == value)
            ways = [*without_verdict(text), ("grades", {text: _written(value)})]
            self.asked.append((what, int(times[value]), Code.OUTSIDE_OPEN, ways))

    def _words(self, words: Sequence[str], rest: Mapping[str, int]) -> None:
        """Words beside grades: sentences give none, other words are asked about."""
        kept = {*abstentions(words, ()), *(one for one in words if one.casefold() in _DECIDED)}
        if days := grades_of_days(words, rest):
            first, n = next(iter(days)), sum(rest[text] for text in days)
            what = f"days such as {first!r:.40} beside grades are {NO_VERDICT}, or grades"
            ways = [(grades_for_days(days), days), *without_verdict(*days)]
            self.asked.append((what, n, Code.NUMBERS_OPEN, ways))
        for text in words:
            if text in kept or text in days:
                continue
            grade = grade_in(text, rest)
            if not grade and (len(text.split()) > 3 or SORRY.search(text)):
                self.take(text, NON_RESPONSE, Code.FAILURES)
                continue
            noun = f"answers {text!r:.40} beside grades"
            self._ask(noun, text, rest[text], Code.NUMBERS_OPEN, grade)


def _zero_grades(
    sources: Sequence[Source], scores: Mapping[str, re.Match[str]], named: bool
) -> dict[_Judge, bool]:
    """Whether 0 is a grade, by the grades of all judges, for each benchmark and part of a score."""
    import pandas as pd

    values = {text: float(_value(one["number"])) for text, one in scores.items()}
    if 0.0 not in values.values():
        return {}
    by = _judge(sources[0].table)[named:]
    parts = [one.table.reindex(columns=[*by, "question", "verdict"]) for one in sources]
    rows = pd.concat(
        [one.assign(n=weights(of.table)) for one, of in zip(parts, sources, strict=True)]
    )
    rows = rows.assign(grade=rows["verdict"].map(values)).dropna(subset="grade")
    groups = rows.groupby(by, dropna=False) if by else [((), rows)]
    return {_key(part): is_zero_grade(of) for part, of in groups}


def _value(number: str) -> str:
    return number.replace(",", ".")


def _written(value: float) -> str:
    return str(said(value))


_SAID = {
    Code.MAP: "verdicts named by --map",
    Code.FAILURES: "answers without a verdict taken for non-responses",
    Code.NUMBERS: "verdicts taken as the numbers that they say",
    Code.SENTENCES: (
        "verdicts that are sentences, nearly each another, beside short verdicts, taken for those "
        "that they name or for non-responses (--map YOURS=VERDICT says what one means)"
    ),
    Code.SPELLING: "verdicts in another spelling taken as one",
}

_SAID_OF_CALLS = (
    "calls that failed, which are no answers of the judge, taken for non-responses "
    "(--map non-response=failed-call leaves them out)"
)


def _renamed(
    source: Source, forms: Mapping[_Judge, _Forms], mapped: _Names, spelled: _Names
) -> None:
    """Rename the verdicts of a source, and say which."""
    table, free = source.table, _free(source.table)
    if not free.any() or not (spelled or any(one.names or one.asked for one in forms.values())):
        return
    table = table.copy()
    counts: Counter[tuple[Code, str]] = Counter()
    examples: dict[tuple[Code, str], dict[str, str]] = defaultdict(dict)
    by = _judge(table)
    groups = table[free].groupby(by, dropna=False, sort=False) if by else [((), table[free])]
    for key, rows in groups:
        form = forms[_key(key)]
        names = {text: spelled.get(of, of) for text, of in form.names.items()}
        names = {**spelled, **names}
        given = rows["verdict"]
        changed = given[given.isin([text for text, of in names.items() if text != of])]
        for what, n, code, ways in form.asked:
            choices = [form.reading.choice(means, {"map": of}) for means, of in ways]
            source.notes.append(Note(what, n, source.where, code, tuple(choices)))
        if len(changed):
            size = weights(rows.loc[changed.index]) if "share" not in rows else None
            for text, own in changed.groupby(changed.astype(str)):
                code = form.codes.get(str(text), Code.SPELLING)
                kind = code, _said(code, str(text))
                counts[kind] += n_judgments(rows.loc[own.index]) if size is not None else len(own)
                if len(examples[kind]) < _SHOWN:
                    examples[kind][str(text)] = names[str(text)]
            table.loc[changed.index, "verdict"] = changed.map(names)
    # Judges share the labels of their questions.
    if "label" in table and any(Code.NUMBERS in form.codes.values() for form in forms.values()):
        table["label"] = each_once(table["label"], scored)
    for (code, what), n in counts.items():
        shown = examples[code, what].items()
        said_of = ", ".join(f"{text!r:.40} for {of!r}" for text, of in shown)
        source.notes.append(Note(f"{what}, as {said_of}", n, source.where, code))
    source.table = table


def _said(code: Code, text: str) -> str:
    """What is said of a verdict that is taken for another one."""
    failed = code is Code.FAILURES and CALL.fullmatch(text)
    return _SAID_OF_CALLS if failed else _SAID[code]


def scored(value: Any) -> Any:
    """The number that a text says, or each text of several; anything else as it is."""
    if isinstance(value, tuple):
        return tuple(map(scored, value))
    score = None if value is None else _SCORE.fullmatch(str(value).translate(_MINUS))
    return _written(float(_value(score["number"]))) if score else value
