"""Three sides of a comparison or more in one table: each beside the best of them."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from ..showing.document import Block, Table, Text
from ..showing.formats import (
    ROUNDING,
    Record,
    estimate_text,
    reaching,
    rounded,
    share_places,
    span,
)
from ..stats import SHARES
from .analysis import Analysis
from .arms import Sides, kind_of_sides
from .comparison_in_words import asked
from .row import Row

_HEADINGS = {"accuracy": "Right", "within_one": "Within one step", "icc": "ICC"}
"""Headings of coefficients, where they are not their names."""

_BEST = {
    "accuracy": ("Right most often", "right less often"),
    "within_one": ("Within a step most often", "less often"),
}

_STEADIEST = ("Steadiest", "less steady")


def table_of_values(pairs: Sequence[Record], rows: Mapping[str, Row]) -> Iterator[Block]:
    """A sentence a question, and one table: each side and its difference from the best.

    Args:
        pairs: The differences of every two sides under one condition.
        rows: The judgments of each side under it.
    """
    names = list(dict.fromkeys(name for pair in pairs for name in (pair["first"], pair["second"])))
    found = {
        one["coefficient"]: [pair for pair in pairs if pair["coefficient"] == one["coefficient"]]
        for one, _ in asked(pairs)
    }
    values = {name: _values(own) for name, own in found.items()}
    known = {name: own for name, own in values.items() if own}
    if not known:
        return
    for name in known:
        yield Text(_in_words(name, found[name], known[name]), "answer")
    first = next(iter(known))
    best = max(known[first], key=lambda side: known[first][side])
    order = sorted(names, key=lambda side: -known[first].get(side, -1.0))
    lines = [
        [
            side,
            *chain.from_iterable(
                _cells(name, found[name], known[name], side, best, rows[side]) for name in known
            ),
        ]
        for side in order
    ]
    headings = [one for name in known for one in (_heading(name), _from(name, best))]
    about = _what_holds(_heading(first), best, len(names))
    yield Table(["Compared", *headings], lines, f"Each beside {best}", about=about)


def table_of_means(
    analysis: Analysis, condition: Record, changed: Sequence[Record]
) -> Iterator[Block]:
    """How far the mean grade of each later side is from that of the first, where sides are times.

    Args:
        analysis: The sides.
        condition: That under which they are compared.
        changed: The changes between every two sides, in their order.
    """
    own = [one for one in changed if condition.items() <= one.items()]
    graded = [one for one in own if one["mean_change"] is not None and not one["grade_values"]]
    since = [one for one in graded if one["first"] == own[0]["first"]]
    if not since or kind_of_sides(analysis) is not Sides.TIMES:
        return
    first = since[0]["first"]
    lines = [[one["second"], estimate_text(one, "mean_change", "+z.2f")] for one in since]
    yield Table(["Compared", f"From {first}"], lines, f"Mean grade beside {first}", about=_ALONE)


_ALONE = (
    "Each 95% interval of a mean grade's difference holds alone: of several, one leaves out 0 by "
    "chance more often."
)


def _heading(name: str) -> str:
    return _HEADINGS.get(name, name.capitalize())


def _from(name: str, best: str) -> str:
    return f"{'Points from' if name in SHARES else 'From'} {best}"


def _values(pairs: Sequence[Record]) -> dict[str, float]:
    """What each side has, on the questions of its largest comparison."""
    found: dict[str, float] = {}
    for pair in sorted(pairs, key=lambda one: int(one["n_questions"])):
        for side in ("first", "second"):
            if pair[f"{side}_value"] is not None:
                found[pair[side]] = float(pair[f"{side}_value"])
    return found


def _difference(pairs: Sequence[Record], side: str, best: str) -> Record | None:
    """A side less the best, with its interval."""
    for pair in pairs:
        if {pair["first"], pair["second"]} == {side, best} and side != best:
            value, ends = pair["difference"], pair["difference_interval"]
            if value is not None and pair["first"] == best:
                value, ends = -value, ends and [-ends[1], -ends[0]]
            return pair | {"difference": value, "difference_interval": ends}
    return None


def _cells(
    name: str,
    pairs: Sequence[Record],
    values: Mapping[str, float],
    side: str,
    best: str,
    row: Row,
) -> tuple[str, str]:
    """The number of a side with its interval, and its difference from the best."""
    less = _difference(pairs, side, best)
    if side not in values:
        return "-", "-"
    own_pairs = [one for one in pairs if side in (one["first"], one["second"])]
    largest = max(own_pairs, key=lambda one: int(one["n_questions"]))
    ends = _ends(name, largest, values[side], row)
    own: Record = {name: values[side], f"{name}_interval": ends}
    form = "%" if name in SHARES else "z.2f"
    return span(own, name, form, largest["n_questions"]), _of_difference(name, less, side == best)


def _of_difference(name: str, less: Record | None, is_best: bool) -> str:
    if less is None or less["difference"] is None:
        return "" if is_best else "-"
    times, form = 1, "+z.2f"
    if name in SHARES:
        times, form = 100, f"+z.{share_places(less['n_questions'])}f"
    value = rounded(times * less["difference"], form)
    ends = [times * one for one in less["difference_interval"] or ()]
    return f"{value} {reaching(ends, form)}" if ends else value


def _ends(name: str, pair: Record, value: float, row: Row) -> Sequence[float] | None:
    """The interval of a side by itself, on the questions that it is compared on."""
    left_out = {question for of in pair["left_out"].values() for question in of}
    table = row.asked[~row.asked["question"].astype(str).isin(left_out)]
    alone = (row if len(table) == len(row.asked) else Row(row.group, table)).estimate(name)
    same = alone.value is not None and abs(alone.value - value) < ROUNDING
    return alone.ends if same else None


def _in_words(name: str, pairs: Sequence[Record], values: Mapping[str, float]) -> str:
    """Which side is best, which are not told apart from it, and which are worse."""
    first, worse_than = _BEST.get(name, _STEADIEST)
    best = max(values, key=lambda side: values[side])
    worse: list[str] = []
    open_: list[str] = []
    for side in sorted(values, key=lambda side: -values[side]):
        less = _difference(pairs, side, best)
        ends = less and less["difference_interval"]
        if side != best:
            (worse if ends and ends[1] < 0 else open_).append(side)
    said = [f"{first}: {best}"]
    said += [f"not shown to differ from it: {', '.join(open_)}"] if open_ else []
    said += [f"{worse_than}: {', '.join(worse)}"] if worse else []
    return f"{'; '.join(said)}."


def _what_holds(heading: str, best: str, n: int) -> str:
    """Which intervals hold together, and what that means for who picks the best."""
    return (
        f"The 95% intervals of the differences from {best} hold together, with those of all other "
        "pairs, so you may look for the largest. The intervals of single values hold each alone: "
        f"{heading} of the best of {n} is probably lower than it looks here."
    )
