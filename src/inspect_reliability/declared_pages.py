"""Pages beside the code that declare, in words, what it names."""

from importlib.resources import files


def parts(package: str | None, page: str) -> dict[str, list[str]]:
    """The sections of a page of a package: heading -> its paragraphs."""
    text = files(str(package)).joinpath(page).read_text(encoding="utf-8")
    found = (section.strip().split("\n\n") for section in text.split("\n## ")[1:])
    return {heading: paragraphs for heading, *paragraphs in found}
