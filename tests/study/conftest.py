"""The published judgments, and models that answer and judge."""

import pytest
from random_models import save_random_model

from published_data import published, published_verdicts

__all__ = ["published", "published_verdicts"]


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Six models: five responders and a judge."""
    folder = tmp_path_factory.mktemp("models")
    return [save_random_model(folder / f"model-{n}", n) for n in range(6)]
