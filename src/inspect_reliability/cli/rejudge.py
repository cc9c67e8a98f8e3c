"""`rejudge`: judge the outputs in a log again and again."""

import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

import click
import yaml
from inspect_ai import eval
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelCost, ModelInfo, get_model_info, set_model_info
from pydantic import TypeAdapter

from ..answers import analyse
from ..answers.card import REJUDGED
from ..answers.report import report_document, results_shown
from ..answers.results import estimate
from ..answers.score_variance import variance_in_words
from ..designs.variations import shipped
from ..errors import UserError
from ..files import read_text, user_path, yaml_events
from ..judging.cost import Cost
from ..judgments.logs import judgments_from_logs
from ..judgments.score import before_edits
from ..record import same_model
from ..record.rule import EXACT, read_choice
from ..rejudging.again import NOT_MADE, RunLimits
from ..rejudging.outputs import WANTED, PlannedReplications, made_in, read_one_log
from ..rejudging.rejudging import Rejudging
from ..saving import alone
from ..shell import quote
from ..showing import Form
from ..showing.document import Text
from ..showing.formats import amount
from ..showing.terminal import console, print_text
from .failures import MISSING, failure_lines
from .main import command
from .options import Finite, format_option, model_args_option, print_left_out, progress, show
from .targets import writes

_EDITS = "People edited scores of this log. They are labels with: inspect-reliability report"


@command("rejudge LOG --dry-run", "rejudge LOG --scorer model_graded_qa --replications 20")
@click.argument("log")
@click.option(
    "--scorer",
    metavar="NAME",
    help="A scorer of the log by the name of its scores, or any other: NAME, PACKAGE/NAME or "
    "FILE.py@NAME. Default: the log's own, if only one asked a model.",
)
@click.option(
    "--answers",
    callback=lambda context, option, given: given.split(",") if given else None,
    metavar="NAME,...",
    help=f"Judge each output with its answer changed as well: {', '.join(shipped())}, or the "
    "changes of a FILE.",
)
@click.option("--replications", type=click.IntRange(min=1), default=20)
@click.option(
    "--rule",
    metavar="FILE",
    help="Ask the judge that choose --out wrote into this file: its temperature, as many verdicts "
    "as it votes by, and the grader if that is of the log.",
)
@click.option("--seed", default=0, help="Base seed.")
@click.option(
    "--model",
    metavar="MODEL",
    help="The grader. Default: the one that graded before, found as the scorer found it.",
)
@model_args_option
@click.option("--model-base-url", metavar="URL", help="Address of the grader. Needs --model.")
@click.option(
    "--temperature",
    type=Finite(min=0),
    help="Temperature of the grader. Default: its own.",
)
@click.option(
    "--max-tokens", type=click.IntRange(min=1), help="Tokens of a call at most. Default: its own."
)
@click.option("--limit", type=click.IntRange(min=1), help="Outputs to judge at most.")
@click.option(
    "--cost-limit",
    type=Finite(min=0, min_open=True),
    help="Dollars after which no further call is made. Needs the grader's price.",
)
@click.option(
    "--model-cost-config",
    metavar="FILE",
    help="YAML or JSON file with prices of models, as for inspect eval.",
)
@click.option("--dry-run", is_flag=True, help="Say what it would cost, and make no call.")
@writes(
    "--log-dir",
    logs=True,
    help="Folder of the logs, and to go on from where it has some. Default: beside LOG, its name "
    "with '-rejudged'.",
)
@format_option
@click.pass_context
def rejudge(
    context: click.Context,
    /,
    log: str,
    dry_run: bool,
    rule: str | None,
    cost_limit: float | None,
    model_cost_config: str | None,
    log_dir: str | None,
    form: Form,
    **options: Any,
) -> None:
    """Judge every output in LOG again and again, and report its judge.

    The outputs stay fixed, so only the judge can differ. The code of the log's task is not needed.
    The judgments go to logs in a folder of their own. Run the command again after an interruption,
    to retry failed replications, or with a larger --replications to add more. Nothing that was
    judged is judged again.

    Exit status: 0 if all replications were made, 4 if some failed or are missing, 2 if the command
    cannot do what was asked.
    """
    if options["model"] is None and (options["model_args"] or options["model_base_url"]):
        raise UserError("-M and --model-base-url say how to reach a grader: add --model MODEL.")
    if model_cost_config:
        _learn_prices(model_cost_config)
    source = read_one_log(log)
    folder = log_dir or f"{log.removesuffix(PurePosixPath(log).suffix)}-rejudged"
    if rule:
        options = _asked_by(rule, context, options)
    rejudging = Rejudging(source, **options)
    if rule:
        _refuse_others(rule, rejudging)
    wanted = rejudging.missing(made_in(folder, rejudging.settings))
    screen = console(stderr=True)
    cost = rejudging.cost(wanted)
    for line in [*rejudging.announcement(), f"{cost}."]:
        print_text(screen, line)
    if dry_run:
        return
    limits = RunLimits(cost_limit)
    failed = _judged(rejudging, wanted, limits, folder, {REJUDGED: _typed(context)})
    made = made_in(folder, rejudging.settings)
    missing = sum(one.replications for one in rejudging.missing(made))
    if made:
        if wanted and cost.made:
            print_text(screen, _of_this_run(cost))
        _report(folder, form)
        if _edits(source):
            labels = f"{quote(folder)} --labels {quote(log)}"
            print_text(screen, f"{_EDITS} {labels}")
    for line in failure_lines(failed, missing, limits.stopped):
        print_text(screen, line)
    if missing:
        context.exit(MISSING)


def _of_this_run(cost: Cost) -> str:
    """What inspect's metrics are of, where a run makes what others lack."""
    every = cost.outputs * cost.replications
    own = amount(every - cost.made, "replication")
    return f"The metrics above are of {own} of this run alone; the report is of all {every:,}."


def _edits(log: EvalLog) -> bool:
    """Whether people edited scores of a log."""
    scores = (score for one in log.samples or [] for score in (one.scores or {}).values())
    return any(before_edits(score)[1] for score in scores)


def _asked_by(rule: str, context: click.Context, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with what a choice says of votes and temperature; others must not differ."""
    choice = read_choice(rule)
    if choice.votes == EXACT:
        raise UserError(f"{rule} takes probabilities, which rejudge cannot ask for.")
    said: dict[str, Any] = {"replications": int(choice.votes)}
    if "temperature" in choice.design:
        said["temperature"] = float(choice.design["temperature"])
    for name, value in said.items():
        typed = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if typed and options[name] != value:
            raise UserError(
                f"{rule} says --{name} {value}, and you {options[name]}. Leave --{name} out, or "
                "judge without --rule."
            )
    return {**options, **said}


def _refuse_others(rule: str, rejudging: Rejudging) -> None:
    """Refuse a grader that was not chosen; say what a command cannot see."""
    choice = read_choice(rule)
    judge, graders = choice.design.get("judge", ""), sorted(rejudging.graders)
    if judge and not any(same_model(judge, one) for one in graders):
        raise UserError(
            f"{rule} is stale: it chose {judge}, and the grader here is {', '.join(graders)}. Name "
            "it with --model PROVIDER/MODEL, or choose again."
        )
    if "wording" in choice.design:
        said = f"{rule} chose wording {choice.design['wording']}: see that --scorer asks it."
        print_left_out([said])


def _judged(
    rejudging: Rejudging,
    wanted: Sequence[PlannedReplications],
    limits: RunLimits,
    folder: str,
    typed: Mapping[str, Any],
) -> list[str]:
    """Judge what is missing; the errors of replications that failed."""
    if not wanted:
        return []
    task = rejudging.to_task(wanted, limits, **typed)
    graders = sorted(rejudging.graders)
    unpriced = [name for name in graders if not ((known := get_model_info(name)) and known.cost)]
    if limits.cost_limit is not None and unpriced:
        raise UserError(
            f"{', '.join(unpriced)} has no price, so --cost-limit cannot be kept. Give it "
            "with --model-cost-config FILE."
        )
    # Standard output is for the report.
    logs = list[EvalLog]()
    # inspect returns no log of an interrupted run; a second Ctrl-C passes through it.
    with (
        suppress(KeyboardInterrupt),
        alone(f"{folder}/rejudging"),
        redirect_stdout(sys.stderr),
    ):
        # Without its model inspect would load that of INSPECT_EVAL_MODEL beside it. A sample has
        # many replications, which a kill must not take away.
        logs = eval(task, task.model, log_dir=folder, log_buffer=1, log_realtime=False)
    if not logs:
        limits.stop("the run was interrupted. What was judged is kept")
        return []
    [log] = logs
    errors = [log.error.message] if log.error else []
    for sample in log.samples or []:
        if sample.error:
            errors += [sample.error.message] * PlannedReplications(
                **sample.metadata[WANTED]
            ).replications
        for score in (sample.scores or {}).values():
            errors += map(str, ((score.metadata or {}).get("errors") or {}).values())
    return [one for one in errors if not one.startswith(NOT_MADE)]


def _report(folder: str, form: Form) -> None:
    found = judgments_from_logs(folder)
    print_left_out(found.notes)
    logs = quote(folder) if form == "table" else "LOGS"
    analysis = analyse(found)
    estimate(analysis, results_shown(analysis, form), progress)
    document = report_document(analysis, logs)
    variance = [
        block for suite in analysis.results["score_variance"] for block in variance_in_words(suite)
    ]
    answer = [one for one in document.blocks if getattr(one, "tone", "") != "more"]
    after = [one for one in answer if getattr(one, "tone", "") in ("next", "command")]
    before = [one for one in answer if one not in after]
    more = Text(f"More: inspect-reliability report {logs}", "more")
    blocks = [*before, *variance, *after, more]
    results = {"log": folder, **document.results}
    show(replace(document, blocks=blocks, results=results), form)
    print_text(console(stderr=True), f"Every judgment is in {folder}.")


def _typed(context: click.Context) -> list[str]:
    """The log's name and the options that decide its judgments, as they were typed."""
    words = [PurePosixPath(context.params["log"]).name]
    for option in context.command.params:
        name, value = str(option.name), context.params[str(option.name)]
        free = ("log", "rule", "dry_run", "form", "cost_limit", "model_cost_config")
        if name in free or value in (option.default, None):
            continue
        if isinstance(value, dict):
            value = [f"{k}={json.dumps(v)}" for k, v in value.items() if k != "api_key"]
        for one in value if isinstance(value, list | tuple) else [value]:
            words += [option.opts[0], str(one)]
    return words


def _learn_prices(file: str) -> None:
    """Tell inspect the prices of models in a file, as its own `--model-cost-config` does."""
    path = user_path(file)
    try:
        text = read_text(path)
        for _ in yaml_events(text, str(path)):  # or an error
            pass
        given = TypeAdapter(dict[str, ModelCost]).validate_python(yaml.safe_load(text))
    except (ValueError, yaml.YAMLError) as error:
        raise UserError(
            f"{path} has no prices: {str(error).splitlines()[0]}. Give each model its input, "
            "output, input_cache_write and input_cache_read, in dollars per million tokens."
        ) from None
    for name, price in given.items():
        info = get_model_info(name) or ModelInfo()
        set_model_info(name, info.model_copy(update={"cost": price}))
