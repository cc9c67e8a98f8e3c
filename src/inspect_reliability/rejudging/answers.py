"""Outputs of a log with their answers changed."""

from collections.abc import Sequence

from inspect_ai.log import EvalSample

from ..designs import Change, Item
from ..designs.item import RESERVED
from ..errors import UserError
from ..judging.asking import answers_to_another
from .outputs import Changed


def changed_outputs(changes: Sequence[Change], samples: Sequence[EvalSample]) -> Changed:
    """The outputs to which each change applies, in the form that it gives them.

    Templates of changes see `answer`, `question`, and the sample's metadata.

    Raises:
        UserError: A change applies to no output.
    """
    if not changes:
        return {}
    items = [_item(one) for one in samples]
    others = [each.get("", None) for each in answers_to_another(items)]
    found: dict[str, dict[tuple[int | str, int], str]] = {}
    for change in changes:
        own = found[change.name] = {}
        for sample, item, other in zip(samples, items, others, strict=True):
            text = change.of(item.responses[""], item, other)
            if text is not None:
                own[sample.id, sample.epoch] = text
        if not own:
            raise UserError(f"--answers {change.name} changes no output. Leave it out.")
    return found


def _item(sample: EvalSample) -> Item:
    """An output as an item with one response; epochs of a sample answer the same question."""
    asked = (
        sample.input
        if isinstance(sample.input, str)
        else "\n".join(message.text for message in sample.input)
    )
    own = {
        name: text
        for name, text in sample.metadata.items()
        if isinstance(text, str) and name not in RESERVED
    }
    return Item(str(sample.id), asked, {"": sample.output.completion}, fields=own)
