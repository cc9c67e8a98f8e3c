"""The judge card: a report of one row, and the runs behind it, for an appendix or a registry.

It says what Haldar and Hockenmaier (2025) ask of anyone who reports a judge: its reliability over
runs. Beside it is what Norman, Rivera and Hughes (2026, section 5.3) ask for: a coefficient
corrected for chance, and position bias. It says that reliability is not validity.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any

import pandas as pd
from inspect_ai.log import EvalLog, read_eval_log

from .. import shell
from ..judgments.column_names import is_called
from ..judgments.columns import GROUP_BY, of_role, varies
from ..judgments.days import is_iso_day, iso_days
from ..judgments.given_labels import Labels
from ..judgments.reading import Reading
from ..judgments.sources import Columns, Source
from ..judgments.table import beside_replications
from ..showing.answer import PythonAnswer
from ..showing.document import TO_CITE, Block, Caution, Document, Table, Text
from ..showing.formats import Record, amount, chance, estimate_text, text, whole_number
from ..showing.keys import KEYS, legend
from ..stats import COEFFICIENTS
from .analysis import Analysis
from .cautions import each_order_once
from .facets import in_a_line
from .headline import headline
from .methods import methods
from .moving import (
    effect_in_words,
    effect_is_known,
    effect_size,
    no_place_in_words,
    preferred_place,
    shares_as_shown,
)
from .reliability import exact_verdicts_note, main_columns, orders_apart
from .report import judges, notes_table
from .results import analyse
from .row import NO_LABELS, Row
from .validity import n_people, names_or_grades

_PACKAGE = "inspect-reliability"

_SEED_CHECKS = {
    "honoured": "the provider honours them",
    "not honoured": "the provider ignores them",
    "unknown": "not known whether the provider honours them",
    None: "not checked whether the provider honours them",
}

_BY_LABELS = (
    *("within_one", "accuracy", "undecided", "wrong", "mean_error"),
    *("wrong_twice", "wrong_then_right", "kappa"),
)
"""What labels say, where there are any."""

ON_A_CARD = ("validity", "votes", "position", "moves", "fooled", "seed_checks")
"""Results besides `rows` that a card reads."""

_UNLABELLED: Record = {"not_estimable": dict.fromkeys(_BY_LABELS, NO_LABELS)}

_NOT_VALIDITY = (
    "This card is about reliability: whether the judge gives the same verdict again. It does not "
    "say whether the verdict is right. Omega says nothing about what was not varied."
)


@dataclass(frozen=True, eq=False, repr=False)
class JudgeCards(PythonAnswer):
    """The cards of the judges of an analysis, a card a row."""

    analysis: Analysis

    _own = ("cards",)

    @cached_property
    def document(self) -> Document:
        """All cards, as the command shows them."""
        return card_document(self.analysis)

    @property
    def cards(self) -> list[Record]:
        """What each card says: a mapping a judge, with the keys of the command's JSON."""
        return list(self.document.results["rows"])


def card(
    judgments: Source,
    by: str | Sequence[str] = (),
    *,
    labels: Labels = (),
    columns: Columns = None,
    swap: bool | None = None,
    reading: Reading | str | Path | None = None,
) -> JudgeCards:
    """Make a card of every judge, for an appendix or a registry.

    Args:
        judgments: Judgments, or where they are (see `judgments_from`): a data frame, logs, files.
        by: Columns to group by, or the name of one, as in `analyse`.
        labels: Labels of people, as in `analyse`.
        columns: Name in the frame or files -> name in the table.
        swap: What verdicts name where orders have names; see `judgments_from`.
        reading: How frames and files are read, or a file that says so.

    Returns:
        The cards: `cards` has a mapping a judge, `summary()` a row a judge, `to_dict()` the
        JSON of the command, and `to_html()` a page.

    Raises:
        UserError: There is no such column, or the judgments cannot be read or can mean two things.

    Example:
        >>> import inspect_reliability as ir
        >>> cards = ir.card("examples/verdicts.csv")
        >>> for one in cards.cards:
        ...     print(one.get("judge"), round(one.get("agreement"), 2))
        gpt-5.4 0.83
        gpt-5.4-nano 0.52
        >>> cards.summary()[["judge", "omega", "omega_low", "omega_high"]].round(2)
                  judge  omega  omega_low  omega_high
        0       gpt-5.4   0.67       0.57        0.74
        1  gpt-5.4-nano   0.28       0.20        0.35
    """
    analysis = analyse(judgments, by, labels=labels, columns=columns, swap=swap, reading=reading)
    return JudgeCards(analysis, notes=analysis.judgments.notes)


def card_document(analysis: Analysis) -> Document:
    """The cards of all rows, for every form."""
    table = analysis.judgments.table
    rows = [row for row in analysis.rows if not beside_replications(row.asked, table)]
    cards = [_card(analysis, row) for row in rows]
    blocks: list[Block] = []
    for row, card in zip(rows, cards, strict=True):
        lines = [[name, what] for name, what in _lines(analysis, row, card) if what]
        answer = Text(headline(analysis, row), "headline")
        blocks += [
            Text(row.name, "heading"),
            answer,
            Table(["", "This judge"], lines, caption="Judge card"),
        ]
        blocks += exact_verdicts_note([row])
        blocks += map(Caution, [*card["cautions"], *filter(None, [names_or_grades(row)])])
        blocks += [Text(f"To repeat: {command}") for command in card["commands"]]
    title = "Judge cards" if cards[1:] else "Judge card"
    labelled = all(analysis.of(row, "validity") for row in rows)
    validity = [] if labelled else [Text(_NOT_VALIDITY)]
    blocks += [*legend(main_columns(analysis, cards)), *validity, *notes_table(analysis)]
    blocks += [Text(f"{TO_CITE}{card['methods']}", "cite") for card in cards]
    return Document(title, blocks, {"rows": cards}, facts=lambda: [("Judges", judges(analysis))])


def _card(analysis: Analysis, row: Row) -> Record:
    """The row's record with what labels and positions say, and the runs."""
    made = runs(row.table)
    varied, fixed = _varied(row)
    position = analysis.of(row, "position")
    right = next(iter(analysis.of(row, "validity")), _UNLABELLED)
    shares = [one["share"] for one in position if one["share"] is not None]
    # Where a grader judged another model's outputs, the run's settings are that model's.
    settings = _only(one["settings"] for one in made if one["model"] == row.group.get("judge"))
    # Exact verdicts of one run have several temperatures.
    own = {k: v for k, v in row.keys.items() if k == "temperature" and v is not None}
    by_labels = [key for name in _BY_LABELS for key in (name, f"{name}_interval")]
    return row.record | {
        **{key: right.get(key) for key in by_labels},
        "not_estimable": row.record["not_estimable"]
        | {key: why for key, why in right["not_estimable"].items() if key in by_labels},
        "graders": row.suite and list(row.suite.graders),
        "settings": settings and settings | own,
        "parser": _only(one["parser"] for one in made),
        "study": _only(row.table["study"].dropna()) if "study" in row.table else None,
        "n_seeds": int(row.table["seed"].notna().sum()) if "seed" in row.table else 0,
        # How far the share of a position is from 1/K at most; of two positions, |P(A) - 1/2|.
        "position_bias": max((abs(share - 1 / len(shares)) for share in shares), default=None),
        "position_p_value": position[0]["p_value"] if position else None,
        "fooled": analysis.about(row, "fooled"),
        "varied": varied,
        "not_varied": fixed,
        "methods": methods(analysis, row, varied),
        "runs": made,
        "commands": list(dict.fromkeys(one["command"] for one in made if one["command"])),
    }


def _varied(row: Row) -> tuple[list[str], list[str]]:
    """What varied between the verdicts on a question, and what did not."""
    table = row.table
    exact = row.judged.exact and row.numbers.n_replications is None
    outputs = bool(row.suite and row.suite.graders and row.suite.outputs_differ)
    known = [] if exact else ["seed"]
    known += of_role(table, "facet", without=(*GROUP_BY, *row.group))
    known = [name for name in known if name in table and table[name].notna().any()]
    drawn = {
        "draw (every one, by its probability)": exact,
        "draw (no seeds recorded)": not (exact or outputs or "seed" in known),
        "output that is judged": outputs,
    }
    varied = [name for name in known if varies(table, name)]
    drawn_by = [what for what, so in drawn.items() if so]
    return drawn_by + varied, [name for name in known if name not in varied]


def _period(row: Row) -> Iterator[tuple[str, str]]:
    """The first and the last day of each column of days that the source has."""
    for name in map(str, row.table):
        known = row.table[name].dropna().map(str) if is_called(name, "time") else ()
        days = sorted(iso_days(known).values())
        if days and all(map(is_iso_day, days)):
            yield f"Period ({name})", " to ".join(dict.fromkeys([days[0][:10], days[-1][:10]]))


def _lines(analysis: Analysis, row: Row, card: Record) -> Iterator[tuple[str, str]]:
    """Who judged and how, the numbers of the report, and what varied."""
    graded = bool(card["graders"])
    if "judge" in card:
        who = "Evaluated model" if graded else "Model" if row.suite else "Judge"
        yield who, text(card["judge"], missing="not known")
    yield "Graders in the log", ", ".join(card["graders"] or [])
    settings = (card["settings"] or {}).items()
    of = " of the evaluated model" if graded else ""
    yield f"Settings{of}", ", ".join(f"{name} {value}" for name, value in settings)
    if card["method"] != "exact":
        seeds = f"{card['n_seeds']:,} recorded; {_SEED_CHECKS[card['seed_check']]}"
        yield "Seeds", seeds if card["n_seeds"] else "none recorded"
    if days := sorted({one["created"][:10] for one in card["runs"]}):
        yield "Judged on", " to ".join(dict.fromkeys([days[0], days[-1]]))
    else:
        yield from _period(row)
    if row.labelled:
        people = n_people(row)
        by = f", by {people} people" * (people > 1)
        yield "Labels", f"{amount(len(row.labelled.given.questions), 'question')}{by}"
    used = {f"{name} {number}" for one in card["runs"] for name, number in one["packages"].items()}
    yield "Versions", ", ".join([*sorted(used), f"card by {_PACKAGE} {version(_PACKAGE)}"])
    yield "Parser of verdicts", text(card["parser"])
    yield "Study design (hash)", text(card["study"])
    for column in main_columns(analysis, [card]):
        if not (row.copied and column.key in COEFFICIENTS):
            yield column.heading, column.show(card)
    if not row.copied:
        if floor := card["omega_floor"]:
            yield "Noise floor of omega", "{:z.2f} [{:z.2f}, {:z.2f}]".format(*floor)
        yield "Krippendorff's alpha [95%]", estimate_text(card, "krippendorff_alpha")
    for column in (KEYS["validity"].columns[name] for name in _BY_LABELS):
        if card.get(column.key) is not None:
            yield f"By labels: {column.heading}", column.show(card)
    if (bias := card["position_bias"]) is not None:
        p = card["position_p_value"]
        place = preferred_place(analysis, row)
        of = " or responder" if place and not place["of_place"] else ""
        even, first = (
            no_place_in_words(analysis, row),
            shares_as_shown(analysis.of(row, "position")),
        )
        said = f"{bias:.2f} ({'not tested' if p is None else chance(p)})"
        more = even or (first and f"shown first chosen in {first}")
        yield f"Position{of} bias", f"{said}: {more}" if more else said
    for one in analysis.about(row, "moves"):
        if effect_is_known(analysis, one):
            what = f"{effect_in_words(one)}: {effect_size(one)}".removesuffix(": ")
            yield f"Another {one['facet'].replace('_', ' ')}", what
    if orders_apart(row):
        every = "all coefficients (agreement, omega, alpha, kappas)"
        yield "Orders", f"{every} compare {_compared(row)}"
    yield "What fools it", in_a_line(card["fooled"])
    yield "Varied", ", ".join(card["varied"])
    yield "Not varied", ", ".join(card["not_varied"])


def _compared(row: Row) -> str:
    """Which two verdicts, where a question was shown in several orders."""
    if each_order_once(row):
        return "two orders of a question"
    if row.judged.as_shown:
        return "two tries, each in an order drawn at random of those shown"
    return "any two tries, as if each had drawn its order anew"


def _only(values: Iterable[Any]) -> Any:
    """The common value of all; None if they differ."""
    found = list(values)
    return found[0] if found and all(one == found[0] for one in found) else None


# The runs behind judgments: their settings, and commands to repeat them.


_SAMPLING = (
    "temperature",
    "top_k",
    "top_p",
    "max_tokens",
    "seed",
    "stop_seqs",
    "frequency_penalty",
    "presence_penalty",
    "reasoning_effort",
    "reasoning_tokens",
)
"""Options of inspect that change what a judge says; others say how it is called."""

REJUDGED = "rejudged_by"
"""Metadata key of the command line that `rejudge` was given."""


def runs(table: pd.DataFrame) -> list[Record]:
    """The runs behind a table of judgments, from logs that can still be read.

    Returns:
        One record per run: `log` (its file name), `created`, `task`, `model`, `settings`, `parser`,
        `packages`, and the `command` of `rejudge` that repeats it; None of other runs.
    """
    found = []
    for location in map(str, table["log"].dropna().unique() if "log" in table else ()):
        try:
            log = read_eval_log(location, header_only=True)
        except Exception:  # the log may have been moved, or be under way
            continue
        found.append(_run(location, log))
    return found


def _run(location: str, log: EvalLog) -> Record:
    config = log.eval.model_generate_config.merge(log.plan.config).model_dump(exclude_none=True)
    sampling = {name: whole_number(config[name]) for name in _SAMPLING if name in config}
    ours = (one for one in log.eval.scorers or [] if one.name.rpartition("/")[2] == "verdict")
    parsers = [(one.options or {}).get("parser") or "default" for one in ours]
    return {
        "log": PurePosixPath(location).name,
        "created": str(log.eval.created),
        "task": log.eval.task,
        "model": log.eval.model,
        "settings": sampling | {f"-M {k}": v for k, v in log.eval.model_args.items()},
        "parser": str(parsers[0]) if parsers else None,
        "packages": dict(log.eval.packages),
        "command": _command(log),
    }


def _command(log: EvalLog) -> str | None:
    typed = (log.eval.metadata or {}).get(REJUDGED)
    if not isinstance(typed, list):
        return None
    return shell.join(["inspect-reliability", "rejudge", *map(str, typed)])
