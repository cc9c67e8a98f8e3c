"""The command and its parts."""

from typing import Any

import click

from ..errors import UserError
from ..report.printable import printable
from ..stats import ReliabilityError
from .accuracy import accuracy
from .compare import compare
from .gate import gate
from .import_published import import_published
from .plan import plan
from .rejudge import rejudge
from .report import report
from .sweep import sweep


class Refusal(click.ClickException):
    """What cannot be done with what was given; never mistaken for a failed gate (exit 1)."""

    exit_code = 2

    def format_message(self) -> str:
        """The message, harmless on a terminal."""
        return printable(self.message)


class _Group(click.Group):
    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (UserError, ReliabilityError) as error:
            raise Refusal(str(error.args[0])) from None


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="inspect-reliability")
def main() -> None:
    """Can I trust this LLM judge? Reliability from the judgments in inspect logs.

    LOGS are inspect log files or folders of them, local or any URL inspect can read, or a folder
    in the layout of the published study.
    """


for command in (report, compare, plan, gate, import_published):
    main.add_command(command)
main.add_command(accuracy)
main.add_command(sweep)
main.add_command(rejudge)
