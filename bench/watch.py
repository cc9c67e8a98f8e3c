"""Does `watch` cry wolf, and how soon does it find a change? Simulation with known truth.

    python bench/watch.py [--quick]

Judges of 40 anchors, asked 3 times each at a check, for 120 checks or a year of 365. It prints how
often a quiet stream raises an alarm: of independent draws, of copies, where anchors shift together
by the hour, where one draw decides all; on names, several options and a scale. Then how often a
change is found, after how many checks (median, and nine in ten), within how many checks it was
promised right before it (median), and in what share of the studies that promise was kept. Streams
of production whose mixture of questions moves follow; then what is named where the judge, the
system or both changed, beside a z-test at each look. Last, files in which calls of one check failed
(single draws, or whole anchors, which may be made again later): how often an alarm is raised, how
often it is asked what these are, and the alarms after either answer.
p-values rank today's draws among 99 random parts in quiet streams, which is as valid as the 999 of
the command and takes a tenth of the time. Changes are looked for with all 999.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from _tables import show
from inspect_reliability.judgments.reading import OpenQuestionError, Reading
from inspect_reliability.judgments.sources import judgments_from
from inspect_reliability.watching.bets import (
    BASELINE,
    CHANGED,
    DRAWS,
    Watched,
    bets,
    power,
    watch_stream,
)
from inspect_reliability.watching.changed import Side, Watching, watching
from inspect_reliability.watching.checks import Check
from inspect_reliability.watching.streams import Stream

STUDIES = 100
QUICK = 0.05
"""Share of the studies with `--quick`."""

PARTS = 99

YEARS = 10_000
"""Quiet years of p-values alone."""

QUIET_YEARS = 1_000
"""Quiet years of draws: at most `ALPHA` of them may raise an alarm."""

ALPHA = 0.05
DAYS = 365


@dataclass(frozen=True)
class Anchors:
    """A judge, asked at each check.

    Attributes:
        kind: "names" (two), "options" (four) or "scale" (one to five).
        checks: How many.
        copies: Share of the anchors whose draws are one.
        shift: How far all anchors move together at each check (logits, SD).
        one: Whether one draw decides all anchors of a check.
        changed: Share of the anchors that turn.
        at: The check at which they do; None for a quiet judge.
    """

    kind: str = "names"
    checks: int = 120
    copies: float = 0.0
    shift: float = 0.0
    one: bool = False
    changed: float = 0.0
    at: int | None = None
    anchors: int = 40
    draws: int = 3

    @property
    def values(self) -> np.ndarray:
        """What a kind says."""
        if self.kind == "scale":
            return np.linspace(0, 1, 5)[:, None]
        return np.eye(2 if self.kind == "names" else 4)

    def counts(self, generator: np.random.Generator) -> np.ndarray:
        """Draws of each kind, T x Q x K."""
        kinds, n = len(self.values), self.anchors
        ability = generator.normal(0, 2, (n, kinds))
        if self.kind == "scale":  # neighbouring grades
            middle = generator.uniform(0, 4, n)
            ability = -((np.arange(kinds) - middle[:, None]) ** 2)
        turned = generator.permutation(n)[: round(self.changed * n)]
        copied = generator.permutation(n)[: round(self.copies * n)]
        after = ability.copy()
        after[turned] = np.sort(ability[turned])[:, ::-1][
            np.arange(len(turned))[:, None], ability[turned].argsort().argsort()
        ]
        toward = np.linspace(-0.5, 0.5, kinds)
        found = np.zeros((self.checks, n, kinds), dtype=np.int64)
        for t in range(self.checks):
            logit = after if self.at is not None and t >= self.at else ability
            logit = logit + self.shift * generator.normal() * toward
            chance = np.exp(logit - logit.max(axis=1, keepdims=True))
            below = (chance / chance.sum(axis=1, keepdims=True)).cumsum(axis=1)
            u = generator.random((n, self.draws))
            if self.one:
                u[:] = generator.random(self.draws)
            u[copied] = u[copied, :1]
            said = (u[..., None] > below[:, None]).sum(axis=-1).clip(max=kinds - 1)
            for draw in said.T:
                found[t, np.arange(n), draw] += 1
        return found

    def watch(
        self, counts: np.ndarray, generator: np.random.Generator, parts: int = PARTS
    ) -> Watched:
        """Bet on it."""
        few = np.zeros(self.checks, dtype=bool)
        seeds = generator.integers(2**40, size=self.checks).tolist()
        return watch_stream(counts, self.values, 1 / ALPHA, seeds, few, parts)


QUIET = {
    "two names": Anchors(),
    "four options": Anchors("options"),
    "a scale of five": Anchors("scale"),
    "a year": Anchors(checks=DAYS),
    "30% of the anchors are copies": Anchors(copies=0.3),
    "30% copies, a year": Anchors(copies=0.3, checks=DAYS),
    "shifts, SD .1": Anchors(shift=0.1),
    "shifts, SD .3": Anchors(shift=0.3),
    "shifts, SD .3, a year": Anchors(shift=0.3, checks=DAYS),
    "shifts, SD .6": Anchors(shift=0.6),
    "shifts, SD 1.2": Anchors(shift=1.2),
    "one draw for all": Anchors(one=True),
}

CHANGES = {
    "a tenth at check 11": Anchors(changed=0.1, at=10),
    "a tenth at check 60": Anchors(changed=0.1, at=60),
    "a fifth at check 11": Anchors(changed=0.2, at=10),
    "a fifth at check 60": Anchors(changed=0.2, at=60),
    "a fifth at check 300": Anchors(changed=0.2, at=300, checks=340),
    "a tenth, four options, at 60": Anchors("options", changed=0.1, at=60),
    "a tenth, a scale, at 60": Anchors("scale", changed=0.1, at=60),
    "a fifth at 30, shifts SD .6": Anchors(changed=0.2, at=30, shift=0.6),
    "a fifth at 60, shifts SD .6": Anchors(changed=0.2, at=60, shift=0.6),
}


def years(studies: int) -> Iterator[dict[str, Any]]:
    """Quiet years of p-values that are independent and uniform, as the theory says."""
    generator = np.random.default_rng(1)
    worth = bets(generator.random((studies, DAYS - BASELINE)))
    reached = [*(worth.max(axis=1) >= 1 / ALPHA)]
    yield {"stream": "uniform p-values, a year", "studies": studies, **_share(reached)}


def _share(reached: list[Any]) -> dict[str, float]:
    share = float(np.mean(reached))
    return {"alarm": share, "se": float(np.sqrt(share * (1 - share) / len(reached)))}


def quiet(studies: int) -> Iterator[dict[str, Any]]:
    """Alarms of streams in which nothing changes; of years, ten times as many studies."""
    for name, anchors in QUIET.items():
        number = studies * QUIET_YEARS // STUDIES if anchors.checks == DAYS else studies
        found = []
        for n in range(number):
            generator = np.random.default_rng([2, n])
            found.append(anchors.watch(anchors.counts(generator), generator))
        yield {
            "stream": name,
            "studies": number,
            **_share([one.alarm is not None for one in found]),
            "by_check": float(np.mean([one.units[-1] == "check" for one in found])),
        }


def changes(studies: int) -> Iterator[dict[str, Any]]:
    """How often a change is found, and how soon, beside what was said before."""
    for name, anchors in CHANGES.items():
        assert anchors.at is not None
        waits, early, said, kept = [], 0, [], []
        for n in range(studies):
            generator = np.random.default_rng([3, n])
            counts = anchors.counts(generator)
            found = anchors.watch(counts, generator, DRAWS)
            early += found.alarm is not None and found.alarm < anchors.at
            if found.alarm is None:
                waits.append(np.inf)
            elif found.alarm >= anchors.at:
                waits.append(found.alarm - anchors.at + 1)
            if anchors.changed == CHANGED and (found.alarm is None or found.alarm >= anchors.at):
                known, p = counts[: anchors.at], found.p[: anchors.at]
                unit = found.units[anchors.at - 1]
                soon = power(known, anchors.values, 1 / ALPHA, unit, n, p)
                said.append(np.inf if soon.most is None else soon.most)
                kept.append(waits[-1] <= said[-1])
        known = np.array(waits)
        yield {
            "change": name,
            "studies": studies,
            "found": float(np.isfinite(known).mean()),
            "before_it": early / studies,
            "median": float(np.quantile(known, 0.5, method="higher")),
            "nine_in_ten": float(np.quantile(known, 0.9, method="higher")),
            "promised": float(np.median(said)) if said else None,
            "kept": float(np.mean(kept)) if kept else None,
        }


TRUTHS = {"none": (), "judge": ("judge",), "system": ("system",), "both": ("judge", "system")}

RIGHT = {
    "none": {"none"},
    "judge": {"judge", "judge_system_unknown"},
    "system": {"system", "judge_system_unknown"},
    "both": {"judge_system_unknown"},
}
"""What may be said of each truth; nothing is said yet while it is quiet."""

OUTPUTS = 100
"""Outputs of production at a check."""


LOOKS = (-1, 2, 4, 8, 12, 16)
"""Checks after the change at which one looks."""


def named(studies: int) -> Iterator[dict[str, Any]]:
    """What is named before a change, at looks after it, and at the last; a z-test at every check.

    The judge turns a fifth of the anchors, which moves the stream from .70 to .55 right, too; the
    system moves it to .55 by itself.
    """
    for truth, changed in TRUTHS.items():
        for at in (12, 40):
            wrong, last, soon, z_soon, z_before = 0, [], [], [], 0
            for n in range(studies):
                generator = np.random.default_rng([4, n])
                judge = Anchors(checks=at + 16, changed=0.2 * ("judge" in changed), at=at)
                counts = judge.counts(generator)
                share = np.where(np.arange(at + 16) < at, 0.7, 0.55 if changed else 0.7)
                right = generator.binomial(OUTPUTS, share)
                sides = _sides(counts, right)
                said = [_said(sides, at + look) for look in LOOKS]
                wrong += any(one not in RIGHT[truth] | {"none"} for one in said)
                last.append(said[-1] in RIGHT[truth])
                soon.append(
                    min((one - at + 1 for one in _alarms(sides) if one >= at), default=np.inf)
                )
                z_alarms = _z_test(right)
                z_before += any(one < at for one in z_alarms)
                z_soon.append(min((one - at for one in z_alarms if one >= at), default=np.inf))
            yield {
                "truth": truth,
                "at": at + 1,
                "studies": studies,
                "ever_named_wrongly": wrong / studies,
                "right_at_the_end": float(np.mean(last)),
                "median": float(np.quantile(soon, 0.5, method="higher")),
                "z_test_median": float(np.quantile(z_soon, 0.5, method="higher")) + 1,
                "z_test_before": z_before / studies,
            }


def _sides(counts: np.ndarray, right: np.ndarray) -> list[Side]:
    """The anchors and the stream, each with its bet."""
    few = np.zeros(len(counts), dtype=bool)
    made = np.stack([right, OUTPUTS - right], axis=1)[:, None]
    sides = []
    for of, add in ((counts, 0), (made, 1)):
        seeds = [_check(t).seed + add for t in range(len(of))]
        names = [str(q) for q in range(of.shape[1])]
        stream = Stream(of, [("a",), ("b",)], np.eye(2), names, [None], [[None]] * len(names))
        bet = watch_stream(of, np.eye(2), 2 / ALPHA, seeds, few, PARTS)
        sides.append(Side(stream, range(len(of)), bet))
    return sides


def _check(t: int) -> Check:
    return Check(str(t), float(t), {}, str(t))


def _alarms(sides: list[Side]) -> list[int]:
    return [side.found for side in sides if side.found is not None]


def _said(sides: list[Side], looked: int) -> str:
    """What is named after so many checks: a later one changes nothing that an earlier one said."""
    known = []
    for side in sides:
        bet, there = side.watched, side.found is not None and side.found < looked
        cut = replace(
            bet,
            p=bet.p[:looked],
            bet=bet.bet[:looked],
            units=bet.units[:looked],
            alarm=bet.alarm if there else None,
            since=bet.since if there else None,
        )
        stream = replace(side.stream, counts=side.stream.counts[:looked])
        known.append(Side(stream, range(looked), cut))
    return Watching([_check(t) for t in range(looked)], 0, *known, ALPHA).changed


def _z_test(right: np.ndarray) -> list[int]:
    """The checks at which a z-test of their share against all before is significant at 5%."""
    found = []
    for t in range(BASELINE, len(right)):
        was, n = right[:t].sum() / (t * OUTPUTS), t * OUTPUTS
        pooled = right[: t + 1].sum() / ((t + 1) * OUTPUTS)
        error = np.sqrt(pooled * (1 - pooled) * (1 / n + 1 / OUTPUTS))
        if abs(right[t] / OUTPUTS - was) > 1.96 * error:
            found.append(t)
    return found


def mixtures(studies: int) -> Iterator[dict[str, Any]]:
    """Streams of two groups, right in .9 and .5, of which one grows from a fifth to four fifths."""
    grows = np.linspace(0.2, 0.8, DAYS)
    for name in ("by group", "without groups"):
        reached, number = [], studies * QUIET_YEARS // STUDIES if name == "by group" else studies
        for n in range(number):
            generator = np.random.default_rng([5, n])
            hard = generator.binomial(OUTPUTS, grows)
            size = np.stack([OUTPUTS - hard, hard], axis=1)
            right = generator.binomial(size, [0.9, 0.5])
            counts = np.stack([right, size - right], axis=-1)
            if name == "without groups":
                counts = counts.sum(axis=1, keepdims=True)
            few = np.zeros(DAYS, dtype=bool)
            seeds = generator.integers(2**40, size=DAYS).tolist()
            reached.append(
                watch_stream(counts, np.eye(2), 1 / ALPHA, seeds, few, PARTS).alarm is not None
            )
        yield {"stream": f"a mixture that moves, {name}", "studies": number, **_share(reached)}


@dataclass(frozen=True)
class Failed:
    """Calls of one check that failed, in a file.

    Attributes:
        at: The check.
        draws: Share of the single draws that failed.
        anchors: Share of the anchors all of whose draws did.
        again: Whether they were made again two checks later, under the id of their check.
    """

    at: int
    draws: float = 0.0
    anchors: float = 0.0
    again: bool = False

    def table(self, counts: np.ndarray, generator: np.random.Generator) -> pd.DataFrame:
        """The rows of a file with these draws, T x Q x K."""
        cells = np.indices(counts.shape).reshape(3, -1)
        check, anchor, kind = (np.repeat(of, counts.ravel()) for of in cells)
        table = pd.DataFrame({"time": check, "check_id": check, "question": anchor})
        table["verdict"] = np.where(kind, "yes", "no")
        lost = generator.permutation(counts.shape[1]) < self.anchors * counts.shape[1]
        failed = (generator.random(len(table)) < self.draws) | lost[anchor]
        made = table[failed & (check == self.at)].assign(time=self.at + 2)
        table.loc[made.index, "verdict"] = "ERROR"
        return pd.concat([table, made]) if self.again else table


FAILED: dict[str, dict[str, Any]] = {
    "3% of draws at check 6": {"at": 5, "draws": 0.03},
    "10% of draws at check 6": {"at": 5, "draws": 0.1},
    "30% of draws at check 6": {"at": 5, "draws": 0.3},
    "10% of draws at check 11": {"at": 10, "draws": 0.1},
    "30% of draws at check 11": {"at": 10, "draws": 0.3},
    "a quarter of the anchors at check 6": {"at": 5, "anchors": 0.25},
    "the same, made again": {"at": 5, "anchors": 0.25, "again": True},
    "30% of draws at check 11, made again": {"at": 10, "draws": 0.3, "again": True},
}

CHECKS = 20
"""Checks of a file in which calls failed."""


def failed_calls(studies: int) -> Iterator[dict[str, Any]]:
    """What is said of files in which calls failed, of a quiet judge and of one that changed."""
    for (name, of), at in product(FAILED.items(), (None, 13)):
        failed = Failed(**of)
        judge = Anchors(checks=CHECKS, anchors=24, draws=5, changed=0.1, at=at)
        said = []
        for n in range(studies):
            generator = np.random.default_rng([6, n])
            table = failed.table(judge.counts(generator), generator)
            first = _alarm(table, {})
            ways = ("failed-call", "non-response") if first is None else ()
            said.append([first, *(_alarm(table, {"non-response": one}) for one in ways)])
        yield {
            "failed": name,
            "judge": "quiet" if at is None else "changed",
            "studies": studies,
            "alarm": float(np.mean([one[0] is True for one in said])),
            "asked": float(np.mean([one[0] is None for one in said])),
            "alarm_if_failed": float(np.mean([one[:2][-1] for one in said])),
            "alarm_if_answers": float(np.mean([one[-1] for one in said])),
        }


def _alarm(table: pd.DataFrame, meant: dict[str, str]) -> bool | None:
    """Whether an alarm is raised; None where it is asked what failed calls are."""
    try:
        return watching(judgments_from(table, reading=Reading(map=meant))).changed != "none"
    except OpenQuestionError:
        return None


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help=f"{QUICK:.0%}% of the studies")
    share = QUICK if parser.parse_args().quick else 1
    show("Quiet years of p-values", years(max(int(share * YEARS), 1)))
    show("Quiet streams", quiet(max(int(share * STUDIES), 1)))
    show("Streams of production", mixtures(max(int(share * STUDIES), 1)))
    show("Changes", changes(max(int(share * STUDIES), 1)))
    show("What is named", named(max(int(share * STUDIES / 5), 1)))
    show("Failed calls", failed_calls(max(int(share * STUDIES), 1)))


if __name__ == "__main__":
    main()
