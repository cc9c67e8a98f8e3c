import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.model import ChatMessageUser, ContentImage, GenerateConfig, ModelConfig, get_model

from commands import invoke
from graders import run, suite, wins
from inspect_reliability.errors import UserError
from inspect_reliability.rejudging.rejudging import Rejudging
from inspect_reliability.rejudging.trust import SETTINGS, vet_model

EVIL = """
from pathlib import Path

Path({marker!r}).touch()

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState


@scorer(metrics=[mean()])
def evil() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=1)

    return score
"""

CONFIG = """
from pathlib import Path

Path({marker!r}).touch()

from transformers import PretrainedConfig


class EvilConfig(PretrainedConfig):
    model_type = "evil"
"""


@pytest.fixture(scope="module")
def harmless(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A log as somebody else made it, before it is made hostile."""
    mock = get_model("mockllm/model")
    return run(suite(wins()), tmp_path_factory.mktemp("harmless"), mock, score=False).location


@pytest.fixture
def marker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that hostile code makes; a Python file and a model folder lie beside it."""
    marker = tmp_path / "ran"
    (tmp_path / "evil.py").write_text(EVIL.format(marker=str(marker)))
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text(
        json.dumps({"model_type": "evil", "auto_map": {"AutoConfig": "code.EvilConfig"}})
    )
    (model / "code.py").write_text(CONFIG.format(marker=str(marker)))
    monkeypatch.chdir(tmp_path)
    return marker


def scorer_of(log: EvalLog, name: str, **options: Any) -> None:
    assert log.eval.scorers is not None
    log.eval.scorers[0].name, log.eval.scorers[0].options = name, options


def grader_of(log: EvalLog, model: str, **settings: Any) -> None:
    log.eval.model_roles = {"grader": ModelConfig(model=model, **settings)}


def rejudged(log: EvalLog, folder: Path, *more: str) -> Result:
    file = folder / "hostile.eval"
    write_eval_log(log, str(file))
    return invoke("rejudge", file, "--replications", "1", *more)


class NewerConfig(GenerateConfig):
    """Settings of an inspect that is not written yet."""

    of_a_newer_inspect: str | None = None


TRUSTING = {"trust_remote_code": True}
MODEL = {"model": "hf_seeded/x", "config": {}, "base_url": None, "model_args": TRUSTING}


@pytest.mark.parametrize(
    "hostile",
    [
        ("{folder}/evil.py@evil", {}),
        ("evil.py@evil", {}),
        ("rejudge", {"scorer": {"name": "evil.py@evil"}}),
        ("inspect_reliability/rejudge", {"scorer": "evil.py@evil"}),
        (
            "multi_scorer",
            {
                "scorers": [
                    {
                        "type": "scorer",
                        "name": "inspect_reliability/rejudge",
                        "params": {"scorer": "{folder}/evil.py@evil"},
                    }
                ],
                "reducer": "mode",
            },
        ),
    ],
    ids=["absolute", "relative", "rejudged", "within rejudge", "within another"],
)
def test_a_log_runs_no_file(
    tmp_path: Path, marker: Path, harmless: str, hostile: tuple[str, dict[str, Any]]
) -> None:
    """A Python file that a log names is not run, wherever the log names it."""
    log = read_eval_log(harmless)
    name, options = json.loads(json.dumps(hostile).replace("{folder}", str(tmp_path)))
    scorer_of(log, name, **options)
    done = rejudged(log, tmp_path)
    assert not marker.exists()
    assert done.exit_code == 2, done.output
    assert "A log never runs code here" in " ".join(done.stderr.split())
    assert "--scorer" in done.stderr
    assert "Traceback" not in done.output


def test_the_name_of_a_score_trusts_no_file(tmp_path: Path, marker: Path, harmless: str) -> None:
    """Who names a score of the log has not named the file that the log says made it."""
    log = read_eval_log(harmless)
    scorer_of(log, "rejudge", scorer={"name": "evil.py@evil"})
    done = rejudged(log, tmp_path, "--scorer", "rejudge")
    assert not marker.exists()
    assert "A log never runs code here" in " ".join(done.stderr.split())


@pytest.mark.slow
def test_a_file_that_the_user_names_is_run(tmp_path: Path, marker: Path, harmless: str) -> None:
    """The command line decides, even where the log names the same file."""
    log = read_eval_log(harmless)
    scorer_of(log, "evil.py@evil")
    rejudged(log, tmp_path, "--scorer", "evil.py@evil")
    assert marker.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "option"),
    [
        (
            {"model": "hf_seeded/{folder}/model", "args": TRUSTING},
            "--model hf_seeded/{folder}/model -M trust_remote_code=True",
        ),
        (
            {"model": "hf_seeded/x", "args": TRUSTING | {"model_path": "{folder}/model"}},
            "-M model_path={folder}/model",
        ),
        ({"model": "hf_seeded/model"}, "--model hf_seeded/model"),
        ({"model": "hf/./model"}, "--model hf/./model"),
        (
            {"model": "openai/gpt-4o", "base_url": "https://evil.example/v1"},
            "--model openai/gpt-4o --model-base-url https://evil.example/v1",
        ),
        (
            {"model": "openai/gpt-4o", "args": {"websocket_base_url": "wss://evil.example"}},
            "-M websocket_base_url=wss://evil.example",
        ),
    ],
    ids=["code", "path", "relative", "dotted", "address", "argument"],
)
def test_a_log_loads_no_code_and_takes_no_key(
    tmp_path: Path,
    marker: Path,
    harmless: str,
    monkeypatch: pytest.MonkeyPatch,
    settings: dict[str, Any],
    option: str,
) -> None:
    """A model that runs code or gets the key elsewhere is the user's to name, in any place."""
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    settings = json.loads(json.dumps(settings).replace("{folder}", str(tmp_path)))
    option = option.format(folder=tmp_path)
    role, evaluated, argument = (read_eval_log(harmless) for _ in range(3))
    grader_of(role, **settings)
    evaluated.eval.model_roles = None
    evaluated.eval.model = settings["model"]
    evaluated.eval.model_args = settings.get("args", {})
    evaluated.eval.model_base_url = settings.get("base_url")
    given = {"base_url": None} | settings
    given |= {"model_args": given.pop("args", {}), "config": {}}
    scorer_of(argument, "model_graded_qa", model=given)
    for log in (role, evaluated, argument):
        done = rejudged(log, tmp_path)
        assert not marker.exists()
        assert done.exit_code == 2, done.output
        words = " ".join(done.stderr.split())
        assert "A log does not decide that" in words
        assert option.replace(" ", "") in words.replace(" ", "")


@pytest.mark.parametrize(
    ("added", "value"),
    [
        ("extra_headers", {"X-To": "evil"}),
        ("extra_body", {"X-To": "evil"}),
        ("fallback_models", ["evil/model"]),
    ],
)
def test_a_log_adds_nothing_to_requests(
    harmless: str, monkeypatch: pytest.MonkeyPatch, added: str, value: Any
) -> None:
    """What a log's model would put into requests is refused, in a role, an argument or the eval."""
    if added not in GenerateConfig.model_fields:
        pytest.skip(f"this inspect knows no {added}")
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    config = GenerateConfig(**{added: value})
    role, evaluated, plan, argument, inner = (read_eval_log(harmless) for _ in range(5))
    grader_of(role, "openai/gpt-4o", config=config)
    for log in (evaluated, plan):
        log.eval.model_roles, log.eval.model = None, "openai/gpt-4o"
    evaluated.eval.model_generate_config = config
    plan.plan.config = config
    model = {"model": "openai/gpt-4o", "model_args": {}, "config": {added: value}}
    scorer_of(argument, "model_graded_qa", model=model)
    scorer_of(inner, "model_graded_qa", model=[model])
    for log in (role, evaluated, plan, argument, inner):
        with pytest.raises(UserError, match=rf"sets {added} of its requests.* --model openai"):
            Rejudging(log)


def test_every_setting_of_a_model_is_known() -> None:
    """A setting that a newer inspect brings is refused until somebody has said that it is safe."""
    risky = {"extra_headers", "extra_body", "fallback_models"}
    unknown = GenerateConfig.model_fields.keys() - SETTINGS - risky
    assert not unknown, "Decide whether a log may set it, then name it in trust.py or here."
    assert not risky & SETTINGS
    for name in (*risky & GenerateConfig.model_fields.keys(), "of_a_newer_inspect"):
        model = ModelConfig.model_construct(model="openai/x", args={}, base_url=None)
        model.config = NewerConfig.model_construct(**{name: "anything"})
        with pytest.raises(UserError, match=f"sets {name} of its requests"):
            vet_model(model, "The log")


@pytest.mark.parametrize(
    "options",
    [
        {"judge": {"type": "modelapi", "name": "hf_seeded", "params": {"model_name": "model"}}},
        {"judge_args": {"trust_remote_code": True}},
        {"judge_base_url": "https://evil.example/v1"},
        {"judge_base_url": "http://["},
        {"judges": ["hf_seeded//srv/model"]},
        {"judges": ["hf//srv/my model"]},
        {"judges": ["vllm/org/model:/srv/adapter"]},
    ],
    ids=["provider", "code", "address", "no address", "folder", "folder with a space", "adapter"],
)
def test_arguments_of_a_scorer_decide_as_little(harmless: str, options: dict[str, Any]) -> None:
    """Whatever a scorer would make of its arguments, the log's do not reach it."""
    log = read_eval_log(harmless)
    scorer_of(log, "wins", **options)
    with pytest.raises(UserError, match=r"--(scorer|model)"):
        Rejudging(log)


@pytest.mark.parametrize(
    "place",
    [
        "{folder}/secret",
        "secret",
        "./secret",
        "file:{folder}/secret",
        "file://{folder}/secret",
        "simplecache::{folder}/secret",
        "https://evil.example/template",
        "s3://bucket/template",
    ],
)
def test_a_log_reads_no_file(
    tmp_path: Path, harmless: str, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """Inspect reads a template that is a file or an address; a log cannot name either."""
    (tmp_path / "secret").write_text("The key is 1234.")
    monkeypatch.chdir(tmp_path)
    log = read_eval_log(harmless)
    scorer_of(log, "model_graded_qa", template=place.format(folder=tmp_path))
    with pytest.raises(UserError, match=r"would be sent to the grader.* --scorer FILE.py@NAME"):
        Rejudging(log)


@pytest.mark.parametrize(
    ("template", "says"),
    [
        ("{question:>3000000000}", "may show the grader 3,000,000,"),
        ("{size:.3000000000f}", "may show the grader 3,000,000,"),
        ("{size:>３000000000}", "may show the grader 3,000,000,"),
        ("{size:>" + "9" * 5_000 + "}", "may show the grader inf characters"),
        ("{question:>{size}}", "takes the width of a text from its samples"),
        ("{long}" * 6_000, "may show the grader 12,036,000 characters, more than 10,000,000"),
        ("{long!a}" * 600, "may show the grader 12,004,800 characters"),
        ("{other.text}" * 6_000, "may show the grader"),
        ("{instructions}" * 4_000, "may show the grader 224,056,000 characters"),
        ("{state.__class__.__init__.__globals__[os].environ}", "shows the grader 'state.__class__"),
        ("{0[_secret]}", "shows the grader '0[_secret]'"),
    ],
)
def test_a_template_of_a_log_has_a_limit(harmless: str, template: str, says: str) -> None:
    """Widths and repeats are counted before any text is made; hidden attributes are not shown."""
    log = read_eval_log(harmless)
    assert log.samples
    log.samples[1].metadata = {"long": "x" * 2_000, "size": 3_000_000_000}
    for options in ({"template": template}, {"texts": [{"template": template}]}):
        scorer_of(log, "model_graded_qa", **options)
        with pytest.raises(UserError, match=rf"{re.escape(says)}.* --scorer FILE.py@NAME"):
            Rejudging(log, replications=1)


def test_templates_that_people_write_are_taken(harmless: str) -> None:
    """Texts with braces, a width, and a conversation of a million characters."""
    log = read_eval_log(harmless)
    assert log.samples
    log.samples[0].messages = [ChatMessageUser(content="x" * 1_000_000)] * 3
    template = "{question}\n{answer!r}\n{criterion:>20}\n{{}}{meta[key]:.3f}"
    grader_of(log, "mockllm/model")
    for one in (template, 'Say {"grade": 1234}.', "Brackets { that } do { not match"):
        scorer_of(log, "model_graded_qa", template=one, instructions='{"grade": 5} ' * 99)
        assert Rejudging(log, replications=1).missing(set())


def test_a_log_shows_no_file(tmp_path: Path, harmless: str) -> None:
    """Media of a log are what it has, not what lies on this machine."""
    file = tmp_path / "secret.png"
    file.write_bytes(b"1234")
    for source in (str(file), file.as_uri()):
        log = read_eval_log(harmless)
        assert log.samples
        log.samples[0].messages = [ChatMessageUser(content=[ContentImage(image=source)])]
        with pytest.raises(UserError, match=r"shows .*secret\.png, which would be sent"):
            Rejudging(log)


def test_what_runs_nothing_is_taken_from_the_log(
    harmless: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Addresses on this machine or of the user's own settings need no word."""
    monkeypatch.setenv("OTHER_BASE_URL", "https://mine.example/v1")
    for url in ("http://localhost:1/v1", "https://mine.example/v1", None):
        log = read_eval_log(harmless)
        grader_of(log, "hf_seeded/tiny-judge", base_url=url)
        Rejudging(log, replications=1)


def test_a_way_out_gives_a_shell_no_command() -> None:
    """Who copies the options that a refusal names gives each name of the log as one word."""
    model = ModelConfig(model="hf//srv/$(touch ran)", args={"a": "`touch ran`"}, base_url="'; ran")
    with pytest.raises(UserError) as refused:
        vet_model(model, "The log")
    named = shlex.split(str(refused.value).partition("name the model: ")[2].rstrip("."))
    found = ["--model", model.model, "-M", "a=`touch ran`", "--model-base-url", "'; ran"]
    assert named[: len(found)] == found
