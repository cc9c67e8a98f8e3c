"""What the exact distribution of a verdict costs, and whether seeded draws come from it.

    python bench/exact.py            cost, against 100 replications and one prefill in the same run
    python bench/exact.py --draws    5,000 seeded draws of 27 questions against the exact shares

Three judges: the tiny judge, which names its verdict within 20 tokens; a model of random weights
that names it in five; and the same model where one text in ten rambles without end. Random weights
ramble as no judge does, evenly among 50 tokens at each step: the worst case for a tree.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
import torch
from scipy import stats

from _measure import cost, machine
from _models import TOP_K, prompt_words, random_model, tiny_judge, word_tokenizer, write_verdicts
from _tables import show
from _variants import forget, requests, tree
from inspect_reliability.hf_seeded.batch import Rows
from inspect_reliability.hf_seeded.fastest import ModelRun
from inspect_reliability.hf_seeded.hooks import Distribution, DistributionRequest
from inspect_reliability.hf_seeded.label_tree import distributions
from inspect_reliability.stats import Cells, Counts, omega
from inspect_reliability.study.benchmarks import BENCHMARKS

EPS = 0.01
TEMPERATURES = (1.0, 0.75, 0.5, 0.25)
FIVE = (*TEMPERATURES, 0.0)
REPLICATIONS = 100
DRAWS = 5000
"""Draws of each question for chi-square."""
STUDIES = (100, 1000, 10_000)
"""Replications of which omega is compared with that of the exact shares."""

READER = BENCHMARKS["BBH"].design.reader


def parse(text: str) -> str:
    return READER.read(text).verdict


def read(text: str) -> str | None:
    return READER.completed(text)


def stop(text: str) -> bool:
    return read(text) is not None


def exact(
    run: ModelRun,
    prompt: Sequence[int],
    temperatures: Sequence[float],
    tokens: int,
    eps: float = EPS,
    tail_draws: int = 2,
) -> list[Distribution]:
    asked = DistributionRequest(
        tuple(prompt),
        tuple(temperatures),
        tokens,
        read,
        parse,
        TOP_K,
        eps=eps,
        tail_draws=tail_draws,
        max_rows=1000 if eps == EPS else 5000,
    )
    return distributions(run, asked)


def judges(arguments: argparse.Namespace) -> Iterator[tuple[str, Any, list[Any], int, Any]]:
    """Name, model, prompts, tokens of an output, and what bends the model's logits meanwhile."""
    run, prompts = tiny_judge(arguments.questions)
    yield "tiny judge", run, prompts, 20, nullcontext()
    model = random_model(arguments.shape, "cpu", torch.float32, 1024)
    words = word_tokenizer(model.config.vocab_size)
    run = ModelRun(model, words.decode, frozenset(), 1024)
    prompt = tuple(words(prompt_words(300, model.config.vocab_size))["input_ids"])
    yield "short verdicts", run, [prompt], 20, write_verdicts(model, 0.005)
    yield "one in ten rambles", run, [prompt], 30, write_verdicts(model, 0.1)


def counted(work: Callable[[], Any]) -> tuple[Any, int]:
    """The result of some work, and the rows it sends through the model after the prompt."""
    rows = 0
    original = Rows.after

    def after(self: Rows, places: Any) -> Any:
        nonlocal rows
        rows += len(places)
        return original(self, places)

    Rows.after = after  # type: ignore[method-assign]
    try:
        return work(), rows
    finally:
        Rows.after = original  # type: ignore[method-assign]


def costs(arguments: argparse.Namespace) -> dict[str, Any]:
    """Rows, seconds and open mass of each judge, a question on average."""
    result = {}
    for name, run, prompts, tokens, bent in judges(arguments):
        with bent:
            result[name] = _costs(run, prompts, tokens)
            print(f"measured: {name}", file=sys.stderr)
    return result


def _costs(run: ModelRun, prompts: list[Any], tokens: int) -> dict[str, Any]:
    def measure(work: Callable[[Any], Any]) -> tuple[list[Any], dict[str, float]]:
        found: list[Any] = []
        forget(run)
        spent, rows = counted(
            lambda: cost(lambda: found.extend(work(prompt) for prompt in prompts), "cpu")
        )
        return found, {"rows": rows / len(prompts), "seconds": spent.seconds / len(prompts)}

    def exactly(temperatures: Sequence[float]) -> dict[str, float]:
        found, spent = measure(lambda prompt: exact(run, prompt, temperatures, tokens))
        return spent | {"open_mass": max(one.open_mass for answer in found for one in answer)}

    def sampled(temperature: float, **settings: Any) -> dict[str, float]:
        def draw(prompt: Any) -> Any:
            return tree(run, requests(prompt, REPLICATIONS, tokens, (temperature,), **settings))

        return measure(draw)[1]

    return {
        "tokens": tokens,
        "prefill": measure(lambda prompt: run.prefill([prompt], 1))[1],
        **{f"exact at T={t:g}": exactly((t,)) for t in TEMPERATURES},
        f"exact at T={', '.join(f'{t:g}' for t in FIVE)} together": exactly(FIVE),
        f"{REPLICATIONS} replications at T=1": sampled(1.0),
        **{
            f"{REPLICATIONS} replications at T={t:g}, stopping at the verdict": sampled(
                t, stop=stop
            )
            for t in TEMPERATURES
        },
    }


def draws(arguments: argparse.Namespace) -> dict[str, Any]:
    """Seeded draws of the tiny judge against its exact shares, and omega of both."""
    run, prompts = tiny_judge(27)
    # Of what is left open, so many draws leave no more doubt than 1e-4 of a share.
    found = [exact(run, prompt, (1.0,), 50, eps=0.002, tail_draws=300)[0] for prompt in prompts]
    names = tuple(READER.categories)
    questions = tuple(f"question {number}" for number in range(len(prompts)))
    table = np.array([[one.shares.get(name, 0.0) for name in names] for one in found])
    tails = np.array([[one.tail.count(name) for name in names] for one in found])
    known = Cells(table, questions, names, exact=True, tails=tails)
    most = max(DRAWS, *STUDIES)
    verdicts = np.array(
        [
            [names.index(parse(one.text)) for one in tree(run, requests(p, most, 50, stop=stop))]
            for p in prompts
        ]
    )

    def first(number: int) -> Counts:
        rows = [np.bincount(row[:number], minlength=len(names)) for row in verdicts]
        return Counts(np.array(rows), questions, names)

    counts = first(DRAWS).table
    p_values = [_p_value(row, share) for row, share in zip(counts, known.shares, strict=True)]
    return {
        "questions": len(prompts),
        "draws": DRAWS,
        "largest_open_mass": float(known.open_mass.max()),
        "p_values": sorted(p_values),
        "p_of_uniform_p_values": float(stats.kstest(p_values, "uniform").pvalue),
        "omega_exact": omega(known).value,
        "omega_of_replications": {
            number: {
                "omega": omega(first(number)).value,
                "predicted_standard_error": _error(known.shares, number),
            }
            for number in STUDIES
        },
    }


def _p_value(counted_verdicts: Any, shares: Any) -> float:
    """P of chi-square of a question's verdicts; rare ones are pooled."""
    usual = shares * DRAWS >= 5
    observed = [*counted_verdicts[usual], counted_verdicts[~usual].sum()]
    expected = [*(shares[usual] * DRAWS), shares[~usual].sum() * DRAWS]
    both = [(o, e) for o, e in zip(observed, expected, strict=True) if e > 0]
    return float(stats.chisquare(*zip(*both, strict=True)).pvalue)


def _error(p: Any, replications: int) -> float:
    """Standard error of omega of so many replications: its derivative by each verdict's count.

    Omega is 1 - (1 - A) / (1 - C), A how often two verdicts on a question agree, and C how often
    verdicts on two different questions do.
    """
    n = len(p)
    others = p.sum(axis=0) - p
    a, c = (p**2).sum() / n, (p * others).sum() / (n * (n - 1))
    slope = 2 / n * (p / (1 - c) - others / (n - 1) * (1 - a) / (1 - c) ** 2)
    variance = (p * slope**2).sum(axis=1) - (p * slope).sum(axis=1) ** 2
    return float(np.sqrt(variance.sum() / replications))


def show_costs(result: dict[str, Any]) -> None:
    """Costs as tables."""
    for name, rows in result.items():
        tokens, prefill = rows.pop("tokens"), rows["prefill"]["seconds"]
        base = rows[f"{REPLICATIONS} replications at T=1"]["seconds"]
        show(
            f"{name}, up to {tokens} tokens; a question",
            (
                {
                    "what": what,
                    "rows": row["rows"],
                    "seconds": row["seconds"],
                    "/ prefill": row["seconds"] / prefill,
                    f"/ R={REPLICATIONS}": row["seconds"] / base,
                    "open": row.get("open_mass", ""),
                }
                for what, row in rows.items()
            ),
        )


def show_draws(result: dict[str, Any]) -> None:
    """Draws against shares as a table."""
    print(
        f"{result['draws']:,} seeded draws of each of {result['questions']} questions; at most "
        f"{result['largest_open_mass']:.2%} open; chi-square p-values from "
        f"{result['p_values'][0]:.3f} to {result['p_values'][-1]:.3f}; that they are uniform: "
        f"p = {result['p_of_uniform_p_values']:.3f}"
    )
    exact = result["omega_exact"]
    show(
        f"Omega of replications; of the exact shares {exact:.5f}",
        (
            {
                "replications": number,
                "omega": f"{row['omega']:.5f}",
                "off by": f"{row['omega'] - exact:+.5f}",
                "predicted standard error": f"{row['predicted_standard_error']:.5f}",
            }
            for number, row in result["omega_of_replications"].items()
        ),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--draws", action="store_true", help="draws against shares")
    parser.add_argument("--shape", choices=("10m", "50m"), default="10m")
    parser.add_argument("--questions", type=int, default=3, help="of the tiny judge")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    result = (draws if arguments.draws else costs)(arguments)
    print(machine("cpu"))
    (show_draws if arguments.draws else show_costs)(result)


if __name__ == "__main__":
    main()
