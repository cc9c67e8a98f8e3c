"""The response that a verdict says is better."""

import pytest

from inspect_reliability.judgments.chosen_responses import chosen_in

NAMED = {
    "A wins": "A",
    "**Winner:** GPT-4o mini": "GPT-4o mini",
    "I prefer Notion": "Notion",
    "No. 1 wins": "No. 1",
    "home win": "home",
    "It is a tie.": "tie",
}
NOBODY = (
    *("I prefer not to answer", "pick up", "It is better", "A is not preferred", "No one wins"),
    *("Neither is better", "both are better", "keiner gewinnt", "winner", "A"),
)


@pytest.mark.parametrize(("text", "name"), [*NAMED.items(), *dict.fromkeys(NOBODY).items()])
def test_only_a_name_is_a_response(text: str, name: str | None) -> None:
    """Words such as nobody or not, in the place of the name, choose no response."""
    assert chosen_in(text) == name
