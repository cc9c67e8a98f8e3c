"""The answer of `keep`: which verdicts may be used, and which need another judge or a person."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from ..answers.analysis import Analysis
from ..answers.candidates import prices_in
from ..answers.labelled_cascade import LabelledCascade, Promise
from ..answers.results import analyse
from ..errors import UserError
from ..judgments.chosen_judge import by_rule
from ..judgments.given_labels import Labels, labelled_judgments
from ..judgments.reading import Reading
from ..judgments.sources import Source
from ..record.rule import KeepRule
from ..saving import write_text
from ..showing.answer import PythonAnswer
from ..showing.document import Document
from .kept_file import LIST_ENDINGS, RULE, listed, write_list
from .report import cascades, keep_document, refuse_several, saved_rule


@dataclass(frozen=True, eq=False, repr=False)
class KeptVerdicts(PythonAnswer):
    """Which verdicts may be kept, by a promise.

    Attributes:
        found: Each judge, or the judges of a cascade together and then each.
        analysis: Their judgments.
    """

    found: Sequence[LabelledCascade]
    analysis: Analysis

    _own = ("rule", "verdicts")

    @cached_property
    def document(self) -> Document:
        """The rules, as the command shows them."""
        return keep_document(self.found, options=" ...")

    @property
    def verdicts(self) -> pd.DataFrame:
        """A row a question: its verdict, confidence, and whether to keep it, as `out` has them."""
        return pd.concat([one.out() for one in listed(self.found)], ignore_index=True)

    def rule(self) -> KeepRule:
        """The rule that `selective_scorer` applies to new questions; its `text` is that of a file.

        Raises:
            UserError: Several judges have a rule, or none has.
        """
        refuse_several(self.found)
        return saved_rule(self.found[0], self.analysis.judgments.logs)


def keep(
    judgments: Source,
    by: str | Sequence[str] = (),
    *,
    labels: Labels = (),
    max_error: float = 0.1,
    confidence: float = 0.95,
    cascade: str | Sequence[str] = (),
    price: Mapping[str, float] | str | Path | None = None,
    epsilon: float = 0.1,
    within_one: bool | None = None,
    rule: str | Path | None = None,
    out: str | Path | None = None,
    save_rule: str | Path | None = None,
    columns: Mapping[str, str] | None = None,
    swap: bool | None = None,
    reading: Reading | str | Path | None = None,
) -> KeptVerdicts:
    """Say which verdicts of every judge may be kept, by a few labels.

    A verdict is kept if it has enough of the judge's votes on a question, over all seeds, orders
    and wordings. Labels say how many are enough for a promise: with 95% confidence, at most 10% of
    what is kept is wrong. Labels must be a simple random draw of the questions.

    Args:
        judgments: Judgments, or where they are (see `judgments_from`): a data frame, logs, files.
        by: Columns to group by, or the name of one, as in `analyse`.
        labels: Labels of people, as in `analyse`.
        max_error: Largest share of the kept verdicts that may be wrong.
        confidence: Probability, over draws of labels, that no more are wrong.
        cascade: Judges to ask in this order: the next one where one is not sure enough.
        price: Dollars of a call by judge, or a YAML or JSON file of them, if judgments do not say.
            Without `cascade`, the judges are asked in turn, the cheapest first.
        epsilon: How far below a person a judge may be and still be as good, as a share.
        within_one: Whether a verdict is right if it is at most a step from the label. By default
            it is where verdicts and labels are grades.
        rule: File that `choose` wrote: only its judge, with its votes, without the labels that
            chose it. A rule of `keep` is refused where another judge than its own judged.
        out: List to write, a row a question (.csv, .parquet, .xlsx).
        save_rule: File for the rule (.json), which `selective_scorer` applies to new questions.
        columns: Name in the frame or files -> name in the table.
        swap: What verdicts name where orders have names; see `judgments_from`.
        reading: How frames and files are read, or a file that says so.

    Returns:
        The rules: `summary()` has a row a judge, and `verdicts` a row a question.

    Raises:
        UserError: The judgments cannot be read, a number is out of range, a judge of the cascade
            is not there, several judges have a rule to save, or a file would replace another.

    Example:
        >>> import inspect_reliability as ir
        >>> found = ir.keep("examples/verdicts.csv", max_error=0.25)
        >>> found.summary()[["judge", "kept", "votes_needed", "error"]].round(2)
                  judge  kept  votes_needed  error
        0       gpt-5.4  0.78             5   0.13
        1  gpt-5.4-nano  0.30             7   0.06
        >>> found.verdicts["decision"].value_counts().to_dict()
        {'keep': 65, 'escalate': 55}
    """
    for name, value in {"max_error": max_error, "confidence": confidence}.items():
        if not 0 < value < 1:
            raise UserError(f"{name} is a share between 0 and 1, not {value:g}.")
    if not 0 <= epsilon <= 1:
        raise UserError(f"epsilon is a share from 0 to 1, not {epsilon:g}.")
    for file, endings in ((out, LIST_ENDINGS), (save_rule, (".json",))):
        if file is not None and not str(file).lower().endswith(endings):
            raise UserError(f"{file} does not end in {', '.join(endings)}. Name another file.")
    by = [by] if isinstance(by, str) else by
    read = labelled_judgments(judgments, labels, columns=columns, swap=swap, reading=reading, by=by)
    analysis = analyse(by_rule(read, None if rule is None else str(rule), votes=True), by)
    promise = Promise(max_error, confidence, {} if price is None else prices_in(price), epsilon)
    asked = [cascade] if isinstance(cascade, str) else cascade
    answer = KeptVerdicts(cascades(analysis, promise, asked, within_one), analysis)
    if save_rule is not None:
        write_text(save_rule, answer.rule().text, RULE)
    if out is not None:
        write_list(str(out), answer.found)
    return answer
