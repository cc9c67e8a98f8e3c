import math
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai import Epochs, Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, recompute_metrics
from inspect_ai.scorer import (
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    accuracy,
    match,
    mean,
    scorer,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver

from evals import evaluate
from inspect_reliability import metrics
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.count import Judged
from inspect_reliability.judgments.score import judgments_in
from inspect_reliability.metrics import reliability
from inspect_reliability.stats import Cells, of_scale, panel
from logged import Logged

NAMES = tuple(of_scale("nominal"))
ORDER = ["thorough", "terse", "muddled", "mistaken", "astray"]


def scores(
    value: Callable[[random.Random], Any], questions: int = 6, epochs: int = 8, **metadata: Any
) -> list[SampleScore]:
    """Un-reduced scores as inspect hands them over: epoch by epoch, some missing."""
    rng = random.Random(1)
    made = [
        SampleScore(score=Score(value=value(rng), metadata=dict(metadata)), sample_id=f"q{q}")
        for _ in range(epochs)
        for q in range(questions)
    ]
    rng.shuffle(made)
    return made[: -questions // 2]


def same(first: float, second: float | None) -> bool:
    return math.isclose(first, math.nan if second is None else second, abs_tol=1e-12) or (
        math.isnan(first) and second is None
    )


def reshuffled(rng: random.Random) -> SampleScore:
    order = rng.sample(ORDER, 5)
    letter = rng.choice(["A", "A", "B", "C", "non-response", "invalid"])
    metadata: dict[str, object] = {"order": order}
    if letter in "ABCDE":
        metadata["responder"] = order["ABCDE".index(letter)]
    return SampleScore(
        score=Score(value=letter, metadata=metadata), sample_id=f"q{rng.randrange(5)}"
    )


@pytest.mark.parametrize(
    "given_scores",
    [
        scores(lambda rng: rng.choice("AABCE"), benchmark="BBH", order=ORDER),
        [reshuffled(rng) for rng in [random.Random(2)] for _ in range(60)],
        scores(lambda rng: rng.choice(["correct", "incorrect"]), benchmark="Head-to-Tail"),
        scores(lambda rng: rng.choice("CI")),
        scores(lambda rng: "C"),
        scores(lambda rng: rng.random() < 0.7),
        scores(lambda rng: rng.choice([1, 2.0, 2.5, "non-response"])),
        scores(lambda rng: rng.choice(["good", "bad", "I"])),
    ],
    ids=["letters", "reshuffled", "correct", "grades", "constant", "booleans", "mixed", "words"],
)
def test_live_values_are_those_of_the_table(given_scores: list[SampleScore]) -> None:
    """A metric counts the judgments in its scores, each coefficient as the statistics have it."""
    estimates = panel(
        Judged.of(
            one
            for sample in given_scores
            for one in judgments_in(sample.score, str(sample.sample_id))
        ).counts()
    )
    found = reliability(full=True)(given_scores)
    assert isinstance(found, Mapping)
    for name in NAMES:
        assert same(found[name], estimates[name].value), name
        assert same(metrics.METRICS[name]()(given_scores), estimates[name].value), name
        assert same(found[f"{name}_low"], estimates[name].low)
        assert same(found[f"{name}_high"], estimates[name].high)
    assert found["questions"] == estimates["omega"].n_questions
    assert found["replications"] == pytest.approx(estimates["omega"].n_replications)


def test_the_short_panel_is_part_of_the_whole() -> None:
    """Without `full` a metric has omega with its interval, the agreement, and what was judged."""
    given_scores = scores(lambda rng: rng.choice("CI"))
    short, whole = reliability()(given_scores), reliability(full=True)(given_scores)
    assert isinstance(short, Mapping)
    assert isinstance(whole, Mapping)
    assert list(short) == [
        "omega",
        "omega_low",
        "omega_high",
        "agreement",
        "non_response_rate",
        "questions",
        "replications",
    ]
    assert short.items() <= whole.items()


def test_numbers_get_the_interval_scale() -> None:
    """Numbers are coded as they are: the ICC of the full matrix."""
    rng = random.Random(3)
    matrix = [[q + rng.choice([-1, 0, 1]) for q in range(6)] for _ in range(4)]
    given_scores = [
        SampleScore(score=Score(value=value), sample_id=q)
        for row in matrix
        for q, value in enumerate(row)
    ]
    found, oracle = (
        reliability(full=True)(given_scores),
        panel(Cells.of_numbers(list(zip(*matrix, strict=True)))),
    )
    assert isinstance(found, Mapping)
    assert found["icc"] == pytest.approx(oracle["icc"].value)
    assert "icc" not in reliability(level="nominal")(given_scores)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("level", "values", "categories"),
    [
        ("ordinal", [1, 2, 3, 10, 4], None),
        ("ordinal", ["poor", "fair", "good"], ["poor", "fair", "good"]),
        ("interval", [1, 2, 3, 10, 4.5], None),
    ],
)
def test_alpha_of_ordered_scores(level: Any, values: list[Any], categories: Any) -> None:
    """Ordered scores have the alpha of the krippendorff package."""
    import krippendorff

    rng = random.Random(4)
    given_scores = scores(lambda _: rng.choice(values + values[:1] * 3))
    order = categories or sorted(values)
    columns: dict[Any, list[float]] = {}
    for sample in given_scores:
        column = columns.setdefault(sample.sample_id, [])
        value = sample.score.value
        column.append(float(order.index(value)) if categories else float(value))  # type: ignore[arg-type]
    longest = max(map(len, columns.values()))
    data = [
        [column[r] if r < len(column) else math.nan for column in columns.values()]
        for r in range(longest)
    ]
    oracle = krippendorff.alpha(reliability_data=data, level_of_measurement=level)
    found = reliability(level=level, categories=categories)(given_scores)
    assert isinstance(found, Mapping)
    name = {"interval": "numeric"}.get(level, level)  # `_interval` is the interval of any alpha
    assert found[f"krippendorff_alpha_{name}"] == pytest.approx(oracle, abs=1e-12)


@pytest.mark.usefixtures("unwarned")
def test_words_are_ordinal_only_in_a_given_order(logged: Logged) -> None:
    """Without an order of the words there is no ordinal value, and the log says what to do."""
    found = reliability(level="ordinal")(scores(lambda rng: rng.choice(["poor", "good"])))
    assert isinstance(found, Mapping)
    assert math.isnan(found["krippendorff_alpha_ordinal"])
    assert "categories=" in logged.text
    with pytest.raises(UserError, match="ordinl"):
        reliability(level="ordinl")  # type: ignore[arg-type]


@pytest.mark.parametrize("none", [None, ""])
def test_groups_are_the_panels_of_their_scores(none: str | None) -> None:
    """`by` adds the values of each group, as if the others were not there."""
    given_scores = scores(lambda rng: rng.choice("CI"), questions=9)
    for sample in given_scores:
        topic = {"q0": none, "q1": "maths", "q2": "maths", "q3": "maths"}.get(
            str(sample.sample_id), "history"
        )
        sample.sample_metadata = {"topic": topic}
    by_topic = reliability(by="topic")(given_scores)
    assert isinstance(by_topic, Mapping)
    for group, topic in (("(maths)", "maths"), ("(history)", "history"), ("(not given)", none)):
        alone = reliability()([s for s in given_scores if s.sample_metadata == {"topic": topic}])
        assert isinstance(alone, Mapping)
        for name, value in alone.items():
            assert same(by_topic[name + group], None if math.isnan(value) else value)
    omega = metrics.METRICS["omega"](by="topic")(given_scores)
    assert isinstance(omega, Mapping)
    assert set(omega) == {"omega", "omega(maths)", "omega(history)", "omega(not given)"}


def test_keys_of_a_mapping_are_scores_of_their_own() -> None:
    """A score of several parts has the panel of each part under its key."""
    given_scores = scores(lambda rng: {"style": rng.randint(1, 3), "facts": rng.choice("CI")})
    found = reliability()(given_scores)
    assert isinstance(found, Mapping)
    for key in ("style", "facts"):
        alone = [
            SampleScore(score=Score(value=s.score.as_dict()[key]), sample_id=s.sample_id)
            for s in given_scores
        ]
        values = reliability()(alone)
        assert isinstance(values, Mapping)
        assert {f"{name}({key})" for name in values} <= set(found)
        assert found[f"omega({key})"] == pytest.approx(values["omega"])
    assert "icc(style)" in found
    assert "icc(facts)" not in found


def test_rates_are_shares_of_the_judgments() -> None:
    """Each rate counts what it names; rates of verdicts are means over orders and questions."""
    values = ["A", "non-response", "invalid", "B", "non-response"]
    order, turned = ["ann", "bob"], ["bob", "ann"]
    given_scores = [
        SampleScore(
            score=Score(
                value=value,
                metadata={
                    "best": "bob",
                    "order": shown,
                    "responder": dict(zip("AB", shown, strict=True)).get(value),
                },
            ),
            sample_id="q",
        )
        for value, shown in zip(values, [turned, order, order, turned, order], strict=True)
    ]
    assert metrics.non_response_rate()(given_scores) == pytest.approx((0 / 2 + 2 / 3) / 2)
    assert metrics.invalid_rate()(given_scores) == pytest.approx((0 / 2 + 1 / 3) / 2)
    assert metrics.best_rate()(given_scores) == pytest.approx((1 / 2 + 0 / 3) / 2)
    another = SampleScore(score=Score(value="A"), sample_id="another")
    assert metrics.non_response_rate()([*given_scores, another]) == pytest.approx(1 / 6)


EVERY: dict[str, Callable[..., Metric]] = {
    **metrics.METRICS,
    **{
        name: getattr(metrics, name)
        for name in (
            "best_rate",
            "invalid_rate",
            "judged_accuracy",
            "non_response_rate",
            "reliability",
        )
    },
}
scalars = st.one_of(
    st.sampled_from(["A", "C", "I", "non-response", "invalid", "", "1", "nan", "inf"]),
    st.integers(-3, 3),
    st.floats(),
    st.booleans(),
)
values = st.one_of(
    scalars,
    st.lists(scalars, max_size=3),
    st.dictionaries(st.sampled_from(["a", "b", ""]), st.one_of(scalars, st.none()), max_size=3),
)
replications = st.fixed_dictionaries(
    {"values": st.lists(scalars, max_size=3), "verdicts": st.sampled_from(["", "0", "0 - 1", "x"])},
    optional={"orders": st.sampled_from(["01 10 01", "", 7])},
)
leftovers = st.dictionaries(
    st.sampled_from(
        ["order", "responder", "replication", "seed", "replications", "scorer", "best", "topic"]
    ),
    st.one_of(
        scalars, st.none(), st.lists(st.one_of(scalars, st.none()), max_size=3), replications
    ),
    max_size=5,
)
every = [
    *(made() for made in EVERY.values()),
    reliability(by="topic"),
    reliability(level="ordinal", categories=["I", "C"]),
    reliability(level="interval"),
    metrics.METRICS["omega"](by="topic"),
]


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["p", "q", 1, None]), values, leftovers), max_size=12))
def test_no_scores_make_a_metric_raise(made: list[tuple[Any, Any, Any]]) -> None:
    """A metric gives a number or a flat mapping of numbers, whatever it is given."""
    given_scores = [
        SampleScore(score=Score(value=value, metadata=metadata), sample_id=question)
        for question, value, metadata in made
    ]
    for metric in every:
        found = metric(given_scores)
        for value in found.values() if isinstance(found, Mapping) else [found]:
            assert isinstance(value, int | float)


@solver
def answer() -> Solver:
    """Answers some questions always in the same way, others not."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        steady = int(state.sample_id) % 2 == 0
        state.output.completion = "yes" if steady or state.epoch % 2 else "no"
        return state

    return solve


@scorer(metrics=[mean()])
def rubric() -> Scorer:
    """Two parts, one of which never varies."""

    async def score(state: TaskState, target: Target) -> Score:
        yes = state.output.completion == "yes"
        return Score(value={"facts": "C" if yes else "I", "length": 3})

    return score


def run(folder: Path, scorer: Scorer, given: Any, epochs: int | Epochs = 4) -> EvalLog:
    questions = [Sample(input="?", target="yes", id=i, metadata={"odd": i % 2}) for i in range(6)]
    task = Task(dataset=questions, solver=answer(), scorer=scorer, metrics=given, epochs=epochs)
    log = evaluate(task, folder, model="none/none")
    assert log.status == "success", log.error
    return log


def metrics_in(log: EvalLog) -> dict[str, dict[str, float]]:
    assert log.results is not None
    found: dict[str, dict[str, float]] = {}
    for score in log.results.scores:
        found.setdefault(score.name, {}).update({n: m.value for n, m in score.metrics.items()})
    return found


@pytest.mark.slow
def test_one_line_in_a_task(tmp_path: Path) -> None:
    """One line adds the panel to any task, live and when its metrics are computed again."""
    log = run(tmp_path, match(), [accuracy(), reliability(by="odd")])
    found = metrics_in(log)["match"]
    # Three questions never vary; of the six pairs of Y N Y N two agree.
    assert found["agreement"] == pytest.approx((3 * 1 + 3 * 2 / 6) / 6)
    assert (found["agreement(0)"], found["agreement(1)"]) == (1, pytest.approx(1 / 3))
    assert found["accuracy"] == pytest.approx(0.75)
    recompute_metrics(log)
    assert metrics_in(log)["match"] == pytest.approx(found, nan_ok=True)


@pytest.mark.slow
@pytest.mark.parametrize("epochs", [1, 4, Epochs(4, []), Epochs(4, "mode")])
def test_any_number_of_epochs_and_any_reducer(tmp_path: Path, epochs: int | Epochs) -> None:
    """The task's own reducer is left to the other metrics."""
    found = metrics_in(run(tmp_path, match(), [reliability()], epochs))["match"]
    assert math.isnan(found["omega"]) == (epochs == 1)


@pytest.mark.slow
@pytest.mark.usefixtures("unwarned")
@pytest.mark.parametrize("name", ["reliability", "omega"])
def test_a_key_that_is_not_there_is_named(tmp_path: Path, logged: Logged, name: str) -> None:
    """Grouping by an unknown key adds no group, and says which keys there are."""
    found = metrics_in(run(tmp_path, match(), [EVERY[name](by="topic")]))["match"]
    assert not [key for key in found if "(" in key]
    assert "by='topic' groups nothing" in logged.text
    assert "Use one of: odd." in logged.text


@pytest.mark.slow
@pytest.mark.parametrize("form", ["keys", "flat"])
def test_scores_of_several_parts_in_a_task(tmp_path: Path, form: str) -> None:
    """Parts are scores of their own in inspect's form by key, and have flat names otherwise."""
    if form == "keys":
        found = metrics_in(run(tmp_path, rubric(), {"*": [reliability()]}))
        values: dict[str, float] = {
            f"{name.removeprefix('inspect_reliability/reliability_')}({key})": value
            for key, parts in found.items()
            for name, value in parts.items()
        }
    else:
        values = metrics_in(run(tmp_path, rubric(), [reliability()]))["rubric"]
    assert values["agreement(facts)"] == pytest.approx((3 * 1 + 3 * 2 / 6) / 6)
    assert values["agreement(length)"] == 1
    assert math.isnan(values["icc(length)"])


def test_every_metric_is_registered() -> None:
    """A log can name any of the metrics."""
    from inspect_ai.util import registry_create

    for name in EVERY:
        made: Metric = registry_create("metric", f"inspect_reliability/{name}")
        assert callable(made)
