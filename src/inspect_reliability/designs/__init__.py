"""How a judge is asked and how its answer is read."""

from .answer_changes import Change, answers_in, changes_of, with_answer
from .design_files import design_from_file, items_from_file, wordings_from_file
from .item import Item
from .judge_design import JudgeDesign
from .wordings import forms_of, wordings_of

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
