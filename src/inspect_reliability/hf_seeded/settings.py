"""What a request of inspect may ask of the engine, and how it says so."""

import secrets
from collections.abc import Callable, Iterable
from typing import Any

from inspect_ai.model import GenerateConfig

from ..errors import UserError
from .draw import VERSION
from .stopping import Done

DEFAULT_MAX_TOKENS = 512

SEED_LIMIT = 2**31

_RULES: tuple[tuple[str, str, Callable[[Any], bool]], ...] = (
    ("temperature", "0 or more", lambda value: 0 <= value < float("inf")),
    ("top_p", "above 0 and at most 1", lambda value: 0 < value <= 1),
    ("top_k", "0 (off) or more", lambda value: value >= 0),
    ("max_tokens", "1 or more", lambda value: value >= 1),
    ("num_choices", "1 or more", lambda value: value >= 1),
    ("top_logprobs", "0 or more", lambda value: value >= 0),
    ("stop_seqs", "texts of one character or more", all),
)
_REFUSED = (
    "best_of",
    "frequency_penalty",
    "logit_bias",
    "presence_penalty",
    "prompt_logprobs",
    "response_schema",
)
IGNORED = (
    "effort",
    "extra_body",
    "extra_headers",
    "modalities",
    "reasoning_effort",
    "reasoning_tokens",
    "verbosity",
)


def refuse_settings(config: GenerateConfig) -> None:
    """Refuse what the engine cannot draw from.

    Raises:
        UserError: A setting is not supported, or not in its range.
    """
    refused = [name for name in _REFUSED if getattr(config, name, None)]
    if refused:
        raise UserError(
            f"hf_seeded does not support {', '.join(refused)}. Leave it out: what hf_seeded "
            "draws from is set by temperature, top_k and top_p alone."
        )
    wrong = [
        f"{name}={value}, which must be {rule}"
        for name, rule, right in _RULES
        if (value := getattr(config, name)) is not None and not right(value)
    ]
    if wrong:
        raise UserError("; ".join(wrong) + ".")


def sampling_settings(config: GenerateConfig, dtype: object, stopped: bool) -> dict[str, Any]:
    """Sampling settings, from the request alone and not from the model's files."""
    return {
        "seed": secrets.randbelow(SEED_LIMIT) if config.seed is None else config.seed,
        "seed_drawn": config.seed is None,
        "temperature": 1.0 if config.temperature is None else config.temperature,
        "top_k": config.top_k or None,
        "top_p": 1.0 if config.top_p is None else config.top_p,
        "max_tokens": config.max_tokens or DEFAULT_MAX_TOKENS,
        "stop_at_verdict": stopped,
        "sampler": VERSION,
        "dtype": str(dtype).removeprefix("torch."),
    }


def before_stop(sequences: Iterable[str], text: str) -> str:
    """A text up to its first stop sequence."""
    found = [text.index(sequence) for sequence in sequences if sequence in text]
    return text[: min(found, default=len(text))]


def stopping_at(sequences: tuple[str, ...], done: Done | None) -> Callable[[str], bool] | None:
    """When a text ends: at a stop sequence, or where it is done."""
    if not sequences:
        return done
    return lambda text: any(one in text for one in sequences) or (done is not None and done(text))
