"""Rules of files that name no judge: the file's name is its judge."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import inspect_reliability as ir
from commands import invoke
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.chosen_judge import by_rule
from inspect_reliability.judgments.reading import Reading
from inspect_reliability.judgments.sources import judgments_from
from inspect_reliability.record.rule import KeepRule

pytestmark = pytest.mark.usefixtures("read_once")


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
    """`--save-rule` names the file; a file that names no judge either is taken for the same one."""
    listed = ("--out", "list.csv")
    assert invoke("keep", "new.csv", "--save-rule", "rule.json", *listed).exit_code == 0
    assert "judge" not in pd.read_csv("list.csv")  # nobody has named it
    for command in (("keep",), ("validate",), ("gate", "--min", "accuracy=0.5")):
        done = invoke(command[0], "new.csv", *command[1:], "--rule", "rule.json")
        assert done.exit_code == 0, done.output
    other = invoke("keep", "old.csv", "--rule", "rule.json", *listed)
    assert "judge" not in pd.read_csv("list.csv")
    assert other.exit_code == 0, other.output
    assert "judge of rule.json (new.csv): neither file names its judge" in " ".join(
        other.stderr.split()
    )
    both = invoke("keep", "old.csv", "new.csv", "--rule", "rule.json")
    assert "neither file names" not in both.stderr
    for what in (["keep"], ["gate", "--min", "kept=.5"]):
        known = [*what, "new.csv", "--rule", "rule.json", "--abstain"]
        assert invoke(*known, "none").exit_code == 0  # as the rule has it
        refused = invoke(*known, "B")
        assert refused.exit_code == 2
        assert "by it, every verdict decides. Leave out --abstain" in refused.stderr
    ir.keep("new.csv", save_rule="python.json")
    assert Path("python.json").read_text() == Path("rule.json").read_text()
    assert ir.keep("new.csv", rule="rule.json").summary()["kept"][0] > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("made_of", "here", "said"),
    [
        ("may.csv", None, "neither file names its judge"),
        ("j", None, "a judge is named, but not by these"),
        ("may.csv", "j", None),
        ("j", "j", ""),
        ("i", "j", None),
    ],
)
def test_only_judges_that_are_named_can_differ(
    made_of: str, here: str | None, said: str | None
) -> None:
    """A rule is refused where judgments name a judge, and it another or none; else a note tells.

    To leave a name out says that the judge is the same one.
    """
    rule = KeepRule(
        judges=[made_of],
        votes=3,
        votes_needed=2,
        abstain=[],
        max_error=0.1,
        confidence=0.95,
        kept=1,
        error=0,
        n_labelled=60,
        made_of={made_of: {"judge": made_of}},
    )
    Path("rule.json").write_text(rule.text)
    given = pd.read_csv("new.csv").assign(judge=here)
    for one in (given, "june.csv"):
        given.to_csv("june.csv", index=False)
        read = judgments_from(one)
        if said is None:
            with pytest.raises(UserError, match=f"made of {made_of},? .* j") as refused:
                by_rule(read, "rule.json")
            if made_of == "may.csv":
                assert "leave its name out: --column judge=unused" in str(refused.value)
                same = judgments_from(one, reading=Reading(columns={"judge": "unused"}))
                assert {*by_rule(same, "rule.json").table["judge"]} == {made_of}
            continue
        taken = by_rule(read, "rule.json")
        assert {*taken.table["judge"]} == {made_of}
        notes = [note.what for note in taken.said if "judge of" in note.what]
        assert [what.rpartition(": ")[2] for what in notes] == ([said] if said else [])


@pytest.mark.slow
def test_a_list_by_another_column_names_no_judge() -> None:
    """It has a row a question of each level, with its most frequent verdict, if there is one."""
    table = pd.read_csv("new.csv")[:60].assign(judge="j", part=lambda rows: rows["replication"] % 2)
    ir.keep(table, by="part", max_error=0.5, out="list.csv")
    found = pd.read_csv("list.csv")
    assert "judge" not in found
    own = table.groupby(["question", "part"])["verdict"].agg(pd.Series.mode)
    most = {key: one if isinstance(one, str) else "undecided" for key, one in own.items()}
    assert found.set_index(["question", "part"])["verdict"].to_dict() == most
