"""What shards promise on paper.

    python bench/shards.py [--questions 20000] [--replications 100] [--judgment 0.005] [--start 300]

Prints the largest shard and the hours of a study with 1, 8 and 80 workers, from your own seconds a
judgment and until a worker's judge is loaded.
"""

import argparse

from inspect_reliability.record.shards import Shard


def on_paper(questions: int, replications: int, judgment: float, start: float) -> None:
    """Print the hours of a study on one GPU, on eight, and on ten machines of eight."""
    ids = [f"question {n}" for n in range(questions)]
    print(f"{questions:,} questions x {replications} = {questions * replications:,} judgments")
    print(f"{judgment} s a judgment, {start:.0f} s until a worker's judge is loaded\n")
    print("workers  largest shard   hours  times as fast")
    alone = start + questions * replications * judgment
    for workers in (1, 8, 80):
        largest = max(len(Shard(place, workers).part(ids, str)) for place in range(workers))
        took = start + largest * replications * judgment
        print(f"{workers:7}  {largest:13,}  {took / 3600:6.2f}  {alone / took:13.1f}")


def main() -> None:
    """Read the options, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--questions", type=int, default=20_000)
    parser.add_argument("--replications", type=int, default=100)
    parser.add_argument("--judgment", type=float, default=0.005, help="seconds a judgment")
    parser.add_argument("--start", type=float, default=300, help="seconds until a judge is loaded")
    asked = parser.parse_args()
    on_paper(asked.questions, asked.replications, asked.judgment, asked.start)


if __name__ == "__main__":
    main()
