"""How far each side grades above or below people, and by how much that differs."""

from collections.abc import Iterator, Mapping, Sequence

from ..judgments.count import Judged
from ..judgments.scales import labelled
from ..showing.formats import Record, estimate_text, reaching, rounded
from ..stats.beside_labels import compare_mean_error, mean_error
from ..stats.comparison import Comparison, compare_independent
from .row import Row

MEAN_ERROR = "mean_error"


def mean_error_of_sides(parts: Mapping[str, Row], level: float) -> Iterator[Comparison]:
    """The difference of two sides that judged the same questions, on those with labels."""
    if len(parts) != 2:
        return
    known = {name: labelled(Judged(row.asked)) for name, row in parts.items()}
    given = {name: one for name, one in known.items() if one}
    if len(given) == 2 and (found := compare_mean_error(given, level)):
        yield found


def mean_error_of_samples(parts: Mapping[str, Row]) -> Iterator[Comparison]:
    """The difference of two sides with questions of their own, each by its own labels."""
    (one, first), (other, second) = parts.items()
    if first.labelled and second.labelled:
        each = (
            row.at_any_time(mean_error(row.labelled)) for row in (first, second) if row.labelled
        )
        found = compare_independent((one, other), MEAN_ERROR, *each)
        if found.difference is not None:
            yield found


def mean_error_in_words(pairs: Sequence[Record]) -> str:
    """How far one side grades higher than the other, by people's grades; empty if not shown."""
    for pair in pairs:
        ends = pair["difference_interval"]
        if pair["coefficient"] == MEAN_ERROR and ends and (ends[0] > 0 or ends[1] < 0):
            by = f"{rounded(pair['difference'], '+z.2f')} {reaching(ends, '+z.2f')}"
            ahead = pair["first"]
            if pair["difference"] < 0:
                ahead = pair["second"]
                by = f"{rounded(-pair['difference'], '+z.2f')} "
                by += reaching([-ends[1], -ends[0]], "+z.2f")
            each = " and ".join(
                f"{_value(pair, one)} of {pair[one]}" for one in ("first", "second")
            )
            return f"Compared with people's grades, {ahead} grades higher: {by}, from {each}."
    return ""


def _value(pair: Record, side: str) -> str:
    """What one side has, with its interval where it has one of its own."""
    name = f"{side}_value"
    alone = f"{name}_interval" not in pair
    return rounded(pair[name], "+z.2f") if alone else estimate_text(pair, name, "+z.2f")
