"""The command: a table of its parts, each loaded when it is called."""

import gc
import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import IO, Any

import click

COMMANDS = {
    "demo": "Report real judgments that come with the package: no model, key or network.",
    "report": "Report the reliability of every judge in LOGS.",
    "read": "Show how LOGS are read: columns, first rows, what was found, and what is open.",
    "compare": "Compare A and B, or the judges in LOGS, over the same questions.",
    "rank": "Rank the systems in LOGS, and say whether the order would come out again.",
    "plan": "Plan the next study from the judgments in LOGS.",
    "label": "Write a page to label outputs of LOGS in, which stops when the answer is known.",
    "gate": "Let every judge in LOGS pass or fail, by its 95% interval.",
    "watch": "Say whether the judge of the checks in LOGS changed, or the system that it judges.",
    "validate": "Say how often every judge in LOGS is right, by a few labels.",
    "keep": "Say which verdicts of every judge in LOGS may be kept, by a few labels.",
    "choose": "Choose the best judge in LOGS by a few labels, with an error that is still true.",
    "card": "Make a card of every judge in LOGS, for an appendix or a registry.",
    "rejudge": "Judge every output in LOG again and again, and report its judge.",
    "design": "Print the design of one of the paper's judges, as a file to start from.",
    "sweep": "Run judges x benchmarks x temperatures, as the study did.",
    "probe": "Show which sampling options reach a model, and whether it honours seeds.",
    "import": "Turn the published judgments in FOLDER into inspect logs.",
}
"""Command -> the first line of its help. The module of each is called like it."""


_LONGEST = 300
"""Most characters quoted of an unforeseen error."""


class _Command(click.Command):
    """A command that does not begin if it would replace what the user owns."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        from .targets import refuse_outputs

        left = super().parse_args(ctx, args)
        if not ctx.resilient_parsing:
            refuse_outputs()
        return left


def command(*calls: str, name: str | None = None) -> Callable[[Callable[..., None]], click.Command]:
    """A command whose help ends with examples: these calls."""
    lines = ["\b", "Examples:", *(f"  inspect-reliability {call}" for call in calls)]
    return click.command(name, cls=_Command, epilog="\n".join(lines))


class Refusal(click.ClickException):
    """A request that cannot be done; its exit status differs from that of a failed gate (1)."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        """Keep the message, harmless on a terminal."""
        super().__init__(_harmless(message))


class Question(Refusal):
    """What only its user can say: a question, and no error."""

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the question on standard error."""
        click.echo(self.format_message(), file=file, err=file is None)


class _Group(click.Group):
    """Lists its commands without importing them: help answers at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = "import_published" if cmd_name == "import" else cmd_name
        # Imports make a million objects that all stay. Looking for garbage among them takes long,
        # and after them, too, every 700 new objects is too often.
        gc.disable()
        command: click.Command = getattr(import_module(f".{module}", __package__), module)
        gc.freeze()
        gc.set_threshold(50_000)
        gc.enable()
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a file where one belongs is answered by the command that reads it."""
        if args[0] not in COMMANDS and os.path.exists(args[0]):
            from ..shell import join

            name, read = join([args[0]]), join(["report", *args])
            raise Refusal(f"{name} is a file, not a command. Run: inspect-reliability {read}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([*COMMANDS.items()])

    def main(self, *args: Any, **options: Any) -> Any:
        """Run the command; what cannot be printed is said in words, also of its help."""
        try:
            return super().main(*args, **options)
        except OSError as error:  # a full disk; click handles a closed pipe
            refusal = Refusal(f"Nothing can be printed: {error.strerror}. Make room.")
            refusal.show()
            sys.exit(refusal.exit_code)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            os.getcwd()
        except FileNotFoundError:
            raise Refusal("The folder you are in was deleted. Go to another: cd ~") from None
        try:
            return super().invoke(ctx)
        except click.UsageError as error:  # it quotes what was typed
            raise click.UsageError(_harmless(error.format_message()), error.ctx) from None
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception as error:
            if ctx.params.get("traceback"):
                raise
            from ..errors import QuestionError

            kind = Question if isinstance(error, QuestionError) else Refusal
            raise kind(_in_words(error, ctx.invoked_subcommand)) from None


def _harmless(message: str) -> str:
    """A message that a terminal only shows, and not too long a one."""
    from ..errors import short
    from ..showing.formats import printable

    return printable(short(message))


def _in_words(error: Exception, command: str | None) -> str:
    """The error in words; for an unforeseen one, how to see where it was raised."""
    from ..errors import UserError
    from ..saving import FULL
    from ..stats import ReliabilityError

    while isinstance(error, ExceptionGroup):  # the first of several that tasks raised at once
        error = error.exceptions[0]
    if isinstance(error, UserError | ReliabilityError):
        return str(error.args[0])
    if isinstance(error, OSError) and error.errno in FULL and error.filename is None:
        return f"The results cannot be printed: {error.strerror}. Make room, or name another place."
    if "inspect_ai" in sys.modules:
        from rich.markup import render

        from ..errors.inspect_error import PrerequisiteError

        if isinstance(error, PrerequisiteError):
            return " ".join(render(str(error.message)).plain.split())
    why = " ".join(str(error).split())[:_LONGEST]
    return (
        f"{command} ended in an error that nobody foresaw ({type(error).__name__}: {why}). Run "
        f"'inspect-reliability --traceback {command} ...' to see where, and please report it."
    )


@click.group(
    cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "show_default": True}
)
@click.version_option(package_name="inspect-reliability")
@click.option("--traceback", is_flag=True, help="Show where an error was raised.")
def main(traceback: bool) -> None:
    """Can I trust this LLM judge? Reliability from the judgments in inspect logs.

    LOGS are inspect log files or folders of them, local or at any URL that inspect can read. CSV,
    TSV, Excel, JSONL and parquet files with one row a judgment do as well.
    """
