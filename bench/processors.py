"""What changes on another processor: verdicts of the tiny judge, and published coefficients.

    python bench/processors.py [--replications N]

Runs itself under the kernels that OpenBLAS (numpy, scipy), ATen and MKL (torch) choose on other x86
machines, and compares, one by one: verdicts and texts of the sample pack's 27 BBH questions, the
logits of the first, and the published omega and its floor of the example log. Of 1,000 random
tables whose correlations are singular it counts those where numpy's inverse, on which reliabilipy
relies, fails.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import threadpoolctl
import torch

from _models import tiny_judge
from _variants import requests, tree
from inspect_reliability.answers import analyse
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.study.benchmarks import BENCHMARKS
from inspect_reliability.study.published.minres import singular
from inspect_reliability.study.published.reported import with_published

EXAMPLE = Path(__file__).parents[1] / "logs" / "example"
KERNELS = [
    {},
    {"ATEN_CPU_CAPABILITY": "avx2"},
    {"ATEN_CPU_CAPABILITY": "default"},
    {"OPENBLAS_CORETYPE": "Haswell", "ATEN_CPU_CAPABILITY": "avx2", "MKL_CBWR": "AVX2"},
    {"OPENBLAS_CORETYPE": "Nehalem", "ATEN_CPU_CAPABILITY": "default", "MKL_CBWR": "COMPATIBLE"},
]
QUESTIONS, TOKENS, TABLES = 27, 50, 1000


@torch.inference_mode()
def measured(replications: int) -> dict[str, Any]:
    """All of it in this process, with whatever kernels it has."""
    run, prompts = tiny_judge(QUESTIONS)
    asked = [one for prompt in prompts for one in requests(prompt, replications, TOKENS)]
    texts = [one.text for one in tree(run, asked)]
    loaded = threadpoolctl.threadpool_info()
    blas = [one["architecture"] for one in loaded if one["internal_api"] == "openblas"] or ["none"]
    (row,) = with_published(analyse(judgments_from_logs([EXAMPLE]))).results["rows"]
    return {
        "kernels": f"{blas[0]}, {torch.backends.cpu.get_cpu_capability()}",
        "logits": run.prefill(prompts[0], TOKENS)[0].flatten().tolist(),
        "texts": texts,
        "verdicts": [BENCHMARKS["BBH"].design.reader.read(text).verdict for text in texts],
        "published": [row["published_omega"], *row["published_omega_floor"]],
        "tables": singular_tables(),
    }


def singular_tables() -> dict[str, Any]:
    """Least shares of an eigenvalue on both sides of the tolerance; inverses that fail."""
    generator = np.random.default_rng(0)
    regular: list[float] = []
    without: list[float] = []
    failed = 0
    while len(without) < TABLES:
        r, k = generator.integers(5, 25), generator.integers(5, 30)
        codes = generator.choice(5, size=(r, k), p=[0.6, 0.2, 0.1, 0.05, 0.05])
        codes = codes[:, (codes != codes[0]).any(axis=0)]
        if codes.shape[1] < 5:
            continue
        correlations = np.abs(np.corrcoef(codes, rowvar=False))
        kind = without if singular(correlations) else regular
        sizes = np.abs(np.linalg.eigvalsh(correlations))
        kind.append(float(sizes.min() / sizes.max()))
        if kind is without:
            try:
                np.linalg.inv(correlations)
            except np.linalg.LinAlgError:
                failed += 1
    return {"regular": min(regular), "singular": max(without), "failed": failed}


def under(told: dict[str, str], replications: int) -> dict[str, Any]:
    """The same in a process that is told which kernels to take."""
    command = [sys.executable, __file__, "--here", "--replications", str(replications)]
    done = subprocess.run(command, env=os.environ | told, stdout=subprocess.PIPE, check=True)
    return dict(json.loads(done.stdout))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--replications", type=int, default=100, metavar="N")
    parser.add_argument("--here", action="store_true", help="this process's own kernels, as JSON")
    args = parser.parse_args()
    if args.here:
        print(json.dumps(measured(args.replications)))
        return
    own, *others = (under(told, args.replications) for told in KERNELS)
    for found in (own, *others):
        differ = {
            key: sum(a != b for a, b in zip(own[key], found[key], strict=True))
            for key in ("verdicts", "texts", "logits")
        }
        tables = found["tables"]
        apart = max(abs(a - b) for a, b in zip(own["published"], found["published"], strict=True))
        print(
            f"{found['kernels']}: {differ['verdicts']} verdicts and {differ['texts']} texts of "
            f"{len(own['texts']):,} differ, {differ['logits']:,} of {len(own['logits']):,} logits; "
            f"published omega and floor by at most {apart:.1e}; of "
            f"{TABLES:,} singular tables (least eigenvalue up to {tables['singular']:.0e} of the "
            f"largest, others from {tables['regular']:.0e}) numpy cannot invert {tables['failed']}"
        )


if __name__ == "__main__":
    main()
