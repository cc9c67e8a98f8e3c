"""A reading as a file."""

from pathlib import Path

from pydantic import Field

from ..parsing.fields import Strict, Text
from ..parsing.file import read_fields
from ..saving import Ours
from .reading import Reading

_HEAD = "# How inspect-reliability reads a file: --reading takes this.\n"


def _is_reading(path: Path) -> bool:
    """Whether a file begins as those of `reading_text`."""
    with path.open(encoding="utf-8") as file:
        return file.readline() == _HEAD


READING = Ours("reading that read --save wrote", _is_reading)


class _ReadingFields(Strict):
    """The fields of a file of a reading."""

    columns: dict[Text, Text] = Field(default_factory=dict)
    facets: tuple[Text, ...] = ()
    map: dict[Text, Text] = Field(default_factory=dict)
    swap: bool | None = None
    read_as: Text | None = None
    made_by: Text | None = Field(None, alias="from")
    abstain: tuple[Text, ...] = ()


def read_reading(path: str | Path) -> Reading:
    """Read the reading in a YAML or JSON file that `write_reading` or a person wrote.

    Raises:
        UserError: It is no reading; the message names file, line and field.
    """
    _, found = read_fields(_ReadingFields, path)
    return Reading(**{name: getattr(found, name) for name in _ReadingFields.model_fields})


def reading_text(reading: Reading) -> str:
    """A reading as the file that `read_reading` reads."""
    import yaml

    names = {"made_by": "from"}
    entries = {names.get(name, name): of for name, of in reading.entries.items()}
    plain = {name: list(of) if isinstance(of, tuple) else of for name, of in entries.items()}
    text: str = yaml.safe_dump(plain, allow_unicode=True, sort_keys=False)
    return _HEAD + text
