"""What `stop_at_verdict` saves, and how many verdicts it changes, by design.

    python bench/stopping.py [--model FOLDER|FILE.gguf ...]

Each judge (by default the tiny one) answers sample questions of the four benchmarks. Every
replication is written to its end, and again until its line with a verdict is complete. Printed are
the verdicts that differ, the share of tokens that are left, and CPU seconds. The run ends with an
error unless each stopped text is the beginning of the whole one.
"""

import argparse
from collections.abc import Iterator
from typing import Any

import torch

from _measure import cost, machine
from _models import opened, prompts_of, sample_items
from _tables import show
from _variants import forget, requests, tree
from inspect_reliability.designs import JudgeDesign
from inspect_reliability.hf_seeded.fastest import ModelRun
from inspect_reliability.study.benchmarks import BENCHMARKS
from inspect_reliability.study.tasks import (
    bbh_judge,
    head_to_tail_judge,
    mt_bench_judge,
    squad_judge,
)

TASKS = {
    "BBH": bbh_judge,
    "SQuAD": squad_judge,
    "MT-Bench": mt_bench_judge,
    "Head-to-Tail": head_to_tail_judge,
}
TOKENS = 50


def measure(model: str, questions: int, replications: int) -> Iterator[dict[str, Any]]:
    run, encoder = opened(model)
    for name, task in TASKS.items():
        design, items = BENCHMARKS[name].design, sample_items(questions, task())
        prompts = prompts_of(encoder, (design.ask(one, list(one.responses)) for one in items))
        yield {"judge": model.rpartition("/")[-1], "design": name} | compare(
            run, design, [one for one in prompts if len(one) + TOKENS < run.context], replications
        )


def compare(
    run: ModelRun, design: JudgeDesign, prompts: list[tuple[int, ...]], replications: int
) -> dict[str, Any]:
    """Whole texts against stopped ones."""
    made, seconds = [], []
    for stop in (None, design.reader.finished):
        texts: list[Any] = []
        forget(run)
        asked = [r for p in prompts for r in requests(p, replications, TOKENS, stop=stop)]
        seconds.append(cost(lambda asked=asked, texts=texts: texts.extend(tree(run, asked)), "cpu"))
        made.append(texts)
    pairs = list(zip(*made, strict=True))
    if not all(whole.text.startswith(stopped.text) for whole, stopped in pairs):
        raise RuntimeError("A stopped text is not the beginning of the whole one")
    read = [[design.reader.read(one.text).verdict for one in pair] for pair in pairs]
    tokens = [sum(len(one.tokens) for one in some) for some in made]
    return {
        "judgments": len(pairs),
        "verdicts that differ": sum(whole != stopped for whole, stopped in read),
        "of them invalid if whole": sum(whole == "invalid" != stopped for whole, stopped in read),
        "tokens left": tokens[1] / tokens[0],
        "CPU s whole": seconds[0].seconds,
        "stopped": seconds[1].seconds,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--model", nargs="+", default=["tiny-judge"], help="(%(default)s)")
    parser.add_argument("--questions", type=int, default=8, help="of each design (%(default)s)")
    parser.add_argument("--replications", type=int, default=30, help="(%(default)s)")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    print(machine("cpu"))
    rows = (
        row
        for model in arguments.model
        for row in measure(model, arguments.questions, arguments.replications)
    )
    show("Verdicts of stopped texts beside those of whole ones", rows)


if __name__ == "__main__":
    main()
