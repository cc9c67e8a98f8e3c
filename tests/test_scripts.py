"""Scripts outside the package say what they do and what they lack."""

import gc
import importlib
import json
import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from evals import hurry
from inspect_reliability.hf_seeded.forward import ForwardPass
from inspect_reliability.hf_seeded.prompt import PromptEncoder
from inspect_reliability.study.tasks import bbh_judge
from processes import python

ROOT = Path(__file__).parents[1]
BENCHES = sorted(path.name for path in (ROOT / "bench").glob("[!_]*.py"))
VIEWER = ROOT / "docs" / "images" / "viewer.py"


def _run(script: Path, arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.syspath_prepend(script.parent)
    monkeypatch.setattr(sys, "argv", [str(script), *arguments])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(script), run_name="__main__")
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.mark.parametrize("bench", BENCHES)
def test_help_of_a_bench(
    bench: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--help` prints what a bench is for, and measures nothing."""
    assert _run(ROOT / "bench" / bench, ["--help"], monkeypatch) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"usage: {bench}")
    title = (ROOT / "bench" / bench).read_text().splitlines()[0].strip('"')
    assert title in " ".join(shown.split())


HERE: dict[str, Any] = {"alone": lambda work, *given: work(*given)}
"""In this process, for a new one imports everything; that there is one is tried by itself."""
HELD: dict[str, Any] = {"HELD_QUESTIONS": [20], "HELD_REPLICATIONS": [8]}
SMALLEST: dict[str, tuple[str, dict[str, Any]]] = {
    "coverage": (
        "--quick",
        {"QUICK": 0, "QUESTIONS": [20], "REPLICATIONS": [5], "TRUTH": 900, "ENDLESS": 99, **HELD}
        | {"COMPARED": (20,), "JUDGES": (3,)},
    ),
    "choices": ("--quick", {"STUDIES": 20, "MOST_DESIGNS": 1}),
    "comparisons": (
        "--quick",
        {"QUICK": 0, "QUESTIONS": (8,), "ACCURACIES": (0.9,), "MANY": {}} | {"MONTHS": ((8, 1),)},
    ),
    "end_to_end": ("--questions 1 --replications 2 --baseline 1", {}),
    "epochs": ("--questions 1 --replications 2 --runs 1", {"SAMPLES": (), "STRAIGHT": ()}),
    "exact": (
        "--questions 1",
        {"TEMPERATURES": (1.0,), "FIVE": (0.5, 1.0), "REPLICATIONS": 2, "TOP_K": 2},
    ),
    "experiments": (
        "",
        {"QUESTIONS": 1, "PROMPT": 30, "VARYING": 8, "TOKENS": 2, "ROUNDS": 1, "SEEDS": 2}
        | {"WORDINGS": ("whitespace",)},
    ),
    "fooled": ("--studies 1 --questions 4", {"REPLICATIONS": 2}),
    "keep": (f"{ROOT / 'logs' / 'example'} --draws 3", {"SETTINGS": ((15, 0.4),)}),
    "labelling": ("--studies 1", {"QUESTIONS": 200, "MOST": 80}),
    "labels": ("--quick", {"QUICK": 0, "LABELS": (30,), "QUESTIONS": 100}),
    "months": ("--months 2", {"QUESTIONS": 60}),
    "many_rows": ("--rows 400 --files 1 --form counts", {"TRIES": 5, **HERE}),
    "many_logs": ("--logs 2 --samples 4 --checks 4", {"ANCHORS": 5, "CHANGED": 3, **HERE}),
    "moves": ("--quick", {"QUESTIONS": (30,), "STUDIES": 4, "TRUTH": 500}),
    "plans": (
        "--quick",
        {"QUICK": 0, "TELLING": 200, "LARGE": 300, "STEPS": ((3, 5), (5, 5)), "MOST": 300}
        | {
            "PILOTS": ((40, 5, 5),),
            "SHARES": {},
            "OF_ORDERS": ((20, 3),),
            "OF_LIMITS": ((0.9, 40),),
        },
    ),
    "rankings": (
        "--quick",
        {
            **{"QUICK": 0, "QUESTIONS": (5, 6), "JUDGES": (5,), "FRESH": 10, "BOOTSTRAPS": 5},
            "LARGE": {"small": (4, 5, 2), "exact": (4, 5, 1), "scores": (4, 5, 0)},
            "EQUAL": [("normal", 3, 8, 1), ("correlated", 3, 8, 5)],
        },
    ),
    "replications": (
        "--prompt 20 --replications 4 --tokens 2 --repeats 1 --sample 1",
        {"QUESTIONS": 2, "VERDICT_TOKENS": 2, "LENGTHS": (20,), "REPLICATIONS": (1, 2)}
        | {"TEMPERATURES": (0.5, 1.0), "STRAIGHT": (2, 3)},
    ),
    "precision": ("--questions 1 --replications 2", {"TOKENS": 2}),
    "report_ratio": (
        f"FILE --before {ROOT} --runs 1",
        {"COMMAND": """print('{"rows": [{"omega": 0.5}]}')"""},  # not a report, which is slow
    ),
    "shards": ("--questions 2000", {}),
    "stopping": ("--questions 1 --replications 2", {"TOKENS": 3, "TASKS": {"BBH": bbh_judge}}),
    "watch": (
        "--quick",
        {"QUICK": 0, "DAYS": 30, "QUIET": {}, "CHANGES": {}, "TRUTHS": {"judge": ("judge",)}}
        | {"FAILED": {"again": {"at": 8, "draws": 0.3, "again": True}}, "CHECKS": 11},
    ),
    "shares": ("--quick", {"QUICK": 0, "QUESTIONS": (8,), "REPLICATIONS": (2,), "RATES": (0.9,)}),
}
"""Bench -> arguments and constants of its smallest size. `served` needs vLLM."""

PARTS: dict[str, dict[str, Any]] = {
    "coverage": {"TRUTH": 900},
    "_bound": {"SIZE": 64},
    "_flips": {"QUESTIONS": 1, "REPLICATIONS": 2, "TOKENS": 2, "BLOCKS": (1,)},
    "_models": {
        "SHAPES": {
            "10m": {
                "vocab_size": 256,
                "hidden_size": 32,
                "intermediate_size": 64,
                "num_hidden_layers": 2,
                "num_attention_heads": 2,
                "num_key_value_heads": 2,
            }
        }
    },
}
"""The same of what benches share."""


BESIDE_INSPECT = {"end_to_end", "replications"}
"""Benches that ask inspect's provider `hf/` as well."""

ENGINE = {"end_to_end", "exact", "experiments", "precision", "replications", "stopping"}
"""Benches that time the engine."""


def _beginnings(bench: str, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each measurement that a bench makes from now on: was a prompt known as it began?"""
    known: list[bool] = []
    begun: set[object] | None = None  # parts of the engine that a measurement has used so far
    encode, prefill = PromptEncoder.encode, ForwardPass.prefill

    def begins(part: object, knows: bool) -> None:
        if begun is not None and part not in begun:
            begun.add(part)
            known[-1] |= knows

    def encodes(self: PromptEncoder, messages: Any) -> Any:
        if bench == "end_to_end":  # others encode before they measure
            begins(self, self._ids.cache_info().currsize > 0)
        return encode(self, messages)

    def fills(self: ForwardPass, prompt: Any) -> Any:
        begins(self, len(self._latest[0]) > 0)
        return prefill(self, prompt)

    def measuring(work: Callable[..., Any]) -> Callable[..., Any]:
        def measured(*arguments: Any, **options: Any) -> Any:
            nonlocal begun
            begun = set()
            known.append(False)
            try:
                return work(*arguments, **options)
            finally:
                begun = None

        return measured

    # Short prompts go in pieces, too, and are kept for the next.
    piece = 8 if bench in ("experiments", "replications") else 48
    monkeypatch.setattr("inspect_reliability.hf_seeded.forward.PIECE", piece)
    monkeypatch.setattr(PromptEncoder, "encode", encodes)
    monkeypatch.setattr(ForwardPass, "prefill", fills)
    for module in map(importlib.import_module, (bench, "_measure")):
        for name in {"cost", "eval"} & {*vars(module)}:
            monkeypatch.setattr(module, name, measuring(getattr(module, name)))
    return known


def _smallest(bench: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A bench whose `main` measures at its smallest size."""
    monkeypatch.syspath_prepend(ROOT / "bench")
    arguments, constants = SMALLEST[bench]
    for name, smaller in (*PARTS.items(), (bench, constants)):
        module = importlib.import_module(name)
        for constant, value in smaller.items():
            assert hasattr(module, constant), f"{name} has no {constant}"
            monkeypatch.setattr(module, constant, value)
    if bench in BESIDE_INSPECT:
        hurry()
    gc.freeze()  # what is imported, for each measurement collects garbage
    monkeypatch.setattr(sys, "argv", [f"{bench}.py", *arguments.split()])
    return module


def test_every_bench_has_a_smallest_size() -> None:
    """No bench is left out of those that run here, but for the one that needs vLLM."""
    assert {f"{name}.py" for name in SMALLEST} | {"served.py"} == set(BENCHES)


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("bench", SMALLEST)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("few_draws")
def test_a_bench_runs(
    bench: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each bench runs to its end at its smallest size, and prints figures.

    Those of the engine begin each measurement as a user's next question does: with no prompt known.
    """
    module = _smallest(bench, monkeypatch)
    known = _beginnings(bench, monkeypatch) if bench in ENGINE else []
    module.main()
    assert any(character.isdigit() for character in capsys.readouterr().out)
    assert not any(known)
    assert known or bench not in ENGINE


@pytest.mark.process
def test_a_bench_measures_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a command needs of memory is that of a process that did nothing before."""
    monkeypatch.syspath_prepend(ROOT / "bench")
    assert importlib.import_module("many_rows").alone(os.getpid) != os.getpid()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.slow
def test_promises_that_the_bench_of_keep_simulates_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the best of ten, each at its part of the level, and of a sample of kept rows."""
    monkeypatch.syspath_prepend(ROOT / "bench")
    keep = importlib.import_module("keep")
    monkeypatch.setattr(keep, "SIZES", ((300, 100),))
    monkeypatch.setattr(keep, "JUDGES", (10,))
    [line] = keep.best_of_several(60)
    assert line["holds, usual level"] < 0.95 <= line["holds, its part"]
    for line in keep.checked_rows(100):
        assert all(share >= 0.9 for name, share in line.items() if "wrong" in name)
    monkeypatch.setattr(keep, "PILOTS", ((30, 0.1, 0.03),))
    for line in keep.planned_labels(100):
        assert line["planned"] > 0.05
        assert line["promised"] > 0.6
    for line in keep.random_labels(60):
        assert line["unlike others"] < 0.1


@pytest.mark.slow
def test_a_bench_counts_what_other_batches_change(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In float32, on a processor, no verdict changes with its batch."""
    module = _smallest("replications", monkeypatch)
    sys.argv += ["--flips"]
    module.main()
    exact = json.loads(capsys.readouterr().out)["tiny-judge, float32"]
    assert exact.pop("replications") == 2
    assert {one["verdicts"] for one in exact.values()} == {0}


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.filterwarnings("ignore")
def test_a_bench_that_forgets_nothing_does_not_begin_cold(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the benches of the engine forget would else be known as their measurements begin."""
    module = _smallest("stopping", monkeypatch)
    known = _beginnings("stopping", monkeypatch)
    monkeypatch.setattr(module, "forget", lambda run: None)
    module.main()
    assert any(known)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [([], "required: LOG_DIR"), (["{}"], "lacks one of two logs"), (["{}/none"], "lacks one of")],
)
def test_pictures_without_a_log(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The script of the viewer's pictures says what it lacks."""
    given = [argument.format(tmp_path) for argument in arguments]
    assert _run(VIEWER, given, monkeypatch) == 2
    assert message in capsys.readouterr().err


@pytest.mark.process
def test_skipped_tests_are_counted_by_reason(tmp_path: Path) -> None:
    """Without the published data, one line says how many tests were skipped and why."""
    tests = tmp_path / "test_two.py"
    tests.write_text("def test_one(data): ...\n\ndef test_other(data): ...\n")
    words = ["-p", "conftest", f"--rootdir={tmp_path}", str(tests)]
    code = "import sys, pytest; sys.exit(pytest.main(sys.argv[1:]))"
    done = python(code, *words, cwd=tmp_path, environment={"RELIABILITY_DATA": "nowhere"})
    (line,) = [line for line in done.stdout.splitlines() if " skipped: " in line]
    assert line.startswith("2 skipped: the published data is not in nowhere (RELIABILITY_DATA")


@pytest.mark.process
def test_a_tag_needs_an_owner_and_one_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`make tag` names what is not ready, and tags nothing before all is."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "Makefile", tmp_path)
    for key in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{key}_NAME", "n")
        monkeypatch.setenv(f"GIT_{key}_EMAIL", "e")
    subprocess.run(["git", "init", "--quiet"], check=True)
    subprocess.run(["git", "commit", "--quiet", "--allow-empty", "-m", "m"], check=True)

    ready = {
        "pyproject.toml": 'version = "7.0.0"\nowner = "us"',
        "CITATION.cff": "version: 7.0.0",
        "CHANGELOG.md": "## [7.0.0] - 2030-01-01",
    }
    lacking = {
        "pyproject.toml": ('version = "7.0.0"\nowner = "OWNER"', '2:owner = "OWNER"'),
        "CITATION.cff": ("version: 6.0.0", "CITATION.cff another version"),
        "CHANGELOG.md": ("## Unreleased", "no section 7.0.0"),
    }

    def tag(files: dict[str, str]) -> tuple[str, str]:
        for name, text in files.items():
            (tmp_path / name).write_text(f"{text}\n")
        said = subprocess.run(["make", "tag"], capture_output=True, text=True).stdout
        return said, subprocess.run(["git", "tag"], capture_output=True, text=True).stdout

    for name, (text, message) in lacking.items():
        said, tags = tag(ready | {name: text})
        assert message in said
        assert not tags
    assert tag(ready)[1] == "v7.0.0\n"
