"""What a choice says: which judge to take, how right it is, and whom it is not shown to beat."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..showing.formats import (
    ROUNDING,
    Record,
    amount,
    capped,
    in_points,
    most_feasible,
    points,
    share,
    span,
)
from ..stats import KINDS, Estimate, agreement
from ..stats.accuracy_ceiling import accuracy_ceiling
from ..stats.labelled import WITHIN_ONE
from .candidates import Choosing
from .correction import agreement_in_words
from .row import reasons, unlabelled_questions, valued
from .validity import names_or_grades

_MOST_STEPS = 3
"""Steps of the price frontier that the answer names."""

_LITTLE = 0.02
"""How much less often fewer votes may be right to be named beside the choice."""

_MOST_NAMED = 3
"""Judges that the chosen one is not shown to beat, and that are named."""

_READ = (
    "Wordings that were written after reading errors on these labels fit them too well. Mark "
    "labels as dev and test in a column split: dev chooses, and test measures."
)

_CALLS = (
    "Prices are not known, so calls say what is cheap. Calls of different judges cost different "
    "amounts: name dollars a call in a file with --price FILE."
)

_NEAR = (
    "These are grades: one that is at most a step from the label counts as right{} "
    "(--no-within-one: only the label itself)."
)

_EXACT = (
    "These are grades: only the label itself counts as right{} (--within-one: one that is at most "
    "a step from it, too)."
)

THOUSAND = 1_000
"""Verdicts whose dollars are shown."""


@dataclass(frozen=True)
class Wanted:
    """What is asked beside the choice.

    Attributes:
        current: Place of the candidate that is used now; None if none is named.
        max_loss: How much less often the cheapest may be right than any other.
        written: The file that the choice is written into; None if it is not.
        options: What was asked, as it was typed, to ask it again.
    """

    current: int | None = None
    max_loss: float = 0.05
    written: str | None = None
    options: str = ""


def said_of(found: Choosing, wanted: Wanted, records: Sequence[Record]) -> Iterator[str]:
    """The choice in sentences; the first is the answer."""
    yield _taken(found)
    yield from _most_probable(found)
    yield from _grades(found)
    yield from _beside_current(found, wanted, records)
    yield from _not_shown_better(found, wanted)
    yield from _cheapest(found, wanted, records)
    yield from _one_more_dollar(found)
    yield from _people(found)


def _taken(found: Choosing) -> str:
    """Which, and how right it is."""
    best, name = found.best, found.names[found.chosen]
    value, ends = found.after
    among = f"chosen among {len(found.candidates)} by {amount(best.n, 'labelled question')}, "
    among += _why(found)
    if alike(found):
        return (
            f"These labels do not tell the {len(found.candidates)} candidates apart: all are "
            f"{found.measure} on the same questions ({share(value, best.n)})."
            f"{_exactly(found)} {_first_of_alike(found)}."
        )
    after = span({"a": value, "a_interval": ends}, "a", "%", best.n)
    fewer = _fewer_votes(found)
    if found.has_test:
        of = amount(found.measured.n, "test question")
        why = f" No interval: {why_no_interval(found, found.chosen)}." if found.stale else ""
        return f"Take {name}, {among}{fewer}. {name} is {found.measure} in {after} of {of}.{why}"
    naive = share(float(best.accuracy[found.chosen]), best.n)
    high = (
        f" On these labels {name} is {found.measure} in {naive}, but the best of several looks too "
        "good."
    )
    same = naive == share(value, best.n)
    near = f"{found.measure} in {after} of questions"
    return f"Take {name}: {near}, {among}{fewer}.{'' if same else high}"


def exact_apart(found: Choosing) -> bool:
    """Whether candidates of grades are not exactly right equally often."""
    return found.exact is not None and bool(np.ptp(found.exact) > ROUNDING)


def _exactly(found: Choosing) -> str:
    """How often candidates are exactly right that are within a step alike; empty if they do not."""
    if found.exact is None or not exact_apart(found):
        return ""
    order = [int(place) for place in np.argsort(-found.exact, kind="stable")]
    ends = [order[0], order[-1]] if len(order) > _MOST_NAMED else order
    often = [f"{found.names[k]} in {share(float(found.exact[k]), found.best.n)}" for k in ends]
    said = ", ".join(often[:-1]) + f" and {often[-1]}"
    return f" Exactly right are {said}: --no-within-one chooses by that."


def _first_of_alike(found: Choosing) -> str:
    """Why the chosen one is first of candidates that are right alike."""
    every, name = len(found.candidates), found.names[found.chosen]
    cheap = [k for k in range(every) if found.price(k) <= found.price(found.chosen)]
    if len(cheap) == 1:
        return f"{name} {'costs least' if found.by_dollars else 'takes the fewest calls'}"
    least = "cost least" if found.by_dollars else "take the fewest calls"
    same = "cost the same" if found.by_dollars else "take as many calls"
    those = f"All {same}" if len(cheap) == every else f"{len(cheap)} {least}"
    exact = (
        "is exactly right most often" if _most_exact(found, cheap) else "comes first in the data"
    )
    return f"{those}, and of these {name} {exact}"


def _why(found: Choosing) -> str:
    """Why it is the chosen one: right most often, or of equal ones the cheapest, or exact."""
    right, chosen = found.best.accuracy, found.chosen
    equal = [place for place in range(len(right)) if right[place] >= right[chosen] - ROUNDING]
    if len(equal) == 1:
        return f"on which it is {found.measure} most often"
    cheap = [place for place in equal if found.price(place) <= found.price(chosen)]
    of = f"of {len(equal)} equal ones"
    first = f"{of} it comes first in the data"
    if len(cheap) == 1:
        first = f"{of} it {'costs least' if found.by_dollars else 'takes the fewest calls'}"
    elif found.exact is not None and _most_exact(found, cheap):
        which = "cost least" if found.by_dollars else "take the fewest calls"
        those = f"{of}, {len(cheap)} {which}, and of these" * (len(cheap) < len(equal)) or of
        often = share(float(found.exact[chosen]), found.best.n)
        first = f"{those} it is exactly right most often ({often})"
    return f"on which none is {found.measure} more often: {first}"


def _most_exact(found: Choosing, places: Sequence[int]) -> bool:
    """Whether the chosen one is exactly right more often than the others of these."""
    if found.exact is None:
        return False
    others = found.exact[[place for place in places if place != found.chosen]]
    return bool((others < found.exact[found.chosen]).all())


def _most_probable(found: Choosing) -> Iterator[str]:
    """What it gains to take the most probable verdict in place of one that is drawn."""
    chosen = found.candidates[found.chosen]
    if chosen.votes is not None or found.has_test or alike(found):
        return
    drawn = chosen.row.estimate(WITHIN_ONE if found.within_one else KINDS[0]).value
    if drawn is None:
        return
    n, most = found.best.n, float(found.best.accuracy[found.chosen])
    gain = f"gains {in_points(most - drawn, n)}" if most > drawn else "gains nothing"
    yield (
        f"One verdict sampled from its probabilities is {found.measure} in {share(drawn, n)} of "
        f"these: to take the most probable {gain}."
    )


def _grades(found: Choosing) -> Iterator[str]:
    """What counts as right of grades, and what several votes are."""
    if found.within_one is not None:
        means = ", and several votes are their mean, rounded to the nearest grade" * (
            len({c.votes for c in found.candidates}) > 1
        )
        yield (_NEAR if found.within_one else _EXACT).format(means)
    if found.exact is not None and not alike(found):
        most, own = int(np.argmax(found.exact)), float(found.exact[found.chosen])
        if found.exact[most] > own + ROUNDING:
            n = found.best.n
            often = f"{share(float(found.exact[most]), n)}, {share(own, n)}"
            yield f"{found.names[most]} is exactly right more often than it: {often}."


def _not_shown_better(found: Choosing, wanted: Wanted) -> Iterator[str]:
    """Which other judges the chosen one is not shown to beat, where none is named to compare."""
    if wanted.current is not None or found.stale or alike(found):
        return
    measured, row = found.measured, found.candidates[found.chosen].row
    best: dict[int, int] = {}  # of each other judge, its candidate that is right most often
    for place, one in enumerate(found.candidates):
        known = best.setdefault(id(one.row), place)
        if measured.accuracy[place] > measured.accuracy[known]:
            best[id(one.row)] = place
    best.pop(id(row))
    near = [place for place in best.values() if measured.at_least(found.chosen, place) <= ROUNDING]
    if near:
        near.sort(key=lambda place: -measured.accuracy[place])
        named = [found.names[place] for place in near[:_MOST_NAMED]]
        more = len(near) - len(named)
        last = [f"{more} more"] if more else named[1:][-1:]
        first = named if more else named[: len(named) - len(last)]
        whom = " or ".join(filter(None, [", ".join(first), *last]))
        yield f"It is not shown to be {found.measure} more often than {whom}."


def _fewer_votes(found: Choosing) -> str:
    """What the chosen judge loses with the fewest votes, where that is little or nothing."""
    best, chosen = found.best, found.candidates[found.chosen]
    for place, one in enumerate(found.candidates):
        lost = float(best.accuracy[found.chosen] - best.accuracy[place])
        if one.row is chosen.row and one.calls < chosen.calls and lost <= _LITTLE:
            votes = amount(one.votes or 1, "vote")
            verb = "is" if one.votes == 1 else "are"
            less = amount(f"{100 * lost:.1f}", "point")
            of = "the labels that chose" if found.has_test else "these labels"
            calls = f"{one.calls / chosen.calls:.0%} of the calls"
            return f"; {votes} {verb} {less} lower on {of}, at {calls}"
    return ""


def alike(found: Choosing) -> bool:
    """Whether every candidate is right on the same questions as the chosen one."""
    right = found.best.right
    return bool(np.abs(right - right[:, [found.chosen]]).max() < ROUNDING)


def _beside_current(found: Choosing, wanted: Wanted, records: Sequence[Record]) -> Iterator[str]:
    if wanted.current is None or alike(found):
        return
    name, one = found.names[wanted.current], records[found.chosen]
    n = found.measured.n
    if found.chosen == wanted.current:
        yield "It is the one in use."
        return
    if one["better_than_current"] is None:
        yield f"Whether it is {found.measure} more often than {name} is not known."
        return
    by = in_points(one["difference"], n)
    least = f"at least {points(one['difference_at_least'], n)}"
    if one["better_than_current"]:
        yield f"It is {found.measure} more often than {name}: by {by}, {least}."
    else:
        yield f"It is not shown to be {found.measure} more often than {name}: {by}, {least}."


def _too_few(found: Choosing, wanted: int) -> str:
    """That more must be judged, where so many questions without a label are not there."""
    left = min(unlabelled_questions(one.row) for one in found.candidates)
    if wanted <= left:
        return ""
    known = f"labels of all {left:,} that are left are too few" if left else "every one has a label"
    return f". Judge more questions: {known}"


def _cheapest(found: Choosing, wanted: Wanted, records: Sequence[Record]) -> Iterator[str]:
    """The cheapest that is not worse, or how many labels would show it."""
    if alike(found) or records[0]["not_worse"] is None:
        return
    near = f"within {in_points(wanted.max_loss, 0)} of the best"
    known = cheapest_not_worse(found, records)
    name, price = found.names[found.chosen], found.price(found.chosen)
    if known is None:
        cheap = plausible(found, wanted.max_loss)
        needed = records[cheap]["labels_needed"]
        said = f"No candidate is shown to be {near}."
        if needed:
            have = found.measured.n
            n = max(needed - have, 1)
            about = "about " if n <= most_feasible(have) else ""  # else "more than"
            said += (
                f" If {found.names[cheap]} is as good, {about}{capped(n, have)} more "
                f"{'label shows' if n == 1 else 'labels show'} it{_too_few(found, n)}."
            )
        yield said
    elif found.price(known) < price:
        saved = 1 - found.price(known) / price
        unit = "dollars" if found.by_dollars else "calls"
        yield (
            f"{found.names[known]} is the cheapest that is {near}: it saves {saved:.0%} of the "
            f"{unit} of {name}."
        )
    elif known != found.chosen and found.price(known) == price:
        yield f"{found.names[known]} is shown to be {near}, at the same price. No cheaper one is."
    else:
        yield f"No cheaper candidate is shown to be {near}."


def cheapest_not_worse(found: Choosing, records: Sequence[Record]) -> int | None:
    """The place of the cheapest candidate that is shown to be not worse; None if none is."""
    return found.cheapest(place for place, one in enumerate(records) if one["not_worse"])


def plausible(found: Choosing, most: float) -> int:
    """The cheapest candidate that the chosen one is not shown to beat by this much."""
    measured, best = found.measured, found.chosen
    others = (k for k in range(len(found.candidates)) if measured.at_least(best, k) < most)
    cheap = found.cheapest(others)
    return best if cheap is None or found.price(cheap) >= found.price(best) else cheap


def price_frontier(found: Choosing) -> list[int]:
    """Places of the candidates that are right more often than all cheaper ones, cheapest first."""
    places: list[int] = []
    right = found.best.accuracy
    for place in sorted(range(len(right)), key=lambda one: (found.price(one), -right[one])):
        if not places or right[place] > right[places[-1]] + ROUNDING:
            places.append(place)
    return places


def _one_more_dollar(found: Choosing) -> Iterator[str]:
    """What each step of the price frontier up to the chosen candidate costs, and what it buys."""
    places = price_frontier(found)
    steps = [
        f"${THOUSAND * (found.price(dear) - found.price(cheap)):,.2f} from {found.names[cheap]} "
        f"to {found.names[dear]} "
        f"({in_points(float(found.best.accuracy[dear] - found.best.accuracy[cheap]), found.best.n)}"
        f" more often {found.measure})"
        for cheap, dear in pairwise(places)
    ]
    if not found.by_dollars or not steps:
        return
    most = len(steps) - _MOST_STEPS
    more_of = f"; {amount(most, 'cheaper step')} before these" if most > 0 else ""
    yield (
        f"What more dollars for 1,000 verdicts buy on these labels: "
        f"{'; '.join(steps[-_MOST_STEPS:])}{more_of}."
    )


def cautions_of_choice(found: Choosing) -> Iterator[str]:
    """What to beware of in a choice."""
    yield from dict.fromkeys(filter(None, (names_or_grades(one.row) for one in found.candidates)))
    if found.missed:
        yield (
            f"{amount(found.missed, 'labelled question')} left out: not every candidate judged "
            f"{'it' if found.missed == 1 else 'them'}. All are compared on the same "
            f"{len(found.questions):,}."
        )
    if found.marked and not found.has_test:
        yield "The test part has fewer than 3 labels, so nothing was measured on it. Label more."
    if not found.by_dollars and len({one.row.keys.get("judge") for one in found.candidates}) > 1:
        yield _CALLS
    if not found.marked:
        yield _READ
    if drawn := found.candidates[0].row.not_at_random:
        yield f"{drawn[0].upper()}{drawn[1:]}. Which is best among these may not be best elsewhere."


def _people(found: Choosing) -> Iterator[str]:
    """What no prompt can pass: how far people agree."""
    known = [labels for one in found.candidates if (labels := one.row.labelled)]
    if not known or not (known[0].raters.replications > 1).any():
        return
    people = known[0].raters.replicated
    agree, best = agreement(people), max((one.share() for one in known), key=_value)
    if agree.value is not None:
        most = accuracy_ceiling(people, best)
        yield agreement_in_words(
            {
                "n_labelled": agree.n_questions,
                **valued(raters_agreement=agree),
                "accuracy_ceiling": most.value,
                "not_estimable": reasons({"accuracy_ceiling": most}),
            }
        )


def _value(of: Estimate) -> float:
    return of.value or 0.0


def why_no_interval(found: Choosing, place: int) -> str:
    """Why a candidate that is new to an opened test part has no interval."""
    return (
        f"this test part was opened before, without {found.names[place]}: whoever has seen its "
        "errors may have written what fits them; label new questions for the test part"
    )
