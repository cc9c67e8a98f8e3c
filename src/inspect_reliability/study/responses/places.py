"""Questions with their responses, from any place."""

from collections.abc import Sequence
from pathlib import Path

from ...designs import Item, items_from_file
from ...errors import UserError
from ...files import user_path
from ..benchmarks import BENCHMARKS, sample_pack
from ..benchmarks.selection import SAMPLE_PACK
from .predictions import prediction_item
from .published_files import predictions_as_published, responses_as_published
from .responders import with_five


def load_responses(
    spec: str | Path | None, benchmark: str, responders: Sequence[str] | str | None = None
) -> list[Item]:
    """Load the questions of a benchmark with the responses of the same five responders each.

    Args:
        spec: None or "sample": the sample pack. Otherwise a path: a published
            `prompt_responses.json`, the log or folder of logs of responder tasks, or a JSONL file
            of rows as a judge of one's own has them.
        benchmark: The benchmark; responses to others in the same place are passed over.
        responders: The five to use, if the source has more.

    Raises:
        UserError: The source is missing or malformed, has not five responders, or one of them
            did not answer every question.
    """
    return with_five(answered(spec, benchmark), responders, str(spec or SAMPLE_PACK))


def load_predictions(spec: str | Path | None, responder: str | None = None) -> list[Item]:
    """Load one responder's answers to Head-to-Tail questions, as a judge is shown them.

    They come from the places of `load_responses`.

    Raises:
        UserError: There is no such place or responder, or its content has another form.
    """
    items = answered(spec, "Head-to-Tail")
    names = list(dict.fromkeys(name for item in items for name in item.responses))
    if responder is None and len(names) > 1:
        raise UserError(
            f"{spec} has predictions by {len(names)} responders. Choose one with "
            f"-T responder=NAME: {', '.join(names)}."
        )
    chosen = [item for item in items if (responder or names[0]) in item.responses]
    if not chosen:
        raise UserError(f"{spec}: no predictions by '{responder}'. Responders: {', '.join(names)}.")
    return list(map(prediction_item, chosen))


def answered(spec: str | Path | None, benchmark: str) -> list[Item]:
    """A benchmark's questions from one place, each with the responses that it has there."""
    if spec is None or spec == SAMPLE_PACK:
        return sample_pack(benchmark)
    path = user_path(spec)
    if path.is_dir() or path.suffix == ".eval":
        from .respond_logs import answers_from_logs  # inspect takes a second to import

        return answers_from_logs(path, benchmark)
    if path.suffix == ".jsonl":
        return items_from_file(path, BENCHMARKS[benchmark].design)
    if path.suffix != ".json":
        raise UserError(
            f"{path} is not a file of responses. Give the published .json file, a .jsonl file with "
            "one question a line, or the log(s) of a responder task."
        )
    if not BENCHMARKS[benchmark].design.reader.options:
        return predictions_as_published(path)
    if found := responses_as_published(path).get(benchmark):
        return found
    raise UserError(f"No responses to {benchmark} in {path}.")
