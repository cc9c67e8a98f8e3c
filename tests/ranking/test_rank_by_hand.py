"""Every number that `rank` prints, once more by counting: scores, errors, ranks, tries, favours."""

from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

import inspect_reliability as ir
from commands import invoke, results
from inspect_reliability.ranking import stability
from inspect_reliability.ranking.report import RESULTS
from inspect_reliability.showing.keys import KEYS

SYSTEMS, QUESTIONS, TRIES = "xyz", 4, 2
PAIRS = [*combinations(range(3), 2)]
RENAMED = ("xyz", "yxz", "zyx")
GAIN = {"1": 1.0, "tie": 0.5, "2": 0.0}
"""What the first system of a pair gains by a verdict; the second gains the rest."""

Verdicts = np.ndarray
"""What the first of each pair gained: question x pair x try."""


@pytest.fixture(scope="module")
def verdicts() -> Verdicts:
    chance = np.random.default_rng(5)
    return chance.choice([*GAIN.values()], (QUESTIONS, len(PAIRS), TRIES), p=[0.5, 0.3, 0.2])


@pytest.fixture(scope="module")
def labels() -> Verdicts:
    """What people say, once, of every pair."""
    return np.random.default_rng(6).choice([*GAIN.values()], (QUESTIONS, len(PAIRS), 1))


def rows(verdicts: Verdicts, column: str) -> pd.DataFrame:
    words = {gain: word for word, gain in GAIN.items()}
    return pd.DataFrame(
        [
            {"question": f"q{q}", "model_1": SYSTEMS[i], "model_2": SYSTEMS[j], "judge": "x-judge"}
            | {"replication": r, column: words[verdicts[q, p, r]]}
            for q, (p, (i, j)), r in product(
                range(QUESTIONS), enumerate(PAIRS), range(verdicts.shape[2])
            )
        ]
    )


@pytest.fixture(scope="module")
def found(
    verdicts: Verdicts, labels: Verdicts, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """What `rank` finds, and what it finds of favours beside labels."""
    folder = tmp_path_factory.mktemp("rank")
    rows(verdicts, "verdict").to_csv(folder / "judge.csv", index=False)
    people = rows(labels, "label").drop(columns=["judge", "replication"])
    people.to_csv(folder / "people.csv", index=False)
    plain = results("rank", folder / "judge.csv")
    family = ("--labels", folder / "people.csv", "--family", "x-judge=z")
    return plain | {"favours": results("rank", folder / "judge.csv", *family)["favours"]}


def shares(gained: Verdicts) -> np.ndarray:
    """Mean gain of each system on each question, [Q, S]; of one try or several."""
    table = np.zeros((len(gained), len(SYSTEMS)))
    for s in range(len(SYSTEMS)):
        own = [
            gained[:, p] if i == s else 1 - gained[:, p]
            for p, (i, j) in enumerate(PAIRS)
            if s in (i, j)
        ]
        table[:, s] = np.mean([one.reshape(len(gained), -1).mean(axis=1) for one in own], axis=0)
    return table


def every_try(verdicts: Verdicts) -> tuple[np.ndarray, np.ndarray]:
    """Scores of all ways to choose one try of every cell, and of the tries that are left."""
    ways = np.array([*product((0, 1), repeat=QUESTIONS * len(PAIRS))])
    cells = verdicts.reshape(-1, TRIES)
    both = []
    for which in (ways, 1 - ways):
        gained = cells[np.arange(len(cells)), which].reshape(len(ways), QUESTIONS, len(PAIRS))
        one = np.zeros((len(ways), len(SYSTEMS)))
        for s in range(len(SYSTEMS)):
            own = [
                gained[:, :, p] if i == s else 1 - gained[:, :, p]
                for p, (i, j) in enumerate(PAIRS)
                if s in (i, j)
            ]
            one[:, s] = np.mean(own, axis=(0, 2))
        both.append(one)
    return both[0], both[1]


def share_ends(values: np.ndarray) -> list[float]:
    """Quantiles of the mean under random weights of the questions and of one more (Gaffke 2005)."""
    weights = np.random.default_rng(0).dirichlet(np.ones(len(values) + 1), 200_000)
    low = np.quantile(weights @ np.append(values, 0.0), 0.025)
    return [float(low), float(np.quantile(weights @ np.append(values, 1.0), 0.975))]


def twin(verdicts: Verdicts, labels: Verdicts) -> dict[str, dict[Any, dict[str, Any]]]:
    """Every key of every result, by what names the record; None: see `loose`."""
    gained, n = shares(verdicts), QUESTIONS
    scores, names = gained.mean(axis=0), list(SYSTEMS)
    one, other = every_try(verdicts)
    signs = [np.sign(np.round(of[:, :, None] - of[:, None], 9)) for of in (one, other)]
    taus = (signs[0] * signs[1]).sum(axis=(1, 2)) / 6
    tops = [np.isclose(of, of.max(axis=1, keepdims=True)) for of in (one, other)]
    same = (tops[0] & tops[1]).sum(axis=1) / (tops[0].sum(axis=1) * tops[1].sum(axis=1))
    turned = (1 - signs[0] * signs[1]).mean(axis=0) / 2
    ranking = {
        name: {
            "system": name,
            "score": scores[s],
            "score_interval": pytest.approx(share_ends(gained[:, s]), abs=5e-3),
            "standard_error": gained[:, s].std(ddof=1) / n**0.5,
            # The variance over choices of one of two tries is half of that over new tries.
            "deviation_of_tries": (2 * one[:, s].var()) ** 0.5,
            "rank": 1 + sum(scores > scores[s] + 1e-9),
            "n_questions": n,
            "method": "mean",
            "reason": None,
        }
        for s, name in enumerate(names)
    }
    order = sorted(range(3), key=lambda s: -scores[s])
    neighbours = {}
    for a, b in pairwise(order):
        off = gained[:, a] - gained[:, b]
        reach = t.ppf(0.975, n - 1) * off.std(ddof=1) / n**0.5
        neighbours[names[a]] = {
            "above": names[a],
            "below": names[b],
            "difference": off.mean(),
            "difference_interval": pytest.approx([off.mean() - reach, off.mean() + reach]),
            "turns": pytest.approx(turned[a, b], abs=0.03),
        }
    bias = gained - shares(labels)
    favours = {}
    for name, own, level in [
        *((one, [s], 1 - 0.05 / 3) for s, one in enumerate(names)),
        ("own family", [2], 0.95),
    ]:
        rest = [s for s in range(3) if s not in own]
        each = bias[:, own].mean(axis=1) - bias[:, rest].mean(axis=1)
        reach = t.ppf((1 + level) / 2, n - 1) * each.std(ddof=1) / n**0.5
        favours[name] = {
            "system": name,
            "bias": each.mean(),
            "bias_interval": pytest.approx([each.mean() - reach, each.mean() + reach]),
            "n_labels": n * len(own),
            "reason": None,
        }
    survival = {"try": {"across": "try", "tau": taus.mean(), "leader_changes": 1 - same.mean()}}
    survival["try"]["compared"] = 1.0  # each pair was judged twice
    near = {
        name: pytest.approx(value, abs=0.03)
        for name, value in survival["try"].items()
        if name != "across"
    }
    return {
        "ranking": ranking,
        "neighbours": neighbours,
        "favours": favours,
        "survival": {"try": {"across": "try"} | near},
    }


LOOSE = {
    "ranking": {"rank_set", "letters"},
    "survival": {"tau_interval", "leader_changes_interval"},
    "cautions": set(),
}
"""Keys that follow from draws at random, whose laws are tried below."""

FIRST = {"ranking": "system", "neighbours": "above", "favours": "system", "survival": "across"}
"""Result -> the key that names a record."""


@pytest.mark.slow
def test_every_number_of_a_ranking_is_what_counting_gives(
    found: dict[str, Any], verdicts: Verdicts, labels: Verdicts
) -> None:
    """Each key of each record has its value, and no record or key is without a twin."""
    expected = twin(verdicts, labels)
    assert {*RESULTS} == {*expected} | {"cautions"}
    for name, records in expected.items():
        own = {one[FIRST[name]]: one for one in found[name]}
        assert own.keys() == records.keys(), name
        for key, record in records.items():
            ours = {k: v for k, v in own[key].items() if k not in ("judge", *LOOSE.get(name, ()))}
            assert ours.keys() == record.keys(), name
            for column, value in record.items():
                near = pytest.approx(value) if isinstance(value, float) else value
                assert ours[column] == near, (name, key, column)


@pytest.mark.slow
def test_every_declared_key_has_a_twin(verdicts: Verdicts, labels: Verdicts) -> None:
    """What `keys.md` declares of a ranking is counted above."""
    for name, records in twin(verdicts, labels).items():
        columns = KEYS[name].columns
        declared = {*columns} | {f"{key}_interval" for key, one in columns.items() if one.ends}
        counted = {key for one in records.values() for key in one} | LOOSE.get(name, set())
        assert declared == counted, name


def test_sets_and_letters_follow_from_what_is_told_apart(found: dict[str, Any]) -> None:
    """A rank is as high as systems without a common letter allow; tau lies in its interval."""
    ranking = found["ranking"]
    for one in ranking:
        apart = [o for o in ranking if not {*o["letters"]} & {*one["letters"]}]
        better = sum(o["score"] > one["score"] for o in apart)
        assert one["rank_set"] == [1 + better, len(ranking) - (len(apart) - better)]
        assert one["rank_set"][0] <= one["rank"] <= one["rank_set"][1]
    (survived,) = found["survival"]
    low, high = survived["tau_interval"]
    assert -1 <= low <= survived["tau"] <= high <= 1


@pytest.mark.parametrize("questions", [2, 30])
def test_the_answer_counts_neighbours_or_asks_for_questions(questions: int, tmp_path: Path) -> None:
    """x beats y on every question, and y ties with z; of two questions nothing is known."""
    pairs = (("x", "y", "1"), ("y", "z", "tie"), ("x", "z", "1"))
    table = pd.DataFrame(
        [(f"q{q}", *pair) for q in range(questions) for pair in pairs],
        columns=["question", "model_1", "model_2", "verdict"],
    )
    table.to_csv(tmp_path / "pairs.csv", index=False)
    said = " ".join(invoke("rank", tmp_path / "pairs.csv").stdout.split())
    few = questions < 3
    assert ("Of 2 neighbours 1 can be told apart, all asked at once (1 if" in said) != few
    assert ("Next: judge more questions, at least 3 for each system" in said) == few


@pytest.mark.parametrize("wins", [2, 3, 10])
def test_a_tie_is_half_a_win_of_each(wins: int, tmp_path: Path) -> None:
    """Of n questions that x wins and as many that tie, its score is 3/4 and that of y 1/4."""
    table = pd.DataFrame(
        [
            {"question": f"q{q}", "model_1": "x", "model_2": "y", "verdict": verdict}
            for q, verdict in enumerate([*["1"] * wins, *["tie"] * wins])
        ]
    )
    table.to_csv(tmp_path / "ties.csv", index=False)
    scores = {
        one["system"]: one["score"] for one in results("rank", tmp_path / "ties.csv")["ranking"]
    }
    assert scores == pytest.approx({"x": 0.75, "y": 0.25})


@pytest.fixture(autouse=True)
def _few_bootstraps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stability, "_BOOTSTRAPS", 20)


def both_orders(verdicts: np.ndarray, names: str) -> pd.DataFrame:
    """Question x pair x order: whether the first of the pair wins; no column names an order."""
    return pd.DataFrame(
        [
            (f"q{q}", *((names[i], names[j]) if turn < 1 else (names[j], names[i])), names[winner])
            for (q, p, turn), won in np.ndenumerate(verdicts)
            for i, j in [PAIRS[p]]
            for winner in [i if won else j]
        ],
        columns=["question", "model_1", "model_2", "verdict"],
    )


def orders_by_counting(verdicts: np.ndarray) -> tuple[float, float]:
    """Tau and changes of the leader, over all ways to show each pair in one order first."""
    taus, changes = [], []
    for ways in product([0, 1], repeat=verdicts[..., 0].size):
        turn = np.array(ways).reshape(verdicts.shape[:2])
        one, other = (
            shares(np.take_along_axis(verdicts, of[..., None], axis=2)).mean(axis=0).round(9)
            for of in (turn, 1 - turn)
        )
        signs = [np.sign(of[:, None] - of) for of in (one, other)]
        taus.append((signs[0] * signs[1]).sum() / 6)
        tops = [of == of.max() for of in (one, other)]
        changes.append(1 - (tops[0] & tops[1]).sum() / (tops[0].sum() * tops[1].sum()))
    return float(np.mean(taus)), float(np.mean(changes))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_another_order_is_expected_over_all_orders_of_each_pair(seed: int) -> None:
    """Two questions, each pair in both orders: all 64 ways to turn them, whatever the names."""
    verdicts = np.random.default_rng(seed).integers(0, 2, (2, len(PAIRS), 2)).astype(float)
    tau, changes = orders_by_counting(verdicts)
    found = [ir.rank(both_orders(verdicts, names)).to_dict()["survival"] for names in RENAMED]
    assert found[0] == found[1] == found[2]
    (survived,) = found[0]
    assert survived["across"] == "order"
    assert (survived["tau"], survived["compared"]) == (pytest.approx(tau, abs=0.04), 1.0)
    assert survived["leader_changes"] == pytest.approx(changes, abs=0.04)


@pytest.mark.slow
def test_another_try_does_not_depend_on_names() -> None:
    """Every draw is the same one, whatever systems are called."""
    random = np.random.default_rng(3)
    tries = [random.integers(0, 2, (3, len(PAIRS), 2)).astype(float) for _ in range(2)]
    found = []
    for names in RENAMED:
        ranked = ir.rank(pd.concat([both_orders(one, names) for one in tries]))
        order = ranked.summary()["system"].map(names.index).tolist()
        found.append((order, ranked.to_dict()["survival"]))
    assert [one["across"] for one in found[0][1]] == ["try", "order"]
    assert 0 < found[0][1][0]["leader_changes"] < 1
    assert found[0] == found[1] == found[2]


def test_orders_without_a_column_divide_no_rankings() -> None:
    """Only names could say which order of a pair is which."""
    verdicts = np.ones((3, len(PAIRS), 2))
    with pytest.raises(ir.UserError, match="There is no column 'order'"):
        ir.rank(both_orders(verdicts, "xyz"), by="order")


def test_verdicts_that_were_exchanged_are_refused() -> None:
    """Judgments that were read for their reliability no longer say which place a verdict names."""
    rows = [(f"q{q}", *pair, "A") for q in range(3) for pair in ("xy", "yx")]
    frame = pd.DataFrame(rows, columns=["question", "model_1", "model_2", "verdict"])
    assert ir.rank(frame).summary()["score"].tolist() == [0.5, 0.5]
    with pytest.raises(ir.UserError, match="Rank the file or data frame"):
        ir.rank(ir.judgments_from_frame(frame))
