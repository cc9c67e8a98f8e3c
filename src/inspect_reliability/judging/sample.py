"""An item as an inspect sample, and back."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from hashlib import blake2b
from operator import itemgetter
from typing import Any

from inspect_ai.dataset import Sample

from ..designs import Item, JudgeDesign
from .asking import OTHER


def fingerprint(design: JudgeDesign, items: Iterable[Item]) -> str:
    """A digest that differs between studies with other prompts, verdicts or items."""
    shown = [
        design.prompt,
        design.verdict,
        sorted((asdict(one) for one in items), key=itemgetter("id")),
    ]
    shown += [design.named] if design.wordings else []
    text = json.dumps(shown, sort_keys=True, default=list)
    return blake2b(text.encode(), digest_size=4).hexdigest()


def judge_sample(
    item: Item, design: JudgeDesign, study: str = "", others: Mapping[str, str] | None = None
) -> Sample:
    """One item as a sample for `judge_responses`; `others` are answers to another question.

    The sample's target is the response known to be best, or else the accepted answers. `study` is
    the `fingerprint` of the design and of all items.
    """
    shown = asdict(item)
    return Sample(
        id=item.id,
        input=item.question,
        target=item.best or list(item.fields.get("targets", [])),
        metadata={
            "design": design.facts | {"study": study},
            "responses": shown.pop("responses"),
            "item": shown,
            **({OTHER: dict(others)} if others else {}),
        },
    )


def item_of(metadata: Mapping[str, Any]) -> Item:
    """The item that a sample's metadata describe."""
    return Item(**metadata["item"], responses=metadata["responses"])
