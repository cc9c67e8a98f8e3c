"""Judges of one's own, from their files to every command."""

import json
import random
from collections import Counter
from itertools import combinations
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import pandas as pd
import pytest
from inspect_ai import eval, score
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.model import GenerateConfig, Model, ModelOutput, ModelUsage, get_model

from commands import invoke, results
from inspect_reliability import Item, JudgeDesign, judge
from inspect_reliability.answers import analyse
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.scoring import verdict
from inspect_reliability.study.benchmarks import BENCHMARKS

pytestmark = [pytest.mark.usefixtures("read_once")]

QUESTIONS, EPOCHS = 3, 3

OPTIONS = """\
name: {name}
prompt: |
  Which answer is best? End with "Best Response: [[letter]]".
  Question: {{{{ question }}}} ({{{{ topic }}}})
  {{% for option in options %}}[{{{{ option.label }}}}]: {{{{ option.text }}}}
  {{% endfor %}}
verdict: {{options: [{labels}]}}
parser: {{labels: [Best Response]}}
"""
POINT = """\
name: {name}
prompt: |
  Judge the response to {{{{ question }}}}
  {{{{ delimiter }}}}
  {{{{ response }}}}
  {{{{ delimiter }}}}
verdict: {verdict}
"""
# Name -> the design, how many responses a row has, and what the judge may say.
JUDGES = {
    "Pair": (OPTIONS.format(name="Pair", labels="A, B"), 2, ["The best response is A.", "[[B]]"]),
    "Three": (
        OPTIONS.format(name="Three", labels="A, B, C"),
        3,
        ["Best Response: A", "Best Response: [[B]]", "I choose C.", "Hm."],
    ),
    "Seven": (
        OPTIONS.format(name="Seven", labels=", ".join(ascii_uppercase[:7])),
        7,
        [f"Best Response: [[{letter}]]" for letter in "AADFG"],
    ),
    "Marks": (
        POINT.format(name="Marks", verdict="{from: 1, to: 10}"),
        1,
        ["Rating: 3", "8/10", "I give it a 9.", "10"],
    ),
    "Polite": (POINT.format(name="Polite", verdict="[yes, no]"), 1, ["Yes.", "No.", "Answer: no"]),
}


def talker(says: list[str], bias: float = 0.7) -> Model:
    """A judge that mostly says the same of a prompt; what it says is drawn by the seed."""

    def answer(given: Any, tools: Any, choice: Any, config: GenerateConfig) -> ModelOutput:
        draw = random.Random(config.seed)
        own = random.Random(str(given[-1].content)).choice(says)
        text = own if draw.random() < bias else draw.choice(says)
        output = ModelOutput.from_content("mockllm/model", text)
        output.usage = ModelUsage()
        return output

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


def write(folder: Path, name: str) -> dict[str, Any]:
    """A design and its rows as files."""
    text, many, _ = JUDGES[name]
    design, data = folder / f"{name}.yaml", folder / f"{name}.jsonl"
    design.write_text(text)
    rows = [
        {
            "id": n,
            "question": f"What is {n} and {n}?",
            "responses": {f"model {m}": f"It is {2 * n + m}." for m in range(many)},
            "topic": "sums" if n % 2 else "doubles",
            **({"best": "model 0"} if many > 1 else {}),
        }
        for n in range(QUESTIONS)
    ]
    data.write_text("\n".join(map(json.dumps, rows)))
    return {"design": str(design), "data": str(data)}


@pytest.mark.parametrize(
    ("parser", "says"),
    [
        ("{labels: [Verdict]}", "cannot be loaded"),
        ("{label: [Verdict]}", "line 8, parser: unknown field 'label'"),
        ("{pattern: '(yes'}", "line 8, parser"),
    ],
)
def test_a_design_is_checked_before_a_model_is_loaded(
    tmp_path: Path, parser: str, says: str
) -> None:
    """Whatever is wrong with it is said before the weights, which are not there, are missed."""
    given = write(tmp_path, "Polite")
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text('{"model_type": "llama"}')
    text = JUDGES["Polite"][0].rstrip()
    Path(given["design"]).write_text(f"{text}\nparser: {parser}\n")
    with pytest.raises(UserError, match=says):
        eval(
            "inspect_reliability/judge",
            task_args=given,
            model=f"hf_seeded/{tmp_path}/model",
            log_dir=str(tmp_path / "logs"),
            display="none",
        )
    assert not list(tmp_path.glob("logs/*.eval"))


def run(task: Any, folder: Path, model: Model | str, **options: Any) -> EvalLog:
    options = {"epochs": EPOCHS, "display": "none", "log_realtime": False, **options}
    (log,) = eval(task, model=model, log_dir=str(folder), **options)
    log = read_eval_log(log.location)
    assert log.status == "success", log.error
    return log


def table(log: EvalLog) -> dict[Any, list[str]]:
    """Verdicts of each question, read from the log's scores alone."""
    found: dict[Any, list[str]] = {}
    for sample in log.samples or []:
        found.setdefault(sample.id, []).append(str((sample.scores or {})["verdict"].value))
    return found


def metrics_of(log: EvalLog) -> dict[str, Any]:
    assert log.results is not None
    return {name: m.value for one in log.results.scores for name, m in one.metrics.items()}


def agreement(verdicts: dict[Any, list[str]]) -> float:
    shares = [
        sum(a == b for a, b in combinations(given, 2)) / (len(given) * (len(given) - 1) / 2)
        for given in verdicts.values()
    ]
    return sum(shares) / len(shares)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, EvalLog]:
    """One log of each judge, all in one folder."""
    folder = tmp_path_factory.mktemp("own")
    return {
        name: run(judge(**write(folder, name)), folder / "logs", talker(says))
        for name, (_, _, says) in JUDGES.items()
    }


@pytest.fixture(scope="module")
def folder(logs: dict[str, EvalLog]) -> Path:
    return Path(logs["Pair"].location.removeprefix("file://")).parent


@pytest.fixture(scope="module")
def report(folder: Path) -> dict[str, Any]:
    """The report of all judges, as JSON."""
    return results("report", folder)


def row_of(report: dict[str, Any], benchmark: str) -> Any:
    (row,) = [row for row in report["rows"] if row["benchmark"] == benchmark]
    return row


@pytest.mark.slow
@pytest.mark.parametrize("name", JUDGES)
def test_the_log_and_the_report_count_what_the_judge_said(
    name: str, logs: dict[str, EvalLog], report: dict[str, Any]
) -> None:
    """Agreement and rates in log and report are those counted by hand in the log's scores."""
    verdicts = table(logs[name])
    assert [len(given) for given in verdicts.values()] == [EPOCHS] * QUESTIONS
    given = Counter(verdict for some in verdicts.values() for verdict in some)
    metrics, row = metrics_of(logs[name]), row_of(report, name)
    for found in (metrics, row):
        assert found["agreement"] == pytest.approx(agreement(verdicts))
        assert found["non_response_rate"] == pytest.approx(given["non-response"] / given.total())
    assert row["n_judgments"] == given.total()
    assert row["omega"] == pytest.approx(metrics["omega"])
    assert "best_rate" in metrics or name in ("Marks", "Polite")


def test_what_was_said_is_read(logs: dict[str, EvalLog]) -> None:
    """Every output has the verdict that its words mean, and says how it was read."""
    meant = {
        "The best response is A.": ("A", "sentence"),
        "[[B]]": ("B", "brackets"),
        "I choose C.": ("C", "sentence"),
        "Hm.": ("non-response", None),
        "Rating: 3": ("3", "label"),
        "8/10": ("8", "bare"),
        "I give it a 9.": ("9", "sentence"),
        "Yes.": ("yes", "bare"),
        "Answer: no": ("no", "label"),
    }
    read: set[str] = set()
    for log in logs.values():
        for sample in log.samples or []:
            score, said = (sample.scores or {})["verdict"], sample.output.completion
            if said in meant:
                assert (score.value, (score.metadata or {}).get("read_by")) == meant[said]
                read.add(said)
    assert len(read) > 6


def test_a_scale_has_the_coefficients_of_numbers(
    logs: dict[str, EvalLog], report: dict[str, Any]
) -> None:
    """Marks have ICC and both alphas; the numeric alpha is the one counted by hand."""
    verdicts = {q: list(map(int, given)) for q, given in table(logs["Marks"]).items()}
    values = [v for given in verdicts.values() for v in given]
    within = [(a - b) ** 2 for given in verdicts.values() for a, b in combinations(given, 2)]
    between = [(a - b) ** 2 for a, b in combinations(values, 2)]
    alpha = 1 - (sum(within) / len(within)) / (sum(between) / len(between))
    for found in (metrics_of(logs["Marks"]), row_of(report, "Marks")):
        assert found["krippendorff_alpha_numeric"] == pytest.approx(alpha)
        assert found["icc"] is not None
        assert found["krippendorff_alpha_ordinal"] is not None


def test_options_are_shuffled_and_the_best_is_known(logs: dict[str, EvalLog]) -> None:
    """The best rate is the share of verdicts behind whose label the best response was."""
    log = logs["Seven"]
    orders = {tuple(sample.metadata["order"]) for sample in log.samples or []}
    assert len(orders) > 1
    chosen = [
        dict(zip(ascii_uppercase, sample.metadata["order"], strict=False)).get(
            str((sample.scores or {})["verdict"].value)
        )
        for sample in log.samples or []
    ]
    metrics = metrics_of(log)
    assert metrics["best_rate"] == chosen.count("model 0") / len(chosen)


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_every_command_takes_the_logs(folder: Path, tmp_path: Path) -> None:
    """Report, page, data, plan, compare and gate work on all five judges at once."""
    page = tmp_path / "page.html"
    done = invoke("report", folder, "--html", page, "--tables", tmp_path / "data")
    assert done.exit_code == 0, done.output
    assert all(name in page.read_text() for name in JUDGES)
    shares = pd.read_csv(tmp_path / "data" / "position.csv")
    assert set(shares["benchmark"]) == {"Pair", "Three", "Seven"}
    assert set(shares[shares["benchmark"] == "Seven"]["option"]) == set("ABCDEFG")
    assert invoke("plan", folder).exit_code == 0
    other = run(judge(**write(tmp_path, "Marks")), tmp_path, talker(["Rating: 4", "7"], 0.2))
    compared = invoke("compare", folder, other.location.removeprefix("file://"), "--full")
    assert compared.exit_code == 0, compared.output
    assert "Marks" in compared.output
    assert invoke("gate", folder, "--min", "omega=-1").exit_code in (0, 3)
    grouped = invoke("report", folder, "--by", "judge", "--by", "benchmark", "--by", "topic")
    assert "doubles" in grouped.output


@pytest.mark.slow
def test_a_report_shows_outputs_without_a_verdict(report: dict[str, Any], folder: Path) -> None:
    """A row with 5% or more of them warns, and shows up to three."""
    silent = [one for one in report["without_verdict"] if one["benchmark"] == "Three"]
    assert 1 <= len(silent) <= 3
    assert {one["text"] for one in silent} == {"Hm."}
    for name, warned in (("Three", True), ("Seven", False)):
        cautions = row_of(report, name)["cautions"]
        assert any("name no verdict" in caution for caution in cautions) == warned
    assert "Hm." in invoke("report", folder, "--full").output


@pytest.mark.slow
def test_inspect_reads_a_log_again(logs: dict[str, EvalLog], tmp_path: Path) -> None:
    """inspect's own `score` reads a log again with another parser, without a call."""
    again = score(
        logs["Three"],
        verdict({"pattern": r"\A(?:Best Response): \[*([A-C])"}),
        action="overwrite",
        display="none",
    )
    said = {
        (sample.id, sample.epoch): sample.output.completion
        for sample in logs["Three"].samples or []
    }
    for sample in again.samples or []:
        found = (sample.scores or {})["verdict"]
        strict = said[sample.id, sample.epoch].startswith("Best Response")
        assert (found.value != "non-response") == strict
        assert (found.metadata or {})["replication"] == sample.epoch
    own = score(logs["Three"], verdict({"pattern": r"choose (\w)"}), display="none")
    for sample in own.samples or []:
        chosen = sample.output.completion == "I choose C."
        values = [found.value for found in (sample.scores or {}).values()]
        assert values[-1] == ("C" if chosen else "non-response")
    write_eval_log(again, tmp_path / "again.eval")
    before = judgments_from_logs(logs["Three"].location).table
    after = judgments_from_logs(tmp_path / "again.eval").table
    for name in ("question", "replication", "seed", "prompt", "order", "benchmark", "study"):
        assert list(after[name]) == list(before[name])


@pytest.mark.slow
def test_studies_of_one_name_are_separate_rows(tmp_path: Path) -> None:
    """Other questions, another template and other options under one name never share a row."""
    plain = JudgeDesign("Mine", "Polite? {{ response }}", ["yes", "no"])
    items = [Item(str(n), "Q", {"m": f"text {n}"}) for n in range(2)]
    others = [Item(str(n), "Q", {"m": f"other {n}"}) for n in range(2)]
    for design, data in (
        (plain, items),
        (plain, others),
        (JudgeDesign("Mine", "Kind? {{ response }}", ["yes", "no"]), items),
        (JudgeDesign("Mine", "Polite? {{ response }}", ["yes", "no", "unsure"]), items),
        (JudgeDesign("Other", "Polite? {{ response }}", ["yes", "no"]), items),
    ):
        run(judge(design, data), tmp_path, talker(["Yes.", "No."]), epochs=2)
    run(judge(plain, items, seed=1), tmp_path, talker(["Yes.", "No."]), epochs=2)
    analysis = analyse(judgments_from_logs(tmp_path))
    sizes = Counter((row.group["benchmark"], len(row.table)) for row in analysis.rows)
    assert sizes == {("Mine", 4): 3, ("Mine", 8): 1, ("Other", 4): 1}
    warned = {row.group["benchmark"] for row in analysis.rows if "study" in row.group}
    assert warned == {"Mine"}
    done = invoke("report", tmp_path, "--full")
    assert done.exit_code == 0, done.output
    assert "Several studies have this benchmark's name" in done.output


@pytest.mark.slow
def test_a_name_overrides_the_design(tmp_path: Path) -> None:
    """-T name= is the benchmark's name in log and report."""
    log = run(judge(**write(tmp_path, "Polite"), name="Manners"), tmp_path, talker(["Yes."]))
    assert set(judgments_from_logs(log).table["benchmark"]) == {"Manners"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"design": None}, "design is missing. Give both"),
        ({"data": None}, "data is missing. Give both"),
        ({"design": "nowhere.yaml"}, "No file or folder 'nowhere.yaml'"),
        ({"data": "nowhere.jsonl"}, "No file or folder 'nowhere.jsonl'"),
        ({"data": 2024}, "No file or folder '2024'"),
        ({"data": ["a.jsonl", "b.jsonl"]}, "No file or folder '.*a.jsonl"),
        ({"data": [{"id": "1"}]}, "data: expected a list of Item, found mappings"),
        ({"replications": 0}, "^replications=0 is no number"),
        ({"name": " "}, "name: expected a text that is not empty"),
        ({"seed": "x"}, "seed='x' is not a whole number"),
    ],
)
def test_wrong_arguments_are_refused(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    """What cannot be run is refused before the first call."""
    with pytest.raises(UserError, match=message):
        judge(**{**write(tmp_path, "Polite"), **change})


TIES = """\
name: Ties
prompt: |
  Which is better? {% for option in options %}{{ option.label }}: {{ option.text }} {% endfor %}
verdict: {options: [A, B], also: [tie]}
"""
RUBRIC = """\
name: Rubric
prompt: |
  {% for message in messages %}{{ message.role }}: {{ message.content }}
  {% endfor %}
verdict:
  criteria: {style: {from: 1, to: 5}, facts: [yes, no], care: {from: 0, to: 1, step: any}}
"""


def rubric(style: int, facts: str, care: float) -> str:
    return json.dumps({"style": style, "facts": facts, "care": care, "why": "5 of 5, yes"})


def ties_and_criteria(folder: Path, name: str) -> tuple[dict[str, Any], Model]:
    (folder / f"{name}.yaml").write_text({"Ties": TIES, "Rubric": RUBRIC}[name])
    rows: list[dict[str, Any]] = [
        {"id": n, "question": f"{n}?", "responses": {"x": f"x{n}", "y": f"y{n}"}, "best": "x"}
        if name == "Ties"
        else {"id": n, "messages": [{"role": "user", "content": f"Say {n}."}]}
        for n in range(QUESTIONS)
    ]
    (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    files = {"design": str(folder / f"{name}.yaml"), "data": str(folder / f"{name}.jsonl")}
    says = ["Winner: A", "Winner: B", "Winner: tie"]
    if name == "Rubric":
        says = [rubric(4, "yes", 0.25), rubric(2, "no", 0.5), rubric(5, "no", 1), "No idea."]
    return files, talker(says, 0.5)


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("name", ["Ties", "Rubric"])
def test_ties_and_criteria_from_design_to_card(name: str, tmp_path: Path) -> None:
    """Epochs and replications give one table, and report, page and card have every part of it."""
    files, model = ties_and_criteria(tmp_path, name)
    order: Any = "reshuffled"
    logs = [
        run(judge(**files, order=order), tmp_path / "epochs", model),
        run(judge(**files, order=order, replications=EPOCHS), tmp_path / "one", model, epochs=1),
    ]
    scorers = (
        {"verdict"} if name == "Ties" else {f"verdict.{one}" for one in ("style", "facts", "care")}
    )
    columns = ["question", "scorer", "replication", "verdict", "seed", "read_by", "categories"]
    tables = [
        judgments_from_logs(log).table.sort_values(columns[:3])[columns].reset_index(drop=True)
        for log in logs
    ]
    found, again = tables
    pd.testing.assert_frame_equal(found, again)
    assert set(found["scorer"]) == scorers
    assert set(found["read_by"].dropna()) == {"label" if name == "Ties" else "json"}
    keys = [metrics_of(log) for log in logs]
    assert keys[0] == pytest.approx(keys[1], nan_ok=True)
    report = results("report", tmp_path / "one", "--html", tmp_path / "page.html")
    rows = report["rows"]
    assert {row.get("scorer", "verdict") for row in rows} == scorers
    assert "The prompt is not known" not in (tmp_path / "page.html").read_text()
    assert invoke("card", tmp_path / "one").exit_code == 0
    if name == "Ties":
        assert "tie" in set(found["verdict"])
        assert set(found["categories"]) == {("A", "B", "tie", "non-response", "invalid")}
        (row,) = rows
        assert row["n_categories"] == 5
        assert {one["option"] for one in report["position"]} == {"A", "B"}
    else:
        care = found[found["scorer"] == "verdict.care"]
        assert set(care["verdict"]) <= {"0.25", "0.5", "1", "non-response"}
        assert next(row for row in rows if row["scorer"] == "verdict.care")["icc"] is not None


@pytest.mark.parametrize("exact", [True, "verdict"])
def test_exact_verdicts_of_several_criteria_are_refused(exact: Any, tmp_path: Path) -> None:
    """A judge whose verdicts cannot be listed has no exact distribution, in words."""
    files, _ = ties_and_criteria(tmp_path, "Rubric")
    with pytest.raises(UserError, match="this judge gives several criteria"):
        judge(**files, exact=exact, replications=5 if exact == "verdict" else None)


@pytest.mark.slow
def test_the_tiny_judge_and_the_sweep(tmp_path: Path) -> None:
    """A sweep of one's own design with a local judge keeps every judgment once, and resumes."""
    five = tmp_path / "five.yaml"
    five.write_text(BENCHMARKS["BBH"].design_file.read_text().replace("name: BBH", "name: Five"))
    rows = [
        {"id": n, "question": "?", "responses": {m: f"{m}{n}" for m in "vwxyz"}} for n in range(3)
    ]
    (tmp_path / "five.jsonl").write_text("\n".join(map(json.dumps, rows)))
    arguments = [
        *("sweep", "--model", "hf_seeded/tiny-judge", "--temperature", 1, "--replications", 2),
        *("-T", f"design={five}", "-T", f"data={tmp_path / 'five.jsonl'}"),
        *("--log-dir", tmp_path / "logs"),
    ]
    for _ in range(2):
        done = invoke(*arguments)
        assert done.exit_code == 0, done.output
        assert "Five" in done.stdout
        found = judgments_from_logs(tmp_path / "logs").table
        assert len(found) == 6
        assert set(found["benchmark"]) == {"Five"}
    alone = invoke("sweep", "--model", "mockllm/model", "-T", f"design={five}")
    assert alone.exit_code == 2
    assert "data is missing" in alone.output
