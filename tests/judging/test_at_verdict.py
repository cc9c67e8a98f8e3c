"""Judges that reason first: sampled reasonings, and the exact verdict after each."""

import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import Logprob, TopLogprob

from chat_server import ChatServer, serving
from commands import full
from evals import evaluate
from inspect_reliability.answers import analyse
from inspect_reliability.answers.report import report_document
from inspect_reliability.designs import Item, JudgeDesign
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.parsing.reader import Reader
from inspect_reliability.scoring.exact_scores import AtVerdict, at_verdict
from inspect_reliability.showing import render
from inspect_reliability.study.tasks import bbh_judge
from inspect_reliability.tasks import judge_task
from logged import Logged

LETTERS = Reader({"options": ["A", "B", "C"]})
SCALE = Reader({"from": 1, "to": 10})
WORDS = Reader(["correct", "incorrect"])


def steps(*tokens: str | dict[str, float]) -> list[Logprob]:
    """Tokens: one that was certain, or what could have come, of which the first came."""
    found = []
    for token in tokens:
        chances = {token: 1.0} if isinstance(token, str) else token
        top = [TopLogprob(token=t, logprob=math.log(p)) for t, p in chances.items()]
        found.append(Logprob(token=top[0].token, logprob=top[0].logprob, top_logprobs=top))
    return found


def found(given: list[Logprob], reader: Reader, **settings: Any) -> AtVerdict:
    return at_verdict("".join(step.token for step in given), given, reader, **settings)


@pytest.mark.parametrize(
    ("given", "reader", "shares"),
    [
        (  # spellings of one verdict count together; what is no verdict stays open
            steps("Winner", ":", {" B": 0.5, "B": 0.1, " **B": 0.1, " A": 0.2, " the": 0.1}),
            LETTERS,
            {"B": 0.7, "A": 0.2},
        ),
        (  # the announced verdict, not those mentioned before and after it
            steps(
                {"A": 0.6, "B": 0.4}, " is short.", " Winner:", {" B": 0.9, " C": 0.1}, ". B wins."
            ),
            LETTERS,
            {"B": 0.9, "C": 0.1},
        ),
        (  # "1" may become "10"
            steps("Rating: ", {"1": 0.5, "7": 0.25}, {"0": 0.2, "\n": 0.6, "x": 0.2}),
            SCALE,
            {"10": 0.1, "1": 0.3, "7": 0.25},
        ),
        (  # the end of the text says that it does not
            steps("Rating: ", {"1": 0.5, "7": 0.25}, {"": 0.6, "0": 0.4}),
            SCALE,
            {"1": 0.3, "10": 0.2, "7": 0.25},
        ),
        (  # verdicts of several tokens
            steps("Verdict:", {" in": 0.8, " cor": 0.15}, "correct"),
            WORDS,
            {"incorrect": 0.8, "correct": 0.15},
        ),
        (steps({"Who": 0.5, "A": 0.5}, " knows?"), LETTERS, {"non-response": 1.0}),
    ],
)
def test_shares_at_the_verdict(given: list[Logprob], reader: Reader, shares: Any) -> None:
    """Probabilities are those of the verdict's own tokens; the rest of them is open."""
    answer = found(given, reader)
    assert answer.shares == pytest.approx(shares)
    assert answer.open_mass == pytest.approx(1 - sum(shares.values()))


@pytest.mark.parametrize("temperature", [0.0, 0.5, 1.0])
def test_probabilities_before_temperature(temperature: float) -> None:
    """Tempered shares are bounds: none is larger than if the tokens not returned were none."""
    given = steps("Winner:", {" B": 0.5, " A": 0.3, " C": 0.1})
    answer = found(given, LETTERS, temperature=temperature)
    powers = {
        name: p ** (1 / max(temperature, 1e-2))
        for name, p in {"B": 0.5, "A": 0.3, "C": 0.1}.items()
    }
    # At worst the missing tenth is one more token, as likely as the last returned.
    total = sum(powers.values()) + powers["C"]
    assert answer.shares == pytest.approx({n: p / total for n, p in powers.items()}, abs=1e-9)


def test_what_is_not_known_is_open() -> None:
    """Without probabilities of the text, or above temperature 1, all is open."""
    given = steps("Winner: ", {"B": 0.9, "A": 0.1})
    assert at_verdict("Winner: B", [], LETTERS) == AtVerdict("B", {}, 1.0)
    assert at_verdict("Winner: A", given, LETTERS) == AtVerdict("A", {}, 1.0)
    assert found(given, LETTERS, temperature=1.5) == AtVerdict("B", {}, 1.0)


REASONINGS = {
    "The first is longer.": {" A": 0.7, "A": 0.1, " B": 0.15, " So": 0.05},
    "The second is right.": {" B": 0.9, " A": 0.1},
    "Both will do.": {" A": 0.5, " B": 0.5},
}
VERDICTS = {  # of each reasoning, the word that is no verdict left out: then A or B comes anyway
    reasoning: {
        name: sum(p for t, p in chances.items() if t.strip() == name)
        / sum(p for t, p in chances.items() if t.strip() in "AB")
        for name in "AB"
    }
    for reasoning, chances in REASONINGS.items()
}


class Reasoner(ChatServer):
    """Draws one of three reasonings, and then a verdict with that reasoning's probabilities."""

    def _text(self, seed: int, body: dict[str, Any]) -> str:
        draws = random.Random(f"{seed} {'question 1' in str(body['messages'])}")
        reasoning = draws.choice(list(REASONINGS))
        chances = {t: p for t, p in REASONINGS[reasoning].items() if t != " So"}
        (token,) = draws.choices(list(chances), list(chances.values()))
        return f"{reasoning} Winner:{token}"

    def _choice(self, place: int, text: str, body: dict[str, Any]) -> dict[str, Any]:
        choice = super()._choice(place, text, body)
        if "top_logprobs" in body:
            before, token = text.split(":")
            chances = {token: REASONINGS[before.removesuffix(" Winner")][token]}
            chances |= REASONINGS[before.removesuffix(" Winner")]
            given = steps(*(f"{word} " for word in before.split()[:-1]), "Winner", ":", chances)
            choice["logprobs"] = {"content": [step.model_dump() for step in given]}
        return choice


PROMPT = """{{ question }} {% for option in options %}{{ option.label }}: {{ option.text }}
{% endfor %}Reason, then say "Winner: A" or "Winner: B"."""
DESIGN = JudgeDesign("Pairs", PROMPT, {"options": ["A", "B"]})
ITEMS = [Item(f"q{i}", f"question {i}", {"x": "long", "y": "right"}) for i in range(3)]


def run(server: ChatServer, folder: Path, replications: int) -> EvalLog:
    task = judge_task(DESIGN, ITEMS, exact="verdict", replications=replications)
    with serving(server) as name:
        log = evaluate(task, folder, model=name, temperature=1)
    assert log.status == "success", log.error
    return read_eval_log(log.location)


@pytest.mark.server
def test_a_served_judge_that_reasons(tmp_path: Path) -> None:
    """Over HTTP each reasoning gets its own distribution, and the split is that of the truth."""
    log = run(Reasoner(), tmp_path, 60)
    for sample in log.samples or []:
        kept = (sample.scores or {})["verdict"].metadata["exact"]  # type: ignore[index]
        assert [one["replication"] for one in kept] == list(range(1, 61))
        for one, choice in zip(kept, sample.output.choices, strict=True):
            reasoning, _, drawn = choice.message.text.partition(" Winner:")
            chances = REASONINGS[reasoning]
            for name in "AB":
                expected = sum(p for t, p in chances.items() if t.strip() == name)
                assert one["shares"][name] == pytest.approx(expected)
            assert one["open_mass"] == pytest.approx(chances.get(" So", 0), abs=1e-9)
            assert not one["tail"] or one["tail"] == [drawn.strip()]
    analysis = analyse(judgments_from_logs(log.location))
    (row,) = analysis.results["rows"]
    assert (row["method"], row["n_replications"]) == ("exact at the verdict", 60)
    assert row["open_mass"] == pytest.approx(0.05 / 3, abs=0.02)
    q = np.array([[one["A"], one["B"]] for one in VERDICTS.values()])
    at = 1 - (q**2).sum(axis=1).mean()
    between = 1 - (q.mean(axis=0) ** 2).sum() - at
    assert row["disagreement_at_verdict"] == pytest.approx(at, abs=0.03)
    assert row["disagreement_between_reasonings"] == pytest.approx(between, abs=0.05)
    text = render(full(report_document(analysis)), "table")
    assert "Exact at the verdict: reasonings were sampled" in " ".join(text.split())


@pytest.mark.server
@pytest.mark.parametrize("way", ["ignores", "refuses"])
def test_a_provider_without_probabilities(way: str, tmp_path: Path, logged: Logged) -> None:
    """Where none are returned, one warning says so and the verdicts are sampled ones."""
    server = Reasoner(**{way: ("logprobs", "top_logprobs")})  # type: ignore[arg-type]
    log = run(server, tmp_path, 4)
    assert logged.text.count("returns no log probabilities, so verdicts are sampled") == 1
    (row,) = analyse(judgments_from_logs(log.location)).results["rows"]
    assert (row["method"], row["n_replications"], row["open_mass"]) == ("sampled", 4, None)


@pytest.mark.slow
def test_each_cell_has_the_distribution_after_its_own_reasonings(tmp_path: Path) -> None:
    """After many reasonings in each order, shares are those of its whole tree."""
    cells: dict[str, Any] = {"orders": 2}
    options: dict[str, Any] = {"model": "hf_seeded/tiny-judge", "limit": 1, "max_tokens": 12}
    whole = evaluate(bbh_judge(exact=True, **cells), tmp_path, **options)
    after = evaluate(bbh_judge(exact="verdict", replications=12, **cells), tmp_path, **options)

    def shares(log: EvalLog) -> Any:
        table = judgments_from_logs(log.location).table
        each = table.groupby(["order", "verdict"])["share"].sum().unstack(fill_value=0)
        return each.div(each.sum(axis=1), axis=0)

    found, expected = shares(after), shares(whole)
    assert len(found) == 2
    assert found.sub(expected, fill_value=0).abs().to_numpy().max() < 0.1
    table = judgments_from_logs(after.location).table
    seeds = table.groupby("order")["seed"].agg(["nunique", "min", "max"])
    assert seeds["nunique"].tolist() == [12] * 2
    assert (seeds["max"] - seeds["min"]).tolist() == [11] * 2
    results = analyse(judgments_from_logs(after.location)).results
    methods = {(row["method"], row["n_replications"]) for row in results["rows"]}
    assert methods == {("exact at the verdict", 2 * 12)}
    assert {one["facet"] for one in results["moves"]} == {"order"}
