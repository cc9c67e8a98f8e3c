"""MT-Bench (Zheng et al. 2023): eight categories of open questions in two turns."""

from collections.abc import Sequence
from pathlib import Path

from ...errors import UserError
from ...files import entry, objects, read_json, read_json_lines, texts
from .hub import hub_records
from .question import Question

HUB_PATH = "HuggingFaceH4/mt_bench_prompts"
HUB_REVISION = "e3a795c5e9a82ee40611c416b8a7786c73198991"


def mt_bench_from_hub() -> list[Question]:
    """All questions on the hub."""
    return [
        _question(
            str(record["prompt_id"]),
            record["category"],
            record["prompt"],
            f"{HUB_PATH}@{HUB_REVISION}",
            f"{HUB_PATH}, '{record['prompt_id']}'",
        )
        for record in hub_records(HUB_PATH, "train", HUB_REVISION)
    ]


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
        id = str(entry(record, "question_id", int, where)) if official else category
        source = "MT-Bench, official file" if official else path.name
        questions.append(_question(id, category, turns, source, where))
    return questions


def _question(id: str, category: str, turns: Sequence[str], source: str, where: str) -> Question:
    if len(turns) != 2:
        raise UserError(f"{where}: an MT-Bench question has two turns, this one {len(turns)}.")
    return Question(
        id=f"mtb:{id}",
        benchmark="MT-Bench",
        category=category,
        turns=tuple(turns),
        source=source,
    )
