import asyncio
import math
from itertools import count, product
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.event import InfoEvent, ModelEvent
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    GenerateConfig,
    Model,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    get_model,
    modelapi,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState

from evals import evaluate, hurry
from graders import LENIENT, TINY, letters, run, suite, tiny
from inspect_reliability import tiny_judge
from inspect_reliability.answers import analyse
from inspect_reliability.judging.requests import DRAWS, Drawn, seed_outcome
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.record.replications import replication_seed
from inspect_reliability.rejudging import rejudge
from inspect_reliability.study.tasks import bbh_judge
from logged import Logged

LETTERS = tuple("ABCDE")


@pytest.mark.parametrize(
    ("texts", "outcome"),
    [
        ((["a", "a", "a"], ["b", "b", "b"]), "honoured"),
        ((["a", "a", "a"], ["a", "a", "a"]), "unknown"),
        ((["a", "b", "a"], ["b", "b", "b"]), "not honoured"),
        ((["a", "a", "a"], ["a", "a", "b"]), "not honoured"),
    ],
)
def test_outcome_of_two_seeds(texts: tuple[list[str], list[str]], outcome: str) -> None:
    """Equal within and different between is honoured; different within is not."""
    assert seed_outcome([Drawn(text) for text in same] for same in texts)[0] == outcome


@pytest.mark.slow
def test_chance_of_being_fooled() -> None:
    """A provider that ignores seeds passes with probability 1/32 at most where texts are two."""

    def fooled(share: float) -> float:
        return sum(
            math.prod(share if text == "a" else 1 - share for text in texts)
            for texts in product("ab", repeat=2 * DRAWS)
            if seed_outcome(map(Drawn, same) for same in (texts[:DRAWS], texts[DRAWS:]))[0]
            == "honoured"
        )

    assert max(fooled(share / 100) for share in range(101)) == pytest.approx(1 / 32)


def judge(task: Any, model: Model | str, folder: Path, **options: Any) -> EvalLog:
    log = evaluate(task, folder, model=model, **options)
    assert log.status == "success", log.error
    return log


def checks(log: EvalLog) -> list[Any]:
    return [
        event.data
        for sample in log.samples or []
        for event in sample.events
        if isinstance(event, InfoEvent) and isinstance(event.data, dict) and "seeds" in event.data
    ]


@pytest.mark.slow
def test_our_provider_honours_seeds(tmp_path: Path) -> None:
    """The first replication of a run is repeated, and its log says so once."""
    log = judge(bbh_judge(), TINY, tmp_path, epochs=3, limit=4, temperature=2.0)
    [found] = checks(log)
    assert (found["model"], found["seeds"]) == (TINY, "honoured")
    told = [s for s in log.samples or [] if "seed_check" in s.metadata]
    assert [s.metadata["seed_check"] for s in told] == ["honoured"]
    calls = [e for s in log.samples or [] for e in s.events if isinstance(e, ModelEvent)]
    assert len(calls) == 3 * 4 + 2 * DRAWS - 1


class FirstCall(ModelAPI):
    """A judge that answers from its seed, whose first call waits for the second or fails."""

    choices_follow_seeds = False  # declared: no call but the run's and those of the seed check

    def __init__(self, model_name: str, *_: Any, **__: Any) -> None:
        super().__init__(model_name)
        self.calls = 0
        self.second = asyncio.Event()

    async def generate(
        self, input: Any, tools: Any, tool_choice: Any, config: GenerateConfig
    ) -> ModelOutput:
        self.calls += 1
        if self.calls > 1:
            self.second.set()
        elif self.model_name == "fails":
            raise RuntimeError("overloaded")
        else:
            await self.second.wait()
            for _ in range(1000):  # the sample of the second call is finished by then
                await asyncio.sleep(0)
        return ModelOutput.from_content(
            self.model_name, f"Best Response: [[{LETTERS[(config.seed or 0) % 5]}]]"
        )


def first_call(how: str) -> Model:
    modelapi(name="first_call")(FirstCall)
    return get_model(f"first_call/{how}", memoize=False)


@pytest.mark.slow
def test_the_check_falls_to_what_is_finished_first(tmp_path: Path) -> None:
    """One sample is checked, and none waits for another to be."""
    made = bbh_judge()
    slow = made.dataset[0].id
    log = judge(made, first_call("slow"), tmp_path, epochs=2, limit=3)
    checked = [sample for sample in log.samples or [] if "seed_check" in sample.metadata]
    assert [sample.metadata["seed_check"] for sample in checked] == ["honoured"]
    assert (checked[0].id, checked[0].epoch) != (slow, 1)
    for sample in log.samples or []:
        [score] = (sample.scores or {}).values()
        assert ("seed_check" in (score.metadata or {})) == (sample in checked)


class FewWords(ModelAPI):
    """A judge that says one of two things, or once none, and the same for the first two seeds."""

    choices_follow_seeds = False  # declared: no call but the run's and those of the seed check

    def __init__(self, model_name: str, *_: Any, **__: Any) -> None:
        super().__init__(model_name)
        self.calls = 0

    async def generate(
        self, input: Any, tools: Any, tool_choice: Any, config: GenerateConfig
    ) -> ModelOutput:
        self.calls += 1
        if self.model_name == "silent" and self.calls == 2:
            return ModelOutput(model=self.model_name)
        by_seed, by_call = (config.seed or 0) // 2, max(self.calls - 2 * DRAWS, 0)
        letter = "AB"[(by_seed if self.model_name == "by_seed" else by_call) % 2]
        return ModelOutput.from_content(self.model_name, f"Best Response: [[{letter}]]")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "outcome"),
    [("by_seed", "honoured"), ("by_call", "not honoured"), ("silent", "unknown")],
)
def test_two_seeds_with_one_text_are_not_the_last_word(
    tmp_path: Path, how: str, outcome: str
) -> None:
    """Where two seeds agree others are asked, and what differs is repeated to be believed."""
    question = str(bbh_judge().dataset[0].id)
    base = next(seed for seed in range(99) if replication_seed(seed, question, 1) % 2 == 0)
    modelapi(name="few_words")(FewWords)
    model = get_model(f"few_words/{how}", memoize=False)
    [found] = checks(judge(bbh_judge(seed=base), model, tmp_path, epochs=1, limit=1))
    assert found["seeds"] == outcome


@pytest.mark.slow
def test_the_check_is_left_to_another_where_the_first_fails(tmp_path: Path) -> None:
    """A first replication that fails does not take the check with it."""
    model = first_call("fails")
    log = judge(bbh_judge(), model, tmp_path, epochs=2, limit=2, fail_on_error=False)
    told = [sample.error is None for sample in log.samples or [] if "seed_check" in sample.metadata]
    assert told == [True]
    assert any(sample.error for sample in log.samples or [])


@pytest.mark.slow
def test_a_provider_that_ignores_seeds_is_found_out(tmp_path: Path, logged: Logged) -> None:
    """Inspect's own provider seeds only when it loads the model; the log warns, once."""
    folder = str(tiny_judge.folder())
    model = get_model("hf/tiny", model_path=folder, tokenizer_path=folder, device="cpu")
    hurry()
    options = {"epochs": 2, "limit": 1, "temperature": 2.0, "max_tokens": 12}
    log = judge(bbh_judge(), model, tmp_path, **options)
    [found] = checks(log)
    assert found["seeds"] == "not honoured"
    warned = [r for r in logged.records if "does not honour seeds" in r.getMessage()]
    assert len(warned) == 1
    [row] = analyse(judgments_from_logs(log.location)).results["rows"]
    assert any("does not honour seeds" in caution for caution in row["cautions"])


@pytest.mark.slow
def test_a_judge_that_never_varies_shows_nothing(tmp_path: Path, logged: Logged) -> None:
    """At temperature 0 every seed gives the same text: nothing is known, and that is said."""
    [found] = checks(judge(bbh_judge(), TINY, tmp_path, epochs=1, limit=1, temperature=0.0))
    assert found["seeds"] == "unknown"
    told = [
        r.getMessage() for r in logged.records if "honours seeds is not known" in r.getMessage()
    ]
    assert len(told) == 1
    assert "14 outputs with different seeds are one text" in told[0]


@pytest.mark.slow
def test_outputs_of_a_mock_are_left_to_the_run(tmp_path: Path) -> None:
    """A mock's outputs are not used up by the check."""
    output = ModelOutput.from_content("mockllm/model", "Best Response: [[A]]")
    output.usage = ModelUsage()
    model = get_model("mockllm/model", custom_outputs=[output, output], memoize=False)
    [found] = checks(judge(bbh_judge(), model, tmp_path, epochs=2, limit=1))
    assert found == {
        "model": "mockllm/model",
        "seeds": "unknown",
        "because": "the model is a mock",
    }


@pytest.mark.slow
def test_graders_are_checked_too(tmp_path: Path) -> None:
    """A grader that is run again is checked with the first output, and its score says so."""
    log = run(suite(rejudge(letters(), replications=3)), tmp_path)
    told = [(s.scores or {})["rejudge"].metadata or {} for s in log.samples or []]
    assert [metadata["seed_check"] for metadata in told if "seed_check" in metadata] == ["honoured"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("config", "because"), [({"temperature": 0.0}, "are one text"), ({"cache": True}, "cache")]
)
def test_graders_of_which_nothing_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: dict[str, Any], because: str
) -> None:
    """A grader that never varies, or outputs that come from a cache, show nothing about seeds."""
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    log = run(suite(rejudge(letters(model=tiny(**config)), replications=2)), tmp_path)
    [found] = checks(log)
    assert found["seeds"] == "unknown"
    assert because in found["because"]


@scorer(metrics=[mean()])
def shuffling() -> Scorer:
    """A scorer that shuffles what it shows to its grader, and keeps what came back."""
    turns = count()

    async def score(state: TaskState, target: Target) -> Score:
        order = "AB" if next(turns) % 2 else "BA"
        output = await get_model(role="grader").generate(f"{order}: {state.input_text}")
        return Score(value="C", explanation=f"{order} {output.completion}")

    return score


@pytest.mark.slow
@pytest.mark.parametrize(("replications", "outcome"), [(2, "honoured"), (1, "honoured")])
def test_only_outputs_of_one_prompt_are_compared(
    tmp_path: Path, replications: int, outcome: str
) -> None:
    """A grader that honours seeds is not accused of what its scorer shuffled."""
    log = run(suite(rejudge(shuffling(), replications)), tmp_path, get_model(f"{LENIENT}/one"))
    [found] = checks(log)
    assert found["seeds"] == outcome


def test_where_no_prompt_comes_twice_nothing_is_known() -> None:
    """What was seen is said: as many prompts as outputs."""
    draws = [[Drawn(f"{seed}{n}", prompt=f"{seed}{n}") for n in range(3)] for seed in range(2)]
    assert seed_outcome(draws) == (
        "unknown",
        "6 outputs of as many prompts: none was sent twice with one seed",
    )
