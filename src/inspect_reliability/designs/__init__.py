"""How a judge is asked and how its answer is read."""

from .design import JudgeDesign
from .file import (
    design_file,
    design_from_file,
    wordings_from_file,
)
from .item import Item
from .item_file import items_from_file
from .paper import DESIGNS, HEAD_TO_TAIL_CUT, is_of_paper
from .reader import Reader
from .reading import ParserName, Reading
from .wordings import wordings_of

__all__ = [
    "DESIGNS",
    "HEAD_TO_TAIL_CUT",
    "Item",
    "JudgeDesign",
    "ParserName",
    "Reader",
    "Reading",
    "design_file",
    "design_from_file",
    "is_of_paper",
    "items_from_file",
    "wordings_from_file",
    "wordings_of",
]
