"""Requests of a run to a server: choices of one request, and options that are not sent."""

from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval
from inspect_ai.event import InfoEvent
from inspect_ai.log import EvalLog, read_eval_log

from chat_server import ChatServer, serving
from inspect_reliability.answers import analyse
from inspect_reliability.judging import requests
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.record.replications import replication_seed
from inspect_reliability.study.tasks import bbh_judge
from logged import Logged

pytestmark = pytest.mark.server

REPLICATIONS = 12
SAID = tuple(f"Best Response: [[{letter}]]" for letter in "ABCDE")


@pytest.fixture
def judge(tmp_path: Path) -> Any:
    """Runs a judge task on three questions against a server."""

    def run(server: ChatServer, **options: Any) -> EvalLog:
        arguments = {
            "limit": 3,
            "epochs": 1,
            "display": "none",
            "log_realtime": False,
            "fail_on_error": False,
        } | options
        replications = arguments.pop("replications", REPLICATIONS)
        with serving(server) as model:
            task = bbh_judge(replications=replications)
            (log,) = eval(task, model=model, log_dir=str(tmp_path), **arguments)
        return read_eval_log(log.location)

    return run


def verdicts(log: EvalLog) -> dict[tuple[str, int], tuple[int, str]]:
    assert log.status == "success", log.error
    table = judgments_from_logs(log.location).table
    keys = zip(table["question"], table["replication"], strict=True)
    values = zip(table["seed"], table["verdict"], strict=True)
    return dict(zip(keys, values, strict=True))


def drawn(log: EvalLog) -> dict[tuple[str, int], tuple[int, str]]:
    """What the server says to each seed, asked in no other way."""
    server = ChatServer(said=SAID)
    expected = {}
    for question in {name for name, _ in verdicts(log)}:
        for number in range(1, REPLICATIONS + 1):
            seed = replication_seed(0, question, number)
            _, answer = server.answer({"seed": seed})
            said = answer["choices"][0]["message"]["content"]
            expected[question, number] = (seed, said[-3])
    return expected


def found(log: EvalLog) -> dict[str, str]:
    """What the run found out about its requests."""
    events = [event for sample in log.samples or [] for event in sample.events]
    told = [event.data for event in events if isinstance(event, InfoEvent)]
    return {k: v for one in told if isinstance(one, dict) for k, v in one.items()}


def choices_asked(server: ChatServer) -> list[int]:
    """Choices of the requests that asked for several, without the first, which is the check's."""
    return sorted([n for body in server.requests if (n := body.get("n") or 1) > 1][1:])


@pytest.mark.parametrize(
    ("server", "most", "outcome", "asked"),
    [
        (ChatServer(said=SAID), 100, "honoured", [REPLICATIONS] * 3),
        (ChatServer(said=SAID), 5, "honoured", [2, 2, 2, 5, 5, 5, 5, 5, 5]),
        (ChatServer(said=SAID, most_choices=5), 100, "honoured", [3] * 12),
        (ChatServer(said=SAID, gives=5), 100, "honoured", [2, 2, 2, 5, 5, 5, 5, 5, 12]),
        (ChatServer(said=SAID, choices="repeat"), 100, "not honoured", []),
        (ChatServer(said=SAID, choices="shift"), 100, "not honoured", []),
        (ChatServer(said=SAID, choices="one"), 100, "not honoured", []),
        (ChatServer(said=SAID, refuses=("n",)), 100, "not honoured", []),
    ],
)
def test_replications_are_those_of_their_seeds(
    server: ChatServer,
    most: int,
    outcome: str,
    asked: list[int],
    judge: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However a server treats choices, each replication is the draw of its own seed."""
    monkeypatch.setattr(requests, "MOST_CHOICES", most)
    log = judge(server, max_samples=1, limit=3 if asked else 1)
    assert verdicts(log) == drawn(log)
    assert found(log)["seeds of choices"] == outcome
    scores = [(sample.scores or {})["verdict"].metadata or {} for sample in log.samples or []]
    assert {one["seeds_of_choices"] for one in scores} == {outcome}
    assert choices_asked(server) == asked


def test_a_run_checks_once_while_questions_wait(judge: Any) -> None:
    """Questions that begin at once share one check, whose calls are few."""
    server = ChatServer(said=SAID)
    judge(server)
    checks = requests.TRIED + 1  # draws, choices
    seeds = 4  # what the seed check draws besides two replications
    assert len(server.requests) == 3 + checks + seeds


def test_choices_that_never_vary_show_nothing(judge: Any) -> None:
    """A server that always says one thing may repeat a seed: each replication asks for itself."""
    server = ChatServer(said=SAID[:1], choices="repeat")
    log = judge(server, limit=4)
    assert found(log)["seeds of choices"] == "unknown"
    assert choices_asked(server) == [requests.TRIED] * (requests.QUESTIONS - 1)
    assert len(verdicts(log)) == 4 * REPLICATIONS
    checks = requests.QUESTIONS * (requests.TRIED + 1) + 15  # and seeds at most
    assert 4 * REPLICATIONS < len(server.requests) <= 4 * REPLICATIONS + checks


@pytest.mark.parametrize(
    ("replications", "extra", "sent"),
    [(None, {"min_p": 0.1}, 50), (4, {"top_k": 7}, 7)],
)
def test_top_k_reaches_a_server_that_takes_it(
    replications: int | None, extra: Any, sent: int, judge: Any
) -> None:
    """Every request has it, beside what the user adds, whose own value wins; the log shows it."""
    server = ChatServer(said=SAID)
    log = judge(server, replications=replications, extra_body=extra)
    assert {body.get("top_k") for body in server.requests} == {sent}
    assert {body.get("min_p") for body in server.requests} == {(extra or {}).get("min_p")}
    shown = [
        event.config
        for sample in log.samples or []
        for event in sample.events
        if event.event == "model"
    ]
    assert (shown[-1].extra_body or {})["top_k"] == sent
    assert "options_not_sent" not in judgments_from_logs(log.location).table


def test_a_refused_option_is_said_once_and_again_in_the_report(judge: Any, logged: Logged) -> None:
    """A server without top_k judges without it: one warning, and a caution in reports."""
    server = ChatServer(said=SAID, refuses=("top_k",))
    log = judge(server)
    assert verdicts(log) == drawn(log)
    told = [one.getMessage() for one in logged.records if "did not reach" in one.getMessage()]
    assert len(told) == 1
    assert ": top_k of this task" in told[0]
    [row] = analyse(judgments_from_logs(log.location)).results["rows"]
    assert any("did not get: top_k." in caution for caution in row["cautions"])


def test_a_server_that_fails_now_and_then_is_judged_all_the_same(judge: Any) -> None:
    """A failed request loses no replication but its own, and no option is given up for it."""
    server = ChatServer(said=SAID, fails_every=9)
    log = judge(server, max_samples=1)
    made, expected = verdicts(log), drawn(log)
    assert {body.get("top_k") for body in server.requests} == {50}
    assert made == {one: expected[one] for one in made}
    assert len(made) > 2 * REPLICATIONS
