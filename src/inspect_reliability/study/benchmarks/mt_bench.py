"""MT-Bench (Zheng et al. 2023): eight categories of open questions in two turns."""

from pathlib import Path

from ...errors import UserError
from ...files import entry, objects, read_json, read_json_lines, texts
from .question import Question


def mt_bench_from_files(path: Path) -> list[Question]:
    """Questions of the official `question.jsonl`.

    Also reads a JSON list of `{"category", "turns"}`, as the study published its sample.

    Raises:
        UserError: The file has another form, or a question does not have two turns.
    """
    official = path.suffix == ".jsonl"
    questions = []
    for where, record in read_json_lines(path) if official else objects(read_json(path), str(path)):
        category = entry(record, "category", str, where)
        turns = texts(entry(record, "turns", list, where), f"{where}, 'turns'")
        if len(turns) != 2:
            raise UserError(f"{where}: an MT-Bench question has two turns, this one {len(turns)}.")
        questions.append(
            Question(
                id=f"mtb:{entry(record, 'question_id', int, where) if official else category}",
                benchmark="MT-Bench",
                category=category,
                turns=turns,
                source="MT-Bench, official file" if official else path.name,
            )
        )
    return questions
