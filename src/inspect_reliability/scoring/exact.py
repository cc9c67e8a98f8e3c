"""The exact distributions of a verdict as one score."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any

from inspect_ai.model import Logprob
from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState

from ..errors import UserError
from ..parsing.reader import Reader
from ..record.cells import Cell, cells_in
from ..record.distributions import KEPT, KeptDistribution, distributions_kept
from ..verdicts import NO_VERDICTS
from .at_verdict import at_verdict
from .explanation import by_cell, distribution_table
from .packed import answer_of, meanings


def exact_score(state: TaskState, metadata: dict[str, Any], reads_anew: bool) -> Score:
    """The score of a sample whose judge gave distributions, one per cell and temperature.

    Raises:
        UserError: They were read while the judge answered, and cannot be read anew.
    """
    if reads_anew:
        raise UserError(
            "Exact verdicts are read while the judge answers. To read them in another way, run the "
            "judge again with another 'parser' in its design."
        )
    exact: Sequence[Mapping[str, Any]] = (state.output.metadata or {})["distributions"]
    each = [[one for one in exact if one.get("cell", 0) == n] for n in range(len(exact))]
    cells, order = cells_in(state.metadata), state.metadata.get("order")
    said = by_cell(cells, order, lambda cell: distribution_table(each[cell]))
    return _score_of(exact, metadata, said)


def score_at_verdict(
    state: TaskState,
    texts: Mapping[int, str | None],
    reader: Reader,
    metadata: dict[str, Any],
    explanation: str | None,
) -> Score | None:
    """The score of sampled reasonings, by the distribution of the verdict after each.

    Open probability is assigned to the drawn verdict, which keeps the estimate unbiased where the
    judge names a verdict in this place.

    Args:
        state: State of the sample.
        texts: The text of each replication by number, None if it failed.
        reader: Reads the verdict.
        metadata: Other facts that all of them share.
        explanation: What the judge said.

    Returns:
        The score; None if fewer than two reasonings have a distribution.
    """
    known, cells = state.metadata["at_verdict"], cells_in(state.metadata)
    made = [number for number, text in texts.items() if text is not None]
    if len(made) < 2:
        return None
    first, found = min(texts), []
    for number, choice in zip(made, state.output.choices, strict=True):
        steps: list[Logprob] = choice.logprobs.content if choice.logprobs else []
        one = at_verdict(choice.message.text, steps, reader, known["temperature"])
        cell, place = cells.split(number - first, len(texts)) if cells else (None, number - first)
        found.append(
            {
                "cell": cell,
                "replication": first + place,
                "shares": one.shares,
                "open_mass": one.open_mass,
                "tail": [one.verdict] if one.open_mass else [],
            }
        )
    return _score_of(found, metadata | {"sampled_reasonings": len(found)}, explanation)


def _score_of(
    exact: Sequence[Mapping[str, Any]], metadata: dict[str, Any], explanation: str | None
) -> Score:
    """One score of several distributions, whose value is the likeliest verdict."""
    kept, cells = distributions_kept(exact), cells_in(metadata)
    every = [KeptDistribution(**one) for one in kept[KEPT]]
    same = [one for one in every if one.temperature == every[0].temperature]
    shown = [cells.each[one.cell or 0] if cells else Cell() for one in same]
    weights: defaultdict[str, float] = defaultdict(float)
    for one, means in zip(same, meanings(shown, metadata), strict=True):
        for verdict, weight, _ in one.weights:
            weights[means.get(verdict, verdict)] += weight
    # Silence wins only where nothing was said.
    value = max(weights, key=lambda name: (name not in NO_VERDICTS, weights[name]))
    share = weights[value] / fsum(weights.values())
    return Score(
        value=value,
        answer=answer_of(value, share),
        explanation=explanation,
        metadata=metadata | kept,
    )
