"""The keys of every result, as `keys.md` declares them."""

from collections.abc import Callable, Iterable, Mapping
from importlib.resources import files
from typing import NamedTuple

from ..stats import COEFFICIENTS
from .document import Text
from .formats import Record, TableColumn


class Keys(NamedTuple):
    """A result in words, and the columns of its records by key."""

    about: str
    columns: Mapping[str, TableColumn]


def _columns(rows: list[str], shared: Mapping[str, TableColumn]) -> dict[str, TableColumn]:
    found: dict[str, TableColumn] = {}
    for row in rows:
        cell, *others = (one.strip() for one in row.strip("|").split("|"))
        for key in cell.removesuffix(" + interval").replace("`", "").split(", "):
            if not others:
                found[key] = shared[key]
                continue
            says, null, heading, form, missing = [*others, "", "", "", ""][:5]
            ends = cell.endswith("+ interval")
            found[key] = TableColumn(key, says, null, heading, form, missing, ends)
            if key == "omega" and "icc" in found:  # all coefficients beside each other
                for name, of in COEFFICIENTS.items():
                    says = of.about.rstrip(".")
                    found.setdefault(name, TableColumn(name, says, null, ends=True))
    return found


def _read() -> dict[str, Keys]:
    page = files(__package__).joinpath("keys.md").read_text(encoding="utf-8")
    found: dict[str, Keys] = {}
    for section in page.split("\n## ")[1:]:
        names, about, table = section.strip().split("\n\n")
        shared = found["shared"].columns if found else {}
        keys = Keys(about, _columns(table.splitlines()[2:], shared))
        found |= dict.fromkeys(names.split(", "), keys)
    return found


KEYS = _read()
"""Name of a result, or of a command -> its keys, in the order of JSON."""


def first_sentence(name: str) -> str:
    """The first sentence about a result."""
    first, ends, _ = KEYS[name].about.partition(". ")
    return f"{first}." if ends else first


def declared(name: str, **shown: Callable[[Record], str]) -> list[TableColumn]:
    """The columns of a result that tables show; `shown` formats those that no format can."""
    known = [column for column in KEYS[name].columns.values() if column.heading]
    return [column._replace(shown=shown.get(column.key)) for column in known]


def legend(columns: Iterable[TableColumn]) -> list[Text]:
    """The meaning of each column that has one, a paragraph each."""
    known = ((one.heading.removesuffix(" [95%]"), one.meaning) for one in columns)
    return [Text(f"{name}: {meaning}.") for name, meaning in known if meaning]
