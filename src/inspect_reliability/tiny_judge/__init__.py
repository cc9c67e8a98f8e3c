"""A small judge: a Llama of under a million parameters that we trained ourselves."""

from pathlib import Path

__all__ = ["folder"]


def folder() -> Path:
    """Folder of the model, for `from_pretrained`."""
    return Path(__file__).parent / "model"
