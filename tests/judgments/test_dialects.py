"""A list opens in the spreadsheet that wrote its source."""

import csv
from itertools import product
from pathlib import Path

import pandas as pd
import pytest

from commands import invoke
from inspect_reliability.judgments.dialects import OF_PROGRAMS, Dialect
from inspect_reliability.judgments.rows import dialect_of, read_frame
from inspect_reliability.showing.csv import to_csv

GERMAN = Dialect(";", ",", mark=True)

ROWS = [
    {"judge": "j", "question": f"Größe, {q}", "verdict": verdict, "label": "1.5" if q < 9 else ""}
    for q in range(12)
    for verdict in (("1.5", "1.5", "1.5") if q % 3 else ("2.5", "2.5", "3.5"))
]


@pytest.fixture
def sources(tmp_path: Path) -> tuple[Path, Path]:
    """The same judgments as a program and as a German spreadsheet write them."""
    plain, german = tmp_path / "plain.csv", tmp_path / "german.csv"
    pd.DataFrame(ROWS).to_csv(plain, index=False)
    frame = pd.DataFrame(ROWS).map(lambda one: str(one).replace(".", ","))
    frame.to_csv(german, sep=";", index=False, encoding="utf-8-sig")
    return plain, german


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        ("keep", "--no-within-one", "--out"),
        ("report", "--errors"),
        ("label", "--most", "3", "--out"),
        ("watch", "--freeze", "3", "--out"),
    ],
    ids=lambda one: one[0],
)
def test_a_list_is_written_as_its_source_is(
    options: tuple[str, ...], sources: tuple[Path, Path], tmp_path: Path
) -> None:
    """Semicolons, decimal commas and the mark; its cells are those of the list of a program."""
    command, *more = options
    lists = []
    for source in sources:
        lists.append(tmp_path / f"list-{source.name}")
        for _ in range(1 + (source == sources[1])):  # a second time, it knows its own list
            done = invoke(command, source, *more, lists[-1])
            assert f"Wrote {lists[-1].name}" in done.stderr.replace(f"{tmp_path}/", "")
    known = pd.read_csv(lists[0])
    raw = lists[1].read_bytes()
    assert not lists[0].read_bytes().startswith(b"\xef\xbb\xbf")
    assert raw.startswith(b"\xef\xbb\xbf")
    assert raw.splitlines()[0].decode("utf-8-sig") == ";".join(known)
    pd.testing.assert_frame_equal(pd.read_csv(lists[1], sep=";", decimal=","), known)
    ours, *_ = read_frame(lists[1])
    assert [*ours["question"]] == [*known["question"]]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("question,verdict\nq,1\n", OF_PROGRAMS),
        ("question;verdict\nq;1\n", Dialect(";")),
        ("question;verdict\nq;1,5\n", Dialect(";", ",")),
        ('sep=;\nquestion;verdict\n"q";"-1,5"\n', Dialect(";", ",")),
        ("question;verdict\nq 1,5 x;1.5\n", Dialect(";")),
        ('question,verdict\nq,"1,5"\n', OF_PROGRAMS),
        ("question\tverdict\n1,5\tA\n", Dialect("\t", ",")),
    ],
)
def test_the_dialect_of_a_file(text: str, found: Dialect, tmp_path: Path) -> None:
    """A comma is a decimal's where a whole cell is such a number."""
    file = tmp_path / "source.csv"
    file.write_text(text, encoding="utf-8")
    assert dialect_of([str(file)]) == found
    file.write_text(text, encoding="utf-8-sig")
    assert dialect_of([str(file)]) == Dialect(found.separator, found.decimal, mark=True)
    file.write_text(text.replace("q", "ö"), encoding="cp1252")
    assert dialect_of([str(file)]).mark == ("q" in text)


def test_what_is_no_text_or_differs_has_the_dialect_of_programs(
    sources: tuple[Path, Path], tmp_path: Path
) -> None:
    """A file that is gone, or of another form, says nothing."""
    plain, german = map(str, sources)
    gone = str(tmp_path / "gone.csv")
    assert dialect_of([]) == dialect_of([plain, german]) == dialect_of([gone]) == OF_PROGRAMS
    assert dialect_of([german, gone, "log.eval"]) == GERMAN


@pytest.mark.parametrize("dialect", [OF_PROGRAMS, GERMAN, Dialect("\t"), Dialect("|")])
def test_no_separator_makes_a_formula(dialect: Dialect, tmp_path: Path) -> None:
    """However a spreadsheet separates cells, none is a formula, and the texts are read back."""
    texts = [f"a{sep}{sign}1+1" for sep, sign in product(",;|\t\n", "=+-@")]
    texts += ["=1", "-0.5", "-1", "a, 'b'", 'say "x",=1', ""]
    file = tmp_path / "list.csv"
    table = pd.DataFrame({"question": range(len(texts)), "text": texts}, dtype=object)
    written = to_csv(table, dialect=dialect)
    file.write_bytes(written.encode())
    back, *_ = read_frame(file)
    assert [*back["text"].fillna("")] == texts
    own = dialect.separator
    for separator in {",", ";", "|", "\t"} - {own}:
        for line in written.splitlines():
            cells = [cell.lstrip('" ') for cell in line.split(separator)[1:]]
            assert not [one for one in cells if one[:1] in "=+@" and one]
    cells = [row[1] for row in csv.reader(written.lstrip("\ufeff").splitlines(True), delimiter=own)]
    assert not [one for one in cells if one[:1] in ("=", "+", "@")]
