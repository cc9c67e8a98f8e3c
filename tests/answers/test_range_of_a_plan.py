"""What a plan says of the range of its numbers of questions."""

from itertools import product

from inspect_reliability.answers.plan import _of_sizes


def test_only_shares_by_labels_have_a_range_with_a_probability() -> None:
    """A range is said to be right with 80% probability of shares by labels, never of others."""
    for names in (["accuracy"], ["omega"], ["icc", "agreement"], ["accuracy", "omega"]):
        designs = [
            {"coefficient": one, "assurance": 0.5 if one == "accuracy" else 0.8}
            for one, _ in product(names, range(2))
        ]
        [text] = [one.text for one in _of_sizes(designs)]
        assert ("lies here with 80% probability" in text) == ("accuracy" in names)
        assert ("may lie outside" in text) == (names != ["accuracy"])
