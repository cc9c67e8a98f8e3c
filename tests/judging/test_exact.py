"""Exact verdicts through inspect: one sample a question, with the whole distribution."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import anyio
import pandas as pd
import pytest
from inspect_ai import Task, score
from inspect_ai.log import EvalLog, read_eval_log, read_eval_log_sample_summaries
from inspect_ai.model import GenerateConfig, get_model

from commands import full, invoke
from evals import evaluate
from inspect_reliability.answers import analyse
from inspect_reliability.answers.report import report_document
from inspect_reliability.designs import Item, JudgeDesign, wordings_of
from inspect_reliability.hf_seeded import distributing
from inspect_reliability.judging.asking import item_of
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.judgments.score import judgments_in
from inspect_reliability.scoring.verdict import verdict
from inspect_reliability.showing import render
from inspect_reliability.stats import omega
from inspect_reliability.study.benchmarks import BENCHMARKS
from inspect_reliability.study.published.reported import with_published
from inspect_reliability.study.tasks import bbh_judge
from inspect_reliability.tasks import judge_task
from logged import Logged

pytestmark = pytest.mark.slow

TINY = "hf_seeded/tiny-judge"
QUESTIONS = 2

SCALE = JudgeDesign("Grades", "Grade {{ response }} from 1 to 5. Grade:", {"from": 1, "to": 5})
ITEMS = [Item(f"q{i}", "Well?", {"me": "Good." * i}) for i in range(1, QUESTIONS + 1)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("exact")


def run(task: Task, folder: Path, **options: Any) -> EvalLog:
    options = {"model": TINY, "limit": QUESTIONS, "max_tokens": 12} | options
    return read_eval_log(evaluate(task, folder, **options).location)


@pytest.fixture(scope="module")
def log(folder: Path) -> EvalLog:
    """Exact verdicts at two temperatures."""
    return run(bbh_judge(exact=True, temperatures=[1, 0.5]), folder / "exact")


def distribution(log: EvalLog, sample: int = 0) -> Mapping[str, Any]:
    scored = (log.samples or [])[sample].scores
    assert scored is not None
    metadata = scored["verdict"].metadata
    assert metadata is not None
    return metadata["exact"][0]


def test_each_cell_has_the_distribution_of_its_prompt(folder: Path) -> None:
    """The exact verdicts of a cell are those of a judge that is asked like that alone."""
    made = run(bbh_judge(exact=True, orders=2, wordings="labels"), folder / "cells", limit=1)
    assert made.status == "success", made.error
    table = judgments_from_logs(made.location).table
    item = item_of((made.samples or [])[0].metadata)
    cells = table.groupby(["wording", "order"])
    assert cells["share"].sum().tolist() == pytest.approx([1.0] * 4)
    for cell, rows in [*cells][::3]:  # two orders in two wordings
        wording, order = cast("tuple[str, tuple[str, ...]]", cell)
        design = wordings_of(BENCHMARKS["BBH"].design, "labels")[wording]
        shown = replace(item, responses={name: item.responses[name] for name in order})
        task = judge_task(design, [shown], exact=True, order="given")
        alone = run(task, folder / f"{wording} {order[0]}")
        followed = rows[rows["tail"].isna()] if "tail" in rows else rows
        shares = dict(zip(followed["verdict"], followed["share"], strict=True))
        assert shares == pytest.approx(distribution(alone)["shares"])


def test_a_score_has_the_engines_distribution(log: EvalLog, folder: Path) -> None:
    """Shares, open mass and tail draws are those that the provider finds for the same prompt."""
    assert log.status == "success", log.error
    sample = (log.samples or [])[0]
    reader = JudgeDesign(**log.plan.steps[-1].params["design"]).reader
    model = get_model(TINY, config=GenerateConfig(top_k=50, max_tokens=12, temperature=1.0))

    def read(text: str) -> str | None:
        return reader.completed(text) and reader.read(text).verdict

    async def ask() -> Any:
        with distributing(read, lambda text: reader.read(text).verdict, (1.0, 0.5)):
            seed = GenerateConfig(seed=sample.metadata["seed"])
            return await model.generate(sample.messages[0].text, config=seed)

    found = anyio.run(ask).metadata["distributions"]
    assert [one["temperature"] for one in found] == [1.0, 0.5]
    kept = sample.scores["verdict"].metadata["exact"]  # type: ignore[index]
    for one, other in zip(kept, found, strict=True):
        assert one["shares"] == pytest.approx(other["shares"])
        assert one["open_mass"] == pytest.approx(other["open_mass"])
        assert list(one["tail"]) == list(other["tail"])
        assert sum(one["shares"].values()) + one["open_mass"] == pytest.approx(1)


def test_the_value_is_the_likeliest_verdict(log: EvalLog) -> None:
    """The score is the verdict with the largest share, and its explanation lists all of them."""
    for number, sample in enumerate(log.samples or []):
        shares = distribution(log, number)["shares"]
        found = (sample.scores or {})["verdict"]
        assert found.value == max(shares, key=shares.__getitem__)
        for name, share in shares.items():
            assert f"| {name} | {share:.2%} |" in str(found.explanation)


def test_judgments_are_weighted_verdicts(log: EvalLog) -> None:
    """Weights of a question add up to 1 at each temperature, live and in the table."""
    table = judgments_from_logs(log.location).table
    sums = table.groupby(["question", "temperature"])["share"].sum()
    assert len(sums) == 2 * QUESTIONS
    assert sums.tolist() == pytest.approx([1.0] * len(sums), abs=1e-4)
    sample = (log.samples or [])[0]
    live = judgments_in((sample.scores or {})["verdict"], str(sample.id))
    own = table[table["question"] == sample.id]
    assert sorted(one.share or 0 for one in live) == pytest.approx(sorted(own["share"]))


def test_summaries_may_be_cut(folder: Path, logged: Logged) -> None:
    """Distributions too long for a log's summaries are read from its samples."""
    temperatures = [2, 1.7, 1.4, 1.2, 1, 0.8, 0.5, 0.2]
    task = judge_task(SCALE, ITEMS, exact=True, temperatures=temperatures)
    found = run(task, folder / "scale", limit=1)
    cut = [
        (summary.scores or {})["verdict"].metadata["exact"]  # type: ignore[index]
        for summary in read_eval_log_sample_summaries(found.location)
    ]
    assert all(isinstance(one, str) for one in cut)
    table = judgments_from_logs(found.location).table
    sums = table.groupby(["question", "temperature"])["share"].sum()
    assert sums.tolist() == pytest.approx([1.0] * 8, abs=1e-4)
    assert "asked once" not in logged.text


def test_live_metrics_are_those_of_the_report(log: EvalLog) -> None:
    """Omega of each temperature is the same live and in the report, and the formula's."""
    assert log.results is not None
    live = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    rows = analyse(judgments_from_logs(log.location)).rows
    assert [row.record["temperature"] for row in rows] == [1, 0.5]
    for row, label in zip(rows, ("", "(T=0.5)"), strict=True):
        assert row.counts.exact
        assert row.record["omega"] == pytest.approx(omega(row.counts).value)
        assert live[f"omega{label}"] == pytest.approx(row.record["omega"])
        assert live[f"replications{label}"] == float("inf")


@pytest.mark.usefixtures("undrawn")
def test_exact_and_sampled_verdicts_have_rows_of_their_own(log: EvalLog, folder: Path) -> None:
    """One judge's exact and sampled verdicts are two rows, which every form of the report takes."""
    sampled = run(bbh_judge(replications=5), folder / "sampled")
    both = judgments_from_logs([log.location, sampled.location])
    analysis = with_published(analyse(both))
    found = {(row["temperature"], row["method"]) for row in analysis.results["rows"]}
    assert found == {(1, "exact"), (1, "sampled"), (0.5, "exact")}
    row = next(one for one in analysis.results["rows"] if one["method"] == "exact")
    assert row["n_replications"] is None
    assert 0 < row["open_mass"] < 0.02
    assert row["not_estimable"]["published_omega"] == "the published procedure needs replications"
    for form in ("csv", "json", "html"):
        text = render(report_document(analysis), form)  # type: ignore[arg-type]
        assert "exact" in text
    shown = render(full(report_document(analysis)), "table")
    assert "left open" in shown
    assert "would add nothing" not in shown


@pytest.mark.parametrize(
    "command",
    [
        ["report", "--format", "json"],
        ["plan", "--format", "json"],
        ["gate", "--min", "omega=0.5", "--format", "json"],
        ["compare", "--by", "temperature", "--format", "json"],
    ],
    ids=lambda command: command[0],
)
def test_every_command_takes_exact_verdicts(command: list[str], log: EvalLog) -> None:
    """The results of each command are strict JSON, without infinities."""
    name, *options = command
    result = invoke(name, log.location, *options)
    rows = json.loads(result.stdout, parse_constant=pytest.fail)["rows"]
    assert rows


def test_data_round_trips(log: EvalLog, tmp_path: Path) -> None:
    """`report --tables` writes judgments with their shares."""
    result = invoke("report", log.location, "--tables", tmp_path)
    assert result.exit_code == 0, result.output
    table = pd.read_parquet(tmp_path / "judgments.parquet")
    assert table["share"].sum() == pytest.approx(2 * QUESTIONS, abs=1e-3)


def test_other_providers_are_refused_in_one_line(folder: Path) -> None:
    """A judge that can only be sampled is refused before its first call."""
    log = run(bbh_judge(exact=True), folder / "mock", model="mockllm/model")
    assert log.status == "error"
    assert log.error is not None
    assert "mockllm/model can only be sampled. Use -T replications=100" in log.error.message
    assert not log.stats.model_usage


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"exact": "yes"}, "Use true, false or verdict"),
        ({"exact": True, "replications": 5}, "needs no replications"),
        ({"exact": "verdict"}, "-T exact=verdict -T replications=10"),
        ({"exact": "verdict", "replications": 1}, "-T exact=verdict -T replications=10"),
        ({"temperatures": [1, 0.5]}, "add -T exact=true"),
        ({"exact": True, "temperatures": "warm"}, "'warm' is not a number"),
        ({"exact": True, "temperatures": [1, -1]}, "-1 is not a number from 0 on"),
        ({"exact": True, "temperatures": "nan"}, "'nan' is not a number from 0 on"),
    ],
)
def test_options_that_contradict_each_other(options: dict[str, Any], words: str) -> None:
    """What cannot be is refused before the first call."""
    with pytest.raises(ValueError, match=words):
        bbh_judge(**options)


def test_another_parser_needs_another_run(log: EvalLog) -> None:
    """Exact verdicts are not read again in another way: their texts are gone."""
    with pytest.raises(Exception, match="run the judge again with another 'parser'"):
        score(log, verdict({"labels": ["Best"]}), display="none")


def test_reshuffled_epochs_are_one_mixture(folder: Path) -> None:
    """With another order in each epoch a question's distribution is the mean over orders."""
    log = run(bbh_judge(exact=True, order="reshuffled"), folder / "orders", epochs=2, limit=2)
    (row,) = analyse(judgments_from_logs(log.location)).rows
    assert row.counts.exact
    assert row.counts.shares.sum(axis=1).tolist() == pytest.approx([1.0] * 2, abs=1e-4)
