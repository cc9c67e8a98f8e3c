"""Many rows at once: nothing of them vanishes without a word, and what is said holds for all."""

import random
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import inspect_reliability as ir
from commands import invoke
from example_judgments import changed, made, together
from inspect_reliability.answers import analyse
from inspect_reliability.answers.candidates import without_benchmark
from inspect_reliability.answers.headline import headline
from inspect_reliability.answers.plan import plan_document, plans
from inspect_reliability.answers.report import report_document
from inspect_reliability.cli.options import with_more
from inspect_reliability.judgments.abstentions import with_abstentions
from inspect_reliability.judgments.sources import judgments_from_frame
from inspect_reliability.judgments.table import Judgments
from inspect_reliability.showing import render
from inspect_reliability.showing.document import Caution, Estimates, Text
from inspect_reliability.study.published.tables import tables

BENCHMARKS = ("BBH", "MT-Bench", "SQuAD")


def sweep(**columns: Any) -> Judgments:
    """A judge on three benchmarks at temperature 0, whose tries are copies, 0.5 and 1."""
    return together(
        *(
            changed(
                made(questions=12, replications=6, noise=0.3 * (4 - n) * t, held=False, seed=None),
                temperature=t,
                benchmark=name,
                **columns,
            )
            for n, name in enumerate(BENCHMARKS, 1)
            for t in (0.0, 0.5, 1.0)
        )
    )


def printed(judgments: Judgments) -> str:
    """What `report` prints, in one line."""
    return " ".join(render(report_document(analyse(judgments)), "table").split())


@pytest.mark.slow
def test_a_plan_is_for_every_row() -> None:
    """Next is as large as the largest of all rows; other rows, and why some have none, are said."""
    analysis = analyse(sweep())
    found = plans(analysis, [0.1], names=["omega"])
    said = " ".join(render(plan_document(analysis, found), "table").split())
    each = [
        {one["n_replications"]: one["n_questions"] for one in plan["designs"]} for plan in found
    ]
    known = [one for one in each if one]
    assert (len(each), len(known)) == (9, 6)
    cost = {r: max(one[r] for one in known) * r for r in set.intersection(*map(set, known))}
    r = min(cost, key=lambda r: cost[r])
    assert f"Next: judge {cost[r] // r} questions x {r}, which is enough for every row" in said
    assert cost[r] // r > known[0][r]
    assert "2 more rows have plans of their own." in said
    assert "--full (every table, 2 more rows)" in said
    copies = "; ".join(f"judge, {name}, temperature 0" for name in BENCHMARKS)
    why = f"No plan for {copies}: At temperature 0 all replications of a prompt are copies"
    assert why in said
    python = " ".join(repr(ir.plan(sweep().table, half_widths=[0.1], names=["omega"])).split())
    assert "2 more rows have plans of their own. No plan for judge, BBH, temperature 0;" in python


@pytest.mark.slow
def test_a_plan_begins_with_what_was_asked_for() -> None:
    """The wanted width comes first, then the one that was reached."""
    half = {"half_widths": [0.07, 0.2], "names": ["omega"]}
    found = ir.plan(made().table, **half)
    studies = found.summary().query("table == 'designs' and half_width == 0.07")
    n = int(studies.sort_values("judgments")["n_questions"].iloc[0])
    begins = rf"judge, BBH, temperature 1: omega to within 0\.07 takes {n} questions x \d+\. "
    assert re.match(begins + r"The 25 judged give omega to within 0\.\d\d\.", repr(found))


@pytest.mark.slow
def test_the_gravest_caution_is_printed_of_rows_without_a_headline() -> None:
    """One caution for all rows that are mostly silent comes before missing seeds."""
    table = sweep(log="a.eval").table
    number = table["question"].str[1:].astype(int)
    silent = (number % 2 == 0) | ((table["benchmark"] == "SQuAD") & (number % 4 == 1))
    table.loc[silent & (table["benchmark"] != "BBH"), "verdict"] = "non-response"
    document = report_document(analyse(Judgments(table)))
    (caution,) = (one for one in document.blocks if isinstance(one, Caution))
    assert caution.line.startswith("Caution (6 of 9 rows): 50.0% to 75.0% of the outputs name no")
    told = [one for one in document.more() if isinstance(one, Caution)]
    assert told[0].text.startswith(caution.text)
    assert sum("outputs name no verdict" in one.text for one in told) == 1


@pytest.mark.slow
def test_copies_of_a_sweep_are_dashes_with_a_reason() -> None:
    """No temperature is missing, one flip makes no draws, and omega says of how many rows it is."""
    judgments = sweep()
    table = judgments.table
    at_zero = (table["benchmark"] == "SQuAD") & (table["temperature"] == 0)
    table.loc[at_zero.idxmax(), "verdict"] = "flip"
    said = printed(judgments)
    assert "SQuAD - 0." in said
    assert "Benchmark T = 0 T = 0.5 T = 1" in said
    assert "MT-Bench - 0." in said
    assert "-: all tries equal, maybe copies (temperature 0); no draws (temperature 0)." in said
    assert "Omega of 6 of 9 rows goes" in said
    full = " ".join(
        one.text for one in report_document(analyse(sweep())).more() if isinstance(one, Text)
    )
    assert "not known of judge, temperature 0: BBH, MT-Bench, SQuAD may be copies" in full


@pytest.mark.slow
@pytest.mark.parametrize("questions", [12, 300])
def test_tries_agree_hardly_more_only_where_that_is_shown(questions: int) -> None:
    """Noise on many questions has an omega below .2; a judge with omega .3 has not."""
    noise = made(questions=questions, noise=1.0, replications=4, held=False)
    analysis = analyse(noise)
    said, ends = headline(analysis, analysis.rows[0]), analysis.rows[0].estimate("omega").ends
    assert ends
    assert ("agree hardly more than" in said) is (ends[1] < 0.2)
    analysis = analyse(made(questions=questions, noise=0.5, replications=4, held=False))
    value = analysis.rows[0].estimate("omega").value or 0.0
    assert 0.2 < value < 0.4
    said = headline(analysis, analysis.rows[0])
    less = f"two tries on one question differ only {value:.0%} less often than verdicts on two"
    assert less in said
    assert "hardly" not in said


@pytest.mark.slow
def test_a_place_is_not_blamed_alone_where_all_options_stand_in_one_order() -> None:
    """The line says beside it that the responder may be preferred; of shuffled ones it does not."""
    chance = random.Random(1)
    rows = ["A" if chance.random() < 0.6 else chance.choice("BCDE") for _ in range(250)]
    one = printed(changed(made(held=False), verdict=rows))
    line = "Place or responder: A is chosen in"
    assert line in one
    assert "without preference 20%. All questions show the responders in one order." in one
    shuffled = printed(changed(made(), verdict=rows))
    assert "Place or responder" not in shuffled
    assert "Place: A is chosen in" in shuffled


@pytest.mark.slow
def test_the_next_gate_reads_what_has_labels(tmp_path: Path) -> None:
    """A gate on accuracy refuses rows without labels, so it is not offered for those."""
    rows = [
        {"judge": "j", "benchmark": b, "question": f"{b}{q}", "replication": r, "verdict": v}
        | {"label": v if b == "b" else None}
        for b in ("a", "b")
        for q in range(60)
        for r, v in enumerate(["yn"[q % 2]] * 3)
    ]
    rows[0]["verdict"] = rows[180]["verdict"] = "n"
    file = tmp_path / "two.csv"
    pd.DataFrame(rows).to_csv(file, index=False)
    said = invoke("report", file).stdout
    assert re.search(r"Next for j, b: hold it to \d+%, .*, with labelled judgments alone:", said)
    assert "gate LOGS --min accuracy=" in said
    pd.DataFrame(rows[180:]).to_csv(file, index=False)
    assert f"gate {file} --min accuracy=" in invoke("report", file).stdout


def test_verdicts_of_what_has_no_label_are_not_called_wrong() -> None:
    """Letters of another benchmark are counted nowhere; of a labelled one only with a label."""
    said = ["yes", "no"] * 9 + ["OTHER", "yes"]
    ours = [
        {"benchmark": "a", "question": f"q{n}", "verdict": v, "label": ("yes", "no")[n % 2]}
        for n, v in enumerate(said)
    ]
    bare = [
        {**one, "benchmark": "b", "verdict": "ABCDE"[n % 5], "label": None}
        for n, one in enumerate(ours)
    ]
    more = [{"benchmark": "a", "question": "r", "verdict": "OTHER", "label": None}]
    (note,) = with_abstentions(judgments_from_frame(pd.DataFrame(ours + bare + more))).notes
    assert str(note).startswith("labels: 1 verdict 'OTHER' is no label, so they are wrong")
    assert not with_abstentions(
        judgments_from_frame(pd.DataFrame([*ours[:18], ours[19], *bare]))
    ).notes


def test_help_shows_no_range_without_ends() -> None:
    """A half-width has none in the help."""
    said = invoke("plan", "--help").stdout
    assert "None" not in said
    assert "0<x<1" in said


@pytest.mark.slow
def test_explain_says_what_brackets_and_copies_are() -> None:
    """Copies only where there are some."""
    explained = [
        " ".join(
            one.text for one in report_document(analyse(one)).explained() if isinstance(one, Text)
        )
        for one in (sweep(), made())
    ]
    assert all("Brackets: the 95% interval" in one for one in explained)
    assert ["Copies: " in one for one in explained] == [True, False]


@pytest.mark.parametrize(
    ("judgments", "said"),
    [
        (
            made(noise=0.3, questions=6),
            "With votes: how often two majorities of {} tries on one question give the same "
            "verdict.",
        ),
        (
            changed(made(noise=0.3, questions=6), label="A"),
            "With votes: how often the majority of {} tries is right.",
        ),
    ],
)
def test_explain_says_what_votes_are_counted_by(judgments: Judgments, said: str) -> None:
    """The column is about labels, or without them about two majorities of the number shown."""
    document = report_document(analyse(judgments))
    shown = re.search(r"\((\d+)\)", render(document, "table"))
    assert shown
    assert Text(said.format(shown[1])) in document.explained()


@pytest.mark.slow
def test_published_columns_are_named_where_they_are() -> None:
    """The short answer of `--published` says where its columns are, and only that one."""
    from inspect_reliability.study.published.reported import with_published

    analysis = analyse(made(questions=6))
    where = "Published, Rule of thumb: two columns of the first table of --full."
    assert where in render(report_document(with_published(analysis)), "table")
    assert where not in render(report_document(analysis), "table")


def test_values_that_tell_nothing_are_counted_by_benchmark() -> None:
    """A reader of one benchmark's table sees why the sum is larger."""
    cell = {"judge": "j", "temperature": 1, "statistic": "omega", "published": 0.7}
    cell |= {"ours": 0.7, "reliabilipy": None, "permuted": [0.7, 0.6, 0.8], "difference": 0.0}
    found = [cell | {"benchmark": name} for name in ("BBH", "Head-to-Tail")]
    found.append(found[0] | {"temperature": 0.5, "ours": 0.9})
    said = " ".join(render(tables(found), "table").split())
    assert "2 of 3 values of omega (BBH 1 of 2, Head-to-Tail 1 of 1)." in said


@pytest.mark.slow
def test_eight_rows_are_shown_and_full_shows_all() -> None:
    """Beside labels, too; and --full leaves out no row, nor says that it does."""
    rows = [
        {"judge": f"j{k}", "question": f"q{q}", "replication": r, "verdict": "AB"[(q + r * k) % 2]}
        | {"label": "AB"[q % 2]}
        for k in range(9)
        for q in range(6)
        for r in range(3)
    ]
    for judges, left in ((8, ""), (9, "1 more row")):
        frame = pd.DataFrame(rows[: 18 * judges])
        document = report_document(analyse(judgments_from_frame(frame)))
        [table] = [one for one in document.blocks if isinstance(one, Estimates)]
        assert (table.most or len(table.rows)) >= min(len(table.rows), 8)
        assert ("1 more row" in render(document, "table")) == bool(left)
        whole = with_more(document, full=True, explain=False)
        assert "more row" not in render(whole, "table")
        [table] = [one for one in whole.blocks if isinstance(one, Estimates)]
        assert table.most == 0


def test_candidates_of_several_benchmarks_are_grouped_without_them() -> None:
    """A candidate that has one benchmark a row is to have all; without a grouping it has them."""
    parts = [made(4, benchmark=name, wording=name[0]).table for name in ("bbh", "squad")]
    both = Judgments(pd.concat(parts, ignore_index=True))
    names = analyse(both, ["benchmark", "wording"]).names
    found = without_benchmark(analyse(both, ["benchmark", "wording"]))
    assert found == [name for name in names if name != "benchmark"]
    assert "benchmark" in names
    assert without_benchmark(analyse(both, ["wording"])) == []
    assert without_benchmark(analyse(Judgments(parts[0]), ["benchmark"])) == []
