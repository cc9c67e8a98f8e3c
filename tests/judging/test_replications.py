"""Many replications in one sample: the same judgments as by epochs, in one log that is smaller."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from inspect_ai import Task, score
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalLog, read_eval_log, read_eval_log_sample_summaries
from inspect_ai.model import ModelOutput

import example_logs
from commands import full
from evals import evaluate
from inspect_reliability.answers import analyse
from inspect_reliability.answers.report import report_document
from inspect_reliability.errors import UserError
from inspect_reliability.judging import asking
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.judgments.text import judgment_text
from inspect_reliability.record.replications import (
    SEED_LIMIT,
    Replications,
    replication_numbers,
    replications_in,
)
from inspect_reliability.scoring import score_of, verdict
from inspect_reliability.showing import render
from inspect_reliability.study.benchmarks import BENCHMARKS, sample_pack
from inspect_reliability.study.tasks import bbh_judge
from inspect_reliability.tasks import judge_task

pytestmark = pytest.mark.slow

REPLICATIONS = 6
QUESTIONS = 2
COLUMNS = ["question", "replication", "seed", "verdict", "order", "responder", "best", "categories"]

Judge = Callable[..., EvalLog]


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    """Runs a judge task on a few questions."""
    folder = tmp_path_factory.mktemp("logs")

    def run(task: Task, **options: Any) -> EvalLog:
        options = {"limit": QUESTIONS, "model": example_logs.SEEDED} | options
        return read_eval_log(evaluate(task, folder, **options).location)

    return run


@pytest.fixture(scope="module")
def epochs(judge: Judge) -> EvalLog:
    """Each replication is an epoch."""
    return judge(bbh_judge(), epochs=REPLICATIONS)


@pytest.fixture(scope="module")
def together(judge: Judge) -> EvalLog:
    """All replications of a question are one sample."""
    return judge(bbh_judge(replications=REPLICATIONS))


@pytest.fixture(scope="module")
def reshuffled(judge: Judge) -> EvalLog:
    """The same, with an order of its own for each."""
    return judge(bbh_judge(replications=REPLICATIONS, order="reshuffled"))


def judgments(log: EvalLog) -> list[tuple[Any, ...]]:
    """Every judgment of a log that ended well, without what tells where it was kept."""
    assert log.status == "success", log.error
    table = judgments_from_logs(log.location).table
    rows = table[[name for name in COLUMNS if name in table]]
    return sorted(
        tuple(value if value == value else None for value in row)
        for row in rows.itertuples(index=False)
    )


def metrics(log: EvalLog) -> dict[str, float]:
    assert log.results is not None
    return {name: metric.value for name, metric in log.results.scores[0].metrics.items()}


def calls(log: EvalLog) -> list[ModelEvent]:
    """Calls of the judge, those of the seed check not among them."""
    return [
        event
        for sample in log.samples or []
        for event in sample.events
        if isinstance(event, ModelEvent) and event.cache is None
    ]


def test_replications_are_epochs(epochs: EvalLog, together: EvalLog) -> None:
    """Verdict, seed, order and responder are equal one by one, and so are all metrics."""
    assert judgments(together) == judgments(epochs)
    assert len({row[3] for row in judgments(together)}) > 1
    assert metrics(together) == pytest.approx(metrics(epochs), nan_ok=True)
    assert len(together.samples or []) == QUESTIONS


def test_outputs_may_end_at_their_verdict(judge: Judge) -> None:
    """Each output is the beginning of the whole one, its verdict that of a complete line.

    The log says so: as an argument of the model, and in each score; the report as a caution.
    """
    whole = {"model": "hf_seeded/tiny-judge", "max_tokens": 50}
    asked = {"whole": whole, "stopped": whole | {"model_args": {"stop_at_verdict": True}}}
    logs = {name: judge(bbh_judge(replications=8), **one) for name, one in asked.items()}
    assert logs["stopped"].eval.model_args == {"stop_at_verdict": True}
    outputs = {
        name: [choice.message.text for one in log.samples or [] for choice in one.output.choices]
        for name, log in logs.items()
    }
    pairs = list(zip(*outputs.values(), strict=True))
    assert all(whole.startswith(stopped) for whole, stopped in pairs)
    shorter = [stopped for whole, stopped in pairs if len(stopped) < len(whole)]
    assert len(shorter) > 4
    reader = BENCHMARKS["BBH"].design.reader
    assert all(reader.finished(one) for one in shorter)
    said = {}
    for name, log in logs.items():
        metadata = [(one.scores or {})["verdict"].metadata or {} for one in log.samples or []]
        assert {one.get("stop_at_verdict", False) for one in metadata} == {name == "stopped"}
        said[name] = render(full(report_document(analyse(judgments_from_logs(log)))), "table")
    assert "ended at their verdict" in " ".join(said["stopped"].split())
    assert "ended at their verdict" not in " ".join(said["whole"].split())


def test_each_judgment_leads_back_to_its_text(judge: Judge, reshuffled: EvalLog) -> None:
    """Prompt and output of a replication are those of the epoch with its number."""
    epochs = judge(bbh_judge(order="reshuffled"), epochs=REPLICATIONS)
    assert judgments(reshuffled) == judgments(epochs)
    texts = []
    for log in (epochs, reshuffled):
        table = judgments_from_logs(log.location).table.sort_values(["question", "replication"])
        texts.append([judgment_text(row) for row in table.to_dict("records")])
    assert texts[0] == texts[1]
    assert len({text.output for text in texts[1] if text}) > 1


def test_epochs_and_ranges_go_on_counting(judge: Judge, together: EvalLog) -> None:
    """Replications in two epochs, or in two logs, are those of one sample."""
    whole, half = judgments(together), REPLICATIONS // 2
    assert judgments(judge(bbh_judge(replications=half), epochs=2)) == whole
    parts = [bbh_judge(replications=half), bbh_judge(replications=f"{half + 1}-{REPLICATIONS}")]
    assert sorted(row for part in parts for row in judgments(judge(part))) == whole


def test_one_prompt_is_one_call(
    judge: Judge, together: EvalLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One call has all replications as its choices, except where that would be other draws."""
    asked = [call for call in calls(together) if call.config.num_choices]
    assert [len(call.output.choices) for call in asked] == [REPLICATIONS] * QUESTIONS
    monkeypatch.setattr(example_logs.Seeded, "choices_follow_seeds", False)
    apart = judge(bbh_judge(replications=REPLICATIONS))
    assert judgments(apart) == judgments(together)
    assert {call.config.num_choices for call in calls(apart)} == {None}
    for sample in apart.samples or []:
        seeds = {e.config.seed for e in sample.events if isinstance(e, ModelEvent)}
        assert len(seeds) >= REPLICATIONS


def test_seeds_begin_again_at_their_limit(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the seeds of a question pass 2**31, its replications are still those of epochs."""

    def near_the_limit(base: int, question: str, replication: int) -> int:
        return (SEED_LIMIT - 3 + replication) % SEED_LIMIT

    monkeypatch.setattr(asking, "replication_seed", near_the_limit)
    together = judge(bbh_judge(replications=REPLICATIONS), limit=1)
    assert judgments(together) == judgments(judge(bbh_judge(), epochs=REPLICATIONS, limit=1))
    assert [row[2] for row in judgments(together)] == [SEED_LIMIT - 2, SEED_LIMIT - 1, 0, 1, 2, 3]


def test_a_replication_is_the_first_choice_of_its_call(judge: Judge) -> None:
    """With --num-choices, each replication is the same, and no other choice is a judgment."""
    task = bbh_judge(replications=2, order="reshuffled")
    assert judgments(judge(task, limit=1, num_choices=2)) == judgments(judge(task, limit=1))


class OutOfOrderError(Exception):
    """What a server says that cannot answer."""


def failing(
    monkeypatch: pytest.MonkeyPatch, fails: Callable[[int], bool], silent: bool = False
) -> None:
    """Let the provider take one choice a request, and fail, or give none, for some seeds."""
    generate = example_logs.Seeded.generate

    async def sometimes(self: Any, *args: Any, config: Any, **kwargs: Any) -> ModelOutput:
        if fails(config.seed):
            if silent:
                return ModelOutput(model="judge")
            raise OutOfOrderError("down for maintenance")
        return await generate(self, *args, config=config, **kwargs)

    monkeypatch.setattr(example_logs.Seeded, "choices_follow_seeds", False)
    monkeypatch.setattr(example_logs.Seeded, "generate", sometimes)


def test_a_failed_replication_loses_no_other(
    judge: Judge, together: EvalLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was answered is judged, the rest is counted; without any answer, nothing is."""
    expected = judgments(together)
    failing(monkeypatch, lambda seed: seed % 3 == 0)
    log = judge(bbh_judge(replications=REPLICATIONS))
    assert judgments(log) == [row for row in expected if row[2] % 3]
    (note,) = judgments_from_logs(log.location).notes
    assert (note.count, note.what) == (QUESTIONS * REPLICATIONS // 3, "replications that failed")
    kept = (log.samples or [])[0].scores["verdict"]  # type: ignore[index]
    assert "| failed | 2 |" in (kept.explanation or "")
    assert "OutOfOrderError: down for maintenance" in (kept.explanation or "")
    failing(monkeypatch, lambda seed: seed % 3 == 0, silent=True)
    assert judgments(judge(bbh_judge(replications=REPLICATIONS))) == judgments(log)
    failing(monkeypatch, lambda seed: True)
    log = judge(bbh_judge(replications=REPLICATIONS))
    assert log.status == "error"
    assert not [sample for sample in log.samples or [] if sample.scores]


@pytest.mark.parametrize("replications", [None, 2])
def test_a_judge_that_a_limit_ended_gave_no_verdict(judge: Judge, replications: int | None) -> None:
    """It has no score: a non-response would be a verdict of the judge."""
    log = judge(bbh_judge(replications=replications), limit=1, token_limit=1)
    assert [(one.scores, one.limit is None) for one in log.samples or []] == [({}, False)]


def test_a_score_can_be_made_again_from_the_log(judge: Judge, reshuffled: EvalLog) -> None:
    """The texts of all replications are in the log: `inspect score` reads them anew."""
    parser = {"pattern": r"Response:\W*([A-E])"}
    again = score(reshuffled, verdict(parser), action="overwrite", display="none")
    design = replace(BENCHMARKS["BBH"].design, parser=parser)
    items = sample_pack("BBH")
    first = judge(judge_task(design, items, replications=REPLICATIONS, order="reshuffled"))
    assert [s.scores for s in again.samples or []] == [s.scores for s in first.samples or []]


def test_a_hundred_replications_fit_into_a_summary(judge: Judge) -> None:
    """Reports read summaries, from which inspect leaves out what is over 1 KB."""
    task = bbh_judge(replications=100, order="reshuffled")
    log = judge(task, limit=1, model=example_logs.judge())
    (summary,) = read_eval_log_sample_summaries(log.location)
    kept = replications_in((summary.scores or {})["verdict"])
    assert kept is not None
    assert len(kept.verdicts) == 100
    explained = (log.samples or [])[0].scores["verdict"].explanation or ""  # type: ignore[index]
    counts, listed = explained.split("\n\n")
    rows = [row.split(" | ") for row in counts.split("\n")[2:]]
    assert {row[0].strip("| "): row[1] for row in rows} == {
        verdict: str(count) for verdict, count in Counter(kept.verdicts).items()
    }
    for row in rows:
        text = (log.samples or [])[0].output.choices[int(row[2]) - 1].message.text
        assert row[3].removesuffix(" |") == " ".join(text.split())
    lines = [line.partition(":")[2].split() for line in listed.split("\n")[1:-1]]
    assert [word for line in lines for word in line] == kept.verdicts


def test_a_longer_sample_is_read_in_full(judge: Judge) -> None:
    """Where the summary leaves the verdicts out, the sample has them."""
    task = bbh_judge(replications=150, order="reshuffled")
    log = judge(task, limit=1, model=example_logs.judge())
    (summary,) = read_eval_log_sample_summaries(log.location)
    assert replications_in((summary.scores or {})["verdict"]) is None
    assert len(judgments_from_logs(log.location)) == 150


@pytest.mark.parametrize("value", [0, -1, True, 2.5, "many", "5-2", "0-3", "1-2-3", [3]])
def test_replications_that_are_no_number_are_refused(value: Any) -> None:
    """The error names the value and what to write instead."""
    with pytest.raises(UserError, match=r"replications=.* Use for example -T replications=100"):
        bbh_judge(replications=value)


def test_a_range_names_its_replications() -> None:
    """A number counts from 1, a range from its first to its last."""
    assert list(replication_numbers(3)) == [1, 2, 3]
    assert list(replication_numbers("4-6")) == [4, 5, 6]


@pytest.mark.parametrize(
    ("verdicts", "value"),
    [(["non-response"] * 3 + ["A"] * 2, "A"), (["non-response"] * 2, "non-response")],
)
def test_silence_wins_no_majority(verdicts: list[str], value: str) -> None:
    """A score's value is a verdict as long as any output has one."""
    kept = Replications(verdicts, seed=1)
    assert score_of(kept, [""] * len(verdicts), {}).value == value
