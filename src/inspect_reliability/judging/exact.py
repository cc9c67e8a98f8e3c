"""The exact distribution of a judge's verdict, instead of draws from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from inspect_ai.model import ChatMessageUser, ModelOutput, get_model
from inspect_ai.solver import Generate, TaskState

from ..designs import ParserName, Reader
from ..errors import UserError
from ..hf_seeded import distributing
from .seeds import replication_seed


@dataclass(frozen=True)
class Exact:
    """What an exact verdict is to be of.

    Attributes:
        parser: How an output is read.
        temperatures: Temperatures of the judge; empty for that of the run.
    """

    parser: ParserName = "default"
    temperatures: tuple[float, ...] = ()


def exact_of(
    exact: object, replications: object, temperatures: object, parser: ParserName
) -> Exact | None:
    """What the options of a task ask for; None if verdicts are to be drawn.

    Raises:
        UserError: An option is not what it should be, or two of them contradict each other.
    """
    if not isinstance(exact, bool):
        raise UserError(f"exact={exact!r} is neither true nor false.")
    if not exact and temperatures is not None:
        raise UserError(
            "temperatures= is for exact verdicts: add -T exact=true, or draw at one temperature "
            "with --temperature."
        )
    if exact and replications is not None:
        raise UserError(
            "An exact verdict needs no replications. Leave out exact=true or replications=."
        )
    given = temperatures if isinstance(temperatures, list | tuple) else [temperatures]
    numbers = [] if temperatures is None else [_temperature(one) for one in given]
    return Exact(parser, tuple(dict.fromkeys(numbers))) if exact else None


def _temperature(value: object) -> float:
    try:
        if not isinstance(value, bool):
            return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        pass
    raise UserError(
        f"temperatures: {value!r} is not a number. Use for example -T temperatures=1,0.75,0.5."
    )


async def exact_verdict(
    state: TaskState,
    generate: Generate,
    prompt: str,
    base_seed: int,
    question: str,
    reader: Reader,
    exact: Exact,
) -> TaskState:
    """Ask for the distribution of a question's verdict, and record how it was read.

    Args:
        state: State of the sample.
        generate: Inspect's generate function.
        prompt: What the judge is to see.
        base_seed: Base seed of the run, from which the seed of the tail draws follows.
        question: Id of the question.
        reader: Reads the verdicts.
        exact: What the task asks for.

    Raises:
        UserError: The provider cannot tell the distribution of a text.
    """
    model = get_model()
    if not getattr(model.api, "gives_distributions", False):
        raise UserError(
            f"exact=true needs a judge that runs on this machine, such as hf_seeded/MODEL; {model} "
            "can only be sampled. Use -T replications=100 instead."
        )
    fingerprint = blake2b(prompt.encode(errors="surrogatepass"), digest_size=6).hexdigest()
    seed = replication_seed(base_seed, question, state.epoch)
    state.metadata.update(
        exact=exact.parser, replication=state.epoch, seed=seed, prompt=fingerprint
    )
    state.messages = [ChatMessageUser(content=prompt)]

    def parse(text: str) -> str:
        return reader.read(text, exact.parser).verdict

    def read(text: str) -> str | None:
        return None if reader.completed(text) is None else parse(text)

    with distributing(read, parse, exact.temperatures):
        return await generate(state, cache=False, seed=seed)


def distributions_of(
    metadata: Mapping[str, Any], output: ModelOutput, parser: object
) -> Sequence[Mapping[str, Any]]:
    """The distributions that a sample found, one a temperature; empty where it drew verdicts.

    Args:
        metadata: What `exact_verdict` recorded in the sample's metadata.
        output: The sample's output.
        parser: How the output is to be read.

    Raises:
        UserError: They were read in another way.
    """
    found: Sequence[Mapping[str, Any]] = (output.metadata or {}).get("distributions", ())
    if "exact" in metadata and metadata["exact"] != parser:
        raise UserError(
            f"These exact verdicts were read with parser='{metadata['exact']}'. To read them in "
            "another way, run the judge again with -T parser=NAME."
        )
    return found if "exact" in metadata else ()
