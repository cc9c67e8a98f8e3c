"""The scorer that reads a judge's verdict."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, get_args

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from ..designs import ParserName, Reader
from ..errors import UserError, one_of
from ..judging.cells import cells_in
from ..judging.exact import distributions_at_verdict, distributions_of
from ..judging.replicate import replication_of, replications_of
from ..judgments.count import Judged
from ..judgments.distributions import distributions_kept
from ..judgments.replications import Replications
from ..judgments.score import judgments_in
from .explanation import by_cell, distribution_table, explanation, label
from .metrics import invalid_rate, reliability

_LONGEST = 200
"""Most characters of an item's text that a score repeats, for grouping."""


@scorer(metrics=[reliability(), invalid_rate()])
def verdict(parser: ParserName | Mapping[str, Any] = "default") -> Scorer:
    """Read the verdict from the output of a judge, of any design.

    The score's value is the verdict by name, "non-response" or "invalid"; for a design of several
    criteria it is the verdict of each. Its metadata are the benchmark, a fingerprint of the study
    (template, verdicts and questions), whether the design is one of the paper's, the categories
    (all verdicts the judge can give), replication, seed, a fingerprint of the prompt, how the
    verdict was read, the short fields of the item and, where the judge chooses among options, their
    order, the responder chosen, and the one known to be best.

    If a sample makes several replications, the value is the most frequent verdict and the metadata
    keep all verdicts (see `judgments.replications`). Replication, seed and prompt are those of the
    first. The answer is the verdict after its share, as in "0.72 A".

    If a sample has the exact distribution, the value is the likeliest verdict at the first
    temperature, and the metadata keep the distributions (see `judgments.distributions`). The same
    holds for one distribution per sampled reasoning.

    Args:
        parser: "default"; "strict", which reads only the form that the design asks for; or
            "published" for the pattern of the published study. Or another `parser` for the design,
            such as `{"labels": ["Rating"]}`.

    Raises:
        UserError: No parser has that name.
    """
    own = parser if isinstance(parser, Mapping) else None
    name: ParserName = "default" if isinstance(parser, Mapping) else parser
    one_of("parser", name, get_args(ParserName))

    async def score(state: TaskState, target: Target) -> Score:
        design = state.metadata.get("design")
        if not isinstance(design, dict):
            raise UserError(
                "These samples do not say how their judge answers: the scorer 'verdict' reads the "
                "logs of inspect_reliability's judge tasks."
            )
        reader = Reader(design["verdict"], own or design.get("parser"))
        metadata: dict[str, Any] = {
            **_short_fields(state.metadata["item"]["fields"]),
            "benchmark": design["name"],
            "categories": {key: list(one.categories) for key, one in reader.criteria.items()}
            or list(reader.categories),
            **replication_of(state),
        }
        if study := design.get("study"):
            metadata["study"] = study
        if design.get("paper_design"):
            metadata["paper_design"] = True
        if order := state.metadata.get("order"):
            metadata["order"] = order
            if best := state.metadata["item"]["best"]:
                metadata["best"] = best
        elif responses := state.metadata["responses"]:
            metadata["responder"] = next(iter(responses))
        if cells := cells_in(state.metadata):
            metadata["cells"] = asdict(cells)
        if texts := replications_of(state.metadata, state.output):
            readers = dict(zip(texts, _readers(state, reader, len(texts)), strict=True))
            score = _replicated(state, texts, metadata, readers, name)
            after = distributions_at_verdict(state, texts, readers, name)
            known = metadata | {"sampled_reasonings": len(after)}
            return _exact(after, known, score.explanation) if after else score
        if exact := distributions_of(state.metadata, state.output, parser):
            each = [[one for one in exact if one.get("cell", 0) == n] for n in range(len(exact))]
            said = by_cell(cells, order, lambda cell: distribution_table(each[cell]))
            return _exact(exact, metadata, said)
        value, how = reader.value(state.output.completion, name)
        if how:
            metadata["read_by"] = how
        chosen = dict(zip(reader.options, order or (), strict=False))
        if isinstance(value, str) and value in chosen:
            metadata["responder"] = chosen[value]
        return Score(
            value=value,
            answer=label(value),
            explanation=state.output.completion,
            metadata=metadata,
        )

    return score


def _replicated(
    state: TaskState,
    texts: Mapping[int, str | None],
    metadata: dict[str, Any],
    readers: Mapping[int, Reader],
    parser: ParserName,
) -> Score:
    found = [
        (None, "") if text is None else readers[number].value(text, parser)
        for number, text in texts.items()
    ]
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
    return score_of(kept, said, metadata | ({"errors": errors} if errors else {}))


def score_of(kept: Replications, said: Sequence[str], metadata: Mapping[str, Any]) -> Score:
    """One score of several replications, whose value is the most frequent verdict.

    Args:
        kept: The replications; at least one gave a verdict.
        said: The judge's output in each, or why it failed.
        metadata: Other facts that all of them share.
    """
    each = len(kept.verdicts) // (len(kept.cells.seeds) if kept.cells else 1)

    def of_cell(cell: int) -> str:
        own = slice(cell * each, (cell + 1) * each)
        return explanation(kept.verdicts[own], said[own], kept.first)

    score = Score(
        value="",
        explanation=by_cell(kept.cells, metadata.get("order"), of_cell),
        metadata={**metadata, **kept.metadata},
    )
    given = [verdict for verdict in kept.verdicts if verdict is not None]
    [(most, number)] = Counter(map(label, given)).most_common(1)
    value, share = next(one for one in given if label(one) == most), number / len(given)
    score.value = value
    if isinstance(value, str):
        score.value, share = _most_frequent(score)
    score.answer = _answer(score.value, share)
    return score


def _exact(
    exact: Sequence[Mapping[str, Any]], metadata: dict[str, Any], explanation: str | None
) -> Score:
    score = Score(value="", explanation=explanation, metadata=metadata | distributions_kept(exact))
    score.value, share = _most_frequent(score)
    score.answer = _answer(score.value, share)
    return score


def _answer(value: Any, share: float) -> str:
    """A verdict after its share, because the viewer sorts samples by text: least steady first."""
    return f"{share:.2f} {label(value)}"


def _most_frequent(score: Score) -> tuple[str, float]:
    """The verdict with most weight at the first temperature, named as in all cells; its share."""
    judgments = judgments_in(score, "")
    same = [one for one in judgments if one.temperature == judgments[0].temperature]
    weights: Counter[str] = Counter()
    for name, one in zip(Judged.of(same).choices, same, strict=True):
        if name is not None:
            weights[name] += one.weight  # type: ignore[assignment]
    [(most, weight)] = weights.most_common(1)
    return most, weight / math.fsum(weights.values())


def _readers(state: TaskState, reader: Reader, replications: int) -> list[Reader]:
    """The reader of each replication, since an experiment may show other labels."""
    cells, labels = cells_in(state.metadata), state.metadata.get("labels", {})
    if cells is None:
        return [reader] * replications
    each = [reader.showing(labels.get(cell.wording, reader.options)) for cell in cells.each]
    return [one for one in each for _ in range(replications // len(each))]


def _short_fields(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in fields.items()
        if isinstance(value, bool | int | float)
        or (isinstance(value, str) and len(value) <= _LONGEST)
    }
