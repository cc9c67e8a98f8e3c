"""What to label next, what labelling stops for, and a page of it."""

import json
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import chain
from typing import Any, cast

import numpy as np
import pandas as pd

from ..errors import UserError
from ..judgments.columns import COLUMNS
from ..judgments.count import NUMBER, by_value
from ..judgments.label_files import SETTLES
from ..judgments.label_ids import UUIDS
from ..judgments.pairs import PLACES, pair_in, swapped_in
from ..judgments.text import case_of, judgment_text
from ..record.replications import VOTES
from ..saving import free_name
from ..showing.formats import Record, amount, printable
from ..stats.anytime import BLOCK, Goal, could_be_kept, few_thresholds, levels
from ..stats.cells import IntArray
from ..verdicts import NO_VERDICTS
from .analysis import Analysis
from .labelled_cascade import NO_STEP, LabelledCascade
from .labels_as_drawn import stop_in_words
from .no_rule import several_outputs
from .promise import Promise
from .row import Row

_LONGEST_OUTPUT = 10_000
"""Most characters of a text; a cell of a workbook takes 32,767."""

TARGET = "target"
"""Column to fill in, as inspect_scout names it; that of a part has the part's name, too."""

_MOST = 12
"""Most names of verdicts that are listed."""


@dataclass(frozen=True)
class ItemToLabel:
    """An output for a person to label.

    Attributes:
        id: What a file of labels calls it: its name, or of logs its uuid, not of its rejudging.
        task_id: Its name, which inspect_scout shows people, where the id is a uuid.
        question: Text of its question.
        outputs: Name and text of each response; the name of a single one is "".
        asks: Part of the score, "" for a single one -> the labels that it may get.
        of_sides: Whether labels name the responses.
        judged: Its judgments; the first level of the index is the number of their row.
    """

    id: str
    task_id: str | None
    question: str
    outputs: Sequence[tuple[str, str]]
    asks: Mapping[str, Sequence[str]]
    of_sides: bool
    judged: pd.DataFrame

    @property
    def is_bare(self) -> bool:
        """Whether it has a name alone, and no text that a person could judge."""
        names = {*self.judged.filter(["question", "sample"]).astype(str).to_numpy().ravel()}
        return self.question in names and not any(text for _, text in self.outputs)


def items_to_label(
    rows: Sequence[Row], number: int, among: Collection[str] | None = None, known: bool = False
) -> tuple[list[ItemToLabel], int]:
    """Draw outputs for people to label, and count those that could have been drawn.

    Args:
        rows: Rows; an output that several of them judged is drawn once.
        number: How many to draw: a simple random sample, and so are several draws together. Of
            several outputs a question, those of questions with the fewest labels are first.
        among: Questions that may be drawn; all by default.
        known: Whether to draw what has a label, instead of what has none.

    Raises:
        UserError: Nothing is left to draw.
    """
    table = pd.concat([row.asked for row in rows], keys=range(len(rows)))
    outputs = table.groupby(["benchmark", "question"], dropna=False, sort=False)
    first = outputs.first().reset_index()
    wanted = first.filter(["label", "best"]).notna().any(axis="columns") == known
    if among is not None:
        wanted &= first["question"].map(str).isin({*among})
    order = _one_a_question(first, np.random.default_rng(0).permutation(len(first)))
    drawn = first.iloc[order][wanted.iloc[order].to_numpy()]
    if drawn.empty:
        raise UserError("Everything that was judged has a label: nothing is left to label.")
    place = outputs.ngroup()
    swapped = swapped_in(sorted({one for one in table.get("order", ()) if isinstance(one, str)}))
    # inspect_scout knows a sample by its uuid, which whoever judges its output again keeps.
    uuid = drawn.reindex(columns=[*UUIDS])[:number].bfill(axis="columns").iloc[:, 0]
    by_uuid = bool(uuid.notna().all())
    return [
        _item(rows, table[place == at], swapped, str(name), by_uuid and str(id))
        for (at, name), id in zip(drawn["question"][:number].items(), uuid, strict=True)
    ], len(drawn)


def _one_a_question(outputs: pd.DataFrame, order: IntArray) -> IntArray:
    """A random order in which each question comes once before any comes again.

    Outputs with a label have had their turn. So several draws are the beginning of one.
    """
    if "sample" not in outputs:
        return order
    labelled = outputs.filter(["label", "best"]).notna().any(axis="columns").to_numpy()
    order = order[np.argsort(~labelled[order], kind="stable")]
    own = outputs.iloc[order]
    of = own["sample"].where(own["sample"].notna(), own["question"])
    turn = own.groupby([own["benchmark"], of], dropna=False, sort=False).cumcount()
    return order[np.argsort(turn.to_numpy(), kind="stable")]


def _item(
    rows: Sequence[Row], own: pd.DataFrame, swapped: Collection[str], name: str, uuid: str | bool
) -> ItemToLabel:
    """What a person sees of an output, by its judgments, and the labels that it may get."""
    judgment, turned = _as_given(own, swapped)
    case = case_of(judgment)
    judges = [rows[n] for n in own.index.get_level_values(0).unique()]
    parts = dict(_by_part(judges, own))
    allowed = list(dict.fromkeys(label for part in parts.values() for label in part))
    names = list(case.outputs)
    if len(names) > 1 and not judges[0].judged.order_varies:
        pair = pair_in(allowed, PLACES) if len(names) == 2 else None
        names = list(pair.names if pair else judges[0].judged.labels[: len(names)] or names)
        if pair and len(parts) == 1:
            parts = {part: [*dict.fromkeys([*names, *own])] for part, own in parts.items()}
        names = names[::-1] if turned else names
    asked = {
        part: sorted(own, key=by_value) if _numbers(own) else own for part, own in parts.items()
    }
    return ItemToLabel(
        id=str(uuid or name),
        task_id=name if uuid else None,
        question=case.question,
        outputs=list(zip(names, case.outputs.values(), strict=True)),
        asks=asked,
        of_sides=len(names) > 1 and all({*names} <= {*own} for own in asked.values()),
        judged=own,
    )


def sheet(items: Sequence[ItemToLabel], drawn: str, rater: str) -> list[Record]:
    """A row an item, as a validation set of inspect_scout: what a person sees, and what to fill in.

    Beside its columns, each has its question, the output and the labels that it may get.
    """
    return [_line(one, place, drawn, rater) for place, one in enumerate(items, 1)]


def _line(item: ItemToLabel, place: int, drawn: str, rater: str) -> Record:
    texts = (f"{name}: {_sheet_text(of)}" if name else _sheet_text(of) for name, of in item.outputs)
    allowed = "\n".join(
        f"{part}: {_listed(own)}" if part else _listed(own) for part, own in item.asks.items()
    )
    targets = [f"{TARGET}_{part}" if part else TARGET for part in item.asks]
    found: Record = {
        "id": item.id,
        "question": _sheet_text(item.question),
        "output": "\n\n".join(texts),
        "allowed": allowed,
        **dict.fromkeys(targets),
        "rater": rater or None,
        "unsure": None,
        "note": None,
        "drawn": drawn,
        "position": place,
    }
    return found | ({} if item.task_id is None else {"task_id": item.task_id})


def _by_part(judges: Sequence[Row], own: pd.DataFrame) -> Mapping[str, Sequence[str]]:
    """The labels that each part of an output's score may get; scorers with the same are no parts.

    inspect_scout has a column `target_PART` for each, and so have files of labels.
    """
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for row in judges:
        scorers = {*row.asked["scorer"].dropna()} if "scorer" in row.asked else {}
        for name in sorted(scorers) or [""]:  # a file beside a log has none
            found[name.removesuffix(f".{VOTES}")] |= dict.fromkeys(_verdicts(row, own))
    alike = len({frozenset(names) for names in found.values()}) == 1
    if alike and not any("." in part for part in found):
        return {"": list(found.popitem()[1])}
    return {part: list(names) for part, names in found.items()}


def _as_given(own: pd.DataFrame, swapped: Collection[str]) -> tuple[Record, bool]:
    """A judgment of an output without what is the judgment's own, and whether its order is swapped.

    It has the order as given, if any judgment has.
    """
    given = [n for n, one in enumerate(own.get("order", own.index)) if one not in swapped]
    rows = own.iloc[given] if given else own
    shared = [name for name in rows if name in COLUMNS or rows[name].map(repr).nunique() == 1]
    return {str(name): rows[name].iloc[0] for name in shared}, not given


def _verdicts(row: Row, own: pd.DataFrame) -> list[str]:
    """The verdicts that a judge could have given of an output, by the names that labels have."""
    found = [str(name) for name in row.counts.categories if name not in NO_VERDICTS]
    if not row.judged.order_varies:
        return found
    shown = {name for order in own["order"] if isinstance(order, tuple) for name in order}
    others = {name for _, *order in row.judged.shown for name in order} - shown
    return [name for name in found if name not in others]


def _numbers(names: Sequence[str]) -> bool:
    return all(map(NUMBER.fullmatch, names))


def _listed(names: Sequence[str]) -> str:
    if len(names) <= _MOST:
        return " | ".join(names)
    if _numbers(names):
        values = sorted(names, key=float)
        return f"a number, such as {values[0]} to {values[-1]}"
    return " | ".join([*names[:_MOST], "..."])


def _sheet_text(given: str) -> str:
    return printable("\n".join(given.splitlines()), _LONGEST_OUTPUT)


_NEAR = "A grade that is at most a step from the label counts as right."

NO_MAJORITY = "no majority"
"""The verdict of a judge whose votes are tied."""

_LONGEST = 100_000
"""Most characters of a text on the page."""

_EXPLANATIONS = ("explanation", "rationale", "reasoning", "reason", "judge_output")
"""Usual columns of what a judge said beside its verdict."""


@dataclass(frozen=True, eq=False)
class Draw:
    """Outputs that are drawn to be labelled.

    Attributes:
        rows: The judges.
        items: What is drawn, in the order in which it is labelled.
        of: How many outputs could have been drawn.
        goal: What labelling stops for; None if all is labelled.
        settles: Whether people differ on these, so that they are no draw.
        rater: Who labels; "" if nobody is named.
        taken: Files that were read, whose names the saved file does not take.
    """

    rows: Sequence[Row]
    items: Sequence[ItemToLabel]
    of: int
    goal: Goal | None
    settles: bool
    rater: str
    taken: Sequence[str] = ()

    @property
    def drawn(self) -> str:
        """How they were drawn, as the file of labels says."""
        if self.settles:
            return SETTLES
        names = "; ".join(LabelledCascade((row,), Promise()).names[0] for row in self.rows)
        region = f" of what could be kept of {names}" if self.goal and self.keeps else ""
        return f"random{region}{f', until {self.stop}' if self.goal else ''}"

    @property
    def keeps(self) -> bool:
        """Whether labels are to show what may be kept."""
        return self.goal is not None and self.goal.kind == "keep"

    @property
    def of_several(self) -> bool:
        """Whether questions have several outputs."""
        return any(row.counts.clustered for row in self.rows)

    @property
    def stop(self) -> str | None:
        """What labelling stops for, as the file of labels says."""
        if self.goal is None:
            return None
        return stop_in_words(self.goal)

    @property
    def file(self) -> str:
        """The name of the file that the page saves, which is that of no file that was read."""
        rater = re.sub(r"[^\w.-]+", "-", self.rater)
        return free_name(f"labels-{rater}.csv" if rater else "labels.csv", self.taken)

    @property
    def near(self) -> str:
        """What counts as right, where that is more than the label itself."""
        return _NEAR if self.goal and self.goal.within_one else ""

    @property
    def record(self) -> Record:
        """The record of `label`."""
        return {
            "n_items": len(self.items),
            "n_questions": self.of,
            "drawn": self.drawn,
            "stop": self.stop,
            "block": BLOCK if self.goal else None,
        }

    @cached_property
    def sheet(self) -> list[Record]:
        """A row an item, to fill in."""
        return sheet(self.items, self.drawn, self.rater)


def draw_outputs(
    analysis: Analysis,
    most: int,
    goal: Goal | None = None,
    settle: bool = False,
    rater: str = "",
    logs: str = "LOGS",
    within_one: bool | None = None,
) -> Draw:
    """Draw outputs to label: of all, of what could be kept, or those on which people differ.

    `logs` is what was read, for the command of an error. To keep, a grade within one step is right
    by default; `within_one` says otherwise.

    Raises:
        UserError: Nothing is left to label, labels are known already where they would decide when
            to stop, a question has several outputs, no verdict could be kept, or names have no
            step.
    """
    rows = analysis.rows
    goal = goal and _counting(goal, rows, within_one)
    if settle:
        items, of = items_to_label(rows, most, _differ(rows), known=True)
        return Draw(rows, items, of, None, True, rater)
    if goal and any(row.labelled for row in rows):
        known = max(row.labelled.given.n_clusters for row in rows if row.labelled)
        shown = "keep" if goal.kind == "keep" else "report"
        _, left = items_to_label(rows, 1)
        raise UserError(
            f"{amount(known, 'question')} {'is' if known == 1 else 'are'} labelled already, and a "
            "page that stops counts only labels of its own draw. Draw a fixed number more, without "
            f"--for, and {shown} counts all labels: inspect-reliability label {logs} --most "
            f"{min(most, left)} --out label.html"
        )
    among = _region(rows) if goal and goal.kind == "keep" else None
    items, of = items_to_label(rows, most, among)
    return Draw(rows, items, of, goal, False, rater)


def _counting(goal: Goal, rows: Sequence[Row], within_one: bool | None) -> Goal:
    """The goal, which says whether grades within one step are right."""
    graded = all(row.graded for row in rows)
    if goal.kind == "gate" and goal.within_one and not graded:
        raise UserError(
            "A limit on within_one needs verdicts that are grades of one scale, and these are not. "
            f"Ask how often they are right: --min accuracy={goal.value:g}."
        )
    if goal.kind != "keep":
        return goal
    if within_one and not graded:
        raise UserError(NO_STEP)
    return replace(goal, within_one=graded if within_one is None else within_one)


def _region(rows: Sequence[Row]) -> Collection[str]:
    """The questions on which a verdict of any judge could be kept."""
    if several := several_outputs(rows):
        raise UserError(f"No promise: {several}.")
    found: dict[str, None] = {}
    for row in rows:
        panel = LabelledCascade((row,), Promise())
        inside = could_be_kept(panel.cascade.confidence)
        found |= dict.fromkeys(np.array(panel.questions, dtype=object)[inside])
    if not found:
        raise UserError(
            "No verdict has more than half of its votes and decides something, so none could be "
            "kept. Judge each question several times, or try another judge."
        )
    return found


def _differ(rows: Sequence[Row]) -> Collection[str]:
    """The questions on which people gave different labels that nobody settled."""
    given: dict[str, set[str]] = defaultdict(set)
    for question, _, label in chain.from_iterable(row.judged.rated for row in rows):
        given[str(question)].add(label)
    settled = {name for row in rows for name, _ in row.judged.settled}
    found = [name for name, labels in given.items() if len(labels) > 1 and name not in settled]
    if not found:
        raise UserError(
            "Everything on which people differ is settled."
            if settled
            else "People give the same label everywhere. Name the file of each with --labels FILE."
        )
    return found


def page_of(drawn: Draw, command: str, call: str) -> Mapping[str, Any]:
    """What the page has; `command`, and from Python `call`, says what the saved labels show."""
    turn = np.random.default_rng(0)
    items = [_on_page(one, turn) for one in drawn.items]
    judges = [_Judge(row, drawn.goal) for row in drawn.rows]
    for item, shown in zip(drawn.items, items, strict=True):
        known = [one for one in judges if one.at(item) is not None]
        shown["seen"] = [one.seen(item, shown) for one in judges] if drawn.goal else []
        shown["verdicts"] = [one.verdict(item) for one in known]
    goal = drawn.goal and _goal(drawn.goal)
    found = {
        "rater": drawn.rater,
        "drawn": drawn.drawn,
        "block": BLOCK,
        "goal": goal,
        "whole": drawn.keeps and len(items) == drawn.of,
        "near": drawn.near,
        "file": drawn.file,
        "kept": [one.kept for one in judges] if goal else [],
        "next": command,
        "call": call,
        "items": [one | {"position": n} for n, one in enumerate(items, 1)],
    }
    drawn_alone = {name: of for name, of in found.items() if name not in ("next", "call")}
    return found | {"fingerprint": sha256(json.dumps(drawn_alone).encode()).hexdigest()[:16]}


def _goal(goal: Goal) -> Record:
    names = {"keep": "max_error", "gate": "least", "width": "half_width"}
    one = asdict(goal)
    return {"kind": goal.kind, names[goal.kind]: goal.value} | {
        name: one[name] for name in ("min_kept", "confidence")
    }


def _on_page(item: ItemToLabel, turn: np.random.Generator) -> dict[str, Any]:
    """An item as the page has it. Responses that labels name have places that are drawn by lot."""
    outputs = [{"name": name, "text": _text(of)} for name, of in item.outputs]
    if item.of_sides:
        outputs = [outputs[n] for n in turn.permutation(len(outputs))]
    asks = [
        {"part": part, "labels": [*labels], "said": _said(labels)}
        for part, labels in item.asks.items()
    ]
    found = {"id": item.id, "question": _text(item.question), "outputs": outputs, "asks": asks}
    found |= {} if item.task_id is None else {"task_id": item.task_id}
    return found | {"sides": item.of_sides}


def _said(labels: Sequence[str]) -> str:
    """Labels that are typed in words: the ends of a scale, or the first."""
    return f"{labels[0]} to {labels[-1]}" if labels else ""


def _text(given: str) -> str:
    return printable("\n".join(str(given).splitlines()), _LONGEST)


class _Judge:
    """What the page knows of a judge: it hides this until labels are final."""

    def __init__(self, row: Row, goal: Goal | None) -> None:
        near = goal is not None and goal.within_one
        self.row, panel = row, LabelledCascade((row,), Promise(within_one=near))
        self.name = panel.names[0]
        cascade = panel.cascade
        (self.ballots,) = cascade.judges
        self.categories = panel.categories
        each_right = np.eye(len(self.categories), dtype=bool)
        self.right = panel.near(each_right) if near else each_right
        self.thresholds = few_thresholds(cascade.confidence)
        self.level = levels(cascade.confidence, self.thresholds)
        keeps = goal is not None and goal.kind == "keep"
        each = [float(cascade.step(one).kept) for one in self.thresholds]
        self.kept = each if keeps else [1.0]
        self.number = {name: at for at, name in enumerate(panel.questions)}
        scorers = row.asked.get("scorer", pd.Series(dtype=object)).dropna()
        self.part = str(scorers.iloc[0]).removesuffix(f".{VOTES}") if len(scorers) else ""

    def at(self, item: ItemToLabel) -> int | None:
        """The number of its question among those of this judge; None if it did not judge it."""
        names = item.judged["question"].map(str).unique()
        return next((self.number[name] for name in names if name in self.number), None)

    def _part(self, item: ItemToLabel) -> str:
        return self.part if self.part in item.asks else next(iter(item.asks))

    def seen(self, item: ItemToLabel, shown: Mapping[str, Any]) -> Record:
        """What each label would say of this judge."""
        part = self._part(item)
        labels = [*item.asks[part]]
        at = self.at(item)
        found: Record = {"part": part, "labels": labels, "right": []}
        if at is None:
            return found | {"level": len(self.thresholds), "shares": None}
        votes = self.ballots.votes[at]
        total = 1.0 if np.isinf(self.ballots.tries) else max(votes.sum(), 1)
        each = (votes * self.ballots.decides / total) @ self.right
        share = dict(zip(self.categories, each.tolist(), strict=True))
        top = self.ballots.top[at]
        right = dict(zip(self.categories, (self.right[top] & (top >= 0)).tolist(), strict=True))
        return found | {
            "right": [right.get(label, False) for label in labels],
            "level": int(self.level[at]),
            "shares": [float(share.get(label, 0.0)) for label in labels],
        }

    def verdict(self, item: ItemToLabel) -> Record:
        """What it said, with its votes and the reason of the first who said so."""
        at = self.at(item)
        assert at is not None
        top = self.ballots.top[at]
        votes = self.ballots.votes[at]
        name = self.categories[top] if top >= 0 else NO_MAJORITY
        exact = np.isinf(self.ballots.tries)
        most = f"{votes.max():.0%}" if exact else f"{votes.max():.0f} of {votes.sum():.0f} votes"
        if top >= 0 and votes[top] < votes.max():
            most = "the mean of its votes"
        return {
            "judge": self.name,
            "part": self._part(item),
            "verdict": name,
            "votes": most,
            "why": _text(_reason(self.row, item, name)),
        }


def _reason(row: Row, item: ItemToLabel, verdict: str) -> str:
    own = row.table[row.table["question"].isin(item.judged["question"].unique())]
    said = own[own["verdict"].astype(str) == verdict]
    for one in (said if len(said) else own)[:1].to_dict("records"):
        first = cast("dict[str, Any]", one)
        if text := judgment_text(first):
            return text.output
        return next((str(first[k]) for k in _EXPLANATIONS if isinstance(first.get(k), str)), "")
    return ""
