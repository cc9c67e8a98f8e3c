"""`read`: what is in a file, and what is read of it?"""

from dataclasses import replace
from typing import Any

from .. import shell
from ..answers.preview import read_document
from ..answers.summary import next_step
from ..judgments.columns import CHECK_ID, varies
from ..judgments.reading import READING, reading_text, refuse
from ..judgments.sources import judgments_from
from ..judgments.table import Judgments
from ..saving import write_text
from ..shell import quote
from ..showing.terminal import console, print_text
from .main import command
from .options import CommonOptions, print_left_out, reads_systems
from .targets import writes


@command("read judgments.csv", "read export.json --save reading.yaml")
@writes(
    "--save",
    endings=[".yaml", ".yml"],
    ours=READING,
    help="Write how LOGS are read into this file, for --reading of every command.",
)
@reads_systems
def read(save: str | None, **asked: Any) -> None:
    """Show how LOGS are read: columns, first rows, what was found, and what is open.

    Every command reads LOGS in this way. If they can mean two things, each meaning is shown with
    what it would read, and the options that choose it.
    """
    request = CommonOptions(**asked)
    reading = request.reading
    found = judgments_from([*request.logs], reading=reading).with_facets([*reading.facets])
    print_left_out(one for one in found.notes if not one.choices)
    document = read_document(found, reading)
    words, command = _next_of(found)
    if not (save or found.asked):
        step = next_step(words, f"{command} {request.typed}")
        document = replace(document, blocks=[*document.blocks, *step])
    request.show(document)
    refuse(found.asked)
    if save:
        known = reading
        for one in found.readings:
            known = known.chosen({"columns": one.columns})
        write_text(save, reading_text(replace(known, where="")), READING)
        logs = shell.join(request.logs)
        then = f"inspect-reliability {command} {logs} --reading {quote(save)}"
        print_text(console(stderr=True), f"Wrote {save}. Next: {then}")


def _next_of(found: Judgments) -> tuple[str, str]:
    """What to do with judgments, and by which command: checks of one judge are watched."""
    timed = "time" in found.table and any(varies(found.table, of) for of in ("time", CHECK_ID))
    if timed and not found.logs and found.table["judge"].nunique() < 2:
        return "see whether the judge changed", "watch"
    return "see how far to trust the judge", "report"
