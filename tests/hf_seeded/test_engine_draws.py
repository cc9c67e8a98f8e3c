"""The draws: distributed as the model says, and independent where they should be."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from scipy import stats
from slow_path import noise

from inspect_reliability.hf_seeded.draw import (
    Draws,
    NotFiniteError,
    gumbel,
    replication_stream,
    stream_keys,
)

PROMPT = (5, 3, 8)
SIZE = 40


def logits(seed: int = 0, size: int = SIZE) -> torch.Tensor:
    return 2 * torch.randn(1, size, generator=torch.Generator().manual_seed(seed))


def keys(seeds: Sequence[int], prompt: Sequence[int] = PROMPT) -> torch.Tensor:
    return stream_keys(prompt, [replication_stream(seed) for seed in seeds])


def draws(
    seeds: Sequence[int],
    prompt: Sequence[int] = PROMPT,
    temperature: float = 1.0,
    top_p: float = 1.0,
    top_k: int | None = None,
) -> Draws:
    return Draws(keys(seeds, prompt), [temperature] * len(seeds), [top_p] * len(seeds), top_k)


def draw(
    row: torch.Tensor, seeds: Sequence[int], prompt: Sequence[int] = PROMPT, **settings: Any
) -> np.ndarray:
    """The first token of each seed."""
    members = torch.arange(len(seeds))
    first = torch.zeros_like(members)
    return np.array(draws(seeds, prompt, **settings).tokens(row, first, members, first))


def probabilities(row: torch.Tensor, temperature: float, top_k: int | None) -> np.ndarray:
    """Softmax after temperature over the k largest, from the definition."""
    scores = row[0].double().numpy() / temperature
    if top_k is not None:
        scores = np.where(scores >= np.sort(scores)[-top_k], scores, -np.inf)
    weights = np.exp(scores - scores.max())
    return weights / weights.sum()  # type: ignore[no-any-return]


def test_noise_is_the_defined_hash() -> None:
    """The vectorised noise is, number by number, the one plain integer arithmetic gives."""
    seeds = (0, 1, 2**31 - 1, -4)
    tokens = torch.tensor([0, 1, 127_999]).expand(len(seeds), 3)
    for step in (0, 1, 700):
        expected = [
            [noise(PROMPT, seed, step, token) for token in (0, 1, 127_999)] for seed in seeds
        ]
        ours = gumbel(keys(seeds), torch.tensor(step), tokens)
        np.testing.assert_allclose(ours, expected, rtol=1e-12)


def test_noise_is_gumbel() -> None:
    """Noise over seeds, over steps and over tokens each follows the Gumbel distribution."""
    many, one, first = keys(range(20_000)), keys([0]), torch.tensor(0)
    over_seeds = gumbel(many, first, torch.full((20_000, 1), 7))[:, 0]
    over_steps = gumbel(one.expand(5_000), torch.arange(5_000), torch.full((5_000, 1), 7))[:, 0]
    over_tokens = gumbel(one, first, torch.arange(20_000)[None])[0]
    for sample in (over_seeds, over_steps, over_tokens):
        assert stats.kstest(sample, stats.gumbel_r.cdf).pvalue > 0.001


@pytest.mark.slow
@pytest.mark.parametrize(
    ("temperature", "top_k"), [(1.0, None), (1.0, 10), (0.5, 10), (2.0, 25), (0.2, None)]
)
def test_frequencies_are_the_softmax(temperature: float, top_k: int | None) -> None:
    """Over 20,000 seeds tokens come as often as softmax after temperature and top-k says."""
    row = logits()
    expected = 20_000 * probabilities(row, temperature, top_k)
    drawn = draw(row, range(20_000), temperature=temperature, top_k=top_k)
    counts = np.bincount(drawn, minlength=SIZE)
    assert counts[expected == 0].sum() == 0
    usual = expected >= 5
    observed = [*counts[usual], counts[~usual].sum()]
    wanted = [*expected[usual], expected[~usual].sum()]
    if wanted[-1] == 0:
        observed, wanted = observed[:-1], wanted[:-1]
    assert stats.chisquare(observed, wanted).pvalue > 0.001


@pytest.mark.slow
def test_top_p_keeps_the_nucleus() -> None:
    """With top_p, drawn are the likeliest tokens that just reach this much probability."""
    row = logits()
    shares = probabilities(row, 1.0, None)
    order = np.argsort(-shares)
    nucleus = order[: np.searchsorted(np.cumsum(shares[order]), 0.6) + 1]
    drawn = draw(row, range(20_000), top_p=0.6)
    assert set(drawn) == set(nucleus)
    counts = np.bincount(drawn, minlength=SIZE)[nucleus]
    wanted = shares[nucleus] / shares[nucleus].sum() * 20_000
    assert stats.chisquare(counts, wanted).pvalue > 0.001


@pytest.mark.slow
def test_tokens_tied_at_the_edge_stay() -> None:
    """Tokens tied with the k-th likeliest are all drawn, equally often: no sort decides."""
    row = torch.tensor([[3.0, *[1.0] * 9, *[0.0] * 10]], dtype=torch.bfloat16)
    drawn = draw(row, range(20_000), top_k=4)
    counts = np.bincount(drawn, minlength=20)
    assert counts[10:].sum() == 0
    assert stats.chisquare(counts[1:10]).pvalue > 0.001


@pytest.mark.parametrize("top_k", [None, 10])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_only_finite_logits_are_drawn_from(value: float, top_k: int | None) -> None:
    """NaN and infinity are refused wherever they are; minus infinity is a token never drawn."""
    row = logits()
    row[0, 3] = value
    if value == -math.inf:
        assert 3 not in draw(row, range(500), temperature=5.0, top_k=top_k)
        row[:] = value
    with pytest.raises(NotFiniteError, match="not finite"):
        draw(row, [1], top_k=top_k)


@pytest.mark.parametrize("temperature", [0.0, 1e-7])
def test_no_temperature_no_draw(temperature: float) -> None:
    """Below 1e-6 every seed takes the likeliest token, the lowest id among tied ones."""
    row = logits()
    row[0, 5] = row[0, 30] = row.max() + 1
    assert set(draw(row, range(50), temperature=temperature, top_k=10)) == {5}
    assert set(draw(row, range(50), temperature=temperature)) == {5}


@pytest.mark.slow
def test_neighbouring_seeds_are_uncorrelated() -> None:
    """What seed s draws says nothing about what s+1, s+2 or s+100 draws."""
    drawn = draw(logits(), range(20_000), temperature=2.0)
    likeliest = np.bincount(drawn).argsort()[-4:]
    for lag in (1, 2, 100):
        for token in likeliest:
            hit = drawn == token
            correlation = np.corrcoef(hit[lag:], hit[:-lag])[0, 1]
            assert abs(correlation) < 4 / np.sqrt(len(hit))


@pytest.mark.slow
def test_steps_are_uncorrelated() -> None:
    """What a replication draws at one step says nothing about its next."""
    row, seeds = logits(), range(20_000)
    members = torch.arange(len(seeds))
    node = torch.zeros_like(members)
    first, second = (
        np.array(draws(seeds).tokens(row, node, members, node + step)) for step in (0, 1)
    )
    likeliest = np.bincount(first).argmax()
    correlation = np.corrcoef(first == likeliest, second == likeliest)[0, 1]
    assert abs(correlation) < 4 / np.sqrt(len(first))


def cronbach(scores: np.ndarray) -> float:
    """Coefficient alpha of replications x questions (Cronbach, 1951)."""
    items = scores.shape[1]
    total = scores.sum(1).var(ddof=1)
    return float(items / (items - 1) * (1 - scores.var(axis=0, ddof=1).sum() / total))


@pytest.mark.slow
def test_questions_share_no_noise() -> None:
    """A pure-noise judge over 55 questions with the same 100 seeds has an alpha around 0.

    The same questions without the question in the key (here: all under one prompt) would look
    like a reliable test.
    """
    flat = torch.zeros(1, 5)
    own = np.stack([draw(flat, range(100), prompt=(q, 1)) for q in range(55)], axis=1)
    shared = np.stack([draw(flat + q / 9, range(100)) for q in range(55)], axis=1)
    letter = 2
    # Under independence alpha is 1 - 1/F with 99 and 54 x 99 degrees of freedom (Feldt, 1965).
    low, high = 1 - 1 / stats.f.ppf([0.001, 0.999], 99, 54 * 99)
    assert low < cronbach(own == letter) < high
    assert cronbach(shared == letter) > 0.9


def test_one_seed_at_two_temperatures_shares_its_noise() -> None:
    """Common random numbers: equal seeds agree across temperatures more often than chance."""
    row = logits()
    warm = draw(row, range(5_000), temperature=1.0)
    cool = draw(row, range(5_000), temperature=0.7)
    by_chance = float(probabilities(row, 1.0, None) @ probabilities(row, 0.7, None))
    assert (warm == cool).mean() > by_chance + 0.2


def test_large_vocabularies_are_drawn_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing a few requests at a time gives what drawing all at once gives."""
    row = logits(size=300)
    whole = draw(row, range(50))
    monkeypatch.setattr("inspect_reliability.hf_seeded.draw._MOST_AT_ONCE", 1000)
    assert (draw(row, range(50)) == whole).all()
