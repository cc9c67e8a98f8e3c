"""The judge that `choose` chose: its judgments, and when the test part of labels was opened."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from ..errors import UserError
from ..files import expect, read_json
from ..record.rule import EXACT, ChosenJudge, KeepRule, choice_in, nearest_grade
from ..saving import Ours, beside, write_text
from ..shell import quote
from ..verdicts import NO_VERDICTS, NON_RESPONSE
from .columns import N_JUDGMENTS, of_role
from .count import NUMBER, SHOWN, Judged
from .judge_of import stale
from .reading import Code, Note
from .rows import ENDINGS
from .sources import FRAME
from .table import Judgments

if TYPE_CHECKING:
    import pandas as pd


_CHOSE = "labels left out because they chose this judge: by them it looks better than it is. {}"

_OTHERS = "Label other questions"

_SAME_JUDGE = "questions taken for those of the judge of {} ({})"
_NEITHER = "neither file names its judge"
_ONE_NAMES = "a judge is named, but not by these"


def by_rule(judgments: Judgments, rule: str | None, votes: bool = False) -> Judgments:
    """The judgments of the judge in a file of `choose`; all without one, or of a rule's own judges.

    Args:
        judgments: What was read.
        rule: The file.
        votes: Whether the verdicts that vote are wanted, or else what they are together.

    Raises:
        UserError: The file is no choice or rule, no judgment is of its judge, or another judge than
            the rule's judged.
    """
    if rule is None:
        return judgments
    if (choice := choice_in(rule)) is not None:
        judgments = named_by_file(judgments, [choice.design.get("judge", "")])
        return only_chosen(judgments, choice, rule, votes)
    keeps = KeepRule.read(rule)
    judgments = _taken_for(judgments, keeps, rule)
    if reason := stale(keeps, judgments):
        raise UserError(
            f"{rule} is stale: {reason}. It promises nothing of another judge. Make a new one: "
            "inspect-reliability keep LOGS --labels FILE --save-rule FILE"
        )
    return judgments


def _taken_for(judgments: Judgments, keeps: KeepRule, where: str) -> Judgments:
    """Judgments as those of the one judge of a rule, where the rule or they name none.

    The name of a file is no judge's: next month's file has another.
    """
    judge, own = keeps.judges[0], {*judgments.table["judge"].dropna()}
    judgments = named_by_file(judgments, keeps.judges)
    table = judgments.table
    of_file = Path(judge).suffix.casefold() in ENDINGS
    unnamed = not own and len(judgments.files) <= 1
    if (
        keeps.judges[1:]
        or not len(table)
        or (table["judge"] == judge).any()
        or not (unnamed or (of_file and len(own) == 1))
    ):
        return judgments
    if not unnamed:
        raise UserError(_whose(judgments, where, judge, str(own.pop())))
    why = _NEITHER if of_file else _ONE_NAMES
    what = f"{_SAME_JUDGE.format(where, judge)}: {why}"
    note = Note(what, int(table["question"].nunique()), ", ".join(judgments.files) or FRAME)
    said = (*judgments.said, note)
    return replace(judgments, table=table.assign(judge=judge), said=said)


def _whose(judgments: Judgments, where: str, made_of: str, judge: str) -> str:
    """That a rule of a judge without a name may be another judge's, and how to say that it is not.

    Only a column can be left out: a log always says who judged.
    """
    said = (
        f"{where} was made of {made_of}, which names no judge, and these are of {judge}. It "
        "promises nothing of another judge."
    )
    again = (
        "make the rule again, of judgments that name it: inspect-reliability keep LOGS --labels "
        "FILE --save-rule FILE"
    )
    if judgments.logs or len(judgments.files) > 1:
        return f"{said} If {judge} judged {made_of}, too, {again}"
    yours = next((one.yours("judge") for one in judgments.readings), "judge")
    return (
        f"{said} If {judge} judged {made_of}, too, leave its name out: --column "
        f"{quote(f'{yours}=unused')}. Or {again}"
    )


def named_by_file(judgments: Judgments, known: Sequence[str] = ()) -> Judgments:
    """Judgments of a file that names no judge, with the file's name for it, as `choose` calls it.

    Args:
        judgments: What was read.
        known: Judges that a rule names; one may be called by more of the file's path.
    """
    table = judgments.table
    if len(judgments.files) != 1 or not len(table) or table["judge"].notna().any():
        return judgments
    path = Path(judgments.files[0])
    ends = ["/".join(path.parts[-n:]) for n in range(len(path.parts), 0, -1)]
    name = next((one for one in ends if one in known), path.name)
    return replace(judgments, table=table.assign(judge=name))


def names_judge(rule: str | None) -> bool:
    """Whether the file of a rule says whose verdicts it is about."""
    if rule is None:
        return False
    choice = choice_in(rule)
    return choice is None or "judge" in choice.design


def only_chosen(judgments: Judgments, choice: ChosenJudge, where: str, votes: bool) -> Judgments:
    """The judgments of the chosen judge, without the labels that chose it.

    Args:
        judgments: Judgments of it, and of others.
        choice: The judge, and how many of its verdicts vote.
        where: The file of the choice.
        votes: Whether the verdicts that vote are wanted, so many a question. Else a verdict is the
            majority of so many, or their mean; of those tied the first.

    Raises:
        UserError: None is of this judge, or they are too few for a vote.
    """
    table = _of_design(judgments.table, choice, where)
    if choice.votes != EXACT:
        if N_JUDGMENTS in table:
            raise UserError(
                f"{where} takes {choice.votes} verdicts at a time, and these judgments are counts. "
                "Name the logs or files that they are from."
            )
        if votes:
            table = first_votes(table, int(choice.votes))
        elif int(choice.votes) > 1:
            won = (
                _mean_of(choice.grades or _numbers_in(judgments.table))
                if choice.rule == "mean"
                else _majority
            )
            table = _together(table, int(choice.votes), won)
        if not len(table):
            raise UserError(
                f"{where} takes the {choice.rule} of {choice.votes} verdicts, and no question has "
                "so many of this judge. Judge again with more replications."
            )
    table, notes = _without_labels(table, choice, where)
    return replace(judgments, table=table, said=(*judgments.said, *notes))


def _of_design(table: pd.DataFrame, choice: ChosenJudge, where: str) -> pd.DataFrame:
    if "share" in table:  # exact verdicts, maybe beside drawn ones
        table = table[table["share"].notna() == (choice.votes == EXACT)]
    for name, value in choice.design.items():
        said = table[name].map(_text) if name in table else None
        fits = None if said is None else said == value
        if said is None or not said.notna().any():
            raise UserError(
                f"{where} chose {choice.name}, and the file has no column {name}: add it, or say "
                f"which of yours it is with --column YOURS={name}."
            )
        if fits is None or not fits.any():
            others = ", ".join(map(str, said.dropna().unique()[:5]))
            raise UserError(
                f"{where} is stale: it chose {choice.name}, and the {name} here is {others}. "
                "Choose again, or name logs of that judge."
            )
        table = table[fits]
    return table


def _text(value: Any) -> str | None:
    if value is None or value != value:
        return None
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _turns(table: pd.DataFrame, judged: Judged) -> tuple[pd.DataFrame, list[str]]:
    """Judgments in the order in which they vote, and the columns of what is voted on.

    Ways of asking, such as orders, take turns as in `stats.turns`; the first of a question is drawn
    by its name. Where ways were drawn anew for each try, or tried once, all tries are drawn so.
    The rest is the `_turn` of a judgment, and of the question the turns `_whole` of every way.
    """
    units = [*of_role(table, "unit", "part", without=("prompt", "study"))]
    said = [*zip(*(table[name] for name in units), strict=True)]
    shown = [*zip(*map(judged.ways, SHOWN), strict=True)]
    again = [*judged.as_shown] or [None] * len(table)
    tries = zip(said, shown, table["replication"], strict=True)
    varied = len({*shown}) > 1 and not judged.as_shown
    table = table.assign(
        _choice=np.array(judged.choices, dtype=object),
        _way=[*map(repr, again)],
        _first=[*map(_lot, zip(said, again, strict=True))],
        _try=[*map(_lot, tries)] if varied else table["replication"],
        _number=range(len(table)),
    ).sort_values(["_try", "_number"], kind="stable")
    by_way = table.groupby([*units, "_way"], dropna=False)
    table = table.assign(_turn=by_way.cumcount(), _whole=by_way["_way"].transform("size"))
    whole = table.groupby(units, dropna=False)["_whole"].transform("min")
    return table.assign(_whole=whole).sort_values(["_turn", "_first"], kind="stable"), units


def _lot(of: object) -> str:
    """A number that says nothing of these names, and is the same again."""
    return sha256(repr(of).encode()).hexdigest()


def first_votes(table: pd.DataFrame, votes: int) -> pd.DataFrame:
    """The first so many verdicts of each question."""
    turns, units = _turns(table, Judged(table))
    place = turns.groupby(units, dropna=False).cumcount()
    return table.loc[table.index.isin(turns.index[place < votes])]


def _together(table: pd.DataFrame, votes: int, won: Callable[[Sequence[Any]], Any]) -> pd.DataFrame:
    """A row for each so many verdicts: a vote takes verdicts that no other takes.

    After the first vote of a question, only those are made that each way of asking still has turns
    for. A verdict that is the label of a place is that of the response which won.
    """
    judged = Judged(table)
    turns, units = _turns(table, judged)
    turns = turns.assign(_vote=turns.groupby(units, dropna=False).cumcount() // votes)
    by = turns.groupby([*units, "_vote"], dropna=False, sort=False)
    even = (turns["_vote"] == 0) | (by["_turn"].transform("max") < turns["_whole"])
    whole = turns[(by["_turn"].transform("size") == votes) & even]
    said = whole.groupby([*units, "_vote"], dropna=False, sort=False)["_choice"]
    made_of = said.transform(lambda given: won(given.tolist()))
    first = whole.assign(verdict=made_of).drop_duplicates([*units, "_vote"])
    made = first.assign(replication=first["_vote"] + 1).sort_index()
    if judged.order_varies:
        labels, orders = judged.labels, Judged(made).orders
        won_by = made["verdict"].tolist()
        named = [
            labels[order.index(one)] if order and one in order else one
            for one, order in zip(won_by, orders, strict=True)
        ]
        made = made.assign(verdict=named)
        if "responder" in made:
            made = made.assign(responder=None)
    return made.drop(columns=[name for name in made if str(name).startswith("_")])


def _numbers_in(table: pd.DataFrame) -> list[str]:
    """The numbers that judge and people gave: grades, where an older choice does not name them."""
    said = {*table["verdict"].dropna().map(str)}
    said |= {*table["label"].dropna().map(str)} if "label" in table else set()
    return [
        *{float(one): one for one in sorted(said, reverse=True) if NUMBER.fullmatch(one)}.values()
    ]


def _mean_of(grades: Sequence[str]) -> Callable[[Sequence[Any]], Any]:
    """What rounds the mean of verdicts to the nearest grade; midway, to the one nearer the first.

    Outputs without a grade have no part in it.
    """

    def mean(given: Sequence[Any]) -> Any:
        known = [float(one) for one in map(str, given) if NUMBER.fullmatch(one)]
        if not known:
            return NON_RESPONSE
        return nearest_grade(known, grades, known[0])

    return mean


def _majority(given: Sequence[Any]) -> Any:
    """The most frequent verdict, of those tied the first; outputs without one have no vote."""
    known = Counter(one for one in given if one is not None and one not in NO_VERDICTS)
    return known.most_common(1)[0][0] if known else NON_RESPONSE


def _without_labels(
    table: pd.DataFrame, choice: ChosenJudge, where: str
) -> tuple[pd.DataFrame, list[Note]]:
    names, known = table["question"].map(str), {*choice.labels.questions}
    # Of benchmarks with the same ids, the choice has their names before these.
    chose = names.isin(known) | (table["benchmark"].map(str) + ": " + names).isin(known)
    if "label" not in table:
        return table, []
    used = chose & table["label"].notna()
    if not used.any():
        return table, []
    table = table.assign(label=table["label"].where(~used, None))
    left = table.loc[table["label"].notna(), "question"].nunique()
    of = "test" if choice.labels.part == "dev" else "other"
    named = f"{left:,} {of} label{'s' if left != 1 else ''}"
    then = f"It is measured on your {named}" if left else _OTHERS
    number = int(table.loc[used, "question"].nunique())
    return table, [Note(_CHOSE.format(then), number, where, Code.CHOSE)]


_ENDING = ".opened.json"

_WHAT = (
    "Candidates that inspect-reliability choose measured on the test part of these labels. Another "
    "candidate on the same questions gets no interval: label new ones."
)


class _Opening(BaseModel):
    """Questions of a test part, and the candidates that were measured on them first."""

    model_config = ConfigDict(extra="forbid")

    questions: list[str]
    candidates: list[str]


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    what: str
    openings: list[_Opening]


def _read(path: Path) -> _File:
    try:
        return _File(**expect(read_json(path), dict, str(path)))
    except (ValidationError, TypeError):
        raise UserError(
            f"{path} does not say which candidates a test part has measured. It was changed: bring "
            "it back from a copy, or label new questions for the test part and delete it."
        ) from None


def _is_opened(path: Path) -> bool:
    return bool(_read(path).openings)


OPENED = Ours("list of opened test parts", _is_opened)


@dataclass(frozen=True)
class Openings:
    """The openings of the test part of a file of labels.

    Attributes:
        path: The file that lists them, beside the labels; None where these are in memory.
        known: Those that it has.
    """

    path: Path | None
    known: Sequence[_Opening]

    @classmethod
    def beside(cls, labels: str) -> Openings:
        """What is listed beside labels.

        Raises:
            UserError: The list cannot be read.
        """
        path = beside(labels, _ENDING)
        return cls(path, _read(path).openings if path.exists() else ())

    @classmethod
    def nowhere(cls) -> Openings:
        """Those of labels in memory: none is known, and none is kept."""
        return cls(None, ())

    @property
    def candidates(self) -> Mapping[str, Sequence[str]]:
        """Question of a test part -> the candidates that were measured on it first."""
        return {name: one.candidates for one in self.known for name in one.questions}

    def write(self, questions: Sequence[str], candidates: Sequence[str]) -> None:
        """Add an opening of the questions that were not opened before."""
        new = [name for name in questions if name not in self.candidates]
        if not new or self.path is None:
            return
        every = [*self.known, _Opening(questions=new, candidates=list(candidates))]
        text = json.dumps(_File(what=_WHAT, openings=every).model_dump(), indent=1)
        write_text(self.path, f"{text}\n", OPENED)
