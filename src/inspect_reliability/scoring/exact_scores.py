"""The distribution of a verdict, from the log probabilities of a sampled text.

A judge that reasons first has one distribution per reasoning. The text before the verdict is drawn;
the possible answers after it are known.
"""

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import fsum
from typing import Any

from inspect_ai.model import Logprob
from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState

from ..errors import UserError
from ..parsing.reader import Reader
from ..record.distributions import KEPT, KeptDistribution, distributions_kept
from ..record.replications import Cell, cells_in
from ..verdicts import NO_VERDICTS
from .packed import answer_of, by_cell, distribution_table, meanings

_GREEDY = 1e-6

_DECORATION = re.compile(r"\W*")


@dataclass(frozen=True)
class AtVerdict:
    """What a judge could have answered after a text.

    Attributes:
        verdict: The verdict read from the text, or "non-response" or "invalid".
        shares: Known probability of each verdict; of "non-response" or "invalid" if the text names
            none.
        open_mass: Probability of tokens that read as no verdict there, or were not returned.
    """

    verdict: str
    shares: Mapping[str, float]
    open_mass: float


def at_verdict(
    text: str,
    steps: Sequence[Logprob],
    reader: Reader,
    temperature: float | None = None,
) -> AtVerdict:
    """Find the verdict in a text, and how likely each verdict was in its place.

    The verdict is where another label would change what the parser reads. Tokens that read as one
    verdict count together (" B", "B", "**B"), and so do tokens that only one verdict begins with. A
    verdict of several tokens is followed until no other begins like it.

    Args:
        text: A judge's whole output.
        steps: Its tokens, each with its likely alternatives.
        reader: Reads the verdict.
        temperature: The sampler's temperature, if log probabilities are those before it; None if
            they are those of the draw.
    """
    verdict = reader.read(text).verdict
    if verdict not in reader.verdicts:
        return AtVerdict(verdict, {verdict: 1.0}, 0.0)
    written = "".join(step.token for step in steps)
    # Above a temperature of 1 rare tokens weigh more than they say, and are not returned.
    known = (temperature is None or temperature <= 1) and reader.read(written).verdict == verdict
    if not known or (place := _place(written, verdict, reader)) is None:
        return AtVerdict(verdict, {}, 1.0)
    shares = _shares(steps, written, place, verdict, reader, temperature)
    return AtVerdict(verdict, shares, max(0.0, 1.0 - sum(shares.values())))


def _shares(
    steps: Sequence[Logprob],
    written: str,
    place: re.Match[str],
    verdict: str,
    reader: Reader,
    temperature: float | None,
) -> dict[str, float]:
    """Known probability of each verdict at the place of the one that was drawn."""
    start, after = place.start(), written[place.end() :]
    shares: defaultdict[str, float] = defaultdict(float)
    left = 1.0
    ends = list(accumulate(len(step.token) for step in steps))
    for step, end in zip(steps, ends, strict=True):
        if end <= start:
            continue
        before = written[: end - len(step.token)]
        at, chances = min(start, len(before)), _chances(step, temperature)
        for token, chance in chances.items():
            begun = before + token
            named = _named(begun, at, reader.verdicts)
            if not token:  # the end of the text
                named = [name for name in named if name.casefold() == _said(before, at)]
            if token == step.token:
                go_on = named != [verdict]
                named = [] if go_on else named
            elif len(named) == 1:  # and now written to its end
                whole = begun + named[0][len(_said(begun, at)) :]
                reads = (reader.read(text).verdict for text in (whole, whole + after))
                named = named if named[0] in reads else []
            if len(named) == 1:
                shares[named[0]] += left * chance
        left *= chances[step.token]
        if not go_on:
            break
    else:
        shares[verdict] += left
    return dict(shares)


def _place(text: str, verdict: str, reader: Reader) -> "re.Match[str] | None":
    """The first place where another label would change what is read."""
    other = next(name for name in reversed(reader.verdicts) if name != verdict)
    name = rf"(?<!\w){re.escape(verdict)}(?!\w)"
    # As it is spelled first: an "a" is rarely the verdict A, and each place costs a reading.
    for pattern in (re.compile(name), re.compile(name, re.IGNORECASE)):
        for found in pattern.finditer(text):
            changed = text[: found.start()] + other + text[found.end() :]
            if reader.read(changed).verdict != verdict:
                return found
    return None


def _said(text: str, start: int) -> str:
    """The text from a place on, without decoration before it."""
    return text[_DECORATION.match(text, start).end() :].casefold()  # type: ignore[union-attr]


def _named(text: str, start: int, verdicts: Sequence[str]) -> list[str]:
    """The verdicts that a text names from a place on, or could still name."""
    said = _said(text, start)
    if not said:
        return []
    names = {name: name.casefold() for name in verdicts}
    begun = [name for name, folded in names.items() if folded.startswith(said)]
    if begun:
        return begun
    whole = [n for n, folded in names.items() if re.match(rf"{re.escape(folded)}(?!\w)", said)]
    return [max(whole, key=len)] if whole else []


def _chances(step: Logprob, temperature: float | None) -> dict[str, float]:
    """Probability of each known token, by its text."""
    logs = [(one.token, one.logprob) for one in step.top_logprobs or []]
    if step.token not in dict(logs):
        logs.append((step.token, step.logprob))
    rest = 0.0
    if temperature is not None and temperature != 1:
        # As much as the tokens not returned can weigh: none is likelier than the last returned.
        t, most = max(temperature, _GREEDY), max(log for _, log in logs)
        least = min(log for _, log in logs)
        missing = max(0.0, 1.0 - sum(math.exp(log) for _, log in logs))
        rest = missing * math.exp((least - most) / t - least)
        logs = [(token, (log - most) / t) for token, log in logs]
        rest += sum(math.exp(log) for _, log in logs)
        logs = [(token, log - math.log(rest)) for token, log in logs]
    found: dict[str, float] = {}
    for token, log in logs:
        found[token] = found.get(token, 0.0) + math.exp(log)
    return found


# The exact distributions of a verdict as one score.


def exact_score(state: TaskState, metadata: dict[str, Any], reads_anew: bool) -> Score:
    """The score of a sample whose judge gave distributions, one per cell and temperature.

    Raises:
        UserError: They were read while the judge answered, and cannot be read anew.
    """
    if reads_anew:
        raise UserError(
            "Exact verdicts are read while the judge answers. To read them in another way, run the "
            "judge again with another 'parser' in its design."
        )
    exact: Sequence[Mapping[str, Any]] = (state.output.metadata or {})["distributions"]
    each = [[one for one in exact if one.get("cell", 0) == n] for n in range(len(exact))]
    cells, order = cells_in(state.metadata), state.metadata.get("order")
    said = by_cell(cells, order, lambda cell: distribution_table(each[cell]))
    return _score_of(exact, metadata, said)


def score_at_verdict(
    state: TaskState,
    texts: Mapping[int, str | None],
    reader: Reader,
    metadata: dict[str, Any],
    explanation: str | None,
) -> Score | None:
    """The score of sampled reasonings, by the distribution of the verdict after each.

    Open probability is assigned to the drawn verdict, which keeps the estimate unbiased where the
    judge names a verdict in this place.

    Args:
        state: State of the sample.
        texts: The text of each replication by number, None if it failed.
        reader: Reads the verdict.
        metadata: Other facts that all of them share.
        explanation: What the judge said.

    Returns:
        The score; None if fewer than two reasonings have a distribution.
    """
    known, cells = state.metadata["at_verdict"], cells_in(state.metadata)
    made = [number for number, text in texts.items() if text is not None]
    if len(made) < 2:
        return None
    first, found = min(texts), []
    for number, choice in zip(made, state.output.choices, strict=True):
        steps: list[Logprob] = choice.logprobs.content if choice.logprobs else []
        one = at_verdict(choice.message.text, steps, reader, known["temperature"])
        cell, place = cells.split(number - first, len(texts)) if cells else (None, number - first)
        found.append(
            {
                "cell": cell,
                "replication": first + place,
                "shares": one.shares,
                "open_mass": one.open_mass,
                "tail": [one.verdict] if one.open_mass else [],
            }
        )
    return _score_of(found, metadata | {"sampled_reasonings": len(found)}, explanation)


def _score_of(
    exact: Sequence[Mapping[str, Any]], metadata: dict[str, Any], explanation: str | None
) -> Score:
    """One score of several distributions, whose value is the likeliest verdict."""
    kept, cells = distributions_kept(exact), cells_in(metadata)
    every = [KeptDistribution(**one) for one in kept[KEPT]]
    same = [one for one in every if one.temperature == every[0].temperature]
    shown = [cells.each[one.cell or 0] if cells else Cell() for one in same]
    weights: defaultdict[str, float] = defaultdict(float)
    for one, means in zip(same, meanings(shown, metadata), strict=True):
        for verdict, weight, _ in one.weights:
            weights[means.get(verdict, verdict)] += weight
    # Silence wins only where nothing was said.
    value = max(weights, key=lambda name: (name not in NO_VERDICTS, weights[name]))
    share = weights[value] / fsum(weights.values())
    return Score(
        value=value,
        answer=answer_of(value, share),
        explanation=explanation,
        metadata=metadata | kept,
    )
