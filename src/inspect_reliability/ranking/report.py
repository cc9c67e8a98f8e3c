"""Systems in order: who is ahead, who cannot be told apart, and would the order come out again?"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..answers.summary import more, next_step, worst
from ..errors import one_of
from ..judgments.columns import OF_SYSTEMS
from ..judgments.reading import Reading
from ..judgments.sources import Columns, Source, in_file, judgments_from
from ..judgments.table import is_suite
from ..showing.answer import PythonAnswer
from ..showing.document import (
    HALF,
    WIDE,
    Block,
    Caution,
    Document,
    Figure,
    Section,
    Table,
    Text,
)
from ..showing.formats import Record, describe, grouped, keys_of, reaching, rounded, share
from ..showing.keys import declared, legend
from ..stats import Unknown, code_of
from ..stats.cells import ROUNDING
from ..stats.intervals import FEWEST_QUESTIONS
from .leaderboards import OWN, RUNS, Leaderboard, RankingCode, across_judges, leaderboards
from .scores import Method, Ranking
from .systems import labels_on_systems, verdicts_on_systems

if TYPE_CHECKING:
    import pandas as pd

_MOST = 12
"""Most systems, or rankings, that an answer shows."""

_MOST_DRAWN = 2
"""Most rankings whose systems a page draws before its sections."""

_MOST_NAMES = 3
"""Most systems that a sentence names."""

_LEADS = 0.05
"""A leader that changes more often at another try is no leader."""

_ENOUGH, _NEARLY_ALL = 0.4, 0.95
"""Shares of verdicts compared: below which they say nothing of a ranking of all, or that is said.

Where each judge saw each pair in an order drawn at random, half of the verdicts are compared.
"""

_SAYS_NOTHING = 0.9
"""Width of an interval of how often the leader changes that leaves open nearly all of it."""

Results = dict[str, list[Record]]


RESULTS: Mapping[str, Callable[[Sequence[Leaderboard]], Iterable[Record]]] = {
    "ranking": lambda found: (one for board in found for one in board.records),
    "survival": lambda found: chain(
        (one for board in found for one in board.survived), across_judges(found)
    ),
    "neighbours": lambda found: (one for board in found for one in board.neighbours),
    "favours": lambda found: (one for board in found for one in board.favours),
    "cautions": lambda found: (
        {"caution": one.text, "about": list(one.rows)} for one in _cautions(found)
    ),
}
"""Name in JSON -> what computes the records; `keys.md` has their keys."""


METHODS = ("mean", "bt")
"""How systems are scored: by their share of wins or mean score, or by strength."""


@dataclass(frozen=True, eq=False, repr=False)
class RankedSystems(PythonAnswer):
    """Systems in order, a ranking for each judge and condition.

    Attributes:
        found: The rankings.
    """

    found: Sequence[Leaderboard]

    @cached_property
    def document(self) -> Document:
        """The rankings as the command shows them."""
        return rank_document(self.found, rank_results(self.found))


def rank(
    judgments: Source,
    by: str | Sequence[str] = (),
    *,
    method: Method = "mean",
    baseline: str | None = None,
    pool: str | Sequence[str] = (),
    over: str = "",
    labels: "str | Path | pd.DataFrame | Sequence[str | Path | pd.DataFrame]" = (),
    family: Collection[tuple[str, str]] = (),
    columns: Columns = None,
    swap: bool | None = None,
    reading: Reading | str | Path | None = None,
) -> RankedSystems:
    """Rank systems by verdicts on pairs of them or scores of each.

    Every question weighs the same. Intervals are over questions, and rank sets hold together with
    95% confidence.

    Args:
        judgments: Verdicts, or where they are (see `judgments_from`): pairs, with the columns
            `model_1` and `model_2` as shown; or single systems, with a column `system` or a log a
            model.
        by: Columns that make rankings of their own, or the name of one; by default judge,
            benchmark and temperature.
        method: "mean", the share of wins or mean score; "bt", strengths by Bradley and Terry, for
            systems that met different opponents.
        baseline: Only pairs with this system count, and it is not ranked.
        pool: Columns that make no ranking of their own, or the name of one.
        over: "judge" or "wording": intervals speak for others of these, too.
        labels: Labels of some of the same, by which scores are corrected: files or data frames,
            such as a sheet of `label`.
        family: Pairs of a judge and a system of its own family.
        columns: Name in the frame or files -> name in the table.
        swap: What verdicts name where orders have names; see `judgments_from`.
        reading: How frames and files are read, or a file that says so.

    Returns:
        The rankings: `summary()` has a row a system.

    Raises:
        UserError: The verdicts cannot be read or name no systems, or there is no such column.

    Example:
        >>> import inspect_reliability as ir
        >>> import pandas as pd
        >>> rows = [(f"q{n}", "new", "old", "new" if n % 4 else "old") for n in range(20)]
        >>> pairs = pd.DataFrame(rows, columns=["question", "model_1", "model_2", "verdict"])
        >>> ir.rank(pairs).summary()[["rank", "system", "score"]]
           rank system  score
        0     1    new   0.75
        1     2    old   0.25
    """
    one_of("method", method, METHODS)
    by, pool = ([one] if isinstance(one, str) else one for one in (by, pool))
    known = Reading.of(in_file(reading), columns=columns or {}, swap=swap)
    read = judgments_from(judgments, reading=replace(known, words=OF_SYSTEMS))
    verdicts = verdicts_on_systems(read.with_facets([*read.facets, *known.facets]), baseline)
    some = labels if isinstance(labels, Sequence) and not isinstance(labels, str) else [labels]
    given = [str(one) if isinstance(one, Path) else one for one in some]
    people = labels_on_systems(given, known, baseline, verdicts.judged) if given else None
    found = leaderboards(verdicts, by, pool, method, over, people, family)
    notes = [*read.notes, *verdicts.notes, *(people.notes if people else ())]
    return RankedSystems(found, notes=notes)


def rank_results(found: Sequence[Leaderboard]) -> Results:
    """Every result of some rankings."""
    return {name: list(records(found)) for name, records in RESULTS.items()}


def _cautions(found: Sequence[Leaderboard]) -> list[Caution]:
    said = ((text, describe(board.keys)) for board in found for text in board.cautions)
    return Caution.each(said, len(found))


def rank_document(found: Sequence[Leaderboard], results: Results, logs: str = "") -> Document:
    """Who is ahead and whether that would come out again; then every number.

    `logs` is what `plan` reads; empty where it has no such option as this ranking.
    """
    told = _cautions(found)
    return Document(
        "Which system is ahead?",
        _answer(found, results, told, logs),
        results,
        more=lambda: list(_every(found, results, told)),
        explained=lambda: legend(
            [*declared("ranking"), *declared("survival"), *declared("favours")]
        ),
        charts=lambda: _by_score(found, results),
        sections=lambda: _sections(found, results),
        sheet=results["ranking"],
    )


def _answer(
    found: Sequence[Leaderboard], results: Results, told: Sequence[Caution], logs: str
) -> list[Block]:
    said: list[Block] = [Text(_leader(found, results["ranking"]), "headline")]
    first = found[0]
    if len(found) == 1:
        title = f"{describe(first.keys)}: " if first.keys else ""
        title += f"{len(first.systems)} systems, {len(first.questions):,} questions"
        records = results["ranking"]
        said.append(_table(records[:_MOST], title))
    else:
        leaders = [
            one | {"letters": None}  # each ranking has letters of its own
            for one in results["ranking"]
            if one["rank"] in (1, None)
        ]
        said.append(_table(leaders[:_MOST], "Leaders", first.keys))
    said += [Text(one, "answer") for one in _in_words(found, results)]
    said += worst(told)
    said += next_step(*_next(found, told, logs))
    left = len(results["ranking"]) if len(found) == 1 else len(found)
    return [*said, more(len(told) - 1, left - _MOST)]


def _leader(found: Sequence[Leaderboard], records: Sequence[Record]) -> str:
    """Who is ahead, or who may be, in one sentence."""
    several = [board for board in found if len(board.systems) > 1]
    if len(several) == 1 < len(found):
        return _leader(several, _of(several[0], records))
    first = [str(one["system"]) for one in records if one["rank"] == 1]
    if len(found) > 1:
        most = max(first, key=first.count) if first else ""
        if not most:
            return "No ranking says who is ahead."
        n, times = len(several), first.count(most)
        in_all = f"all {n}" if times == n else f"{times} of {n}"
        said = f"{most} comes first in {in_all} rankings"
        own = [one["rank_set"] for one in records if (str(one["system"]), one["rank"]) == (most, 1)]
        ahead = sum(ranks is not None and ranks[1] == 1 for ranks in own)
        if ahead == times:
            return f"{said}."
        return f"{said}, and is shown to be ahead of all others in {ahead or 'none'} of them."
    if why := records[0]["reason"]:
        return f"Who is ahead is not known: {why}."
    may = [str(one["system"]) for one in records if one["rank_set"] and one["rank_set"][0] == 1]
    if len(may) == 1:
        return f"{may[0]} is ahead of all others."
    others = [one for one in may if one not in first]
    if not others:
        return f"{_named(first)} have one score."
    leads = f"{_named(first)} share the best score" if first[1:] else f"{first[0]} comes first"
    return f"{leads}, but {_named(others)} may be ahead."


def _named(names: Sequence[str]) -> str:
    """Names as a list: a few of them, and how many more there are."""
    shown, left = names[:_MOST_NAMES], len(names) - _MOST_NAMES
    if left > 0:
        return f"{', '.join(shown)} and {left} more"
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def _table(records: Sequence[Record], title: str, keys: Iterable[str] = ()) -> Table:
    return Table.of(records, [*map(grouped, keys), *declared("ranking", rank_set=_set)], title)


def _set(record: Record) -> str:
    low, high = record["rank_set"] or ("", "")
    return f"{low}-{high}" if low != high else str(low)


def _in_words(found: Sequence[Leaderboard], results: Results) -> Iterator[str]:
    """Whether neighbours are told apart, and what another try, order and judge change."""
    alone = len(found) == 1
    if alone and isinstance(found[0].found, Ranking) and not found[0].found.reason:
        known, pairs = found[0].found, results["neighbours"]
        order = list(zip(known.order[:-1], known.order[1:], strict=True))
        joint = sum(bool(known.apart[i, j]) for i, j in order)
        ends = (pair["difference_interval"] or (0, 0) for pair in pairs)
        one = sum(low > 0 for low, _ in ends)
        by = _lead(pairs[0])
        yield (
            f"Of {len(pairs)} neighbours {joint} can be told apart, all asked at once "
            f"({one} if one is asked alone).{by}"
            if pairs[1:]
            else f"The two systems {'can' if joint else 'cannot'} be told apart.{by}"
        )
    yield from _corrected(found)
    for across in dict.fromkeys(record["across"] for record in results["survival"]):
        own = [one for one in results["survival"] if one["across"] == across]
        mean = {key: float(np.mean([one[key] for one in own])) for key in ("tau", "leader_changes")}
        n = len(found[0].questions)
        whom = " of this judge" if across == "try" and alone and "judge" in found[0].keys else ""
        # A suite scores each output once: what differs are the outputs of another run.
        of_runs = across == "try" and all(is_suite(board.table) for board in found)
        another = "run" if of_runs else across
        whom = " (epoch) of each system" if another == "run" else whom
        on_average = "" if len(own) == 1 else ", on average"
        if across in ("try", *RUNS):  # of two alike: a leader changes no more often than by chance
            most = 1 - 1 / max(len(board.systems) for board in found)
            on_average += ", as often as by chance" if mean["leader_changes"] >= most else ""
            mean["leader_changes"] = min(mean["leader_changes"], most)
            mean["tau"] = max(mean["tau"], 0.0)
        if why := _unknown(own, across, found):
            yield f"Whether another {another}{whom} changes the leader is not known: {why}."
            continue
        beside = _beside(own, across, found[0])
        of = f"; {beside}" if beside else ""
        yield (
            f"Another {another}{whom} changes the leader in {share(mean['leader_changes'], n)} of "
            f"cases{on_average} (tau {mean['tau']:.2f}{_ends(own, across)}{of})."
        )
    if favoured := _favoured(results["favours"]):
        yield favoured


def _beside(own: Sequence[Record], across: str, board: Leaderboard) -> str:
    """How many verdicts are compared with one at another level, where not all are."""
    compared = float(np.mean([one["compared"] for one in own]))
    same = " in the same order" if across != "order" and board.of_pairs else ""
    some = f"{compared:.0%} of the verdicts of one {across} have one of another{same} beside them"
    return some if compared < _NEARLY_ALL else ""


def _unknown(own: Sequence[Record], across: str, found: Sequence[Leaderboard]) -> str:
    """Why it is not known how often the leader changes; empty where it is."""
    beside = _beside(own, across, found[0])
    known = [(board, of) for board in found if isinstance(of := board.found, Ranking)]
    first = {board.systems[of.order[0]] for board, of in known}
    often = any(one["leader_changes"] > 0.5 for one in own)
    against = across == "judge" and often and len(first) == 1
    if beside and (against or np.mean([one["compared"] for one in own]) < _ENOUGH):
        return f"only {beside}"
    ends = own[0]["leader_changes_interval"]
    if len(own) == 1 and ends and ends[1] - ends[0] > _SAYS_NOTHING:
        return f"its interval is {ends[0]:.0%} to {ends[1]:.0%} of cases"
    return ""


def _corrected(found: Sequence[Leaderboard]) -> Iterator[str]:
    """By how many labels the scores are corrected."""
    known = [int(n) for board in found if board.labelled for n in board.labelled.n]
    if known:
        number = f"{min(known):,} to {max(known):,}" if min(known) < max(known) else f"{known[0]:,}"
        yield f"Scores are corrected by labels, of {number} questions a system."


def _lead(pair: Record) -> str:
    """How far the first is ahead of the next; empty where it is not."""
    ends = pair["difference_interval"]
    if not ends or pair["difference"] <= ROUNDING:
        return ""
    value = rounded(pair["difference"], "z.3f")
    return f" {pair['above']} leads {pair['below']} by {value} {reaching(ends, 'z.3f')}."


def _favoured(records: Sequence[Record]) -> str:
    """Whom the judge favours most, or that no label shows it; its own family first."""
    known = [one for one in records if one["bias"] is not None]
    clear = [one for one in known if one["bias_interval"][0] > 0]
    if not known:
        return ""
    if not clear:
        return "The labels do not show that the judge favours a system over the others."
    most = max(clear, key=lambda one: (one["system"] == OWN, one["bias"]))
    low, high = most["bias_interval"]
    keys = [keys_of(one, before="system") for one in known]
    judge = "the judge" if keys.count(keys[0]) == len(keys) else describe(keys[known.index(most)])
    who = f"its {OWN}" if most["system"] == OWN else most["system"]
    return (
        f"By the labels {judge} favours {who} over the others by "
        f"{most['bias']:.2f} [{low:.2f}, {high:.2f}]."
    )


def _ends(own: Sequence[Record], across: str) -> str:
    ends = own[0]["tau_interval"]
    if not (len(own) == 1 and ends):
        return ""
    low, high = (max(end, 0.0) for end in ends) if across in ("try", *RUNS) else ends
    return f" [{low:.2f}, {high:.2f}]"


def _next(
    found: Sequence[Leaderboard], told: Sequence[Caution], logs: str
) -> tuple[str] | tuple[str, str]:
    """What the ranking asks for."""
    board = found[0]
    if all(one.why for one in found):
        return (_without_intervals(board),)
    if any(one.code is RankingCode.OPPONENTS for one in told):
        return ("rank by strength (--method bt), or against one baseline (--baseline NAME)",)
    if logs and len(found) == 1 and isinstance(board.found, Ranking):
        i, j = board.found.order[:2]
        if not board.found.apart[i, j] and board.found.scores[i] > board.found.scores[j]:
            above, below = board.systems[i], board.systems[j]
            return (
                f"see how many questions would tell {above} from {below}",
                f"plan {logs} --for rank",
            )
    if any(one.again and one.again.leader_changes > _LEADS for one in found):
        return ("report this ranking, of all tries: that of one try may have another leader",)
    if not board.again:
        return ("judge each question at least twice, to see whether the order comes out again",)
    return ("report rank sets or groups beside the ranks",)


def _without_intervals(board: Leaderboard) -> str:
    if code_of(board.why) is Unknown.TOO_FEW:
        return f"judge more questions, at least {FEWEST_QUESTIONS} for each system"
    if board.method == "bt":
        return "judge more questions, or rank by share of wins (leave out --method bt)"
    return "label more outputs of these systems"


def _every(
    found: Sequence[Leaderboard], results: Results, told: Sequence[Caution]
) -> Iterator[Block]:
    for board in found:
        own = _of(board, results["ranking"])
        yield _table(own, describe(board.keys) if board.keys else "Ranking")
        yield Table.of(_of(board, results["neighbours"]), declared("neighbours"))
    keys = [*map(grouped, found[0].keys)]
    if results["survival"]:
        yield Table.of(results["survival"], [*keys, *declared("survival")], "Survival")
    if results["favours"]:
        columns = [*keys, *declared("favours")]
        yield Table.of(results["favours"], columns, "Whom the judge favours")
    yield from told


def _of(board: Leaderboard, records: Sequence[Record]) -> list[Record]:
    """The records of one ranking."""
    return [one for one in records if board.keys.items() <= one.items()]


def _by_score(found: Sequence[Leaderboard], results: Results) -> list[Figure]:
    """Systems by score, one picture a ranking, of a few; a single one is as wide as the page."""
    figures = [one for board in found[:_MOST_DRAWN] if (one := _scores(board, results))]
    return [replace(one, width=HALF if figures[1:] else WIDE) for one in figures]


def _sections(found: Sequence[Leaderboard], results: Results) -> list[Section]:
    """Pictures: systems by score of other rankings, and the orders of two tries side by side."""
    others = [one for board in found[_MOST_DRAWN:] if (one := _scores(board, results))]
    tries = [one for board in found if (one := _two_tries(board))]
    parts = (("Other rankings", "Rankings", others), ("Two tries", "Tries", tries))
    return [Section(title, link, figures) for title, link, figures in parts if figures]


def _titled(title: str, board: Leaderboard) -> str:
    """A title with the ranking that it is of, where that has a name."""
    return f"{title}: {describe(board.keys)}" if any(board.keys.values()) else title


def _scores(board: Leaderboard, results: Results) -> Figure | None:
    if isinstance(board.found, str):
        return None
    records = _of(board, results["ranking"])
    return Figure(
        _titled("Systems by score", board),
        "Each system with its interval, the best first. Those of one group cannot be told apart.",
        records,
        x="system",
        y="score",
        by="letters",
        kind="points",
        y_label="score",
        reference=float(np.mean(board.found.scores)),
        lowest=None,
    )


def _two_tries(board: Leaderboard) -> Figure | None:
    if board.again is None or isinstance(board.found, str):
        return None
    drawn = np.array(board.again.example)
    records = [
        {"system": board.systems[i], "try": name, "score": float(scores[i])}
        for i in board.found.order[:_MOST]
        for name, scores in zip(("one try", "another"), drawn, strict=True)
    ]
    return Figure(
        _titled("Two tries", board),
        "The scores of systems in two tries drawn at random.",
        records,
        x="try",
        y="score",
        by="system",
        y_label="score",
        reference=float(drawn.mean()),
        lowest=None,
    )
