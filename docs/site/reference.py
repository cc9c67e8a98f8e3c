"""The pages of the reference, made from the code at every build.

Nothing here lists an option, a column, a key or a name: each page asks the code.
"""

import inspect
import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from textwrap import wrap
from typing import Any

import click
import docstring_parser
import pandas as pd
from inspect_ai import Task

import inspect_reliability
from inspect_reliability.answers import analyse
from inspect_reliability.answers.arms import arms_by, arms_of
from inspect_reliability.answers.candidates import candidates_of
from inspect_reliability.answers.card import card, card_document
from inspect_reliability.answers.choice_in_words import Wanted
from inspect_reliability.answers.choose import choose_document
from inspect_reliability.answers.compare import compare_arms
from inspect_reliability.answers.drift import drift
from inspect_reliability.answers.gate import Limits, check_limits
from inspect_reliability.answers.headline import HARDLY, LOW, STEADY
from inspect_reliability.answers.label import draw_outputs
from inspect_reliability.answers.next_steps import GAIN
from inspect_reliability.answers.plan import plans
from inspect_reliability.answers.promise import Promise
from inspect_reliability.answers.reliability import RELIABLE, STABLE
from inspect_reliability.answers.score_variance import of_suite, sources
from inspect_reliability.cli import main
from inspect_reliability.designs.variations import shipped
from inspect_reliability.judgments.columns import ALWAYS, COLUMNS
from inspect_reliability.judgments.deduplication import combine
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.judgments.sources import judgments_from, judgments_from_frame
from inspect_reliability.judgments.table import Judgments
from inspect_reliability.keeping.report import cascades, keep_results
from inspect_reliability.ranking.compare import rank_agreement
from inspect_reliability.ranking.leaderboards import leaderboards
from inspect_reliability.ranking.plan import rank_power
from inspect_reliability.ranking.report import rank_results
from inspect_reliability.ranking.systems import judgments_on_systems, verdicts_on_systems
from inspect_reliability.showing.formats import TableColumn
from inspect_reliability.showing.json import SCHEMA_VERSION
from inspect_reliability.showing.keys import KEYS
from inspect_reliability.stats import COEFFICIENTS, Coefficient
from inspect_reliability.stats.anytime import Goal
from inspect_reliability.study.published.reported import with_published
from inspect_reliability.study.tasks import TASKS
from inspect_reliability.watching.changed import watching
from inspect_reliability.watching.freeze import freeze, frozen_records
from inspect_reliability.watching.report import direction_records, moved_records, watch_records

PACKAGE = "inspect_reliability"
ROOMS = (
    "stats",
    "judgments",
    "answers",
    "keeping",
    "ranking",
    "watching",
    "designs",
    "rejudging",
    "scoring",
    "metrics",
    "hf_seeded",
    "errors",
)
"""Packages whose public names are documented, each on a page of its own."""

_EXAMPLE_LOGS = Path(__file__).parents[2] / "logs" / "example"
_PAIRS = Path(__file__).parents[2] / "examples" / "pairs.parquet"
_CHECKS = Path(__file__).parents[2] / "examples" / "checks.csv"
_VERDICTS = Path(__file__).parents[2] / "examples" / "verdicts.csv"
_LONGEST = 60
"""Characters of an example."""


def pages() -> dict[str, str]:
    """Path on the site -> Markdown."""
    made: dict[str, Callable[[], str]] = {
        "commands": commands,
        "tasks": tasks,
        "coefficients": coefficients,
        "columns": columns,
        "json": json_keys,
        "python": python,
    }
    found = {f"reference/{name}.md": page() for name, page in made.items()}
    return found | {f"reference/{room}.md": python_room(room) for room in ROOMS}


def commands() -> str:
    """Every command with its arguments and options."""
    context = main.make_context("inspect-reliability", [], resilient_parsing=True)
    parts = ["# Commands", _help(main)]
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        usage = command.collect_usage_pieces(context)
        options = [p for p in command.params if isinstance(p, click.Option) and not p.hidden]
        rows = [[_code(_names(one)), one.help or "", _code(_default(one))] for one in options]
        parts += [
            f"## `{name}`",
            f"```\ninspect-reliability {name} {' '.join(usage)}\n```",
            _help(command),
            _table(["Option", "What it does", "Default"], rows) if rows else "",
            _examples(command),
        ]
    return _join(parts)


def tasks() -> str:
    """Every task with its arguments (`-T`)."""
    found = {**vars(import_module(f"{PACKAGE}._registry")), **TASKS}
    parts = [
        "# Tasks",
        "Run a task with `inspect eval inspect_reliability/NAME`, and set its arguments with "
        "`-T NAME=VALUE`. In Python, import `judge` from `inspect_reliability`, and the tasks of "
        "the published study from `inspect_reliability.study.tasks`.",
    ]
    for name, function in sorted(found.items()):
        if name.startswith("_") or not _makes_a_task(function):
            continue
        said = docstring_parser.parse(inspect.getdoc(function) or "")
        meant = {one.arg_name: one.description for one in said.params}
        rows = [
            [_code(argument.name), meant.get(argument.name) or "", _shown_default(argument)]
            for argument in inspect.signature(function).parameters.values()
        ]
        text = [said.short_description or "", said.long_description or ""]
        table = _table(["`-T`", "What it does", "Default"], rows)
        parts += [f"## `{name}`", *map(_paragraphs, text), table]
    return _join(parts)


def coefficients() -> str:
    """The table of coefficients, and each of its rows."""
    intro = (
        "Every coefficient is a function in `inspect_reliability.stats` that takes "
        "[`Cells`](stats.md#inspect_reliability.stats.Cells) (of interval scale: with verdicts "
        "taken for numbers, as `Cells.of_numbers` does) and returns an "
        "[`Estimate`](stats.md#inspect_reliability.stats.Estimate). Its value depends on the "
        "number of declared categories (K) where the table says so. "
        "[Statistics](../reliability.md) explains how to read them, and "
        "[References](../references.md) lists the sources."
    )
    return _join(["# Coefficients", intro, table_of_coefficients()])


def table_of_coefficients() -> str:
    """Every coefficient as the code describes it."""
    rows = []
    for name, row in COEFFICIENTS.items():
        on = "K" if row.needs_categories else ""
        rows.append([_code(name), row.scale, row.about, on, row.source])
    return _table(["name", "scale", "what it says", "depends on", "source"], rows)


def table_of_sentences() -> str:
    """Which number gives which sentence of the answer."""
    says = {
        "one verdict says little": f"omega is below {LOW:g}",
        "two tries agree hardly more than verdicts on two different questions": (
            f"the same without labels, and its whole interval is below {HARDLY:g}"
        ),
        "two tries are not shown to agree more than by chance": (
            "the same, where omega is 0 or less and its interval reaches farther"
        ),
        "one is enough": (
            f"another try gives another verdict in at most {STEADY:.0%} of cases; of grades, ICC "
            f"is {RELIABLE:g} or more"
        ),
        "take the majority of N": f"two majorities of N come out the same in {STABLE:.0%} or more",
        "take the mean of N": f"the reliability of a mean of N grades is {RELIABLE:g} or more",
        "M of N votes decide X of questions": (
            f"the rule of `keep`: {Promise().words} of the verdicts with M or more of N votes are "
            "wrong, and X of the questions have one that is no tie or other undecided verdict"
        ),
        "the majority of N is right in": (
            f"by the labels, the largest majority is right more often by more than {GAIN * 100:g} "
            "points, and that of N nearly as often"
        ),
        "more votes add little": f"it gains {GAIN * 100:g} points or less",
    }
    return _table(["words", "when"], [[*one] for one in says.items()])


def paragraph_of_methods() -> str:
    """What a card says for a paper, of the judge of the example log."""
    (one,) = card("logs/example").cards
    return "\n".join(f"> {line}" for line in wrap(one["methods"], 117, break_on_hyphens=False))


def table_of_changes() -> str:
    """Every change of an answer that comes with the package."""
    rows = [[_code(one.name), one.kind, one.about] for one in shipped().values()]
    return _table(["name", "kind", "what becomes of the answer"], rows)


def columns() -> str:
    """The columns of the judgments table."""
    intro = (
        "`judgments_from_logs(...).table` has one row a judgment, and so have the files "
        "`judgments.parquet` and `judgments.csv` of `report --tables`. Group rows by any of these "
        "columns with `--by`."
    )
    parts = ["# Columns of the judgments table", intro]
    for title, always in (("Always", True), ("Where known", False)):
        rows = [
            [_code(one.name), one.role, one.meaning]
            for one in COLUMNS.values()
            if (one.name in ALWAYS) == always
        ]
        parts += [f"## {title}", _table(["Column", "Role", "What it says"], rows)]
    example = judgments_from_logs([_EXAMPLE_LOGS]).table
    own = [name for name in example if name not in COLUMNS]
    parts += [
        "## From the log's own metadata",
        "Every other scalar value in the metadata of a score or sample becomes a column under its "
        f"own name. The example log adds {', '.join(f'`{name}`' for name in own)}.",
    ]
    return _join(parts)


def json_keys() -> str:
    """Every key of `--format json`: what it says, when it is null, and an example."""
    intro = (
        f"Every command prints one object. Its `schema_version`, now {SCHEMA_VERSION}, grows when "
        "a key is renamed, removed or changes its meaning; new keys leave it as it is. `version` "
        "is that of the package. `rows`, a list of objects, is the main result of the command; "
        "`report` has the other results beside it, and `read`, a list of lines that say what was "
        "read. Each result is a list, `[]` where there is nothing to "
        "say, of objects that begin with the keys of the row that they are about: judge, "
        "benchmark, temperature, or what `--by` names."
    )
    numbers = (
        "An interval is `[low, high]`, 95% over questions, and is also `null` with fewer than "
        "three questions that vary, or if dropping any question changes nothing. A number that "
        "cannot be estimated is `null`, never left out or filled in, and `not_estimable` or "
        "`reason` says why. [Statistics](../reliability.md) explains the coefficients."
    )
    parts = ["# Keys of the JSON", intro, numbers]
    results = _results()
    for name, (about, columns) in KEYS.items():
        if name != "shared":
            rows = [_key(column, results[name]) for column in columns.values()]
            table = _table(["Key", "Shape", "Says", "`null` when", "Example"], rows)
            parts += [f"## `{name}`", about, table]
    return _join(parts)


def _key(column: TableColumn, records: Iterable[Mapping[str, Any]]) -> list[str]:
    values = [record[column.key] for record in records if column.key in record]
    key = _code(column.key) + f", {_code(f'{column.key}_interval')}" * column.ends
    null = column.null_when or "never"
    return [key, _shape(values), column.meaning, null, _example(values)]


def python() -> str:
    """What `from inspect_reliability import ...` has, and the packages below."""
    rows = []
    for name in inspect_reliability.__all__:
        home = inspect_reliability._HOME[name]
        thing = getattr(inspect_reliability, name)
        page, anchor = f"{home.partition('.')[0]}.md", f"{PACKAGE}.{home}.{name}"
        if home.startswith("tasks"):
            anchor = name
        elif isinstance(thing, Coefficient):
            anchor = _anchor(thing)
        rows.append([f"[`{name}`]({page}#{anchor})", _first_line(thing)])
    table = _table(["Name", "What it is"], rows)
    listed = [f"- [`{PACKAGE}.{room}`]({room}.md): {_first_line(_room(room))}" for room in ROOMS]
    return _join(
        [
            "# Python",
            "```python\nimport inspect_reliability\n```",
            "These names are imported from the package itself:",
            table,
            "Everything else comes from one of its packages:",
            "\n".join(listed),
        ]
    )


def python_room(room: str) -> str:
    """The public names of one package."""
    module = _room(room)
    parts = [f"# `{PACKAGE}.{room}`", inspect.getdoc(module) or ""]
    for name in module.__all__:
        thing = getattr(module, name)
        if isinstance(thing, Coefficient):
            parts.append(_coefficient(thing))
        else:
            parts.append(f"::: {PACKAGE}.{room}.{name}")
    for name, home in inspect_reliability._HOME.items():
        if home.startswith(f"{room}."):  # loads more than the room does
            parts.append(f"::: {PACKAGE}.{home}.{name}")
    return _join(parts)


def _coefficient(row: Coefficient) -> str:
    facts = {
        "Scale": row.scale,
        "Interval": f"that of {row.like.name}" if row.like else row.interval.name,
        "Formula": inspect.getdoc(row.formula) or "",
        "Source": row.source,
    }
    listed = [f"- {name}: {' '.join(text.split())}" for name, text in facts.items() if text]
    return _join(
        [
            f"## `{row.name}` {{ #{_anchor(row)} }}",
            f"```python\n{row.name}(given: Cells, level: float = 0.95) -> Estimate\n```",
            f"{row.title}. {row.about}",
            "\n".join(listed),
        ]
    )


def _anchor(row: Coefficient) -> str:
    return f"{PACKAGE}.stats.{row.name}"


def _room(room: str) -> Any:
    return import_module(f"{PACKAGE}.{room}")


def _first_line(thing: Any) -> str:
    if isinstance(thing, Coefficient):
        return f"{thing.title}. {thing.about}"
    # inspect's decorator of metrics keeps the docstring of the function that it wraps to itself.
    wrapped = [cell.cell_contents for cell in getattr(thing, "__closure__", None) or ()]
    said = next(filter(None, map(inspect.getdoc, [thing, *filter(callable, wrapped)])), "")
    return said.partition("\n\n")[0].replace("\n", " ")


def _makes_a_task(function: Any) -> bool:
    returned = getattr(function, "__annotations__", {}).get("return")
    return returned is Task


def _help(command: click.Command) -> str:
    return _paragraphs(inspect.cleandoc(command.help or ""))


def _examples(command: click.Command) -> str:
    calls = re.findall(r"^  (.*)$", command.epilog or "", re.MULTILINE)
    return "\n".join(["```", *calls, "```"]) if calls else ""


def _paragraphs(text: str) -> str:
    return re.sub(r"(?<=\S)\n(?=\S)", " ", text)


def _names(option: click.Option) -> str:
    value = f" {option.metavar or option.type.name.upper().removesuffix(' RANGE')}"
    if isinstance(option.type, click.Choice) and not option.metavar:
        value = f" {'|'.join(option.type.choices)}"
    if option.is_flag:
        value = ""
    repeated = " ..." if option.multiple else ""
    return f"{', '.join((*option.opts, *option.secondary_opts))}{value}{repeated}"


def _default(option: click.Option) -> str:
    given = option.to_info_dict()["default"]
    if given is None or option.is_flag:
        return ""
    return ", ".join(map(str, given)) if isinstance(given, list | tuple) else str(given)


def _shown_default(argument: inspect.Parameter) -> str:
    if argument.default is argument.empty:
        return "required"
    return "" if argument.default is None else _code(f"{argument.default}")


@cache
def _results() -> Mapping[str, list[dict[str, Any]]]:
    """The results of a real log and of made-up judgments that fill the other keys."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in KEYS}
    for judgments in (judgments_from_logs([_EXAMPLE_LOGS]), *_made_up()):
        analysis = with_published(analyse(judgments))
        for name, records in analysis.results.items():
            found[name] += records
        found["card"] += card_document(analysis).results["rows"]
        found["plan"] += plans(analysis, [0.1], names=["omega", "agreement"])
        found["gate"] += check_limits(
            analysis, Limits((("omega", 0.5),), (("non_response_rate", 0.05),))
        )
        found["gate"] += check_limits(analysis, Limits((("omega", 0.5),), anytime=True))
        judges = [str(one) for one in judgments.table["judge"].dropna().unique()]
        alone = analyse(judgments, "judge")
        promise = Promise(max_error=0.5, prices=dict.fromkeys(judges, 0.01))
        for name, records in keep_results(cascades(alone, promise, judges)).items():
            found[name] += records
        if "wording" in judgments.table and "rater" in judgments.table:
            chosen = choose_document(candidates_of(analysis), Wanted(current=0))
            found["choose"] += chosen.results["choose"]
            found["rater_preferences"] += chosen.results["rater_preferences"]
        if judgments.table["judge"].nunique() > 1:
            sides = arms_by(judgments, "judge")
            found["compare"] += compare_arms(sides)[0]
            found["changes"] += drift(sides)
    ranked = rank_results(
        leaderboards(verdicts_on_systems(judgments_on_systems([str(_EXAMPLE_LOGS)])))
    )
    for since in (None, "3"):
        seen = watching(*[judgments_from([str(_CHECKS)])] * 2, since=since)
        found["watch"] += watch_records(seen)
        found["moved_anchors"] += moved_records(seen)
        found["verdicts_moved"] += direction_records(seen)
    first = judgments_from([str(_VERDICTS)])
    one = replace(first, table=first.table[first.table["judge"] == "gpt-5.4"])
    later = replace(one, table=one.table.assign(question="later " + one.table["question"]))
    found["compare"] += compare_arms(arms_of(one, later, ("now", "later")))[0]
    found["anchors"] += frozen_records(freeze(one, 10))
    for name in ("ranking", "survival", "neighbours"):
        found[name] += ranked[name]
    pairs = verdicts_on_systems(judgments_on_systems([str(_PAIRS)]))
    found["favours"] += [
        one for board in leaderboards(pairs, labels=pairs) for one in board.favours
    ]
    found["plan --for rank"] += rank_power(pairs)
    found["compare --for rank"] += rank_agreement(pairs, pairs)
    votes = {"question": [*"aabb"], "verdict": [*"CCCI"]}
    unlabelled = analyse(judgments_from_frame(pd.DataFrame(votes)))
    found["label"].append(draw_outputs(unlabelled, 1, Goal("keep", 0.1)).record)
    found["fooled"] += analyse(judgments_from_frame(_with_changes())).results["fooled"]
    for scorer, rows in _suite("CI", "CC").groupby("scorer"):
        found["score_variance"].append(of_suite(str(scorer), rows))
        found["sources"] += sources(found["score_variance"][-1])
    found["designs"] = [design for plan in found["plan"] for design in plan["designs"]]
    return found


def _with_changes() -> pd.DataFrame:
    """Verdicts and grades of answers as they are, praised, and spoiled."""
    given = (("given", None), ("praise", False), ("empty", True))
    rows = [
        {
            **{"judge": judge, "question": f"q{q}", "replication": n, "verdict": verdicts[n + q]},
            **{"answer_change": change, "spoils": spoils},
        }
        for judge, verdicts in (("words", "CICICCIC"), ("grades", "12321323"))
        for change, spoils in given
        for q in range(4)
        for n in range(3)
    ]
    return pd.DataFrame(rows)


def _suite(own: str, *again: str) -> pd.DataFrame:
    """Grades of a suite's own scorer, and of a grader that judged its outputs again, twice."""
    known = {"log": own, "epoch": 1, "replication": 1, "benchmark": "suite", "temperature": 1.0}
    rows = [
        known
        | {"sample": q, "question": f"{q}", "scorer": scorer, "judge": scorer, "verdict": verdict}
        for scorer, grades in (("own", [own]), ("again", [*again, *again]))
        for verdicts in grades
        for q, verdict in enumerate(verdicts)
    ]
    return pd.DataFrame(rows)


def _made_up() -> Iterator[Judgments]:
    """Judgments of every other kind: two judges, correctness, numbers, reshuffled options."""
    chance = random.Random(0)
    kinds: Mapping[str, Sequence[Any]] = {
        "grades": [1, 2, 3, 4, 5],
        "facts": ["correct", "incorrect", "non-response"],
    }
    yield combine(
        [
            judgments_from_frame(
                pd.DataFrame(
                    {
                        "judge": f"judge {judge}",
                        "question": f"q{question}",
                        "replication": replication,
                        "verdict": chance.choice(verdicts[question % 2 :]) if question else None,
                        "missing": False,
                        "read_by": "label",
                        "categories": list("12345") if benchmark == "grades" else None,
                    }
                    for judge in "ab"
                    for question in range(12)
                    for replication in range(1, 9)
                ),
                benchmark=benchmark,
                temperature=1.0,
            )
            for benchmark, verdicts in kinds.items()
        ]
    )
    labels = [chance.choice(("correct", "incorrect")) for _ in range(12)]
    yield judgments_from_frame(
        pd.DataFrame(
            {
                "judge": "judge",
                "question": f"q{question}",
                "wording": wording,
                "verdict": label if chance.random() < 0.8 else "incorrect",
                "label": (label, chance.choice((label, "correct"))) if question < 9 else None,
                "rater": ("ann", "bob") if question < 9 else None,
            }
            for question, label in enumerate(labels)
            for wording in ("short", "long")
            for _ in range(3)
        )
    )
    shown = [(n, r, chance.sample("xyz", 3)) for n in range(12) for r in range(1, 9)]
    yield judgments_from_frame(
        pd.DataFrame(
            {
                "judge": "judge",
                "question": f"q{question}",
                "replication": replication,
                "verdict": "ABC"[(place := chance.randrange(3))],
                "responder": order[place],
                "order": tuple(order),
            }
            for question, replication, order in shown
        ),
        benchmark="options",
        temperature=1.0,
    )


def _shape(values: Iterable[Any]) -> str:
    shapes = dict.fromkeys(_kind(value) for value in values if value is not None)
    return " or ".join(shapes)


def _kind(value: Any) -> str:
    match value:
        case bool():
            return "true or false"
        case int() | float():
            return "number"
        case str():
            return "text"
        case dict():
            return "object"
        case [*items]:
            inside = dict.fromkeys(map(_kind, items))
            return f"list of {' or '.join(inside) or 'text'}s"
    raise TypeError(f"{value!r} is no value of JSON")


def _example(values: Iterable[Any]) -> str:
    known = next((value for value in values if value not in (None, [], {})), None)
    shown = "" if known is None else json.dumps(_rounded(known))
    return _code(shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]} ...")


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 3)
    return [_rounded(one) for one in value] if isinstance(value, list) else value


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A pipe table of Markdown."""
    lines = [headings, ["---"] * len(headings), *rows]
    cells = ([_cell(" ".join(cell.split())) for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def _cell(text: str) -> str:
    """Its pipes escaped, but for those in code: there the site would show the escape."""
    parts = re.split(r"(`+.*?`+)", text)
    return "".join(part if n % 2 else part.replace("|", r"\|") for n, part in enumerate(parts))


def _code(text: str) -> str:
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}" if text else ""


def _join(parts: Iterable[str]) -> str:
    return "\n\n".join(filter(None, parts)) + "\n"
