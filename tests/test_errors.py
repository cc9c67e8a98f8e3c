"""What is missing is named, with the line that installs it."""

import pickle
import shlex
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
from packaging.requirements import Requirement

from inspect_reliability.errors import UserError, needs
from inspect_reliability.errors.inspect_error import PrerequisiteError
from inspect_reliability.judgments.reading import OpenQuestionError
from inspect_reliability.study.published.procedure import as_published


def test_a_missing_package_is_named_with_its_install_line() -> None:
    """A missing package is refused by name, one that is installed is not mentioned."""
    needs("local", "json")
    with pytest.raises(UserError) as refused:
        needs("local", "json", "not_there_1", "not_there_2")
    said, line = str(refused.value).split(" Run: pip install ")
    assert said == "not_there_1, not_there_2 are not installed."
    assert "inspect-reliability[local]" in line


def test_the_install_line_works_where_no_index_has_the_package() -> None:
    """What pip is told to install is there: the place that this package was installed from."""
    with pytest.raises(UserError) as refused:
        needs("local", "not_there")
    [_, line] = str(refused.value).split("pip install ")
    wanted = Requirement(shlex.split(line)[0])
    assert (wanted.name, wanted.extras) == ("inspect-reliability", {"local"})
    assert wanted.url is not None
    assert wanted.url.startswith("git+") or Path(urlsplit(wanted.url).path).exists()


@pytest.mark.slow
def test_published_values_need_none_of_the_study_s_packages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The study's coefficients and their floor come without its packages."""
    for package in ("reliabilipy", "factor_analyzer", "sklearn"):
        monkeypatch.setitem(sys.modules, package, None)
    result = as_published(np.random.default_rng(0).integers(1, 6, (20, 4)), permutations=2)
    assert None not in (result.omega, result.alpha, result.omega_floor, result.alpha_floor)


@pytest.mark.parametrize("kind", [UserError, OpenQuestionError])
def test_where_inspect_runs_it_knows_our_errors(kind: type[UserError]) -> None:
    """Inspect prints the message as it is, however it was raised, and in another process too."""
    error = kind("[A] is [bold]")
    for one in (error, pickle.loads(pickle.dumps(error))):
        assert isinstance(one, PrerequisiteError)
        assert isinstance(one, kind)
        assert str(one) == "[A] is [bold]"
        assert one.message == r"[A] is \[bold]"


def test_without_inspect_an_error_is_plain() -> None:
    """Where inspect was not imported, an error does not import it either."""
    code = """
import sys
from inspect_reliability.errors import UserError
print(type(UserError("what")).__mro__[:2], "inspect_ai" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == "False"
    assert "ValueError" in done.stdout
