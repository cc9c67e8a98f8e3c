"""Results are computed when somebody asks for them."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest

from example_judgments import changed, made, together
from inspect_reliability import judgments_from_frame
from inspect_reliability.answers import analyse
from inspect_reliability.answers.analysis import Analysis, Results
from inspect_reliability.answers.reliability import NO_VOTE, votes_table
from inspect_reliability.answers.report import report_document
from inspect_reliability.answers.results import RESULTS
from inspect_reliability.showing import Form, render
from inspect_reliability.showing.document import Table, Text
from inspect_reliability.showing.formats import Record


def test_a_result_is_computed_once_and_only_if_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names are known without computing anything; what was computed once is kept."""
    asked: list[str] = []

    def computed(name: str) -> list[Record]:
        asked.append(name)
        return [{"name": name}]

    for name in RESULTS:
        monkeypatch.setitem(RESULTS, name, lambda analysis, name=name: computed(name))
    results = analyse(made()).results
    assert (next(iter(results)), len(results), asked) == ("rows", len(RESULTS), [])
    assert results["votes"] is results["votes"] == [{"name": "votes"}]
    assert asked == ["votes"]
    assert dict(results) == {name: [{"name": name}] for name in RESULTS}
    assert sorted(asked) == sorted(RESULTS)
    with pytest.raises(KeyError):
        results["c"]


def test_an_analysis_can_be_kept() -> None:
    """What is pickled has every result, asked for or not."""
    analysis = analyse(made(questions=4, replications=10))
    kept = pickle.loads(pickle.dumps(analysis))
    assert dict(kept.results) == dict(analysis.results)
    assert report_document(kept).blocks == report_document(analysis).blocks


@pytest.mark.slow
@pytest.mark.parametrize("questions", [2, 25])
def test_a_frame_has_every_estimate_once(questions: int) -> None:
    """What has an interval in the JSON is a row of the frame, with the same numbers and reason.

    Two questions have values, but hardly an interval.
    """
    analysis = analyse(made(questions=questions, temperature=1.0))
    frame = analysis.frame()
    assert [*frame][-7:] == ["of", "statistic", "value", "low", "high", "n", "reason"]
    for name, records in analysis.results.items():
        own = frame[frame["result"] == name].to_dict("records")
        for record in records:
            for key in (one.removesuffix("_interval") for one in record if "_interval" in one):
                if (name, key, record[key]) == ("position", "share_of_tries", None):
                    continue  # of labels as options: without meaning, not without an estimate
                found = own.pop(0)
                ends = record[f"{key}_interval"] or [None, None]
                given = [
                    found[one] if pd.notna(found[one]) else None for one in ("value", "low", "high")
                ]
                assert (found["statistic"], given) == (key, [record[key], *ends])
                # Votes give a reason only where there are none.
                assert name == "votes" or (ends[0] is None) == bool(found["reason"])
        assert not own


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("form", ["table", "markdown", "json", "html"])
def test_what_a_form_does_not_show_is_not_computed(
    form: Form, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Components cost much: only JSON and the page, which show them, compute them."""
    analysis: Analysis = analyse(made(questions=4, replications=10))
    asked = set()
    computed = Results.__getitem__

    def spy(results: Results, name: str) -> list[Record]:
        asked.add(name)
        return computed(results, name)

    monkeypatch.setattr(Results, "__getitem__", spy)
    render(report_document(analysis), form)
    assert "rows" in asked
    assert ("components" in asked) == (form in ("json", "html"))


@pytest.mark.parametrize(("replications", "shown"), [(4, None), (6, "1 3"), (10, "1 3 5")])
def test_majorities_of_odd_numbers_are_shown_where_there_are_two(
    replications: int, shown: str | None
) -> None:
    """Of six replications, two verdicts and two majorities of three are compared."""
    analysis = analyse(made(replications=replications))
    tables = [one for one in votes_table(analysis, analysis.rows[0], "") if isinstance(one, Table)]
    assert [" ".join(one.headings[1:]) for one in tables] == ([shown] if shown else [])


@pytest.mark.slow
def test_a_number_that_is_not_known_is_a_dash_with_its_reason() -> None:
    """Judges of one try, of two, of copies and of six: each lacks what it cannot have."""
    both = [
        made(questions=20, replications=n, judge=name, temperature=at, label="A")
        for name, n, at in (("once", 1, 1.0), ("twice", 2, 1.0), ("six", 6, 1.0))
    ]
    copies = made(questions=20, replications=4, judge="copies", temperature=0.0, noise=0)
    analysis = analyse(together(*both, changed(copies, label="A")))
    said = render(report_document(analysis), "markdown").splitlines()
    at = next(place for place, line in enumerate(said) if line.startswith("| Judge "))
    head, _, *rows = [[one.strip() for one in line.split("|")[1:-1]] for line in said[at : at + 6]]
    found = {row[0]: dict(zip(head, row, strict=True)) for row in rows}
    lacking = {name: {h for h, one in of.items() if one == "-"} for name, of in found.items()}
    assert {name.partition(",")[0]: of for name, of in lacking.items()} == {
        "once": {"Same again", "With votes", "Omega"},
        "copies": {"Same again", "With votes", "Omega"},
        "twice": {"With votes"},
        "six": set(),
    }
    why, *_ = [line for line in said if line.replace("\\", "").startswith("-: ")]
    for reason in (
        r"too few tries for a majority \(twice",
        r"each question judged once \(once",
        r"all tries equal, maybe copies \(copies",
    ):
        assert re.search(reason, why), why
    (alone,) = {
        one.text
        for row in analysis.rows
        for one in votes_table(analysis, row, "")
        if isinstance(one, Text)
    }
    assert alone == "-: two majorities of 5 need 10 tries of a question."


def noisy(labels: bool, silent: float = 0.0) -> pd.DataFrame:
    """Verdicts of 40 questions, ten each, of a judge that is right in 85%."""
    chance = np.random.default_rng(7)
    rows = []
    for q in range(40):
        own = "AB"[q % 2]
        for r in range(10):
            given = own if chance.random() < 0.85 else "BA"[q % 2]
            said = None if chance.random() < silent else given
            rows.append({"question": f"q{q}", "replication": r + 1, "verdict": said, "label": own})
    return pd.DataFrame(rows).drop(columns=[] if labels else "label")


def test_one_number_of_votes_with_its_interval() -> None:
    """The table has as many votes as the sentence, with the interval of the JSON."""
    analysis = analyse(judgments_from_frame(noisy(labels=True), judge="j"))
    said = render(report_document(analysis), "markdown")
    votes = re.search(r"the majority of (\d) is right in (\d+%)", said)
    assert votes
    [right] = analysis.results["validity"]
    ours = next(one for one in right["votes"] if one["votes"] == int(votes[1]))
    best = right["votes"][-1]
    assert best["votes"] > ours["votes"] > 1
    low, high = (f"{100 * end:.0f}" for end in ours["accuracy_interval"])
    assert rf"| {votes[2]} ({votes[1]}) \[{low}, {high}\] |" in said
    assert analysis.summary()["n_votes"].tolist() == [ours["votes"]]


def test_one_vote_and_one_try_are_told_apart_where_outputs_have_no_verdict() -> None:
    """Both shares are those of pandas' pairs, and a sentence says what parts them."""
    frame = noisy(labels=False, silent=0.2)
    analysis = analyse(judgments_from_frame(frame, judge="j"))

    def again(given: pd.DataFrame) -> float:
        number = given.groupby(["question", "verdict"], dropna=False).size()
        tries = number.groupby("question").sum()
        alike = (number * (number - 1)).groupby("question").sum()
        return float((alike / (tries * (tries - 1))).mean())

    row = analysis.rows[0]
    table, said, *_ = votes_table(analysis, row, "")
    assert isinstance(table, Table)
    assert isinstance(said, Text)
    kept = frame.dropna()
    # Questions with too few verdicts for the largest majority do not enter.
    most = int(table.headings[-1])
    kept = kept[kept.groupby("question")["verdict"].transform("size") >= 2 * most]
    assert table.rows[0][:2] == ["Same again", f"{again(kept):.0%}"]
    assert said.text == f"{NO_VOTE[0].upper()}{NO_VOTE[1:]} ({again(frame):.0%} again)."
    assert again(kept) > again(frame) + 0.05
