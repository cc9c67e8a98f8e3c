"""Head-to-Tail (Sun et al. 2023): facts about entities from the popular to the obscure."""

from collections.abc import Iterator
from pathlib import Path

from ...designs import Item
from ...errors import UserError
from ...files import entry, expect, read_json, texts
from .question import question

POPULARITIES = ("head", "torso", "tail")
_FORM = "[entity, template, question, answer]"


def head_to_tail_from_files(path: Path) -> list[Item]:
    """Questions of a file that its generator writes, `head_to_tail_<domain>.json`, or of a folder.

    Raises:
        UserError: A file is of another shape, or a popularity has no questions.
    """
    files = sorted(path.glob("head_to_tail_*.json")) if path.is_dir() else [path]
    if not files:
        raise UserError(f"No head_to_tail_<domain>.json in {path}.")
    return [item for file in files for item in _read(file)]


def targets_of(answer: object, where: str) -> tuple[str, ...]:
    """Accepted answers: a text or a list of texts; a UserError if it is neither, or empty."""
    targets = (answer,) if isinstance(answer, str) else texts(answer, where)
    if not targets:
        raise UserError(f"{where} has no answer.")
    return targets


def _read(path: Path) -> Iterator[Item]:
    domain = path.stem.removeprefix("head_to_tail_")
    content = expect(read_json(path), dict, str(path))
    for popularity in POPULARITIES:
        facts = entry(content, popularity, list, str(path))
        if not facts:
            raise UserError(f"{path}: '{popularity}' is empty.")
        for number, fact in enumerate(facts):
            where = f"{path}, '{popularity}', item {number}"
            if len(expect(fact, list, where)) != 4:
                raise UserError(f"{where}: expected {_FORM}, found {len(fact)} values.")
            asked = expect(fact[2], str, f"{where}, question")
            targets = targets_of(fact[3], f"{where}, answer")
            id = f"head_to_tail:{domain}:{popularity}:{number}"
            yield question(id, popularity, [asked], targets, domain=domain)
