"""Rules of files that name no judge: the file's name is its judge."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import inspect_reliability as ir
from commands import invoke


@pytest.fixture(name="folder", autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A judge that is right, and one that hardly ever is; neither file names it."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    for name, share in (("old.csv", 0.5), ("new.csv", 0.97)):
        rows = [
            (f"q{q}", k, "A" if rng.random() < share else "B", "A")
            for q in range(60)
            for k in range(3)
        ]
        table = pd.DataFrame(rows, columns=["question", "replication", "verdict", "label"])
        table.to_csv(name, index=False)


@pytest.mark.slow
def test_a_choice_among_files_is_used_on_one_of_them() -> None:
    """`--rule choice.yaml` takes the chosen file, alone or among others, and refuses the other."""
    assert invoke("choose", "old.csv", "new.csv", "--out", "choice.yaml").exit_code == 0
    for files in (("new.csv",), ("old.csv", "new.csv"), (str(Path("new.csv").resolve()),)):
        done = invoke("keep", *files, "--rule", "choice.yaml")
        assert done.exit_code == 0, done.output
        assert "60 labels left out because they chose this judge" in " ".join(done.stderr.split())
    refused = invoke("keep", "old.csv", "--rule", "choice.yaml")
    assert "it chose new.csv, and the judge here is old.csv" in " ".join(refused.stderr.split())


@pytest.mark.slow
def test_a_rule_of_a_file_has_its_name() -> None:
    """`--save-rule` names the file, and the rule holds for that file and for no other."""
    assert invoke("keep", "new.csv", "--save-rule", "rule.json").exit_code == 0
    for command in (("keep",), ("validate",), ("gate", "--min", "accuracy=0.5")):
        done = invoke(command[0], "new.csv", *command[1:], "--rule", "rule.json")
        assert done.exit_code == 0, done.output
    refused = invoke("keep", "old.csv", "--rule", "rule.json")
    assert "it was made of new.csv, and the judge here is old.csv" in " ".join(
        refused.stderr.split()
    )
    ir.keep("new.csv", save_rule="python.json")
    assert Path("python.json").read_text() == Path("rule.json").read_text()
    assert ir.keep("new.csv", rule="rule.json").summary()["kept"][0] > 0
