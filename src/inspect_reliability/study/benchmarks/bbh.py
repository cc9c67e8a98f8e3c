"""BIG-Bench Hard (Suzgun et al. 2022): 27 categories, each question with one right answer."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...errors import UserError
from ...files import entry, expect, objects, read_json
from .hub import hub_records
from .question import Question

HUB_PATH = "Joschka/big_bench_hard"
HUB_REVISION = "76eaa8c29ad448752cd44201a1246618e2454cac"

CATEGORIES = (
    "boolean_expressions",
    "causal_judgement",
    "date_understanding",
    "disambiguation_qa",
    "dyck_languages",
    "formal_fallacies",
    "geometric_shapes",
    "hyperbaton",
    "logical_deduction_five_objects",
    "logical_deduction_seven_objects",
    "logical_deduction_three_objects",
    "movie_recommendation",
    "multistep_arithmetic_two",
    "navigate",
    "object_counting",
    "penguins_in_a_table",
    "reasoning_about_colored_objects",
    "ruin_names",
    "salient_translation_error_detection",
    "snarks",
    "sports_understanding",
    "temporal_sequences",
    "tracking_shuffled_objects_five_objects",
    "tracking_shuffled_objects_seven_objects",
    "tracking_shuffled_objects_three_objects",
    "web_of_lies",
    "word_sorting",
)


def bbh_from_hub() -> list[Question]:
    """All questions on the hub, worded as in the official files."""
    return [
        _question(
            f"{category}:{number}", category, *_official(record), f"{HUB_PATH}@{HUB_REVISION}"
        )
        for category in CATEGORIES
        for number, record in enumerate(hub_records(HUB_PATH, category, HUB_REVISION, category))
    ]


def bbh_from_files(path: Path) -> list[Question]:
    """Questions of the official JSON files, one per category (a file or a folder).

    Also reads a list of `{"category", "input", "target"}`, as the study published its sample.

    Raises:
        UserError: A file has another form, or no examples.
    """
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise UserError(f"No .json files in {path}. Expected one official file per category.")
    return [question for file in files for question in _read(file)]


def _read(path: Path) -> Iterator[Question]:
    content = read_json(path)
    sampled = isinstance(content, list)
    if not sampled:
        content = entry(expect(content, dict, str(path)), "examples", list, str(path))
    if not content:
        raise UserError(f"{path}: category '{path.stem}' is empty.")
    source = path.name if sampled else "BIG-Bench Hard, official files"
    for number, (where, record) in enumerate(objects(content, str(path), "example", 0)):
        asked, target = (entry(record, key, str, where) for key in ("input", "target"))
        category = entry(record, "category", str, where) if sampled else path.stem
        id = category if sampled else f"{category}:{number}"
        yield _question(id, category, asked, target, source)


def _official(record: Mapping[str, Any]) -> tuple[str, str]:
    # The hub keeps lettered options apart from the question; the official text ends with them.
    choices = record.get("choices") or {}
    labels = [str(label).strip("()") for label in choices.get("label") or []]
    asked, target = str(record["question"]), str(record["target"])
    if not labels:
        return asked, target
    options = [f"({label}) {text}" for label, text in zip(labels, choices["text"], strict=True)]
    letter = target.strip("()")
    return "\n".join([asked, "Options:", *options]), f"({letter})" if letter in labels else target


def _question(id: str, category: str, asked: str, target: str, source: str) -> Question:
    return Question(
        id=f"bbh:{id}",
        benchmark="BBH",
        category=category,
        turns=(asked,),
        targets=(target,),
        source=source,
    )
