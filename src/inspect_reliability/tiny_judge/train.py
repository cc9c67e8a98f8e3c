"""Train the tiny judge: `python -m inspect_reliability.tiny_judge.train [--out DIR] [--seed 0]`."""

import argparse
import math
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import Tensor
from torch.nn import functional
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from ..prompts import CORRECTNESS_INSTRUCTION, JUDGE_INSTRUCTION, JUDGE_INSTRUCTION_TWO_TURNS
from ..verdicts import LETTERS
from . import folder, words
from .corpus import STYLES, Example, correctness_example, judge_example

VOCABULARY = 2048
CONTEXT = 4096
POOLED = 4
END, PADDING = "<|end|>", "<|padding|>"
CHAT_TEMPLATE = "{% for message in messages %}{{ message['content'] + '\\n' }}{% endfor %}"


@dataclass(frozen=True)
class Stage:
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


def build_tokenizer(seed: int, texts: int) -> PreTrainedTokenizerFast:
    """Train a byte-level BPE on generated text; any text survives encoding and decoding.

    The judge's instructions are one token each: they never vary, and prompts stay short.

    Args:
        seed: Seed of the text.
        texts: Number of generated prompts to learn from.
    """
    rng = random.Random(f"tokenizer|{seed}")
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY - 5,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_text(rng, texts), trainer)
    instructions = (JUDGE_INSTRUCTION, JUDGE_INSTRUCTION_TWO_TURNS, CORRECTNESS_INSTRUCTION)
    tokenizer.add_tokens([AddedToken(text, normalized=False) for text in instructions])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=END,
        pad_token=PADDING,
        model_max_length=CONTEXT,
        clean_up_tokenization_spaces=False,
        chat_template=CHAT_TEMPLATE,
    )


def _text(rng: random.Random, texts: int) -> Iterator[str]:
    for _ in range(texts):
        example = judge_example(rng, size=2)
        yield example.prompt.replace(JUDGE_INSTRUCTION, "") + "\n" + example.output
        yield " " + " ".join(rng.sample(words.COMMON, 40))
    yield JUDGE_INSTRUCTION


def build_model(tokenizer: PreTrainedTokenizerFast, seed: int) -> LlamaForCausalLM:
    """Build the untrained judge."""
    torch.manual_seed(seed)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=VOCABULARY,
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


@dataclass(frozen=True)
class Batch:
    """Examples as tensors.

    Attributes:
        tokens: (batch, length) token ids, padded at the end.
        positions: (batch, length) position of each token.
        rows: (n,) row of each output token's predecessor.
        columns: (n,) its column.
        targets: (n, vocabulary) what should follow: one token, or a distribution over letters.
        letter: (n,) whether a distribution over letters is asked for.
        response_rows: (m,) row of each response.
        response_ends: (m,) column of its last token.
        styles: (m,) index of its style.
    """

    tokens: Tensor
    positions: Tensor
    rows: Tensor
    columns: Tensor
    targets: Tensor
    letter: Tensor
    response_rows: Tensor
    response_ends: Tensor
    styles: Tensor


def make_batch(
    examples: Sequence[Example],
    tokenizer: PreTrainedTokenizerFast,
    rng: random.Random,
    stretch: float,
) -> Batch:
    """Encode examples for one step."""
    prompts = [e.prompt + ("\n" if rng.random() < 0.9 else "") for e in examples]
    encoded = tokenizer(prompts)
    prompt_ids = encoded["input_ids"]
    output_ids = tokenizer([example.output for example in examples])["input_ids"]
    letter_ids = tokenizer.convert_tokens_to_ids(list(LETTERS))
    width = max(len(p) + len(o) for p, o in zip(prompt_ids, output_ids, strict=True))
    tokens = torch.full((len(examples), width), tokenizer.pad_token_id)
    positions = torch.arange(width).repeat(len(examples), 1)
    rows, columns, targets, letter = [], [], [], []
    response_rows, response_ends, styles = [], [], []
    for row, (example, prompt, output) in enumerate(
        zip(examples, prompt_ids, output_ids, strict=True)
    ):
        tokens[row, : len(prompt) + len(output)] = torch.tensor(prompt + output)
        if rng.random() < stretch:
            positions[row] += _gaps(rng, len(prompt), width)
        follows = functional.one_hot(
            torch.tensor([*output, tokenizer.eos_token_id]), VOCABULARY
        ).float()
        first = next((i for i, token in enumerate(output) if token in letter_ids), None)
        if example.letters is not None and first is not None:
            follows[first] = 0.0
            follows[first, letter_ids] = torch.tensor(example.letters)
        for i in range(len(output) + 1):
            rows.append(row)
            columns.append(len(prompt) - 1 + i)
            letter.append(example.letters is not None and i == first)
        targets.append(follows)
        for end, style in zip(example.ends, example.styles, strict=True):
            response_rows.append(row)
            response_ends.append(encoded.char_to_token(row, end - 1))
            styles.append(STYLES.index(style))
    return Batch(
        tokens,
        positions,
        torch.tensor(rows),
        torch.tensor(columns),
        torch.cat(targets),
        torch.tensor(letter),
        torch.tensor(response_rows),
        torch.tensor(response_ends),
        torch.tensor(styles),
    )


def _gaps(rng: random.Random, prompt: int, width: int) -> Tensor:
    """Shift positions at random places of a prompt: a short one then teaches far positions."""
    gaps = torch.zeros(width, dtype=torch.long)
    count = rng.randint(1, 5)
    for _ in range(count):
        gaps[rng.randrange(prompt)] += rng.randint(0, (CONTEXT - width) // count)
    return gaps.cumsum(0)


@dataclass(frozen=True)
class Losses:
    """What a step is judged by, in nats.

    Attributes:
        output: Cross-entropy of a prompt's output tokens.
        excess: Mean Kullback-Leibler divergence at letters, from the best possible.
        style: Cross-entropy of the styles read from the middle of the network.
    """

    output: Tensor
    excess: Tensor
    style: Tensor


def losses_of(model: LlamaForCausalLM, grader: torch.nn.Linear, batch: Batch) -> Losses:
    """Compute the losses of a batch."""
    states = model.model(
        input_ids=batch.tokens, position_ids=batch.positions, output_hidden_states=True
    )
    scores = model.lm_head(states.last_hidden_state[batch.rows, batch.columns]).log_softmax(-1)
    cross_entropy = -(batch.targets * scores).sum(-1)
    entropy = torch.special.entr(batch.targets).sum(-1)
    middle = states.hidden_states[model.config.num_hidden_layers // 2]
    style = functional.cross_entropy(
        grader(middle[batch.response_rows, batch.response_ends]), batch.styles
    )
    return Losses(
        cross_entropy.sum() / len(batch.tokens),
        (cross_entropy - entropy)[batch.letter].mean(),
        style,
    )


def draw_steps(rng: random.Random, sizes: Sequence[int]) -> list[list[Example]]:
    """Draw the prompts of a few steps: fewer where they are long, similar lengths together."""
    size = rng.choice(sizes)
    count = {0: 48, 1: 36, 2: 24, 3: 18}.get(size, 10)
    pool = [judge_example(rng, size) for _ in range(count * POOLED)]
    pool.sort(key=lambda example: len(example.prompt))
    steps = [
        pool[n * count : (n + 1) * count] + [correctness_example(rng) for _ in range(count // 8)]
        for n in range(POOLED)
    ]
    rng.shuffle(steps)
    return steps


def train(seed: int, steps: int) -> tuple[LlamaForCausalLM, PreTrainedTokenizerFast]:
    """Train a judge from nothing.

    Args:
        seed: Seed of the text, the weights and the order.
        steps: Number of optimiser steps.
    """
    tokenizer = build_tokenizer(seed, texts=4000)
    model = build_model(tokenizer, seed)
    grader = torch.nn.Linear(model.config.hidden_size, len(STYLES))
    rng = random.Random(f"train|{seed}")
    optimiser = torch.optim.AdamW(
        [*model.parameters(), *grader.parameters()], lr=PEAK_RATE, betas=(0.9, 0.98)
    )
    stages = [stage for stage in STAGES for _ in range(round(stage.share * steps))]
    drawn: list[list[Example]] = []
    started = time.perf_counter()
    losses = []
    for step, stage in enumerate(stages):
        rate = (
            PEAK_RATE
            * min(1.0, step / 50)
            * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * step / len(stages))))
        )
        for group in optimiser.param_groups:
            group["lr"] = rate
        drawn = drawn or draw_steps(rng, stage.sizes)
        batch = make_batch(drawn.pop(), tokenizer, rng, stage.stretch)
        step_losses = losses_of(model, grader, batch)
        loss = step_losses.output + step_losses.style
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        losses.append(
            (step_losses.output.item(), step_losses.excess.item(), step_losses.style.item())
        )
        if step % 50 == 49:
            mean_loss, mean_excess, mean_style = (sum(part) / 50 for part in zip(*losses[-50:]))
            print(
                f"step {step + 1}/{len(stages)}  {time.perf_counter() - started:.0f} s  loss {mean_loss:.3f}  excess {mean_excess:.3f}  style {mean_style:.3f}",
                flush=True,
            )
    return model, tokenizer


PEAK_RATE = 3e-3


def main() -> None:
    """Train and save."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=folder())
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=1500)
    args = parser.parse_args()
    torch.set_num_threads(2)
    model, tokenizer = train(args.seed, args.steps)
    model.save_pretrained(args.out)
    tokenizer.save_pretrained(args.out)


if __name__ == "__main__":
    main()
