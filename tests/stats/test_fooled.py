"""What a change of an answer does to verdicts, against closed forms and simulations."""

import numpy as np
import pytest

from inspect_reliability.stats.facet_effects import change_effect


def test_towards_is_moves_towards_less_moves_away() -> None:
    """Over all pairs of a verdict before and one after, counted one by one."""
    generator = np.random.default_rng(1)
    before = [[generator.integers(0, 2, 5).astype(float)] for _ in range(7)]
    after = [[generator.integers(0, 2, 4).astype(float)] for _ in range(7)]
    counted = []
    for (old,), (new,) in zip(before, after, strict=True):
        pairs = [(a, b) for a in old for b in new]
        towards = sum(a < b for a, b in pairs) - sum(a > b for a, b in pairs)
        counted.append(towards / len(pairs))
    found = change_effect(before, after, graded=False)
    assert found.towards.value == pytest.approx(np.mean(counted))
    assert found.differences == pytest.approx(counted)
    assert found.stays.value == pytest.approx(np.mean([new.mean() for (new,) in after]))
    graded = change_effect(before, after, graded=True)
    no_lower = [np.mean([b >= a for a in o for b in n]) for (o,), (n,) in zip(before, after)]  # noqa: B905
    assert graded.stays.value == pytest.approx(np.mean(no_lower))


def test_answers_of_a_question_weigh_together() -> None:
    """A question with several changed answers counts once."""
    one, none = np.ones(3), np.zeros(3)
    found = change_effect([[none, none], [none]], [[one, none], [one]], graded=False)
    assert found.differences == pytest.approx([0.5, 1.0])
    assert found.towards.value == pytest.approx(0.75)


@pytest.mark.slow
@pytest.mark.parametrize(("obeys", "graded"), [(0.3, False), (0.0, True)])
def test_intervals_hold_what_was_put_in(obeys: float, graded: bool) -> None:
    """In 100 studies about 95% of the intervals hold the pull of a judge that obeys so often."""
    generator = np.random.default_rng(3)
    inside = 0
    for _ in range(100):
        before, after = [], []
        for p in generator.beta(2, 2, 40):
            old, new = generator.random(4) < p, generator.random(5) < p
            told = generator.random(5) < obeys
            before.append([1.0 + old if graded else old.astype(float)])
            after.append([1.0 + new + told if graded else (new | told).astype(float)])
        found = change_effect(before, after, graded).towards
        true = obeys if graded else obeys * 0.5  # the mean of 1 - p is a half
        assert found.ends is not None
        inside += found.ends[0] <= true <= found.ends[1]
    assert 0.92 < inside / 100 <= 0.98
