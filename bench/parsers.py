"""What each parser reads in collected outputs of judges that choose the best of five responses.

    python bench/parsers.py judge_outputs.json

The file is a list of `{"text": ..., "verdict": ...}`, the verdict as a person read it. "Missed" is
no verdict where a person read one; "wrong" is a letter that the person did not read.
"""

import argparse
import json
from pathlib import Path
from typing import get_args

from inspect_reliability.designs import DESIGNS, ParserName


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("outputs", type=Path)
    arguments.add_argument("--show", action="store_true", help="print every output not read alike")
    given = arguments.parse_args()
    outputs = json.loads(given.outputs.read_text())
    reader = DESIGNS["bbh"].reader
    print(f"{len(outputs)} outputs {'as read':>10} {'missed':>7} {'wrong':>6} {'other':>6}")
    for parser in get_args(ParserName):
        found = [(one, reader.read(one["text"], parser).verdict) for one in outputs]
        alike = sum(verdict == one["verdict"] for one, verdict in found)
        differ = [(one, verdict) for one, verdict in found if verdict != one["verdict"]]
        wrong = sum(verdict in reader.verdicts for _, verdict in differ)
        missed = sum(
            one["verdict"] in reader.verdicts and verdict not in reader.verdicts
            for one, verdict in differ
        )
        print(f"{parser:<12}{alike:>8} {missed:>7} {wrong:>6} {len(differ) - wrong - missed:>6}")
        if given.show:
            for one, verdict in differ:
                print(f"    {one['verdict']} read as {verdict}: {one['text']!r}")


if __name__ == "__main__":
    main()
