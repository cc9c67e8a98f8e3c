"""Score the tiny judge: `python -m inspect_reliability.tiny_judge.evaluate [--model DIR]`."""

import argparse
import math
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel
from transformers import PreTrainedTokenizerBase as Tokenizer

from ..benchmarks import Benchmark
from ..options import option_order
from ..prompts import judge_prompt
from ..responses import load_sample_pack
from ..verdicts import CATEGORIES, LETTERS, parse_verdict
from . import folder
from .corpus import judge_example

TEMPERATURES = (0.0, 0.25, 0.5, 0.75, 1.0)
MAX_TOKENS = 50
TOP_K = 50


def outputs(
    model: PreTrainedModel,
    tokenizer: Tokenizer,
    prompts: Sequence[str],
    temperature: float,
    replications: int = 1,
) -> list[list[str]]:
    """Let the judge answer each prompt a number of times.

    Returns:
        The texts of each prompt's replications.
    """
    sampling = (
        {"do_sample": False}
        if temperature == 0
        else {"do_sample": True, "temperature": temperature, "top_k": TOP_K}
    )
    answers = []
    for prompt in prompts:
        chat = tokenizer.apply_chat_template(
            [{"role": "user", "content": prompt}], return_tensors="pt", return_dict=True
        )
        generated = model.generate(
            **chat,
            **sampling,
            max_new_tokens=MAX_TOKENS,
            num_return_sequences=1 if temperature == 0 else replications,
        )
        new = generated[:, chat["input_ids"].shape[1] :]
        texts = tokenizer.batch_decode(new, skip_special_tokens=True)
        answers.append(texts * (replications // len(texts)))
    return answers


def sample_pack_prompts(orders: int) -> list[tuple[str, str]]:
    """Prompts of the sample pack in several orders of the options, each with its best letter."""
    prompts = []
    benchmarks: tuple[Benchmark, ...] = ("BBH", "SQuAD", "MT-Bench")
    for benchmark in benchmarks:
        for entry in load_sample_pack(benchmark):
            for seed in range(orders):
                order = option_order(
                    list(entry.responses), "shuffled", seed, entry.question.id, replication=1
                )
                texts = [entry.responses[name] for name in order]
                best = LETTERS[order.index(str(entry.best))]
                prompts.append((judge_prompt(entry.question, texts), best))
    return prompts


def generated_prompts(count: int) -> list[tuple[str, str]]:
    """Prompts drawn as in training, but never trained on, each with its likeliest letter."""
    rng = random.Random("evaluate")
    examples = [judge_example(rng, size=2) for _ in range(count)]
    return [(e.prompt, max(zip(e.letters or (), LETTERS, strict=True))[1]) for e in examples]


def normalised_entropy(verdicts: Sequence[str]) -> float:
    """Entropy of one question's verdicts as a share of the largest possible (0 to 1)."""
    shares = [n / len(verdicts) for n in Counter(verdicts).values()]
    return -sum(p * math.log(p) for p in shares) / math.log(len(CATEGORIES))


def report(
    model: PreTrainedModel, tokenizer: Tokenizer, prompts: Sequence[tuple[str, str]], R: int
) -> None:
    """Print what the judge makes of prompts at each temperature."""
    print("T     best chosen  well-formed  entropy: mean  least  largest")
    for temperature in TEMPERATURES:
        texts = outputs(model, tokenizer, [p for p, _ in prompts], temperature, R)
        verdicts = [[parse_verdict(text) for text in of_one] for of_one in texts]
        pairs = [
            (verdict, best)
            for of_one, (_, best) in zip(verdicts, prompts, strict=True)
            for verdict in of_one
        ]
        best = sum(verdict == best for verdict, best in pairs) / len(pairs)
        formed = sum(verdict in LETTERS for verdict, _ in pairs) / len(pairs)
        entropies = [normalised_entropy(of_one) for of_one in verdicts]
        mean = sum(entropies) / len(entropies)
        print(
            f"{temperature:<4}  {best:11.2f}  {formed:11.3f}  {mean:13.2f}"
            f"  {min(entropies):5.2f}  {max(entropies):7.2f}"
        )


def main() -> None:
    """Print the figures of the model card."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=folder())
    parser.add_argument("--replications", type=int, default=50)
    args = parser.parse_args()
    torch.set_num_threads(2)
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_pretrained(args.model, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(args.model)

    for title, prompts in (
        ("Sample pack, 10 orders of the options", sample_pack_prompts(orders=10)),
        ("Generated prompts", generated_prompts(500)),
    ):
        texts = outputs(model, tokenizer, [prompt for prompt, _ in prompts], temperature=0)
        right = [parse_verdict(t[0]) == best for t, (_, best) in zip(texts, prompts, strict=True)]
        print(
            f"{title}: best response chosen at T = 0 in {sum(right)} of {len(right)}"
            f" ({sum(right) / len(right):.2f}; chance .20)"
        )
    print(f"\nSample pack, one order, {args.replications} replications")
    report(model, tokenizer, sample_pack_prompts(orders=1), args.replications)


if __name__ == "__main__":
    main()
