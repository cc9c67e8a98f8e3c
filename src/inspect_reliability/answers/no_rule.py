"""Why do labels promise no rule, and how many more would?"""

from ..showing.formats import amount, most_feasible, percent
from ..stats.selective import Rule, Threshold, fewest_kept
from .promise import Promise


def wrong_of(step: Threshold, promise: Promise) -> str:
    """How many of the labelled that a step keeps are wrong, in words."""
    return (
        f"{step.errors} of {amount(step.n_labelled, 'labelled question')} "
        f"{'is' if step.errors == 1 else 'are'} {promise.wrong}"
    )


def why_no_rule(rule: Rule, promise: Promise, n: int, more: int | None, no_part: str) -> str:
    """Why labels whose number was fixed promise nothing.

    Args:
        rule: What was found by them, which has no step.
        promise: What was to be promised.
        n: How many questions there are.
        more: Labels that would do if errors stay as frequent; None where these are as many.
        no_part: That these labels leave open whether any part of the verdicts is good enough.
    """
    needed = fewest_kept(promise.max_error, promise.confidence, promise.within_one)
    path = rule.path
    most = path[-1].n_labelled
    do = no_part if rule.labels and not more else "no number of labels would be enough"
    if more and more <= n:
        do = f"about {more:,} labels would be enough"
    elif more and more > most_feasible(n):
        do = f"more than {most_feasible(n):,} labels would be needed"
    elif more:
        do = f"about {more:,} labels would be enough, more than these {n:,} questions can have"
    if more or not rule.labels:
        do += ", if errors stay as frequent"
    if most < needed:
        return (
            f"too few labels: {amount(most, 'labelled question')} could be kept, and the "
            f"promise needs {needed} without an error; {do}"
        )
    enough = [step for step in path if step.n_labelled >= needed]
    first = enough[-1 if promise.within_one else 0]
    share_of = percent(round(first.threshold, 3))
    votes = "all votes alike" if first.threshold >= 1 else f"{share_of} of votes or more"
    return f"too many errors: {wrong_of(first, promise)} among those with {votes}; {do}"


def why_stopped_without(rule: Rule, promise: Promise, labels: int) -> str:
    """Why labels that a page stopped promise nothing; `labels` is how many were reached."""
    if rule.known:
        every = wrong_of(rule.path[-1], promise)
        return f"too many errors: {every}, and everything that could be kept is labelled"
    return f"not decided yet by {labels:,} labels, skipped and unsure ones counted as wrong"
