"""Train the tiny judge: `python -m training.train [--out DIR] [--seed 0]`."""

import argparse
import json
import math
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from inspect_reliability.tiny_judge import folder

from .batches import Batch, draw_steps, make_batch
from .corpus import LETTERS, STYLES, Example
from .tokenizer import CONTEXT, build_tokenizer

STEPS = 1600
_WARM_UP = 30
_LAST_RATE = 0.02
_REPORTED = 100


class Stage(NamedTuple):
    """A stretch of the training: prompts grow from stage to stage.

    Attributes:
        share: Share of all steps.
        sizes: Sizes of response to draw from (see `judge_example`).
        stretch: Share of prompts whose positions are spread over the context.
    """

    share: float
    sizes: tuple[int, ...]
    stretch: float


STAGES = (
    Stage(0.3, (0,), 0.0),
    Stage(0.2, (0, 1), 0.0),
    Stage(0.3, (0, 1, 2, 2), 0.2),
    Stage(0.2, (0, 1, 2, 2, 3, 3, 6), 0.4),
)


def build_model(tokenizer: PreTrainedTokenizerFast, seed: int) -> LlamaForCausalLM:
    """Build the untrained judge."""
    torch.manual_seed(seed)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=96,
            intermediate_size=192,
            num_hidden_layers=4,
            num_attention_heads=4,
            num_key_value_heads=4,
            max_position_embeddings=CONTEXT,
            initializer_range=0.1,
            tie_word_embeddings=True,
            bos_token_id=None,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )


def losses_of(model: LlamaForCausalLM, grader: torch.nn.Linear, batch: Batch) -> dict[str, Tensor]:
    """Compute what a step is judged by, in nats.

    Args:
        model: The judge.
        grader: Reads style and letter at each response's end. It tells the lower layers early
            what the upper ones will need; it is no part of the judge and is thrown away.
        batch: The batch.

    Returns:
        output: Cross-entropy of a prompt's output tokens.
        style: Cross-entropy of the responses' styles, read from the middle of the network.
        place: Cross-entropy of their letters, read there too.
    """
    states = model.model(
        input_ids=batch.tokens, position_ids=batch.positions, output_hidden_states=True
    )
    scores = model.lm_head(states.last_hidden_state[batch.rows, batch.columns]).log_softmax(-1)
    middle = states.hidden_states[model.config.num_hidden_layers // 2]
    style, place = grader(middle[batch.response_rows, batch.response_ends]).split(
        [len(STYLES), len(LETTERS)], dim=-1
    )
    return {
        "output": -(batch.targets * scores).sum() / len(batch.tokens),
        "style": functional.cross_entropy(style, batch.styles),
        "place": functional.cross_entropy(place, batch.places),
    }


def train(seed: int, steps: int) -> tuple[LlamaForCausalLM, PreTrainedTokenizerFast]:
    """Train a judge from nothing.

    Args:
        seed: Seed of the text, the weights and the order.
        steps: Number of optimiser steps.

    Returns:
        The judge and its tokenizer.
    """
    tokenizer = build_tokenizer(seed)
    model = build_model(tokenizer, seed)
    grader = torch.nn.Linear(model.config.hidden_size, len(STYLES) + len(LETTERS))
    matrices = [p for p in model.model.layers.parameters() if p.ndim == 2]
    norms = [p for p in model.model.parameters() if p.ndim == 1]
    others = [model.lm_head.weight, *norms, *grader.parameters()]
    optimisers = (
        torch.optim.Muon(matrices, lr=0.01, weight_decay=0.01),
        torch.optim.AdamW(others, lr=6e-3, betas=(0.9, 0.98)),
    )
    stages = [stage for stage in STAGES for _ in range(round(stage.share * steps))]
    schedules = [
        torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: _rate(step, len(stages)))
        for optimiser in optimisers
    ]
    rng = random.Random(f"train|{seed}")
    drawn: list[list[Example]] = []
    for step, stage in enumerate(stages, 1):
        drawn = drawn or draw_steps(rng, stage.sizes)
        losses = losses_of(model, grader, make_batch(drawn.pop(), tokenizer, rng, stage.stretch))
        torch.autograd.backward(list(losses.values()))
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimiser, schedule in zip(optimisers, schedules, strict=True):
            optimiser.step()
            optimiser.zero_grad()
            schedule.step()
        if step % _REPORTED == 0 or step == len(stages):
            shown = ", ".join(f"{name} {loss.item():.2f}" for name, loss in losses.items())
            print(f"step {step} of {len(stages)}: {shown}", flush=True)
    return model, tokenizer


def _rate(step: int, steps: int) -> float:
    """Learning rate as a share of its peak: a short rise, then half a cosine."""
    fall = 0.5 * (1 + math.cos(math.pi * min(step / steps, 1)))
    return min(1.0, (step + 1) / _WARM_UP) * (_LAST_RATE + (1 - _LAST_RATE) * fall)


def main(arguments: Sequence[str] | None = None) -> None:
    """Train the judge and save it as any other model of the transformers library."""
    parser = argparse.ArgumentParser(description="Train the tiny judge.")
    parser.add_argument("--out", type=Path, default=folder(), help="folder of the model")
    parser.add_argument("--seed", type=int, default=0, help="seed of text, weights and order")
    parser.add_argument("--steps", type=int, default=STEPS, help="number of optimiser steps")
    chosen = parser.parse_args(arguments)
    started = time.perf_counter()
    model, tokenizer = train(chosen.seed, chosen.steps)
    record = {
        "seed": chosen.seed,
        "steps": chosen.steps,
        "threads": torch.get_num_threads(),
        "minutes": round((time.perf_counter() - started) / 60, 1),
    }
    model.save_pretrained(chosen.out)
    tokenizer.save_pretrained(chosen.out)
    (chosen.out / "training.json").write_text(json.dumps(record) + "\n")
    print(f"Saved in {chosen.out}.")


if __name__ == "__main__":
    main()
