"""Reports on judgments: cells, rows, and the page."""

from .cells import Cell, report_cells
from .rows import report_frame, report_row

__all__ = ["Cell", "report_cells", "report_frame", "report_row"]
