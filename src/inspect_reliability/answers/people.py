"""How far do people agree, and how often can a judge be right at most by their labels?"""

from collections.abc import Iterator
from math import sqrt

from ..showing.document import Text
from ..showing.values import Record, share, span
from .analysis import Analysis

_MOST = "if two people err independently and equally often, no judge can be right in more than"


def ceiling(agree: float) -> float:
    """The most that a verdict can be a label, where two labels agree so often.

    A person who is right with a probability q, independently of the other, agrees with the other in
    q^2 or more, so q is the root of the agreement at most. A verdict that is always right is the
    label in q.
    """
    return sqrt(agree)


def people_agree(analysis: Analysis) -> Iterator[Text]:
    """How far two people agree, in words, and the ceiling that follows; nothing without two."""
    for one in analysis.results["validity"]:
        if one["raters_agreement"] is not None:
            yield Text(in_words(one), "answer")
            return  # other judges of these outputs have the same labels


def in_words(one: Record) -> str:
    """The same of a record of `validity`."""
    n = one["n_labelled"]
    said = f"Two people give the same label in {span(one, 'raters_agreement', '%', n)}"
    return f"{said}: {_MOST} about {share(ceiling(one['raters_agreement']), n)} of labels."
