"""Whether labels can tell the best two rows apart, and which has the higher omega."""

from collections.abc import Iterator, Sequence

from ..showing.document import Text
from ..showing.formats import amount, in_points, most_feasible, percent, reaching_in_points
from ..stats import ReliabilityError
from ..stats.comparison import compare_accuracy
from ..stats.labelled import WITHIN_ONE
from ..stats.planning import PROBABLY, questions_to_tell
from .next_steps import FEWEST
from .row import Row


def not_told_apart(rows: Sequence[Row], names: Sequence[str]) -> Iterator[Text]:
    """That labels cannot tell the first two rows apart, how many could, and whose omega is higher.

    Args:
        rows: The rows, the best first.
        names: Their names.
    """
    known = [row.labelled for row in rows[:2] if row.labelled and not row.several]
    if len(known) < 2 or rows[0].keys.get("judge") == rows[1].keys.get("judge"):
        return
    kind = WITHIN_ONE if all(one.step is not None for one in known) else "accuracy"
    given = {name: {"": one} for name, one in zip(names, known, strict=False)}
    try:
        (found,) = compare_accuracy(given, kind)
    except ReliabilityError:
        return
    n, low, high = found.n_questions, found.low, found.high
    if (
        n < FEWEST
        or low is None
        or high is None
        or found.difference is None
        or not low <= 0 <= high
    ):
        return
    needed = questions_to_tell(found.difference, (low, high), n)
    more = f"more than {most_feasible(n):,} would be needed"
    if needed is not None and needed <= most_feasible(n):
        more = f"about {needed:,} could, with {percent(PROBABLY)} probability"
    first, second = names[:2]
    apart = f"{in_points(found.difference, n)} {reaching_in_points((low, high), n)}"
    said = f"These {amount(n, 'labelled question')} cannot tell {first} and {second} apart"
    said = f"{said} (by {apart}, this pair alone): {more}."
    yield Text(f"{said}{_steadier(rows, names)}", "answer")


def _steadier(rows: Sequence[Row], names: Sequence[str]) -> str:
    """Which of the two has the higher omega, on a scale ICC; empty where that is not known."""
    name = "icc" if all(row.judged.scale for row in rows[:2]) else "omega"
    values = [row.numbers.value(name) for row in rows[:2] if not row.no_draws]
    known = [one for one in values if one is not None]
    if len(known) < 2 or round(known[0], 2) == round(known[1], 2):
        return ""
    at = known.index(max(known))
    called = "ICC" if name == "icc" else name
    both = f"{max(known):z.2f}, {min(known):z.2f}"
    return f" {names[at]} has the higher {called} here ({both}); compare says whether by chance."
