"""The paper's tables as `import` prints them."""

from typing import Any

import pytest

from inspect_reliability.showing import render
from inspect_reliability.study.published.tables import tables

JUDGES = ("meta-llama/Meta-Llama-3-8B-Instruct", "Nexusflow/Starling-LM-7B-beta")
TEMPERATURES = (1.0, 0.75, 0.5, 0.25, 0.0)


def cells(**changed: Any) -> list[dict[str, Any]]:
    """Cells of two benchmarks in which all is as published; `changed` is of the first."""
    found = [
        {
            "judge": judge,
            "benchmark": benchmark,
            "temperature": temperature,
            "statistic": statistic,
            "published": 0.71181,
            "ours": 0.71181,
            "reliabilipy": 0.71181,
            "permuted": [0.7, 0.6, 0.8],
        }
        for benchmark in ("BBH", "SQuAD")
        for judge in JUDGES
        for temperature in TEMPERATURES
        for statistic in ("omega", "alpha")
    ]
    return [found[0] | changed, *found[1:]]


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


def test_a_table_a_benchmark_fits_a_window() -> None:
    """Judge by temperature, published above ours, each on one line of at most 100 columns."""
    shown = render(tables(cells()), "table").splitlines()
    assert max(map(len, shown)) <= 100
    assert [one for one in shown if one in ("BBH", "SQuAD")] == ["BBH", "SQuAD"]
    head = next(one for one in shown if one.startswith("Judge"))
    assert head.split()[1:] == [
        "T",
        "=",
        "1",
        "T",
        "=",
        "0.75",
        "T",
        "=",
        "0.5",
        "T",
        "=",
        "0.25",
        "T",
        "=",
        "0",
    ]
    first, second, third = (one.split() for one in shown[3:6])
    assert first == ["Meta-Llama-3-8B-Instruct", "omega", "published", *["0.7118"] * 5]
    assert second == ["omega", "ours", *["0.7118"] * 5]
    assert third == ["omega", "permuted", *["0.70"] * 5]


@pytest.mark.slow
def test_only_what_differs_is_named() -> None:
    """All values that come out are one sentence; another value has a line of its own."""
    said = " ".join(render(tables(cells()), "table").split())
    assert "40 of 40 published values come out by our procedure." in said
    assert "differ:" not in said
    said = " ".join(render(tables(cells(ours=0.5)), "table").split())
    assert "39 of 40 published values come out by our procedure, and these differ:" in said
    assert "temperature 1, omega: published 0.7118, by our procedure 0.5000" in said
    assert "40 of 40 published values come out by reliabilipy itself." in said
    unknown = " ".join(render(tables(cells(published=None, reliabilipy=None)), "table").split())
    assert "39 of 39 published values come out by our procedure." in unknown
    assert " - 0.7118" in unknown


@pytest.mark.slow
def test_a_value_that_noise_has_too_is_said_to_tell_nothing() -> None:
    """Within its range on shuffled verdicts; where nothing varies, nothing is said."""
    said = " ".join(render(tables(cells(ours=0.75)), "table").split())
    assert "temperature 1: the paper's procedure gives 0.75." in said
    assert "it still gives 0.70, so this number tells nothing of the judge" in said
    assert "20 of 20 values of omega" in said
    said = " ".join(render(tables(cells(ours=0.9)), "table").split())
    assert "temperature 0.75: the paper's procedure gives 0.71." in said
    assert "19 of 20 values of omega" in said
    constant = [one | {"ours": 1.0, "permuted": [1.0, 1.0, 1.0]} for one in cells()]
    assert "tells nothing" not in render(tables(constant), "table")
