"""Files as people have them: what each is read as, what is asked of it, and the number it says."""

import shlex
from collections.abc import Sequence
from functools import cache
from itertools import cycle
from pathlib import Path

import pytest
from click.testing import Result

from commands import invoke
from inspect_reliability import analyse
from inspect_reliability.judgments.reading import Code
from inspect_reliability.judgments.sources import judgments_from
from inspect_reliability.judgments.table import Judgments
from inspect_reliability.ranking.systems import judgments_on_systems

pytestmark = pytest.mark.usefixtures("few_draws")

DOORS = Path(__file__).parent.parent / "doors"

READ = {
    "numbers_4_errors.csv": "Read: 10 questions x 4 tries",
    "numbers_5_errors.csv": "Read: 10 questions x 4 tries",
    "scores_in_mixed_forms.csv": "Read: 10 questions x 4 tries",
    "yes_with_points.csv": "Read: 10 questions x 4 tries",
    "time_in_seconds.csv": "Read: 12 questions x 3 tries",
    "log_text_values.json": "Read: 1 model x 8 questions x 2 tries",
    "promptfoo_rows.jsonl": "Read: 10 questions x 2 tries",
    "promptfoo_export.csv": "Read: 8 questions (16 outputs) x 1 try",
    "floats_two_wordings.csv": "Read: 20 questions x 2 wordings x 1 try",
    "human_mean_label.csv": "Read: 20 questions x 2 tries; labels of 20 questions",
    "all_right.csv": "Read: 12 questions x 3 tries; labels of 12 questions",
    "lines_in_json.json": "Read: 10 questions x 2 tries",
    "pandas_split.json": "Read: 10 questions x 2 tries",
    "rank_ten_of_ten.csv": "Read: 10 questions (20 outputs) x 1 try",
    "uuid_run_a.csv": "Read: 18 questions x 1 try",
}
"""Files that mean one thing -> how the line of what was read begins."""

ASKED = {
    "rank_order_places.csv": Code.ORDERS_OPEN,
    "rank_two_metrics.csv": Code.REPEATS_OPEN,
    "rank_minus_one.csv": Code.OUTSIDE_OPEN,
    "rank_none_verdict.csv": Code.FAILURES_OPEN,
    "raw_texts_tag.csv": Code.OUTPUTS_OPEN,
    "label_is_judges_own.csv": Code.LABEL_OPEN,
    "prompt_order.csv": Code.REPEATS_OPEN,
}
"""Files that can mean two things -> what is asked of them."""

COMMANDS = ("report", "validate", "plan", "card")
"""Commands that take any file of judgments and write nothing."""

FILES = [
    *zip([*READ][::3], cycle(COMMANDS), strict=False),
    *zip(ASKED, cycle((*COMMANDS, "compare")), strict=False),
]
"""Each command with files of both kinds."""


def door(name: str) -> str:
    return str(DOORS / name)


@cache
def read(name: str) -> Result:
    """What the command `read` says of a file."""
    return invoke("read", door(name))


@cache
def judgments_in(name: str) -> Judgments:
    return judgments_from([door(name)])


@pytest.mark.parametrize("name", READ)
def test_what_is_read_is_said(name: str) -> None:
    """A file that means one thing is read as it is meant, and nothing is asked."""
    run = read(name)
    assert run.exit_code == 0, run.output
    assert run.stdout.splitlines()[0].startswith(READ[name])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "command"), FILES)
def test_every_command_reads_the_same(name: str, command: str) -> None:
    """Each command says the line of what was read that `read` says, or asks what `read` asks.

    It asks before any number.
    """
    by = ("--by", "judge") if command == "compare" else ()
    runs = [read(name), invoke(command, door(name), *by)]
    if name in ASKED:
        assert {run.exit_code for run in runs} == {2}
        assert not runs[1].stdout
        assert len({run.stderr[run.stderr.index("Error: ") :] for run in runs}) == 1
        return
    lines = [[*run.stderr.splitlines(), *run.stdout.splitlines()] for run in runs]
    said = {next((one for one in each if one.startswith("Read: ")), "") for each in lines}
    assert len(said) == 1, said


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in ASKED if name.startswith("rank")])
def test_a_ranking_asks_no_other_question(name: str) -> None:
    """It knows more names of systems."""
    codes = {one.code for one in judgments_in(name).asked}
    assert {one.code for one in judgments_on_systems([door(name)]).asked} <= codes
    assert invoke("rank", door(name)).exit_code == 2


@pytest.mark.parametrize("name", ASKED)
def test_what_can_mean_two_things_is_asked(name: str) -> None:
    """With what each choice would read."""
    found = judgments_in(name)
    assert ASKED[name] in [one.code for one in found.asked]
    assert all(choice.reads for note in found.asked for choice in note.choices)


@pytest.mark.slow
@pytest.mark.parametrize("name", ASKED)
def test_every_call_that_is_offered_runs(name: str) -> None:
    """And each settles its question, for the report and for the ranking."""
    command = "rank" if name.startswith("rank") else "report"
    found = judgments_on_systems([door(name)]) if command == "rank" else judgments_in(name)
    asked = found.asked
    rest = [one for note in asked[1:] for one in shlex.split(note.choices[0].call)]
    for choice in asked[0].choices:
        call = [*shlex.split(choice.call), *rest]
        run = invoke(command, door(name), *call)
        if call[-1].endswith("=order"):  # places, or responses?
            run = invoke(command, door(name), *call, "--swap")
        assert run.exit_code == 0, (choice.call, run.output)


@pytest.mark.parametrize(
    ("name", "options", "scores"),
    [
        ("rank_order_places.csv", ["--swap"], {"m1": 0.425, "m2": 0.575}),
        ("rank_minus_one.csv", ["--map", "-1=non-response"], {"m-a": 7.8125, "m-b": 6.95}),
        ("rank_none_verdict.csv", ["--map", "None=non-response"], {"m1": 0.75, "m2": 0.25}),
    ],
)
def test_a_choice_leads_to_the_number_that_is_meant(
    name: str, options: Sequence[str], scores: dict[str, float]
) -> None:
    """A ranking by places, and without failed calls."""
    import json

    run = invoke("rank", door(name), *options, "--format", "json")
    assert run.exit_code == 0, run.output
    found = {one["system"]: one["score"] for one in json.loads(run.stdout)["ranking"]}
    assert found == pytest.approx(scores)


def test_labels_between_grades_count_as_the_nearest() -> None:
    """Means of three people: the nearest grade is right in 34 of 40, and all are within one."""
    found = analyse(door("human_mean_label.csv")).frame("validity").iloc[0]
    assert found["accuracy"] == pytest.approx(0.85)
    assert found["distance"] == pytest.approx(0.2325)
    assert found["within_one"] == 1


def test_a_facet_says_how_far_it_moves_grades() -> None:
    """Decimals differ under every other wording, by little."""
    found = analyse(door("floats_two_wordings.csv")).frame("moves").iloc[0]
    assert found["distance_across"] == pytest.approx(0.01435)
    assert found["correlation_across"] == pytest.approx(0.998, abs=5e-4)


@pytest.mark.slow
def test_read_says_what_each_column_is() -> None:
    """Also of columns that are not used, are asked about, or are rows that were counted."""
    import json

    def columns(name: str) -> dict[str, str]:
        found = json.loads(invoke("read", door(name), "--format", "json").stdout)["columns"]
        return {one["column"]: one["taken_for"] for one in found}

    expected = {"question": "question", "verdict": "verdict", "(rows)": "replication"}
    assert columns("time_in_seconds.csv") == {"time": "unused", **expected}
    assert columns("prompt_order.csv") == {"prompt_order": "?", **expected}
    run = invoke("read", door("numbers_5_errors.csv"))
    assert "5 calls that failed, which are no answers of the judge, taken for" in " ".join(
        run.stderr.split()
    )


def test_metrics_are_ranked_apart() -> None:
    """Each part of a score has its own ranking."""
    import json

    options = ["--column", "metric=scorer", "--by", "scorer", "--format", "json"]
    run = invoke("rank", door("rank_two_metrics.csv"), *options)
    assert run.exit_code == 0, run.output
    rows = json.loads(run.stdout)["ranking"]
    found = {(one["scorer"], one["system"]): one["score"] for one in rows}
    expected = {
        ("faithfulness", "new"): 0.725,
        ("faithfulness", "old"): 0.52,
        ("helpfulness", "new"): 4.8,
        ("helpfulness", "old"): 5.8,
    }
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("numbers_5_errors.csv", "mean_difference", 0.8167),
        ("numbers_5_errors.csv", "non_response_rate", 0.125),
        ("scores_in_mixed_forms.csv", "mean_difference", 0.4833),
        ("scores_in_mixed_forms.csv", "agreement", 0.5167),
        ("yes_with_points.csv", "agreement", 0.8833),
        ("time_in_seconds.csv", "agreement", 0.8889),
        ("log_text_values.json", "non_response_rate", 0.25),
    ],
)
def test_numbers_are_those_that_are_meant(name: str, key: str, value: float) -> None:
    """Computed by hand from what each file means."""
    [row] = analyse([door(name)]).results["rows"]
    assert row[key] == pytest.approx(value, abs=5e-5)


@pytest.mark.slow
def test_runs_with_ids_are_runs_whatever_their_verdicts() -> None:
    """Two ids that end in a digit are two runs, also where all their verdicts are equal."""
    both = judgments_from([door("uuid_run_a.csv"), door("uuid_run_b.csv")])
    assert len(both) == 36
    [row] = analyse(both).results["rows"]
    assert row["agreement"] == 1
    again = judgments_from([door(f"uuid_run_{name}.csv") for name in "abc"])
    assert [one.code for one in again.asked] == [Code.REPEATS_OPEN]


def test_a_row_with_an_infinite_grade_is_named() -> None:
    """In one line, before any sum."""
    run = invoke("report", door("inf_score.csv"))
    assert run.exit_code == 2
    assert "row 8, column 'score': 'inf' is not" in " ".join(run.stderr.split())


@pytest.mark.slow
def test_criteria_beside_a_judge_are_parts_of_a_score() -> None:
    """Never tries: the hint says so, and what it offers runs."""
    run = invoke("report", door("criteria_beside_judge.csv"))
    assert run.exit_code == 2
    said = " ".join(run.stderr.split())
    calls = said.partition("say so of each: ")[2].rstrip(".")
    named = invoke("read", door("criteria_beside_judge.csv"), *shlex.split(calls))
    assert named.stdout.startswith("Read: 2 judges x 3 scorers x 16 questions x 1 try")
