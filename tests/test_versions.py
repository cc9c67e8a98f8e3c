import json
import os
import subprocess
import sys
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

pytestmark = pytest.mark.network

TESTS = Path(__file__).parent

# What a user does with the package, from the judge to the report, in a process of its own.
JOURNEY = """
import json, sys
from pathlib import Path
from inspect_ai import __version__, eval
from inspect_ai.log import read_eval_log
from commands import invoke
from graders import TINY, rejudged, run, suite, wins
from inspect_reliability.rejudging import rejudge
from inspect_reliability.study.tasks import bbh_judge

folder = Path(sys.argv[1])
[judged] = eval(bbh_judge(), TINY, epochs=3, limit=3, log_dir=str(folder), display="none")
limit = folder / "limited"
limit.touch()
graded = run(suite(rejudge(wins(limit=str(limit)), replications=5)), folder, epochs=2)
limit.unlink()
again = rejudged(read_eval_log(graded.location), folder / "again", replications=6)
report = invoke("report", judged.location, "--format", "json")
assert report.exit_code == 0, report.output

def metric(log, scorer, name):
    return [s.metrics[name].value for s in log.results.scores if s.name == scorer]

print(json.dumps({
    "version": __version__,
    "status": [judged.status, graded.status],
    "checked": [s.metadata["seed_check"] for s in judged.samples if "seed_check" in s.metadata],
    "failed": metric(graded, "rejudge", "failed_rate") + metric(again, "rejudge", "failed_rate"),
    "replications": metric(graded, "rejudge", "replications")
    + metric(again, "rejudge", "replications"),
    "rows": json.loads(report.stdout)["rows"],
}))
"""


@pytest.mark.parametrize("end", ["oldest", "newest"])
def test_works_with_the_ends_of_what_is_claimed(end: str, tmp_path: Path) -> None:
    """The oldest and the newest inspect that the package accepts run the same journey."""
    required = map(Requirement, requires("inspect-reliability") or [])
    [claimed] = [one for one in required if one.name == "inspect-ai"]
    if end == "oldest":
        [floor] = [s.version for s in claimed.specifier if s.operator == ">="]
        wanted = f"inspect-ai=={floor}"
    else:
        wanted = f"inspect-ai{claimed.specifier}"
    site, logs = tmp_path / "site", tmp_path / "logs"
    install = ["install", "--quiet", "--no-deps", "--upgrade", "--target", str(site), wanted]
    installed = subprocess.run(
        [sys.executable, "-m", "pip", *install, "--retries", "1", "--timeout", "10"],
        capture_output=True,
        text=True,
    )
    if installed.returncode:
        pytest.skip(f"needs a package registry: {installed.stderr.strip().splitlines()[-1]}")
    logs.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", JOURNEY, str(logs)],
        env={**os.environ, "PYTHONPATH": f"{site}:{TESTS}", "OMP_NUM_THREADS": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert claimed.specifier.contains(found["version"])
    if end == "oldest":
        assert found["version"] == floor
    assert found["status"] == ["success", "success"]
    assert len(found["checked"]) == 1
    assert found["failed"] == [pytest.approx(1 / 5), 0]
    assert found["replications"] == [4, 6]
    [row] = found["rows"]
    assert (row["n_questions"], row["n_replications"]) == (3, 3)
