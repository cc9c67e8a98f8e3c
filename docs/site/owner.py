"""Writes who owns the project, which `pyproject.toml` says in one line, wherever a file names it.

python docs/site/owner.py
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]

UNKNOWN = "OWNER"
"""The owner as long as nobody has published the project."""

_FILES = ("*.md", "docs/*.md", "examples/*.yml", "extension/*", "skills/*/*.md")

_NAMED = re.compile(
    r"(?<=github\.com/)[\w-]+(?=/inspect-reliability)"
    r"|[\w-]+(?=\.github\.io/inspect-reliability)"
    r"|(?<=uses: )[\w-]+(?=/inspect-reliability@)"
)


def owner(root: Path = ROOT) -> str:
    """The account that publishes the project."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    found: str = project["tool"]["inspect-reliability"]["owner"]
    return found


def named(root: Path = ROOT) -> Iterator[tuple[Path, str]]:
    """Every file that names an owner, and each owner that it names."""
    for pattern in _FILES:
        for file in sorted(root.glob(pattern)):
            for one in _NAMED.findall(file.read_text(encoding="utf-8")):
                yield file, one


def write_owner(root: Path = ROOT) -> None:
    """Name the owner of `pyproject.toml` in every file that names one."""
    for file in dict.fromkeys(file for file, _ in named(root)):
        text = file.read_text(encoding="utf-8")
        file.write_text(_NAMED.sub(owner(root), text), encoding="utf-8")


if __name__ == "__main__":
    write_owner()
