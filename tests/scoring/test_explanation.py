"""Verdicts of one score in words."""

from inspect_reliability.scoring.packed import distribution_table, explanation


def test_a_verdict_of_any_text_stays_in_its_cell() -> None:
    """Bars and line ends in the name of a verdict change no table."""
    shown = explanation(["go|od", "b\nad", "go|od"], ["x", "y", "z"])
    table, _, listed = shown.partition("```")
    assert {line.replace(r"\|", "").count("|") for line in table.split("\n") if line} == {5}
    assert "| b ad | 1 | 2 | y |" in table
    assert "    1: go|od b ad  go|od" in listed
    one = {"temperature": 1.0, "open_mass": 0.0, "tail": [], "rows": 3}
    table = distribution_table([one | {"shares": {"a|b": 0.5, "c": 0.5}}])
    assert r"| a\|b | 50.00% |" in table
