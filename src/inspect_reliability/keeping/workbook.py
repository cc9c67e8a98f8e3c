"""The list of what to keep as a workbook, for the person who checks the rest."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..answers.condition import from_logs
from ..answers.labelled_cascade import LabelledCascade
from ..judgments.column_names import numbers_of_tries
from ..judgments.columns import COLUMNS
from ..judgments.count import NUMBER
from ..judgments.kept_lists import CHECKED, LABELLED
from ..stats.cells import FloatArray
from ..verdicts import NO_VERDICTS

_FIRST = ("escalate", "person", CHECKED, LABELLED, "keep")
"""The decisions in the order of the rows."""

_MOST_VOTES = 7
"""Most votes that are named one by one."""


def workbook(
    panel: LabelledCascade, order: Sequence[str], columns: Mapping[str, str]
) -> pd.DataFrame:
    """A row a question: what to check on top, then what people said, then what is kept.

    Beside `out` it has the tries and the label as the source calls them, why a verdict is to be
    checked or people overrule it, a column to fill in with what was filled in before, and columns
    of the source's own with one value a question. Grades are numbers.

    Args:
        panel: A judge, or judges that are asked in turn.
        order: The questions in the order of the source.
        columns: Name in the source -> our name, as far as its user named them.
    """
    found = panel.out()
    own = _own_columns(panel)
    if "answer" in found and any(_same(of, found) for of in own.values()):
        found = found.drop(columns="answer")
    labels = _labels(panel)
    found["confidence"] = found["confidence"].round(2)
    said, checked = (pd.Series(one, dtype=object) for one in (panel.by_people, panel.checked))
    differs = said.notna() & (said != found["verdict"])
    by_people = said.notna() & (differs | (found["decision"] != "keep"))
    found["decision"] = (
        found["decision"].mask(by_people, LABELLED).mask(by_people & checked.notna(), CHECKED)
    )
    words = pd.Series([_in_words(panel, votes) for votes in panel.votes], dtype=object)
    overruled = words + "; a person says " + said
    found["why"] = words.mask(differs, overruled).where(
        differs | found["decision"].isin(_FIRST[:2])
    )
    found[CHECKED] = _as_numbers(checked)
    of_source = {**_tries(panel, columns), _name(columns): labels}
    place = [*found].index("question") + 1
    for name, values in reversed(of_source.items()):
        if name not in found and values.notna().any():
            found.insert(place, name, _at(values, found))
    for name, values in own.items():
        if name not in found:
            found[name] = _at(values, found)
    gone = ["judge"] * all(row.keys.get("judge") is None for row in panel.rows)
    empty = [one for one in map(str, found) if found[one].isna().all()]
    gone += [one for one in empty if one not in (CHECKED, "final")]
    found = found.drop(columns=gone, errors="ignore")
    for name in ("verdict", "final"):
        found[name] = _as_numbers(found[name])
    place_of = {name: at for at, name in enumerate(order)}
    at = found["question"].map(lambda one: place_of.get(one, len(place_of)))
    first = found["decision"].map(_FIRST.index)
    return found.iloc[np.lexsort((at, first))]


def _at(values: "pd.Series[Any]", found: pd.DataFrame) -> "pd.Series[Any]":
    return values.reindex(found["question"]).reset_index(drop=True)


def _same(values: "pd.Series[Any]", found: pd.DataFrame) -> bool:
    return _at(values, found).equals(found["answer"])


def _name(columns: Mapping[str, str]) -> str:
    """What the source calls its labels; a name that every command would read is not taken."""
    named = [yours for yours, ours in columns.items() if ours == "label" and yours != ours]
    return named[0] if named else LABELLED


def _labels(panel: LabelledCascade) -> "pd.Series[Any]":
    """The label of each question, those of several people as one text."""
    given = [
        [panel.categories[n] for n in np.flatnonzero(row) for _ in range(int(row[n]))]
        for row in panel.labels
    ]
    texts = [", ".join(one) or None for one in given]
    return _as_numbers(pd.Series(texts, panel.questions, dtype=object))


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
