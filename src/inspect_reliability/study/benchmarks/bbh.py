"""BIG-Bench Hard (Suzgun et al. 2022): 27 categories, each question with one right answer."""

from collections.abc import Iterator
from pathlib import Path

from ...designs import Item
from ...errors import UserError
from ...files import entry, expect, objects, read_json
from .question import question


def bbh_from_files(path: Path) -> list[Item]:
    """Questions of the official JSON files, one per category (a file or a folder).

    Also reads a list of `{"category", "input", "target"}`, as the study published its sample.

    Raises:
        UserError: A file has another form, or no examples.
    """
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise UserError(f"No .json files in {path}. Expected one official file per category.")
    return [item for file in files for item in _read(file)]


def _read(path: Path) -> Iterator[Item]:
    content = read_json(path)
    sampled = isinstance(content, list)
    if not sampled:
        content = entry(expect(content, dict, str(path)), "examples", list, str(path))
    if not content:
        raise UserError(f"{path}: category '{path.stem}' is empty.")
    for number, (where, record) in enumerate(objects(content, str(path), "example", 0)):
        asked, target = (entry(record, key, str, where) for key in ("input", "target"))
        category = entry(record, "category", str, where) if sampled else path.stem
        id = f"bbh:{category}" if sampled else f"bbh:{category}:{number}"
        yield question(id, category, [asked], [target])
