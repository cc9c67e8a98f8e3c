"""What a study of orders, wordings and seeds costs beside as many seeds of one prompt.

    python bench/experiments.py          the tiny judge and 10M random weights, CPU

Two orders x three wordings x five seeds of a question are six prompts, thirty seeds are one. The
tiny judge sees the prompts of `-T orders=2 -T wordings=labels,whitespace`. The random model writes
text like judges', and sees 1,700 tokens, of which all vary or only the last 200. Printed are CPU
seconds in two ways: prompts in pieces, of which those that begin alike are computed once, and every
prompt whole. "begin alike" is the share of their tokens that two prompts of a question begin with.
"one prompt in pieces / whole" is what pieces cost a prompt that shares none.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial
from itertools import combinations, product, takewhile
from statistics import fmean, median
from typing import Any

import torch

from _measure import cost, machine
from _models import (
    END_OF_PROMPT,
    ID,
    WORDS,
    random_model,
    tiny_judge,
    word_tokenizer,
    write_verdicts,
)
from _variants import forget, requests, tree
from inspect_reliability.designs import Item, wordings_of
from inspect_reliability.hf_seeded.fastest import ModelRun
from inspect_reliability.hf_seeded.forward import PIECE
from inspect_reliability.judging.asking import orders_of
from inspect_reliability.study.benchmarks import BENCHMARKS

ORDERS, SEEDS = 2, 5
WORDINGS = ("labels", "whitespace")
QUESTIONS = 6
PROMPT, VARYING, TOKENS = 1700, 200, 16
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

    def prompts(most: int | None = None) -> None:
        for cells in questions:
            for prompt in sorted(cells)[:most]:
                run.prefill([prompt], TOKENS)

    works = {
        "experiment": experiment,
        "seeds of one prompt": seeds_only,
        "prompts": prompts,
        "one prompt": partial(prompts, 1),
    }
    ways = [(*one, piece) for one in works.items() for piece in (PIECE, sys.maxsize)]
    rounds: list[list[float]] = []
    for _ in range(1 + ROUNDS):
        rounds.append([])
        for _, work, run.forward.piece in ways:
            forget(run)
            rounds[-1].append(cost(work, "cpu").seconds)
    medians = iter(map(median, zip(*rounds[1:], strict=True)))
    seconds = {name: {"pieces": next(medians), "whole": next(medians)} for name in works}
    alike = [
        sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*two, strict=False)))
        / fmean(map(len, two))
        for cells in questions
        for two in combinations(cells, 2)
    ]
    plain = seconds["seeds of one prompt"]["pieces"]
    return {
        "cells": len(questions[0]),
        "prompt_tokens": fmean(len(prompt) for cells in questions for prompt in cells),
        "begin alike": fmean(alike),
        "seconds": seconds,
        "experiment / seeds of one prompt": seconds["experiment"]["pieces"] / plain,
        "the same, prompts whole": seconds["experiment"]["whole"] / plain,
        "prompts in pieces / whole": seconds["prompts"]["pieces"] / seconds["prompts"]["whole"],
        "one prompt in pieces / whole": seconds["one prompt"]["pieces"]
        / seconds["one prompt"]["whole"],
        "share of its prompts": seconds["prompts"]["pieces"] / seconds["experiment"]["pieces"],
    }


def long_prompts(run: ModelRun, number: int) -> dict[str, Any]:
    """The same with prompts of random tokens that vary from the first on, or at their end."""
    draw = torch.Generator().manual_seed(0)
    least = len(WORDS)
    whole = torch.randint(least, run.forward.vocabulary, (number, PROMPT - 1), generator=draw)
    last = torch.cat([whole[:1, :-VARYING].expand(number, -1), whole[:, -VARYING:]], dim=1)
    return {
        name: measure(run, [[(*prompt, ID[END_OF_PROMPT]) for prompt in prompts.tolist()]])
        for name, prompts in {"all varies": whole, "the end varies": last}.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.parse_args()
    torch.set_num_threads(1)
    result: dict[str, Any] = {"machine": machine("cpu")}
    worded = wordings_of(BENCHMARKS["BBH"].design, WORDINGS)
    number = ORDERS * len(worded)

    def ask(item: Item) -> list[str]:
        orders = orders_of(list(item.responses), ORDERS, "shuffled", 0)
        return [one.ask(item, order) for one, order in product(worded.values(), orders)]

    run, prompts = tiny_judge(QUESTIONS, ask=ask)
    questions = [prompts[start : start + number] for start in range(0, len(prompts), number)]
    result["tiny judge"] = measure(run, questions)
    model = random_model("10m", "cpu", torch.float32, PROMPT + TOKENS)
    words = word_tokenizer(model.config.vocab_size)
    run = ModelRun(model, words.decode, frozenset(), PROMPT + TOKENS)
    with write_verdicts(model, RAMBLING):
        result["10m"] = long_prompts(run, number)
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
