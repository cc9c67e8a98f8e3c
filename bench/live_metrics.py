"""CPU milliseconds of the live metrics: they run in inspect's event loop while an eval runs.

    python bench/live_metrics.py

Each line is one call of the metric, from inspect's scores to its value, for 55 questions with 100
replications; the fastest of several calls, since whatever else the machine does only adds to it.
"""

import argparse
import random
import time
from collections.abc import Callable

from inspect_ai.scorer import Metric, SampleScore, Score

from inspect_reliability.scoring import METRICS, reliability

QUESTIONS, REPLICATIONS, CALLS = 55, 100, 15
RESPONDERS = ["thorough", "terse", "muddled", "mistaken", "astray"]


def scores(value: Callable[[], str | float], order: list[str] | None) -> list[SampleScore]:
    return [
        SampleScore(
            score=Score(
                value=value(),
                metadata={"order": order, "responder": RESPONDERS[0], "category": f"topic {q % 5}"},
            ),
            sample_id=f"question {q}",
        )
        for _ in range(REPLICATIONS)
        for q in range(QUESTIONS)
    ]


def milliseconds(metric: Metric, given: list[SampleScore]) -> float:
    times = []
    for _ in range(CALLS):
        start = time.process_time()
        metric(given)
        times.append(time.process_time() - start)
    return 1e3 * min(times)


def main() -> None:
    argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0]).parse_args()
    rng = random.Random(0)
    letters = scores(lambda: rng.choice("ABCDE"), RESPONDERS)
    grades = scores(lambda: rng.randint(1, 5), None)
    cases: list[tuple[str, Metric, list[SampleScore]]] = [
        ("omega(), letters", METRICS["omega"](), letters),
        ("reliability(), letters", reliability(), letters),
        ("reliability(by='category'), letters in 5 groups", reliability(by="category"), letters),
        ("reliability(), numbers from 1 to 5", reliability(), grades),
        ("reliability(level='ordinal'), numbers from 1 to 5", reliability(level="ordinal"), grades),
    ]
    print(f"{QUESTIONS} questions x {REPLICATIONS} replications")
    for name, metric, given in cases:
        print(f"{milliseconds(metric, given):6.1f} ms  {name}")


if __name__ == "__main__":
    main()
