"""The figure that a page shows first."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from example_judgments import changed, made, together
from inspect_reliability.answers import analyse
from inspect_reliability.answers.reliability import pivot
from inspect_reliability.answers.report import pictured, report_document
from inspect_reliability.judgments.sources import judgments_from_frame
from inspect_reliability.showing import render
from inspect_reliability.showing.document import Estimates, Table, Text

RNG = np.random.default_rng(3)


def graded(most: int, judge: str = "j") -> pd.DataFrame:
    """Grades 1 to `most`, 2 tries on 30 questions, each near its label."""
    rows = [
        {
            "judge": judge,
            "question": str(q),
            "verdict": int(np.clip(label + RNG.integers(-1, 2), 1, most)),
            "label": int(label),
        }
        for q, label in enumerate(RNG.integers(1, most + 1, 30))
        for _ in range(2)
    ]
    return pd.DataFrame(rows)


@pytest.mark.slow
def test_a_scale_shows_grades_beside_those_of_people() -> None:
    """All verdicts of the judge are in its cells; of many grades no cell could be read."""
    (figure,) = pictured(analyse(judgments_from_frame(graded(5))))
    assert (figure.kind, figure.x, figure.by) == ("heat", "verdict", "label")
    assert sum(one["share"] for one in figure.records) == pytest.approx(1)
    frame = graded(5)
    both = pd.concat([frame, frame.assign(judge="k")])
    assert [one.title for one in pictured(analyse(judgments_from_frame(both)))] == [
        "Grades of j and of people",
        "Grades of k and of people",
    ]
    assert "heat" not in [one.kind for one in pictured(analyse(judgments_from_frame(graded(40))))]


@pytest.mark.usefixtures("undrawn")
def test_no_heading_says_all_judgments() -> None:
    """A file that names no judge has headings that say what they are of."""
    analysis = analyse(judgments_from_frame(graded(5).drop(columns="judge")))
    document = replace(report_document(analysis), blocks=[Text("x", "headline")])
    html = render(document, "html")
    tags = "h1|h2|h3|h4|figcaption|summary"
    headings = [one[0] for one in re.finditer(rf"<({tags})[ >].*?</\1>", html, re.DOTALL)]
    assert len(headings) > 5
    assert not [one for one in headings if "all judgments" in one]


@pytest.mark.slow
def test_a_sweep_is_a_line_a_benchmark_and_a_pivot() -> None:
    """Omega by temperature, drawn and in a table that has each benchmark once."""
    parts = [
        changed(made(questions=6, replications=4, noise=t / 2), temperature=t, benchmark=benchmark)
        for benchmark in ("BBH", "SQuAD")
        for t in (0.5, 1.0)
    ]
    analysis = analyse(together(*parts))
    (figure,) = pictured(analysis)
    assert (figure.kind, figure.x, figure.by) == ("lines", "temperature", "benchmark")
    (table,) = pivot(analysis)
    assert isinstance(table, Table)
    assert table.headings == ["Benchmark", "T = 0.5", "T = 1"]
    assert [row[0] for row in table.rows] == ["BBH", "SQuAD"]
    assert all(cell.startswith("0.") or "1.00" in cell for row in table.rows for cell in row[1:])
    assert not [*pivot(analyse(parts[0]))]


@pytest.mark.slow
def test_the_table_of_a_sweep_is_in_the_order_of_temperatures() -> None:
    """Numbers have the order of numbers; with one benchmark and judge, no name is repeated."""
    parts = [
        changed(made(questions=6, replications=4, noise=t / 20), temperature=t, benchmark=benchmark)
        for benchmark in ("SQuAD", "BBH")
        for t in (2.0, 10.0, 0.5)
    ]
    one, both = (report_document(analyse(together(*some))) for some in (parts[:3], parts))
    table = next(block for block in one.blocks if isinstance(block, Estimates)).to_table()
    assert table.headings[0] == "Temperature"
    assert [row[0] for row in table.rows] == ["10", "2", "0.5"]
    full = next(block for block in both.more() if isinstance(block, Table))
    assert full.headings[:2] == ["Benchmark", "T"]
    assert [row[:2] for row in full.rows] == [
        [benchmark, t] for benchmark in ("BBH", "SQuAD") for t in ("10", "2", "0.5")
    ]
    swept = [changed(one, judge=name) for name in ("a", "b") for one in parts[:3]]
    rows = analyse(together(*swept)).summary()
    assert rows["temperature"].tolist() == [10, 2, 0.5] * 2


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_a_page_says_nothing_of_what_is_not_known() -> None:
    """A file names no temperature and no seeds, and votes of a single judge are not of all."""
    frame = pd.DataFrame(
        [(f"q{q}", "AB"[(q * t) % 2], "A") for q in range(12) for t in range(4)],
        columns=["question", "verdict", "label"],
    )
    page = analyse(judgments_from_frame(frame)).to_html()
    text = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    facts = text[text.index("What was judged") :]
    assert "12 questions x 4 tries" in facts
    assert not re.search("not known|not checked|Seeds|Temperatures", facts)
    assert "all judgments: votes" not in text


@pytest.mark.parametrize(
    ("checks", "said"),
    [
        (["honoured"], ["honoured"]),
        (["honoured", "honoured"], ["honoured"]),
        (["honoured", "not honoured"], ["a: honoured", "b: not honoured"]),
        (["honoured", None], ["a: honoured", "b: not checked"]),
        ([None, None], None),
    ],
)
def test_seeds_name_the_judges_where_they_differ(
    checks: list[str | None], said: list[str] | None
) -> None:
    """What holds for all is said once, what nobody knows not at all."""
    parts = [
        changed(made(questions=3, replications=2), judge=judge, seed_check=check)
        for judge, check in zip("ab", checks, strict=False)
    ]
    facts = report_document(analyse(together(*parts))).facts
    assert dict(facts()).get("Seeds") == said
