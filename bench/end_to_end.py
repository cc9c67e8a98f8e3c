"""The main job through inspect: `hf_seeded/` against inspect's own `hf/`, and where time goes.

    python bench/end_to_end.py [--json]

Both judge the 27 questions of the sample pack with the tiny judge, in one process, on CPU. The
judge is so small that inspect itself takes most of the time; with a larger model the engine does.
`hf/` is run for fewer epochs and scaled; the result says for how many.
"""

import argparse
import json
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import psutil
import torch
from inspect_ai import eval, score
from inspect_ai.log import EvalLog, write_eval_log
from inspect_ai.model import GenerateConfig, Model, get_model

from _measure import machine
from inspect_reliability import tiny_judge
from inspect_reliability.scoring.verdict import verdict
from inspect_reliability.tasks import bbh_judge


def engine_seconds() -> float:
    """CPU seconds of the threads that run a model, of either provider."""
    ours = {
        thread.native_id
        for thread in threading.enumerate()
        if thread.name == "hf_seeded" or "process_batches" in thread.name
    }
    threads = psutil.Process().threads()
    return sum(t.user_time + t.system_time for t in threads if t.id in ours)


def judge(model: Model, epochs: int, folder: Path) -> dict[str, Any]:
    """Run the job without scoring, then score it, then write its log once more."""
    before, wall, start = engine_seconds(), time.perf_counter(), time.process_time()
    (log,) = eval(
        bbh_judge(),
        model=model,
        epochs=epochs,
        score=False,
        display="none",
        log_dir=str(folder),
    )
    total, wall = time.process_time() - start, time.perf_counter() - wall
    if log.status != "success":
        raise RuntimeError(f"{model} failed: {log.error}")
    engine = engine_seconds() - before
    scoring, scored = _timed(lambda: score(log, verdict(), action="overwrite", display="none"))
    writing, _ = _timed(lambda: write_eval_log(scored, str(folder / "once_more.eval")))
    return {
        "replications": len(log.samples or []),
        "wall_seconds_without_scoring": wall,
        "cpu_seconds": total + scoring,
        "engine": engine,
        "log": writing,
        "inspect": total - engine - writing,
        "scoring": scoring,
        "output_tokens": sum(usage.output_tokens for usage in log.stats.model_usage.values()),
    }


def _timed(work: Any) -> tuple[float, EvalLog]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def measure(epochs: int, baseline_epochs: int) -> dict[str, Any]:
    config = GenerateConfig(max_connections=100)
    baseline = get_model(f"hf/{tiny_judge.folder()}", device="cpu", config=config)
    providers = {
        "hf_seeded": (get_model("hf_seeded/tiny-judge", device="cpu"), epochs),
        "hf": (baseline, baseline_epochs),
    }
    with tempfile.TemporaryDirectory() as logs:
        result = {
            name: judge(model, number, Path(logs)) for name, (model, number) in providers.items()
        }
    each = {
        part: {name: one[part] / one["replications"] for name, one in result.items()}
        for part in ("engine", "cpu_seconds", "wall_seconds_without_scoring")
    }
    return {
        "machine": machine("cpu"),
        **result,
        "hf_over_hf_seeded_per_replication": {
            part: one["hf"] / one["hf_seeded"] for part, one in each.items()
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--epochs", type=int, default=100, help="of hf_seeded/ (%(default)s)")
    parser.add_argument("--baseline-epochs", type=int, default=20, help="of hf/ (%(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="of torch (%(default)s)")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    result = measure(arguments.epochs, arguments.baseline_epochs)
    if arguments.json:
        print(json.dumps(result, indent=2))
        return
    for name in ("hf_seeded", "hf"):
        one = result[name]
        print(f"{name}/tiny-judge, {one['replications']} replications")
        for part in ("engine", "inspect", "scoring", "log"):
            print(f"  {part:10}{one[part]:8.1f} s CPU")
        print(f"  {'wall':10}{one['wall_seconds_without_scoring']:8.1f} s without scoring")
    ratios = result["hf_over_hf_seeded_per_replication"]
    print("hf/ over hf_seeded/, per replication:")
    for part, ratio in ratios.items():
        print(f"  {part:30}{ratio:6.1f}x")


if __name__ == "__main__":
    main()
