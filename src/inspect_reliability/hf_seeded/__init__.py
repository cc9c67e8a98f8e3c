"""`hf_seeded/MODEL`: any transformers causal language model, with a seed of its own per request."""

from inspect_ai.model import ModelAPI, modelapi

from ..errors import UserError
from .distribution import Distribution, distributing
from .stopping import reading

__all__ = ["Distribution", "distributing", "hf_seeded", "reading"]


@modelapi(name="hf_seeded")
def hf_seeded() -> type[ModelAPI]:
    """The provider, which imports torch and transformers only when it is used."""
    try:
        from .provider import HFSeededAPI
    except ModuleNotFoundError as error:
        missing = str(error.name).partition(".")[0]
        if missing not in ("torch", "transformers"):
            raise
        raise UserError(
            f"hf_seeded runs models on this machine and needs {missing}, which is not installed. "
            "Install it: pip install 'inspect-reliability[local]'"
        ) from error
    return HFSeededAPI
