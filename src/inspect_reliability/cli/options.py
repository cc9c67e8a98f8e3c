"""What the commands read and print, and how they show that they do."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from math import isfinite
from pathlib import PurePath
from typing import Any

import click
from rich.progress import track

from .. import shell
from ..errors import UserError, short
from ..judgments.chosen_judge import by_rule
from ..judgments.described import described
from ..judgments.given_labels import columns_of_judgments, labelled_judgments
from ..judgments.reading import Reading, refuse
from ..judgments.rows import ENDINGS, has_judgments
from ..judgments.sources import in_file
from ..judgments.table import Judgments, weights
from ..ranking.systems import Verdicts, judgments_on_systems, verdicts_on_systems
from ..showing import FORMS, Form, render
from ..showing.document import Block, Document, Estimates, Text, only_options
from ..showing.terminal import console, print_text


class Finite(click.FloatRange):
    """A range of numbers that excludes `nan` and `inf`."""

    def _describe_range(self) -> str:
        """Nothing where it has no ends: click would write "x<=None" into the help."""
        return super()._describe_range() if {self.min, self.max} != {None} else ""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number, of 75% as 0.75; BadParameter if it is none or outside the range."""
        if isinstance(value, str) and (written := value.strip()).endswith("%"):
            with suppress(ValueError):  # what is no number is refused as it is written
                value = float(written[:-1]) / 100
        found: float = super().convert(value, param, ctx)
        if not isfinite(found):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return found


_Command = Callable[..., None]


def pairs(
    option: str,
    name: str,
    form: str,
    example: str,
    help: str,
    value: Callable[[str], Any] = str,
    several: bool = False,
) -> Callable[[_Command], _Command]:
    """An option for a mapping, one pair at a time, such as NAME=VALUE; or of lists of values."""
    convert = click.types.convert_type(value)

    def read(_: click.Context, option: click.Parameter, given: Sequence[str]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for pair in given:
            key, sign, of = pair.partition("=")
            if not (sign and key and of):
                raise click.BadParameter(f"{pair!r} is not of the form {form}, as in {example}.")
            made = convert(of, option)
            if several:
                found.setdefault(key, []).append(made)
                continue
            if (first := found.setdefault(key, made)) != made:
                two = f"two values, {first!r} and {made!r}"
                raise click.BadParameter(f"{key!r} has {two}. Give it one.")
        return found

    help = f"{help}; repeat it for several."
    return click.option(option, name, metavar=form, multiple=True, callback=read, help=help)


def json_or_text(value: str) -> Any:
    """A value as JSON, or else as it was typed."""
    try:
        return json.loads(value)
    except json.JSONDecodeError:
        return value


def in_forms(forms: Sequence[Form]) -> Callable[[_Command], _Command]:
    """The option that names one of these forms."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(forms),
        default="table",
        help="Form of the results. Notes and progress go to standard error.",
    )


format_option = in_forms(FORMS)

by_option = click.option(
    "--by",
    multiple=True,
    metavar="KEY",
    help="Column to group by, such as judge, category or any key of the scores' metadata; "
    "repeat it for several. Default: judge, benchmark, temperature, and facets that vary within "
    "these.",
)

model_args_option = pairs(
    "-M",
    "model_args",
    "KEY=VALUE",
    "device=cpu",
    "Argument of the model's provider",
    json_or_text,
)


_facet_option = click.option(
    "--facet",
    "facets",
    multiple=True,
    metavar="NAME",
    help="Column that may change without changing the right answer, such as wording; repeat it for "
    "several.",
)


_column_option = pairs(
    "--column",
    "columns",
    "YOURS=OURS",
    "score=verdict",
    "What a column of your file is, as in score=verdict, or in a file of labels gold=label",
)

_reading_option = click.option(
    "--reading",
    "reading_file",
    metavar="FILE",
    help="How files are read, as 'inspect-reliability read FILES --save FILE' wrote it. Options "
    "given beside it are added.",
)

_read_as_option = click.option(
    "--read-as",
    metavar="FORM",
    help="Read verdicts out of whole outputs: options:A,B,tie, scale:1-10, json:FIELD or "
    "pattern:REGEX.",
)

_from_option = click.option(
    "--from",
    "made_by",
    metavar="TOOL",
    help="Read files as exports of this tool, where their form does not show it.",
)

_sheet_option = click.option(
    "--sheet",
    metavar="NAME",
    help="Read this sheet of workbooks; A+B reads both as one table, with their names in a column "
    "'sheet'. Default: the one that has judgments.",
)

_swap_option = click.option(
    "--swap/--no-swap",
    default=None,
    help="For files whose orders have names, such as swapped: --swap if verdicts such as A and B "
    "name the place, --no-swap if they name the response. Also for systems called A and B.",
)

_labels_option = click.option(
    "--labels",
    multiple=True,
    metavar="FILE",
    help="Labels: CSV, .xlsx, JSON, JSONL or parquet with columns id and label (and rater, part), "
    "or a log whose scores people edited. Repeat it for several; they take the place of other "
    "labels, and sheets that label wrote are added to them.",
)

_map_option = pairs(
    "--map",
    "meant",
    "YOURS=VERDICT",
    "yes=C",
    "What a verdict or a label means, as in yes=C; non-response for an answer without one, "
    "failed-call for a call that failed",
)

_abstain_option = click.option(
    "--abstain",
    multiple=True,
    metavar="NAME",
    help="Verdict that decides nothing, so it is neither right nor wrong; repeat it for several. "
    "Default: tie, draw, unsure and the like, if no label is one. With none, what is not right is "
    "wrong.",
)


_only_option = pairs(
    "--only",
    "only",
    "COLUMN=VALUE",
    "judge=my-judge",
    "Take only the judgments with this value in this column, such as those of one judge of "
    "several, as in judge=my-judge; several values of one column take each of them",
    several=True,
)


_full_option = click.option(
    "--full", is_flag=True, help="Print every table and caution before the answer."
)

_explain_option = click.option(
    "--explain", is_flag=True, help="Say before the answer what its words mean."
)

_Option = Callable[[_Command], _Command]

_SHOWN: Sequence[_Option] = (_explain_option, _full_option)
"""How a document is shown, beside its form."""

_logs_argument = click.argument("logs", nargs=-1, required=True)

_READ: Sequence[_Option] = (
    _reading_option,
    _from_option,
    _sheet_option,
    _read_as_option,
    _swap_option,
    _column_option,
    _facet_option,
    _abstain_option,
    _map_option,
)
"""How LOGS are read: the file of a reading, and the entries of one."""

_ENTRIES = ("columns", "facets", "abstain", "swap", "read_as", "made_by", "sheet")


@dataclass(frozen=True, kw_only=True)
class CommonOptions:
    """What every command is asked: LOGS, how they are read, and how the answer is shown.

    A command with the options of `reads_logs` or `reads_systems` makes it of all options that are
    not its own.

    Attributes:
        logs: Logs and files of judgments.
        labels: Files of labels, and logs whose scores people edited.
        form: The form of the answer; a table is for the terminal.
        full: Whether a terminal shows every table before the answer.
        explain: Whether a terminal says what the words of the answer mean.
        reading_file: A reading that was saved. The other attributes are its entries.
    """

    logs: Sequence[str]
    labels: Sequence[str] = ()
    form: Form = "table"
    full: bool = False
    explain: bool = False
    reading_file: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    facets: Sequence[str] = ()
    meant: Mapping[str, str] = field(default_factory=dict)
    abstain: Sequence[str] = ()
    swap: bool | None = None
    read_as: str | None = None
    made_by: str | None = None
    sheet: str | None = None
    only: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @cached_property
    def reading(self) -> Reading:
        """How LOGS are read."""
        entries = {name: getattr(self, name) for name in _ENTRIES}
        known = in_file(self.reading_file)
        if known and self.labels:  # what both files call so is a verdict in one and a label there
            both = {one for one, ours in known.columns.items() if ours == "verdict"}
            entries["columns"] = {
                yours: ours
                for yours, ours in self.columns.items()
                if ours != "label" or yours not in both
            }
        return Reading.of(known, map=self.meant, **entries)

    def of(self, *logs: str) -> "CommonOptions":
        """The same of other LOGS."""
        return replace(self, logs=logs)

    def read(self, by: Sequence[str] = (), apart: bool = False) -> Judgments:
        """Read LOGS, and print what was read and left out to standard error.

        Args:
            by: Columns that the command groups by, so that what they may mean is not asked.
            apart: Whether each of several files is a judge's, where none names its judge.

        Raises:
            UserError: One of LOGS cannot be read or can mean two things, or a facet is no column.
        """
        own = columns_of_judgments(self.reading, self.labels, self.logs)
        if own and not any(map(has_judgments, self.logs)):
            raise UserError(f"--column is for files of judgments ({', '.join(ENDINGS)}): name one.")
        shown = partial(progress, what="Reading")
        judgments = labelled_judgments(
            self.logs, self.labels, reading=self.reading, by=by, apart=apart, progress=shown
        ).only(self.only)
        print_left_out(judgments.notes)
        print_text(console(stderr=True), short(described(judgments, by)))
        return judgments

    def read_systems(self, baseline: str | None = None) -> Verdicts:
        """Read LOGS as verdicts on systems, and print what was read and left out.

        Args:
            baseline: Only verdicts on pairs with this system count.
        """
        judgments = judgments_on_systems(self.logs, self.reading).with_facets(
            [*self.reading.facets]
        )
        refuse(judgments.asked)
        found = verdicts_on_systems(judgments, baseline)
        print_left_out([*judgments.notes, *found.notes])
        said = described(found.used or judgments)
        if found.used and len(found.used) < len(judgments):
            n, read = (round(weights(one).sum()) for one in (found.table, judgments.table))
            said += f"; used: {n:,} of {read:,} verdicts, {read - n:,} are left out"
        print_text(console(stderr=True), said)
        return found

    @property
    def typed(self) -> str:
        """LOGS and how they are read, as another command takes them after this one.

        A page goes to other people: it names up to two files, and not the folders that they are in.
        """

        def named(place: str) -> str:
            return PurePath(place).name if self.form == "html" else place

        many = self.form == "html" and len(self.logs) > 2
        sources = ["LOGS"] if many else [*map(named, self.logs)]
        options = [("--labels", named(name)) for name in dict.fromkeys(self.labels)]
        options += [("--reading", named(self.reading_file))] if self.reading_file else []
        entries = {name: getattr(self, name) for name in _ENTRIES}
        said = Reading().call({**entries, "map": self.meant})
        first = shell.join([*sources, *chain.from_iterable(options)])
        levels = ((name, one) for name, of in self.only.items() for one in of)
        only = shell.join(only_options(levels))
        return " ".join(filter(None, [first, said, only]))

    @property
    def on_page(self) -> str:
        """The same for a page beside what the terminal prints."""
        return replace(self, form="html").typed

    def show(self, document: Document) -> None:
        """Print a document on standard output; the answer is the last thing on a screen."""
        on_screen = self.form == "table"
        show(with_more(document, self.full, self.explain) if on_screen else document, self.form)


def with_more(document: Document, full: bool, explain: bool) -> Document:
    """A document with every table, or what its words mean, before the answer."""
    first = document.behind if full else []
    first += document.explained() if explain else []
    blocks = [*map(_in_full, document.blocks)] if full else document.blocks
    return replace(document, blocks=[*first, *blocks])


_FULL = re.compile(r"--full \([^)]*\), ")


def _in_full(block: Block) -> Block:
    """A block with all of its rows, that does not name the option that was given."""
    match block:
        case Estimates():
            return replace(block, most=0)
        case Text(text, "more"):
            return replace(block, text=_FULL.sub("", text))
    return block


def shows_more(command: _Command) -> _Command:
    """Add the options that show more than the answer."""
    return _with(command, *_SHOWN)


def reads_systems(command: _Command) -> _Command:
    """Add LOGS, and how they are read and shown: the options of `CommonOptions`."""
    return _with(command, format_option, *_SHOWN, *_READ, _logs_argument)


def reads_logs(command: _Command, forms: Sequence[Form] = FORMS) -> _Command:
    """Add LOGS of judgments that may have labels: the options of `CommonOptions`."""
    labelled: Sequence[_Option] = (*_READ, _only_option, _labels_option)
    return _with(command, in_forms(forms), *_SHOWN, *labelled, _logs_argument)


def _with(command: _Command, *options: _Option) -> _Command:
    """Add options. The last is the first in the help."""
    for option in options:
        command = option(command)
    return command


def show(document: Document, form: Form = "table") -> None:
    """Print a document on standard output."""
    click.echo(render(document, form), nl=False)


def progress(items: Iterable[Any], what: str) -> Iterator[Any]:
    """Iterate, with a progress bar on standard error if that is a terminal."""
    screen = console(stderr=True)
    found = list(items)
    visible = screen.is_terminal and len(found) > 1
    yield from track(found, what, console=screen, transient=True) if visible else found


def print_left_out(left_out: Iterable[object]) -> None:
    """Print on standard error what the results leave out."""
    screen = console(stderr=True)
    for note in left_out:
        print_text(screen, short(f"Note: {note}"), style="yellow")


rule_option = click.option(
    "--rule",
    metavar="FILE",
    help="Take only the judge that choose --out wrote into this file, with its votes, and leave "
    "out the labels that chose it. A rule of keep --save-rule is refused where another judge than "
    "its own judged LOGS, and keep applies it as it is: labels only check it.",
)


def typed_options(*names: str) -> str:
    """These options of the command as they were typed, after a space; empty without any."""
    context, words = click.get_current_context(), list[str]()
    known = {one.name: one for one in context.command.params}
    for name in names:
        if context.get_parameter_source(name) is not click.core.ParameterSource.COMMANDLINE:
            continue
        given, option = context.params[name], known[name].opts[0]
        if isinstance(given, bool):
            words.append(option if given else known[name].secondary_opts[0])
            continue
        if isinstance(given, Mapping):
            given = [f"{key}={value}" for key, value in given.items()]
        elif isinstance(given, list):  # of numbers, which one option has
            given = ",".join(map(str, given))
        for value in given if isinstance(given, list | tuple) else [given]:
            words += [option, str(value)]
    return f" {shell.join(words)}" if words else ""


def ruled(judgments: Judgments, rule: str | None, votes: bool = False) -> Judgments:
    """The judgments of the judge that a rule names; prints what is left out. See `by_rule`."""
    found = by_rule(judgments, rule, votes)
    print_left_out(found.said[len(judgments.said) :])
    return found
