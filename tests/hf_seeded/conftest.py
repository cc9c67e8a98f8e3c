"""Real transformers models, tiny and with random weights, made once a session."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_models import CONFIGS, VOCABULARY, random_model
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedModel, PreTrainedTokenizerFast


@pytest.fixture(scope="session")
def models_by_family() -> Callable[[str], PreTrainedModel]:
    made: dict[str, PreTrainedModel] = {}

    def model(family: str) -> PreTrainedModel:
        if family not in made:
            made[family] = random_model(CONFIGS[family])
        return made[family]

    return model


@pytest.fixture(scope="session")
def llama(models_by_family: Callable[[str], PreTrainedModel]) -> PreTrainedModel:
    return models_by_family("llama")


@pytest.fixture(scope="session")
def tokenizer() -> PreTrainedTokenizerFast:
    """A byte-level tokenizer, so that any text has tokens and any tokens have text."""
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    bpe.train_from_iterator(
        ["Best Response: [[A]] [[B]] [[C]] [[D]] [[E]]\n"],
        trainers.BpeTrainer(
            vocab_size=VOCABULARY,
            special_tokens=["<s>", "</s>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    return PreTrainedTokenizerFast(tokenizer_object=bpe, bos_token="<s>", eos_token="</s>")


@pytest.fixture(scope="session")
def model_folder(
    tmp_path_factory: pytest.TempPathFactory,
    llama: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
) -> Path:
    folder = tmp_path_factory.mktemp("models") / "llama"
    llama.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
