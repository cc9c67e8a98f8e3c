"""What code and pages cite or read is on the page that lists it."""

import re
from pathlib import Path

import pytest

from inspect_reliability.judgments.exports import EXPORTS

ROOT = Path(__file__).parents[1]

_CITED = re.compile(
    r"([A-Z][A-Za-zé'-]+)(?:,? (?:&|and) [A-Z][\w'-]+|, [A-Z][\w'-]+)*(?: et al\.)?,? "
    r"\(?((?:1[89]|20)\d\d)\b"
)
"""A first author and a year: Efron & Tibshirani 1993."""

_MONTHS = {"January", "June", "November"}


@pytest.mark.slow
def test_every_source_that_is_cited_is_among_the_references() -> None:
    """By its first author and year, wherever a docstring or a page names it."""
    entries = (ROOT / "docs/references.md").read_text().split("\n- ")
    cited = {
        (author.removesuffix("'s"), year)
        for folder, ends in (("src", "*.py"), ("docs", "*.md"))
        for file in (ROOT / folder).rglob(ends)
        if file.name != "references.md"
        for author, year in _CITED.findall(" ".join(file.read_text().split()))
        if author not in _MONTHS and not author.isupper()
    }
    assert len(cited) > 60
    missing = [one for one in sorted(cited) if not any(all(map(e.count, one)) for e in entries)]
    assert missing == []


def test_every_tool_whose_exports_are_read_is_in_the_docs() -> None:
    """The table of `how-to-data.md` has the name that `--from` takes."""
    page = (ROOT / "docs/how-to-data.md").read_text()
    table = "".join(line for line in page.splitlines() if line.startswith("|"))
    assert [one.tool for one in EXPORTS if f"`{one.tool}`" not in table] == []


def test_bibtex_has_what_sentences_cite() -> None:
    """Each source of a sentence to cite has an entry with its authors, year and pages."""
    from inspect_reliability.answers import methods
    from inspect_reliability.stats import COEFFICIENTS

    said = Path(methods.__file__).read_text() + COEFFICIENTS["omega"].source
    said = re.sub(r'"\n\s+f?"', "", said) + COEFFICIENTS["icc"].source
    cited = set(re.findall(r"([A-Z]\w+)(?: & [A-Z]\w+)? (\d{4})", said))
    bib = (Path(__file__).parents[1] / "docs" / "references.bib").read_text()
    entries = re.findall(r"author = \{(\w+),.*?year = \{(\d{4})\}", bib, re.DOTALL)
    assert cited == {*entries}
