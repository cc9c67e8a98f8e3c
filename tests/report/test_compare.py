"""Judges and conditions side by side."""

from example_judgments import made, together
from inspect_reliability.report.compare import compare_sides, sides_by


def test_values_that_print_alike_are_two_sides() -> None:
    """A number and the same number as text are told apart, and no judgment is lost."""
    parts = [made(noise=0.1, style=1), made(noise=0.6, style="1")]
    sides = sides_by(together(*parts), "style")
    assert {name: len(table) for name, table in sides.items()} == {"1": 250, "'1'": 250}
    found = compare_sides(sides)[0][0]
    assert found["first_value"] > found["second_value"]
