"""Every continuation of a prompt, one by one, with its probability, in plain Python.

Written from the definition of the sampler, not from the engine's code.
"""

import math
from collections.abc import Callable, Sequence

from slow_path import SlowPath


def chances(
    logits: Sequence[float], temperature: float, top_k: int | None, top_p: float
) -> dict[int, float]:
    """Probability of each token that a sampler may take."""
    best = max(logits)
    if temperature < 1e-6:
        return {logits.index(best): 1.0}
    edge = sorted(logits)[-min(top_k or len(logits), len(logits))]
    weights = {
        token: math.exp((logit - best) / temperature)
        for token, logit in enumerate(logits)
        if logit >= edge
    }

    def likelier(token: int) -> float:
        return sum(weight for one, weight in weights.items() if logits[one] > logits[token])

    if top_p < 1:
        needed = top_p * sum(weights.values())
        weights = {token: w for token, w in weights.items() if likelier(token) < needed}
    total = sum(weights.values())
    return {token: weight / total for token, weight in weights.items()}


def shares(
    slow: SlowPath,
    prompt: tuple[int, ...],
    max_tokens: int,
    read: Callable[[str], str | None],
    parse: Callable[[str], str],
    temperature: float,
    top_k: int | None = None,
    top_p: float = 1.0,
) -> dict[str, float]:
    """Probability of each label."""
    result: dict[str, float] = {}

    def follow(history: tuple[int, ...], mass: float) -> None:
        for token, chance in chances(
            slow.logits((*prompt, *history)), temperature, top_k, top_p
        ).items():
            longer = (*history, token)
            text = " ".join(map(str, longer))
            label = parse(text) if token == slow.end else read(text)
            if label is None and len(longer) == max_tokens:
                label = parse(text)
            if label is None:
                follow(longer, mass * chance)
            else:
                result[label] = result.get(label, 0) + mass * chance

    follow((), 1.0)
    return result
