"""Is a judge good enough? Decided by the interval, not by the number alone."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..errors import UserError
from ..judgments.chosen_judge import by_rule, names_judge
from ..judgments.given_labels import Labels, labelled_judgments
from ..judgments.reading import Reading, refuse_unreadable
from ..judgments.sources import Columns, Source, in_file
from ..judgments.table import beside_replications
from ..record.rule import KeepRule, votes_in
from ..showing.answer import PythonAnswer
from ..showing.document import Caution, CheckedLimit, Document, Outcome, Table, Text, Tone
from ..showing.formats import (
    Record,
    TableColumn,
    amount,
    capped,
    describe,
    estimate_text,
    keys_of,
    of_group,
    told_apart,
)
from ..showing.keys import declared, legend
from ..stats import COEFFICIENTS, KINDS, SHARES, Estimate, Reason, code_of
from ..stats.estimate import Unknown
from ..stats.labelled import WITHIN_ONE
from ..stats.planning import (
    FAILS,
    OPEN,
    PASSES,
    questions_to_decide,
    questions_to_decide_rate,
    within_limit,
)
from .analysis import Analysis
from .any_time import Orders, any_time
from .beside_limit import reached_by_one_verdict
from .cautions import ASKED_ONCE
from .checks_in_words import by_how_much, requirement_parts, that_decides
from .condition import NO_DRAWS
from .facets import INVARIANCE
from .gate_next import GateCode, when_open, when_passed
from .given_rule import asked_promise, by_given_rule, rule_in
from .labelled_cascade import LabelledCascade
from .next_steps import set_aside
from .results import analyse
from .row import KEPT, RATES, Row, refuse_unlabelled, valued
from .summary import next_step, worst
from .validity import by_these_labels, names_or_grades, unlike_others

_SENTENCES: dict[str, tuple[str, Tone]] = {
    PASSES: ("The gate passes.", "good"),
    FAILS: ("The gate fails.", "bad"),
    OPEN: ("The gate is too uncertain to say.", "unsure"),
}


_SCALE = (
    "The verdicts are numbers, and omega counts only exact matches. ICC counts near misses as "
    "near, and is {}: ask for it with --min icc=VALUE in place of omega."
)

_NO_NUMBER = "How many more questions would decide {} is not known ({})."

_SEVERAL = Reason(
    Unknown.OTHER_KIND,
    "evidence that is valid at every look needs a single benchmark: group by benchmark",
)

_ONE_TEST = Reason(
    Unknown.OTHER_KIND, "questions of several benchmarks are not one test: group by benchmark"
)

FOOLED = ("towards", "lift")
"""What may be at most so large for each change that leaves an answer's worth alone."""

OF_VOTES = (KINDS[0], WITHIN_ONE)
"""What a majority or a mean of several verdicts can be held to."""

REQUIRED = (*COEFFICIENTS, *RATES, *SHARES, KEPT, *FOOLED)
"""Names that can have a limit."""

_NOT_CHANGED = Reason(
    Unknown.OTHER_KIND, "no answer was changed: run the judge with -T answers=instruction"
)

_INSTEAD = {
    Unknown.OTHER_KIND: "",
    Unknown.NO_NUMBERS: "Ask for omega, which takes verdicts for names",
    Unknown.NO_SCALE: "Ask for accuracy, which counts exact matches",
    Unknown.NO_NEAREST: "Ask for single verdicts: leave the votes out",
}
"""What to ask for where no more data of this kind can decide a limit, by why it cannot."""

_SHOWN = {"non_response_rate": "non-response", "invalid_rate": "invalid"}


@dataclass(frozen=True)
class Limits:
    """Requirements on a judge, and how they are decided: the options of the command.

    Attributes:
        least: Coefficients or rates with their minimum.
        most: Coefficients or rates with their maximum.
        anytime: Whether to decide by evidence that is valid at any time.
        votes: Verdicts of a question whose majority, or on a scale whose mean, has the limits; 1
            for single verdicts.
    """

    least: tuple[tuple[str, float], ...] = ()
    most: tuple[tuple[str, float], ...] = ()
    anytime: bool = False
    votes: int = 1

    def __post_init__(self) -> None:
        if self.votes < 1:
            raise UserError(f"{self.votes} votes have no majority: use 1 or more.")
        for name, limit in (*self.least, *self.most):
            if name not in REQUIRED:
                raise UserError(f"No coefficient {name!r}. Use one of: {', '.join(REQUIRED)}.")
            if limit > 1 and name not in FOOLED:
                raise UserError(f"{name} is at most 1: no judge can be asked for {limit:g}.")
        if wrong := [name for name, _ in self.least if name in FOOLED]:
            raise UserError(f"{wrong[0]} has no minimum: use --max {wrong[0]}=VALUE.")
        single = [name for name, *_ in self.all if name not in OF_VOTES]
        if self.votes > 1 and single:
            raise UserError(
                f"--votes is for accuracy and within_one, not for {single[0]}: gate that without "
                "--votes."
            )
        most = (*RATES, *KINDS[1:])
        least = ("omega", KINDS[0], WITHIN_ONE)
        has_evidence = {*((name, True) for name in least), *((name, False) for name in most)}
        for name, _, at_least in self.all:
            if self.anytime and (name, at_least) not in has_evidence:
                raise UserError(
                    "--anytime is for a minimum of omega, accuracy or within_one, and for a "
                    f"maximum of a share, not for {name}: leave it out, and look once."
                )

    @property
    def all(self) -> list[tuple[str, float, bool]]:
        """Every limit: its name, its value, and whether it is a minimum."""
        least = [(name, limit, True) for name, limit in self.least]
        most = [(name, limit, False) for name, limit in self.most]
        return [*dict.fromkeys([*least, *most])]


def check_limits(
    analysis: Analysis,
    limits: Limits,
    given: KeepRule | None = None,
    abstain: Sequence[str] = (),
) -> list[Record]:
    """Check every row against the limits, and a saved rule of `keep` against those of `kept`.

    `abstain` are the verdicts that decide nothing, as somebody said them: of a rule the same ones.

    A requirement passes, or fails, if the whole interval does, or if the evidence says so;
    otherwise more questions are needed. Coefficients of replications that may be copies decide
    nothing. Grades in `not_checked` are skipped.

    Returns:
        One record per row and requirement (`towards` and `lift`: one a change): `value`,
        `value_interval` and `result`.

    Raises:
        UserError: A limit is about labels, and a row has none; or no more data of this kind could
            decide it.
    """
    table = analysis.judgments.table
    rows = [row for row in analysis.rows if not beside_replications(row.asked, table)]
    of_rule = [one for one in limits.all if given and one[0] == KEPT]
    of_rows = [one for one in limits.all if one not in of_rule]
    names = [name for name, *_ in of_rows]
    refuse_unlabelled(rows, names, "A limit on", set_aside(analysis)[0])
    checks = []
    orders = Orders(analysis.judgments.order, analysis.judgments.label_order)
    for row in rows:
        suite = [row.suite.caution] if row.suite and row.suite.caution else []
        for asked in of_rows:
            for said, value in _estimates(analysis, row, asked[0], limits.votes):
                found = _requirement(row, asked, said, value, limits, orders)
                _refuse_other_kind(row, found)
                found["cautions"] += suite
                checks.append(of_group(row.group, found))
    if given and of_rule:
        panel = by_given_rule(analysis, asked_promise(None, None, given, abstain), given)
        checks += [_kept_by_rule(panel, asked, limits) for asked in of_rule]
    return checks


def _kept_by_rule(panel: LabelledCascade, asked: tuple[str, float, bool], limits: Limits) -> Record:
    """A limit on what a saved rule keeps here: it fails where labels contradict the rule.

    Where its promise may not hold here, it does not pass.
    """
    share, check = panel.share_kept(panel.rule.path[0]), panel.check
    found = _requirement(panel.rows[0], asked, f"{KEPT} by the rule", share, limits, Orders())
    if check and check.contradicts:
        found |= {"result": FAILS, "reason": Reason(GateCode.RULE, check.words)}
    elif panel.withheld and found["result"] == PASSES:
        found |= {"result": OPEN, "reason": Reason(GateCode.RULE, panel.withheld)}
    elif check:
        found["cautions"].append(Reason(GateCode.RULE, check.words))
    return of_group(panel.keys, found)


def _refuse_other_kind(row: Row, check: Record) -> None:
    """Refuse a limit that no more data of this kind could decide: that is no uncertainty."""
    why = check["reason"]
    code = code_of(why)
    if check["result"] != OPEN or not isinstance(code, Unknown) or code not in _INSTEAD:
        return
    name, votes = requirement_parts(check)[0], check["votes"]
    instead = _INSTEAD[code]
    if votes and not instead:
        instead = f"Ask for fewer votes, or judge each labelled question {votes} times"
    of = f"{name} of {votes} votes" if votes else name
    said = f"A limit on {of} cannot be decided for {row.title}: {why}."
    raise UserError(f"{said} {instead}." if instead else said)


def _estimates(
    analysis: Analysis, row: Row, name: str, votes: int
) -> Iterator[tuple[str, Estimate]]:
    """What a limit is about, in words, and its estimate: of changed answers, one a change."""
    if name == KEPT:
        yield name, next(one.kept for one in analysis.panels if row in one.rows)
    elif name in FOOLED:
        changes = [one for one in analysis.about(row, "fooled") if one["kind"] == INVARIANCE]
        for one in changes:
            low, high = one[f"{name}_interval"] or (None, None)
            why = one["not_estimable"].get(name)
            found = Estimate(one[name], low, high, one["n_questions"], reason=why)
            yield f"{name} of {one['change']}", found
        if not changes:
            yield f"{name} of any change", Estimate(reason=_NOT_CHANGED)
    else:
        yield _SHOWN.get(name, name), row.estimate(name, votes)


def _requirement(
    row: Row,
    asked: tuple[str, float, bool],
    said: str,
    found: Estimate,
    limits: Limits,
    orders: Orders,
) -> Record:
    (name, limit, at_least), anytime, votes = asked, limits.anytime, limits.votes
    why = _why_undecided(row, name, anytime)
    known = not why and found.value is not None
    evidence = any_time(row, name, limit, at_least, votes, orders) if anytime and known else None
    within = {"at_least" if at_least else "at_most": limit}
    result = evidence.result if evidence else within_limit(found, **within)
    # Draws differ more than the machine alone does, so what it fails they fail.
    if why and not (why is NO_DRAWS and at_least and result == FAILS):
        result = OPEN
    if result == PASSES and name in SHARES and _others_could_fail(row, found, limit, at_least):
        result, why = OPEN, unlike_others(row)
    cautions = [row.silent] if row.silent and row.silent != why else []
    if name in (*SHARES, *COEFFICIENTS) and (letters := names_or_grades(row)):
        cautions.append(letters)
    if reached := reached_by_one_verdict(row, name, limit, at_least):
        cautions.append(reached)
    if name in SHARES and (caution := by_these_labels(row)):
        cautions.append(caution)
    if name == "omega" and not why and row.judged.scale:
        cautions.append(Reason(GateCode.SCALE, _SCALE.format(estimate_text(row.record, "icc"))))
    stopped = name in SHARES and row.stopped
    open_ = result == OPEN and known and not anytime and not stopped
    more, unknown = _more_questions(row, name, limit, votes) if open_ else (None, None)
    return {
        "requirement": f"{said} {'>=' if at_least else '<='} {limit:g}",
        "votes": votes if votes > 1 else None,
        **valued(value=found),
        "level": found.level,
        "n_questions": found.n_questions,
        "evidence_for": evidence and evidence.for_pass,
        "evidence_against": evidence and evidence.for_fail,
        "evidence_needed": evidence and evidence.needed,
        "result": result,
        "more_questions": more,
        "reason": why or found.reason or unknown,
        "cautions": cautions,
    }


def _others_could_fail(row: Row, found: Estimate, limit: float, at_least: bool) -> bool:
    """Whether what is passed by labelled questions could fail by others, which are unlike them."""
    if found.ends is None or unlike_others(row) is None:
        return False
    known = found.n_questions / row.counts.n_clusters
    low, high = found.ends
    worst = known * low if at_least else known * high + 1 - known
    return worst < limit if at_least else worst > limit


def _more_questions(
    row: Row, name: str, limit: float, votes: int
) -> tuple[int | None, Reason | None]:
    """After how many more questions a requirement is decided, if the value is right, or why not."""
    if name in RATES:
        return questions_to_decide_rate(row.counts, limit, RATES[name]), None
    one_test = name in COEFFICIENTS and not row.several
    found = row.precision(name, votes) if one_test or name in SHARES else None
    if found is None:
        return None, None
    why = (
        Reason(GateCode.NO_NUMBER, _NO_NUMBER.format(name, found.reason)) if found.reason else None
    )
    return questions_to_decide(found, limit), why


def _why_undecided(row: Row, name: str, anytime: bool) -> str | None:
    """Why a coefficient decides nothing whatever its interval; None if it can."""
    if name not in COEFFICIENTS:
        return None
    if row.asked_once:
        return ASKED_ONCE
    exact_matches = COEFFICIENTS[name].scale == "nominal"
    why = row.no_evidence if exact_matches else row.no_draws
    if not why and row.several and anytime:
        return _SEVERAL
    if not why and row.several and name not in ("omega", "agreement"):
        return _ONE_TEST
    return why


def not_checked(analysis: Analysis) -> list[str]:
    """Rows that `check` skips: a suite's own grades in a rejudged log."""
    table = analysis.judgments.table
    beside = [row for row in analysis.rows if beside_replications(row.asked, table)]
    return [
        f"{row.name} is not checked: rejudge judged its outputs again."
        for row in (*analysis.left_out, *beside)
    ]


def overall(checks: Sequence[Record]) -> str:
    """One result for all: failed if any failed, uncertain if any is uncertain or there is none."""
    results = {check["result"] for check in checks} or {OPEN}
    return next(result for result in (FAILS, OPEN, PASSES) if result in results)


@dataclass(frozen=True, eq=False, repr=False)
class CheckedJudges(PythonAnswer):
    """Whether judges are good enough, a check for each judge and requirement.

    It is true where all pass, so that `found = ir.gate(...)` and `assert found, found` stop a
    pipeline that may not go on, and say why.

    Attributes:
        analysis: The judges.
        checks: A record for each judge and requirement, as `summary()` has them in a data frame.
        votes: How many verdicts each judgment is the majority or mean of, by a choice.
    """

    analysis: Analysis
    checks: Sequence[Record]
    votes: int = 1

    _own = ("result",)

    @cached_property
    def document(self) -> Document:
        """The checks as the command shows them."""
        rule = " --rule RULE" * ("rule" in self.call.given)
        return gate_document(self.analysis, self.checks, votes=self.votes, rule=rule)

    @property
    def result(self) -> str:
        """That of all together: "passes", "fails" or "too uncertain to say"."""
        return overall(self.checks)

    def __bool__(self) -> bool:
        """Whether it passes: `assert found, found` holds then alone."""
        return self.result == PASSES


def gate(
    judgments: Source,
    by: str | Sequence[str] = (),
    *,
    least: Mapping[str, float] | None = None,
    most: Mapping[str, float] | None = None,
    anytime: bool = False,
    votes: int = 1,
    rule: str | Path | None = None,
    labels: Labels = (),
    columns: Columns = None,
    swap: bool | None = None,
    reading: Reading | str | Path | None = None,
) -> CheckedJudges:
    """Let every judge pass or fail, by its 95% interval over questions.

    Args:
        judgments: Judgments, or where they are (see `judgments_from`): a data frame, logs, files.
        by: Columns to group by, or the name of one, as in `analyse`.
        least: Coefficient, rate or share -> the least it must be, as in `{"omega": 0.6}`.
        most: Coefficient, rate or share -> the most it may be, as in `{"non_response_rate": 0.05}`.
        anytime: Whether to decide by evidence that stays valid however often you look.
        votes: Hold the majority of so many verdicts, or on a scale their mean, to the limits.
        rule: File that `choose` wrote: only its judge, with its votes, without the labels that
            chose it. A rule of `keep` is refused where another judge than its own judged, and a
            limit on `kept` is on what it keeps: that fails where labels contradict the rule.
        labels: Labels of people, as in `analyse`.
        columns: Name in the frame or files -> name in the table.
        swap: What verdicts name where orders have names; see `judgments_from`.
        reading: How frames and files are read, or a file that says so.

    Returns:
        The checks: `summary()` has a row for each judge and requirement. `result` is that of all
        together: "passes", "fails" or "too uncertain to say".

    Raises:
        UserError: A source cannot be read, nothing of this name can have a limit, judgments of
            this kind cannot decide one, or a rule is of another judge.

    Example:
        >>> import inspect_reliability as ir
        >>> found = ir.gate("examples/verdicts.csv", least={"accuracy": 0.6})
        >>> found.summary()[["judge", "value", "result"]].round(2)
                  judge  value                result
        0       gpt-5.4   0.68  too uncertain to say
        1  gpt-5.4-nano   0.50                 fails
        >>> found.result
        'fails'
    """
    at_least, at_most = (tuple((limit or {}).items()) for limit in (least, most))
    limits = Limits(at_least, at_most, anytime, votes)
    if not limits.all:
        raise UserError('Say what to hold the judge to, as in least={"accuracy": 0.8}.')
    by = [by] if isinstance(by, str) else by
    of = None if rule is None else str(rule)
    read = labelled_judgments(
        judgments,
        labels,
        columns=columns,
        swap=swap,
        reading=reading,
        by=by,
        apart=names_judge(of),
    )
    refuse_unreadable(read.notes)
    read = by_rule(read, of)
    analysis = analyse(read, by)
    abstain = Reading.of(in_file(reading)).abstain
    found = check_limits(analysis, limits, rule_in(of), abstain)
    return CheckedJudges(analysis, found, votes_in(of), notes=read.notes)


def _more_in_words(check: Record) -> str:
    more = check["more_questions"]
    return capped(more, check["n_questions"]) if more else ""


def _evidence(record: Record) -> str:
    if record["evidence_for"] is None:
        return ""
    for_it, against, needed = (record[f"evidence_{k}"] for k in ("for", "against", "needed"))
    return f"{for_it:.3g} for, {against:.3g} against ({needed:.3g} decides)"


def gate_document(
    analysis: Analysis,
    checks: Sequence[Record],
    allow_uncertain: bool = False,
    votes: int = 1,
    logs: str = "LOGS",
    rule: str = "",
) -> Document:
    """The overall result, the checks, why a judge is uncertain, and what to do next.

    `allow_uncertain` says whether a pipeline goes on where a check is too uncertain to say,
    `votes` how many verdicts each judgment is the majority of, `logs` what was read, and `rule`
    the option that names a judge among them.
    """
    titles = {row.name: row.title for row in analysis.rows}
    rows = [describe(keys_of(one, before="requirement")) for one in checks]
    named = [one | {"who": titles.get(row, row)} for one, row in zip(checks, rows, strict=True)]
    columns = declared("gate", evidence_for=_evidence, more_questions=_more_in_words)
    table = Table.of(named, [TableColumn("who", heading="Judge"), *columns])
    result = overall(checks)
    sentence, tone = _SENTENCES[result]
    if decides := that_decides(checks, result):
        groups = [keys_of(one, before="requirement") for one in checks]
        whom = told_apart(groups, "judge")(keys_of(decides, before="requirement"))
        one_row = all(one == groups[0] for one in groups)
        sentence = f"{sentence[:-1]}: {by_how_much(decides, '' if one_row else whom, votes)}."
    undecided = [one for one in named if one["result"] == OPEN]
    then: list[Text] = []
    if result == OPEN and undecided:
        more, then = when_open(analysis, undecided, decides, logs)
        sentence += f" {more}"
    if result == PASSES:
        then = when_passed(analysis, logs, rule)
    broken = [one["reason"] for one in named if code_of(one["reason"]) == GateCode.RULE]
    if result == FAILS and broken:
        sentence = f"The gate fails: {broken[0]}."
    elif result == FAILS or (result == OPEN and not then):
        then = next_step("see why, and what would make it better", f"report {logs}")
    if broken:
        then = next_step("see what the rule keeps here, and what to label", f"keep {logs}{rule}")
    n = len({one["who"] for one in named})
    why = Caution.each(((one["reason"], one["who"]) for one in undecided if one["reason"]), n)
    told = Caution.each(((text, one["who"]) for one in named for text in one["cautions"]), n)
    return Document(
        "Are the judges good enough?",
        [Text(sentence, tone), *[table] * bool(checks), *worst(told), *worst(why), *then],
        {"result": result, "rows": checks},
        more=lambda: [*told, *why],
        explained=lambda: legend(columns),
        checks=[_for_pipelines(one, allow_uncertain, votes) for one in named],
    )


def undecided_document(asked: Iterable[str], why: str) -> Document:
    """What a pipeline is told where nothing could be checked; `asked` names what has a limit."""
    check = CheckedLimit("gate", ", ".join(asked), "uncertain", why)
    return Document("Are the judges good enough?", [], {}, checks=[check])


def _for_pipelines(check: Record, allow_uncertain: bool, voting: int) -> CheckedLimit:
    """A check with its value in words, and the reason why it decides nothing."""
    outcomes: dict[str, Outcome] = {PASSES: "passes", FAILS: "fails"}
    value = "not estimable" if check["value"] is None else estimate_text(check, "value", "z.3f")
    evidence, votes = _evidence(check), check["votes"] or voting
    name, *limit = requirement_parts(check)
    n = f" on {amount(check['n_questions'], 'question')}" if check["n_questions"] else ""
    found = [f"{check['result']}: {value}{n}", evidence, check["reason"]]
    return CheckedLimit(
        of=check["who"],
        requirement=" ".join([f"{name} of {votes} votes" if votes > 1 else name, *limit]),
        outcome=outcomes.get(check["result"], "allowed" if allow_uncertain else "uncertain"),
        found="; ".join(filter(None, found)),
    )
