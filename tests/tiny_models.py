"""Tiny models of every family, with random weights, and the engine on them."""

from collections.abc import Sequence
from copy import copy
from functools import cache
from typing import Any

import torch
import transformers
from slow_path import SlowPath
from transformers import PreTrainedModel

from inspect_reliability.hf_seeded.fastest import ModelRun
from inspect_reliability.hf_seeded.tree import Continuation, Request, grow

VOCABULARY = 320
CONTEXT = 512
WINDOW = 16
END = 1

COMMON: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": CONTEXT,
    "bos_token_id": 0,
    "eos_token_id": END,
    "pad_token_id": END,
}
_OLD: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "bos_token_id": 0,
    "eos_token_id": END,
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
}
_SIZED: dict[str, Any] = {"head_dim": 16, "query_pre_attn_scalar": 16}

CONFIGS = {
    "llama": transformers.LlamaConfig(**COMMON, num_key_value_heads=2),
    "mistral": transformers.MistralConfig(**COMMON, num_key_value_heads=2, sliding_window=WINDOW),
    "mixtral": transformers.MixtralConfig(**COMMON, num_key_value_heads=2, num_local_experts=4),
    "gemma": transformers.GemmaConfig(**COMMON, num_key_value_heads=1, head_dim=16),
    "gemma2": transformers.Gemma2Config(
        **COMMON, **_SIZED, num_key_value_heads=2, sliding_window=WINDOW
    ),
    "gemma3": transformers.Gemma3TextConfig(
        **COMMON,
        **_SIZED,
        num_key_value_heads=2,
        sliding_window=WINDOW,
        layer_types=["sliding_attention", "full_attention"],
    ),
    "phi": transformers.PhiConfig(**COMMON),
    "phi3": transformers.Phi3Config(**COMMON, num_key_value_heads=2, sliding_window=WINDOW),
    "falcon": transformers.FalconConfig(
        **_OLD, max_position_embeddings=CONTEXT, alibi=False, multi_query=True
    ),
    "qwen2": transformers.Qwen2Config(**COMMON, num_key_value_heads=2),
    "qwen3": transformers.Qwen3Config(**COMMON, num_key_value_heads=2, head_dim=16),
    "gpt2": transformers.GPT2Config(**_OLD, n_positions=CONTEXT),
    "gpt_neox": transformers.GPTNeoXConfig(**COMMON),
}


def random_model(config: transformers.PretrainedConfig) -> PreTrainedModel:
    """A model whose distributions are neither flat nor certain."""
    torch.manual_seed(0)
    untyped: Any = transformers.AutoModelForCausalLM
    model: PreTrainedModel = untyped.from_config(config, dtype=torch.float32)
    for weight in model.parameters():
        if weight.ndim > 1:
            torch.nn.init.normal_(weight, std=0.2)
    model.train(False)
    return model


def model_run(model: PreTrainedModel, max_rows: int = 128, memory: int | None = None) -> ModelRun:
    """The engine on a model, which tries each model once."""
    run = copy(_tried(model))
    run.max_rows = max_rows
    run.memory = run.memory if memory is None else memory
    return run


@cache
def _tried(model: PreTrainedModel) -> ModelRun:
    return new_run(model)


def new_run(model: PreTrainedModel) -> ModelRun:
    """The engine on a model, which it tries anew."""
    return ModelRun(
        model,
        decode=lambda tokens: " ".join(map(str, tokens)),
        end_tokens=frozenset([END]),
        context=CONTEXT,
    )


@cache
def slow_path(model: PreTrainedModel) -> SlowPath:
    """Plain forward passes of a model, which remember what all tests asked."""
    return SlowPath(model, END)


def generate(run: ModelRun, requests: Sequence[Request]) -> list[Continuation]:
    """The continuations of requests that share a prompt, grown as one tree."""
    results: dict[int, Continuation | Exception] = {}
    grow(run, requests, results.__setitem__, lambda number: True)
    for result in results.values():
        if isinstance(result, Exception):
            raise result
    return [results[number] for number in range(len(requests))]  # type: ignore[misc]
