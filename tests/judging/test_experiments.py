"""Experiments: a judge asked in several orders and wordings, each in a cell of its own."""

import re
from collections.abc import Callable
from functools import partial
from math import factorial
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval, eval_retry
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from evals import evaluate
from example_logs import DRAWN
from inspect_reliability import Item, JudgeDesign, judge
from inspect_reliability.answers import analyse
from inspect_reliability.designs import wordings_of
from inspect_reliability.errors import UserError
from inspect_reliability.judging.asking import MOST_ORDERS, item_of, number_of_orders, orders_of
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.judgments.text import judgment_text
from inspect_reliability.study.tasks import bbh_judge, head_to_tail_judge
from inspect_reliability.verdicts import GIVEN

DESIGN = JudgeDesign(
    name="Pick",
    prompt="Pick one. Name its letter.\n\nQuestion: {{ question }}"
    "{% for option in options %}\n[{{ option.label }}]: {{ option.text }}{% endfor %}",
    verdict={"options": ["A", "B", "C"]},
)
ITEMS = [Item(f"q{n}", f"{n}?", {"x": "good", "y": f"bad {n}", "z": "poor"}) for n in range(2)]


def first_place(prompt: str, seed: int) -> str:
    """Follows the place."""
    return str(re.search(r"\n\W?(\w)\W* \w+", prompt.partition("Question")[2])[1])  # type: ignore[index]


def the_good_one(prompt: str, seed: int) -> str:
    """Follows what is right."""
    return str(re.search(r"\n\W?(\w)\W*:? -? ?good", prompt)[1])  # type: ignore[index]


def unbracketed(prompt: str, seed: int) -> str:
    """Follows the wording, and sometimes the seed."""
    return "A" if "[" not in prompt else "B" if seed % 5 else "C"


def run(says: Callable[[str, int], str], folder: Path, epochs: int = 1, **options: Any) -> EvalLog:
    def answer(messages: Any, tools: Any, choice: Any, config: Any) -> ModelOutput:
        said = f"Winner: {says(messages[-1].text, config.seed)}"
        output = ModelOutput.from_content("mockllm/model", said)
        output.usage = ModelUsage()
        return output

    task = judge(DESIGN, ITEMS, **options)
    model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
    log = evaluate(task, folder, model=model, epochs=epochs)
    assert log.status == "success", log.error
    return log


def moves(log: EvalLog) -> dict[str, tuple[float, float]]:
    found = analyse(judgments_from_logs(log.location)).results["moves"]
    return {one["facet"]: (one["disagreement_across"], one["disagreement_within"]) for one in found}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("says", "order", "wording"),
    [(first_place, 1.0, 0.0), (the_good_one, 0.0, 0.0), (unbracketed, None, 1.0)],
)
def test_a_judge_moves_with_what_it_follows(
    says: Callable[[str, int], str], order: float | None, wording: float, tmp_path: Path
) -> None:
    """Place, response and wording are told apart in judges that follow one of them."""
    options = {"wordings": ["whitespace", "labels"], "orders": "rotations", "replications": 3}
    if order is None:
        options = {"wordings": "labels", "replications": 3}
    found = moves(run(says, tmp_path, **options))
    assert found.get("order", (None,))[0] == order
    assert found["wording"][0] == wording


@pytest.mark.slow
def test_each_judgment_is_that_of_its_cell(tmp_path: Path) -> None:
    """A row's order, wording and seed make its prompt, its output and its verdict."""
    log = run(unbracketed, tmp_path, orders=2, wordings=["labels", "whitespace"], replications=3)
    table = judgments_from_logs(log.location).table
    assert len(table) == 2 * 2 * 3 * 3
    assert table.groupby(["question", "order", "wording"]).size().unique() == [3]
    worded = wordings_of(DESIGN, ["labels", "whitespace"])
    for row in table.to_dict("records"):
        text, name = judgment_text(row), str(row["wording"])
        item = next(one for one in ITEMS if one.id == row["question"])
        assert text
        assert text.prompt == worded[name].ask(item, row["order"])
        said = unbracketed(str(text.prompt), row["seed"])
        assert text.output == f"Winner: {said}"
        assert row["verdict"] == said
        assert row["responder"] == row["order"]["ABC".index(said)]
    seeds = table.groupby("question")["seed"].agg(["nunique", "size"])
    assert (seeds["nunique"] == seeds["size"]).all()


@pytest.mark.slow
def test_epochs_are_replications_of_each_cell(tmp_path: Path) -> None:
    """Two replications in two epochs are the four of one, and so are four epochs."""

    def judgments(folder: str, **options: Any) -> set[tuple[Any, ...]]:
        log = run(unbracketed, tmp_path / folder, orders=2, wordings="labels", **options)
        table = judgments_from_logs(log.location).table
        names = ["question", "order", "wording", "replication", "seed", "verdict"]
        return set(table[names].itertuples(index=False, name=None))

    whole = judgments("a", replications=4)
    assert judgments("b", replications=2, epochs=2) == whole
    assert judgments("c", epochs=4) == whole


@pytest.mark.slow
def test_the_given_wording_is_the_judge_by_itself(tmp_path: Path) -> None:
    """Where no order is varied, its prompts and its seeds are those of a run without wordings."""
    columns = ["question", "order", "replication", "seed", "verdict"]
    alone = run(unbracketed, tmp_path / "a", replications=5).location
    log = run(unbracketed, tmp_path / "b", replications=3, wordings="labels").location
    plain, table = (judgments_from_logs(one).table for one in (alone, log))
    own = table[table["wording"] == GIVEN][columns].reset_index(drop=True)
    assert own.equals(plain[plain["replication"] < 4][columns].reset_index(drop=True))
    for logs in ([alone, log], [log, alone]):
        both = judgments_from_logs(logs).table
        assert both["wording"].value_counts().to_dict() == {GIVEN: 2 * 5, "labels": 2 * 3}


def test_cells_and_calls_are_said_first(capsys: pytest.CaptureFixture[str]) -> None:
    """Before the first call, once."""
    for _ in range(2):
        judge(DESIGN, ITEMS, orders="all", wordings=["labels", "whitespace"], replications=7)
    assert capsys.readouterr().out == (
        "Pick: 2 questions x 6 orders x 3 wordings (given, labels, whitespace) = 36 cells x 7 "
        "replications = 252 calls, in each epoch. --limit takes fewer questions.\n"
    )


@pytest.mark.slow
def test_the_viewer_shows_each_cell(tmp_path: Path) -> None:
    """A score's text has a part a cell, under its wording and its order."""
    log = read_eval_log(run(first_place, tmp_path, orders=2, wordings="labels").location)
    for sample in log.samples or []:
        score = (sample.scores or {})["verdict"]
        titles = re.findall(r"\*\*(.*)\*\*", score.explanation or "")
        assert [one.split(": ")[0] for one in titles] == [GIVEN, "labels"] * 2
        shown = {one.split(": ")[1] for one in titles}
        assert {tuple(sorted(one.split(", "))) for one in shown} == {("x", "y", "z")}
        assert len(shown) == 2
        assert str(score.answer).split()[1] in {one.split(", ")[0] for one in shown}


@pytest.mark.slow
def test_an_experiment_that_broke_off_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Retried by inspect, it has the judgments of a run that did not break off."""
    monkeypatch.chdir(Path(__file__).parents[2])
    cells = {"orders": 2, "wordings": "labels", "replications": 2}
    options: dict[str, Any] = {"limit": 3, "max_samples": 1, "task_args": cells}
    third = bbh_judge().dataset[2].id

    def gone(metadata: Any) -> Item:
        if metadata["item"]["id"] == third:
            raise ConnectionError("the judge went away")
        return item_of(metadata)

    def judgments(folder: str, start: Callable[..., list[EvalLog]], *given: Any) -> Any:
        logs = start(*given, log_dir=str(tmp_path / folder), display="none")
        table = judgments_from_logs(tmp_path / folder).table
        names = ["question", "order", "wording", "replication", "seed", "verdict"]
        return logs[0], set(table[names].itertuples(index=False, name=None))

    run = partial(eval, "tasks/bbh_judge.py", DRAWN, **options)
    _, whole = judgments("whole", run)
    with monkeypatch.context() as patch:
        patch.setattr("inspect_reliability.judging.judge.item_of", gone)
        log, kept = judgments("broken", run)
    assert log.status == "error"
    assert len(kept) == 2 * 2 * 2 * 2
    _, retried = judgments("retried", eval_retry, log)
    assert kept < retried == whole


@pytest.mark.parametrize("number", [2, 3, 5, 6])
@pytest.mark.parametrize("policy", ["shuffled", "given"])
def test_orders_differ_and_are_those_of_every_question(number: int, policy: Any) -> None:
    """As many as were asked for; names change places alike, whatever they are."""
    found = orders_of(["c", "a", "b"], number, policy, 3)
    assert len(set(found)) == number
    assert policy != "given" or found[0] == ("c", "a", "b")
    other = {"a": "p", "b": "q", "c": "r"}
    renamed = orders_of(["r", "p", "q"], number, policy, 3)
    assert renamed == [tuple(other[name] for name in order) for order in found]
    places = min(number, 3)
    assert all(len({order.index(name) for order in found[:places]}) == places for name in "abc")


def test_seeds_draw_other_orders() -> None:
    """An order that is not the source's follows from the seed."""
    assert len({orders_of("abcde", 2, "shuffled", seed)[0] for seed in range(30)}) > 20


@pytest.mark.parametrize(
    ("orders", "options", "policy", "message"),
    [
        (2, 0, "shuffled", "does not choose among options"),
        (2, 3, "reshuffled", "Leave out one of them"),
        (1, 3, "shuffled", "orders=1: expected for example"),
        ("two", 3, "shuffled", "orders=two: expected for example"),
        (7, 3, "shuffled", "3 options have 6 orders. Use -T orders=all"),
        ("all", 6, "shuffled", "720 times; the most is 120. Use -T orders=rotations"),
    ],
)
def test_orders_that_cannot_be(orders: Any, options: int, policy: Any, message: str) -> None:
    """Refused with the reason."""
    with pytest.raises(UserError, match=message):
        number_of_orders(orders, options, policy)


def test_as_many_orders_as_five_options_have() -> None:
    """The most that is allowed is all orders of the paper's options."""
    assert number_of_orders("all", 5, "shuffled") == MOST_ORDERS == factorial(5)
    assert len(set(orders_of("abcde", MOST_ORDERS, "shuffled", 0))) == MOST_ORDERS


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (head_to_tail_judge, {"wordings": "labels"}, "the prompt shows no"),
        (bbh_judge, {"orders": 2, "order": "reshuffled"}, "Leave out one of them"),
        (bbh_judge, {"wordings": "nowhere.yaml"}, "No file or folder 'nowhere.yaml'"),
    ],
)
def test_a_task_refuses_before_the_first_call(make: Any, options: Any, message: str) -> None:
    """What cannot be varied is said when the task is made."""
    with pytest.raises(UserError, match=message):
        make(**options)
