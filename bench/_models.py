"""Models with random weights, and text that behaves like judges' text.

A model with random weights draws almost evenly among its top 50, so no two replications agree
after a token or two: the hardest case for a tree. Judges are not like that. `write_verdicts` bends
the logits of the script's tokens so that most replications begin with the same verdict line, and
the rest ramble; the forward passes cost what they cost.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from inspect_ai import Task
from inspect_ai.model import ChatMessageUser
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from transformers import AutoModelForCausalLM, LlamaConfig, PreTrainedTokenizerFast

from inspect_reliability.designs import Item
from inspect_reliability.hf_seeded.fastest import ModelRun
from inspect_reliability.hf_seeded.load import find
from inspect_reliability.hf_seeded.prompt import PromptEncoder
from inspect_reliability.judging.asking import item_of
from inspect_reliability.study.benchmarks import BENCHMARKS
from inspect_reliability.study.tasks import bbh_judge

SHAPES = {
    "10m": {
        "vocab_size": 8192,
        "hidden_size": 256,
        "intermediate_size": 704,
        "num_hidden_layers": 8,
        "num_attention_heads": 8,
        "num_key_value_heads": 4,
    },
    "50m": {
        "vocab_size": 16_000,
        "hidden_size": 512,
        "intermediate_size": 1408,
        "num_hidden_layers": 12,
        "num_attention_heads": 8,
        "num_key_value_heads": 4,
    },
    "8b": {  # of Llama-3-8B
        "vocab_size": 128_256,
        "hidden_size": 4096,
        "intermediate_size": 14_336,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
    },
}

TOP_K = 50

SCRIPT = ["Best", "Response:", "[["]
LETTERS = ["A", "B", "C", "D", "E"]
AFTER = "]]"
END_OF_PROMPT = "Judge:"
WORDS = ["<unk>", "</s>", END_OF_PROMPT, *SCRIPT, *LETTERS, AFTER]
ID = {word: number for number, word in enumerate(WORDS)}


def random_model(shape: str, device: str, dtype: torch.dtype, context: int) -> Any:
    """A Llama of this shape; the same weights every time."""
    torch.manual_seed(0)
    config = LlamaConfig(
        **SHAPES[shape], max_position_embeddings=context, bos_token_id=None, eos_token_id=None
    )
    with torch.device(device):
        return AutoModelForCausalLM.from_config(config, dtype=dtype).train(False)


def sample_items(questions: int, task: Task | None = None) -> list[Item]:
    """The first questions of the BBH sample pack, or of another task of a judge."""
    samples = list((task or bbh_judge()).dataset)[:questions]
    return [item_of(sample.metadata) for sample in samples if sample.metadata]


def opened(
    name: str, device: str = "cpu", dtype: str | None = None
) -> tuple[ModelRun, PromptEncoder]:
    """A judge by its folder, its GGUF file or the name "tiny-judge", and its encoder."""
    judge = find(
        name,
        device=device,
        dtype=dtype,
        device_map=None,
        token=None,
        revision=None,
        trust_remote_code=False,
        model_args={},
    ).load()
    encoder = PromptEncoder(judge.tokenizer)
    return ModelRun(judge.model, encoder.decode, judge.end_tokens, judge.context), encoder


def prompts_of(encoder: PromptEncoder, texts: Iterable[str]) -> list[tuple[int, ...]]:
    """Token ids of messages to a judge."""
    return [encoder.encode([ChatMessageUser(content=text)]) for text in texts]


def tiny_judge(
    questions: int,
    device: str = "cpu",
    dtype: str | None = None,
    ask: Callable[[Item], Iterable[str]] = lambda item: [
        BENCHMARKS["BBH"].design.ask(item, list(item.responses))
    ],
) -> tuple[ModelRun, list[tuple[int, ...]]]:
    """The tiny judge, and its prompts of the first questions of the sample pack."""
    run, encoder = opened("tiny-judge", device, dtype)
    return run, prompts_of(
        encoder, (text for item in sample_items(questions) for text in ask(item))
    )


def word_tokenizer(vocabulary: int) -> PreTrainedTokenizerFast:
    """One word a token, so that a prompt of P words has P tokens."""
    words = [*WORDS, *(f"w{number}" for number in range(len(WORDS), vocabulary))]
    model = WordLevel({word: number for number, word in enumerate(words)}, unk_token="<unk>")
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="</s>", unk_token="<unk>", model_max_length=10**9
    )


def prompt_words(length: int, vocabulary: int, number: int = 0) -> str:
    """A prompt of this many tokens."""
    draw = torch.Generator().manual_seed(number)
    words = torch.randint(len(WORDS), vocabulary, (length - 1,), generator=draw).tolist()
    return " ".join([*(f"w{word}" for word in words), END_OF_PROMPT])


@contextmanager
def write_verdicts(model: Any, rambling: float) -> Iterator[None]:
    """Make a model write `Best Response: [[ X ]]`, then whatever comes to its mind.

    Args:
        model: The model.
        rambling: Share of replications that write no verdict.
    """
    size = model.config.vocab_size
    kind = {"dtype": torch.float32, "device": model.device}
    bias = torch.zeros(len(WORDS), size, **kind)
    never = torch.zeros(size, **kind)
    never[: len(WORDS)] = -1e4
    path = [END_OF_PROMPT, *SCRIPT]
    for word, following in pairwise(path):
        bias[ID[word], ID[following]] = 1e4 + 40
    for letter, share in zip(LETTERS, (0.5, 0.2, 0.15, 0.1, 0.05), strict=True):
        bias[ID["[["], ID[letter]] = 1e4 + 40 + torch.tensor(share).log()
        bias[ID[letter], ID[AFTER]] = 1e4 + 40
    odds = max(rambling, 1e-12) / (1 - rambling)  # of 0 they would be infinite, which no logit is
    bias[ID[END_OF_PROMPT], ID["Best"]] = 1e4 + 40 - torch.tensor(odds).log()

    def bend(module: Any, args: Any, kwargs: dict[str, Any], output: Any) -> None:
        last = kwargs["input_ids"][:, -1]
        logits = output.logits[:, -1].float() + never
        at_start = (last == ID[END_OF_PROMPT])[:, None]
        if at_start.any():
            # The words that are left to top-k weigh as much as all ramblers together.
            others = logits.topk(TOP_K - 1).values.logsumexp(1, keepdim=True)
            logits[:, len(WORDS) :] += (40 - others) * at_start
        logits += bias[last.clamp_max(len(WORDS) - 1)] * (last < len(WORDS))[:, None]
        output.logits[:, -1] = logits.to(output.logits.dtype)

    handle = model.register_forward_hook(bend, with_kwargs=True)
    try:
        yield
    finally:
        handle.remove()


def save(model: Any, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Write both as any model folder."""
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
