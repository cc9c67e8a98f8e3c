"""Figures as files: the page's drawings, and their numbers."""

import csv
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure as Picture

from example_judgments import changed, made, together
from inspect_reliability.answers import Analysis, analyse
from inspect_reliability.answers.data import write_figures
from inspect_reliability.answers.report import report_document
from inspect_reliability.judgments.table import Judgments
from inspect_reliability.showing import Drawing, render
from inspect_reliability.showing.document import Figure, named_figures
from inspect_reliability.showing.formats import one_line
from inspect_reliability.showing.html.drawing import _heat, _look, _places, draw
from inspect_reliability.showing.html.svg import svg_file

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
LONG = "an-organisation/a-judge-with-a-very-long-name-that-goes-on-version-{}"
HOSTILE = "]]> <b>&amp; \x1b[31m \u202e {{ 7 }} 'q' \"r\""


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    """Two judges of long names at three temperatures, on questions with hostile names."""
    parts = [
        changed(
            made(questions=4, replications=6, noise=0.3 if t else 0),
            judge=LONG.format(n),
            temperature=t,
            study="own",
        )
        for n in (1, 2)
        for t in (1.0, 0.5, 0.0)
    ]
    every = together(*parts)
    return analyse(changed(every, question=[f"{q} {HOSTILE}" for q in every.table["question"]]))


@pytest.fixture(scope="module")
def folder(analysis: Analysis, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("figures")
    with pytest.MonkeyPatch.context() as patch:  # no test here opens a PNG
        patch.setattr(Drawing, "png", b"PNG")
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
    alone = [texts(file.read_text()) for file in files]
    for own in drawn:
        assert any(not Counter(own) - Counter(whole) for whole in alone)
    for file in files:
        assert "var(--" not in file.read_text()
        with file.with_suffix(".csv").open(newline="") as numbers:
            assert list(csv.DictReader(numbers))


@pytest.mark.slow
def test_numbers_are_those_of_the_report(analysis: Analysis, folder: Path) -> None:
    """The figure of omega has the omega and the interval of every row."""
    with (folder / "bbh.csv").open(newline="") as numbers:
        found = list(csv.DictReader(numbers))
    assert [
        (one["judge"], float(one["temperature"]), float(one["omega"]), float(one["omega_high"]))
        for one in found
    ] == [
        (row["judge"], row["temperature"], row["omega"], row["omega_interval"][1])
        for row in analysis.results["rows"]
        if row["temperature"]
    ]


def test_temperature_0_is_in_no_figure_of_estimates(folder: Path) -> None:
    """A line joins the other temperatures of each judge, as far apart as they are."""
    tree = ElementTree.parse(folder / "bbh.svg")
    (inside,) = (g for g in tree.iter(f"{SVG}g") if g.get("id") == "axes_1")
    lines = [
        [float(point.split()[0]) for point in re.findall(r"[ML] ?([\d. ]+)", path.get("d", ""))]
        for g in inside.findall(f"{SVG}g")
        if g.get("id", "").startswith("line2d") and list(g.iter(f"{SVG}use"))
        for path in g.findall(f"{SVG}path")
    ]
    assert sorted(map(len, lines)) == [2, 2]


def test_numbers_are_as_far_apart_as_they_are() -> None:
    """Temperatures .1, .7 and 1 have the gaps .6 and .3; what is not known comes after."""
    records = [{"temperature": t, "y": 0.5} for t in (1.0, None, 0.1, 0.7)]
    figure = Figure("", "", records, "temperature", "y", "")
    places = _places(figure)
    assert list(places) == ["0.1", "0.7", "1", "not known"]
    assert places["0.7"] - places["0.1"] == pytest.approx(2 * (places["1"] - places["0.7"]))
    assert places["not known"] > places["1"]


def test_a_verdict_has_one_colour_on_the_page() -> None:
    """Whatever else a row uses; numbers shade from one end to the other, names do not."""

    def look(verdict: str, own: list[str], names: list[str]) -> str:
        records = [{"q": "1", "share": 1.0, "v": one} for one in own]
        figure = Figure("", "", records, "q", "share", "v", kind="bars", names=names)
        return _look(figure, verdict)[0]

    scale = [str(n) for n in range(1, 11)]
    assert look("8", ["8"], scale) == look("8", ["1", "8"], scale)
    assert len({look(one, scale, scale) for one in scale}) == 10
    greens = [int(look(one, scale, scale)[3:5], 16) for one in scale]
    assert greens == sorted(greens)
    letters = list("ABCDEFGHIJ")
    assert look("C", ["A", "C"], letters) == look("C", ["C"], letters)
    assert len({look(one, letters, letters) for one in letters}) == 10


def test_a_file_for_each_row(analysis: Analysis, folder: Path) -> None:
    """Figures of one title are files of their own."""
    assert len(list(folder.glob("questions-*.svg"))) == len(analysis.rows)


def test_a_label_is_written_as_it_is() -> None:
    """What a judge is called is no pattern: a path of Windows, and what a terminal would act on."""
    records = [{"judge": "a", "x": 1.0, "y": 0.5}]
    words = f"C:\\models\\x \\g<9> \\1 \xad {HOSTILE}"
    svg = draw(Figure("", words, records, "x", "y", "judge"), svg_file)
    title = ElementTree.fromstring(svg).findtext(f"{SVG}title")
    assert title == one_line(words)


@pytest.mark.slow
def test_a_name_that_begins_with_an_underscore_is_in_the_legend() -> None:
    """Matplotlib leaves such labels out unless they are told otherwise."""
    both = together(*(changed(made(), judge="_j", temperature=t) for t in (0.5, 1.0)))
    figure = named_figures(report_document(analyse(both)))["bbh"]
    assert "_j" in [text.strip() for text in texts(draw(figure, svg_file))]


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_a_page_promises_what_it_shows() -> None:
    """Judged once: nothing of replications. Exact: no R. No copies: none are named."""
    once = render(report_document(analyse(made(replications=1))), "html")
    assert "25 x 1" in once
    sections = ("Votes for a stable majority", "Every coefficient", "least stable")
    assert not [title for title in sections if title in once]
    judgments = made(questions=6, replications=1)
    exact = judgments.table.drop(columns="order").assign(share=1.0, place=1)
    page = render(report_document(analyse(Judgments(exact))), "html")
    assert "Brennan-Prediger" in page
    both = [changed(made(), judge=name) for name in "ab"]
    copies = "Tries at temperature 0 are in no figure."
    assert copies not in render(report_document(analyse(together(*both))), "html")
    both.append(changed(made(noise=0), temperature=0.0, judge="a"))
    assert copies in render(report_document(analyse(together(*both))), "html")


def test_grades_of_judge_and_people_are_cells() -> None:
    """Each share is written in its cell, and cells where both are the same are framed."""
    records = [
        {"label": "1", "verdict": "1", "share": 0.5},
        {"label": "10", "verdict": "1", "share": 0.3},
        {"label": "2", "verdict": "10", "share": 0.2},
    ]
    figure = Figure("", "w", records, "verdict", "share", "label", kind="heat", width=4)
    svg = draw(figure, svg_file)
    assert {"50%", "30%", "20%"} <= {*texts(svg)}
    ticks = [one for one in texts(svg) if one in ("1", "2", "10")]
    assert ticks == ["1", "10", "1", "2", "10"]
    assert len(re.findall(r"<path[^>]*fill: none[^>]*stroke-width: 0\.9", svg)) == 2


@pytest.mark.parametrize(
    ("labels", "framed"),
    [
        (["1", "1.5", "2", "2.5", "3"], 3 + 2 * 2),  # midway, both beside it
        (["1", "1.25", "2", "2.75", "3"], 3 + 2),
        (["1", "3"], 2),
    ],
)
def test_grades_between_those_of_the_judge_have_one_scale_with_them(
    labels: list[str], framed: int
) -> None:
    """A step is as long on both axes, both go from 1 to 3, and every label has a framed cell."""
    records = [{"label": one, "verdict": str(k), "share": 0.1} for one in labels for k in (1, 2, 3)]
    records.append({"label": "1", "verdict": "non-response", "share": 0.1})
    axes = Picture(figsize=(6, 4)).subplots()
    _heat(Figure("", "w", records, "verdict", "share", "label", "heat"), axes)
    frames = [one for one in axes.patches if not one.get_fill()]
    assert len(frames) == framed
    for axis, names in ((axes.xaxis, ["1", "3"]), (axes.yaxis, labels)):
        shown = [one.get_text() for one in axis.get_ticklabels()]
        places = dict(zip(shown, axis.get_ticklocs(), strict=True))
        assert [places[one] for one in names] == pytest.approx([float(one) - 1 for one in names])


@pytest.mark.slow
def test_names_of_a_wide_figure_are_whole() -> None:
    """Beside a bar where there is room, else above it; as wide as a telephone, too."""
    names = [f"organisation/a-judge-of-a-long-name-{n}, wording criteria" for n in (1, 2)]
    records = [{"row": name, "part": "right", "share": 1.0} for name in names]
    for width in (10.5, 4.8):
        figure = Figure("", "w", records, "row", "share", "part", kind="bars", width=width)
        found = texts(draw(figure, svg_file))
        assert {*names} <= {*found}
    narrow = texts(draw(Figure("", "", records, "row", "share", "part", "bars", width=4), svg_file))
    assert [one for one in narrow if one.startswith("organisation")] == [*map(_cut53, names)]


def _cut53(name: str) -> str:
    return name if len(name) <= 53 else f"{name[:35]}…{name[-17:]}"


@pytest.mark.slow
def test_figures_have_short_names_and_every_tick() -> None:
    """A name says section and judge alone, and each of a few numbers of votes has a tick."""
    figures = named_figures(report_document(analyse(made(replications=8))))
    assert not [name for name in figures if "all-judgments" in name or len(name) > 40]
    records = [{"judge": "a", "votes": n, "right": 0.5} for n in (1, 2, 4, 8)]
    figure = Figure("", "", records, "votes", "right", "judge", axis="numbers")
    assert {"1", "2", "4", "8"} <= {*texts(draw(figure, svg_file))}


@pytest.mark.slow
def test_a_figure_on_axes_of_somebody_else_leaves_their_title(analysis: Analysis) -> None:
    """No legend is on a title, nor on bars that fill the axes; all have the same two spines."""
    labelled = analyse(changed(made(questions=6, replications=6), label="A"))
    alone = {one.figure.kind: one for one in analysis.figures().values()}
    drawings = [*alone.values(), *labelled.figures().values()]
    assert {"points", "lines", "bars", "questions"} <= {one.figure.kind for one in drawings}
    for one in drawings:
        picture = Picture(figsize=(9, 4))
        left, _ = picture.subplots(1, 2)
        left.set_title("A title of one's own, which is as wide as its axes")
        axes = one.draw(left)
        picture.draw_without_rendering()
        assert axes is left
        assert not axes.spines["top"].get_visible()
        assert not axes.spines["right"].get_visible()
        assert axes.get_xlabel() or one.figure.x_label == ""
        if key := axes.get_legend():
            place = key.get_window_extent()
            assert not place.overlaps(left.title.get_window_extent()), one.figure.title
            if one.figure.kind in ("bars", "questions"):
                assert not place.overlaps(axes.get_window_extent())
                assert not place.overlaps(axes.xaxis.label.get_window_extent())


@pytest.mark.slow
@pytest.mark.parametrize("most", [0.17, 0.05, 0.9])
def test_ticks_in_percent_are_whole_steps(most: float) -> None:
    """No label is rounded: 2.5, 5 and 7.5 would read 2, 5 and 8."""
    look: dict[str, Any] = {"axis": "numbers", "percent": True, "lowest": None}
    records = [{"x": x, "y": most * x, "by": "a"} for x in (0.1, 0.5, 1.0)]
    svg = draw(Figure("", "w", records, "x", "y", "by", **look), svg_file)
    ticks = [int(one[:-1]) for one in texts(svg) if re.fullmatch(r"\d+%", one)]
    assert len({after - before for before, after in pairwise(ticks)}) == 1
