"""The paper's tables beside ours, cell by cell."""

import re
import warnings
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

from ...answers.row import Row
from ...showing.document import Block, Document, Table, Text
from ...showing.formats import Record, describe, grouped_by, rounded, text, whole_number
from .imported import full_name
from .procedure import pooled_with_constant, split_varying
from .reported import coded, published, silent

STATISTICS = ("omega", "alpha")
"""Coefficients of the paper's tables, as its files are named."""

_BENCHMARKS = {"MTBench": "MT-Bench"}

_SOURCES = {"published": ".4f", "ours": ".4f", "permuted": ".2f"}
"""Where the values of a line are from, and their form."""

SAME = 1e-6
"""Values that differ by less are the same: the files have six digits or more."""

_MEANING = (
    "Published: the value in the study's own files. Ours: the same procedure on the judgments just "
    "imported. Permuted: its mean on 200 permutations, in which replications have nothing in "
    "common."
)


def published_values(folder: Path) -> dict[tuple[str, str, float, str], float]:
    """The coefficients in a folder's files, by judge, benchmark, temperature and statistic."""
    found = {}
    for statistic in STATISTICS:
        for path in sorted(folder.glob(f"results/judge_reliab_*_{statistic}.txt")):
            stem = path.stem.removeprefix("judge_reliab_").removesuffix(f"_{statistic}")
            _, header, *lines = path.read_text().splitlines()
            names = [_BENCHMARKS.get(one, one) for one in header.split(",")[1:]]
            for line in lines:
                at, *values = line.split(",")
                temperature = round(float(re.sub(r"[^\d.e-]*", "", at.partition(":")[2])), 9)
                for benchmark, value in zip(names, values, strict=True):
                    found[full_name(stem), benchmark, temperature, statistic] = float(value)
    return found


def cells(rows: Iterable[Row], folder: Path) -> Iterator[Record]:
    """Each cell of the paper's tables: published, ours, their difference, and by reliabilipy."""
    values = published_values(folder)
    for row in rows:
        ours, theirs = published(row), _by_the_package(row)
        judge, benchmark, temperature = (row.keys[name] for name in _KEYS)
        for statistic in STATISTICS:
            known = values.get((judge, benchmark, temperature, statistic))
            own = ours[f"published_{statistic}"]
            yield {name: row.keys[name] for name in _KEYS} | {
                "statistic": statistic,
                "published": known,
                "ours": own,
                "difference": None if known is None or own is None else own - known,
                "reliabilipy": theirs.get(statistic),
                "permuted": ours[f"published_{statistic}_floor"],
            }


def tables(found: list[Record]) -> Document:
    """A table a benchmark, as the paper prints them, and what differs from its files."""
    shown: list[Block] = [
        _table(str(benchmark), cells)
        for benchmark, cells in grouped_by(found, lambda cell: cell["benchmark"]).items()
    ]
    shown += [Text(_MEANING), *map(Text, [*_tells_nothing(found), *_differences(found)])]
    return Document("The paper's tables beside ours", shown, {"cells": found})


def _table(title: str, found: list[Record]) -> Table:
    """Judge, statistic and source by temperature."""
    temperatures = list(dict.fromkeys(cell["temperature"] for cell in found))
    at = {(one["judge"], one["statistic"], one["temperature"]): one for one in found}
    lines = []
    for judge, statistic in dict.fromkeys((one["judge"], one["statistic"]) for one in found):
        name = str(judge).rpartition("/")[2]
        for source, form in _SOURCES.items():
            own = [at.get((judge, statistic, t), {}).get(source) for t in temperatures]
            if any(one is not None for one in own):
                texts = (text(one[0] if isinstance(one, list) else one, form, "-") for one in own)
                lines.append([name, statistic, source, *texts])
                name = ""
    headings = [
        "not known" if one is None else f"T = {whole_number(one):g}" for one in temperatures
    ]
    return Table(["Judge", "", "", *headings], lines, title)


def _tells_nothing(found: list[Record]) -> Iterator[str]:
    """That omega within its range on permuted verdicts tells nothing, at the first such value.

    Where nothing varies, both are 1.
    """
    floors = [(one, one["permuted"]) for one in found if one["statistic"] == "omega"]
    known = [(one, *ends) for one, ends in floors if ends and ends[1] < ends[2] and one["ours"]]
    inside = [(one, mean) for one, mean, low, high in known if low <= one["ours"] <= high]
    cells = [one for one, *_ in known]
    by_benchmark = [
        f"{name} {sum(one in own for one, _ in inside)} of {len(own)}"
        for name, own in grouped_by(cells, lambda one: one["benchmark"]).items()
    ]
    for one, mean in inside[:1]:
        ours, noise = (rounded(value, ".2f") for value in (one["ours"], mean))
        yield (
            f"{describe({key: one[key] for key in _KEYS})}: the paper's procedure gives {ours}. "
            f"With the verdicts on each question shuffled it still gives {noise}, so this number "
            f"tells nothing of the judge. So it is with {len(inside)} of {len(known)} values of "
            f"omega ({', '.join(by_benchmark)})."
        )


def _differences(found: list[Record]) -> Iterator[str]:
    """What does not come out as in the files, or by the package; or that all does."""
    for source, name in (("ours", "our procedure"), ("reliabilipy", "reliabilipy itself")):
        known = [one for one in found if None not in (one["published"], one[source])]
        differ = [one for one in known if abs(one[source] - one["published"]) > SAME]
        if known:
            n = len(known) - len(differ)
            others = ", and these differ:" if differ else "."
            yield f"{n} of {len(known)} published values come out by {name}{others}"
        for one in differ:
            of = describe({key: one[key] for key in _KEYS})
            yield (
                f"{of}, {one['statistic']}: published {one['published']:.4f}, by {name} "
                f"{one[source]:.4f}"
            )


_KEYS = ("judge", "benchmark", "temperature")


def _by_the_package(row: Row) -> dict[str, float]:
    """Both coefficients by reliabilipy itself, pooled with the constant questions; or neither."""
    codes, _ = coded(row)
    if codes is None or find_spec("reliabilipy") is None:
        return {}
    from reliabilipy import reliability_analysis

    counts, columns, _ = split_varying(codes, silent(row))
    if counts.n_varying < 2:
        return {}
    analysis = reliability_analysis(raw_dataset=columns, is_corr_matrix=False)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            analysis.fit()
    except Exception:  # where its own factor analysis has no solution
        return {}
    given = {"omega": analysis.omega_total, "alpha": analysis.alpha_cronbach}
    return {name: float(pooled_with_constant(counts, one)) for name, one in given.items()}
