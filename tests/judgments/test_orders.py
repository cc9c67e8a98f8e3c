"""What verdicts name where orders have names: places, or responses."""

import tracemalloc
from collections.abc import Sequence
from itertools import cycle, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import invoke
from inspect_reliability import analyse, compare, judgments_from_file, judgments_from_frame, omega
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.described import described
from inspect_reliability.judgments.pairs import Pair
from inspect_reliability.judgments.sources import judgments_from
from inspect_reliability.judgments.table import save

WORDS = {"A": "B", "1": "2", "A>B": "B>A", "A>>B": "B>>A", "[[A]]": "[[B]]", "left": "right"}
WORDS |= {"model_1": "model_2", "Response A": "Response B", "first": "second"}
WORDS |= {"the first response": "the second response", "Erste Antwort": "Zweite Antwort"}
WORDS |= {"premier": "deuxième", "la première": "la seconde", "izquierda": "derecha"}
ORDERS = [("given", "swapped"), ("AB", "BA"), ("1", "2"), ("original", "reversed")]
ORDERS += [("swap = False", "swap = True"), ("one", "other"), ("normal", "flipped")]


def pairs(
    first: str = "A", names: tuple[str, str] = ("given", "swapped"), **more: object
) -> pd.DataFrame:
    """Verdicts that name responses, of a judge that is right in 80% and ties in 10%."""
    rng = np.random.default_rng(3)
    response = (first, WORDS[first])
    rows = []
    for question, order, n in product(range(60), names, (1, 2)):
        right = question % 2
        said = right if rng.random() < 0.8 else 1 - right
        verdict = "tie" if rng.random() < 0.1 else response[said]
        rows.append(("j", f"q{question}", order, n, verdict, response[right]))
    columns = ["judge", "question", "order", "replication", "verdict", "right"]
    return pd.DataFrame(rows, columns=columns).assign(**more)


def by_place(frame: pd.DataFrame, names: tuple[str, str] = ("given", "swapped")) -> pd.DataFrame:
    """The same verdicts, naming the places of the responses."""
    other = {one: WORDS.get(one, one) for one in frame["verdict"].unique()}
    other |= {two: one for one, two in WORDS.items() if two in other}
    there = frame["verdict"].map(other).where(frame["order"] == names[1], frame["verdict"])
    return frame.assign(verdict=there)


def unlabelled(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.drop(columns="right")


@pytest.mark.parametrize(("first", "names"), zip(WORDS, cycle(ORDERS), strict=False))
def test_swap_gives_the_responses_behind_the_places(first: str, names: tuple[str, str]) -> None:
    """`swap=True` turns verdicts by place into those by response; `swap=False` leaves them."""
    true = unlabelled(pairs(first, names))
    for swap, frame in ((True, by_place(true, names)), (False, true)):
        read = judgments_from_frame(frame, swap=swap)
        assert list(read.table["verdict"]) == list(true["verdict"])
        names_of = "response by place" if swap else "response"
        assert set(read.table["verdict_names"]) == {names_of}
        assert not read.asked


@given(st.sampled_from([*WORDS, *WORDS.values(), "tie", "A=B", "C", "non-response", "10", "a > b"]))
def test_exchanging_twice_changes_nothing(verdict: str) -> None:
    """Exchanging places is its own inverse, and never touches a verdict without one."""
    for names in (("A", "B"), ("1", "2"), ("left", "right"), ("first", "second")):
        pair = Pair(*names)
        assert pair.exchanged(pair.exchanged(verdict)) == verdict
        assert (pair.exchanged(verdict) != verdict) == pair.has(verdict)


@pytest.mark.slow
@pytest.mark.parametrize("first", ["A", "1", "[[A]]", "left", "first", "premier"])
def test_what_verdicts_name_is_asked(first: str) -> None:
    """Letters, numbers, sides and ordinals may all name a place or a response."""
    assert len(judgments_from_frame(unlabelled(pairs(first))).asked) == 1


@pytest.mark.parametrize("names", ["right wrong", "not_right right", "first second third"])
def test_words_that_are_no_two_places_are_not_asked_about(names: str) -> None:
    """ "right" beside "wrong" is no side, and of three places an exchange says nothing."""
    frame = unlabelled(pairs()).replace({"verdict": dict(zip("AB", names.split(), strict=False))})
    frame["verdict"] = frame["verdict"].replace({"tie": names.split()[-1]})
    assert not judgments_from_frame(frame).asked


@pytest.mark.slow
def test_labels_in_letters_name_responses_beside_verdicts_in_words() -> None:
    """Each meaning says how often it is right; labels that stay in another order are responses."""
    true = pairs()
    words = {"A": "first", "B": "second"}
    frame = by_place(true).replace({"verdict": words}).rename(columns={"right": "label"})
    [open_] = judgments_from_frame(frame).asked
    right, given = true["right"], true["verdict"] != "tie"
    for shown, choice in zip((true, by_place(true)), open_.choices, strict=True):
        share = (shown["verdict"] == right)[given].mean()
        assert f"{share:.0%} are right by the labels" in choice.means
    read = judgments_from_frame(frame, swap=True).table
    assert list(read["verdict"]) == list(true["verdict"].replace(words))
    assert list(read["label"]) == list(right.replace(words))


@pytest.mark.slow
def test_nothing_is_computed_until_a_meaning_is_chosen() -> None:
    """The question says how far another order moves the verdicts in either meaning."""
    frame = unlabelled(pairs())
    [open_] = judgments_from_frame(frame).asked
    both = [analyse(frame, swap=swap) for swap in (True, False)]
    moves = [one.results["moves"][0] for one in both]
    for choice, call, move in zip((True, False), open_.calls, moves, strict=True):
        assert call == f"swap={choice}"
        [means] = [one.means for one in open_.choices if one.call == call]
        assert f"another order changes {move['disagreement_across']:.1%}" in means
    for asked in (analyse, omega, lambda one: compare(one, one.assign(judge="k"))):
        with pytest.raises(UserError, match="swap=True"):
            asked(frame)


def test_labels_that_change_places_with_the_order_are_places() -> None:
    """Labels by place are exchanged with the verdicts."""
    true = pairs().rename(columns={"right": "label"})
    shown = by_place(true.assign(verdict=true["label"]))["verdict"]
    frame = by_place(true).assign(label=shown)
    read = judgments_from_frame(frame, swap=True).table
    assert list(read["verdict"]) == list(true["verdict"])
    assert list(read["label"]) == list(true["label"])


@pytest.mark.slow
@pytest.mark.parametrize("columns", [("response_a", "response_b"), ("model_1", "model_2")])
@pytest.mark.parametrize("ordered", [True, False])
def test_columns_of_the_responses_as_shown_decide(columns: tuple[str, str], ordered: bool) -> None:
    """Where columns show the responses as the judge saw them, verdicts name places."""
    true = unlabelled(pairs())
    shown = np.where(true["order"] == "swapped", "yx", "xy")
    one, other = columns
    frame = by_place(true).assign(**{one: [s[0] for s in shown], other: [s[1] for s in shown]})
    read = judgments_from_frame(frame if ordered else frame.drop(columns="order"))
    assert list(read.table["verdict"]) == list(true["verdict"])
    assert not read.asked
    same = judgments_from_frame(frame.assign(**{one: "x", other: "y"}))
    assert same.asked


@pytest.mark.slow
def test_one_long_response_takes_no_room_in_other_rows() -> None:
    """Responses as shown are compared as they are, not padded to the longest."""
    frame = pd.DataFrame({"question": range(100), "verdict": "A", "response_b": "y"})
    frame["response_a"] = ["x" * 100_000, *"x" * 99]
    tracemalloc.start()
    judgments_from_frame(frame)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000


@pytest.mark.parametrize(
    "verdicts", ["0 1", "A B C D", "1 2 3 4 5", "yes no", "model-x model-y", "3 7", "B+ A-"]
)
def test_verdicts_that_name_no_two_places_are_left_alone(verdicts: str) -> None:
    """Scales, options, grades and names are no places: nothing is open, and nothing to swap."""
    given = np.resize(verdicts.split(), 240)
    frame = unlabelled(pairs()).assign(verdict=given)
    assert not judgments_from_frame(frame).asked
    if verdicts != "0 1":
        with pytest.raises(UserError, match="nothing to swap"):
            judgments_from_frame(frame, swap=True)


@pytest.mark.slow
def test_what_we_write_names_responses_and_refuses_to_swap(tmp_path: Path) -> None:
    """Saved judgments and tables read back as they were, and cannot be swapped again."""
    frame = unlabelled(pairs())
    frame.to_csv(tmp_path / "mine.csv", index=False)
    read = judgments_from(tmp_path / "mine.csv", swap=True)
    save(read, tmp_path / "saved.parquet")
    run = invoke("report", f"{tmp_path}/mine.csv", "--swap", "--tables", f"{tmp_path}/t")
    assert run.exit_code == 0
    for path in ("saved.parquet", "t/judgments.csv", "t/judgments.parquet"):
        again = judgments_from(tmp_path / path)
        assert list(again.table["verdict"]) == list(read.table["verdict"])
        assert not again.asked
        with pytest.raises(UserError, match="nothing is left to swap"):
            judgments_from_file(tmp_path / path, swap=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["report"], 2),
        (["gate", "--max", "non_response_rate=0.5"], 2),
        (["plan"], 2),
        (["report", "--tables", "t"], 2),
        (["report", "--save", "s.parquet"], 2),
        (["gate", "--max", "non_response_rate=0.5", "--swap"], 0),
    ],
)
def test_commands_say_both_calls_and_wait_for_one(
    command: list[str], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A note has both calls, and every command needs one meaning."""
    monkeypatch.chdir(tmp_path)
    unlabelled(pairs()).to_csv("mine.csv", index=False)
    run = invoke(command[0], "mine.csv", *command[1:])
    assert run.exit_code == code, run.output
    if "--swap" not in command:
        assert run.stderr.startswith("Error: This can mean two things.")
        lines = [line.strip() for line in run.stderr.splitlines()]
        assert {"--swap", "--no-swap"} <= {*lines}
        assert not run.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.csv"]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["['{}', '{}']", "['{}' '{}']", '["{}", "{}"]', "('{}', '{}')"])
def test_lists_of_orders_read_as_python_prints_them_and_ties_stay(form: str) -> None:
    """A printed list is the list, and a tie is a tie in every order."""
    true = unlabelled(pairs())
    orders = [("x", "y"), ("y", "x")]
    shown = [orders[order == "swapped"] for order in true["order"]]
    lists = by_place(true).assign(order=shown)
    printed = lists.assign(order=[form.format(*one) for one in shown])
    found, read = (judgments_from_frame(one).table for one in (lists, printed))
    pd.testing.assert_frame_equal(found, read)
    [row] = analyse(printed).rows
    named = dict(zip("AB", "xy", strict=True))
    assert list(row.judged.choices) == [
        named.get(one, one)
        for one in true.sort_values(["question", "replication"], kind="stable")["verdict"]
    ]


@pytest.mark.slow
def test_letters_of_mt_bench_give_the_numbers_of_their_study(data: Path) -> None:
    """Across and within are those of the data's README, in either meaning."""
    path = data / "doors/mtbench_letters_named.csv"
    for swap, across in ((True, (0.345, 0.132)), (False, (0.707, 0.861))):
        analysis = analyse(judgments_from_file(path, swap=swap))
        moves = {one["judge"]: one for one in analysis.results["moves"]}
        known = zip(("claude-3-haiku-20240307", "gpt-4-0613"), across, (0.212, 0.061), strict=True)
        for judge, between, within in known:
            assert moves[judge]["disagreement_across"] == pytest.approx(between, abs=1e-3)
            assert moves[judge]["disagreement_within"] == pytest.approx(within, abs=1e-3)


LABELS = [("A", "B"), ("1", "2"), ("model_a", "model_b"), ("Response 1", "Response 2"), None]


@pytest.mark.parametrize(
    ("verdicts", "labels"),
    [(LABELS[0], one) for one in LABELS]
    + [(one, LABELS[1]) for one in LABELS[3:]]
    + [(None, None)],
)
def test_labels_are_read_as_verdicts_are(
    verdicts: tuple[str, str] | None, labels: tuple[str, str] | None
) -> None:
    """Where columns show the responses, a label of the place and one of the response are alike.

    None are the names of the responses.
    """
    rng = np.random.default_rng(5)
    rows, right = [], []
    for question, turned in product(range(40), (False, True)):
        shown = ("llama", "alpaca")[:: -1 if turned else 1]
        best = ("llama", "alpaca")[question % 2]
        said = best if rng.random() < 0.8 else ({*shown} - {best}).pop()
        words = [
            (names or shown)[shown.index(one)] for names, one in ((verdicts, said), (labels, best))
        ]
        rows.append((f"q{question}", *shown, *words))
        right.append(said == best)
    columns = ["question", "model_a", "model_b", "verdict", "label"]
    analysis = analyse(pd.DataFrame(rows, columns=columns))
    [found] = analysis.results["validity"]
    assert found["accuracy"] == pytest.approx(np.mean(right))
    [move] = analysis.results["moves"]
    same = np.array(right).reshape(-1, 2)
    assert move["disagreement_across"] == pytest.approx(np.mean(same[:, 0] != same[:, 1]))


def test_names_that_end_like_a_place_are_no_places() -> None:
    """ "llama" is no "A", and "beta" no "B" either."""
    assert not any(Pair("A", "B").has(one) for one in ("llama", "alpaca", "beta", "numb"))
    assert all(Pair("A", "B").has(one) for one in ("modelA", "model_a", "Response B", "[[A]]"))


def test_a_long_verdict_names_no_place() -> None:
    """It is not read to its end, which takes minutes of 50 million characters."""
    pair = Pair("A", "B")
    for before, after in (("[" * 90, "]" * 90), (" " * 150, "")):
        assert pair.has(f"{before}A{after}")
        assert pair.exchanged(f"{before}A{after}") == f"{before}B{after}"
        assert not pair.has(f"{before * 3}A{after}")
        assert pair.exchanged(f"{before * 3}A{after}") == f"{before * 3}A{after}"


def test_many_named_orders_are_told() -> None:
    """Where names of three orders do not say which are swapped, a note says what was read."""
    frame = unlabelled(pairs())
    several = pd.concat([frame, frame.assign(order="both sides")])
    note, *_ = judgments_from_frame(several).notes
    assert "3 named orders" in note.what
    assert note.count == len(several)


@pytest.mark.slow
def test_a_question_is_asked_once(tmp_path: Path) -> None:
    """What is open is said once, before any number."""
    rng = np.random.default_rng(2)
    rows = [
        (f"{n}", part, n % 2 if part == "x" else 1 - n % 2, wording, rng.integers(2))
        for n, part, wording, _ in product(range(30), "xy", "uv", range(2))
    ]
    columns = ["question", "subset", "label", "wording", "verdict"]
    pd.DataFrame(rows, columns=columns).to_csv(tmp_path / "a.csv", index=False)
    result = invoke("report", tmp_path / "a.csv")
    assert result.exit_code == 2
    assert result.stderr.count("subset=unused") == 1
    assert not result.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shown_as", "words"), [("model_1 model_2", "AB"), ("system_a system_b", ("first", "second"))]
)
def test_pairs_of_a_question_are_judged_one_by_one(shown_as: str, words: Sequence[str]) -> None:
    """Each pair of systems has its own questions, and its verdicts name the system they chose."""
    systems = ("u", "v", "w")
    rows = [
        (f"q{q}", *shown, words[shown.index(max(shown))], n)
        for q, one, other, n in product(range(9), systems, systems, (1, 2))
        for shown in [(one, other)]
        if one != other
    ]
    columns = ["question", *shown_as.split(), "verdict", "replication"]
    read = judgments_from_frame(frame := pd.DataFrame(rows, columns=columns))
    assert read.table["question"].nunique() == 9 * 3
    assert (read.table.groupby("question")["verdict"].nunique() == 1).all()
    assert described(read) == "Read: 9 questions (27 outputs) x 2 orders x 2 tries"
    # A tie may be any of three numbers, and 1 may be the first or the second system.
    for numbers in ([-1, 1], [0, 1, 2], [1, 2, 3]):
        given = (numbers * 54)[: len(frame)]
        found = judgments_from_frame(frame.assign(verdict=given))
        assert [(note.count, note.what.split(":")[0]) for note in found.notes[:1]] == [
            (54, "verdicts left as they are where columns show the responses the other way round")
        ]
        assert sorted(found.table["verdict"]) == sorted(map(str, given))
