"""A saved rule is applied to other verdicts, whose labels check it."""

from collections.abc import Sequence
from dataclasses import replace

from ..errors import UserError
from ..judgments.abstentions import NOTHING
from ..record.rule import KeepRule, choice_in
from ..showing.formats import amount, percent
from ..verdicts import NO_VERDICTS
from .analysis import Analysis
from .labelled_cascade import LabelledCascade
from .promise import Promise
from .row import Row


def rule_in(path: str | None) -> KeepRule | None:
    """The rule of `keep` in a file; None without a file, and of what `choose` chose.

    Raises:
        UserError: It cannot be read, or is neither.
    """
    return None if path is None or choice_in(path) is not None else KeepRule.read(path)


def asked_promise(
    max_error: float | None,
    confidence: float | None,
    given: KeepRule | None,
    abstain: Sequence[str] = (),
) -> Promise:
    """What is to be promised: what is asked for, else what the rule promises, else what is usual.

    Args:
        max_error: The share that may be wrong; None where nobody said it.
        confidence: How sure that is; None where nobody said it.
        given: The rule.
        abstain: Names of verdicts that decide nothing, as somebody said them.

    Raises:
        UserError: A number is no share, or something is asked for that is not the rule's.
    """
    of = given or Promise()
    error = of.max_error if max_error is None else max_error
    sure = of.confidence if confidence is None else confidence
    for name, value in (("max_error", error), ("confidence", sure)):
        if not 0 < value < 1:
            raise UserError(f"{name} is a share between 0 and 1, not {value:g}.")
    if given and (error, sure) != (given.max_error, given.confidence):
        raise UserError(_as_it_is(given))
    if given and abstain and _decide_nothing(abstain) != _decide_nothing(given.abstain):
        names = ", ".join(name for name in given.abstain if name not in NO_VERDICTS)
        open_ = f"only {names} decides nothing" if names else "every verdict decides"
        raise UserError(
            f"The rule holds as it is: by it, {open_}. Leave out --abstain, or leave out --rule "
            "to make another rule by labels."
        )
    return Promise(error, sure, given=given)


def _decide_nothing(names: Sequence[str]) -> set[str]:
    """Names whatever their case, without those of outputs that have no verdict, or of none."""
    return {name.casefold() for name in names if name not in NO_VERDICTS} - {NOTHING}


def _as_it_is(given: KeepRule) -> str:
    """That nothing else can be promised by a saved rule."""
    wrong = Promise(within_one=bool(given.grades)).wrong
    return (
        f"The rule holds as it is: at most {percent(given.max_error)} of what is kept is {wrong}, "
        f"with {percent(given.confidence)} confidence. Leave out what else is to be promised, or "
        "leave out --rule to make another rule by labels."
    )


def by_given_rule(
    analysis: Analysis,
    promise: Promise,
    given: KeepRule,
    cascade: Sequence[str] = (),
    within_one: bool | None = None,
) -> LabelledCascade:
    """The judges of a rule, with what it keeps; labels make no other one.

    Raises:
        UserError: Something else is to be promised than the rule does; or a judge of it has no
            row, several, or another number of verdicts a question.
    """
    near = bool(given.grades)
    if within_one not in (None, near) or (cascade and [*cascade] != given.judges):
        raise UserError(_as_it_is(given))
    promise = replace(promise, within_one=near)
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
