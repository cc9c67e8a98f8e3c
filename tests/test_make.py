"""Every command of CONTRIBUTING.md does what it says, and something runs it."""

import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[1]

RUN_BY = {
    "check": ".github/workflows/ci.yml",
    "test": ".ci/run",
    "kernels": ".ci/run",
    "docs": ".ci/run",
    "dist": ".github/workflows/ci.yml",
    # By hand before each release: they change files that are looked at, or want other Pythons.
    "outputs": "tests/test_documentation.py",
    "pictures": "docs/releasing.md",
    "versions": "docs/releasing.md",
    "hooks": "tests/test_make.py",
}
"""Target of `make` -> the file that has it run."""


def test_something_runs_every_target() -> None:
    """Each target that CONTRIBUTING.md names is run by CI, by a test, or before a release."""
    named = re.findall(r"^make (\w+) +# ", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE)
    assert sorted(named) == sorted(RUN_BY)
    for target, file in RUN_BY.items():
        assert re.search(rf"make.{{1,3}}{target}\b", (ROOT / file).read_text()), target


@pytest.mark.process
@pytest.mark.parametrize("target", RUN_BY)
def test_a_target_names_what_is_there(target: str, tmp_path: Path) -> None:
    """Every file of the repository that a recipe runs exists, and every tool of its set-up."""
    for file in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / file, tmp_path)
    (tmp_path / ".versions").mkdir()
    for end in ("oldest", "newest"):  # which the recipe writes
        (tmp_path / ".versions" / f"{end}.txt").touch()
    dry = ["make", "--dry-run", "--always-make", target]
    done = subprocess.run(dry, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for module in re.findall(r"-m (docs\.[\w.]+)", done.stdout):
        assert find_spec(module), module
    own = re.findall(r"(?<![\w./-])(?:docs|tests|tasks|\.ci)/[\w./-]+", done.stdout)
    assert [file for file in own if not (ROOT / file).exists()] == []
    scripts = [(ROOT / file).read_text() for file in own if re.fullmatch(r"docs/.*\.py", file)]
    assert not any("from docs." in script for script in scripts)  # those are run with -m
    for tool in set(re.findall(r"\.venv/bin/([\w-]+)", done.stdout)):
        assert (Path(sys.executable).parent / tool).exists(), tool


@pytest.mark.process
def test_hooks_are_installed(tmp_path: Path) -> None:
    """`make hooks` lets git run the checks, each of which is a tool of the set-up."""
    for file in ("Makefile", "pyproject.toml", "constraints.txt", ".pre-commit-config.yaml"):
        shutil.copy(ROOT / file, tmp_path)
    venv = Path(sys.executable).parents[1]
    subprocess.run(["git", "init", "--quiet", "."], cwd=tmp_path, check=True)
    given = [f"VENV={venv}", *(f"--assume-old={venv}/{part}" for part in ("judge", "test"))]
    subprocess.run(["make", "hooks", *given], cwd=tmp_path, check=True, capture_output=True)
    assert "pre-commit" in (tmp_path / ".git" / "hooks" / "pre-commit").read_text()
    tools = re.findall(
        r"entry: \.venv/bin/([\w-]+)", (ROOT / ".pre-commit-config.yaml").read_text()
    )
    assert len(tools) == 5
    assert all((venv / "bin" / tool).exists() for tool in tools)


@pytest.mark.process
def test_the_wheel_has_what_the_package_reads(tmp_path: Path) -> None:
    """The files that git has below the package are in the wheel, and it is described in full."""
    tracked = ["git", "ls-files", "-z", "src", "README.md", "LICENSE", "pyproject.toml"]
    files = subprocess.run(tracked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for file in filter(None, files.split("\0")):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    build = "from setuptools.build_meta import build_wheel; build_wheel('dist')"
    (tmp_path / "dist").mkdir()
    subprocess.run([sys.executable, "-c", build], cwd=tmp_path, check=True, capture_output=True)
    [wheel] = (tmp_path / "dist").glob("*.whl")
    check = [sys.executable, "-m", "twine", "check", "--strict", str(wheel)]
    subprocess.run(check, check=True, capture_output=True)
    packed = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}
    ours = {name.removeprefix("src/") for name in files.split("\0") if name.startswith("src/")}
    assert packed == ours
