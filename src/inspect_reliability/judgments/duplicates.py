"""Rows that repeat a question under one condition, and the columns that tell them apart."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .columns import (
    CHECK_ID,
    COLUMNS,
    MODELS,
    PAIR,
    UNUSED,
    WORDS,
    as_columns,
    most_levels,
    numbers_of,
    of_role,
    words_of,
)
from .days import are_days_or_months, as_months
from .pairs import may_be_orders, pairs_shown
from .reading import Choice, Code, Note, Reading

if TYPE_CHECKING:
    import pandas as pd


_MOST = 0.95
"""Share of the cells in which a column must tell the rows apart in the same way."""

_MOST_LEVELS = 50
"""With more levels a column is no condition: it numbers or describes what was judged."""

MOST_COLUMNS = 500
"""Columns looked at, so that files with thousands of them are read in seconds."""

_FRACTION = re.compile(r"[+-]?\d*[.,]0*[1-9]\d*([eE][+-]?\d+)?")
"""A number that counts nothing, and so is a score."""

_LONGEST = 60
"""Characters of a level: longer ones are texts."""

_NEVER = {
    *("verdict", "score", "grade", "rating", "mark", "points", "correct", "right", "wrong"),
    *("label", "outcome", "result", "reason"),
    *("rationale", "explanation", "text", "duration", "latency", "seconds"),
    *("tokens", "count", "cost", "length", "probability", "session", "temperature"),
    *("replication", "replicate", "iteration", "repetition", "seed"),
    *WORDS["comment"],
    *WORDS["replication"],
}
"""Words in the names of outcomes, scores, counts, durations and texts, which tell nothing apart,
and of what numbers draws."""

_DAYS = {"week", "month", "created", "started", *WORDS["time"]}
"""Words in the names of times. They tell rows apart only where the numbers of tries repeat: a try
may have a day of its own."""

_OUTPUTS = {"answer", "response", "output", "completion"}
"""Words in the names of what a judge said, or of the outputs that it judged."""

_FEWEST_CELLS = 5
"""Cells from which a level that is equally often in each is no accident of what a judge said."""

_USUAL: Mapping[str, Collection[str]] = {
    "order": {
        *("order", "position", "pos", "presentation", "swap", "swapped", "flip", "flipped"),
        *("shown", "reihenfolge", "anordnung", "orden", "ordre", "ordine", "volgorde", "ordem"),
    },
    "wording": {"prompt", "template", "wording", "variant", "style", "instruction", "persona"},
    "question": {
        *("subset", "split", "dataset", "category", "topic", "section", "domain", "pair", "turn"),
    },
    "scorer": {"criterion", "criteria", "rubric", "metric", "dimension", "aspect", "attribute"},
    "output": {"candidate", "system", "responder", "generator", *_OUTPUTS},
    "time": {
        *(*_DAYS, "year", "quarter", "monat", "woche", "quartal", "mes", "mois", "semaine"),
    },
}
"""What a column is, by a word in its name; any other is the time if it has days or months, or else
the judge's."""

_OWN_LABELS = ("order", "scorer")
"""What has labels of its own: places are exchanged, and each part of a score has one."""

_RATERS = {"rater", "annotator", "labeller", "labeler", "human", "expert"}
"""Words in the name of a column that says who gave a label."""


def identity(table: pd.DataFrame, facets: Collection[str]) -> list[str]:
    """The columns that identify a judgment."""
    known = of_role(table, "unit", "part", "facet", "replication")
    return [*known, *(name for name in ("responder", CHECK_ID) if name in table), *facets]


def of_one_verdict(table: pd.DataFrame, known: Sequence[str]) -> tuple[pd.DataFrame, int]:
    """Judgments whose rows give one verdict several labels, each once with all its labels.

    `known` are the columns that identify a judgment. Rows are those of several raters where each
    cell has one verdict and either names another rater in each row, or has labels that differ.

    Returns:
        The table, and how many rows were joined to others.
    """
    import pandas as pd

    if "label" not in table:
        return table, 0
    cell = numbers_of(*(table[name] for name in known))
    several = cell.duplicated(keep=False)
    if not several.any() or most_levels(table["verdict"], cell) > 1:
        return table, 0
    cells = table.groupby(cell, sort=False)
    who = [name for name in map(str, table) if {*words_of(name)} & _RATERS and name not in known]
    named = [name for name in who if not table[several].duplicated([*known, name]).any()][:1]
    if not (named or (cells["label"].nunique() > 1).any()):
        return table, 0
    raters = table[named[0]] if named else (cells.cumcount() + 1).map("rater {}".format)
    pairs = dict[int, dict[str, Any]]()
    for number, rater, label in zip(cell, raters, table["label"], strict=True):
        if isinstance(label, str) and rater is not None:
            pairs.setdefault(number, {})[str(rater)] = label
    first = ~cell.duplicated()
    joined = [as_columns(of) if (of := pairs.get(number)) else {} for number in cell[first]]
    made = table[first].reset_index(drop=True)
    for name in ("label", "rater"):
        values = [one.get(name) for one in joined]
        made[name] = pd.Series(values, made.index, dtype=object)
    return made, int((~first).sum())


def telling_apart(table: pd.DataFrame, known: Sequence[str], reading: Reading) -> Note | None:
    """What is open where a column tells apart rows that repeat a question under one condition.

    Args:
        table: Judgments.
        known: Columns that identify a judgment.
        reading: What is known of the source.
    """
    if found := _of_prompts(table, known, reading):
        return found
    cell = numbers_of(*(table[name] for name in known))
    several = cell.duplicated(keep=False)
    if not several.any():
        return _numbered_on(table, known, reading)
    cell, rows = cell[several], table[several]
    shown = {name for pair in pairs_shown(rows) for name in pair}
    taken = (*known, *reading.facets, *shown, *PAIR, "system", "p", "")
    free = [name for name in map(str, rows) if name not in taken]
    possible = [name for name in free[:MOST_COLUMNS] if _may_tell(rows, name)]
    days = [name for name in possible if {*words_of(name)} & _DAYS]
    possible = [name for name in possible if name not in days]
    name = next((one for one in possible if _everywhere(cell, rows[one])), None)
    if name is None and "replication" in known:
        again = (one for one in days if _once(cell, rows[one]) and _shared(cell, rows[one]))
        name = next(again, None)
    if name is not None:
        how = "in the same way everywhere"
        return _asked(table, name, _usual(rows, name, cell), how, known, len(rows), reading)
    possible = [name for name in possible if not {*words_of(name)} & _OUTPUTS]
    other = [name for name in known if name != "question"]
    one = cell * 0  # without other columns there is one condition
    condition = numbers_of(*(rows[name] for name in other)) if other else one
    for name in possible:  # ids that start again for each of its levels
        if _once(cell, rows[name]) and _of_questions(rows, name, condition, cell):
            how = "as ids that start again would need"
            return _asked(table, name, "question", how, known, len(rows), reading)
    return None


def _numbered_on(table: pd.DataFrame, known: Sequence[str], reading: Reading) -> Note | None:
    """What is open where each level of a column has some of the replications that are numbered.

    As of two versions, tries 1 to 5 and 6 to 10. A level of one replication only names that one.
    """
    of_cell = [name for name in known if name != "replication"]
    if of_cell == [*known]:
        return None
    taken = (*known, *reading.facets, *PAIR, "system", "p", "")
    free = [name for name in map(str, table) if name not in taken][:MOST_COLUMNS]
    possible = [name for name in free if not {*words_of(name)} & {*_OUTPUTS, *_DAYS}]
    possible = [name for name in possible if _means_nothing(table, name)]
    if not possible:
        return None
    cell = numbers_of(*(table[name] for name in of_cell))
    for few in (True, False):  # a few cells rule out most columns
        rows = table[cell < _FEWEST_CELLS] if few else table
        at = cell[rows.index]
        possible = [one for one in possible if _may_tell(rows, one) and _in_parts(at, rows[one])]
    if not possible:
        return None
    name, how = possible[0], "by their numbers"
    return _asked(table, name, _usual(table, name, cell), how, of_cell, len(table), reading)


def _in_parts(cell: pd.Series[int], values: pd.Series[Any]) -> bool:
    """Whether each level has several rows of every cell, as many as each other level."""
    levels = values.nunique()
    return levels > 1 and len(values) >= 2 * levels * cell.nunique() and _everywhere(cell, values)


def _of_prompts(table: pd.DataFrame, known: Sequence[str], reading: Reading) -> Note | None:
    """What is open where questions were judged under several prompts, and share these.

    A text that is asked differs from question to question; what most questions share is a wording.
    """
    if "prompt" not in known or "prompt" in reading.facets:
        return None
    if not 1 < table["prompt"].nunique() <= _MOST_LEVELS:
        return None
    without = [name for name in known if name != "prompt"]
    under = table.groupby(
        [one for one in without if one != "replication"], dropna=False, sort=False
    )
    rows = table[under["prompt"].transform("nunique") > 1]
    if rows["question"].nunique() < 2 or not _shared(rows["question"], rows["prompt"]):
        return None
    if not table.duplicated(without).any():
        known = [name for name in known if name != "replication"]  # the numbers run on
    how = "by what most questions share"
    return _asked(table, "prompt", "wording", how, known, len(rows), reading)


def _asked(
    table: pd.DataFrame,
    name: str,
    ours: str,
    how: str,
    known: Sequence[str],
    rows: int,
    reading: Reading,
) -> Note:
    """The question what a column is, with the calls that settle it."""
    yours = reading.yours(name)
    what = (
        f"rows repeat a question under one condition, and column {yours!r} tells them apart {how}: "
        "it may be what they differ in, or they are replications"
    )
    numbers = [reading.yours("replication")] if "replication" in known else []  # these repeat too
    orders = "order" not in table and ours != "order" and may_be_orders(table, name)
    ways = (
        *([_that_is(table, yours, "order", reading)] if orders else []),
        _that_is(table, yours, ours, reading),
        reading.choice("replications", {"columns": dict.fromkeys((yours, *numbers), UNUSED)}),
    )
    return Note(what, rows, reading.where, Code.REPEATS_OPEN, ways, name)


def _that_is(table: pd.DataFrame, name: str, ours: str, reading: Reading) -> Choice:
    """The call that says what a column is."""
    varied = ours in table and table[ours].nunique() > 1
    known = f"{name}+{reading.yours(ours)}" if varied or ours == "question" else name
    return reading.choice(
        f"column {name!r} is the {_MEANS.get(ours, ours)}", {"columns": {known: ours}}
    )


def _usual(rows: pd.DataFrame, name: str, cell: pd.Series[int]) -> str:
    """What a column usually is that tells rows apart in the same way everywhere."""
    words = {*words_of(name)}
    other = "time" if are_days_or_months({*rows[name].map(str)}) else "judge"
    ours = next((ours for ours, usual in _USUAL.items() if words & {*usual}), other)
    if words & {*MODELS} and rows.reindex(columns=["judge"]).notna().all(axis=None):
        ours = "output"  # whose judge is known
    return "question" if ours not in _OWN_LABELS and _labels_differ(rows, cell) else ours


_MEANS = {
    "order": "order in which the responses were shown",
    "scorer": "part of a score",
    "output": "output that was judged",
    "time": "time, which `watch` reads",
    "wording": "wording of the prompt",
}


def again_in(table: pd.DataFrame, known: Sequence[str], reading: Reading) -> list[Note]:
    """What is open where rows repeat a replication, as the source numbers these.

    Args:
        table: Judgments.
        known: Columns that identify a judgment, the replication among them.
        reading: What is known of the source.
    """
    known = [*known, *({"place"} & {*table})]  # a distribution has a row for each verdict
    number_of = numbers_of(*(table[name] for name in known))
    if not (again := number_of.duplicated(keep=False)).any():
        return []
    rows, cell = table[again], number_of[again]
    free = [name for name in map(str, rows) if name not in (*known, *reading.facets)]
    free = [one for one in free[:MOST_COLUMNS] if _may_tell(rows, one)]
    units = [one for one in free if not {*words_of(one)} & _OUTPUTS and _once(cell, rows[one])]
    yours, question = reading.yours("replication"), reading.yours("question")
    ways = [
        reading.choice(
            f"column {one!r} is part of the question",
            {"columns": {f"{one}+{question}": "question"}},
        )
        for one in units[:1]
    ]
    ways.append(reading.choice("each row is another replication", {"columns": {yours: UNUSED}}))
    number = int(cell.duplicated().sum())
    names = [*dict.fromkeys(rows["question"].map(str))]
    of = f"{', '.join(names[:3]):.80}{f' and {len(names) - 3:,} more' if names[3:] else ''}"
    copies = int(rows.map(str).duplicated().sum()) == number
    what = (
        f"rows repeat a replication of the same judge and question ({of})"
        f"{', and are the same in every column' * copies}: delete them if they are duplicates, "
        f"or say what they differ in{_by_dates(table, reading)}"
    )
    return [Note(what, number, reading.where, Code.REPEATS_OPEN, tuple(ways))]


def _by_dates(table: pd.DataFrame, reading: Reading) -> str:
    """That a column of dates could tell rows apart if it were filled in; "" without one."""
    for name in map(str, table.select_dtypes("object")):
        empty = "" if name in COLUMNS else empty_cells(table, name)
        if empty and has_dates(table[name]):
            return f". Column {reading.yours(name)!r} may be the time, but is {empty}: fill it in"
    return ""


_FILLED = 0.9
"""Share of the rows with a date from which a column of dates lacks some."""


def has_dates(values: pd.Series[Any]) -> bool:
    """Whether a column has days or months with their year, but for a few empty cells."""
    known = values.dropna()
    named = {*known.map(str)}
    return bool(len(known) >= _FILLED * len(values)) and bool(named) and are_days_or_months(named)


def empty_cells(table: pd.DataFrame, name: str) -> str:
    """Which cells of a column are empty, as "empty in 1 row, as of question 'q1'"; "" if none."""
    empty = table["question"][table[name].isna()]
    if empty.empty:
        return ""
    rows = "1 row" if len(empty) == 1 else f"{len(empty):,} rows"
    return f"empty in {rows}, as of question {empty.iloc[0]!r:.40}"


def _may_tell(rows: pd.DataFrame, name: str) -> bool:
    """Whether a column means nothing yet, and has levels that are no outcome or text."""
    if not _means_nothing(rows, name) or rows[name].isna().any():
        return False
    levels = rows[name].map(str).unique()
    if len(levels) < 2 or max(map(len, levels)) > _LONGEST:
        return False
    return not any(map(_FRACTION.fullmatch, levels)) or as_months(levels) is not None


def _means_nothing(table: pd.DataFrame, name: str) -> bool:
    """Whether a column means nothing yet, by its name."""
    people = name == "rater" and "label" not in table
    taken = name in COLUMNS and COLUMNS[name].role != "fact" and not people
    return not taken and not {*words_of(name)} & _NEVER


def _evenly(cell: pd.Series[int], values: pd.Series[Any]) -> bool:
    """Whether each level is equally often in 95% of the cells, as often as the others."""
    found = values.groupby([cell, values], sort=False).size().unstack(fill_value=0)
    least, most = found.min(axis=1), found.max(axis=1)
    return bool(((least == most) & (least > 0)).mean() >= _MOST)


def _everywhere(cell: pd.Series[int], values: pd.Series[Any]) -> bool:
    """Whether a column tells the rows of each cell apart in the same way, and not by accident."""
    few = {*words_of(str(values.name))} & _OUTPUTS and cell.nunique() < _FEWEST_CELLS
    return not few and values.nunique() <= _MOST_LEVELS and _evenly(cell, values)


def _shared(unit: pd.Series[Any], values: pd.Series[Any]) -> bool:
    """Whether most levels are each found in half of the units or more."""
    found = unit.groupby(values.map(str)).nunique()
    few = 1 < len(found) <= _MOST_LEVELS
    return bool(few and (2 * found >= unit.nunique()).mean() > 0.5)


def _once(cell: pd.Series[int], values: pd.Series[Any]) -> bool:
    """Whether 95% of the rows are the first of their level in their cell."""
    import pandas as pd

    again = pd.DataFrame({"cell": cell, "level": values}).duplicated()
    return bool(1 - again.mean() >= _MOST)


def _of_questions(
    rows: pd.DataFrame, name: str, condition: pd.Series[int], cell: pd.Series[int]
) -> bool:
    """Whether a column belongs to the questions: to their labels, or under every condition."""
    if _labels_differ(rows, cell):
        return True
    items = numbers_of(rows["question"], rows[name])
    under = condition.groupby(items.to_numpy()).nunique()
    return bool(condition.nunique() > 1 and (under == condition.nunique()).mean() >= _MOST)


def _labels_differ(rows: pd.DataFrame, cell: pd.Series[int]) -> bool:
    """Whether rows of one cell have several labels: they are of several questions."""
    if "label" not in rows:
        return False
    return bool((rows["label"].map(str).groupby(cell.to_numpy()).nunique() > 1).any())
