"""How a judge is asked and how its answer is read."""

from .design_files import design_from_file, items_from_file, wordings_from_file
from .judge_design import Item, JudgeDesign
from .variations import Change, answers_in, changes_of, forms_of, with_answer, wordings_of

__all__ = [
    "Change",
    "Item",
    "JudgeDesign",
    "answers_in",
    "changes_of",
    "design_from_file",
    "forms_of",
    "items_from_file",
    "with_answer",
    "wordings_from_file",
    "wordings_of",
]
