"""`hf_seeded/MODEL`: any transformers causal language model, with a seed of its own per request."""

from inspect_ai.model import ModelAPI, modelapi

from ..errors import needs
from .hooks import Distribution, distributing, stopping

__all__ = ["Distribution", "distributing", "hf_seeded", "stopping"]


@modelapi(name="hf_seeded")
def hf_seeded() -> type[ModelAPI]:
    """The provider, which imports torch and transformers only when it is used."""
    needs("local", "torch", "transformers")
    from .provider import HFSeededAPI

    return HFSeededAPI
