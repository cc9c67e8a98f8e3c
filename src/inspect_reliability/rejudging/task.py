"""The inspect task that judges the outputs of a log again."""

from collections.abc import Sequence
from operator import attrgetter

from inspect_ai import Task, task

from ..record.replications import replication_numbers
from ..record.shards import sharded


@task
def rejudge_log(
    log: str,
    scorer: str | None = None,
    replications: int | str = 20,
    seed: int = 0,
    model: str | None = None,
    temperature: float | None = None,
    max_tokens: int | None = None,
    shard: str | None = None,
    answers: str | Sequence[str] | None = None,
) -> Task:
    """Judge every output in a log again and again, without the code of its task.

    Run it as any task: `inspect eval inspect_reliability/rejudge_log -T log=LOG --model none/none`,
    or `eval(rejudge_log(LOG), model="none/none")`: its models are those of the log. inspect writes
    the log, retries it, and limits it. The command
    `inspect-reliability rejudge` also says the cost before the first call, makes only what the logs
    of a folder lack, and has limits for the whole run.

    Args:
        log: The log.
        scorer: Its scorer, by the name of its scores or its own, or any other (see `rejudge`). By
            default the only one, or the only one that asked a model.
        replications: How often each output is judged; or the first and the last number, as in
            "21-40", to add to a log of the first 20. Reports read both logs together.
        seed: Base seed.
        model: The grader; by default the one that graded before.
        temperature: Sampling temperature of the grader, instead of its own.
        max_tokens: The most tokens of a call, instead of the grader's own limit.
        shard: Judge the outputs of a part of the questions, as in `judge`.
        answers: Changes of the outputs, by name or of a file, as for `judge`.

    Raises:
        UserError: There is nothing to judge, it is not clear by which scorer, or the log asks for
            what only the user may decide (see `Rejudging`).

    Example:
        >>> from inspect_reliability import rejudge_log
        >>> task = rejudge_log("suite.eval", replications=20)  # then eval(task, model="none/none")
    """
    from .outputs import read_one_log
    from .rejudging import Rejudging

    numbers = replication_numbers(replications)
    rejudging = Rejudging(
        read_one_log(log),
        scorer,
        replications=numbers[-1],
        seed=seed,
        model=model,
        temperature=temperature,
        max_tokens=max_tokens,
        answers=answers,
    )
    wanted = rejudging.missing(set(), numbers[0])
    own, part = sharded(wanted, attrgetter("sample"), shard)
    return rejudging.to_task(own, **part)
