"""`hf_seeded/MODEL`: any transformers causal language model, with a seed of its own per request."""

from inspect_ai.model import ModelAPI, modelapi

__all__ = ["hf_seeded"]


@modelapi(name="hf_seeded")
def hf_seeded() -> type[ModelAPI]:
    """The provider; torch and transformers are imported only when it is used."""
    from .provider import HFSeededAPI

    return HFSeededAPI
