"""Every sentence that the product can print, on one page, so that they are read as a whole.

`make outputs` writes it.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "inspect_reliability"
PAGE = ROOT / "docs" / "messages.md"

_HEAD = """\
# Every sentence

What commands, errors, cautions and pages say, in the order of the code; … is filled in.
`make outputs` makes this page, and a test fails while it is out of date: whoever
changes a sentence sees it among its neighbours.
"""

_SENTENCE = re.compile(r"[\w…'\"(]?(?:.*?[^\W\d_]{2,}\W+){2}\w.*")
"""At least three words."""

_CODE = re.compile(
    r"^[\w./:-]+$|^[\w.]+\[[\w ,.|\]\[]+\]$|[<>]\w+[ >/]|\\[sdwbAZ]|^(SELECT|import|from) "
    r"|\{\{|\{%|^\W*--\w|^[\w.]+(\[.*?\]+)? \| [\w.]+|^\w+=\w+\("
)
"""Calls, types, markup, patterns and templates."""


@cache
def sentences() -> dict[str, list[str]]:
    """File of the package -> the sentences in it, each once, in its order."""
    found: dict[str, list[str]] = {}
    for file in sorted(SOURCE.rglob("*.py")):
        if file.parent.name == "parsers":  # the words that they read
            continue
        texts = dict.fromkeys(_texts(ast.parse(file.read_text(encoding="utf-8"))))
        said = [text for text in texts if _SENTENCE.match(text) and not _CODE.search(text)]
        if said:
            found[file.relative_to(SOURCE).as_posix()] = said
    return found


def _texts(tree: ast.AST) -> Iterator[str]:
    """Texts of the code on one line, without docstrings and without parts of longer texts."""
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                continue
            case ast.JoinedStr() | ast.Constant(value=str()):
                yield " ".join(text_of(node).split())
            case ast.Call(func=ast.Attribute(attr="compile")):
                continue
            case _:
                yield from _texts(node)
        for value in getattr(node, "values", []) if isinstance(node, ast.JoinedStr) else []:
            if isinstance(value, ast.FormattedValue):
                yield from _texts(value)


def text_of(node: ast.AST) -> str:
    """What a string of the code says, "…" for what is filled in; empty of any other node."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values):
            return "".join(map(text_of, values))
        case ast.FormattedValue():
            return "…"
    return ""


def page() -> str:
    """The page, with a block a file."""
    parts = [_HEAD]
    for file, said in sentences().items():
        parts.append(f"## {file}\n\n```text\n" + "\n".join(said) + "\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
