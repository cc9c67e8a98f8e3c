"""The scorer that reads a judge's verdict."""

from typing import Any, get_args

from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from ..designs import ParserName, Reader
from ..errors import UserError
from ..judging.replicate import replication_of
from .metrics import invalid_rate, reliability

_LONGEST = 200
"""Characters of a text that a score repeats from its item, for reports to group by."""


@scorer(metrics=[reliability(), invalid_rate()])
def verdict(parser: ParserName = "default") -> Scorer:
    """Read the verdict from the output of a judge, of any design.

    The score's value is the verdict by name, "non-response" or "invalid". Its metadata are the
    benchmark, the categories (all verdicts the judge can give), replication, seed, a fingerprint
    of the prompt, how the verdict was read, the short fields of the item and, where the judge
    chooses among options, their order, the responder chosen, and whether it is the one known to be
    best.

    Args:
        parser: "default", or "published" for the pattern of the published study.

    Raises:
        UserError: No parser has that name.
    """
    if parser not in get_args(ParserName):
        known = ", ".join(get_args(ParserName))
        raise UserError(f"parser='{parser}' is not known. Use one of: {known}.")

    async def score(state: TaskState, target: Target) -> Score:
        design = state.metadata.get("design")
        if not isinstance(design, dict):
            raise UserError(
                "These samples do not say how their judge answers: the scorer 'verdict' reads the "
                "logs of inspect_reliability's judge tasks."
            )
        reader = Reader(design["verdict"], design.get("parser"))
        text = state.output.completion
        found = reader.read(text, parser)
        metadata: dict[str, Any] = {
            **_short_fields(state.metadata["item"]["fields"]),
            "benchmark": design["name"],
            "categories": list(reader.categories),
            **replication_of(state),
        }
        if found.how:
            metadata["read_by"] = found.how
        if order := state.metadata.get("order"):
            metadata |= {"order": order, **_choice(reader, found.verdict, order)}
            if best := state.metadata["item"]["best"]:
                metadata["best"] = metadata.get("responder") == best
        elif responses := state.metadata["responses"]:
            metadata["responder"] = next(iter(responses))
        return Score(value=found.verdict, answer=found.verdict, explanation=text, metadata=metadata)

    return score


def _short_fields(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in fields.items()
        if isinstance(value, bool | int | float)
        or (isinstance(value, str) and len(value) <= _LONGEST)
    }


def _choice(reader: Reader, verdict: str, order: list[str]) -> dict[str, str]:
    named = dict(zip(reader.verdicts, order, strict=True))
    return {"responder": named[verdict]} if verdict in named else {}
