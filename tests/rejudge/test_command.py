"""What `rejudge` says before, while and after it asks the grader."""

import json
import re
from pathlib import Path

import pytest
from click.testing import Result
from inspect_ai.event import ModelEvent
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import ModelConfig, get_model
from inspect_ai.scorer import model_graded_qa

from commands import invoke
from graders import LENIENT, TINY, in_full, newest, run, suite
from inspect_reliability.cli import main
from inspect_reliability.cli.failures import failure_lines
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.rejudging.rejudging import Rejudging


@pytest.fixture
def log(tmp_path: Path) -> str:
    """A log of three outputs, graded by a model that always gives the same grade."""
    return run(suite(model_graded_qa()), tmp_path, get_model(f"{LENIENT}/one")).location


def rejudge(log: str, *more: str) -> Result:
    return invoke("rejudge", log, "--replications", "4", *more)


def target_of(log: str) -> str:
    return log.removesuffix(".eval") + "-rejudged"


def replications(log: str) -> list[int]:
    """How many replications each output of a log has."""
    found = judgments_from_logs(target_of(log)).table["question"].value_counts().to_dict()
    return [found.get(name, 0) for name in "012"]


@pytest.mark.slow
def test_outputs_are_judged_in_the_order_of_their_dataset(log: str) -> None:
    """inspect reads samples by name, so that new questions would come between those before."""
    read = read_eval_log(log)
    assert [one.id for one in read.samples or []] == [0, 1, 2]
    read.eval.dataset.sample_ids = [2, 0, 1]
    assert [one.id for one in Rejudging(read).samples] == [2, 0, 1]
    assert [one.id for one in Rejudging(read, limit=1).samples] == [2]


def test_a_dry_run_says_the_cost_and_makes_no_call(log: str) -> None:
    """The cost is outputs times replications, in tokens of the log's own grading; no file stays."""
    done = rejudge(log, "--dry-run")
    assert done.exit_code == 0, done.output
    assert "3 outputs x 4 = 12 calls, about 120 tokens." in done.stderr
    assert not done.stdout
    assert [file.name for file in Path(log).parent.iterdir()] == [Path(log).name]


@pytest.mark.slow
def test_a_log_of_a_scanner_asks_for_a_scorer(log: str) -> None:
    """A log says no more of a scanner of inspect_scout than its name: a file has it."""
    scanned = read_eval_log(log)
    assert scanned.eval.scorers
    scanned.eval.scorers[0].name, scanned.eval.task_registry_name = "polite", "chats"
    write_eval_log(scanned, log)
    done = rejudge(log)
    assert done.exit_code == 2
    assert "There is no scorer 'polite'" in done.stderr
    assert "(--scorer file.py@polite)" in done.stderr
    assert "let a function with @scorer in a file return it" in " ".join(done.stderr.split())


@pytest.mark.slow
@pytest.mark.parametrize("named", [True, False])
def test_a_log_without_scores_names_the_command_that_judges_it(log: str, named: bool) -> None:
    """It runs as printed, but for the model, which a log that names no scorer does not tell."""
    bare = read_eval_log(log)
    for one in bare.samples or []:
        one.scores = None
    bare.eval.scorers = bare.eval.scorers if named else None
    write_eval_log(bare, log)
    done = invoke("report", log)
    assert done.exit_code == 2
    [command] = re.findall(r"^  inspect-reliability (.*)$", done.stderr, re.MULTILINE)
    words = command.replace("PROVIDER/MODEL", f"{LENIENT}/one").split()
    assert ("--model" in words) == (not named)
    asked = invoke(*words, "--dry-run")
    assert asked.exit_code == 0, asked.output
    assert "3 outputs x 20 = 60 calls" in asked.stderr


@pytest.mark.slow
def test_a_limit_judges_so_many_outputs(log: str) -> None:
    """The first outputs are judged, the others are left; a later run without it judges them."""
    done = rejudge(log, "--limit", "2")
    assert done.exit_code == 0, done.output
    assert "2 outputs x 4 = 8 calls" in done.stderr
    assert replications(log) == [4, 4, 0]
    assert "3 outputs x 4, 8 of them made already, = 4 calls" in rejudge(log).stderr
    assert replications(log) == [4, 4, 4]


@pytest.mark.slow
def test_the_log_itself_is_no_output(log: str) -> None:
    """The log is not changed, nor is another one in its folder."""
    before = Path(log).read_bytes()
    done = rejudge(log, "--log-dir", str(Path(log).parent))
    assert done.exit_code == 2
    assert "no rejudging of this one" in " ".join(done.stderr.split())
    assert rejudge(log).exit_code == 0
    assert Path(log).read_bytes() == before


@pytest.mark.slow
def test_the_report_alone_is_on_standard_output(log: str) -> None:
    """What inspect says of its run does not get into a report that is read by a program."""
    done = rejudge(log, "--format", "json")
    report = json.loads(done.stdout)
    assert report["log"] == target_of(log)
    assert [row["n_replications"] for row in report["rows"]] == [4]


@pytest.mark.slow
def test_the_answer_is_last_and_names_the_logs(log: str) -> None:
    """The next step runs as printed, and what the score varies with stands before it."""
    done = rejudge(log)
    said = "".join(done.stdout.split())
    assert said.endswith(f"More:inspect-reliabilityreport{target_of(log)}")
    assert "LOGS" not in done.stdout
    assert done.stdout.index("variance of the score") < done.stdout.index("Next: ")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nosuch/x", "openai-api/nokey/x", "hf_seeded/./x"])
@pytest.mark.parametrize("place", ["role", "argument"])
def test_a_grader_that_cannot_be_used_is_one_line(
    log: str, name: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever a log names it, the command says why before the first call, and what to do."""
    monkeypatch.delenv("NOKEY_API_KEY", raising=False)
    named = read_eval_log(log)
    assert named.eval.scorers
    named.eval.model_roles = {"grader": ModelConfig(model=name)} if place == "role" else None
    if place == "argument":
        named.eval.scorers[0].options = {"model": name}
    write_eval_log(named, log)
    done = rejudge(log)
    assert done.exit_code == 2, done.output
    words = " ".join(done.stderr.split())
    assert name in words
    assert "--model" in words
    assert " failed" not in words
    assert "[bold]" not in words


@pytest.mark.slow
def test_a_reducer_that_is_not_known_stops_nothing(log: str) -> None:
    """A log can ask for a reducer that this machine lacks; replications are not reduced."""
    asking = read_eval_log(log)
    asking.eval.config.epochs_reducer = ["at_least_x"]
    write_eval_log(asking, log)
    assert rejudge(log).exit_code == 0


@pytest.mark.slow
def test_settings_of_the_command_reach_every_call(log: str) -> None:
    """Each call has them, other settings are not mixed with them, and the command says them."""
    done = rejudge(log, "--temperature", "0.5", "--max-tokens", "7")
    assert done.exit_code == 0, done.output
    assert "Its settings now: temperature 0.5, max tokens 7." in done.stderr
    events = [event for one in newest(target_of(log)).samples or [] for event in one.events]
    calls = [event.config for event in events if isinstance(event, ModelEvent)]
    assert {(call.temperature, call.max_tokens) for call in calls} == {(0.5, 7)}
    again = rejudge(log, "--temperature", "1")
    assert again.exit_code == 2
    assert "temperature 0.5 (now 1.0)" in " ".join(again.stderr.split())


@pytest.mark.slow
def test_a_card_says_how_a_log_was_rejudged(log: str) -> None:
    """The task's own command would not repeat the judgments; that of `rejudge` does."""
    rejudge(log)
    said = invoke("card", target_of(log)).output
    assert "To repeat: inspect-reliability rejudge" in said
    assert "--replications 4" in said


@pytest.mark.slow
def test_votes_that_tie_are_ties(tmp_path: Path) -> None:
    """Graders that disagree leave a vote open: a tie, not an output without a grade."""
    graders = [get_model(f"{LENIENT}/{name}") for name in ("one", "strict")]
    log = run(suite(model_graded_qa(model=graders)), tmp_path)
    done = rejudge(log.location, "--format", "json")
    assert done.exit_code == 0, done.output
    for sample in newest(target_of(log.location)).samples or []:
        assert in_full((sample.scores or {})["rejudge"])["verdicts"] == ["tie"] * 4
    assert set(judgments_from_logs(log.location).table["verdict"]) == {"tie"}


@pytest.mark.slow
def test_an_unforeseen_error_is_one_line(log: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody thought of ends with a next step, and --traceback raises it."""

    def broken(*_: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("inspect_reliability.cli.rejudge.read_one_log", broken)
    done = rejudge(log)
    assert done.exit_code == 2
    words = " ".join(done.stderr.split())
    assert "nobody foresaw (ZeroDivisionError: by zero)" in words
    assert "inspect-reliability --traceback rejudge" in words
    with pytest.raises(ZeroDivisionError):
        main(["--traceback", "rejudge", log])


@pytest.mark.slow
def test_another_grader_is_announced_before_the_first_call(log: str) -> None:
    """Who answers, and who did, is said even where no call is made."""
    done = rejudge(log, "--dry-run", "--model", TINY)
    assert f"Grader: {TINY}." in done.stderr
    assert f"the grader in the log was {LENIENT}/one; {TINY} answers now." in done.stderr


def test_an_error_is_quoted_without_its_request() -> None:
    """Inspect puts the whole request before an error; people read the error."""
    why = 'BadRequestError: \nRequest:\n{"prompt": "very long"}\n\n401: no key'
    assert failure_lines([why], 1, None)[1] == "  1 x BadRequestError: 401: no key"


def test_failures_are_summed_up() -> None:
    """Each kind of error is one line with its count, however many replications it cost."""
    lines = failure_lines(["429"] * 300 + ["401"], 310, "the run was stopped")
    assert lines == [
        "301 replications failed:",
        "  300 x 429",
        "  1 x 401",
        "9 replications were not made: the run was stopped.",
        "Run the same command again to make them.",
    ]
    assert failure_lines([], 0, None) == []


SCORER = """
from inspect_ai.model import get_model
from inspect_ai.scorer import Score, mean, scorer


def made_within(word):
    @scorer(metrics=[mean()])
    def transcript_judge():
        async def score(state, target):
            said = await get_model(role="grader").generate(f"{word} {state.input_text}?")
            return Score(value="C" if "C" in said.completion else "I")

        return score

    return transcript_judge()


@scorer(metrics=[mean()])
def of_file():
    return made_within("Good")
"""


@pytest.mark.slow
def test_a_scorer_made_within_a_function_is_returned_by_another(log: str, tmp_path: Path) -> None:
    """The log names no way to make it; a function in a file does."""
    file = tmp_path / "chats.py"
    file.write_text(SCORER)
    done = rejudge(log, "--scorer", f"{file}@of_file", "--model", f"{LENIENT}/one")
    assert done.exit_code == 0, done.output
    assert len(judgments_from_logs(target_of(log)).table) == 12
