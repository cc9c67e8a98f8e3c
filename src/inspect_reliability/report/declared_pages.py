"""The pages of this folder that declare, in words, what the code names."""

from importlib.resources import files


def parts(page: str) -> dict[str, list[str]]:
    """The sections of a page: heading -> its paragraphs."""
    text = files(__package__).joinpath(page).read_text(encoding="utf-8")
    found = (section.strip().split("\n\n") for section in text.split("\n## ")[1:])
    return {heading: paragraphs for heading, *paragraphs in found}
