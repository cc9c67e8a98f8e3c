"""The questions on which a judge contradicts itself most, with two of its outputs."""

from collections.abc import Iterator
from itertools import compress

import numpy as np
import pandas as pd

from ..published.text import judgment_text
from ..stats import Counts, Shares
from ..verdicts import INVALID, NON_RESPONSE
from .row import Row
from .wording import Record

QUESTIONS = 2
"""Questions of each row."""


def least_stable(counts: Counts | Shares) -> list[int]:
    """Rows of the counts from the smallest share of the most frequent verdict to the largest."""
    modal = counts.shares.max(axis=1)
    return [int(i) for i in np.argsort(modal, kind="stable")]


def contradictions(row: Row, texts: bool) -> Iterator[Record]:
    """The least stable questions of a row, with the first output of two different verdicts.

    Prompts and outputs are None unless `texts` asks to read them from the logs.
    """
    if row.exact:
        return  # no output was drawn
    for i in least_stable(row.counts)[:QUESTIONS]:
        asked = [name == row.counts.questions[i] for name in row.judged.questions]
        table = row.table[asked]
        chosen = pd.Series(list(compress(row.judged.choices, asked)), table.index, dtype=object)
        shares = chosen.value_counts(normalize=True)
        # Two choices contradict each other more than a choice and none.
        choices = [name for name in shares.index if name not in (NON_RESPONSE, INVALID)]
        shown = choices if len(choices) > 1 else list(shares.index)
        if len(shown) < 2:
            continue
        prompt, outputs = None, []
        for verdict in shown[:2]:
            judgment = table[chosen == verdict].iloc[0].to_dict()
            text = judgment_text(judgment) if texts else None
            prompt = prompt or (text and text.prompt)
            outputs.append(
                {
                    "verdict": str(verdict),
                    "share": float(shares[verdict]),
                    "replication": int(judgment["replication"]),
                    "text": text and text.output,
                }
            )
        question = {"question": row.counts.questions[i], "prompt": prompt}
        yield row.keys | question | {"outputs": outputs}
