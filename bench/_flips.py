"""How many verdicts depend on how the same numbers are computed."""

from collections.abc import Callable, Sequence
from typing import Any

import torch

from _models import prompt_words, random_model, tiny_judge, word_tokenizer, write_verdicts
from _variants import requests, tree
from inspect_reliability.hf_seeded.batch import CopiedRows
from inspect_reliability.hf_seeded.fastest import ModelRun
from inspect_reliability.study.benchmarks import BENCHMARKS

BLOCKS = (7, 30)
QUESTIONS = 9
REPLICATIONS = 100
TOKENS = 30


def flips(shape: str, device: str) -> dict[str, Any]:
    """Verdicts and texts that change when the same seeds come in blocks, or another way is taken.

    The tiny judge on questions of the sample pack, and random weights that write verdict lines,
    each in float32 and bfloat16.
    """
    result: dict[str, Any] = {}
    for dtype in ("float32", "bfloat16"):
        run, prompts = tiny_judge(QUESTIONS, device, dtype)
        result[f"tiny-judge, {dtype}"] = _changes(run, prompts)
        if shape == "8b" and dtype == "float32":
            continue
        model = random_model(shape, device, getattr(torch, dtype), 1024)
        words = word_tokenizer(model.config.vocab_size)
        run = ModelRun(model, words.decode, frozenset(), 1024)
        prompts = [
            words(prompt_words(500, model.config.vocab_size, n))["input_ids"] for n in (1, 2)
        ]
        with write_verdicts(model, rambling=0):
            result[f"{shape} of random weights, {dtype}"] = _changes(run, prompts)
    return result


def _changes(run: ModelRun, prompts: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Number of replications whose verdict, and whose text, differs from that in one block."""
    whole = _texts(run, prompts, REPLICATIONS)
    others = {f"in blocks of {size}": _texts(run, prompts, size) for size in BLOCKS}
    every = [one for prompt in prompts for one in requests(prompt, REPLICATIONS, TOKENS)]
    others["questions side by side"] = [one.text for one in tree(run, every)]
    run.way = CopiedRows
    others["keys and values copied"] = _texts(run, prompts, REPLICATIONS)
    return {"replications": len(whole)} | {
        name: {
            "verdicts": _differ(
                whole, texts, lambda text: BENCHMARKS["BBH"].design.reader.read(text).verdict
            ),
            "texts": _differ(whole, texts, str),
        }
        for name, texts in others.items()
    }


def _texts(run: ModelRun, prompts: Sequence[Sequence[int]], size: int) -> list[str]:
    texts = []
    for prompt in prompts:
        asked = requests(prompt, REPLICATIONS, TOKENS)
        for start in range(0, REPLICATIONS, size):
            texts += [one.text for one in tree(run, asked[start : start + size])]
    return texts


def _differ(one: list[str], other: list[str], read: Callable[[str], str]) -> int:
    return sum(read(a) != read(b) for a, b in zip(one, other, strict=True))
