"""Figures of reports for the gallery: `python docs/images/gallery.py`.

Those of the demo's judges and of the example log, as `report --figures` writes them.
"""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from inspect_reliability.cli import main
from inspect_reliability.cli.demo import DATA

HERE = Path(__file__).parent
FIGURES = {
    HERE.parents[1] / "logs" / "example": {
        "questions": "questions-*",
        "places": "position-*",
    },
    DATA: {
        "right": "right-*-wording-base-votes",
        "same": "votes-*-wording-base",
        "moves": "what-moves-it-*",
    },
}
"""Judgments -> name in the gallery -> name that the report gives the figure."""


def draw() -> None:
    """Write the figures beside this file."""
    for judgments, figures in FIGURES.items():
        with TemporaryDirectory() as folder:
            main(["report", str(judgments), "--figures", folder], standalone_mode=False)
            for name, pattern in figures.items():
                [figure] = Path(folder).glob(f"{pattern}.svg")
                print(shutil.copyfile(figure, HERE / f"gallery-{name}.svg"))


if __name__ == "__main__":
    draw()
