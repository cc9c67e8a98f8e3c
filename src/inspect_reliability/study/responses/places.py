"""Responses from any place, arranged as five per question."""

from collections.abc import Callable, Sequence
from pathlib import Path

from ...errors import UserError
from ...files import user_path
from ..benchmarks.selection import SAMPLE_PACK, sample_pack
from .answer_files import answers_from_json_lines, answers_from_published
from .answers import Answer, ResponseSet
from .responders import choose_responders, responses_per_question


def load_responses(
    spec: str | Path | None,
    benchmark: str,
    responders: Sequence[str] | str | None = None,
    seed: int = 0,
) -> list[ResponseSet]:
    """Load the questions of a benchmark with the responses of the same five responders each.

    Args:
        spec: None or "sample": the sample pack. Otherwise a path: a published
            `prompt_responses.json`, a JSONL file with one response a line, or the log or folder
            of logs of responder tasks.
        benchmark: The benchmark; responses to others in the same place are passed over.
        responders: The five to use, if the source has more; None draws five by seed.
        seed: Seed of that draw.

    Raises:
        UserError: The source is missing or malformed, has fewer than five responders, or one of
            them did not answer every question.
    """
    if spec is None or spec == SAMPLE_PACK:
        pack = load_sample_pack(benchmark)
        choose_responders(list(pack[0].responses), responders, seed, "the sample pack")
        return pack
    return responses_per_question(load_answers(spec, benchmark), responders, seed, str(spec))


def load_answers(spec: str | Path, benchmark: str) -> list[Answer]:
    """Load every response to a benchmark's questions from a file, a log or a folder of logs."""
    return answers_in(user_path(spec), benchmark, answers_from_published)


def answers_in(
    path: Path, benchmark: str, published: Callable[[Path, str], list[Answer]]
) -> list[Answer]:
    """Read every response to a benchmark's questions; `published` reads the study's JSON file."""
    if _is_log(path):
        from .respond_logs import answers_from_logs  # inspect takes a second to import

        return answers_from_logs(path, benchmark)
    readers = {".jsonl": answers_from_json_lines, ".json": published}
    if path.suffix not in readers:
        raise UserError(
            f"{path} is not a file of responses. Give the published .json file, a .jsonl file with "
            "one response a line, or the log(s) of a responder task."
        )
    return readers[path.suffix](path, benchmark)


def load_sample_pack(benchmark: str) -> list[ResponseSet]:
    """Load the sample pack's questions with their five responses, the best one known."""
    return [
        ResponseSet(question, entry["responses"], entry["best"])
        for question, entry in sample_pack(benchmark)
    ]


def _is_log(path: Path) -> bool:
    if path.is_dir() or path.suffix != ".json":
        return path.is_dir() or path.suffix == ".eval"
    try:
        with path.open("rb") as file:
            # The head of a log in JSON form names the version of the format first.
            return b'"eval":' in file.read(4096)
    except OSError:  # whoever reads all of it says why
        return False
