"""How many replications `-T settle=0.05` saves: `python bench/settle.py [LOGS]`.

Simulated questions by the share of the judge's first choice, and the verdicts of logs (by default
logs/example) in the order in which they were drawn.
"""

import argparse
from collections import Counter

import numpy as np

from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.stats import settled

EPOCHS, TRIES, ERROR = 100, 500, 0.05


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("logs", nargs="*", default=["logs/example"])
    given = parser.parse_args()
    print(f"of {EPOCHS} epochs, error {ERROR:g}")
    print("first choice  made (mean)  settled  wrong")
    generator = np.random.default_rng(0)
    for share in (1.0, 0.95, 0.9, 0.8, 0.7, 0.6, 0.55):
        chances = [share, 0.7 * (1 - share), 0.3 * (1 - share)]
        made, done, wrong = [], 0, 0
        for _ in range(TRIES):
            verdicts = [*map(str, generator.choice(3, size=EPOCHS, p=chances))]
            after = settled(verdicts, ERROR)
            made.append(after or EPOCHS)
            done += after is not None
            wrong += after is not None and Counter(verdicts[:after]).most_common(1)[0][0] != "0"
        print(f"{share:12.2f}  {np.mean(made):11.1f}  {done / TRIES:7.0%}  {wrong / TRIES:5.1%}")
    table = judgments_from_logs(given.logs).table.sort_values("replication")
    asked = saved = open_still = 0
    for _, rows in table.groupby(["judge", "temperature", "question"]):
        named = rows["responder"] if "responder" in rows else rows["verdict"]
        after = settled([*named.fillna(rows["verdict"]).map(str)], ERROR)
        asked, saved = asked + len(rows), saved + len(rows) - (after or len(rows))
        open_still += after is None
    print(f"{' '.join(given.logs)}: {asked - saved:,} of {asked:,} calls made, ", end="")
    print(f"{open_still} questions not settled")


if __name__ == "__main__":
    main()
