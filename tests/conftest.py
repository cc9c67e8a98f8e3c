"""What several tests need."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def data() -> Path:
    """Folder with the real benchmark files and the published judgments."""
    folder = Path(os.environ.get("RELIABILITY_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "paper").is_dir():
        pytest.skip(f"needs the published data: {folder} is missing; set RELIABILITY_DATA")
    return folder
