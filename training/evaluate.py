"""Score the tiny judge: `python -m training.evaluate [--model DIR]`.

Prints every figure of the model's card. Nothing here was trained on: the sample pack is no part
of the training text, and the generated prompts come from a seed of their own.
"""

import argparse
import json
import math
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, DynamicCache, PreTrainedModel
from transformers import PreTrainedTokenizerBase as Tokenizer

from inspect_reliability.designs import DESIGNS
from inspect_reliability.designs.paper import LETTERS
from inspect_reliability.judging.order import option_order
from inspect_reliability.study.benchmarks.selection import sample_pack
from inspect_reliability.study.responses import load_sample_pack
from inspect_reliability.tiny_judge import folder
from inspect_reliability.verdicts import CORRECT, INCORRECT

from .corpus import judge_example
from .prompts import correctness_prompt, judge_prompt, parse_correctness, parse_verdict

TEMPERATURES = (0.0, 0.25, 0.5, 0.75, 1.0)
MAX_TOKENS = 50
TOP_K = 50
ORDERS = 10
REPLICATIONS = 100
GENERATED = 500


class Judged(NamedTuple):
    """A prompt and the verdict that is right."""

    prompt: str
    right: str


def answer(
    model: PreTrainedModel,
    tokenizer: Tokenizer,
    prompt: str,
    temperature: float = 0.0,
    replications: int = 1,
) -> list[str]:
    """Let the judge answer a prompt a number of times (once for all at temperature 0)."""
    chat = tokenizer.apply_chat_template([{"role": "user", "content": prompt}], tokenize=False)
    tokens = tokenizer(str(chat), return_tensors="pt")["input_ids"]
    rows = replications if temperature else 1
    cache = DynamicCache()
    with torch.no_grad():  # the prompt is read once for all replications
        model(tokens[:, :-1], past_key_values=cache)
    cache.batch_repeat_interleave(rows)
    sampling = {"temperature": temperature, "top_k": TOP_K} if temperature else {}
    generated = model.generate(  # type: ignore[operator]
        tokens.repeat(rows, 1),
        past_key_values=cache,
        do_sample=temperature > 0,
        max_new_tokens=MAX_TOKENS,
        **sampling,
    )
    texts = tokenizer.decode(generated[:, tokens.shape[1] :], skip_special_tokens=True)
    return list(texts) * (replications // rows)


def sample_pack_prompts(benchmark: str, orders: int = 1) -> list[Judged]:
    """Prompts of the sample pack, each question in a number of orders of the options."""
    judged = []
    for entry in load_sample_pack(benchmark):
        for seed in range(orders):
            order = option_order(list(entry.responses), "shuffled", seed, entry.question.id, 1)
            prompt = judge_prompt(entry.question, [entry.responses[name] for name in order])
            judged.append(Judged(prompt, LETTERS[order.index(str(entry.best))]))
    return judged


def head_to_tail_prompts() -> list[Judged]:
    """Prompts of the sample pack's facts."""
    return [
        Judged(
            correctness_prompt(question, entry["prediction"]),
            CORRECT if entry["correct"] else INCORRECT,
        )
        for question, entry in sample_pack("Head-to-Tail")
    ]


def generated_prompts(count: int) -> list[Judged]:
    """Prompts drawn as in training, with their likeliest letter."""
    rng = random.Random("evaluate")
    examples = [judge_example(rng, size=2) for _ in range(count)]
    return [Judged(e.prompt, LETTERS[e.letters.index(max(e.letters))]) for e in examples]


def normalised_entropy(verdicts: Sequence[str]) -> float:
    """Entropy of one question's verdicts as a share of the largest possible (0 to 1)."""
    shares = [count / len(verdicts) for count in Counter(verdicts).values()]
    return sum(-share * math.log(share) for share in shares) / math.log(
        len(DESIGNS["bbh"].reader.categories)
    )


def main() -> None:
    """Print the figures of the model card."""
    parser = argparse.ArgumentParser(description="Score the tiny judge.")
    parser.add_argument("--model", type=Path, default=folder(), help="folder of the model")
    path: Path = parser.parse_args().model
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(path)
    print(f"{sum(parameter.numel() for parameter in model.parameters()):,} parameters")
    print(f"Trained: {json.loads((path / 'training.json').read_text())}")

    print("\nRight verdicts at temperature 0")
    benchmarks: tuple[str, ...] = ("BBH", "SQuAD", "MT-Bench")
    kinds = [
        (f"sample pack, {b}", sample_pack_prompts(b, ORDERS), parse_verdict) for b in benchmarks
    ]
    kinds.append(("generated as in training", generated_prompts(GENERATED), parse_verdict))
    kinds.append(("sample pack, Head-to-Tail", head_to_tail_prompts(), parse_correctness))
    for name, prompts, parse in kinds:
        verdicts = [parse(*answer(model, tokenizer, prompt)) for prompt, _ in prompts]
        right = sum(v == judged.right for v, judged in zip(verdicts, prompts, strict=True))
        [(_, guessed)] = Counter(judged.right for judged in prompts).most_common(1)
        print(
            f"{name:26} {right:3} of {len(prompts):3} = {right / len(prompts):.2f}"
            f" (one answer always: {guessed / len(prompts):.2f})"
        )

    pack = [judged for benchmark in benchmarks for judged in sample_pack_prompts(benchmark)]
    print(f"\n{len(pack)} questions of the sample pack, {REPLICATIONS} replications")
    print("temperature  well formed  best chosen  entropy: mean  smallest  largest")
    for temperature in TEMPERATURES:
        replications = [
            [parse_verdict(t) for t in answer(model, tokenizer, prompt, temperature, REPLICATIONS)]
            for prompt, _ in pack
        ]
        total = len(pack) * REPLICATIONS
        formed = sum(verdict in LETTERS for of_one in replications for verdict in of_one) / total
        best = (
            sum(of_one.count(right) for of_one, (_, right) in zip(replications, pack, strict=True))
            / total
        )
        entropies = [normalised_entropy(of_one) for of_one in replications]
        print(
            f"{temperature:11.2f}  {formed:11.3f}  {best:11.2f}"
            f"  {sum(entropies) / len(entropies):13.2f}  {min(entropies):8.2f}"
            f"  {max(entropies):7.2f}"
        )


if __name__ == "__main__":
    main()
