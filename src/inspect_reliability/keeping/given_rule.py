"""A saved rule is applied to other verdicts, whose labels check it."""

from dataclasses import replace

from ..answers.analysis import Analysis
from ..answers.labelled_cascade import LabelledCascade
from ..answers.promise import Promise
from ..answers.row import Row
from ..errors import UserError
from ..record.rule import KeepRule, choice_in
from ..showing.formats import amount, percent


def rule_in(path: str | None) -> KeepRule | None:
    """The rule of `keep` in a file; None without a file, and of what `choose` chose.

    Raises:
        UserError: It cannot be read, or is neither.
    """
    return None if path is None or choice_in(path) is not None else KeepRule.read(path)


def by_given_rule(
    analysis: Analysis, promise: Promise, given: KeepRule, within_one: bool | None
) -> LabelledCascade:
    """The judges of a rule, with what it keeps; labels make no other one.

    Raises:
        UserError: Something else is to be promised than the rule does; or a judge of it has no
            row, several, or another number of verdicts a question.
    """
    near = bool(given.grades)
    usual = promise.max_error in (given.max_error, Promise().max_error)
    usual &= promise.confidence in (given.confidence, Promise().confidence)
    if not usual or within_one not in (None, near):
        least = f"at most {percent(given.max_error)} of what is kept"
        raise UserError(
            f"The rule holds as it is: {least} is "
            f"{Promise(within_one=near).wrong}, with {percent(given.confidence)} confidence. Leave "
            "out what else is to be promised, or leave out --rule to make another rule by labels."
        )
    promise = replace(
        promise,
        max_error=given.max_error,
        confidence=given.confidence,
        within_one=near,
        given=given,
    )
    alone = [LabelledCascade((row,), promise) for row in analysis.rows]
    rows: list[Row] = []
    for name in given.judges:
        own = [one for one in alone if one.names[0] == name]
        if len(own) != 1:
            what = f"{len(own)} rows: pool them with --by judge" if own else "no verdict here"
            raise UserError(f"{name}, a judge of the rule, has {what}.")
        tries = own[0].cascade.judges[0].tries
        if tries != given.votes:
            raise UserError(
                f"The rule is about {amount(given.votes, 'verdict')} of each question, and {name} "
                f"has {tries:g} here. Judge each question {given.votes} times."
            )
        rows += own[0].rows
    return LabelledCascade(tuple(rows), promise)
