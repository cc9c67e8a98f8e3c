"""How far verdicts moved between two sides, in words: beyond noise, on average and by shares."""

from collections.abc import Iterable, Iterator, Sequence
from statistics import NormalDist
from typing import NamedTuple

from ..showing.formats import (
    Record,
    describe,
    in_points,
    keys_of,
    reaching,
    reaching_in_points,
    rounded,
    share,
)
from ..stats import SHARES
from .arms import ALL
from .comparison_in_words import (
    OFTEN,
    SHARE_OF,
    asked,
    compared_in_words,
    each_in_words,
    is_decided,
    moved_points,
)

BEYOND_NOISE = "differ beyond noise"
"""The name of a row of how often verdicts of two sides differ beyond noise."""

_MOST_NAMED = 3
"""Most conditions, or pairs of sides, that a sentence names."""


class ShareMoved(NamedTuple):
    """The share of a verdict on two sides: the second less the first, with its 95% interval."""

    verdict: str
    first: float | None
    change: float
    ends: Sequence[float]


def paired_in_words(changed: Sequence[Record], pairs: Sequence[Record]) -> str:
    """What two sides say of the same questions: what is shown, then what is not."""
    change = _changed_under(pairs[0], changed)
    moved = [*change_in_words(change)]
    decided = any(map(is_decided, pairs)) or any(shown for shown, _ in moved)
    nothing = "" if decided or not change else _nothing_in_words(change, pairs)
    counted = beyond_noise_counted(_of_benchmarks(pairs[0], changed))
    labelled = [pair["n_questions"] for pair in pairs if pair["coefficient"] in SHARES]
    if not labelled:
        return in_one_text([(True, nothing), *moved, *each_in_words(pairs), (False, counted)])
    said = in_one_text(one for one in moved if one[0])
    if said and max(labelled) < change["n_questions"]:
        said = f"Over all {change['n_questions']:,} questions that both judged: {said}"
    return " ".join(filter(None, [nothing, compared_in_words(pairs), said, counted]))


def _nothing_in_words(change: Record, pairs: Sequence[Record]) -> str:
    """That no difference of two sides is shown, and how large one is at most by its interval."""
    nothing = f"No difference between {change['first']} and {change['second']} is shown"
    pair, verb = next(asked(pairs))
    of_means, (_, moved) = change["mean_change_interval"], most_moved([*shares_of(change)])
    if pair["coefficient"] in SHARES:
        ends = pair["difference_interval"]
        what = f"how often each {verb.removesuffix(OFTEN)} differs"
    elif of_means and not change["grade_values"]:
        return f"{nothing}; mean grades differ by {max(map(abs, of_means)):.2f} at most."
    elif moved and len(change["shares"]) == 2:
        what, ends = f"the share of {moved.verdict!r:.40} differs", moved.ends
    else:
        what, ends = "verdicts differ beyond noise", change["above_noise_interval"]
    if not ends:
        return f"{nothing}."
    most = max(0.0, ends[1]) if ends is change["above_noise_interval"] else max(map(abs, ends))
    return f"{nothing}; {what} by {in_points(most, pair['n_questions'])} at most."


def in_one_text(each: Iterable[tuple[bool, str]]) -> str:
    """Sentences: of what is shown, then of what is not."""
    known = list(each)
    return " ".join(said for of in (True, False) for shown, said in known if shown is of and said)


def _changed_under(pair: Record, changed: Sequence[Record]) -> Record:
    """What changed under the condition of a pair; empty where that is of all benchmarks."""
    where = keys_of(pair, before="coefficient")
    return next((one for one in changed if where.items() <= one.items()), {})


def have_moved(pairs: Sequence[Record], changed: Sequence[Record]) -> bool:
    """Whether a judge is shown to have changed under the condition of some pairs.

    By intervals that hold together, of the mean, of each share, of what is beyond noise, and of how
    often it is right: of several, one leaves out 0 by chance more often than one alone.
    """
    change = _changed_under(pairs[0], changed)
    shares = [one for one in shares_of(change) if one.first is not None] if change else []
    others = [
        ShareMoved(name, None, change[name], change[f"{name}_interval"])
        for name in ("mean_change", _ABOVE)
        if change and change[f"{name}_interval"]
    ]
    pair, _ = next(asked(pairs), (None, ""))
    if pair and pair["coefficient"] in SHARES and (ends := pair["difference_interval"]):
        others.append(ShareMoved(pair["coefficient"], None, pair["difference"], ends))
    kinds = len(others) + bool(shares)
    each = [*((one, 1) for one in others), *((one, _differing(shares)) for one in shares)]
    return any(
        _leaves_out_0(one, _wider(kinds * of)) and (one.change > 0 or one.verdict != _ABOVE)
        for one, of in each
    )


_ABOVE = "above_noise"
"""How often verdicts differ beyond noise: nothing moves by less than none."""


def _differing(shares: Sequence[ShareMoved]) -> int:
    """How many shares can differ by themselves: what one of two gains, the other loses."""
    return len(shares) if len(shares) > 2 else 1


def _wider(of_all: int) -> float:
    """How much wider normal intervals are that hold for so many at once."""
    return NormalDist().inv_cdf(1 - 0.025 / of_all) / NormalDist().inv_cdf(0.975)


def change_rows(change: Record) -> Iterator[Record]:
    """What changed between two sides, as rows beside those of coefficients: first minus second.

    How often they differ beyond noise has no sign.
    """
    moved, ends = change["mean_change"], change["mean_change_interval"]
    if ends:
        yield {
            "coefficient": "mean grade",
            "difference": -moved,
            "difference_interval": [-ends[1], -ends[0]],
        }
    for one in sorted(shares_of(change), key=lambda of: -round(abs(of.change), 9)):
        yield {
            "coefficient": f"{SHARE_OF}{one.verdict}",
            "first_value": one.first,
            "second_value": None if one.first is None else one.first + one.change,
            "difference": -one.change,
            "difference_interval": [-one.ends[1], -one.ends[0]],
        }
    above, reach = change["above_noise"], change["above_noise_interval"]
    if reach:
        yield {"coefficient": BEYOND_NOISE, "difference": above, "difference_interval": reach}


def change_in_words(change: Record) -> Iterator[tuple[bool, str]]:
    """What moved between two sides, each with whether it is shown to have.

    The mean grade or score, the share of the verdict that moved most, and how often verdicts
    differ beyond noise.
    """
    if not change:
        return
    first, second, n = change["first"], change["second"], change["n_questions"]
    ends = change["mean_change_interval"]
    if ends and change["grade_values"]:
        yield is_shown(ends), _score_in_words(change)
    elif ends:
        by = f"{rounded(change['mean_change'], '+z.2f')} {reaching(ends, '+z.2f')}"
        how = "higher" if change["mean_change"] > 0 else "lower"
        words = f"{second} grades {how} than {first} ({by} on the mean grade)."
        if not is_shown(ends):
            words = f"That mean grades of {first} and {second} differ is not shown ({by})."
        yield is_shown(ends), words
    shown, words = shares_in_words((first, second), list(shares_of(change)), n)
    if shown or not ends:
        yield shown, words
    yield _beyond_noise(change)


def shares_in_words(
    names: tuple[str, str], shares: Sequence[ShareMoved], n: int
) -> tuple[bool, str]:
    """Whether the share of a verdict is shown to differ between two sides, and how it does.

    The verdict is the one of several that moved most (see `most_moved`). What one of two gains, the
    other loses.
    """
    shown, most = most_moved(shares)
    if most is None or most.first is None:
        return False, ""
    (first, second), verdict = names, f"{most.verdict!r:.40}"
    was, now = (share(one, n) for one in (most.first, most.first + most.change))
    by = moved_points(most.change, most.ends, n)
    if shown:
        often = "more" if most.change > 0 else "less"
        return True, (
            f"{second} gives {verdict} {often} often: {now} of verdicts, {was} of {first}'s ({by})."
        )
    several = len(shares) > 2
    of_most = f"{verdict}, which moved most," if several else verdict
    by = "" if several else f" ({by})"
    return False, (
        f"That shares of verdicts differ is not shown: {of_most} is {was} of {first}'s and {now} "
        f"of {second}'s{by}."
    )


def most_moved(shares: Sequence[ShareMoved]) -> tuple[bool, ShareMoved | None]:
    """Whether the share of a verdict is shown to differ, and the one that moved most.

    Of several, that is shown only where an interval that holds for all of them leaves out 0.
    """
    wider = _wider(_differing(shares))
    known = [one for one in shares if one.first is not None]
    shown = [one for one in known if _leaves_out_0(one, wider)]
    by_size = max(
        shown or known, key=lambda one: (round(abs(one.change), 9), one.change), default=None
    )
    return bool(shown), by_size


def _beyond_noise(change: Record) -> tuple[bool, str]:
    """Whether verdicts differ beyond noise, and how far."""
    both, n = f"{change['first']} and {change['second']}", change["n_questions"]
    across, above = change["disagreement_across"], change["above_noise"]
    ends = change["above_noise_interval"]
    if above is None or not ends:
        reasons = change["not_estimable"]
        why = reasons.get("above_noise") or reasons.get("disagreement_across")
        pairs = "" if across is None else f"in {share(across, n)} of pairs of verdicts"
        known = f"Verdicts of {both} differ {pairs}; whether this is beyond noise is not known"
        if across is None:
            known = f"Whether verdicts of {both} differ beyond noise is not known"
        return False, f"{known}{f': {why}' if why else ''}."
    if not is_shown(ends):
        by = moved_points(above, ends, n)
        return False, f"That verdicts of {both} differ beyond noise is not shown ({by})."
    within = share(change["disagreement_within"], n)
    return True, (
        f"Verdicts of {both} differ in {share(across, n)} of pairs, those of one side alone in "
        f"{within}: beyond noise by {in_points(above, n)} {reaching_in_points(ends, n)}."
    )


def beyond_noise_counted(changed: Sequence[Record]) -> str:
    """Under how many conditions, or between how many sides, verdicts differ beyond noise."""
    known = [one for one in changed if one["above_noise_interval"]]
    if not known:
        return ""
    shown = [one for one in known if is_shown(one["above_noise_interval"])]
    pairs = {(one["first"], one["second"]) for one in changed}
    conditions = [describe(_condition(one)) for one in shown]
    named, what = conditions, "conditions"
    if len(pairs) > 1:
        named = [
            f"{one['first']} and {one['second']}{where and f' ({where})'}"
            for one, where in zip(shown, conditions, strict=True)
        ]
        what = "comparisons of two sides"
    left = len(named) - _MOST_NAMED
    more = f" and {left} more" if left > 0 else ""
    which = f": {', '.join(named[:_MOST_NAMED])}{more}" if named else ""
    return (
        f"Verdicts are shown to differ beyond noise in {len(shown) or 'none'} of {len(known)} "
        f"{what}, each taken alone{which}."
    )


def _of_benchmarks(pair: Record, changed: Sequence[Record]) -> list[Record]:
    """What changed on each benchmark of a pair that is of all together; else nothing."""
    if pair["benchmark"] != ALL:
        return []
    where = {**_condition(pair), "first": pair["first"], "second": pair["second"]}
    return [one for one in changed if {**one, "benchmark": ALL}.items() >= where.items()]


def _condition(record: Record) -> Record:
    before = "coefficient" if "coefficient" in record else "n_questions"
    return keys_of(record, "second", before)


def shares_of(change: Record) -> Iterator[ShareMoved]:
    """The shares of what changed that have an interval."""
    for one in change["shares"]:
        if one["change_interval"]:
            yield ShareMoved(one["verdict"], one["first"], one["change"], one["change_interval"])


def is_shown(ends: Sequence[float]) -> bool:
    """Whether an interval leaves out 0."""
    return ends[0] > 0 or ends[1] < 0


def _leaves_out_0(one: ShareMoved, wider: float) -> bool:
    """Whether an interval this much wider does; it may reach further to one side."""
    towards = one.change - one.ends[0] if one.change > 0 else one.ends[1] - one.change
    return abs(one.change) > wider * towards


def _score_in_words(change: Record) -> str:
    """How far a suite's mean score moves from one side to the other."""
    value, ends, n = change["mean_change"], change["mean_change_interval"], change["n_questions"]
    values = change["grade_values"].values()
    if min(values) >= 0 and max(values) <= 1:
        by = moved_points(value, ends, n)
    else:
        by = f"{rounded(value, '+z.2f')} {reaching(ends, '+z.2f')}"
    return f"The mean score moves by {by} from {change['first']} to {change['second']}."
