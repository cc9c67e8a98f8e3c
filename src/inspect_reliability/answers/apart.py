"""What would tell two neighbours of a ranking apart: questions, tries, judges, calls and money."""

import math
from collections.abc import Iterator, Sequence

from ..errors import UserError
from ..judgments.systems import Verdicts
from ..showing.columns import declared, legend
from ..showing.document import Block, Document, Table
from ..showing.values import Record, TableColumn, describe, keys_of
from ..stats.ranking import Ranking
from ..stats.telling_apart import Apart, Size, neighbours_apart
from .boards import Board, boards
from .brief import more, next_step

_MOST = 8
"""Most neighbours that an answer lists."""


def apart(verdicts: Verdicts, by: Sequence[str] = ()) -> list[Record]:
    """What each two neighbours of each ranking take, of each judge and of five or more together.

    Raises:
        UserError: There is no ranking with intervals.
    """
    found = boards(verdicts, by)
    if not by and "judge" in verdicts.names:
        found += [one for one in boards(verdicts, over="judge") if _several(one)]
    records = [record for board in found for record in _of(board)]
    if not records:
        board = found[0].found
        raise UserError(f"Nothing to plan: {board if isinstance(board, str) else board.reason}.")
    return records


def _several(board: Board) -> bool:
    return isinstance(board.found, Ranking) and board.found.levels > 0


def _of(board: Board) -> Iterator[Record]:
    known = board.found
    if isinstance(known, str) or known.reason:
        return
    contests = board.contests
    cost = board.table["cost"].mean() if "cost" in board.table else math.nan
    for i, j, parts in neighbours_apart(contests, known, board.of_tries):
        either = (contests.systems == i).any(axis=1) | (contests.systems == j).any(axis=1)
        difference = float(known.scores[i] - known.scores[j])
        names = {"above": board.systems[i], "below": board.systems[j], "difference": difference}
        each = float(either.sum()) / math.prod(parts.size)
        yield {**board.keys, **names, **_design(parts, difference, each, cost, known.levels)}


def _design(parts: Apart, difference: float, each: float, cost: float, levels: int) -> Record:
    """What one difference takes; `each`: calls a question, try and judge."""
    one = difference > 0
    best: Size | None = parts.cheapest(difference, levels > 0) if one else None
    calls = None if best is None else math.ceil(each * math.prod(best))
    return {
        "n_questions": int(parts.size.questions),
        "questions": parts.enough(difference, "questions") if one else None,
        "tries": parts.enough(difference, "tries") if one and parts.tries > 0 else None,
        "judges": parts.enough(difference, "judges") if one and levels else None,
        "design": best and {name: math.ceil(n) for name, n in best._asdict().items()},
        "calls": calls,
        "cost": None if calls is None or math.isnan(cost) else calls * cost,
    }


def apart_document(found: Sequence[Record], logs: str) -> Document:
    """What the neighbours take that are not told apart yet, and every two neighbours."""
    open_ = [one for one in found if (one["questions"] or math.inf) > one["n_questions"]]
    said: list[Block] = [_table(open_[:_MOST], "Neighbours not told apart yet")] * bool(open_)
    known = [one for one in open_ if one["calls"]]
    if known:
        first = min(known, key=lambda one: one["calls"])
        design = first["design"]
        judges = f" by {design['judges']} judges" if design["judges"] > 1 else ""
        said += next_step(
            f"to tell {first['above']} from {first['below']}, judge {design['questions']:,} "
            f"questions x {design['tries']}{judges}, then",
            f"rank {logs}",
        )
    elif not open_:
        said += next_step("nothing more to judge: each neighbour is told apart, asked alone")
    return Document(
        "What would tell the systems apart?",
        [*said, more(0, len(open_) - _MOST)],
        {"rows": found},
        more=lambda: [_table(found, "Every two neighbours")],
        explained=lambda: legend(declared("plan --for rank")),
        sheet=found,
    )


def _table(records: Sequence[Record], title: str) -> Table:
    columns = declared("plan --for rank", design=_shown)
    if len({*map(_whose, records)}) > 1:
        columns = [TableColumn("", heading="Ranking of", shown=_whose), *columns]
    return Table.of(records, columns, title)


def _whose(record: Record) -> str:
    keys = keys_of(record, before="above")
    return describe(keys) if any(keys.values()) else "all judges"


def _shown(record: Record) -> str:
    return " x ".join(f"{n:,}" for n in record["design"].values()) if record["design"] else ""
