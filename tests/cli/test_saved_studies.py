"""`report --save`: a study reads the same from its file, from several, and beside its logs."""

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.scorer import model_graded_qa
from inspect_ai.solver import generate

import example_logs
from commands import results
from inspect_reliability import Item, JudgeDesign, analyse, judge, rejudge
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.sources import judgments_from
from inspect_reliability.judgments.table import save
from inspect_reliability.study.tasks import bbh_judge

pytestmark = pytest.mark.slow

PICK = "Question: {{ question }}{% for o in options %}\n[{{ o.label }}]: {{ o.text }}{% endfor %}"
PAIR = JudgeDesign("Pair", PICK, {"options": ["A", "B"]})
MARKS = JudgeDesign("Marks", "{{ question }} {{ response }}", {"from": 1, "to": 3})
ITEMS = [Item(str(n), f"What is {n}?", {"x": "good", "y": f"bad {n}"}) for n in range(4)]
ALONE = [Item(str(n), f"What is {n}?", {"x": "good"}) for n in range(4)]


def report(*arguments: str | Path) -> dict[str, Any]:
    found = results("report", *arguments)
    found["notes"] = sorted(found["notes"], key=str)
    return found


def rows(*places: Path) -> list[dict[str, Any]]:
    """The rows of the same report, without its other results."""
    found = analyse(judgments_from([*map(str, places)])).results["rows"]
    read: list[dict[str, Any]] = json.loads(json.dumps(found))
    return read


def seeds(folder: Path) -> None:
    for seed in (0, 100):
        example_logs.judged(folder, 2, 2, seed=seed, order="reshuffled")


def exact(folder: Path) -> None:
    task = bbh_judge(exact=True, temperatures=[1, 0.5])
    example_logs.run(task, folder, model="hf_seeded/tiny-judge", limit=2, max_tokens=4)


def experiment(folder: Path) -> None:
    options = {"wordings": ["whitespace"], "orders": "rotations", "replications": 2}
    for seed, letters in ((0, "AAB"), (50, "AB-")):
        said = example_logs.judge(letters, "Winner: {}")
        example_logs.run(judge(PAIR, ITEMS, seed=seed, **options), folder, model=said)


def numbers(folder: Path) -> None:
    for replications in (3, 5):
        said = example_logs.judge("1233-", "{}")
        task = judge(MARKS, ALONE, replications=replications, seed=replications * 10)
        example_logs.run(task, folder, model=said)


def criteria(folder: Path) -> None:
    example_logs.foreign(folder)
    example_logs.judged(folder, 2, 2)


def rejudged(folder: Path) -> None:
    grader = model_graded_qa(model=example_logs.judge("CI", "GRADE: {}"))
    samples = [Sample("What?", target="that", id=n) for n in range(3)]
    for number in range(2):
        scorer = rejudge(grader, replications=4, seed=number)
        suite = Task(samples, solver=generate(), scorer=scorer, name="suite")
        example_logs.run(suite, folder)


def gaps(folder: Path) -> None:
    """One run lacks what another has, one what nobody has; one cannot be read."""
    example_logs.cancelled(folder)
    example_logs.with_error(folder, fatal=False)
    example_logs.with_error(folder, fatal=True)
    example_logs.truncated(folder)
    shutil.rmtree(folder / "whole")


def retried(folder: Path) -> None:
    """A run that was cancelled and went on the next day, as a second log."""
    path = example_logs.cancelled(folder)
    log = read_eval_log(next((folder / "whole").glob("*.eval")).as_posix())
    log.eval.created = "2031-01-01T12:00:00+00:00"
    write_eval_log(log, str(folder / "retry.eval"))
    assert path.exists()
    shutil.rmtree(folder / "whole")


def table(folder: Path) -> None:
    """Rows without logs, seeds or ids, of two judges."""
    folder.mkdir()
    for name in "ab":
        chance = random.Random(name)
        rows = [
            {"judge": name, "question": q, "replication": r, "verdict": chance.choice("yyn")}
            for q in range(4)
            for r in range(1, 6)
        ]
        pd.DataFrame(rows).to_csv(folder / f"{name}.csv", index=False)


STUDIES: list[Callable[[Path], None]] = [
    *(seeds, exact, experiment, numbers, criteria, rejudged, gaps, retried, table)
]


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.__name__)
def test_a_study_is_the_same_from_its_files(study: Callable[[Path], None], tmp_path: Path) -> None:
    """From one, from one of each worker in any order, and together with what they are of."""
    folder, saved = tmp_path / "logs", tmp_path / "all.parquet"
    study(folder)
    logs = sorted(path for path in folder.iterdir() if path.is_file())
    expected = report(*logs, "--save", saved)
    assert rows(saved) == expected["rows"]
    parts = []
    for number, log in enumerate(logs):
        part = tmp_path / f"{number}.parquet"
        parts.append(part)
        try:
            save(judgments_from([str(log)]), part)
        except UserError:  # nothing can be read of it
            parts[-1] = log
    assert report(*parts[::-1]) == expected
    assert rows(*logs, saved) == expected["rows"]


def test_labels_are_saved(tmp_path: Path) -> None:
    """Those of a file, of several raters, and those that did not fit, as a note."""
    numbers(tmp_path / "logs")
    names = judgments_from(str(tmp_path / "logs")).table["question"].unique()[:2]
    labels = tmp_path / "labels.csv"
    known = [{"id": one, "label": "2", "rater": by} for one in names for by in "xy"]
    pd.DataFrame([*known, {"id": "no such", "label": "2", "rater": "x"}]).to_csv(labels)
    saved = tmp_path / "all.parquet"
    expected = report(tmp_path / "logs", "--labels", labels, "--save", saved)
    assert expected["validity"][0]["accuracy"] is not None
    assert "labels of what was not judged" in str(expected["notes"])
    assert report(saved) == expected


def test_a_published_study_counts_once(small_logs: Path, tmp_path: Path) -> None:
    """As logs of it, as a copy of these, as a saved file, and as all of these together."""
    saved, logs, moved = (tmp_path / name for name in ("a.parquet", "logs", "copy"))
    logs.mkdir()
    for path in small_logs.glob("BBH*Judge*"):
        shutil.copy(path, logs)
    expected = report(logs, "--save", saved)
    assert report(saved) == expected
    shutil.copytree(logs, moved)
    for places in ([saved, logs], [logs, moved], [moved, saved]):
        assert rows(*places) == expected["rows"], places
    assert "duplicate judgments left out" in str(judgments_from([*map(str, places)]).notes)


def test_logs_that_an_earlier_version_imported(small_logs: Path, tmp_path: Path) -> None:
    """A sample a replication, with other ids: that they double others is said."""
    for path in small_logs.glob("BBH*.eval"):
        log = read_eval_log(str(path))
        apart = []
        for sample in log.samples or []:
            score = (sample.scores or {})["verdict"]
            kept = (score.metadata or {}).pop("replications")
            for number, code in enumerate(kept["verdicts"].split(), 1):
                value = kept["values"][int(code)]
                chosen = dict(zip("ABCDE", (score.metadata or {})["order"], strict=True))
                facts = dict(score.metadata or {})
                facts |= {"replication": number, "responder": chosen.get(value)}
                own = score.model_copy(update={"value": value, "metadata": facts})
                apart.append(
                    sample.model_copy(
                        update={"epoch": number, "uuid": f"{sample.uuid}{number}"}
                        | {"scores": {"verdict": own}}
                    )
                )
        log.samples, log.eval.config.epochs = apart, 6
        write_eval_log(log, str(tmp_path / "earlier" / f"{path.stem}_part001.eval"))
    both = judgments_from([*map(str, (tmp_path / "earlier", *small_logs.glob("BBH*")))])
    copies = [note for note in both.notes if "if one is a copy, leave it out" in note.what]
    assert len(copies) >= 6
    assert not judgments_from(str(tmp_path / "earlier")).notes
