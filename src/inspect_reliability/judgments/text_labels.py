"""Labels that are no verdicts as written: the text of the right option, or names of their own."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from .columns import COLUMNS, UNUSED
from .reading import Code, Note, Reading
from .values import plain

if TYPE_CHECKING:
    import pandas as pd

_OPTION = re.compile(r"(.*[^\W\d_])[\s_.-]*(?:(?<=[\s_.-])([A-Za-z])|(?<=[a-z])([A-Z])|(\d{1,2}))")
"""The column of one option, as option_A, choiceB or answer 1: a name, and the option's."""

_MOSTLY = 0.95
"""Share of the labels that must be the text of one option each."""

_LABELS = "labels that are the text of an option read as its name, as {!r:.40} for {}"
_OPEN = (
    "values of column {!r}, such as {!r:.40}, are no verdicts, though labels are called so: labels "
    "under other names, which --map then makes verdicts, or something else, such as the answer "
    "that was expected"
)
_TEXTS = (
    "values of column {!r}, such as {!r:.40}, are no verdicts and differ by question, so they are "
    "no labels. To use them, write the right verdict there instead, or add a column with the text "
    "of each option, such as option_A and option_B"
)


def options_of(frame: pd.DataFrame, label: str) -> dict[str, Any]:
    """Column of an option -> the verdict on it, where a column has the text of one of them.

    Empty where the texts of labels are verdicts themselves, or no options'.
    """
    if "verdict" not in frame or label not in frame:
        return {}
    known = {_spelled(one): one for one in frame["verdict"].dropna().drop_duplicates()}
    kinds: dict[str, dict[str, Any]] = defaultdict(dict)
    for name in map(str, frame):
        found = None if name in COLUMNS or name == label else _OPTION.fullmatch(name)
        if found and (said := _spelled(found[2] or found[3] or found[4])) in known:
            kinds[found[1]][name] = known[said]
    for options in kinds.values():
        if len(options) > 1:
            given = frame[label].dropna()
            right = _right(frame.loc[given.index], label, options)
            if len(given) and right.notna().mean() >= _MOSTLY:
                return options
    return {}


def with_options_named(
    frame: pd.DataFrame, options: dict[str, Any], where: str
) -> tuple[pd.DataFrame, list[Note]]:
    """A frame whose labels are the verdicts on the options of which they are the text."""
    right = _right(frame, "label", options)
    read = right.notna()
    if not read.any():
        return frame, []
    was = frame["label"]
    what = _LABELS.format(str(was[read].iloc[0]), right[read].iloc[0])
    note = Note(what, int(read.sum()), where, Code.LABELS)
    return frame.assign(label=right.where(read, was)), [note]


def _right(frame: pd.DataFrame, label: str, options: dict[str, Any]) -> pd.Series[Any]:
    """The verdict on the one option whose text is the label of its row; None where none is."""
    import pandas as pd

    given = frame[label].map(_text)
    same = pd.DataFrame(
        {n: given.notna() & (frame[name].map(_text) == given) for n, name in enumerate(options)}
    )
    names = pd.Series([*options.values()], dtype=object)
    found = names.reindex(same.to_numpy().argmax(axis=1)).set_axis(frame.index)
    return found.where(same.sum(axis=1) == 1, None)


def asked_of_labels(frame: pd.DataFrame, name: str, reading: Reading) -> list[Note]:
    """Ask whether a column that is called as labels are has some, whose values are no verdicts.

    Values of labels come back, and are the same in all rows of a question. Of other texts, it is
    said what would make labels of them.
    """
    given = frame[[name, "question"]].dropna()
    values = given[name].map(_text)
    questions = given["question"].map(str)
    shown = str(plain(given[name].iloc[0])) if len(given) else ""
    if values.groupby(questions).nunique().max() > 1 or values.nunique() < 2:
        return []
    if values.nunique() > questions.nunique() / 2:
        return [Note(_TEXTS.format(name, shown), len(given), reading.where, Code.UNUSED)]
    ways = (
        reading.choice("labels under other names", {"columns": {name: "label"}}),
        reading.choice("something else", {"columns": {name: UNUSED}}),
    )
    what = _OPEN.format(name, shown)
    return [Note(what, len(given), reading.where, Code.LABEL_OPEN, ways, name)]


def _text(value: Any) -> str | None:
    value = plain(value)
    return None if value is None or value != value else str(value).casefold()


def _spelled(value: Any) -> str:
    """A verdict, or the name of an option, without what is written differently: 4.0, "A"."""
    text = str(plain(value)).casefold()
    return text.removesuffix(".0")
