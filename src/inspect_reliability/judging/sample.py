"""An item as an inspect sample, and back."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from inspect_ai.dataset import Sample

from ..designs import Item, JudgeDesign


def judge_sample(item: Item, design: JudgeDesign) -> Sample:
    """One item as a sample for `judge_responses`.

    The sample's target is the response known to be best, or else the accepted answers.
    """
    shown = asdict(item)
    return Sample(
        id=item.id,
        input=item.question,
        target=item.best or list(item.fields.get("targets", [])),
        metadata={"design": design.facts, "responses": shown.pop("responses"), "item": shown},
    )


def item_of(metadata: Mapping[str, Any]) -> Item:
    """The item that a sample's metadata describe."""
    return Item(**metadata["item"], responses=metadata["responses"])
