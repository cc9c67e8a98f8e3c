"""The tokenizer of the tiny judge."""

import random
import re
from collections.abc import Iterator

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from inspect_reliability.study.benchmarks import BENCHMARKS

from .corpus import judge_example
from .text import WORDS

VOCABULARY = 2048
CONTEXT = 4096

_TEXTS = 4000

_PROMPTS = [BENCHMARKS[name].design.prompt for name in ("BBH", "MT-Bench", "Head-to-Tail")]
_INSTRUCTIONS = [
    re.split(r"\n\n|(?<=\nQuestion: \n)", prompt, maxsplit=1)[0] for prompt in _PROMPTS
]
_END, _PADDING = "<|end|>", "<|padding|>"
_CHAT_TEMPLATE = "{% for message in messages %}{{ message['content'] + '\\n' }}{% endfor %}"


def build_tokenizer(seed: int) -> PreTrainedTokenizerFast:
    """Train a byte-level BPE on generated text; any text survives encoding and decoding.

    The instructions of the judge prompts are one token each: they never vary, and so prompts stay
    short. A chat is rendered as its messages, each with a line break after it.

    Args:
        seed: Seed of the text.
    """
    rng = random.Random(f"tokenizer|{seed}")
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = (_END, _PADDING)
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY - len(_INSTRUCTIONS) - len(special),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_text(rng), trainer)
    tokenizer.add_tokens([AddedToken(text, normalized=False) for text in _INSTRUCTIONS])
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer,
        eos_token=_END,
        pad_token=_PADDING,
        model_max_length=CONTEXT,
        clean_up_tokenization_spaces=False,
        chat_template=_CHAT_TEMPLATE,
    )


def _text(rng: random.Random) -> Iterator[str]:
    """Generated prompts, and more of the common words than they hold."""
    for _ in range(_TEXTS):
        example = judge_example(rng, size=2)
        yield example.prompt + "\n" + example.output
        yield " " + " ".join(rng.sample(WORDS["common"], 40))
