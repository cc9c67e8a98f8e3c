"""Readers on broken input: a result, or one error that says what, where and what to do."""

import asyncio
import json
import math
import shutil
import tempfile
import unicodedata
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest
import torch
import yaml
from click.testing import Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import GenerateConfig, get_model
from random_models import save_random_model
from safetensors.torch import load_file, save

import example_logs
from commands import invoke, read_once
from example_published import judgments_in as judgments_of
from example_published import published_folder
from inspect_reliability.designs import Item
from inspect_reliability.designs.design_files import design_from_file
from inspect_reliability.errors import UserError
from inspect_reliability.judging.requests import reachable_model
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.judgments.sources import judgments_from_frame
from inspect_reliability.judgments.workbooks import write_workbook
from inspect_reliability.showing import FORMS
from inspect_reliability.study.responses import answered, load_predictions, load_responses
from inspect_reliability.study.tasks import bbh_judge
from outcomes import Reading, lawful

QUICK = 10
EXAMPLES = settings().max_examples
fuzz = settings(
    max_examples=EXAMPLES if EXAMPLES > 100 else QUICK,
    suppress_health_check=list(HealthCheck),
)
fuzz_logs = settings(fuzz, max_examples=fuzz.max_examples // 2)
fuzz_commands = settings(fuzz, max_examples=fuzz.max_examples // 4)
"""A report takes a hundred times as long as reading what it is about."""

STRANGE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**25, 10**400, -1, 0, 2**63]),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["", "\0", "=1+1", "\r\n", "nan", "x" * 3000, "{{ x }}", "../up"]),
    st.lists(st.one_of(st.none(), st.integers(), st.text(max_size=3)), max_size=3),
    st.dictionaries(
        st.text(max_size=5), st.none() | st.integers() | st.text(max_size=3), max_size=2
    ),
)
"""What nobody expects to find in a file."""


@st.composite
def damaged(draw: st.DrawFn, value: Any) -> Any:
    """A JSON value with one part replaced, removed, renamed or repeated."""
    if isinstance(value, Mapping) and value and draw(st.integers(0, 9)):
        key = draw(st.sampled_from(sorted(value)))
        how = draw(st.sampled_from(["within", "within", "within", "remove", "rename"]))
        rest = {name: part for name, part in value.items() if name != key}
        if how == "within":
            return {**value, key: draw(damaged(value[key]))}
        return rest if how == "remove" else {**rest, draw(st.text(max_size=4)): value[key]}
    if isinstance(value, list) and value and draw(st.integers(0, 9)):
        place = draw(st.integers(0, len(value) - 1))
        how = draw(st.sampled_from(["within", "within", "remove", "twice"]))
        new = {"within": lambda: [draw(damaged(value[place]))], "remove": list}
        middle = new[how]() if how in new else [value[place]] * 2
        return [*value[:place], *middle, *value[place + 1 :]]
    return draw(STRANGE)


@st.composite
def broken(draw: st.DrawFn, content: bytes) -> bytes:
    """A file with some bytes changed, removed or repeated."""
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(content)))
        length = draw(st.integers(0, 40))
        middle = draw(
            st.one_of(st.binary(max_size=8), st.just(content[start : start + length] * 2))
        )
        content = content[:start] + middle + content[start + length :]
    return content


def whole(read: Callable[[], Any]) -> Callable[[], Reading]:
    """A reader that owes a refusal or a result, and of which another test counts what it read."""

    def reading() -> Reading:
        read()
        return (), False

    return reading


def said(*arguments: str | Path) -> Result:
    """Run a command, which prints a result, or a line and exit status 2."""
    done = invoke(*arguments)
    assert done.exit_code in (0, 2), done.output
    if done.exit_code == 2:
        raise UserError(done.stderr.strip())
    return done


@pytest.fixture(scope="module")
def place() -> Any:
    """A folder that examples write to, in turn."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def fresh(place: Path) -> Path:
    """An empty folder."""
    for child in place.iterdir():
        shutil.rmtree(child) if child.is_dir() else child.unlink()
    return Path(tempfile.mkdtemp(dir=place))  # readers remember folders by name


def dumped(value: Any) -> str:
    return json.dumps(value, default=str)


RESPONSES = {
    names: [
        {
            "id": f"q{n}",
            "question": "Why?",
            "responses": dict.fromkeys(names, "x"),
            "targets": ["y"],
        }
        for n in range(2)
    ]
    for names in ("abcde", "a")
}


@pytest.mark.slow
@fuzz
@given(data=st.data())
def test_responses_in_json_lines(data: st.DataObject, place: Path) -> None:
    """Every line is a question that is read, or the file is refused by line."""
    path = fresh(place) / "responses.jsonl"
    lines = data.draw(damaged(RESPONSES[data.draw(st.sampled_from([*RESPONSES]))]))
    text = "\n".join(map(dumped, lines if isinstance(lines, list) else [lines])).encode()
    path.write_bytes(data.draw(st.just(text) | broken(text)))

    def every_line() -> Reading:
        found = len(answered(path, "BBH"))
        lines = [line for line in path.read_bytes().split(b"\n") if line.strip()]
        return range(len(lines) - found), False

    lawful("responses, JSONL", every_line)
    lawful("responses, JSONL", whole(lambda: load_responses(path, "BBH")))
    lawful("predictions, JSONL", whole(lambda: load_predictions(path, "a")))


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Files in the layout of the published study, with one temperature."""
    folder = published_folder(tmp_path_factory.mktemp("published"))
    files = {name: json.loads((folder / name).read_text()) for name in PUBLISHED}
    of_judges = files[PUBLISHED[0]]
    files[PUBLISHED[0]] = {judge: dict(list(runs.items())[:1]) for judge, runs in of_judges.items()}
    return files


PUBLISHED = [
    "results/full_judgements_other_judge.json",
    "prompt_responses.json",
    "application_data/application_responses.json",
    "application_data/judgment_results/judge_full_acme_Judge-1_b_by_org_small_model.json",
]


def outputs_in(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Each value of a JSON document with the path that leads to it."""
    within = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in within:
        if isinstance(value, dict | list):
            yield from outputs_in(value, (*path, key))
        else:
            yield (*path, key, value)


def verdicts(table: pd.DataFrame, *names: str) -> dict[tuple[Any, ...], Any]:
    """Verdicts by what names a judgment."""
    rows = table[[*names, "verdict"]].itertuples(index=False, name=None)
    return {tuple(row[:-1]): row[-1] for row in rows}


NAMED = ("judge", "benchmark", "question", "replication")


@pytest.mark.slow
@fuzz
@given(data=st.data(), name=st.sampled_from(PUBLISHED))
def test_published_files(
    data: st.DataObject, name: str, published: dict[str, Any], place: Path
) -> None:
    """A published folder with one broken file: each output is a judgment, or all are refused."""
    whole_folder, folder = fresh(place), Path(tempfile.mkdtemp(dir=place))
    content = data.draw(damaged(published[name]))
    text = dumped(content).encode()
    for where in (whole_folder, folder):
        for file, good in published.items():
            (where / file).parent.mkdir(parents=True, exist_ok=True)
            (where / file).write_bytes(dumped(good).encode())
    (folder / name).write_bytes(data.draw(st.just(text) | broken(text)))

    def every_output() -> Reading:
        found, good = judgments_of(folder), judgments_of(whole_folder)
        expected, got = verdicts(good, *NAMED), verdicts(found, *NAMED)
        if name in (PUBLISHED[0], PUBLISHED[3]):
            values = len(list(outputs_in(published[name])))
            now = list(outputs_in(json.loads((folder / name).read_bytes())))
            return range(len(now) + len(expected) - values - len(got)), False
        return [key for key in expected if got.get(key) != expected[key]], False

    lawful(f"published, {Path(name).parent.name or Path(name).stem}", every_output)
    if name != PUBLISHED[0]:
        path = folder / name
        lawful("responses, JSON", whole(lambda: load_responses(path, "BBH")))
        lawful("predictions, JSON", whole(lambda: load_predictions(path)))


DESIGNS: list[dict[str, Any]] = [
    {
        "name": "mine",
        "prompt": "{{ question }} {% for o in options %}{{ o.label }}: {{ o.text }}{% endfor %}",
        "verdict": {"options": ["A", "B"]},
        "parser": {"labels": ["Best"]},
    },
    {"name": "scale", "prompt": "{{ response }}", "verdict": {"from": 1, "to": 5}},
    {"name": "w", "prompt": "{{ response }}", "verdict": ["yes", "no"], "parser": {"json": "v"}},
    {
        "name": "p",
        "prompt": "{{ response }}",
        "verdict": ["y", "n"],
        "parser": {"pattern": "(y|n)"},
    },
]


@pytest.mark.slow
@fuzz
@given(data=st.data(), design=st.sampled_from(DESIGNS), form=st.sampled_from(["json", "yaml"]))
def test_designs(data: st.DataObject, design: Any, form: str, place: Path) -> None:
    """A design that can be read asks and reads outputs; another is refused by its field."""
    path = fresh(place) / f"design.{form}"
    changed = data.draw(damaged(design))
    text = (
        dumped(changed) if form == "json" else yaml.safe_dump(json.loads(dumped(changed)))
    ).encode(errors="replace")
    path.write_bytes(data.draw(st.just(text) | broken(text)))

    def use() -> Reading:
        mine = design_from_file(path)
        item = Item("i", "Why?", {"one": "x", "two": "y"})
        with suppress(UserError):
            mine.ask(item, ["one", "two"])
        mine.reader.read("Best: A yes 3")
        unknown = changed.keys() - DESIGNS[0].keys() if path.read_bytes() == text else ()
        return unknown, False

    lawful("designs", use)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small log, with several replications in a score."""
    task = bbh_judge(replications=3)
    made = example_logs.run(task, tmp_path_factory.mktemp("log"), epochs=2, limit=2)
    return Path(made.location.removeprefix("file://"))


REJUDGE = ["rejudge", "--dry-run", "--scorer", "model_graded_qa", "--model", "mockllm/model"]


@pytest.fixture(scope="module")
def expected(log: Path) -> dict[tuple[Any, ...], Any]:
    """Verdicts of the log that is whole."""
    return judged(log)[0]


def judged(path: Path) -> tuple[dict[tuple[Any, ...], Any], bool]:
    """Verdicts of a log, and whether anything was left out."""
    found = judgments_from_logs(path)
    return verdicts(found.table, "sample", "replication"), bool(found.notes)


@pytest.mark.slow
@fuzz_logs
@given(data=st.data())
def test_logs_with_broken_bytes(
    data: st.DataObject, log: Path, expected: dict[tuple[Any, ...], Any], place: Path
) -> None:
    """A log with changed bytes has all its judgments, says what it lacks, or is refused."""
    path = fresh(place) / "broken.eval"
    path.write_bytes(data.draw(broken(log.read_bytes())))

    def unchanged() -> Reading:
        found, noted = judged(path)
        return [key for key in expected if found.get(key) != expected[key]], noted

    lawful("logs, bytes", unchanged)
    lawful("rejudge", whole(lambda: said(*REJUDGE, path)))


@pytest.mark.slow
@fuzz
@given(data=st.data())
def test_logs_with_broken_parts(
    data: st.DataObject, log: Path, expected: dict[tuple[Any, ...], Any], place: Path
) -> None:
    """A log with a broken part within has all its judgments, or says what it lacks."""
    path = fresh(place) / "broken.eval"
    touched: set[tuple[Any, Any]] = set()
    with zipfile.ZipFile(log) as old, zipfile.ZipFile(path, "w") as new:
        names = ["header.json", "summaries.json", "summaries.json", *old.namelist()]
        name = data.draw(st.sampled_from(names))
        for one in old.namelist():
            content = old.read(one)
            if one == name:
                value = json.loads(content)
                changed = data.draw(damaged(value))
                content = dumped(changed).encode()
                if name == "summaries.json":
                    now = changed if isinstance(changed, list) else []
                    touched = {(s["id"], s["epoch"]) for s in value if s not in now}
            new.writestr(one, content)

    def untouched() -> Reading:
        found, noted = judged(path)
        lost = [
            (question, number)
            for question, number in expected
            if (question, (number + 2) // 3) not in touched
            and found.get((question, number)) != expected[question, number]
        ]
        return [*lost, *range(len(expected) - len(found))], noted

    lawful("logs, parts", untouched)
    lawful("rejudge", whole(lambda: said(*REJUDGE, path)))


@pytest.mark.slow
@fuzz_commands
@given(data=st.data())
def test_scores_of_somebody_else(
    data: st.DataObject, log: Path, expected: dict[tuple[Any, ...], Any], place: Path
) -> None:
    """Scores with whatever value and metadata inspect can write are reported and saved."""
    folder = fresh(place)
    changed = read_eval_log(str(log))
    for sample in (changed.samples or [])[:2]:
        for score in (sample.scores or {}).values():
            score.metadata = {**(score.metadata or {}), **data.draw(METADATA)}
            if data.draw(st.booleans()):
                score.value = data.draw(STRANGE.filter(lambda value: value is not None))
    try:
        write_eval_log(changed, str(folder / "changed.eval"))
    except Exception:  # not a log that inspect could have written
        return

    def every_sample() -> Reading:
        path = folder / "changed.eval"
        said("report", path, "--tables", folder / "data", "--format", "json")
        table = pd.read_parquet(folder / "data" / "judgments.parquet")
        _, noted = judged(path)
        return range(len(expected) - len(table)), noted

    lawful("logs, scores of others", every_sample)


KEYS = ["replication", "seed", "order", "categories", "responder", "temperature", "replications"]
KEYS += ["study", "tokens", "seed_check", "scorer", "grader", "missing", "category", "own"]
KEYS += ["exact", "rows", "read_by"]
METADATA = st.dictionaries(st.sampled_from(KEYS), STRANGE, min_size=1, max_size=3).filter(
    lambda found: found.get("replications", "") is not None  # a score of one judgment
)


COLUMNS = ["question", "verdict", "replication", "temperature", "judge", "seed", "categories"]


def every_row(frame: pd.DataFrame) -> Reading:
    """Judgments of a frame: each row is one, or is counted in a note."""
    found = judgments_from_frame(frame)
    left_out = sum(note.count for note in found.notes)
    return range(len(frame) - len(found) - left_out), bool(found.notes)


@pytest.mark.slow
@fuzz
@given(data=st.data())
def test_data_frames(data: st.DataObject) -> None:
    """A frame of strange columns is a table of judgments, or refused by its column."""
    rows = data.draw(st.integers(1, 4))
    names = data.draw(st.lists(st.sampled_from(COLUMNS), unique=True))
    frame = pd.DataFrame(
        {n: pd.Series([data.draw(STRANGE) for _ in range(rows)], dtype=object) for n in names}
        | {"question": ["q"] * rows}
    )
    lawful("data frames", lambda: every_row(frame))


@pytest.fixture(scope="module")
def saved(log: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The judgments of a log, as `report --tables` saves them."""
    folder = tmp_path_factory.mktemp("saved")
    said("report", log, "--tables", folder)
    return folder


@pytest.mark.slow
@fuzz
@given(data=st.data(), form=st.sampled_from(["csv", "parquet"]))
def test_saved_judgments(data: st.DataObject, form: str, saved: Path, place: Path) -> None:
    """A saved table that was broken is read row by row, or refused by its column or by pandas."""
    path = fresh(place) / f"judgments.{form}"
    content = (saved / path.name).read_bytes()
    cells = data.draw(st.booleans())
    if cells:
        frame = pd.read_parquet(saved / "judgments.parquet").astype(object)
        column = data.draw(st.sampled_from(list(frame)))
        row = data.draw(st.integers(0, len(frame) - 1))
        frame.at[row, column] = data.draw(st.none() | st.floats() | st.text(max_size=4))
    else:
        path.write_bytes(data.draw(broken(content)))

    def read() -> Reading:
        if cells:
            return every_row(frame)
        try:
            found = pd.read_csv(path) if form == "csv" else pd.read_parquet(path)
        except Exception as error:  # pandas has words of its own
            raise UserError(str(error) or type(error).__name__) from None
        return every_row(found)

    lawful(f"judgments.{form}", read)


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model, with a file of code that says when it runs."""
    folder = tmp_path_factory.mktemp("model")
    save_random_model(folder, seed=0)
    (folder / "evil.py").write_text(
        "import pathlib\npathlib.Path(__file__).with_name('ran').touch()\n"
    )
    return folder


CODE = {"auto_map": {n: "evil.X" for n in ("AutoConfig", "AutoModelForCausalLM", "AutoTokenizer")}}
MODEL_FILES = ["config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json"]


@pytest.mark.slow
@fuzz
@given(data=st.data(), name=st.sampled_from([*MODEL_FILES, "model.safetensors"]))
def test_model_folders(data: st.DataObject, name: str, model_folder: Path, place: Path) -> None:
    """A broken model folder is refused, or answers from its own weights; its code never runs."""
    folder = fresh(place) / "model"
    shutil.copytree(model_folder, folder)
    path = folder / name
    how = data.draw(st.sampled_from(["bytes", "part", "part", "code", "remove"]))
    if how == "remove":
        path.unlink()
    elif how == "code" and name.endswith("config.json"):
        value = json.loads(path.read_text())
        path.write_text(dumped({**value, **CODE, **data.draw(KINDS_OF_MODELS)}))
    elif name == "model.safetensors":
        path.write_bytes(
            data.draw(weights(load_file(path)) if how == "part" else broken(path.read_bytes()))
        )
    else:
        value = data.draw(damaged(json.loads(path.read_text())))
        path.write_bytes(
            dumped(value).encode() if how == "part" else data.draw(broken(path.read_bytes()))
        )

    def same_twice() -> Reading:
        answers = []
        for seed in (1, 2):  # weights that are drawn would differ
            torch.manual_seed(seed)
            model = reachable_model(get_model(f"hf_seeded/{folder}", memoize=False, device="cpu"))
            config = GenerateConfig(seed=1, max_tokens=3, temperature=1.0)
            output = asyncio.run(model.generate("ab", config=config))
            answers.append(output.completion)
            model.api.close()
        return [*({*answers} - {answers[0]}), *folder.glob("ran")], False

    lawful("model folders", same_twice)
    assert not (folder / "ran").exists()


KINDS_OF_MODELS: st.SearchStrategy[dict[str, str]] = st.sampled_from(
    [{}, {"model_type": "evil"}, {"tokenizer_class": "Evil"}, {"architectures": ["Evil"]}]
)


@st.composite
def weights(draw: st.DrawFn, good: dict[str, torch.Tensor]) -> bytes:
    """Weights of which one is missing, renamed, of another shape, or no number."""
    name = draw(st.sampled_from(sorted(good)))
    value = good.pop(name)
    how = draw(st.sampled_from(["missing", "renamed", "shape", "number", "dtype"]))
    if how == "renamed":
        good[draw(st.text("ab.", min_size=1, max_size=5))] = value
    elif how == "shape":
        good[name] = torch.cat([value, value])
    elif how == "number":
        value.view(-1)[draw(st.integers(0, value.numel() - 1))] = draw(
            st.sampled_from([math.nan, math.inf, -math.inf])
        )
        good[name] = value
    elif how == "dtype":
        good[name] = value.to(draw(st.sampled_from([torch.int8, torch.float64, torch.bool])))
    return save(good, metadata={"format": "pt"})


HOSTILE = (
    *(
        "C:\\m",
        "\\g<1>",
        "\xad",
        "\x1b[31m",
        "\0",
        "\v",
        "\a",
        "\r",
        "a\nb",
        "\u2028",
        "\u202e",
        "\ud800",
    ),
    *(
        "=1+1",
        "'=1+1",
        "x;=1",
        "＝1",
        "_x001B_",
        "%s{0}$x$",
        "<b>&amp;",
        "[bold]",
        '"',
        "_",
        " ",
        "",
    ),
)
"""Names that a form, a file or a terminal could take for something else than a name."""

FIELDS = ("judge", "question", "verdict", "label", "output", "category", "wording")

CALLS = (
    *(f"report --format {form}" for form in FORMS),
    *(f"{command} --format {form}" for command in ("card", "rank") for form in ("html", "table")),
    "report --full --explain",
    "report --html new.html --tables tables --figures figures --save new.parquet",
    "report --save counts.parquet --counts",
    "report --by category --facet wording",
    *("validate --full", "label --most 5 --out new.csv", "label --most 5 --out new.xlsx"),
    "label --out new.html",
    *("keep --max-error 0.9 --out kept.csv", "keep --max-error 0.9 --out kept.parquet"),
    "keep --max-error 0.9 --cascade j --save-rule rule.json",
    *("compare --by judge --format json", "compare --by judge --full"),
    *("plan --format html", "gate --min omega=0.1 --max non_response_rate=0.5"),
)
"""Every command that reads judgments, with every option that writes."""


def answered_or_said(call: str, file: Path) -> Result:
    """Run a call on a file: an answer, or a sentence; a terminal shows both and does nothing."""
    command, *more = call.split()
    done = invoke(command, file, *more)
    assert done.exit_code in (0, 1, 2, 3)
    assert "nobody foresaw" not in done.stderr, (call, done.stderr)
    assert "codec" not in done.stderr, (call, done.stderr)
    assert len(done.stderr) < 20_000
    acting = {one for one in done.output if unicodedata.category(one) in ("Cc", "Cf", "Cs")}
    assert acting <= {"\n"}, (call, acting)
    return done


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judgments, and pairs, in which every such text is a name of everything that has a name."""
    folder, some = tmp_path_factory.mktemp("hostile"), [" ".join(HOSTILE[n::3]) for n in range(3)]
    rows = [
        {name: HOSTILE[(q + n) % len(HOSTILE)] for n, name in enumerate(FIELDS)}
        | {"judge": judge, "question": f"{q} {HOSTILE[q]}", "replication": k + 2 * (judge is None)}
        | {"verdict": HOSTILE[(q + q * k) % 5], "label": HOSTILE[q % 5] if q % 3 else None}
        for judge in ("j", "", None, *some)
        for q in range(len(HOSTILE))
        for k in range(2)
    ]
    (folder / "rows.jsonl").write_text("\n".join(map(dumped, rows)))
    blank = [{name: of for name, of in row.items() if name != "label"} for row in rows]
    (folder / "unlabelled.jsonl").write_text("\n".join(map(dumped, blank)))
    pairs = [
        {"question": f"{n} {text}", "judge": "j", "verdict": "12"[n % 2]}
        | {"model_1": one, "model_2": other}
        for n, text in enumerate(HOSTILE)
        for one in some
        for other in some
        if one < other
    ]
    (folder / "pairs.jsonl").write_text("\n".join(map(dumped, pairs)))
    return folder


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn", "few_draws")
@pytest.mark.parametrize("call", CALLS)
def test_hostile_names_in_every_command(
    call: str, hostile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are names like others: each command has its answer."""
    monkeypatch.chdir(tmp_path)
    read_once(monkeypatch)
    file = "pairs" if "rank" in call else "unlabelled" if "--for" in call else "rows"
    done = answered_or_said(call, hostile / f"{file}.jsonl")
    assert done.exit_code != 2, done.stderr


@pytest.mark.slow
def test_hostile_names_in_figures(tmp_path: Path) -> None:
    """What is drawn of judges with such names, and of one without a name, can be opened."""
    rows = [
        {"judge": judge, "question": f"q{q}", "verdict": "xy"[(q + k) % 3 % 2], "label": "x"}
        for judge in (None, *("".join(HOSTILE[n::2]) for n in range(2)))
        for q in range(4)
        for k in range(2)
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(dumped, rows)))
    call = f"report --figures {tmp_path}/figures"
    assert answered_or_said(call, path).exit_code == 0
    drawn = [*tmp_path.glob("figures/*.svg")]
    assert len(drawn) > 3
    for svg in drawn:
        ElementTree.parse(svg)


@pytest.mark.slow
@fuzz_commands
@given(data=st.data(), call=st.sampled_from(CALLS), form=st.sampled_from(["jsonl", "csv", "xlsx"]))
def test_hostile_names(data: st.DataObject, call: str, form: str, place: Path) -> None:
    """The same of any of them in any field, in files of every form."""
    folder = fresh(place)
    fields = data.draw(st.lists(st.sampled_from(FIELDS), min_size=1, max_size=3))
    names = {name: data.draw(st.permutations(HOSTILE)) for name in fields}
    rows = [
        {"judge": f"j{j}", "question": f"q{q}", "verdict": "xy"[(q * k + j) % 3 % 2]}
        | {"label": "xy"[q % 2], "output": f"o{q}", "category": "c", "wording": f"w{k}"}
        | {
            name: of[{"judge": j, "verdict": (q * k + j) % 2}.get(name, q)]
            for name, of in names.items()
        }
        for j in range(data.draw(st.integers(1, 3)))
        for q in range(data.draw(st.integers(1, 6)))
        for k in range(data.draw(st.integers(1, 3)))
    ]
    path = folder / f"rows.{form}"
    frame = pd.DataFrame(rows)
    if form == "xlsx":
        write_workbook(path, frame)
    elif form == "csv":
        path.write_bytes(frame.to_csv(index=False).encode(errors="replace"))
    else:
        path.write_text("\n".join(map(dumped, rows)))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        answered_or_said(call, path)
