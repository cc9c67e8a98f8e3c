"""What `keep` writes: its list, a row a question, and its rule."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import pandas as pd

from ..answers.kept import record
from ..answers.labelled_cascade import LabelledCascade
from ..answers.next_steps import rejudge_call
from ..answers.row import Row
from ..errors import UserError
from ..judgments.judge_of import judge_of
from ..judgments.kept_lists import CHECKED
from ..judgments.log_facts import Log
from ..judgments.rows import dialect_of, keywords_of, read_frame, write_workbook
from ..record.rule import KeepRule
from ..saving import Ours, whole, write_text
from ..showing.csv import to_csv
from .workbook import workbook

LIST_ENDINGS = (".csv", ".parquet", ".xlsx")

ORDER = (
    ": first what to check, then what is checked or labelled already, then what to keep, each in "
    "the order of the source"
)
"""How the rows of a workbook are ordered. Other lists are for programs: their rows stay."""

_COLUMNS = ["question", "verdict", "confidence", "decision"]
"""The last columns of a list; those before say which judge under which condition."""

_MORE = ("final", "answer")
"""Columns after these: the verdict to use, and the text that was judged where there is one."""


def _keywords(table: pd.DataFrame) -> str:
    """How a workbook is known: one with a column that its user added, or filled in, is hers."""
    filled = table[CHECKED].dropna().map(str).map(str.strip)
    names = ", ".join([*map(str, table), *filled[filled != ""]])
    return f"keep --out, {len(table.columns)} columns, {sha256(names.encode()).hexdigest()[:16]}"


def _is_list(file: Path) -> bool:
    table, *_ = read_frame(file)
    if file.suffix.lower() == ".xlsx":
        return CHECKED in table and keywords_of(file) == _keywords(table)
    *keys, question, verdict, confidence, decision = table.drop(columns=[*_MORE], errors="ignore")
    if [question, verdict, confidence, decision] != _COLUMNS or "judge" not in keys:
        return False
    # Rows of one condition are together, so a column of labels among the first is none of ours.
    # In a list of a cascade the judge is the one that decides.
    conditions = table[keys].astype(str)
    together = _are_together(conditions) or _are_together(conditions.drop(columns="judge"))
    known = table[decision].isin(["keep", "escalate", "person"]).all()
    shares = pd.to_numeric(table[confidence].map(str).str.replace(",", "."))
    return bool(together and known and shares.between(0, 1).all())


def _are_together(rows: pd.DataFrame) -> bool:
    """Whether rows that are the same follow each other."""
    return bool((rows != rows.shift()).any(axis=1).sum() <= len(rows.drop_duplicates()))


LIST = Ours("list of keep", _is_list)


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
    order: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    files: Sequence[str] = (),
) -> None:
    """Write a row a question; a workbook is for a person to read.

    Args:
        out: The file.
        found: Whose questions it has.
        order: For a workbook: the questions in the order of the source.
        columns: For a workbook: name in the source -> our name, as far as its user named them.
        files: The files of the source: a .csv is written as these are.

    Raises:
        UserError: The file cannot be written, or would replace another.
    """
    book = out.lower().endswith(".xlsx")
    panels = listed(found)
    each = [workbook(one, order, columns or {}) if book else one.out() for one in panels]
    table = pd.concat(each, ignore_index=True)
    if out.lower().endswith(".csv"):
        write_text(out, to_csv(table, dialect=dialect_of(files)), LIST)
        return
    with whole(out, LIST) as part:
        if book:
            write_workbook(part, table, _keywords(table), {"confidence": "0%"})
        else:
            table.to_parquet(part, index=False)


def refuse_rule(found: Sequence[LabelledCascade]) -> None:
    """Refuse to save a rule that no grader can be asked by.

    Raises:
        UserError: Several judges have a rule, or verdicts are a suite's own scores.
    """
    if len(found) > 1 and len(found[0].rows) == 1:
        raise UserError("--save-rule writes one rule: name its judge with --cascade JUDGE.")
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
    if not one["votes"]:
        raise UserError(
            "A saved rule asks each judge equally often, and these votes are probabilities or "
            "differ in number. Sample as many verdicts of each judge."
        )
    names = ("votes", "votes_needed", "max_error", "confidence", "kept", "error", "n_labelled")
    known = {name: one[name] for name in names}
    made = {
        name: judge_of(row.table, logs) for name, row in zip(panel.names, panel.rows, strict=True)
    }
    grades = [*panel.grades_by_name] if panel.promise.within_one else []
    return KeepRule(
        judges=panel.names, abstain=panel.undecided, grades=grades, made_of=made, **known
    )
