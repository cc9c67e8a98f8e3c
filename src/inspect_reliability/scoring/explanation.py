"""Several verdicts in the words of one score."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

_A_LINE = 10


def label(verdict: Any) -> str:
    """Name of a verdict; "failed" where the replication failed."""
    if verdict is None:
        return "failed"
    return verdict if isinstance(verdict, str) else json.dumps(verdict, default=str)


def explanation(verdicts: Sequence[Any], texts: Sequence[str], first: int = 1) -> str:
    """How often each verdict was given, all verdicts in their order, and a text of each.

    Args:
        verdicts: Value of each replication; None where it failed.
        texts: What the judge said, or why the replication failed.
        first: Number of the first replication.

    Returns:
        Markdown.
    """
    labels = list(map(label, verdicts))
    counted = Counter(labels)
    wide = max(map(len, labels))
    padded = [name.ljust(wide) for name in labels]
    lines = (
        " ".join([f"{first + place:>5}:", *padded[place : place + _A_LINE]]).rstrip()
        for place in range(0, len(padded), _A_LINE)
    )
    parts = [
        ", ".join(f"{name}: {n} of {len(labels)}" for name, n in counted.most_common()),
        "\n".join(["```", *lines, "```"]),
    ]
    for name in counted:
        place = labels.index(name)
        parts.append(f"**{name}** (replication {first + place})\n\n{texts[place]}")
    return "\n\n".join(parts)


def distribution_table(exact: Sequence[Mapping[str, Any]]) -> str:
    """Each verdict's probability, one column a temperature, and what was drawn from the rest.

    Args:
        exact: Distributions as the provider found them.

    Returns:
        Markdown.
    """
    verdicts = dict.fromkeys(
        verdict
        for one in exact
        for verdict, _ in sorted(one["shares"].items(), key=lambda item: -item[1])
    )
    lines = [
        ["verdict", *(f"T = {one['temperature']:g}" for one in exact)],
        ["---"] * (len(exact) + 1),
        *([name, *(f"{one['shares'].get(name, 0):.2%}" for one in exact)] for name in verdicts),
        ["(open)", *(f"{one['open_mass']:.2%}" for one in exact)],
        ["(draws from what is open)", *(", ".join(one["tail"]) for one in exact)],
    ]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    return f"{table}\n\n{exact[0]['rows']:,} continuations went through the model."
