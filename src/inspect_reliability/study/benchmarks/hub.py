"""Benchmarks on the model hub, each at a pinned revision."""

from typing import Any

from ...errors import UserError, needs

HUB = "hub"
"""Name of the hub as a source of questions."""


def hub_records(path: str, split: str, revision: str, name: str | None = None) -> list[Any]:
    """Records of a split of a dataset on the hub, or of a folder with a copy of it.

    Raises:
        UserError: The `datasets` package is missing, or the download fails.
    """
    needs("hub", "datasets")
    from inspect_ai.dataset import Sample, hf_dataset

    def keep(record: dict[str, Any]) -> Sample:
        return Sample(input=" ", metadata=record)

    try:
        records = hf_dataset(path, split, name=name, revision=revision, sample_fields=keep)
    # Without network access, dataset or revision, the hub's clients raise errors of half a dozen
    # families; each says well enough what happened.
    except Exception as error:
        raise UserError(
            f"{path} (revision {revision}) could not be downloaded from the hub: {error}\n"
            "Check the network, or give the benchmark's official files as the source."
        ) from error
    return [sample.metadata for sample in records]
