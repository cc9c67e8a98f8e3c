"""What R replications of one prompt cost, each way measured against the others in one run.

    python bench/replications.py
    python bench/replications.py --device cuda --shape 8b --dtype bfloat16
    python bench/replications.py --flips    verdicts that change with the shape of a batch

Models have random weights of the given shape, so the figures are about work, not about text. Two
kinds of text bound what judges write: "never agrees" (all replications differ from their first or
second token on) and "verdict-like" (nine in ten begin with `Best Response: [[X]]` and then go
their own ways, one in ten rambles from the start). Slow ways are measured on fewer replications
and scaled up; each row of the result says on how many.

Every measurement begins cold: nothing is known of the prompt, as with a user's next question. "of
the bound" is the share of this machine's own rate of a matrix product (see `_bound`).
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from _bound import operations, rate
from _flips import flips
from _measure import Cost, cost, least_cost, machine
from _models import prompt_words, random_model, save, word_tokenizer, write_verdicts
from _steps import of_a_step
from _variants import InspectHF, forget, generate, requests, row_each, stopping, tree
from inspect_reliability.hf_seeded.batch import CopiedRows, SharedPrefixRows
from inspect_reliability.hf_seeded.fastest import MAX_ROWS, ModelRun
from inspect_reliability.hf_seeded.tree import Request
from inspect_reliability.study.benchmarks import BENCHMARKS

QUESTIONS = 10
TEMPERATURES = (0.0, 0.25, 0.5, 0.75, 1.0)
RAMBLING = 0.1
VERDICT_TOKENS = 50
LENGTHS = (500, 1500, 3000)
REPLICATIONS = (1, 10, 100, 1000)
STRAIGHT = (500, 5000)
"""Replications of one prompt: ten times as many are to take ten times as long, or less."""


def has_verdict(text: str) -> bool:
    """Whether a text has its verdict, and a word more, for these texts are one long line."""
    return BENCHMARKS["BBH"].design.reader.completed(text.rpartition(" ")[0]) is not None


class Bench:
    """A model and the ways to replicate on it."""

    def __init__(self, arguments: argparse.Namespace, folder: Path) -> None:
        self.device: str = arguments.device
        self.repeats: int = arguments.repeats
        self.length: int = arguments.prompt
        self.replications: int = arguments.replications
        self.tokens: int = arguments.tokens
        self.sample: int = arguments.sample
        context = max(*LENGTHS, self.length) + 256
        self.model = random_model(
            arguments.shape, self.device, getattr(torch, arguments.dtype), context
        )
        self.tokenizer = word_tokenizer(self.model.config.vocab_size)
        self.run = ModelRun(
            self.model, self.tokenizer.decode, frozenset(), context, arguments.max_rows
        )
        self.rate = rate(self.device, self.model.dtype)
        self.folder = folder
        save(self.model, self.tokenizer, folder)

    def share(self, cost: Cost) -> float | None:
        """The share of the machine's rate at which work did the operations it needed."""
        return cost.operations and cost.operations / cost.seconds / self.rate

    def prompt(self, length: int | None = None, number: int = 0) -> list[int]:
        """Token ids of a prompt."""
        words = prompt_words(length or self.length, self.model.config.vocab_size, number)
        return self.tokenizer(words)["input_ids"]

    def questions(self, **asked: Any) -> list[list[Request]]:
        """All replications of some questions."""
        settings = {"replications": self.replications, "tokens": self.tokens} | asked
        return [requests(self.prompt(number=n), **settings) for n in range(QUESTIONS)]

    def measured(self, work: Callable[[], object], repeats: int) -> Cost:
        """Cost of some work that finds no prompt known, the least of several runs."""
        return least_cost(work, self.device, repeats, lambda: forget(self.run))

    def engine(self, work: Callable[[], object]) -> Cost:
        """The same of work through the engine, with the operations that it needs."""
        forget(self.run)
        needed = operations(self.model, work)  # and the machine is warm
        return replace(self.measured(work, self.repeats), operations=needed)

    def prefill(self, length: int | None = None) -> Cost:
        """Cost of the prompt alone, once."""
        prompt = tuple(self.prompt(length))
        return self.engine(lambda: self.run.prefill([prompt], 1))

    def ours(self, way: Callable[..., Any] = tree, **asked: Any) -> Cost:
        """Cost of all replications through the engine, or through another loop over it."""
        settings = {"replications": self.replications, "tokens": self.tokens} | asked
        prompt = self.prompt(settings.pop("length", None))
        return self.engine(lambda: way(self.run, requests(prompt, **settings)))

    def side_by_side(self, **asked: Any) -> Cost:
        """Cost of all replications of one question, when several are generated together."""
        together = [request for one in self.questions(**asked) for request in one]
        return self.engine(lambda: tree(self.run, together)) * (1 / QUESTIONS)

    def sampled(self, work: Callable[[int], object], each: int) -> Cost:
        """Run something that gives `each` replications, and scale to all."""
        work(each)
        measured = self.measured(lambda: work(each), max(1, self.sample // each))
        return measured * (self.replications / each)


def never_agrees(bench: Bench) -> dict[str, dict[str, Any]]:
    """Text of which no two replications share more than a token or two."""
    prompt = bench.prompt()
    batch = min(32, bench.replications)
    result = {
        "one generate() a replication": (
            bench.sampled(lambda n: generate(bench.model, prompt, bench.tokens), 1),
            1,
        ),
        "generate(num_return_sequences)": (
            cost(lambda: generate(bench.model, prompt, bench.tokens, batch), bench.device)
            * (bench.replications / batch),
            batch,
        ),
        "inspect hf/": (_inspect_hf(bench, batch), batch),
        "ours": (bench.ours(), bench.replications),
        "ours, no tree": (bench.ours(row_each), bench.replications),
    }
    bench.run.way = CopiedRows
    result["ours, keys and values copied"] = (bench.ours(), bench.replications)
    bench.run.way = SharedPrefixRows
    return _against_first(bench, result)


def _inspect_hf(bench: Bench, batch: int) -> Cost:
    provider = InspectHF(bench.folder, batch, bench.device)
    words = prompt_words(bench.length, bench.model.config.vocab_size)
    provider(words, 1, 1)  # its worker thread starts
    measured = cost(lambda: provider(words, batch, bench.tokens), bench.device)
    return measured * (bench.replications / batch)


def verdict_like(bench: Bench) -> dict[str, dict[str, Any]]:
    """Text that begins with a verdict nine times in ten, 50 tokens of it."""
    prompt = bench.prompt()
    stop = {"stop": has_verdict}
    criteria = stopping(bench.tokenizer, len(prompt), has_verdict)
    with write_verdicts(bench.model, RAMBLING):
        result = {
            "one generate() a replication": (
                bench.sampled(lambda n: generate(bench.model, prompt, VERDICT_TOKENS), 1),
                1,
            ),
            "one generate() a replication, stopping at the verdict": (
                bench.sampled(
                    lambda n: [
                        generate(bench.model, prompt, VERDICT_TOKENS, criteria=criteria)
                        for _ in range(n)
                    ],
                    10,
                ),
                10,
            ),
            "ours, no tree": (bench.ours(row_each, tokens=VERDICT_TOKENS), bench.replications),
        }
        for name, asked in {"ours": {}, "ours, stopping at the verdict": stop}.items():
            asked = {"tokens": VERDICT_TOKENS, **asked}
            in_one_tree = bench.ours(temperatures=TEMPERATURES, **asked)
            result |= {
                name: (bench.ours(**asked), bench.replications),
                f"{name}, a fifth of {len(TEMPERATURES)} temperatures in one tree": (
                    in_one_tree * (1 / len(TEMPERATURES)),
                    bench.replications,
                ),
                f"{name}, a question of {QUESTIONS} side by side": (
                    bench.side_by_side(**asked),
                    bench.replications,
                ),
            }
    return _against_first(bench, result)


def _against_first(bench: Bench, costs: dict[str, tuple[Cost, int]]) -> dict[str, dict[str, Any]]:
    base = next(iter(costs.values()))[0].seconds
    copied = copied_cache_bytes(bench)
    return {
        name: {
            "seconds": one.seconds,
            "times_faster": base / one.seconds,
            "peak_bytes": one.peak,
            "peak_of_copied_cache": None if one.peak is None else one.peak / copied,
            "share_of_bound": bench.share(one),
            "measured_on": measured_on,
        }
        for name, (one, measured_on) in costs.items()
    }


def copied_cache_bytes(bench: Bench) -> int:
    """Keys and values of the prompt, once for each replication."""
    config = bench.model.config
    size = config.hidden_size // config.num_attention_heads
    element = next(bench.model.parameters()).element_size()
    position = 2 * config.num_hidden_layers * config.num_key_value_heads * size * element
    return bench.replications * bench.length * position


def growth(bench: Bench) -> dict[str, Any]:
    """How our cost grows with the number of replications and the length of the prompt."""

    def by_replications(numbers: Sequence[int] = REPLICATIONS, **asked: Any) -> dict[str, Any]:
        seconds = {n: bench.ours(replications=n, **asked).seconds for n in sorted(numbers)}
        fewer, most = numbers[-2:]
        return {"seconds": seconds, f"{most}_over_{fewer}": seconds[most] / seconds[fewer]}

    stopping_there = {"tokens": VERDICT_TOKENS, "stop": has_verdict}
    result: dict[str, Any] = {"never agrees": by_replications()}
    with write_verdicts(bench.model, rambling=0):
        numbers = (*REPLICATIONS, *STRAIGHT)
        result["verdicts agree in form"] = by_replications(numbers, **stopping_there)
    with write_verdicts(bench.model, RAMBLING):
        result["verdict-like, one in ten rambles"] = by_replications(**stopping_there)
    result["length of the prompt"] = {
        length: {
            "prefill_seconds": bench.prefill(length).seconds,
            "seconds": bench.ours(length=length).seconds,
        }
        for length in LENGTHS
    }
    return result


def steps(bench: Bench) -> dict[str, Any]:
    """What a step asks of a device: of one question, and of several side by side."""
    together = bench.questions(replications=3)
    with write_verdicts(bench.model, RAMBLING):
        return {
            f"{name}, {number} prompt{'s' if number > 1 else ''}": of_a_step(
                lambda asked=asked: tree(bench.run, asked)
            )
            for name, tokens in (("verdict-like", VERDICT_TOKENS),)
            for number, asked in (
                (1, requests(bench.prompt(), bench.replications, tokens)),
                (len(together), [one for some in together for one in some]),
            )
        }


def parts(arguments: argparse.Namespace) -> Iterator[str]:
    """Every part of the result as text, as soon as it is measured."""
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments, Path(folder))
        prefill = bench.prefill()
        yield from (
            str(machine(bench.device)),
            f"{bench.model.num_parameters():,} parameters ({arguments.shape}), {arguments.dtype}, "
            f"{bench.run.way.name}",
            f"P={bench.length}, R={bench.replications}; the prompt alone, once: "
            f"{prefill.seconds:.3g} s, {bench.share(prefill) or 0:.2f} of the bound; keys and "
            f"values copied R times: {copied_cache_bytes(bench) / 1e6:,.0f} MB",
            f"A product of two large matrices: {bench.rate / 1e9:,.0f} thousand million "
            "operations a second",
        )
        for name, rows, tokens in (
            ("never agrees", never_agrees, bench.tokens),
            ("verdict-like", verdict_like, VERDICT_TOKENS),
        ):
            yield f"\n{name}, T={tokens}\n{ways(bench, rows(bench))}"
        yield f"\na step\n{json.dumps(steps(bench), indent=2)}"
        yield f"\ngrowth\n{json.dumps(growth(bench), indent=2)}"


def ways(bench: Bench, found: dict[str, dict[str, Any]]) -> str:
    """A line a way to get the replications."""
    lines = []
    for name, row in found.items():
        peak = "" if row["peak_bytes"] is None else f"{row['peak_bytes'] / 1e6:9,.0f} MB"
        whole = row["measured_on"] == bench.replications
        scaled = "" if whole else f"  (scaled from {row['measured_on']})"
        bound = row["share_of_bound"]
        share = " " * 18 if bound is None else f"{bound:5.2f} of the bound"
        lines.append(
            f"  {name:67}{row['seconds']:9.3g} s {row['times_faster']:7.3g}x {share}{peak}{scaled}"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--shape", choices=("10m", "50m", "8b"), default="10m")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--prompt", type=int, default=1500, help="tokens")
    parser.add_argument("--replications", type=int, default=100)
    parser.add_argument("--tokens", type=int, default=16, help="of text that never agrees")
    parser.add_argument("--max-rows", type=int, default=MAX_ROWS)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--sample", type=int, default=5, help="replications of the slow ways")
    parser.add_argument(
        "--flips", action="store_true", help="only count what other shapes of a batch change"
    )
    parser.add_argument("--threads", type=int, default=1, help="more make CPU seconds noisier")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    if arguments.flips:
        print(json.dumps(flips(arguments.shape, arguments.device), indent=2))
        return
    for part in parts(arguments):
        print(part, flush=True)


if __name__ == "__main__":
    main()
