"""In which direction a judge changed: milder or harsher, or what it says more often."""

from collections.abc import Iterator

from ..answers.changes_in_words import is_shown, most_moved, shares_of
from ..answers.comparison_in_words import moved_points
from ..showing.formats import Record, reaching, rounded, share


def direction_in_words(change: Record) -> Iterator[str]:
    """Where the grades of a judge moved, or the share of which verdict, since it changed.

    `change` is what `compare` says of the checks before and since.
    """
    ends, n = change["mean_change_interval"], change["n_questions"]
    if ends:
        by = f"{rounded(change['mean_change'], '+z.2f')} {reaching(ends, '+z.2f')}"
        how = "milder" if change["mean_change"] > 0 else "harsher"
        mean = "score" if change["grade_values"] else "grade"
        if not is_shown(ends):
            yield f"Whether it is milder or harsher is not known: its mean {mean} moved by {by}."
            return
        yield f"It is {how}: its mean {mean} moved by {by}."
        return
    shown, most = most_moved([*shares_of(change)])
    if most is None or most.first is None:
        return
    was, now = (share(one, n) for one in (most.first, most.first + most.change))
    moved = f"{now} of verdicts, {was} before ({moved_points(most.change, most.ends, n)})"
    if shown:
        often = "more" if most.change > 0 else "less"
        yield f"It says {most.verdict!r:.40} {often} often: {moved}."
    else:
        yield (
            "That it says a verdict more often than before is not shown: of "
            f"{most.verdict!r:.40}, which moved most, {moved}."
        )
