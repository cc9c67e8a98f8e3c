"""What a study of orders, wordings and seeds costs beside as many seeds of one prompt.

    python bench/experiments.py          the tiny judge and 10M random weights, CPU
    python bench/experiments.py --json

Two orders x three wordings x five seeds of a question are six prompts, thirty seeds are one. The
tiny judge sees the prompts of `-T orders=2 -T wordings=labels,whitespace`; the random model sees
1,500 tokens and writes text like judges'. Printed are CPU seconds, and what of them the prompts
take. "begin alike" is the share of the prompts' tokens that two of a question begin with.
"""

import argparse
import json
from collections.abc import Sequence
from itertools import combinations, product, takewhile
from statistics import fmean, median
from typing import Any

import torch

from _measure import cost, machine
from _models import prompt_words, random_model, tiny_judge, word_tokenizer, write_verdicts
from _variants import requests, tree
from inspect_reliability.designs import DESIGNS, Item, wordings_of
from inspect_reliability.hf_seeded.model_run import ModelRun
from inspect_reliability.judging.cells import orders_of

ORDERS, SEEDS = 2, 5
WORDINGS = ("labels", "whitespace")
QUESTIONS, LONG_QUESTIONS = 6, 1
PROMPT, TOKENS = 1500, 16
ROUNDS = 3
RAMBLING = 0.1

Prompt = Sequence[int]


@torch.inference_mode()
def measure(run: ModelRun, questions: Sequence[Sequence[Prompt]]) -> dict[str, Any]:
    """Cost of all cells of some questions, and of as many seeds of the first cell of each."""

    def experiment() -> None:
        for cells in questions:
            tree(run, [one for prompt in cells for one in requests(prompt, SEEDS, TOKENS)])

    def seeds_only() -> None:
        for cells in questions:
            tree(run, requests(cells[0], SEEDS * len(cells), TOKENS))

    def prompts() -> None:
        for cells in questions:
            for prompt in cells:
                run.prefill(prompt, TOKENS)

    ways = {"experiment": experiment, "seeds of one prompt": seeds_only, "its prompts": prompts}
    for work in ways.values():
        work()
    rounds = [
        {name: cost(work, "cpu").seconds for name, work in ways.items()} for _ in range(ROUNDS)
    ]
    seconds = {name: median(one[name] for one in rounds) for name in ways}
    whole, plain, prefill = seconds.values()
    alike = [
        sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*two, strict=False)))
        / fmean(map(len, two))
        for cells in questions
        for two in combinations(cells, 2)
    ]
    return {
        "cells": len(questions[0]),
        "prompt_tokens": fmean(len(prompt) for cells in questions for prompt in cells),
        "begin alike": fmean(alike),
        "seconds": seconds,
        "experiment / seeds of one prompt": whole / plain,
        "share of its prompts": prefill / whole,
    }


def _by(number: int, prompts: Sequence[Prompt]) -> list[Sequence[Prompt]]:
    return [prompts[start : start + number] for start in range(0, len(prompts), number)]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    result: dict[str, Any] = {"machine": machine("cpu")}
    worded = wordings_of(DESIGNS["bbh"], WORDINGS)
    number = ORDERS * len(worded)

    def ask(item: Item) -> list[str]:
        orders = orders_of(list(item.responses), ORDERS, "shuffled", 0)
        return [one.ask(item, order) for order, one in product(orders, worded.values())]

    run, prompts = tiny_judge(QUESTIONS, ask=ask)
    result["tiny judge"] = measure(run, _by(number, prompts))
    model = random_model("10m", "cpu", torch.float32, PROMPT + TOKENS)
    words = word_tokenizer(model.config.vocab_size)
    random = [
        words(prompt_words(PROMPT, model.config.vocab_size, one))["input_ids"]
        for one in range(LONG_QUESTIONS * number)
    ]
    run = ModelRun(model, words.decode, frozenset(), PROMPT + TOKENS)
    with write_verdicts(model, RAMBLING):
        result["10m"] = measure(run, _by(number, random))
    print(json.dumps(result, indent=None if arguments.json else 2))


if __name__ == "__main__":
    main()
