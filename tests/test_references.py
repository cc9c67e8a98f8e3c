"""What code and pages cite or read is on the page that lists it."""

import re
import unicodedata
from pathlib import Path

import pytest

from inspect_reliability.judgments.exports import EXPORTS

ROOT = Path(__file__).parents[1]

_CITED = re.compile(
    r"([A-Z][A-Za-zé'-]+)(?:,? (?:&|and) [A-Z][\w'-]+|, [A-Z][\w'-]+)*(?: et al\.)?,? "
    r"\(?((?:1[89]|20)\d\d)\b"
)
"""A first author and a year: Efron & Tibshirani 1993."""

_MONTHS = {"Januar", "January", "June", "November"}


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


def test_bibtex_has_every_reference() -> None:
    """Each work of the page has one entry, of the same authors, year, title and numbers."""
    text = (ROOT / "docs/references.md").read_text()
    page = [" ".join(entry.split()) for entry in text.split("\n- ")[1:]]
    bib = re.findall(
        r"^@.*?^}", (ROOT / "docs/references.bib").read_text(), re.DOTALL | re.MULTILINE
    )
    fields = [dict(re.findall(r"^  (\w+) = {(.*)}", one, re.MULTILINE)) for one in bib]
    made = {}
    for one in fields:
        by = tuple(name.split(",")[0] for name in one["author"].split(" and "))
        made[*map(_letters, by), one["year"]] = one
    assert len(made) == len(bib) == len(page)
    for entry in page:
        authors, year, rest = re.split(r" \((\d{4})\)\. ", entry, maxsplit=1)
        by = tuple(map(_letters, re.findall(r"([A-Z][\w' -]+),\s+[A-Z]\.", authors)))
        others = ("others",) * ("et al." in authors)
        one = made[*by, *others, year]
        assert _letters(rest).startswith(_letters(one["title"]))
        numbers = [n for key in _NUMBERS for n in re.findall(r"\d+", one.get(key, ""))]
        assert [n for n in numbers if n not in re.findall(r"\d+", rest)] == []
        place = re.search(r"PMLR (\d+)" if "booktitle" in one else r"\*,? (\d+)", rest)
        assert one.get("volume") == (place and place[1])


_NUMBERS = ("volume", "number", "pages", "eprint", "doi")


def _letters(text: str) -> str:
    """The plain letters of a text, without the marks of TeX, accents and case."""
    text = unicodedata.normalize("NFKD", text.replace('\\"', "").replace("\\'", ""))
    return re.sub(r"[^a-z]", "", text.lower())
