"""What bfloat16 costs and changes beside float32, on this processor.

    python bench/precision.py [--model FOLDER|FILE.gguf ...]

Each judge (by default the tiny one) answers sample questions with the same seeds in float32 and in
bfloat16. Printed are CPU seconds of the prompts alone and of all replications, megabytes of the
weights, the verdicts that differ from those in float32, and the largest change of a verdict's share
among all of them. Fast bfloat16 takes a processor with such instructions; the first line names
them.
"""

import argparse
import operator
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from _measure import cost, machine
from _models import opened, prompts_of, sample_items
from _tables import show
from _variants import forget, requests, tree
from inspect_reliability.study.benchmarks import BENCHMARKS

DTYPES = ("float32", "bfloat16")
INSTRUCTIONS = ("avx512_bf16", "amx_bf16", "bf16")
"""Names in /proc/cpuinfo, of x86 and of ARM."""
TOKENS = 50
DESIGN = BENCHMARKS["BBH"].design


def instructions() -> str:
    """Instructions of this processor for bfloat16."""
    about = Path("/proc/cpuinfo")
    flags = {*about.read_text().split()} if about.exists() else set()
    return ", ".join(flags.intersection(INSTRUCTIONS)) or "none known"


def measure(model: str, questions: int, replications: int) -> Iterator[dict[str, Any]]:
    verdicts: list[list[str]] = []
    for dtype in DTYPES:
        run, encoder = opened(model, dtype=dtype)
        asked = (DESIGN.ask(one, list(one.responses)) for one in sample_items(questions))
        prompts = [one for one in prompts_of(encoder, asked) if len(one) + TOKENS < run.context]
        every = [one for prompt in prompts for one in requests(prompt, replications, TOKENS)]
        texts: list[Any] = []
        forget(run)
        alone = cost(lambda run=run, prompts=prompts: run.prefill(prompts, 1), "cpu")
        forget(run)
        whole = cost(
            lambda run=run, every=every, texts=texts: texts.extend(tree(run, every)), "cpu"
        )
        verdicts.append([DESIGN.reader.read(one.text).verdict for one in texts])
        first, latest = Counter(verdicts[0]), Counter(verdicts[-1])
        yield {
            "judge": model.rpartition("/")[-1],
            "dtype": dtype,
            "way": run.way.name,
            "judgments": len(texts),
            "CPU s, prompts alone": alone.seconds,
            "all": whole.seconds,
            "MB of weights": sum(one.nbytes for one in run.forward.model.parameters()) // 10**6,
            "verdicts that differ": sum(map(operator.ne, verdicts[0], verdicts[-1])),
            "largest change of a share": max(
                abs(first[name] - latest[name]) / len(texts) for name in first | latest
            ),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--model", nargs="+", default=["tiny-judge"], help="(%(default)s)")
    parser.add_argument("--questions", type=int, default=9, help="(%(default)s)")
    parser.add_argument("--replications", type=int, default=100, help="(%(default)s)")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    print(machine("cpu"))
    print(f"Instructions for bfloat16: {instructions()}")
    rows = (
        row
        for model in arguments.model
        for row in measure(model, arguments.questions, arguments.replications)
    )
    show("Two precisions", rows)


if __name__ == "__main__":
    main()
