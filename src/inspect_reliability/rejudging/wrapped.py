"""The scorer that is run again: found by its name, named for the log."""

import sys
from collections.abc import Mapping
from hashlib import blake2b
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

# The arguments a registered object was made with have no public accessor.
from inspect_ai._util.registry import registry_params
from inspect_ai.scorer import Scorer
from inspect_ai.util import registry_create, registry_info

from ..errors import PrerequisiteError, UserError

ScorerSpec = Scorer | str | Mapping[str, Any]
"""A scorer; its name, `package/name` or `file.py@name`; or a mapping of `name` and `params`."""

_LONGEST = 60


def resolve_scorer(spec: ScorerSpec) -> Scorer:
    """Make the scorer that a name stands for; a scorer is returned as it is.

    Raises:
        UserError: There is no such scorer, or it does not take these arguments.
    """
    if isinstance(spec, str):
        return _create(spec, {})
    if isinstance(spec, Mapping):
        if not isinstance(spec.get("name"), str):
            raise UserError(f"scorer={dict(spec)} does not say a name: scorer={{'name': ...}}.")
        return _create(spec["name"], dict(spec.get("params") or {}))
    return spec


def scorer_identity(scorer: Scorer) -> str:
    """A scorer's name with its arguments, long ones by a digest: equal for equal scorers.

    Raises:
        UserError: It is not a scorer.
    """
    try:
        name = registry_info(scorer).name
    except ValueError:
        raise UserError(
            f"{scorer!r} is not a scorer: decorate the function that makes it with @scorer."
        ) from None
    arguments = [f"{key}={_short(value)}" for key, value in sorted(registry_params(scorer).items())]
    return f"{name}({', '.join(arguments)})" if arguments else name


def _short(value: object) -> str:
    text = repr(value)
    return (
        text if len(text) <= _LONGEST else f"<{blake2b(text.encode(), digest_size=6).hexdigest()}>"
    )


def _create(name: str, params: Mapping[str, Any]) -> Scorer:
    file, _, short = name.rpartition("@")
    if file:
        _load(Path(file))
    try:
        try:
            return registry_create("scorer", short, **params)
        except LookupError:
            # A log names scorers without their package; one that is found nowhere may be ours.
            return registry_create("scorer", f"inspect_reliability/{short}", **params)
    except LookupError:
        raise UserError(
            f"There is no scorer '{short}'. Name one of inspect's (model_graded_qa), one of a "
            f"package (package/{short.rpartition('/')[2]}), or one in a file (grader.py@{short})."
        ) from None
    except (TypeError, PrerequisiteError) as error:
        why = str(error).removesuffix(".")
        raise UserError(f"The scorer '{short}' cannot be made: {why}.") from None


def _load(file: Path) -> None:
    """Run a Python file, so that the scorers in it are registered."""
    spec = spec_from_file_location(file.stem, file)
    if file.suffix != ".py" or not file.is_file() or spec is None or spec.loader is None:
        raise UserError(f"There is no Python file {file}.")
    module = module_from_spec(spec)
    sys.modules[file.stem] = module
    sys.path.insert(0, str(file.parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UserError(f"{file} cannot be loaded: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(file.parent))
