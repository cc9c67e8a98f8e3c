"""Numbers as dots with their intervals on an axis, as wide as the cell that they are in."""

from markupsafe import Markup

from ..document import Axis, Estimates, NumberCell
from ..printable import one_line


def dot(cell: NumberCell, axis: Axis, shares: bool) -> Markup:
    """A number on its axis; nothing without a value.

    Places are percents of the width, so that the dot stays round and type keeps its size.
    """
    if cell.value is None:
        return Markup("")
    mark = Markup('<line class="tick" x1="{0}%" x2="{0}%" y1="0" y2="100%"/>')
    drawn = [mark.format(percent_on_axis(one, axis)) for one in axis.ticks]
    said = (
        f"{cell.text} on an axis from {tick(axis.lowest, shares)} to {tick(axis.highest, shares)}"
    )
    if cell.low is not None and cell.high is not None:
        low, high = (percent_on_axis(one, axis) for one in (cell.low, cell.high))
        ends = '<line class="ends" x1="{}%" x2="{}%" y1="50%" y2="50%"/>'
        drawn.append(Markup(ends).format(low, high))
    drawn.append(
        Markup('<circle cx="{}%" cy="50%" r="4"/>').format(percent_on_axis(cell.value, axis))
    )
    return Markup('<svg class="dot" role="img" aria-label="{}">{}</svg>').format(
        one_line(said), Markup("").join(drawn)
    )


def tick(value: float, shares: bool) -> str:
    """A number of the axis."""
    return f"{100 * value:.3g}%" if shares else f"{value:.3g}"


def column(estimates: Estimates, k: int) -> tuple[Axis, bool, bool]:
    """The axis of a column, whether it is of shares (texts have percents), and has a number."""
    cells = [row.cells[k] for row in estimates.rows]
    drawn = any(cell.value is not None for cell in cells)
    return estimates.axes[k], any("%" in cell.text for cell in cells), drawn


def percent_on_axis(value: float, axis: Axis) -> float:
    """Percents from the left; what is beyond an end is drawn at it."""
    share = (value - axis.lowest) / ((axis.highest - axis.lowest) or 1.0)
    return round(100 * min(max(share, 0.0), 1.0), 2)
