"""A model in one GGUF file, with its tokenizer and its chat template."""

from pathlib import Path

from transformers.integrations.gguf.reader import read_gguf_metadata

from ..errors import UserError, needs, reason


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


def checked(file: Path) -> str:
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
