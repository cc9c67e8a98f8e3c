"""MT-Bench (Zheng et al. 2023): eight categories of open questions in two turns."""

from pathlib import Path

from ...designs import Item
from ...errors import UserError
from ...files import entry, objects, read_json, read_json_lines, texts
from .question import question


def mt_bench_from_files(path: Path) -> list[Item]:
    """Questions of the official `question.jsonl`.

    Also reads a JSON list of `{"category", "turns"}`, as the study published its sample.

    Raises:
        UserError: The file has another form, or a question does not have two turns.
    """
    official = path.suffix == ".jsonl"
    items = []
    for where, record in read_json_lines(path) if official else objects(read_json(path), str(path)):
        category = entry(record, "category", str, where)
        turns = texts(entry(record, "turns", list, where), f"{where}, 'turns'")
        if len(turns) != 2:
            raise UserError(f"{where}: an MT-Bench question has two turns, this one {len(turns)}.")
        id = entry(record, "question_id", int, where) if official else category
        items.append(question(f"mtb:{id}", category, turns))
    return items
