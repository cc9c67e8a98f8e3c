"""The scorer that reads a judge's verdict."""

from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from ..errors import UserError
from ..judging.solver import replication_of
from ..verdicts import LETTERS, PARSERS, ParserName
from . import invalid_rate, reliability


@scorer(metrics=[reliability(), invalid_rate()])
def verdict(parser: ParserName = "default") -> Scorer:
    """Read the letter of the best response from a judge's output.

    The score's value is the verdict by name: "A" to "E", "non-response" or "invalid". Its
    metadata holds question, benchmark, category, replication, seed, order (responders behind A
    to E), the responder chosen, and whether it is the one known to be best.

    Args:
        parser: "default", or "published" for the pattern of the published study.

    Raises:
        UserError: No parser has that name.
    """
    if parser not in PARSERS:
        raise UserError(f"parser='{parser}' is not known. Use one of: {', '.join(PARSERS)}.")
    read = PARSERS[parser]

    async def score(state: TaskState, target: Target) -> Score:
        text = state.output.completion
        letter = read(text)
        question: dict[str, Any] = state.metadata.get("question", {})
        order: list[str] = state.metadata.get("order", [])
        metadata: dict[str, Any] = {
            "question": question.get("id", state.sample_id),
            "benchmark": question.get("benchmark"),
            "category": question.get("category"),
            **replication_of(state),
            "order": order,
        }
        chosen = order[LETTERS.index(letter)] if letter in LETTERS and order else None
        if chosen is not None:
            metadata["responder"] = chosen
        if target.text:
            metadata["best"] = chosen == target.text
        return Score(value=letter, answer=letter, explanation=text, metadata=metadata)

    return score
