"""A picture of the answer for the README: `python docs/images/answer.py [LOGS [FILE.svg]]`.

One bar a question, as long as its replications; one colour a verdict. A judge that says the same
again and again has bars of one colour.
"""

import sys
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from inspect_reliability.judgments.count import Judged
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.stats import omega

ROOT = Path(__file__).parents[2]
COLOURS = ("#00796b", "#f2a541", "#5c6bc0", "#d1495b", "#8d99ae", "#bdbdbd", "#757575")
DEFAULTS = (ROOT / "logs" / "example", Path(__file__).with_suffix(".svg"))
STYLE = {"svg.fonttype": "none", "svg.hashsalt": "answer", "font.size": 11}


def draw(logs: Path) -> Figure:
    """The verdicts on every question in the logs, with omega above."""
    counted = Judged(judgments_from_logs([logs]).table).counts()
    found = omega(counted)
    shares = counted.table / counted.table.sum(axis=1, keepdims=True)
    shares = shares[(-shares.max(axis=1)).argsort(kind="stable")]
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    axes = figure.subplots()
    places = range(len(shares))
    bottom = 0 * shares[:, 0]
    for name, column, colour in zip(counted.categories, shares.T, COLOURS, strict=False):
        if column.any():
            axes.bar(places, column, 0.82, bottom, color=colour, label=name)
        bottom = bottom + column
    axes.set_title(
        f"omega = {found.value:.2f} [{found.low:.2f}, {found.high:.2f}]", loc="left", weight="bold"
    )
    size = f"{found.n_questions} questions x {found.n_replications:.0f} replications"
    axes.set_title(size, loc="right")
    axes.set_xlabel(
        "One bar a question: how often the judge gave each verdict. Only the seed changed."
    )
    axes.set_xticks([])
    axes.set_yticks([0, 0.5, 1], ["0%", "50%", "100%"])
    axes.set_xlim(-0.6, len(shares) - 0.4)
    axes.set_ylim(0, 1)
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5), title="verdict")
    return figure


def main() -> None:
    """Write the picture."""
    given = [Path(argument) for argument in sys.argv[1:]]
    logs, file = [*given, *DEFAULTS[len(given) :]]
    with mpl.rc_context(STYLE):
        draw(logs).savefig(file, metadata={"Date": None, "Creator": None})
    print(file)


if __name__ == "__main__":
    main()
