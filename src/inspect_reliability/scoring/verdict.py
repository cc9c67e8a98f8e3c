"""The scorer that reads a judge's verdict."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from ..designs import Reader
from ..errors import UserError
from ..judging.exact import distributions_at_verdict, distributions_of
from ..judging.replicate import replication_of
from ..metrics import invalid_rate, reliability
from ..record.cells import Cell, cells_in
from ..record.distributions import KEPT, KeptDistribution, distributions_kept
from ..record.replications import Replications
from ..record.sample import texts_of
from ..verdicts import INVALID, NON_RESPONSE
from .explanation import by_cell, distribution_table, explanation, label

_LONGEST = 200
"""Most characters of an item's text that a score repeats, for grouping."""

_SILENT = (NON_RESPONSE, INVALID)
"""What wins no majority while any output has a verdict."""


@scorer(metrics=[reliability(), invalid_rate()])
def verdict(parser: Mapping[str, Any] | None = None) -> Scorer:
    """Read the verdict from the output of a judge, of any design.

    The score's value is the verdict by name, "non-response" or "invalid"; for a design of several
    criteria it is the verdict of each. Its metadata are the benchmark, a fingerprint of the study
    (template, verdicts and questions), the categories (all verdicts the judge can give),
    replication, seed, a fingerprint of the prompt, how the verdict was read, the short fields of
    the item and, where the judge chooses among options, their order, the responder chosen, and the
    one known to be best.

    If a sample makes several replications, the value is the most frequent verdict and the metadata
    keep all verdicts (see `record.replications`). Replication, seed and prompt are those of the
    first. The answer is the verdict after its share, as in "0.72 A".

    If a sample has the exact distribution, the value is the likeliest verdict at the first
    temperature, and the metadata keep the distributions (see `record.distributions`). The same
    holds for one distribution per sampled reasoning.

    Args:
        parser: Another `parser` for the design, such as `{"labels": ["Rating"]}`.
    """
    if parser is not None and not isinstance(parser, Mapping):
        raise UserError(
            f"parser={parser!r}: expected one of {{labels: [...]}}, {{pattern: ...}} and "
            "{json: ...}."
        )

    async def score(state: TaskState, target: Target) -> Score:
        design = state.metadata.get("design")
        if not isinstance(design, dict):
            raise UserError(
                "These samples do not say how their judge answers: the scorer 'verdict' reads the "
                "logs of inspect_reliability's judge tasks."
            )
        reader = Reader(design["verdict"], parser or design.get("parser"))
        metadata = _facts(state, design, reader)
        if texts := texts_of(state.metadata, state.output):
            return _replicated(state, texts, metadata, reader)
        if exact := distributions_of(state.metadata, state.output, parser is not None):
            each = [[one for one in exact if one.get("cell", 0) == n] for n in range(len(exact))]
            cells, order = cells_in(state.metadata), state.metadata.get("order")
            said = by_cell(cells, order, lambda cell: distribution_table(each[cell]))
            return _exact(exact, metadata, said)
        return _single(state.output.completion, metadata, reader)

    return score


def _facts(state: TaskState, design: Mapping[str, Any], reader: Reader) -> dict[str, Any]:
    """What all judgments of a sample share."""
    item = state.metadata["item"]
    metadata: dict[str, Any] = {
        **_short_fields(item["fields"]),
        "benchmark": design["name"],
        "categories": {key: list(one.categories) for key, one in reader.criteria.items()}
        or list(reader.categories),
        **replication_of(state),
    }
    if study := design.get("study"):
        metadata["study"] = study
    if order := state.metadata.get("order"):
        metadata |= {"order": order} | ({"best": item["best"]} if item["best"] else {})
    elif responses := state.metadata["responses"]:
        metadata["responder"] = next(iter(responses))
    if cells := cells_in(state.metadata):
        metadata["cells"] = asdict(cells)
    return metadata


def _single(output: str, metadata: dict[str, Any], reader: Reader) -> Score:
    value, how = reader.value(output)
    if how:
        metadata["read_by"] = how
    chosen = dict(zip(reader.options, metadata.get("order", ()), strict=False))
    if isinstance(value, str) and value in chosen:
        metadata["responder"] = chosen[value]
    return Score(value=value, answer=label(value), explanation=output, metadata=metadata)


def _replicated(
    state: TaskState,
    texts: Mapping[int, str | None],
    metadata: dict[str, Any],
    reader: Reader,
) -> Score:
    found = [(None, "") if text is None else reader.value(text) for text in texts.values()]
    errors = state.metadata.get("errors", {})
    kept = Replications(
        [verdict for verdict, _ in found],
        metadata["seed"],
        metadata["replication"],
        state.metadata.get("orders"),
        read_by=[how for _, how in found],
        cells=cells_in(metadata),
    )
    said = [errors[str(number)] if text is None else text for number, text in texts.items()]
    score = score_of(kept, said, metadata | ({"errors": errors} if errors else {}))
    after = distributions_at_verdict(state, texts, reader)
    known = metadata | {"sampled_reasonings": len(after)}
    return _exact(after, known, score.explanation) if after else score


def score_of(kept: Replications, said: Sequence[str], metadata: Mapping[str, Any]) -> Score:
    """One score of several replications, whose value is the most frequent verdict.

    Outputs without a verdict do not vote, unless no other has one.

    Args:
        kept: The replications; at least one of answers as they are gave a verdict.
        said: The judge's output in each, or why it failed.
        metadata: Other facts that all of them share.
    """
    each = len(kept.verdicts) // (len(kept.cells.seeds) if kept.cells else 1)

    def of_cell(cell: int) -> str:
        own = slice(cell * each, (cell + 1) * each)
        return explanation(kept.verdicts[own], said[own], kept.first)

    cells = [cell for _, cell in kept.made]
    given = [
        means.get(label(verdict), verdict)
        for verdict, means, cell in zip(
            kept.verdicts, _meanings(cells, metadata), cells, strict=True
        )
        if verdict is not None and not cell.is_changed
    ]
    most, share = _most_frequent((label(verdict), 1.0) for verdict in given)
    value = next(verdict for verdict in given if label(verdict) == most)
    return Score(
        value=value,
        answer=_answer(value, share),
        explanation=by_cell(kept.cells, metadata.get("order"), of_cell),
        metadata={**metadata, **kept.metadata},
    )


def _exact(
    exact: Sequence[Mapping[str, Any]], metadata: dict[str, Any], explanation: str | None
) -> Score:
    """One score of several distributions, whose value is the likeliest verdict."""
    kept, cells = distributions_kept(exact), cells_in(metadata)
    every = [KeptDistribution(**one) for one in kept[KEPT]]
    same = [one for one in every if one.temperature == every[0].temperature]
    shown = [cells.each[one.cell or 0] if cells else Cell() for one in same]
    value, share = _most_frequent(
        (means.get(verdict, verdict), weight)
        for one, means in zip(same, _meanings(shown, metadata), strict=True)
        for verdict, weight, _ in one.weights
    )
    return Score(
        value=value,
        answer=_answer(value, share),
        explanation=explanation,
        metadata=metadata | kept,
    )


def _answer(value: Any, share: float) -> str:
    """A verdict after its share, because the viewer sorts samples by text: least steady first."""
    return f"{share:.2f} {label(value)}"


def _meanings(cells: Sequence[Cell], metadata: Mapping[str, Any]) -> list[Mapping[str, str]]:
    """The responder behind each label in each cell, if the order varies; else labels say enough."""
    order = metadata.get("order", ())
    if len({tuple(cell.order or ()) for cell in cells}) < 2:
        return [{}] * len(cells)
    shown = ([order[place] for place in cell.order or ()] for cell in cells)
    return [dict(zip(metadata["categories"], names, strict=False)) for names in shown]


def _most_frequent(said: Iterable[tuple[str, float]]) -> tuple[str, float]:
    """The verdict with most weight, and its share; silence wins only where nothing was said."""
    weights: defaultdict[str, float] = defaultdict(float)
    for name, weight in said:
        weights[name] += weight
    most = max(weights, key=lambda name: (name not in _SILENT, weights[name]))
    return most, weights[most] / math.fsum(weights.values())


def _short_fields(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in fields.items()
        if isinstance(value, bool | int | float)
        or (isinstance(value, str) and len(value) <= _LONGEST)
    }
