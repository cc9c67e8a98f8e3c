"""The solver that shows an item to a judge."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from inspect_ai.solver import Generate, Solver, TaskState, solver

from ..designs import JudgeDesign, changes_of, forms_of, wordings_of
from ..errors import UserError, one_of
from ..hf_seeded import stopping
from ..record.replications import base_seed, replication_numbers
from .asking import OTHER, AskedItem, Asking, OrderPolicy, Orders, SeededPrompt, item_of
from .replicate import replicate
from .requests import Providers


@solver
def judge_responses(
    design: JudgeDesign | Mapping[str, Any],
    order: OrderPolicy = "shuffled",
    seed: int = 0,
    replications: int | str | None = None,
    exact: bool | str = False,
    temperatures: Sequence[float] | float | None = None,
    orders: Orders | None = None,
    wordings: str | Sequence[str] | None = None,
    answers: str | Sequence[str] | None = None,
    answer_forms: str | Sequence[str] | None = None,
) -> Solver:
    """Show the judge an item and let it generate its verdict, once or many times.

    Needs the sample metadata that `judge_sample` writes. Adds `order` (names of the responses, in
    the order of the labels), `replication` and `seed` (as sent to the provider). The first
    replication of a run has `seed_check` (whether the provider honours seeds). Of several
    replications these describe the first; `replications` is their number, `orders` the order of
    each (as places in `order`) if they differ, and `errors` the failures.

    In an experiment (`orders`, `wordings`, `answers`, `answer_forms`) each cell has this many
    replications, one cell after the other. `cells` describes them (see `Grid`). Where the judge
    chooses, the first output decides which answer is changed.

    Args:
        design: How the judge is asked, or the fields of a `JudgeDesign`.
        order: Order of the options: "shuffled" per question and held over replications,
            "reshuffled" for every replication, or "given".
        seed: Base seed of option order and replications.
        replications: Replications that one sample makes: how many, or the first and the last
            ("51-100"). Their verdicts are those of as many epochs. By default each epoch is one.
        exact: Find the distribution of each question's verdict instead of drawing verdicts. Needs a
            judge that runs on this machine: hf_seeded/MODEL. "verdict" is for judges that reason
            first: it samples `replications` reasonings, and finds the distribution of the verdict
            after each. Needs a provider that returns log probabilities.
        temperatures: Temperatures of exact verdicts, as in "1,0.75,0.5": one run serves all. By
            default that of the run.
        orders: Show each question with its options in so many orders, the same for all questions: 2
            or more, "rotations" (each option has every place once), or "all". Each order has all
            replications, with seeds of its own.
        wordings: Ask each question in other wordings too: those of a YAML or JSON file, or changes
            that keep the meaning: "labels" (brackets around them), "whitespace", or both. Those of
            the design by default.
        answers: Change an answer, to find out what fools the judge: by changes that come with the
            package, such as "praise", which must not move the verdict, or "truncated", which must
            (a name that is none of them lists all). Or by changes of a YAML or JSON file, or by
            several of these.
        answer_forms: Ask each question for other forms of answer too: "bare" (the verdict alone),
            "json", "sentence", or several of these.

    Raises:
        UserError: An option has a wrong value, or two options contradict each other.
    """
    one_of("order", order, get_args(OrderPolicy))
    own = design if isinstance(design, JudgeDesign) else JudgeDesign(**design)
    changes = changes_of(answers)
    forms = [*forms_of(own, answer_forms)]
    worded = wordings_of(own, wordings)
    asking = Asking(own, worded, order, base_seed(seed), orders, changes, forms)
    _ = asking.several  # or an error before the first call
    numbers = replication_numbers(1 if replications is None else replications)
    providers, drawn = Providers(), True
    if changes:
        _check_answers(asking, exact, len(numbers))
    if exact is not False or temperatures is not None:
        from . import exact as exactly  # which most runs do without

        at = exactly.temperatures_of(asking, exact, replications, temperatures)
        providers, drawn = Providers(exactly.AT_VERDICT), exact is not True
    chooses = asking.design.reader.kind == "options"

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        item = item_of(state.metadata)
        first = numbers.start + (state.epoch - 1) * len(numbers)
        asked = AskedItem(asking, item, range(first, first + len(numbers)))

        def changed(said: str | None) -> dict[int, SeededPrompt]:
            asked.change(said, state.metadata.get(OTHER, {}))
            state.metadata.update(asked.kept)
            return dict(enumerate(asked.requests, first))

        if changes and not chooses:
            changed(None)
        state.metadata |= asked.kept
        if not drawn:
            return await exactly.exact_verdicts(state, own.reader, asked.requests, at)
        by_number = dict(enumerate(asked.requests, first))
        then = changed if changes and chooses else None
        with stopping(own.reader.finished):
            state = await replicate(state, by_number, item.id, providers, then)
        if exact == "verdict":
            exactly.note_probabilities(state)
        return state

    return solve


def _check_answers(asking: Asking, exact: object, number: int) -> None:
    """Refuse changes of answers whose effect could not be told from the judge's own noise.

    Raises:
        UserError: Verdicts are exact, the order is no fact of a cell, or the first verdict, which
            decides what is changed, is the only one.
    """
    if exact:
        raise UserError(f"answers= needs draws. Leave out exact={exact}: -T replications=5.")
    if asking.order == "reshuffled":
        raise UserError("order=reshuffled shows answers at other places. Leave out one of them.")
    if asking.design.reader.kind == "options" and number < 2:
        raise UserError(
            "answers= changes an answer by the first verdict, which the comparison leaves out. Say "
            "how many there are in one sample: -T replications=5."
        )
