"""How a judge is asked and how its answer is read."""

from .design import JudgeDesign
from .item import Item
from .paper import DESIGNS, HEAD_TO_TAIL_CUT
from .parsers import ParserName, Reading
from .reader import Reader

__all__ = ["DESIGNS", "HEAD_TO_TAIL_CUT", "Item", "JudgeDesign", "ParserName", "Reader", "Reading"]
