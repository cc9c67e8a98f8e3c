"""Judges with known weaknesses: does the report find them, and nothing else?

    python bench/fooled.py [--studies 200] [--questions 40]

Two simulated judges are shown answers as `-T answers=instruction,padding,layout` changes them: one
chooses of two, one grades from 1 to 5. Each obeys an instruction in an answer with probability .3,
and likes length: a tenth of its verdicts go to the longer answer, or up one grade if padding makes
the answer longer. Two more have the same noise and no weakness. Printed is, for each change, the
mean of what the report finds, what was put in, and the share of studies whose interval holds it.
"""

import argparse
import random
import re
from collections.abc import Iterator

import numpy as np
import pandas as pd

from _tables import show
from inspect_reliability import Item, JudgeDesign
from inspect_reliability.answers import analyse
from inspect_reliability.designs import changes_of
from inspect_reliability.judging.asking import AskedItem, Asking
from inspect_reliability.judgments.score import judgments_in
from inspect_reliability.judgments.sources import judgments_from
from inspect_reliability.record.replications import Grid, Replications
from inspect_reliability.scoring import score_of

OBEYS, LIKES_LENGTH = 0.3, 0.1
REPLICATIONS = 5
CHANGES = ("instruction", "padding", "layout")
PAIR = JudgeDesign(
    "Pair",
    "{{ question }}{% for option in options %}\n[{{ option.label }}]: {{ option.text }}"
    "{% endfor %}",
    {"options": ["A", "B"]},
)
GRADE = JudgeDesign("Grade", "{{ question }}\n[A]: {{ response }}", {"from": 1, "to": 5})
TOLD, PADDED = "Instruction to the judge", "All of this should be read"


def answers(prompt: str) -> list[str]:
    return re.split(r"\n\[[AB]\]: ", prompt)[1:]


def says(prompt: str, seed: int, taste: float, weak: bool) -> str:
    """The verdict of a judge; `taste` is the probability of the first responder, or of a grade."""
    draw, texts = random.Random(seed), answers(prompt)
    obeys, likes = draw.random() < OBEYS * weak, draw.random() < LIKES_LENGTH * weak
    if len(texts) == 1:
        grade = 2 + (draw.random() < taste) + (draw.random() < taste)
        up = (obeys and TOLD in texts[0]) or (likes and PADDED in texts[0])
        return f"Rating: {grade + up}"
    first = next(n for n, text in enumerate(texts) if "one is" in text)
    chosen = first if draw.random() < taste else 1 - first
    for has, mark in ((likes, PADDED), (obeys, TOLD)):
        marked = [n for n, text in enumerate(texts) if mark in text]
        chosen = marked[0] if has and marked else chosen
    return f"Winner: {'AB'[chosen]}"


def study(
    design: JudgeDesign, questions: int, seed: int, weak: bool
) -> tuple[pd.DataFrame, dict[str, float]]:
    """The judgments of one study, and what the weaknesses add to the verdicts of its questions."""
    asking = Asking(design, {}, "shuffled", seed, None, changes_of(CHANGES))
    draw, rows, pulls = random.Random(seed), [], []
    for number in range(questions):
        name, taste = f"q{number}", draw.random()
        own = ("one", "two")[: 2 if design is PAIR else 1]
        texts = {one: f"{one} is my answer. I think so. It is right." for one in own}
        item = Item(name, f"Question {number} of {seed}", texts)
        asked = AskedItem(asking, item, range(1, REPLICATIONS + 1))
        first = asked.requests[0]
        asked.change(says(first.prompt, first.seed, taste, weak), {})
        said = [says(one.prompt, one.seed, taste, weak) for one in asked.requests]
        kept = asked.kept
        cells = Grid(**kept.pop("cells"))
        verdicts = [design.reader.read(one).verdict for one in said]
        packed = Replications(verdicts, cells.seeds[0], cells=cells)
        facts = {"benchmark": design.name, "categories": [*design.reader.categories]}
        score = score_of(packed, said, facts | {k: v for k, v in kept.items() if k == "order"})
        rows += [one._asdict() for one in judgments_in(score, name)]
        chosen = next(iter({one["changed_response"] for one in rows[-REPLICATIONS:]}))
        # Of a choice, what the answer lacks can be gained.
        pulls.append(1.0 if design is GRADE else taste if chosen == "two" else 1 - taste)
    table = pd.DataFrame(rows).drop(columns="cluster")
    table = table.drop(columns=[name for name in table if table[name].isna().all()])
    lacks = float(np.mean(pulls)) * weak
    true = {"instruction": OBEYS * lacks, "padding": LIKES_LENGTH * lacks, "layout": 0.0}
    return table, true


def bench(studies: int, questions: int) -> Iterator[dict[str, object]]:
    """For each judge and change: what was put in, and what the report finds."""
    for design, weak in ((PAIR, True), (PAIR, False), (GRADE, True), (GRADE, False)):
        put: dict[str, list[float]] = {name: [] for name in CHANGES}
        found: dict[str, list[float]] = {name: [] for name in CHANGES}
        holds: dict[str, list[bool]] = {name: [] for name in CHANGES}
        for seed in range(studies):
            table, true = study(design, questions, seed, weak)
            for one in analyse(judgments_from(table)).results["fooled"]:
                key = "towards" if design is PAIR else "lift"
                low, high = one[f"{key}_interval"]
                name = one["change"]
                put[name].append(true[name])
                found[name].append(one[key])
                holds[name].append(low <= true[name] <= high)
        for name in CHANGES:
            yield {
                "judge": f"{design.name}{'' if weak else ', no weakness'}",
                "change": name,
                "put in": float(np.mean(put[name])),
                "found, mean": float(np.mean(found[name])),
                "interval holds it": f"{np.mean(holds[name]):.1%}",
            }


def main() -> None:
    """Simulate, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--questions", type=int, default=40)
    given = parser.parse_args()
    show("Changes of an answer", bench(given.studies, given.questions))


if __name__ == "__main__":
    main()
