"""Results are computed when somebody asks for them."""

import pickle

import pytest

from example_judgments import made
from inspect_reliability.report import analyse
from inspect_reliability.report.analysis import Analysis
from inspect_reliability.report.forms import Form, render
from inspect_reliability.report.results import Results
from inspect_reliability.report.summary import report_document
from inspect_reliability.report.wording import Record


def test_a_result_is_computed_once_and_only_if_asked_for() -> None:
    """Names are known without computing anything; what was computed once is kept."""
    asked: list[str] = []

    def computed(name: str) -> list[Record]:
        asked.append(name)
        return [{"name": name}]

    results = Results({name: lambda name=name: computed(name) for name in ("a", "b")})
    assert (list(results), len(results), asked) == (["a", "b"], 2, [])
    assert results["a"] is results["a"]
    assert asked == ["a"]
    assert dict(results) == {"a": [{"name": "a"}], "b": [{"name": "b"}]}
    assert asked == ["a", "b"]
    with pytest.raises(KeyError):
        results["c"]


def test_an_analysis_can_be_kept() -> None:
    """What is pickled has every result, asked for or not."""
    analysis = analyse(made(questions=4, replications=10))
    kept = pickle.loads(pickle.dumps(analysis))
    assert dict(kept.results) == dict(analysis.results)
    assert report_document(kept).blocks == report_document(analysis).blocks


@pytest.mark.parametrize("form", ["table", "markdown", "json", "html"])
def test_what_a_form_does_not_show_is_not_computed(
    form: Form, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Votes cost a third of a report: only JSON and the page, which show them, compute them."""
    analysis: Analysis = analyse(made(questions=4, replications=10))
    asked = set()
    computed = Results.__getitem__

    def spy(results: Results, name: str) -> list[Record]:
        asked.add(name)
        return computed(results, name)

    monkeypatch.setattr(Results, "__getitem__", spy)
    render(report_document(analysis), form)
    assert "rows" in asked
    assert ("votes" in asked) == (form in ("json", "html"))
