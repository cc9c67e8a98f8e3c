"""What a sample keeps of its replications: their texts, and a fingerprint of their prompt."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspect_ai.model import ModelOutput


def prompt_fingerprint(prompt: str) -> str:
    """A digest of a prompt, which tells prompts apart in a log without transcripts."""
    return blake2b(prompt.encode(), digest_size=6).hexdigest()


def texts_of(metadata: Mapping[str, Any], output: ModelOutput) -> dict[int, str | None]:
    """The texts of several replications by number, None if one failed; empty for a single one."""
    if "replications" not in metadata:
        return {}
    first, errors = metadata["replication"], metadata.get("errors", {})
    numbers = range(first, first + metadata["replications"])
    made = [number for number in numbers if str(number) not in errors]
    texts = (choice.message.text for choice in output.choices)
    return dict.fromkeys(numbers) | dict(zip(made, texts, strict=True))
