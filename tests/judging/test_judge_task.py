"""The main job: a local judge, many seeded replications, every judgment in the log."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.log import EvalLog, EvalSample, read_eval_log

import example_logs
from evals import evaluate
from inspect_reliability.errors import UserError
from inspect_reliability.record.replications import replication_seed
from inspect_reliability.study.benchmarks import BENCHMARKS
from inspect_reliability.study.tasks import bbh_judge

LETTERS = tuple("ABCDE")

pytestmark = pytest.mark.slow

QUESTIONS, EPOCHS = 3, 4
TINY = "hf_seeded/tiny-judge"
Judge = Callable[..., EvalLog]


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    """Runs a judge task on a few questions."""

    def run(task: Task | None = None, **options: Any) -> EvalLog:
        options = {"model": example_logs.SEEDED, "limit": QUESTIONS, "epochs": EPOCHS, **options}
        folder = tmp_path_factory.mktemp("logs")
        log = evaluate(task or bbh_judge(), folder, max_tokens=12, **options)
        return read_eval_log(log.location)

    return run


@pytest.fixture(scope="module")
def log(judge: Judge) -> EvalLog:
    return judge(model=TINY)


def samples(log: EvalLog) -> list[EvalSample]:
    assert log.status == "success", log.error
    return sorted(log.samples or [], key=lambda s: (str(s.id), s.epoch))


def verdicts(log: EvalLog) -> list[Any]:
    return [(s.id, s.epoch, s.scores["verdict"].value) for s in samples(log) if s.scores]


def outputs(log: EvalLog) -> dict[tuple[Any, int], str]:
    return {(s.id, s.epoch): s.output.completion for s in samples(log)}


def test_every_judgment_is_in_the_log_with_the_seed_that_was_sent(log: EvalLog) -> None:
    """Each question has every epoch, and the recorded seed is the one the provider received."""
    assert len(samples(log)) == QUESTIONS * EPOCHS
    assert len({(s.id, s.epoch) for s in samples(log)}) == QUESTIONS * EPOCHS
    for sample in samples(log):
        score = (sample.scores or {})["verdict"]
        metadata = score.metadata or {}
        sent = [e.config.seed for e in sample.events if e.event == "model"]
        assert metadata["seed"] in sent
        assert metadata["seed"] == replication_seed(0, str(sample.id), sample.epoch)
        assert metadata["replication"] == sample.epoch
        assert score.value in BENCHMARKS["BBH"].design.reader.categories
        assert score.explanation == sample.output.completion
        if score.value in LETTERS:
            assert metadata["responder"] == metadata["order"][LETTERS.index(str(score.value))]


def test_the_judge_sees_one_fixed_prompt(log: EvalLog) -> None:
    """Replications of a question differ in nothing but their seed; questions differ in order."""
    prompts: dict[Any, set[str]] = {}
    for sample in samples(log):
        prompts.setdefault(sample.id, set()).add(sample.messages[0].text)
    assert [len(texts) for texts in prompts.values()] == [1] * QUESTIONS
    marks = {(s.id, (s.scores or {})["verdict"].metadata["prompt"]) for s in samples(log)}  # type: ignore[index]
    assert len(marks) == len({mark for _, mark in marks}) == QUESTIONS
    orders = {tuple((s.scores or {})["verdict"].metadata["order"]) for s in samples(log)}  # type: ignore[index]
    assert len(orders) > 1


def test_metrics_of_the_log_are_those_of_its_verdicts(log: EvalLog) -> None:
    """The agreement in the log is the share of agreeing pairs, counted one by one."""
    by_question: dict[Any, list[Any]] = {}
    for question, _, verdict in verdicts(log):
        by_question.setdefault(question, []).append(verdict)
    pairs = [
        [a == b for i, a in enumerate(given) for b in given[:i]] for given in by_question.values()
    ]
    assert log.results is not None
    metrics = {name: m.value for name, m in log.results.scores[0].metrics.items()}
    assert metrics["agreement"] == pytest.approx(sum(sum(p) / len(p) for p in pairs) / len(pairs))
    everything = [verdict for _, _, verdict in verdicts(log)]
    assert metrics["non_response_rate"] == everything.count("non-response") / len(everything)
    assert metrics["invalid_rate"] == everything.count("invalid") / len(everything)
    assert {"omega", "omega_low", "best_rate"} <= set(metrics)


def test_the_same_command_gives_the_same_outputs(log: EvalLog, judge: Judge) -> None:
    """A run is a function of its settings, not of what is in the batch; the base seed is one."""
    assert outputs(judge(model=TINY, limit=1, max_connections=1)).items() < outputs(log).items()
    one, other = (outputs(judge(bbh_judge(seed=n, order="given"), limit=1)) for n in (1, 2))
    assert one != other


def test_a_reshuffled_order_is_another_for_every_replication(judge: Judge) -> None:
    """With order="reshuffled" the same question is shown in different orders."""
    log = judge(bbh_judge(order="reshuffled"), model=example_logs.judge())
    for question in {s.id for s in samples(log)}:
        orders = {tuple(s.metadata["order"]) for s in samples(log) if s.id == question}
        assert len(orders) > 1


def test_one_epoch_is_enough_for_a_verdict_and_none_for_reliability(judge: Judge) -> None:
    """--epochs 1 ends well; a coefficient that needs two replications is nan, not a number."""
    log = judge(epochs=1)
    assert len(verdicts(log)) == QUESTIONS
    assert log.results is not None
    metrics = {name: m.value for name, m in log.results.scores[0].metrics.items()}
    assert metrics["omega"] != metrics["omega"]
    assert metrics["agreement"] != metrics["agreement"]


def test_published_prompts_are_judged(data: Path, judge: Judge) -> None:
    """The 27 published BBH prompts go through, each responder behind its letter as published."""
    task = bbh_judge(responses=str(data / "paper" / "prompt_responses.json"), order="given")
    log = judge(task, epochs=1, limit=None, model=example_logs.judge())
    assert len(verdicts(log)) == 27
    assert {tuple(s.metadata["order"]) for s in samples(log)} == {
        (
            "meta-llama/Meta-Llama-3-8B",
            "lmsys/vicuna-7b-v1.5",
            "google/gemma-7b",
            "microsoft/phi-2",
            "tiiuae/falcon-7b",
        )
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"order": "sorted"}, "order='sorted' is not known. Use one of: shuffled"),
        ({"seed": "x"}, "seed='x' is not a whole number"),
        ({"responses": "nowhere.json"}, "No file or folder 'nowhere.json'"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    """A task parameter that makes no sense is refused with what to write instead."""
    with pytest.raises(UserError) as refused:
        bbh_judge(**arguments)
    assert message in str(refused.value)


def test_one_seed_for_all_replications_is_refused(judge: Judge) -> None:
    """--seed would silently make all replications the same draw."""
    log = judge(seed=7, limit=1, epochs=1)
    assert log.status == "error"
    assert log.error is not None
    assert "-T seed=7" in log.error.message


def test_a_prompt_beyond_the_context_is_no_judgment(judge: Judge, tmp_path: Path) -> None:
    """A prompt that does not fit ends in an error that gives its length, never in a verdict."""
    folder = tmp_path / "responses.jsonl"
    responses = {f"r{n}": "word " * 20_000 if n == 3 else "short" for n in range(5)}
    folder.write_text(json.dumps({"id": "q", "question": "Why?", "responses": responses}))
    log = judge(bbh_judge(responses=str(folder)), model=TINY, epochs=1)
    assert log.status == "error"
    assert log.error is not None
    assert "Question 'q' was not answered" in log.error.message
    assert "tokens" in log.error.message
    assert not [s for s in log.samples or [] if s.scores]
