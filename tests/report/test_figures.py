"""Figures as files: the page's drawings, and their numbers."""

import csv
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from example_judgments import changed, made, together
from inspect_reliability.report import Analysis, analyse
from inspect_reliability.report.data import write_figures
from inspect_reliability.report.forms import render
from inspect_reliability.report.summary import report_document

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
LONG = "an-organisation/a-judge-with-a-very-long-name-that-goes-on-version-{}"
HOSTILE = "]]> <b>&amp; \x1b[31m \u202e {{ 7 }} 'q' \"r\""


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    """Two judges of long names at three temperatures, on questions with hostile names."""
    parts = [
        changed(made(questions=4, replications=6), judge=LONG.format(n), temperature=t, study="own")
        for n in (1, 2)
        for t in (1.0, 0.5, 0.0)
    ]
    every = together(*parts)
    return analyse(changed(every, question=[f"{q} {HOSTILE}" for q in every.table["question"]]))


@pytest.fixture(scope="module")
def folder(analysis: Analysis, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("figures")
    files = write_figures(folder, report_document(analysis))
    assert sorted(files) == sorted(folder.iterdir())
    return folder


def texts(svg: str) -> list[str]:
    """What is written in a drawing."""
    found = (text for text in ElementTree.fromstring(svg).iter(f"{SVG}text"))
    return ["".join(text.itertext()) for text in found]


@pytest.mark.slow
def test_each_figure_of_the_page_is_a_drawing_and_its_numbers(
    analysis: Analysis, folder: Path
) -> None:
    """The files say what the page's drawings say, and each has numbers beside it."""
    page = render(report_document(analysis), "html")
    drawn = [texts(svg) for svg in re.findall(r"<figure>.*?(<svg.*?</svg>)", page, re.DOTALL)]
    files = sorted(folder.glob("*.svg"))
    assert drawn
    assert sorted(drawn) == sorted(texts(file.read_text()) for file in files)
    for file in files:
        assert "var(--" not in file.read_text()
        with file.with_suffix(".csv").open(newline="") as numbers:
            assert list(csv.DictReader(numbers))


def test_numbers_are_those_of_the_report(analysis: Analysis, folder: Path) -> None:
    """The figure of omega has the omega and the interval of every row."""
    with (folder / "by-condition-bbh.csv").open(newline="") as numbers:
        found = list(csv.DictReader(numbers))
    assert [
        (one["judge"], float(one["temperature"]), float(one["omega"]), float(one["omega_high"]))
        for one in found
    ] == [
        (row["judge"], row["temperature"], row["omega"], row["omega_interval"][1])
        for row in analysis.results["rows"]
    ]


def test_temperature_0_is_hollow_and_joined_to_nothing(folder: Path) -> None:
    """A line joins two temperatures of each judge; the marker of the third is hollow."""
    tree = ElementTree.parse(folder / "by-condition-bbh.svg")
    inside = tree.find(f".//{SVG}g[@id='axes_1']")
    assert inside is not None
    lines = [g for g in inside.findall(f"{SVG}g") if g.get("id", "").startswith("line2d")]
    joined, markers = [], []
    for line in lines:
        marked = [use.get("style", "") for use in line.iter(f"{SVG}use")]
        paths = [path.get("d", "") for path in line.findall(f"{SVG}path")]
        markers.append(("fill: #ffffff" in "".join(marked), len(marked)))
        joined += [len(re.findall("[ML]", d)) for d in paths if marked]
    assert sorted(m for m in markers if m[1]) == [(False, 2)] * 2 + [(True, 1)] * 2
    assert joined == [2, 2]


def test_long_names_are_whole_somewhere(folder: Path) -> None:
    """A name that is cut tells its whole to who points at it, and differs from its neighbour."""
    tree = ElementTree.parse(folder / "by-condition-bbh.svg")
    whole = {title.text for title in tree.iter(f"{SVG}title")}
    assert {LONG.format(1), LONG.format(2)} <= whole


def test_a_file_for_each_row(analysis: Analysis, folder: Path) -> None:
    """Figures of one title are files of their own."""
    assert len(list(folder.glob("questions-*.svg"))) == len(analysis.rows)


def test_a_name_that_begins_with_an_underscore_is_in_the_legend(tmp_path: Path) -> None:
    """Matplotlib leaves such labels out unless they are told otherwise."""
    written = write_figures(tmp_path, report_document(analyse(made(judge="_j"))))
    (drawing,) = (path for path in written if path.name == "by-condition-bbh.svg")
    assert "_j" in [text.strip() for text in texts(drawing.read_text())]
