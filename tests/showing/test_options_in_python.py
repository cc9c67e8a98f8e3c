"""Sentences of the commands, as functions say them."""

import pytest

from inspect_reliability.showing.python_calls import options_in_python
from inspect_reliability.stats import COEFFICIENTS, SHARES


@pytest.mark.parametrize("name", [*COEFFICIENTS, *SHARES])
def test_what_is_planned_is_an_argument(name: str) -> None:
    """Every name that `plan --for` takes is one of `names` in Python."""
    said = options_in_python(f"(--for {name} plans it)")
    assert said == f'(names=["{name}"] plans it)'


def test_other_options_are_the_arguments_of_their_functions() -> None:
    """Purposes, levels and options without a value keep their own arguments."""
    said = "--for keep, --over order; leave out --settle, --for"
    assert options_in_python(said) == ('for_="keep", over="order"; leave out settle=True, for_')
