"""What a draw of outputs to label says: what was drawn, when labelling stops, and what is next."""

from ..judgments.reading import Reading
from ..judgments.table import Judgments
from ..judgments.text import unused_text
from ..showing.document import Document, Text
from ..stats.anytime import BLOCK
from .analysis import Analysis
from .correction import agreement_in_words
from .label import Draw
from .summary import next_step

TITLE = "What to label?"

_NO_TEXT = "only the name of the question. People need the text to label it: "


def _how_to_add_text(judgments: Judgments) -> str:
    """How to name the column of the texts, or that there has to be one."""
    reading = next(iter(judgments.readings), Reading())
    text = unused_text(judgments.table) if judgments.readings else None
    if text:
        return f"if column {text!r} has it, draw again with {reading.column_call('output', text)}."
    calls = [reading.column_call(one, "YOURS") for one in ("output", "prompt")]
    return (
        f"name the column that has it with {calls[0]}, and that of the question's text with "
        f"{calls[1]}, or add such columns to the judgments. Then draw again."
    )


def label_document(drawn: Draw, analysis: Analysis, out: str, command: str) -> Document:
    """What is to be labelled, when that stops, and what comes next: writing it, or its labels."""
    said = [Text(f"{_what(drawn)} {_how(drawn, out)}", "answer")]
    if bare := sum(one.is_bare for one in drawn.items):
        which = "all" if bare == len(drawn.items) else f"{bare:,}"
        how = _how_to_add_text(analysis.judgments)
        said.append(Text(f"No text is known of {which} of them, {_NO_TEXT}{how}", "answer"))
    if drawn.settles:
        people = [r for r in analysis.results["validity"] if r["raters_agreement"] is not None]
        said += [Text(agreement_in_words(one), "answer") for one in people[:1]]
    then = "label them, save the labels, and ask what they show" if out else "write the page"
    return Document(
        TITLE,
        [*said, *next_step(then, command)],
        {"label": [drawn.record]},
        sheet=[drawn.record],
    )


def _what(drawn: Draw) -> str:
    n, of = len(drawn.items), drawn.of
    if drawn.settles:
        return f"People differ on {of:,} outputs; {n:,} are here to settle."
    which = "whose verdict has more than half of the votes" if drawn.keeps else "without a label"
    turns = ", of questions without a label first" if drawn.of_several else ""
    return (
        f"{n:,} of {of:,} outputs {which} are drawn at random{turns}, in the order to label them."
    )


def _how(drawn: Draw, out: str) -> str:
    where = "Open it in a browser: a key is a label." if _is_page(out) else "Fill in its target."
    if not out:
        where = "Nothing is written without out."
    if drawn.goal is None:
        return where
    value = f"{drawn.goal.value:.0%}"
    ends = {
        "keep": f"at most {value} of what may be kept is wrong, for {drawn.goal.min_kept:.0%} of "
        "all or for what could be kept",
        "gate": f"the judge is right in {value} or more, or is not",
        "width": f"how often it is right is known to within {value}",
    }
    every = " of every judge" if drawn.rows[1:] else ""
    kind, near = ends[drawn.goal.kind], f" {drawn.near}" * bool(drawn.near)
    looks = f"After each {BLOCK} labels it looks whether it is known{every} that {kind}."
    return f"{where} {looks}{near}"


def _is_page(out: str) -> bool:
    return not out.lower().endswith((".csv", ".xlsx"))
