"""Modules of the tests, for benches that use them: import this first."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests"))
