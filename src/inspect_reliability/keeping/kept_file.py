"""What `keep` writes: its list, a row a question, and its rule."""

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..answers.condition import from_logs
from ..answers.kept import record
from ..answers.labelled_cascade import LabelledCascade
from ..answers.next_steps import rejudge_call
from ..answers.row import Row
from ..answers.rule_check import agreeing_in, said_in
from ..errors import UserError
from ..judgments.column_names import CHECKED, LABELLED, is_list, numbers_of_tries
from ..judgments.columns import COLUMNS
from ..judgments.count import NUMBER
from ..judgments.judge_of import judge_of
from ..judgments.log_facts import Log
from ..judgments.own_numbers import with_own_numbers
from ..judgments.reading import Code
from ..judgments.rows import dialect_of, read_frame
from ..judgments.table import Judgments, units_of
from ..judgments.workbooks import keywords_of, write_workbook
from ..record.rule import KeepRule
from ..saving import Ours, whole, write_text
from ..shell import join
from ..showing.csv import to_csv
from ..showing.document import only_options
from ..showing.formats import amount
from ..stats.cells import FloatArray
from ..verdicts import NO_VERDICTS
from .beside_people import unnamed
from .several import differing_columns

LIST_ENDINGS = (".csv", ".parquet", ".xlsx")

ORDER = (
    ": first what to check, then what is checked or labelled already, then what to keep, each in "
    "the order of the source"
)
"""How the rows of a list for people are ordered. One in parquet is for programs: its rows stay."""

_COLUMNS = ["verdict", "confidence", "decision"]
"""The last columns of a list for programs, after the question's; the first say which judge under
which condition."""

_MORE = ("final", "answer")
"""Columns after these: the verdict to use, and the text that was judged where there is one."""

_NAMED = {name for name, column in COLUMNS.items() if column.role != "truth"}
_OWN = {"question", *_COLUMNS, *_MORE, "why", CHECKED, LABELLED, *_NAMED}
"""Columns that a list for people may have of us; one of labels is its user's."""

_FIRST = ("escalate", "person", CHECKED, LABELLED, "keep")
"""The decisions in the order of the rows."""

_DAY = re.compile(r"\d{4}-\d\d-\d\d")

_MOST_VOTES = 7
"""Most votes that are named one by one."""


def _keywords(table: pd.DataFrame) -> str:
    """How a workbook is known: one with a column that its user added, or filled in, is hers."""
    filled = table[CHECKED].dropna().map(str).map(str.strip)
    names = ", ".join([*map(str, table), *filled[filled != ""]])
    return f"keep --out, {len(table.columns)} columns, {sha256(names.encode()).hexdigest()[:16]}"


def _is_list(file: Path) -> bool:
    table, *_ = read_frame(file)
    if file.suffix.lower() == ".xlsx":
        return CHECKED in table and keywords_of(file) == _keywords(table)
    if file.suffix.lower() == ".csv":
        return is_list(table) and not _n_filled_in(table)
    *keys, _, verdict, confidence, decision = table.drop(columns=[*_MORE], errors="ignore")
    if [verdict, confidence, decision] != _COLUMNS or "judge" not in keys:
        return False
    # Rows of one condition are together, so a column of labels among the first is none of ours.
    # In a list of a cascade the judge is the one that decides.
    conditions = table[keys].astype(str)
    together = _are_together(conditions) or _are_together(conditions.drop(columns="judge"))
    known = table[decision].isin(_FIRST).all()
    shares = pd.to_numeric(table[confidence].map(str).str.replace(",", "."))
    return bool(together and known and shares.between(0, 1).all())


def _n_filled_in(table: pd.DataFrame) -> int:
    """How many rows somebody has filled in that no list has taken for checked."""
    filled = table[CHECKED].notna() & (table[CHECKED].map(str).map(str.strip) != "")
    return int((filled & (table["decision"] != CHECKED)).sum())


def _stays(file: Path) -> str:
    """Why a list stays where somebody has filled in its column `checked`, and what reads it."""
    table, *_ = read_frame(file)
    if not is_list(table) or not (n := _n_filled_in(table)):
        return ""
    return (
        f"is a list of keep in which somebody filled in {amount(n, 'row')} of its column "
        f"{CHECKED}: it is not replaced. To count what is filled in, name it as --labels, and "
        "another file as --out. To leave it out, only name another --out."
    )


def _replaceable(table: pd.DataFrame) -> Ours:
    """A list in CSV that this table may replace: without columns that its user added."""

    def added(file: Path) -> list[str]:
        known = _OWN | {*table}
        return [name for name in map(str, read_frame(file)[0]) if name not in known]

    def stays(file: Path) -> str:
        names = ", ".join(added(file)) if LIST.made(file) else ""
        says = f"is a list of keep with columns that a new one lacks ({names}): it is not replaced."
        return f"{says} Name another place." if names else LIST.stays(file)

    return Ours(LIST.name, lambda file: LIST.made(file) and not added(file), stays)


def _are_together(rows: pd.DataFrame) -> bool:
    """Whether rows that are the same follow each other."""
    return bool((rows != rows.shift()).any(axis=1).sum() <= len(rows.drop_duplicates()))


LIST = Ours("list of keep", _is_list, _stays)


def _is_rule(file: Path) -> bool:
    KeepRule.read(str(file))
    return True


RULE = Ours("rule of keep", _is_rule)


def listed(found: Sequence[LabelledCascade]) -> list[LabelledCascade]:
    """Whose questions a list has: the cascade's, or those of each judge."""
    return [one for one in found if len(one.rows) > 1] or [*found]


def write_list(
    out: str,
    found: Sequence[LabelledCascade],
    judgments: Judgments,
    columns: Mapping[str, str],
) -> None:
    """Write a row a question; a workbook or CSV is for a person to read.

    Args:
        out: The file.
        found: Whose questions it has.
        judgments: Their judgments. A .csv is written as their files are. Of exchanged places a
            person reads in each row what verdicts name.
        columns: Name in the source -> our name, as far as its user named them.

    Raises:
        UserError: The file cannot be written, or would replace another.
    """
    ending = Path(out).suffix.lower()
    if ending == ".parquet":
        rows = decided(found, judgments)
        table = _in_one_type(judgments.with_own_values(rows), rows)
        with whole(out, LIST) as part:
            named = table.rename(columns={"question": _question(columns, table)})
            named.to_parquet(part, index=False)
        return
    panels, files = listed(found), judgments.files
    alone = len(panels) == 1 and len(panels[0].rows) == 1
    each = [_for_people(one, judgments, columns, alone) for one in panels]
    table = pd.concat(each, ignore_index=True)
    means = "; ".join({one.what: None for one in judgments.notes if one.code is Code.PLACES})
    if means:
        why = table["why"] if "why" in table else pd.Series(None, table.index, dtype=object)
        table["why"] = (why + f"; {means}").fillna(means)
    if ending == ".csv":
        table["confidence"] = table["confidence"].round(4)
        shown = table.map(_as_written)
        write_text(out, to_csv(shown, dialect=dialect_of(files)), _replaceable(table))
        return
    with whole(out, LIST) as part:
        if files or not from_logs(panels[0].rows[0].table):
            own = [one for one in map(str, table) if one == "question" or one not in _OWN]
            table = with_own_numbers(table, files, dict(zip(own, own, strict=True)))
        for name in map(str, table):
            table[name] = _as_days(table[name])
        table["confidence"] = table["confidence"].round(2)
        offered = {CHECKED: _offered(panels)}
        write_workbook(part, table, _keywords(table), {"confidence": "0%"}, offered)


def _in_one_type(table: pd.DataFrame, texts: pd.DataFrame) -> pd.DataFrame:
    """A table for parquet: texts where the values of a column have several types."""
    import pyarrow as pa

    def fits(values: "pd.Series[Any]") -> bool:
        try:
            pa.Array.from_pandas(values)
        except pa.ArrowException:
            return False
        return True

    return table.assign(**{name: texts[name] for name in map(str, table) if not fits(table[name])})


def _as_written(value: Any) -> Any:
    """A whole number as text: beside empty cells, pandas would make it a fraction."""
    whole = isinstance(value, int | float) and value == value and float(value).is_integer()
    return f"{value:.0f}" if whole and not isinstance(value, bool) else value


def _offered(panels: Sequence[LabelledCascade]) -> list[str]:
    """What a person can choose: the verdicts of all judges and labels, grades from low to high."""
    names = dict.fromkeys(name for one in panels for name in one.categories)
    known = [name for name in names if name not in (*NO_VERDICTS, *panels[0].undecided)]
    if all(map(NUMBER.fullmatch, known)):
        known.sort(key=float)
    return known


def _as_days(values: "pd.Series[Any]") -> "pd.Series[Any]":
    """A column whose texts are all days, as days."""
    known = values.dropna()
    if known.empty or not all(isinstance(one, str) and _DAY.fullmatch(one) for one in known):
        return values
    days = pd.to_datetime(values, format="%Y-%m-%d", errors="coerce")
    return days if days.notna().sum() == len(known) else values


def refuse_rule(found: Sequence[LabelledCascade]) -> None:
    """Refuse to save a rule that no grader can be asked by.

    Raises:
        UserError: Several judges have a rule, or verdicts are a suite's own scores.
    """
    if len(found) > 1 and len(found[0].rows) == 1:
        if (differ := differing_columns(found)) == ["judge"]:
            raise UserError("--save-rule writes one rule: name its judge with --cascade JUDGE.")
        one = join(only_options((name, str(found[0].keys[name])) for name in differ))
        raise UserError(
            f"--save-rule writes one rule, and these are {len(found)}, one for each "
            f"{' and '.join(differ)}. Take one: {one}."
        )
    if of := graded_suite(found[0]):
        row, graders = of
        raise UserError(
            f"A rule is about votes of one grader on one output, and each verdict of {row.name} is "
            f"the grade of another output by {', '.join(graders)}. Judge each output again, and "
            f"make the rule of these logs: inspect-reliability {rejudge_call(row)}"
        )


def graded_suite(panel: LabelledCascade) -> tuple[Row, tuple[str, ...]] | None:
    """The first of the rows that are a suite's own scores, and who graded it; None without one."""
    return next(((row, row.graders) for row in panel.rows if row.graders), None)


def saved_rule(panel: LabelledCascade, logs: Mapping[str, Log]) -> KeepRule:
    """The rule as `--save-rule` writes it, and `selective_scorer` reads it; `logs` say who judged.

    Raises:
        UserError: Nothing is promised, or the judges have different numbers of votes.
    """
    one = record(panel)
    if one["threshold"] is None:
        raise UserError(f"There is no rule to save: {one['reason']}.")
    if panel.promise.given:
        raise UserError(
            "There is no new rule to save: this one was given. Leave out --rule to make one by "
            "labels."
        )
    if panel.rule.known:
        raise UserError(
            "There is no rule to save: everything that could be kept is labelled, and these labels "
            "promise nothing of other questions. Judge more questions, and label them."
        )
    if not one["votes"]:
        raise UserError(
            "A saved rule asks each judge equally often, and these votes are probabilities or "
            "differ in number. Sample as many verdicts of each judge."
        )
    names = ("votes", "votes_needed", "max_error", "confidence", "kept", "error", "n_labelled")
    known = {name: one[name] for name in (*names, "n_questions")}
    known["agreeing"] = agreeing_in(panel.cascade).tolist()
    known["verdicts"] = said_in(panel.cascade, panel.categories, one["threshold"])
    made = {
        name: judge_of(row.table, logs) for name, row in zip(panel.names, panel.rows, strict=True)
    }
    grades = [*panel.grades_by_name] if panel.promise.within_one else []
    if panel.promise.within_one and not grades:
        raise UserError(
            "There is no rule to save: these grades lie at unequal distances, and a rule would not "
            "know how far a step is. Add --no-within-one for a rule of what is the label itself."
        )
    known |= {"grades": grades, "step": panel.grade_step if grades else None}
    return KeepRule(judges=panel.names, abstain=panel.undecided, made_of=made, **known)


def decided(found: Sequence[LabelledCascade], judgments: Judgments) -> pd.DataFrame:
    """A row a question of each judge, in the order of the judgments, with its decision."""
    rows = [
        one.iloc[np.argsort(_places(one, judgments), kind="stable")]
        for one in map(_decided, listed(found))
    ]
    return pd.concat(rows, ignore_index=True)


def _decided(panel: LabelledCascade) -> pd.DataFrame:
    """`out`, where a decision says which verdicts are a person's, and how.

    They are where nothing is kept, or the person says otherwise.
    """
    found = panel.out()
    said, checked = (pd.Series(one, dtype=object) for one in (panel.by_people, panel.checked))
    by_people = said.notna() & ((found["decision"] != "keep") | (said != found["verdict"]))
    decision = found["decision"].mask(by_people, LABELLED)
    return found.assign(decision=decision.mask(by_people & checked.notna(), CHECKED))


def _places(found: pd.DataFrame, judgments: Judgments) -> "pd.Series[int]":
    """The place of each question in the source."""
    order = judgments.order or units_of(judgments.table)
    place_of = {name: at for at, name in enumerate(dict.fromkeys(name for _, name in order))}
    return found["question"].map(lambda one: place_of.get(str(one), len(place_of)))


def _for_people(
    panel: LabelledCascade, judgments: Judgments, columns: Mapping[str, str], alone: bool
) -> pd.DataFrame:
    """A row a question: what to check on top, then what people said, then what is kept.

    Beside `out` it has the tries and the label as the source calls them, why a verdict is to be
    checked or people overrule it, a column to fill in with what was filled in before, and columns
    of the source's own with one value a question. Grades are numbers.

    Args:
        panel: A judge, or judges that are asked in turn.
        judgments: The judgments, whose source has an order.
        columns: Name in the source -> our name, as far as its user named them.
        alone: Whether the list has one judge.
    """
    found = _decided(panel)
    own = _own_columns(panel)
    if "answer" in found and any(_same(of, found) for of in own.values()):
        found = found.drop(columns="answer")
    said, checked = (pd.Series(one, dtype=object) for one in (panel.by_people, panel.checked))
    differs = said.notna() & (said != found["verdict"])
    words = pd.Series([_in_words(panel, votes) for votes in panel.votes], dtype=object)
    overruled = words + "; a person says " + said
    differ = words + "; people say " + pd.Series(_said_by_each(panel), dtype=object)
    words = words.mask(pd.Series(panel.contested), differ)
    found["why"] = words.mask(differs, overruled).where(
        differs | found["decision"].isin(_FIRST[:2])
    )
    found[CHECKED] = _as_numbers(checked)
    of_source = _tries(panel, columns) | _labels(panel, columns)
    place = [*found].index("verdict")
    for name, values in reversed(of_source.items()):
        if name not in found and values.notna().any():
            found.insert(place, name, _at(values, found))
    for name, values in own.items():
        if name not in found:
            found[name] = _at(values, found)
    judges = [row.keys.get("judge") for row in panel.rows]
    gone = ["judge"] * (all(one is None for one in judges) or (alone and unnamed(judges[0])))
    empty = [one for one in map(str, found) if found[one].isna().all()]
    gone += [one for one in empty if one not in (CHECKED, "final")]
    found = found.drop(columns=gone, errors="ignore")
    for name in ("verdict", "final"):
        found[name] = _as_numbers(found[name])
    first = found["decision"].map(_FIRST.index)
    found = found.iloc[np.lexsort((_places(found, judgments), first))]
    found.insert(0, _question(columns, found), found.pop("question"))
    return found


def _question(columns: Mapping[str, str], found: pd.DataFrame) -> str:
    """What the source calls its questions, where that is one column and no other has the name."""
    named = [yours for yours, ours in columns.items() if ours == "question"]
    free = len(named) == 1 and "+" not in named[0] and named[0] not in (*found, *_OWN)
    return named[0] if free else "question"


def _at(values: "pd.Series[Any]", found: pd.DataFrame) -> "pd.Series[Any]":
    return values.reindex(found["question"]).reset_index(drop=True)


def _same(values: "pd.Series[Any]", found: pd.DataFrame) -> bool:
    return _at(values, found).equals(found["answer"])


def _labels(panel: LabelledCascade, columns: Mapping[str, str]) -> dict[str, "pd.Series[Any]"]:
    """The labels of each question, under the names that the source has for them.

    Of several columns, each has what its person said. Labels of others are one text; a name that
    every command would read is not taken.
    """
    named = [yours for yours, ours in columns.items() if ours == "label" and yours != ours]
    given = [(name, rater, label) for (name, rater), label in panel.rated.items()]
    rated = pd.DataFrame(given, columns=["question", "rater", "label"])
    rated = rated.assign(at=pd.Index(panel.categories).get_indexer(pd.Index(rated["label"])))
    rated = rated[rated["at"] >= 0].sort_values("at")
    apart = named if named[1:] and {*named} <= {*map(str, rated["rater"])} else []
    found = {name: _texts(rated[rated["rater"] == name]) for name in apart}
    if len(others := rated[~rated["rater"].isin(apart)]):
        found[LABELLED if apart or not named else named[0]] = _texts(others)
    return found


def _texts(rated: pd.DataFrame) -> "pd.Series[Any]":
    """The label of each question, those of several people as one text, from low to high."""
    return _as_numbers(rated.groupby("question")["label"].agg(", ".join).astype(object))


def _tries(panel: LabelledCascade, columns: Mapping[str, str]) -> dict[str, "pd.Series[Any]"]:
    """The verdicts of each question, where they are columns of the source."""
    wide = [yours for yours, ours in columns.items() if ours == "verdict"]
    table = panel.rows[0].table
    numbers = numbers_of_tries(wide) or [*range(1, len(wide) + 1)]
    several = panel.rows[1:] or table.duplicated(["question", "replication"]).any()
    if not wide[1:] or several or {*table["replication"]} != {*numbers}:
        return {}
    said = table["verdict"].mask(table["verdict"].isin([*NO_VERDICTS]))
    by_number = table.assign(verdict=said).pivot(
        index="question", columns="replication", values="verdict"
    )
    tries = zip(wide, numbers, strict=True)
    return {name: _as_numbers(by_number[number]) for name, number in tries}


def _in_words(panel: LabelledCascade, votes: FloatArray) -> str:
    """Votes one by one, or how many there are of each verdict."""
    names = ["none" if one in NO_VERDICTS else one for one in panel.categories]
    given = [(name, n) for name, n in zip(names, votes.tolist(), strict=True) if n]
    if panel.rows[0].counts.exact:
        return ", ".join(f"{name} {n:.0%}" for name, n in given)
    if votes.sum() > _MOST_VOTES:
        return "votes " + ", ".join(f"{n:.0f} x {name}" for name, n in given)
    return "votes " + ", ".join(name for name, n in given for _ in range(int(n)))


def _said_by_each(panel: LabelledCascade) -> list[str]:
    """The labels that people gave to each question, in words."""
    each = (np.flatnonzero(given) for given in panel.labels)
    return [" and ".join(panel.categories[n] for n in given) for given in each]


def _as_numbers(values: "pd.Series[Any]") -> "pd.Series[Any]":
    """Texts that are numbers, spelled as these are shown, as numbers."""

    def number(one: Any) -> Any:
        if not isinstance(one, str) or not NUMBER.fullmatch(one) or f"{float(one):g}" != one:
            return one
        return int(one) if one.lstrip("-").isdigit() else float(one)

    return pd.Series([number(one) for one in values], values.index, dtype=object)


def _own_columns(panel: LabelledCascade) -> dict[str, "pd.Series[Any]"]:
    """The source's columns that are none of ours and have one value a question, by question."""
    table = panel.rows[0].table
    named = [] if from_logs(table) else [*map(str, table)]
    names = [name for name in named if name in table and name not in COLUMNS]
    values = table[names].map(repr).groupby(table["question"]).nunique().max()
    first = table.drop_duplicates("question")
    first = first.set_index(first["question"].map(str))
    return {name: first[name] for name in names if values[name] < 2}
