"""The scorer that reads a judge's verdict."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from ..errors import UserError
from ..metrics import invalid_rate, reliability
from ..parsing.reader import Reader
from ..record.replications import FIRST, Replications, cells_in, texts_of
from .packed import label_of, score_of

_LONGEST = 200
"""Most characters of an item's text that a score repeats, for grouping."""


@scorer(metrics=[reliability(), invalid_rate()])
def verdict(parser: Mapping[str, Any] | None = None) -> Scorer:
    """Read the verdict from the output of a judge, of any design.

    The score's value is the verdict by name, "non-response" or "invalid"; for a design of several
    criteria it is the verdict of each. Its metadata have the benchmark, a fingerprint of the study
    (template, verdicts and questions) and of the prompt, and the categories (all verdicts the judge
    can give). They have the replication, the seed, how the verdict was read, and the short fields
    of the item. Where the judge chooses among options, they also have their order, the responder
    chosen, and the one known to be best.

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
    readers: dict[str, Reader] = {}  # a log has one design

    def reader_of(design: Mapping[str, Any]) -> Reader:
        fields = design["verdict"], parser or design.get("parser")
        key = repr(fields)
        if key not in readers:
            readers[key] = Reader(*fields)
        return readers[key]

    async def score(state: TaskState, target: Target) -> Score | None:
        design = state.metadata.get("design")
        if not isinstance(design, dict):
            raise UserError(
                "These samples do not say how their judge answers: the scorer 'verdict' reads the "
                "logs of inspect_reliability's judge tasks."
            )
        reader = reader_of(design)
        metadata = _facts(state, design, reader)
        if texts := texts_of(state.metadata, state.output):
            return _replicated(state, texts, metadata, reader)
        if "exact" in state.metadata:
            from .exact_scores import exact_score  # which most runs do without

            return exact_score(state, metadata, parser is not None)
        if state.output.empty:  # a limit ended the sample: that is no answer of the judge
            return None
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
        **{key: state.metadata[key] for key in FIRST if key in state.metadata},
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
    return Score(value=value, answer=label_of(value), explanation=output, metadata=metadata)


def _replicated(
    state: TaskState,
    texts: Mapping[int, str | None],
    metadata: dict[str, Any],
    reader: Reader,
) -> Score:
    errors = state.metadata.get("errors", {})
    found = [(None, "") if text is None else reader.value(text) for text in texts.values()]
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
    if "at_verdict" in state.metadata:
        from .exact_scores import score_at_verdict

        return score_at_verdict(state, texts, reader, metadata, score.explanation) or score
    return score


def _short_fields(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in fields.items()
        if isinstance(value, bool | int | float)
        or (isinstance(value, str) and len(value) <= _LONGEST)
    }
