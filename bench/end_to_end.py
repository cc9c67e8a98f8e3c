"""The main job through inspect, three ways in one run: `hf/`, epochs, and replications.

    python bench/end_to_end.py [--model FOLDER|FILE.gguf]

Each way judges the questions of the sample pack with the tiny judge, or another one of this
machine, on CPU, scores the verdicts and writes the log: inspect's own `hf/` with a sample a
replication, `hf_seeded/` with a sample a replication (`--epochs`), and `hf_seeded/` with a sample a
question (`-T replications=`). `hf/` makes fewer replications; each figure is an average over
judgments. The run ends with an error unless the last two ways agree on every verdict.
"""

import argparse
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import psutil
import torch
from inspect_ai import Task, eval
from inspect_ai.model import GenerateConfig, Model, get_model

from _measure import machine
from _variants import forget
from inspect_reliability import tiny_judge
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.study.tasks import bbh_judge

PARTS = ("wall_seconds", "cpu_seconds", "engine_cpu_seconds", "log_bytes")


def engine_seconds() -> float:
    """CPU seconds of the threads that run a model, of either provider."""
    ours = {
        thread.native_id
        for thread in threading.enumerate()
        if thread.name == "hf_seeded" or "process_batches" in thread.name
    }
    threads = psutil.Process().threads()
    return sum(t.user_time + t.system_time for t in threads if t.id in ours)


def judge(model: Model, task: Task, epochs: int, limit: int | None, folder: Path) -> dict[str, Any]:
    """Run the job, and what it took a judgment."""
    if hasattr(model.api, "encoder"):  # as if these questions had never been asked
        model.api.encoder._ids.cache_clear()
        forget(model.api.run)
    engine, wall, start = engine_seconds(), time.perf_counter(), time.process_time()
    (log,) = eval(
        task, model=model, epochs=epochs, limit=limit, display="none", log_dir=str(folder)
    )
    took = {
        "wall_seconds": time.perf_counter() - wall,
        "cpu_seconds": time.process_time() - start,
        "engine_cpu_seconds": engine_seconds() - engine,
        "log_bytes": Path(log.location.removeprefix("file://")).stat().st_size,
    }
    if log.status != "success":
        raise RuntimeError(f"{model} failed: {log.error}")
    table = judgments_from_logs(log.location).table
    verdicts = {
        (question, replication): verdict
        for question, replication, verdict in zip(
            table["question"], table["replication"], table["verdict"], strict=True
        )
    }
    return {
        "judgments": len(verdicts),
        **{part: took[part] / len(verdicts) for part in PARTS},
        "verdicts": verdicts,
    }


def providers(path: Path, folder: Path) -> tuple[Model, Model]:
    """`hf/` and `hf_seeded/` with the same weights and tokenizer."""
    ours = get_model(f"hf_seeded/{path}", device="cpu")
    where, extra = path, {}
    if path.suffix == ".gguf":  # hf/ reads its weights, and wants the tokenizer as a folder
        ours.api.ready()  # type: ignore[attr-defined]
        ours.api.encoder.tokenizer.save_pretrained(folder)  # type: ignore[attr-defined]
        where, extra = folder, {"gguf_file": str(path)}
    config = GenerateConfig(max_connections=100)
    return get_model(f"hf/{where}", device="cpu", config=config, **extra), ours


def measure(
    path: Path, replications: int, baseline: int, limit: int | None, folder: Path
) -> dict[str, Any]:
    theirs, ours = providers(path, folder)
    ways = {
        "hf": (theirs, bbh_judge(), baseline),
        "epochs": (ours, bbh_judge(), replications),
        "replications": (ours, bbh_judge(replications=replications), 1),
    }
    # What is done once in a process is no part of a way.
    judge(ours, bbh_judge(), 1, 1, folder)
    found = {
        name: judge(model, task, epochs, limit, folder)
        for name, (model, task, epochs) in ways.items()
    }
    given = {name: one.pop("verdicts") for name, one in found.items()}
    if given["epochs"] != given["replications"]:
        differ = sum(given["replications"].get(k) != v for k, v in given["epochs"].items())
        raise RuntimeError(f"{differ} verdicts of epochs and replications differ")
    return {
        "machine": machine("cpu"),
        **found,
        "hf_over_replications": {
            part: found["hf"][part] / found["replications"][part] for part in PARTS
        },
        "epochs_over_replications": {
            part: found["epochs"][part] / found["replications"][part] for part in PARTS
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--model", type=Path, default=tiny_judge.folder(), help="(the tiny judge)")
    parser.add_argument("--replications", type=int, default=100, help="(%(default)s)")
    parser.add_argument("--baseline", type=int, default=20, help="those of hf/ (%(default)s)")
    parser.add_argument("--questions", type=int, help="by default all of the sample pack")
    parser.add_argument("--threads", type=int, default=1, help="of torch (%(default)s)")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    with tempfile.TemporaryDirectory() as folder:
        result = measure(
            arguments.model.absolute(),
            arguments.replications,
            arguments.baseline,
            arguments.questions,
            Path(folder),
        )
    print(result["machine"])
    print(f"{'a judgment':26}{'wall ms':>10}{'CPU ms':>10}{'engine':>10}{'log bytes':>11}")
    for name in ("hf", "epochs", "replications"):
        one = result[name]
        times = "".join(f"{1000 * one[part]:10.2f}" for part in PARTS[:3])
        print(f"{name + ', ' + format(one['judgments'], ','):26}{times}{one['log_bytes']:11,.0f}")
    for name in ("hf_over_replications", "epochs_over_replications"):
        ratios = "".join(f"{result[name][part]:9.1f}x" for part in PARTS)
        print(f"{name.replace('_', ' '):26}{ratios}")
    print("Epochs and replications give the same verdicts, one by one.")


if __name__ == "__main__":
    main()
