"""What people filled in where `keep` did not keep a verdict: final there, and no draw of labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import UserError
from .columns import CHECKED_LABEL, of_role
from .kept_lists import CHECKED, filled_in, is_list
from .labels import with_labels_by_name
from .reading import Code, Note
from .table import Judgments

if TYPE_CHECKING:
    import pandas as pd

_DRAWN = "{} was filled in where verdicts were not kept"
_CHOSEN = "{} was filled in where somebody chose to look"

_ALONE = "checked verdicts taken for labels, of {}: they are no draw at random"
_BESIDE = (
    "checked verdicts taken as final, and left out of numbers by label: they are of {}, and no "
    "draw at random"
)
_COMPLETE = "checked verdicts taken for labels: with the others, every question has one"


def with_checked(
    judgments: Judgments,
    lists: Mapping[str, pd.DataFrame],
    names: Mapping[str, str] | None = None,
) -> Judgments:
    """Join what people filled in into lists of `keep`: a verdict a question, in `checked_label`.

    They looked at what the judge was not sure of, so their verdicts describe no judge. They are
    labels only where nothing else is labelled, with the reason why they are no draw, or where
    everything has a label then.

    Args:
        judgments: Judgments, with their other labels; those of a list bring what is filled in.
        lists: Name -> rows of a list.
        names: Label -> the verdict that it means, if people wrote another name.

    Raises:
        UserError: Nothing is filled in, or nothing of it fits.
    """
    table = judgments.table
    given = {where: filled_in(frame) for where, frame in lists.items()}
    if empty := [where for where, rows in given.items() if rows.empty]:
        raise UserError(
            f"{empty[0]}: nothing is filled in. Write the right verdict into its column "
            f"'{CHECKED}' where you checked one."
        )
    listed = [*lists.values()]
    if CHECKED_LABEL not in table and is_list(table) and len(own := filled_in(table)):
        given[", ".join(judgments.files) or "data frame"] = own
        listed.append(table)
    if not given:
        return judgments
    truth = of_role(table, "truth", without=("abstain", "best"))
    bare = replace(judgments, table=table.drop(columns=truth), said=())
    each = [with_labels_by_name(bare, {name: own}, names or {}) for name, own in given.items()]
    checked = each[-1].table["label"]
    for earlier in each[-2::-1]:  # the last list decides
        checked = checked.where(checked.notna(), earlier.table["label"])
    table = table.assign(**{CHECKED_LABEL: checked})
    labelled = table["label"].notna() if "label" in table else checked.isna() & False
    where = ", ".join(given)
    number = int(table.loc[checked.notna(), "question"].nunique())
    kept = min(len(set[str]().union(*map(_kept, listed))), number)
    of = _of_what(kept, number)
    what = _BESIDE.format(of)
    if not labelled.any():
        why = (_CHOSEN if kept else _DRAWN).format(where)
        drawn = checked.notna().map({True: why, False: None})
        table = table.assign(label=checked, labels_drawn=drawn)
        what = _ALONE.format(of)
    elif (labelled | checked.notna()).all() and "label_position" not in table:
        table = table.assign(label=table["label"].where(labelled, checked))
        what = _COMPLETE
    left_out = [note for one in each for note in one.said]
    said = (*judgments.said, *left_out, Note(what, number, where, Code.LABELS))
    return replace(judgments, table=table, said=said)


def _kept(frame: pd.DataFrame) -> set[str]:
    """The questions of a list whose verdict it keeps, and that somebody filled in."""
    filled = frame["question"].map(str).isin(filled_in(frame)["id"].map(str))
    return {*frame.loc[filled & (frame["decision"] == "keep"), "question"].map(str)}


def _of_what(kept: int, number: int) -> str:
    if not kept:
        return "what was not kept"
    if kept == number:
        return "what was kept"
    return f"{kept:,} verdicts that were kept and {number - kept:,} that were not"
