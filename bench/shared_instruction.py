"""What it would save to compute an instruction once that begins all prompts of a benchmark.

    python bench/shared_instruction.py          the tiny judge and 10M random weights, CPU
    python bench/shared_instruction.py --json

The prompts are those of the three benchmarks' sample packs. The random model has its own words as
tokens, and prompts as long as 1,500 tokens, of which the instruction has the share that it has of
the packs' words. Printed is what prompts take whole, and what they take when each goes on from a
copy of the instruction's keys and values; then what 100 replications take with the prompt.
"""

import argparse
import copy
import json
from collections.abc import Hashable, Sequence
from itertools import takewhile
from statistics import fmean, median
from typing import Any

import torch
from transformers import DynamicCache

from _measure import cost, machine
from _models import prompt_words, random_model, tiny_judge, word_tokenizer
from _variants import requests, tree
from inspect_reliability.designs import DESIGNS
from inspect_reliability.hf_seeded.model_run import ModelRun
from inspect_reliability.judging.sample import item_of
from inspect_reliability.study.tasks import bbh_judge, mt_bench_judge, squad_judge

BENCHMARKS = {"bbh": bbh_judge, "squad": squad_judge, "mt_bench": mt_bench_judge}
QUESTIONS = 9
PROMPT, TOKENS = 1500, 16
ROUNDS = 5
REPLICATIONS = 100


def common_length(rows: Sequence[Sequence[Hashable]]) -> int:
    """Number of elements with which all rows begin."""
    places = zip(*rows, strict=False)
    return sum(1 for _ in takewhile(lambda place: len(set(place)) == 1, places))


def instruction_share(name: str) -> float:
    """Share of a benchmark's prompts, in words, that is the same in all."""
    samples = [sample for sample in BENCHMARKS[name]().dataset if sample.metadata]
    prompts = [
        DESIGNS[name].ask(item_of(one.metadata), list(one.metadata["responses"])).split()
        for one in samples
        if one.metadata
    ]
    return common_length(prompts) / fmean(map(len, prompts))


@torch.inference_mode()
def measure(run: ModelRun, prompts: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Cost of prompts whole, after their common instruction, and with replications."""
    common = common_length(prompts)

    def whole() -> list[torch.Tensor]:
        return [run.prefill(prompt, TOKENS)[0] for prompt in prompts]

    def after_instruction() -> list[torch.Tensor]:
        first: Any = DynamicCache()
        run.forward([prompts[0][:common]], first)
        return [run.forward([prompt[common:]], copy.deepcopy(first))[:, -1] for prompt in prompts]

    def instruction() -> object:
        return run.prefill(prompts[0][:common], TOKENS)

    def replications() -> None:
        for prompt in prompts:
            tree(run, requests(prompt, REPLICATIONS, TOKENS))

    ways = {
        "prompts whole": whole,
        "prompts after the instruction": after_instruction,
        "the instruction": instruction,
        "prompts and replications": replications,
    }
    for work in ways.values():
        work()
    rounds = [
        {name: cost(work, "cpu").seconds for name, work in ways.items()} for _ in range(ROUNDS)
    ]
    seconds = {name: median(one[name] for one in rounds) for name in ways}
    whole_seconds, shared, once, everything = seconds.values()
    most = (len(prompts) - 1) * once
    pairs = zip(whole(), after_instruction(), strict=True)
    return {
        "instruction_tokens": common,
        "prompt_tokens": fmean(map(len, prompts)),
        "seconds": seconds,
        "times_faster": {
            "prompts": whole_seconds / shared,
            "prompts and replications": everything / (everything - whole_seconds + shared),
            "the same, if going on cost nothing extra": everything / (everything - most),
        },
        "prompts_with_the_same_logits": sum(torch.equal(*pair) for pair in pairs),
        "prompts": len(prompts),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    shares = {name: instruction_share(name) for name in BENCHMARKS}
    result: dict[str, Any] = {"machine": machine("cpu"), "share_of_words": shares}
    result["tiny judge"] = measure(*tiny_judge(QUESTIONS))
    model = random_model("10m", "cpu", torch.float32, PROMPT + TOKENS)
    words = word_tokenizer(model.config.vocab_size)
    instruction = prompt_words(round(PROMPT * max(shares.values())), model.config.vocab_size)
    prompts = [
        words(f"{instruction} {prompt_words(PROMPT, model.config.vocab_size, number)}")["input_ids"]
        for number in range(1, QUESTIONS + 1)
    ]
    run = ModelRun(model, words.decode, frozenset(), PROMPT + TOKENS)
    result["10m"] = measure(run, [prompt[:PROMPT] for prompt in prompts])
    print(json.dumps(result, indent=None if arguments.json else 2))


if __name__ == "__main__":
    main()
