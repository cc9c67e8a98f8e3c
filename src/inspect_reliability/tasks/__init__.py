"""The judge and responder tasks."""

from .judge import bbh_judge

__all__ = ["bbh_judge"]
