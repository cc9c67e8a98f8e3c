"""What moves the verdict, in words: another order or wording, and the place of an option."""

from collections.abc import Iterator, Sequence

import pandas as pd

from ..judgments.columns import varies
from ..judgments.table import weights
from ..showing.document import Text
from ..showing.formats import (
    ROUNDING,
    Record,
    grouped_by,
    in_points,
    reaching_in_points,
    share,
    span,
    told_apart,
)
from ..stats.comparison import Comparison, NothingSharedError, compare_accuracy
from ..stats.estimate import NoJudgmentsError
from ..stats.labelled import Labelled
from .analysis import Analysis
from .cautions import IN_ONE_ORDER
from .row import Row

_MOST_MOVED = 3
"""Most judges of whom a line says how far a facet moves them."""

_NOT_SHOWN = "is not shown to change verdicts"

LARGE = 0.1
"""How much more often than by noise another order must change verdicts to come before votes."""

BIASED = 0.05
"""P-value of equal shares below which a judge prefers a place."""


def what_moves(analysis: Analysis) -> Iterator[Text]:
    """A line a facet: how far it moves verdicts, above each judge's own noise."""
    known = [one for one in analysis.results["moves"] if effect_is_known(analysis, one)]
    for facet, records in grouped_by(known, lambda one: str(one["facet"])).items():
        name = told_apart([analysis.keys(one) for one in records], "judge")
        for what, own in grouped_by(records, effect_in_words).items():
            said = []
            for one in own[:_MOST_MOVED]:
                whom = name(analysis.keys(one)) if len(records) > 1 else ""
                said.append(" ".join(filter(None, (whom, effect_size(one)))))
            left = len(own) - _MOST_MOVED
            others = f", {left} more" if left > 0 else ""
            of = f": {', '.join(said)}{others}" if any(said) else ""
            yield Text(f"Another {facet.replace('_', ' ')} {what}{of}.", "answer")


def effect_in_words(one: Record) -> str:
    """The effect of a facet on verdicts, as far as that is shown."""
    ends = one["above_noise_interval"]
    if one["disagreement_across"] < ROUNDING:
        return "changes no verdict"
    if one["above_noise"] is None or (ends and ends[0] > 0):
        return "changes verdicts"
    return _NOT_SHOWN


def effect_is_known(analysis: Analysis, one: Record) -> bool:
    """Whether the size of a facet's effect says what is known of it.

    A small one does not where another order certainly moves shares of verdicts: `of_places` says
    which place is preferred, `shifts` what is chosen more often in which order.
    """
    if one["disagreement_across"] is None:
        return False
    small = one["facet"] == "order" and effect_in_words(one) == _NOT_SHOWN
    return not (small and (_prefers_a_place(analysis, one) or _shifts(analysis, one)))


def _prefers_a_place(analysis: Analysis, moved: Record) -> bool:
    """Whether the judge of a record about orders chooses a place too often."""
    keys = analysis.keys(moved)
    return any(
        row.keys.items() >= keys.items()
        and (place := preferred_place(analysis, row)) is not None
        and place["of_place"]
        for row in analysis.rows
    )


def _shifts(analysis: Analysis, moved: Record) -> bool:
    """Whether one of its orders certainly favours a verdict."""
    keys = analysis.keys(moved)
    return any(
        _favours_by_order(one) and analysis.keys(one) == keys for one in analysis.results["shifts"]
    )


def _favours_by_order(shift: Record) -> bool:
    """Whether a response is certainly chosen more often in an order than in others.

    Letters of places say nothing of this: in another order they are other responses.
    """
    of_order: bool = shift["facet"] == "order" and shift["what"] != "place"
    return of_order and str(shift["direction"]) == "more"


def effect_size(one: Record) -> str:
    """The size of a facet's effect on verdicts, in words; empty where it changes none."""
    n, above, ends = one["n_questions"], one["above_noise"], one["above_noise_interval"]
    across = one["disagreement_across"]
    if across < ROUNDING:
        return ""
    if (far := one["distance_across"]) is not None:  # two grades that are near are no two verdicts
        same = one["correlation_across"]
        return f"by {far:.2g} on average" + ("" if same is None else f" (correlation {same:.3g})")
    if above is None:
        return f"in {share(across, n)} of pairs (own noise not known)"
    reach = f" {reaching_in_points(ends, n)}" if ends else ""
    return f"{in_points(above, n)}{reach} above noise"


def of_places(analysis: Analysis, rows: Sequence[Row], names: Sequence[str]) -> list[Text]:
    """The judge for whom the place of an option, or its order, decides most, if for any.

    Where it is known which response was shown first, each judge that prefers a place has a line.
    """
    found, placed = [], list[Row]()
    first = list[tuple[float, str]]()
    for row, whom in zip(rows, names, strict=True):
        place = preferred_place(analysis, row)
        if shown := shares_as_shown(analysis.of(row, "position")):
            placed.append(row)
            if place:
                said = f"{whom}: the" if whom else "The"
                said += f" response shown first is chosen in {shown}."
                first.append((place["share"], said))
            continue
        if not place:
            continue
        placed.append(row)
        chosen, even = span(place, "share", "%", place["n_questions"]), f"{place['even']:.0%}"
        said = f"{place['option']} is chosen in {chosen} of cases; without preference {even}."
        what = "Place" if place["of_place"] else "Place or responder"
        if len(row.judged.orders_shown) == 1:
            said += f" {IN_ONE_ORDER}"
        found.append((place["share"] - place["even"], what, whom, said))
    found += _of_orders(analysis, [row for row in rows if row not in placed])
    first.sort(key=lambda one: -round(one[0], 9))
    lines = [*_right_by_order(rows, names), *(said for _, said in first[:_MOST_MOVED])]
    if found:
        _, what, whom, said = max(found, key=lambda one: one[0])
        lines.append(f"{what}: {whom and f'{whom}, '}{said}")
    return [Text(said, "answer") for said in lines]


def _right_by_order(rows: Sequence[Row], names: Sequence[str]) -> list[str]:
    """Of each judge that is certainly right more often in one of two orders, how often in each."""
    lines = []
    for row, whom in zip(rows, names, strict=True):
        if found := _right_in_each(row):
            n, ends = found.n_questions, [found.low or 0.0, found.high or 0.0]
            each = zip((found.first or 0.0, found.second or 0.0), found.names, strict=True)
            (best, of), (other, its) = sorted(each, reverse=True)
            by = f"{in_points(best - other, n)} {reaching_in_points(sorted(map(abs, ends)), n)}"
            said = f"ight in {share(best, n)} in order {of}, in {share(other, n)} in {its} ({by})."
            lines.append(f"{whom}: r{said}" if whom else f"R{said}")
    return lines[:_MOST_MOVED]


def _right_in_each(row: Row) -> Comparison | None:
    """How often a judge of names is right in each of two orders, if that certainly differs."""
    judged = row.judged
    if judged.mirrored:  # which order is called given is then as arbitrary as the names
        return None
    if row.labelled is None or row.labelled.step is not None or judged.exact or judged.times:
        return None
    given = judged.column("order")
    shown = [
        "" if one is None else one if isinstance(one, str) else ", ".join(one) for one in given
    ]
    orders = sorted({*shown} - {""})
    if len(orders) != 2 or (truth := judged.truth) is None:
        return None
    sides = {}
    verdicts = [*zip(judged.choices, shown, strict=True)]
    try:
        for order in orders:
            own = judged.count([one if of == order else None for one, of in verdicts], facets=())
            sides[order] = {"": Labelled(own, truth, judged.undecided)}
        (found,) = compare_accuracy(sides)
    except (NoJudgmentsError, NothingSharedError):  # no question was asked in both
        return None
    certain = found.low is not None and found.high is not None and found.low * found.high > 0
    return found if certain else None


def no_place(analysis: Analysis) -> Iterator[Text]:
    """That no place is shown to be preferred, of each judge that saw both orders."""
    rows = analysis.listed
    named = told_apart([row.keys for row in rows], "judge")
    for row in rows:
        if said := no_place_in_words(analysis, row):
            whom = f"{named(row.keys)}: n" if rows[1:] else "N"
            yield Text(f"{whom}{said[1:]}.", "answer")


def no_place_in_words(analysis: Analysis, row: Row) -> str:
    """The same of a row; "" where a place is preferred, or which came first is not known."""
    shares = analysis.of(row, "position")
    if (
        not shares_as_shown(shares)
        or shares[0]["p_value"] is None
        or preferred_place(analysis, row)
    ):
        return ""
    first = span(shares[0], "share_of_tries", "%", shares[0]["n_questions"])
    return f"no place is shown to be preferred (first in {first} of tries)"


def shares_as_shown(shares: Sequence[Record]) -> str:
    """How often what was shown first is chosen, and what was shown second; "" if not known."""
    if not shares or shares[0]["share_of_tries"] is None:
        return ""
    n = shares[0]["n_questions"]
    other = share(shares[1]["share_of_tries"], n)
    return f"{span(shares[0], 'share_of_tries', '%', n)} of tries, the second in {other}"


def _of_orders(analysis: Analysis, rows: Sequence[Row]) -> Iterator[tuple[float, str, str, str]]:
    """The response that each judge chooses more often in one order than in others."""
    of = [analysis.keys(one) for one in analysis.results["shifts"]]
    named = told_apart(of, "judge")
    several = len({str(one) for one in of}) > 1
    for one, keys in zip(analysis.results["shifts"], of, strict=True):
        if not _favours_by_order(one):
            continue
        if any(row.keys.items() >= keys.items() and varies(row.table, "order") for row in rows):
            n, ends = one["n_questions"], one["change_interval"]
            by = f"{in_points(one['change'], n)} {reaching_in_points(ends, n)}"
            said = f"{one['option']} is chosen {by} more often in order {one['level']} than in "
            yield one["change"], "Order", several * named(keys), f"{said}another."


def preferred_place(analysis: Analysis, row: Row) -> Record | None:
    """The option that a judge of pairs or of K chooses too often, whatever stands there.

    Its `of_place` is whether that is more than the responses that stood there explain.
    """
    shares = [one for one in analysis.of(row, "position") if one["share"] is not None]
    known = [one for one in shares if (one["p_value"] is not None and one["p_value"] < BIASED)]
    if len(shares) < 2 or not known:
        return None
    most = max(known, key=lambda one: float(one["share"]))
    low = (most["share_interval"] or [most["share"]])[0]
    if not row.judged.labels:  # of two orders that weigh the same
        return most | {"even": 0.5, "of": 2, "of_place": True}
    of_place = low > _by_responses(row).get(most["option"], 1.0) + ROUNDING
    return most | {"even": 1 / len(shares), "of": len(shares), "of_place": of_place}


def _by_responses(row: Row) -> dict[str, float]:
    """How often each place would be chosen if only the responses that stand there counted.

    It is the share that chose a response times how often that stood in the place, over all.
    """
    given = row.judged
    table = pd.DataFrame(
        {"shown": given.orders, "chosen": given.chosen(True), "weight": weights(row.table).array}
    ).dropna()
    stood = table.explode("shown")
    stood["place"] = stood.groupby(level=0).cumcount()
    each = stood.pivot_table("weight", "shown", "place", "sum", fill_value=0)
    often = each.div(each.sum(axis=1), axis=0)
    chosen = table.groupby("chosen")["weight"].sum().reindex(often.index, fill_value=0)
    found = (chosen / chosen.sum()) @ often
    return dict(zip(given.labels, map(float, found), strict=True))


def contradicting_orders(analysis: Analysis, row: Row) -> Record | None:
    """What another order does to the verdicts of a row, if it certainly changes many."""
    for one in analysis.about(row, "moves"):
        ends = one["above_noise_interval"]
        if one["facet"] == "order" and ends and ends[0] > LARGE:
            return one
    return None
