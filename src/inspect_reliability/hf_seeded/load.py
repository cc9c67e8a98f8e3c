"""A model and its tokenizer, from the hub or a folder, with errors a user can act on."""

import re
import sys
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    GgufConfig,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)
from transformers import PreTrainedTokenizerBase as Tokenizer
from transformers.integrations.gguf.reader import read_gguf_metadata

from ..errors import UserError, needs, reason

# A model in one GGUF file, with its tokenizer and its chat template.


def gguf_of(path: Path) -> Path | None:
    """The GGUF file at a path, or in a folder without other weights.

    Raises:
        UserError: The folder has several.
    """
    if path.is_file():
        return path if path.suffix == ".gguf" else None
    files = sorted(path.glob("*.gguf"))
    if not files or any(path.glob("*.safetensors")) or any(path.glob("*.bin")):
        return None
    if len(files) > 1:
        raise UserError(
            f"'{path}' has {len(files)} GGUF files: {', '.join(file.name for file in files)}. "
            f"Name one of them: hf_seeded/{files[0]}"
        )
    return files[0]


def checked_gguf(file: Path) -> str:
    """The full path of a GGUF file whose header is sound.

    Raises:
        UserError: It is not a whole model, or a package is missing.
    """
    needs("gguf", "gguf")
    try:
        metadata, tensors = read_gguf_metadata(str(file), ["tokenizer.ggml.tokens"])
        layers = metadata.get(f"{metadata['general.architecture']}.block_count", 0)
        if metadata.get("split.count", 1) > 1:
            raise ValueError("it is one part of several; join them with llama-gguf-split --merge")
        if "tokenizer.ggml.tokens" not in metadata:
            raise ValueError("it has no tokenizer")
        if layers > len(tensors):  # building them would take forever
            raise ValueError(f"it announces {layers:,} layers, and has {len(tensors):,} tensors")
    except Exception as error:  # whatever is wrong with its bytes
        raise UserError(
            f"'{file}' is not a model in a GGUF file: {reason(error)}. Check that it was "
            "downloaded whole, and that it is a language model."
        ) from error
    return str(file.absolute())


TINY_JUDGE = "tiny-judge"

_MOST_PARTS = 100_000
"""Most layers, times experts in each: several times those of the largest models."""


@dataclass(frozen=True)
class Loaded:
    """A model ready to run, and its tokenizer."""

    model: PreTrainedModel
    tokenizer: Tokenizer

    @property
    def end_tokens(self) -> frozenset[int]:
        """Ids that end a sequence, from every place where a checkpoint may name them."""
        named = (
            self.model.generation_config.eos_token_id if self.model.generation_config else None,
            self.model.config.get_text_config().eos_token_id,
            self.tokenizer.eos_token_id,
        )
        lists = [ids if isinstance(ids, list) else [ids] for ids in named]
        return frozenset(token for ids in lists for token in ids if token is not None)

    @property
    def context(self) -> int:
        """The most tokens the model can take, prompt and output together."""
        config = self.model.config.get_text_config()
        limit = getattr(config, "max_position_embeddings", None)
        return int(limit or min(self.tokenizer.model_max_length, sys.maxsize))


def default_device() -> str:
    """The accelerator, if there is one; else the CPU."""
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


@dataclass(frozen=True)
class Checkpoint:
    """Where a model is and how it is to be loaded; `find` makes it.

    Attributes:
        name: What the user calls it.
        source: Its folder or file, or its name on the hub.
        gguf: Whether it is a GGUF file.
        dtype: Type of its weights.
        device: Device or `device_map`.
        shared: Arguments for its tokenizer and weights.
        model_args: Arguments for its weights alone.
    """

    name: str
    source: str
    gguf: bool
    dtype: torch.dtype | str
    device: Any
    shared: dict[str, Any]
    model_args: dict[str, Any]

    def load(self) -> Loaded:
        """The model with its weights.

        Raises:
            UserError: It cannot be loaded as asked.
        """
        reading: Any = PreTrainedTokenizerFast if self.gguf else AutoTokenizer
        loading: Any = AutoModelForCausalLM
        try:
            # Files beside a GGUF file have no say: it may be one of many models in its folder.
            with TemporaryDirectory() if self.gguf else nullcontext(self.source) as folder:
                tokenizer = reading.from_pretrained(folder, **self.shared)
                model, loaded = loading.from_pretrained(
                    folder,
                    dtype=self.dtype,
                    device_map=self.device,
                    output_loading_info=True,
                    **self.shared | self.model_args,
                )
            ready = Loaded(model, tokenizer)
            # A folder may say nonsense that shows only in use.
            tokenizer.decode(tokenizer("a")["input_ids"])
            _ = ready.end_tokens, ready.context
        except Exception as error:  # whatever transformers, safetensors or the hub raise
            unknown = re.search(r"unexpected keyword argument '(\w+)'", str(error))
            if unknown and unknown[1] in self.model_args:
                raise UserError(
                    f"Neither hf_seeded nor the model '{self.name}' has an argument "
                    f"'{unknown[1]}'. Check its spelling, or leave it out."
                ) from error
            raise UserError(_advice(self.name, self.source, error)) from error
        _refuse_incomplete(self.name, model, loaded)
        model.train(False)
        return ready


def find(
    name: str,
    *,
    device: str | None,
    dtype: str | None,
    device_map: Any,
    token: str | None,
    revision: str | None,
    trust_remote_code: bool,
    model_args: dict[str, Any],
) -> Checkpoint:
    """Look for a causal language model, in its config alone (arguments of `HFSeededAPI`).

    Raises:
        UserError: There is no such model, or its config cannot be read.
    """
    source = _source(name)
    device = None if device_map is not None else device or default_device()
    torch_dtype = _dtype(dtype or ("float32" if device == "cpu" else "auto"))
    shared = {"token": token, "revision": revision, "trust_remote_code": trust_remote_code}
    shared = {key: value for key, value in shared.items() if value is not None}
    gguf = gguf_of(Path(source))
    if gguf is not None:
        shared |= {"gguf_file": checked_gguf(gguf)}
        # Weights that stay packed would need code from the hub.
        model_args = {"quantization_config": GgufConfig(dequantize=True), **model_args}
    try:
        if gguf is None:
            _refuse_size(PreTrainedConfig.get_config_dict(source, **shared)[0])
    except Exception as error:  # whatever transformers or the hub raise
        raise UserError(_advice(name, source, error)) from error
    where = device_map or device
    return Checkpoint(name, source, gguf is not None, torch_dtype, where, shared, model_args)


def _refuse_incomplete(name: str, model: PreTrainedModel, loaded: dict[str, Any]) -> None:
    """Refuse weights and a config that do not belong together."""
    if missing := sorted(map(str, [*loaded["missing_keys"], *loaded["mismatched_keys"]])):
        raise UserError(
            f"The checkpoint of '{name}' lacks {len(missing)} of the weights that its config asks "
            f"for, such as {missing[0]}. They would be random numbers. Check that config and "
            "weights belong together."
        )
    if unused := sorted(key for key in loaded["unexpected_keys"] if _is_inside(model, key)):
        raise UserError(
            f"The config of '{name}' has no place for {len(unused)} of its weights, such as "
            f"{unused[0]}. The model would run without them. Check that config and weights belong "
            "together."
        )


def _refuse_size(config: dict[str, Any]) -> None:
    """Refuse a config of more modules than any model has: making them would take forever."""
    found, inner = {"layer": 1, "expert": 1}, [config]
    while inner:
        for name, value in inner.pop().items():
            if isinstance(value, dict):
                inner.append(value)
            for part in found if isinstance(value, int) else ():
                if name.endswith((part, f"{part}s")):
                    found[part] = max(found[part], value)
    if found["layer"] * found["expert"] > _MOST_PARTS:
        raise ValueError(
            f"its config asks for {found['layer']:,} layers of {found['expert']:,} experts"
        )


def _is_inside(model: PreTrainedModel, key: str) -> bool:
    """Whether a weight lies in one of the model's own modules.

    A checkpoint may bring other parts, such as a vision tower, which a text model does not need.
    """
    base = model.base_model_prefix
    parts = tuple(f"{name}." for name, _ in model.named_modules() if name not in ("", base))
    # Old checkpoints leave out the name of the base model.
    return key.startswith(parts) or f"{base}.{key}".startswith(parts)


def _source(name: str) -> str:
    if not name.strip():
        raise UserError(
            "hf_seeded/ needs a model: hf_seeded/tiny-judge, hf_seeded/FOLDER, "
            "hf_seeded/FILE.gguf, or hf_seeded/ and its name on the model hub."
        )
    if name == TINY_JUDGE:
        from .. import tiny_judge

        return str(_model_folder(Path(tiny_judge.folder())))
    path = Path(name).expanduser()
    if path.exists() or path.is_absolute() or name.startswith((".", "~")):
        return str(_model_folder(path))
    return name


def _model_folder(path: Path) -> Path:
    if not path.exists():
        raise UserError(
            f"There is no folder '{path}' and no such file. Give a model folder, a GGUF file, or a "
            "name on the hub."
        )
    if gguf_of(path) is None and not (path / "config.json").is_file():
        raise UserError(
            f"'{path}' is not a model folder: it has no config.json and no GGUF file. A folder "
            "written by transformers' save_pretrained contains config.json, the tokenizer and the "
            "weights."
        )
    return path


def _dtype(name: str) -> torch.dtype | str:
    if name == "auto":
        return name
    dtype = getattr(torch, str(name).removeprefix("torch."), None)
    if not isinstance(dtype, torch.dtype):
        raise UserError(f"dtype='{name}' is not known. Use float32, bfloat16, float16 or auto.")
    return dtype


def _advice(name: str, source: str, error: Exception) -> str:
    reason = " ".join(str(error).split())
    lower = reason.lower()
    local = source != name or Path(source).exists()
    reason = reason if len(reason) < 400 else reason[:400] + " ..."
    if "weights only load failed" in lower:
        advice = "Its weights are a Python pickle that would run code: ask for a safetensors file."
    elif not local and ("gated" in lower or "401" in reason or "403" in reason):
        advice = (
            "Access to it is restricted: accept its terms on its hub page, then set HF_TOKEN "
            "or run `hf auth login`."
        )
    elif "trust_remote_code" in lower:
        advice = "It needs code of its own. If you trust that code: -M trust_remote_code=true."
    elif "out of memory" in lower or isinstance(error, MemoryError):
        advice = "It does not fit into memory: try -M dtype=bfloat16 or -M device_map=auto."
    elif local:
        advice = (
            "Check the -M arguments, and that its config, tokenizer and weights are complete and "
            "belong together."
        )
    else:
        advice = "Check the name, the network connection and the -M arguments."
    return f"The model '{name}' cannot be loaded. {advice} ({type(error).__name__}: {reason})"
