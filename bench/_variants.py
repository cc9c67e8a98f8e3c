"""Ways to get R replications of one prompt, to be measured side by side."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import torch
from inspect_ai.model import GenerateConfig, get_model
from transformers import PreTrainedTokenizerFast

from _models import TOP_K
from inspect_reliability.hf_seeded.batch import Place
from inspect_reliability.hf_seeded.draw import Draws, replication_stream, stream_keys
from inspect_reliability.hf_seeded.fastest import ModelRun
from inspect_reliability.hf_seeded.tree import Continuation, Request, grow


def requests(
    prompt: Sequence[int],
    replications: int,
    tokens: int,
    temperatures: Iterable[float] = (1.0,),
    stop: Callable[[str], bool] | None = None,
) -> list[Request]:
    """Replications that differ only in their seed (and temperature)."""
    return [
        Request(tuple(prompt), seed, tokens, temperature, TOP_K, stop=stop)
        for temperature in temperatures
        for seed in range(replications)
    ]


def tree(run: ModelRun, asked: list[Request]) -> list[Continuation]:
    """Ours."""
    results: dict[int, Any] = {}
    grow(run, asked, results.__setitem__, lambda number: True)
    return [results[number] for number in range(len(asked))]


def forget(run: ModelRun) -> None:
    """Forget the latest prompt: a user's next question has another one.

    The engine keeps keys and values of a long prompt for one that begins alike. A short one takes
    their place, and nothing is kept of it.
    """
    run.prefill([(0,)], 1)


@torch.inference_mode()
def row_each(run: ModelRun, asked: list[Request]) -> list[tuple[int, ...]]:
    """Ours without the tree: the prompt is shared, but every replication has a row to the end."""
    texts: list[tuple[int, ...]] = [() for _ in asked]
    logits, rows = run.prefill([asked[0].prompt], asked[0].max_tokens)
    keys = stream_keys(asked[0].prompt, [replication_stream(one.seed) for one in asked])
    draws = Draws(
        keys.to(logits.device), [one.temperature for one in asked], [1.0] * len(asked), TOP_K
    )
    everyone = torch.arange(len(asked), device=logits.device)
    at = torch.zeros_like(everyone)
    for step in range(asked[0].max_tokens):
        drawn = draws.tokens(logits, at, everyone, torch.full_like(everyone, step))
        texts = [(*text, token) for text, token in zip(texts, drawn, strict=True)]
        if step + 1 < asked[0].max_tokens:
            logits, at = rows.after([Place(0, text) for text in texts]), everyone
    return texts


def generate(
    model: Any, prompt: Sequence[int], tokens: int, copies: int = 1, criteria: Any = None
) -> torch.Tensor:
    """Let transformers generate; with copies, by its num_return_sequences."""
    ids = torch.tensor([list(prompt)], device=model.device)
    return model.generate(
        ids,
        attention_mask=torch.ones_like(ids),
        max_new_tokens=tokens,
        do_sample=True,
        top_k=TOP_K,
        num_return_sequences=copies,
        pad_token_id=0,
        stopping_criteria=criteria,
    )


def stopping(
    tokenizer: PreTrainedTokenizerFast, length: int, stop: Callable[[str], bool]
) -> list[Callable[..., torch.Tensor]]:
    """The same stop as a stopping criterion of transformers."""

    def criterion(ids: torch.Tensor, scores: torch.Tensor, **kwargs: Any) -> torch.Tensor:
        ended = [stop(tokenizer.decode(row[length:])) for row in ids]
        return torch.tensor(ended, device=ids.device)

    return [criterion]


class InspectHF:
    """inspect's own provider hf/, asked for all replications at once.

    Its event loop sleeps a second at a time and its queue waits two; neither costs CPU time.
    """

    def __init__(self, folder: Path, connections: int, device: str) -> None:
        self.model = get_model(
            "hf/bench",
            model_path=str(folder),
            device=device,
            dtype="auto",
            memoize=False,
            config=GenerateConfig(max_connections=connections),
        )

    def __call__(self, prompt: str, replications: int, tokens: int) -> None:
        config = GenerateConfig(max_tokens=tokens, temperature=1.0, top_k=TOP_K)

        async def run() -> None:
            asked = (self.model.generate(prompt, config=config) for _ in range(replications))
            await asyncio.gather(*asked)

        asyncio.run(run())
