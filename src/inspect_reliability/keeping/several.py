"""What tells several promises apart?"""

from collections.abc import Iterator, Sequence

from ..answers.labelled_cascade import LabelledCascade
from ..showing.formats import percent


def differing_columns(found: Sequence[LabelledCascade]) -> list[str]:
    """The columns that tell several promises apart."""
    keys = [one.keys for one in found]
    return [name for name in keys[0] if len({str(one.get(name)) for one in keys}) > 1]


def several_promises(found: Sequence[LabelledCascade]) -> Iterator[str]:
    """That each of several promises is one by itself, of what tells it from the others."""
    promised = [one for one in found if one.step and not one.rule.known]
    if len(promised) > 1 == max(len(one.rows) for one in found):
        of = " and ".join(differing_columns(found))
        yield (
            f"These are {len(promised)} promises, one for each {of}. Each has a confidence of "
            f"{percent(found[0].promise.confidence)} by itself, not all at once."
        )
