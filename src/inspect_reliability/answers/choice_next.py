"""What to do after a choice: write it, and label what its promise needs."""

from collections.abc import Mapping

from ..judgments.chosen_judge import first_votes
from ..judgments.table import Judgments
from ..shell import quote
from ..showing.document import Text
from ..showing.formats import amount, capped, most_feasible, percent
from ..stats.selective import labels_for_rule
from .candidates import Choosing
from .choice_in_words import Wanted, alike, exact_apart
from .labelled_cascade import LabelledCascade
from .no_rule import several_outputs
from .promise import Promise
from .results import analyse
from .row import Row, unlabelled
from .summary import next_step

_SHARES = (0.1, 0.15, 0.2, 0.3)
"""Shares of errors that labels may promise; `keep` takes the first unless told otherwise."""

_MEASURE = 100
"""Questions to label where no promise says how many."""


def after_choice(found: Choosing, wanted: Wanted, logs: str) -> list[Text]:
    """What a choice asks for."""
    if alike(found):
        if exact_apart(found):
            call = f"choose {logs}{wanted.options} --no-within-one"
            return next_step("choose by what is exactly right", call)
        if _all_labelled(found):
            return next_step("judge more questions and label them: some must tell candidates apart")
        return next_step(
            "label more questions, to find some on which candidates differ",
            f"label {logs} --most {_at_most(found, 50)} --out label.html",
        )
    if wanted.written is None:
        return next_step("write the choice", f"choose {logs}{wanted.options} --out choice.yaml")
    if found.has_test:
        return next_step(
            "promise by the test part which of its verdicts may be kept",
            f"keep {logs} --rule {quote(wanted.written)}",
        )
    return _label_others(found, logs)


def _label_others(found: Choosing, logs: str) -> list[Text]:
    """Labels that did not choose it: how many promise what, and the command that draws them."""
    row, name = found.candidates[found.chosen].row, found.names[found.chosen]
    left = unlabelled(row)
    draw = f"label {logs} --most {{}} --out label.html"
    if several_outputs([row]):
        if not left:
            return next_step("judge and label other questions, to know how often it is right")
        words = f"label questions that did not choose {name}, to know how often it is right"
        return next_step(words, draw.format(min(left, _MEASURE)))
    needed = _labels_for_promise(found)
    for most in (left, most_feasible(len(row.counts.questions))):
        for share, n in needed.items():
            if n and n <= most:
                label = "label" if n <= left else "judge and label"
                words = f"{label} {amount(n, 'question')} that did not choose {name}: "
                words += f"with 80% probability keep promises {_promise(found, share)} by these"
                words += _why_not_usual(needed, share, row)
                return next_step(words, draw.format(n) if n <= left else "")
    return next_step(
        "take another prompt or judge: by no labels that you would make keep promises "
        f"{_promise(found, _SHARES[-1])}"
    )


def _promise(found: Choosing, share: float) -> str:
    wrong = Promise(within_one=bool(found.within_one)).wrong
    return f"at most {percent(share)} {wrong}"


def _why_not_usual(needed: Mapping[float, int | None], share: float, row: Row) -> str:
    """What the promise that `keep` makes by itself takes, where another share is named."""
    usual, have = needed[_SHARES[0]], len(row.counts.questions)
    if share == _SHARES[0]:
        return ""
    takes = "no number of labels is enough"
    if usual:
        about = "about " * (usual <= most_feasible(have))
        takes = f"it takes {about}{capped(usual, have)}"
    return f" (--max-error {share:g}); for {percent(_SHARES[0])} {takes}"


def _labels_for_promise(found: Choosing) -> dict[float, int | None]:
    """Share of errors -> labels by which `keep` promises it; None where no number would do.

    Errors are as frequent as on the labels that chose it, and what these flatter it by.
    """
    panel = LabelledCascade((_as_asked(found),), Promise(within_one=bool(found.within_one)))
    flattered = float(found.best.accuracy[found.chosen]) - found.after[0]
    path = [panel.cascade.step(one) for one in panel.cascade.thresholds.tolist()]
    near = panel.promise.within_one
    return {
        share: labels_for_rule(path, share, panel.promise.confidence, near, max(flattered, 0.0))
        for share in _SHARES
    }


def _as_asked(found: Choosing) -> Row:
    """The chosen judge with as many verdicts a question as it was chosen with."""
    one = found.candidates[found.chosen]
    if one.votes is None or one.votes == one.row.counts.replications.max():
        return one.row
    table = first_votes(one.row.table, one.votes)
    return analyse(Judgments(table), [key for key in one.row.group if key in table]).rows[0]


def _all_labelled(found: Choosing) -> bool:
    """Whether no output is left to label."""
    tables = [one.row.asked for one in found.candidates]
    labels = [[name for name in ("label", "best") if name in table] for table in tables]
    return all(
        bool(table[names].notna().any(axis=1).all())
        for table, names in zip(tables, labels, strict=True)
    )


def _at_most(found: Choosing, number: int) -> int:
    """So many outputs to label, or all that are left."""
    return min(number, max(unlabelled(one.row) for one in found.candidates) or number)
