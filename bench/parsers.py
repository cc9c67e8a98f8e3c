"""What each parser reads in outputs of judges, beside what a person read in them.

    python bench/parsers.py [judge_outputs.json]

Without a file: the collected outputs and those of a small judge, both in `tests/`. A file is a
list of `{"text": ..., "verdict": ...}` of judges that choose the best of five. "Missed"
is no verdict where a person read one; "wrong" is a verdict that the person did not read.
"""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple, get_args

from inspect_reliability.designs import DESIGNS, ParserName, Reader
from inspect_reliability.errors import UserError

TESTS = Path(__file__).parents[1] / "tests"
FIVE = {"options": list("ABCDE")}
NONE = ("non-response", "invalid")


class Output(NamedTuple):
    """An output of a judge, what the judge can answer, and the verdict that a person read."""

    design: Any
    text: str
    verdict: str


def committed() -> dict[str, list[Output]]:
    sys.path.insert(0, str(TESTS))
    from judge_outputs import OUTPUTS, REAL

    short = dict(zip("-?", NONE, strict=True))
    collected = [
        Output(design, text, short.get(verdict, verdict))
        for design, rows in OUTPUTS.values()
        for text, verdict in rows
    ]
    return {"collected": collected, "SmolLM2-135M": [Output(*one) for one in REAL]}


def table(name: str, outputs: list[Output], parser: ParserName, show: bool) -> None:
    counts: dict[str, Counter[str]] = {}
    for one in outputs:
        # The study's label, which these outputs were asked for.
        labels = DESIGNS["bbh"].parser if one.design == FIVE else None
        try:
            read = Reader(one.design, labels).read(one.text, parser).verdict
        except UserError:
            continue
        by = one.verdict if one.verdict in (*"ABCDE", *NONE) else "other"
        how = "read" if read == one.verdict else "missed" if read in NONE else "wrong"
        counts.setdefault(by, Counter())[how] += 1
        if show and how != "read":
            print(f"    {one.verdict} read as {read}: {one.text!r}")
    print(f"\n{name}, {parser:<20} read missed  wrong")
    letters = [by for by in "ABCDE" if by in counts]
    counts["A to E"] = sum((counts[by] for by in letters), Counter())
    counts["all"] = sum((found for by, found in counts.items() if by != "A to E"), Counter())
    for by in (*letters, "A to E", "other", *NONE, "all"):
        if found := counts.get(by):
            row = "".join(f"{found[how]:7}" for how in ("read", "missed", "wrong"))
            print(f"{by:<{len(name) + 18}}{row}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("outputs", type=Path, nargs="?")
    arguments.add_argument("--show", action="store_true", help="print every output not read alike")
    arguments.add_argument("--parser", action="append", choices=get_args(ParserName))
    given = arguments.parse_args()
    if given.outputs:
        rows = json.loads(given.outputs.read_text())
        files = {given.outputs.stem: [Output(FIVE, row["text"], row["verdict"]) for row in rows]}
    else:
        files = committed()
    for name, outputs in files.items():
        for parser in given.parser or get_args(ParserName):
            table(name, outputs, parser, given.show)


if __name__ == "__main__":
    main()
