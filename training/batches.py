"""Generated examples as tensors."""

import random
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional
from transformers import PreTrainedTokenizerFast

from .corpus import LETTERS, STYLES, Example, correctness_example, judge_example
from .tokenizer import CONTEXT

_POOLED = 4
_PROMPTS = {0: 32, 1: 24, 2: 16, 3: 12, 6: 8}


class Batch(NamedTuple):
    """The examples of one step.

    Attributes:
        tokens: (batch, length) token ids, padded at the end.
        positions: (batch, length) position of each token.
        rows: (n,) row of the token before each output token.
        columns: (n,) its column.
        targets: (n, vocabulary) what should follow: one token, or a distribution over letters.
        response_rows: (m,) row of each response.
        response_ends: (m,) column of its last token.
        styles: (m,) index of its style.
        places: (m,) index of its letter.
    """

    tokens: Tensor
    positions: Tensor
    rows: Tensor
    columns: Tensor
    targets: Tensor
    response_rows: Tensor
    response_ends: Tensor
    styles: Tensor
    places: Tensor


def draw_steps(rng: random.Random, sizes: Sequence[int]) -> list[list[Example]]:
    """Draw the examples of a few steps.

    There are fewer where they are long, and similar lengths stand together. One step in
    `_POOLED` + 1 is mostly about the correctness of a prediction.
    """
    size = rng.choice(sizes)
    count = _PROMPTS[size]
    pool = [judge_example(rng, size) for _ in range(count * _POOLED)]
    pool.sort(key=lambda example: len(example.prompt))
    steps = [pool[n * count : (n + 1) * count] for n in range(_POOLED)]
    steps.append([correctness_example(rng) for _ in range(48)])
    steps[-1] += [judge_example(rng, 0) for _ in range(8)]
    rng.shuffle(steps)
    return steps


def make_batch(
    examples: Sequence[Example],
    tokenizer: PreTrainedTokenizerFast,
    rng: random.Random,
    stretch: float,
) -> Batch:
    """Encode examples for one step.

    Args:
        examples: The examples.
        tokenizer: The judge's tokenizer.
        rng: Source of randomness.
        stretch: Share of prompts whose positions are spread over the context.
    """
    # Mostly as the chat template renders them, some raw.
    encoded = tokenizer([e.prompt + ("\n" if rng.random() < 0.9 else "") for e in examples])
    prompts: list[list[int]] = encoded["input_ids"]
    outputs: list[list[int]] = tokenizer([example.output for example in examples])["input_ids"]
    letters: list[int] = [token for [token] in tokenizer(list(LETTERS))["input_ids"]]
    pairs = list(zip(prompts, outputs, strict=True))
    width = max(len(prompt) + len(output) for prompt, output in pairs)
    tokens = torch.full((len(examples), width), tokenizer.pad_token_id)
    positions = torch.arange(width).repeat(len(examples), 1)
    before, targets, responses = [], [], []
    for row, (example, (prompt, output)) in enumerate(zip(examples, pairs, strict=True)):
        tokens[row, : len(prompt) + len(output)] = torch.tensor(prompt + output)
        if rng.random() < stretch:
            positions[row] += _gaps(rng, len(prompt), width)
        follows = torch.tensor([*output, tokenizer.eos_token_id])
        target = functional.one_hot(follows, len(tokenizer)).float()
        first = next((n for n, token in enumerate(output) if token in letters), None)
        if example.letters and first is not None:
            target[first] = 0.0
            target[first, letters] = torch.tensor(example.letters)
        targets.append(target)
        before += [(row, len(prompt) - 1 + n) for n in range(len(follows))]
        for place, (end, style) in enumerate(zip(example.ends, example.styles, strict=True)):
            column = encoded.char_to_token(row, end - 1)
            responses.append((row, column, STYLES.index(style), place))
    rows, columns = torch.tensor(before).T
    ends = torch.tensor(responses).T
    return Batch(tokens, positions, rows, columns, torch.cat(targets), *ends)


def _gaps(rng: random.Random, prompt: int, width: int) -> Tensor:
    """Shift positions at random places of a prompt: a short one then teaches far positions."""
    gaps = torch.zeros(width, dtype=torch.long)
    count = rng.randint(1, 5)
    for _ in range(count):
        gaps[rng.randrange(prompt)] += rng.randint(0, (CONTEXT - width) // count)
    return gaps.cumsum(0)
