"""A document as Markdown."""

import re

from .document import Block, Caution, Document, Table, Text, in_texts
from .formats import one_line


def render(document: Document) -> str:
    """The document's blocks, one below the other."""
    parts = [*map(markdown_text, document.read()), *map(_block, document.every)]
    return "\n\n".join(filter(None, parts)) + "\n"


def _block(block: Block) -> str:
    block = in_texts(block)
    match block:
        case Text() if block.tone != "note":
            return ("## " if block.tone == "heading" else "") + markdown_text(block.text)
        case Caution():
            return markdown_text(block.line)
        case Table():
            title = f"### {markdown_text(block.title)}" if block.title else ""
            return "\n\n".join(filter(None, (title, markdown_text(block.about), pipes(block))))
    return ""


def pipes(table: Table) -> str:
    """A pipe table with numbers aligned at the right."""
    first, *rest = (
        [markdown_text(cell) for cell in line] for line in (table.headings, *table.rows)
    )
    lines = [first, ["---:" if numbers else "---" for numbers in table.numbers], *rest]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def markdown_text(text: str) -> str:
    """A text on one line, escaped for Markdown."""
    for character in "\\`*_[]<>|#&~":
        text = text.replace(character, f"\\{character}")
    # GitHub makes links of bare addresses.
    return one_line(re.sub(r"(?i)(?=://|@)|(?<=www)(?=\.)", r"\\", text))
