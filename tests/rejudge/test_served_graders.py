"""Replications of a served grader: each call has the seed of its own replication."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.hooks import ModelRetry
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, Model, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState

from chat_server import ChatServer, serving
from graders import in_full, run, suite
from inspect_reliability.rejudging import rejudge
from inspect_reliability.rejudging.again import DEAD, MOST_TRIES, CallRefusedError, Calls, RunLimits

pytestmark = pytest.mark.server

REPLICATIONS = 4
SAID = tuple(f"{letter}, because {letter} is best." for letter in "ABCDE")


@scorer(metrics=[mean()])
def letter(how: str = "once") -> Scorer:
    """The first letter that a grader says, asked in one of many ways."""
    number = iter(range(10**6))

    async def ask(question: str) -> str:
        config = GenerateConfig(max_tokens=9) if how == "config" else GenerateConfig()
        return (await get_model(role="grader").generate(question, config=config)).completion

    async def score(state: TaskState, target: Target) -> Score:
        turn, question = next(number), f"Which is best: {state.input_text}"
        if how == "never" and state.sample_id == 0:
            return Score(value="C")
        if how == "shuffled":
            question += f" ({turn})"
        if how == "fails" and turn % 5 == 0:
            raise ValueError("no grade")
        said = await ask(question)
        if how == "twice":
            said += await ask(f"{question} {said} Sure?")
        return Score(value=said[:1], explanation=said)

    return score


def judged(folder: Path, grader: Model, how: str = "once") -> list[dict[str, Any]]:
    return kept(run(suite(rejudge(letter(how), REPLICATIONS), questions=2), folder, grader))


def kept(log: EvalLog) -> list[dict[str, Any]]:
    return [in_full((sample.scores or {})["rejudge"]) for sample in log.samples or []]


def drawn(found: dict[str, Any]) -> list[str]:
    """What a server that honours seeds says to each seed, asked in no other way."""
    server = ChatServer(said=SAID)
    answers = [server.answer({"seed": seed})[1] for seed in found["seeds"]]
    return [answer["choices"][0]["message"]["content"][0] for answer in answers]


@pytest.mark.parametrize("how", ["config", "twice", "never", "shuffled"])
def test_replications_are_those_of_their_seeds(how: str, tmp_path: Path) -> None:
    """However a scorer calls its grader, each verdict is that of its own seed."""
    server = ChatServer(said=SAID)
    with serving(server) as name:
        scores = judged(tmp_path, get_model(name), how)
    for place, found in enumerate(scores):
        if how == "never" and place == 0:
            continue
        assert found["verdicts"] == drawn(found)
        assert len(set(found["verdicts"])) > 1
    assert all((body.get("n") or 1) == 1 for body in server.requests)
    if how == "config":
        assert {body.get("max_tokens") for body in server.requests} == {9}


def test_a_replication_that_fails_costs_no_other(tmp_path: Path) -> None:
    """A scorer that fails now and then loses those replications; the next run makes them."""
    server = ChatServer(said=SAID)
    with serving(server) as name:
        log = run(suite(rejudge(letter("fails"), REPLICATIONS)), tmp_path, get_model(name))
    for found in kept(log):
        pairs = zip(found["verdicts"], drawn(found), strict=True)
        assert all(verdict in (None, own) for verdict, own in pairs)
        assert 0 < found["verdicts"].count(None) == len(found["errors"]) < REPLICATIONS


class Failing(ChatServer):
    """A server that refuses the key of its first request."""

    failed = False

    def answer(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if not self.failed:
            self.failed = True
            return 401, {"error": {"message": "no key"}}
        return super().answer(body)


def test_a_request_that_fails_loses_its_replication_and_no_other(tmp_path: Path) -> None:
    """The others are made, and the reason is kept."""
    with serving(Failing(said=SAID)) as name:
        log = run(suite(rejudge(letter(), REPLICATIONS)), tmp_path, get_model(name))
        failed = [found for found in kept(log) if found["verdicts"] != drawn(found)]
        assert [found["verdicts"].count(None) for found in failed] == [1]
        assert all("no key" in why for why in failed[0]["errors"].values())


class Broken(ChatServer):
    """A server that changes its answers, or the first choice of each."""

    def __init__(self, answer: dict[str, Any], message: dict[str, Any]) -> None:
        super().__init__(said=SAID)
        self._changes = answer, message

    def answer(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        status, answer = super().answer(body)
        assert isinstance(answer, dict)
        answer["choices"][0]["message"] |= self._changes[1]
        return status, answer | self._changes[0]


@pytest.mark.filterwarnings("ignore:Pydantic serializer")
@pytest.mark.parametrize(
    ("answer", "message", "why"),
    [
        ({"choices": None}, {}, "TypeError"),
        ({}, {"content": [{"type": "text", "text": "A"}]}, "TypeError"),
    ],
)
def test_an_answer_that_is_none_is_a_failure(
    answer: dict[str, Any], message: dict[str, Any], why: str, tmp_path: Path
) -> None:
    """What a server gives in place of an answer fails the replication, and its error is kept."""
    with serving(Broken(answer, message)) as name:
        log = run(suite(rejudge(letter(), 2), questions=1), tmp_path, get_model(name))
    [found] = kept(log)
    assert found["verdicts"] == [None, None]
    assert all(why in one for one in found["errors"].values())


def test_a_server_without_answers_is_not_asked_for_ever() -> None:
    """A page in place of an answer ends the run after some tries; a limit of the rate never."""
    for error in (*DEAD, "RateLimitError"):
        for attempt in range(1, 20):
            calls = Calls(1, limits := RunLimits())
            with suppress(CallRefusedError):
                calls.retry(ModelRetry("judge", attempt, 3.0, exception_type=error))
            assert bool(limits.stopped) == (error in DEAD and attempt >= MOST_TRIES)
