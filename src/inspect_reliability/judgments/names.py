"""Which column is which: as the user says, by our name, by a near-miss of it, by a usual one."""

from __future__ import annotations

import shlex
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..errors import UserError
from .columns import COLUMNS, each_once
from .table import Note
from .values import converted, number_of_try

if TYPE_CHECKING:
    import pandas as pd

UNUSED = "unused"
"""What a column is that the user leaves out."""

_SAID = (
    *("score", "rating", "grade", "winner", "preference", "preferred", "choice", "pick"),
    *("decision", "vote", "judgment", "judgement"),
)
_JUDGES = ("judge", "llm", "evaluator", "grader")
_PEOPLE = ("human", "gold", "true", "correct", "reference", "expert")

_BY_PEOPLE = tuple(f"{who} {one}" for who in _PEOPLE for one in ("label", "verdict", *_SAID))
_BARE = ("gold", "gold standard", "truth", "ground truth", "human", "expert")
_RATERS = (
    *("annotator", "labeler", "labeller", "coder", "reviewer", "assessor"),
    *(f"{who} {what}" for who in ("rater", "annotator", "labeler") for what in ("id", "name")),
)

_USUAL: Mapping[str, Sequence[str]] = {
    "question": (
        *("question id", "qid", "item", "item id", "prompt id", "example id", "instance id"),
        *("problem id", "query id", "task id", "doc id", "sample id", "id"),
        *("question text", "query", "instruction", "input", "prompt"),
    ),
    "verdict": (*(f"{who} {one}" for who in _JUDGES for one in _SAID), *_SAID),
    "judge": (
        *("evaluator", "grader", "judge model", "evaluator model", "grader model", "rater model"),
        *("judge name", "evaluator name", "grader name", "judge id", "llm judge", "model judge"),
    ),
    "replication": (
        *("run", "try", "epoch", "trial", "iteration", "repeat", "attempt", "repetition"),
        *("replicate", "rep", "run id", "run number", "trial id", "trial number", "attempt number"),
    ),
    "temperature": ("temp",),
    "label": (*_BY_PEOPLE, *_BARE),
    "rater": _RATERS,
}

LABELS = ("id", "label", "rater", "part")
"""Columns of a file of labels."""

PAIR = ("model_1", "model_2")
"""Columns of the two systems of a pair."""

_USUAL_OF_LABELS: Mapping[str, Sequence[str]] = {
    "id": ("uuid", *(one for one in _USUAL["question"] if one != "id"), "question"),
    "label": ("target", "value", *_BY_PEOPLE, *_BARE, "verdict", *_SAID),
    "rater": _RATERS,
}
_USUAL_OF_SYSTEMS: Mapping[str, Sequence[str]] = {
    **_USUAL,
    "model_1": ("model a", "generator 1", "system 1", "system a"),
    "model_2": ("model b", "generator 2", "system 2", "system b"),
    "system": ("model", "generator", "responder"),
    "p": ("p model", "p model 1", "probability"),
}


@dataclass(frozen=True)
class Words:
    """The columns that a kind of file has.

    Attributes:
        ours: Our names.
        usual: Our name -> names that others give such a column, the surest first.
        example: A column that a user names.
    """

    ours: Collection[str]
    usual: Mapping[str, Sequence[str]]
    example: str


JUDGMENTS = Words(COLUMNS, _USUAL, "score=verdict")
OF_LABELS = Words(LABELS, _USUAL_OF_LABELS, "gold=label")
OF_SYSTEMS = Words((*COLUMNS, *PAIR, "system", "p"), _USUAL_OF_SYSTEMS, "model_a=model_1")


@dataclass(frozen=True)
class Told:
    """What the user says of a source.

    Attributes:
        where: File, or "data frame", for messages.
        columns: Name in the source -> our name, or `unused`; "a+b" are two columns joined.
        facets: Columns of the user's own that she takes for facets.
        constant: Columns that are the same for all rows.
        in_python: Whether it is said in Python, not on the command line.
        swap: Whether verdicts under orders with names are those of places, which a swapped order
            exchanges; None if the user does not say.
        words: The columns that such a source has.
    """

    where: str
    columns: Mapping[str, str] = field(default_factory=dict)
    facets: Collection[str] = ()
    constant: Mapping[str, Any] = field(default_factory=dict)
    in_python: bool = False
    swap: bool | None = None
    words: Words = JUDGMENTS

    @property
    def hint(self) -> str:
        """How to say which column is which."""
        if self.in_python:
            return 'Say which it is, your name first: columns={"id": "question"}.'
        return f"Say which it is: --column YOURS=OURS, as in --column {self.words.example}."

    def call(self, ours: str, *yours: str) -> str:
        """What says that these columns are this one."""
        if self.in_python:
            return f"columns={dict.fromkeys(yours, ours)}"
        return " ".join(f"--column {shlex.quote(f'{one}={ours}')}" for one in yours)

    def yours(self, ours: str) -> str:
        """The source's name of one of our columns."""
        return next((yours for yours, one in self.columns.items() if one == ours), ours)


def named(frame: pd.DataFrame, told: Told) -> tuple[pd.DataFrame, list[Note], Told]:
    """The frame under our names, with a note on every column that has another name.

    Returns:
        The frame, the notes, and what is known of the columns by now; see `under_our_names`.

    Raises:
        UserError: A column that the user names is not there, a name is not ours, or several columns
            have an equal claim to one name.
    """
    table, notes = _as_told(frame, told)
    said = {*told.columns.values(), *told.facets}
    taken, others = _guessed(table.drop(columns=said & {*table}), table, told)
    notes += [Note(f"column {y!r} taken for '{o}'", 1, told.where) for y, o in taken.items()]
    known = replace(told, columns={**told.columns, **taken})
    return table.rename(columns=taken), [*notes, *others], known


def under_our_names(frame: pd.DataFrame, settled: Told) -> pd.DataFrame:
    """More rows of a frame whose columns are settled, as `named` gave the first."""
    return _as_told(frame, settled)[0]


def joined(values: Sequence[str]) -> str:
    """Several names as one, which no other names give."""
    return ", ".join(repr(one) if {*one} & {*",'\""} else one for one in values)


def _as_told(frame: pd.DataFrame, told: Told) -> tuple[pd.DataFrame, list[Note]]:
    given = [(yours, ours) for yours, ours in told.columns.items() if ours != UNUSED]
    for yours, ours in given:
        if ours not in (*told.words.ours, *told.facets, yours):
            known = ", ".join(
                n for n in told.words.ours if n not in COLUMNS or COLUMNS[n].role != "place"
            )
            raise UserError(
                f"'{ours}' is no column of ours ({told.call(ours, yours)}). Use one of {known}, "
                f"or '{UNUSED}' for a column to leave out."
            )
    names = list(frame)
    parts = {yours: [yours] if yours in names else yours.split("+") for yours in told.columns}
    if absent := [name for each in parts.values() for name in each if name not in names]:
        raise UserError(lacking(absent, frame, told))
    if len({ours for _, ours in given}) < len(given):
        raise UserError(f"{told.where}: two columns were given one name. {told.hint}")
    made: dict[str, Any] = {}
    for yours, ours in given:
        each = [frame[name] for name in parts[yours]]
        made[ours] = each[0] if len(each) == 1 else _as_one(each, told.where)
    gone = {name for each in parts.values() for name in each} - {*told.facets}
    replaced = [name for name in {**made, **told.constant} if name in {*names} - gone]
    table = frame.drop(columns=[*gone, *replaced]).assign(**made, **told.constant)
    notes = [f"column '{name}' replaced by one that you named" for name in replaced]
    return table, [Note(what, 1, told.where) for what in notes]


def lacking(absent: Sequence[str], names: Iterable[Any], told: Told) -> str:
    """What to say of columns that are not there."""
    found = ", ".join(map(repr, names))
    which = " and no column ".join(map(repr, absent))
    return f"{told.where} has no column {which} (found {found}). {told.hint}"


def _as_one(columns: Sequence[pd.Series[Any]], where: str) -> pd.Series[Any]:
    """Several columns of names as one; missing where one of them is."""
    import pandas as pd

    each = [converted(one.rename("question"), where) for one in columns]
    made = [None if None in row else joined(row) for row in zip(*each, strict=True)]
    return pd.Series(made, each[0].index, dtype=object)


def _guessed(
    free: pd.DataFrame, table: pd.DataFrame, told: Told
) -> tuple[dict[str, str], list[Note]]:
    """Columns whose names are near-misses of ours or usual ones, with notes on further ones.

    A near-miss differs in case, spaces, marks and characters that nobody sees. Of several usual
    names the surest is taken.
    """
    taken: dict[str, str] = {}
    notes: list[Note] = []
    plain: dict[str, list[str]] = defaultdict(list)
    for name in map(str, free):
        plain[without_marks(name)].append(name)
    for ours in told.words.ours:
        if ours in table:
            continue
        near = [name for name in plain[without_marks(ours)] if name not in told.words.ours]
        if len(near) > 1:
            which = " and ".join(map(repr, near))
            raise UserError(f"{told.where}: {which} could each be '{ours}'. {told.hint}")
        usual = told.words.usual.get(ours, ())
        found = near or [name for one in usual for name in plain[without_marks(one)][:1]]
        found = [name for name in found if name not in taken]
        if (fits := _FITS.get(ours)) and told.words is not OF_LABELS and not near:
            known = table.rename(columns=taken)
            found = [one for one in found if "question" in known and fits(known, one)]
        if found[1:] and ours in ("question", "verdict"):
            # The number of a row and a text are neither.
            found.sort(key=lambda name: _each_once(free, name))
        taken |= dict.fromkeys(found[:1], ours)
        if others := [name for name in found[1:] if name not in COLUMNS]:
            which = ", ".join(map(repr, others))
            what = f"columns that could be '{ours}' as well: {which}; {told.call(ours, others[0])}"
            notes.append(Note(f"{what} chooses one", len(others), told.where))
    return taken, notes


def could_be(name: str, ours: str) -> bool:
    """Whether a column may be one of ours, by its name."""
    return without_marks(name) in map(without_marks, (ours, *_USUAL.get(ours, ())))


def without_marks(name: str) -> str:
    """A name without what people type differently."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", name).casefold()))


def _each_once(table: pd.DataFrame, name: str) -> bool:
    return bool(table[name].map(repr).nunique() > 0.9 * len(table))


def _counts(table: pd.DataFrame, name: str) -> bool:
    """Whether a column numbers the judgments of a question, each value with another number."""
    names = table[name].map(repr)
    most = table["question"].map(repr).value_counts().max()
    if table[name].isna().any() or names.nunique() > most:
        return False
    try:
        return bool(each_once(table[name], number_of_try).nunique() == names.nunique())
    except (OverflowError, TypeError, ValueError):
        return False


def _judges(table: pd.DataFrame, name: str) -> bool:
    """Whether a column has verdicts, or a name that nothing else has."""
    if without_marks(name) not in map(without_marks, _BARE):
        return True
    values = {without_marks(str(one)) for one in table[name].dropna()}
    given = {without_marks(str(one)) for one in table.get("verdict", [])}
    return 2 * len(values & given) > len(values)


_FITS: Mapping[str, Callable[[pd.DataFrame, str], bool]] = {
    "replication": _counts,
    "label": _judges,
    "rater": lambda table, _: "label" in table,
    "system": lambda table, _: "model_1" not in table,
}
"""What a column under a usual name must look like beside the questions."""
