"""The cheapest numbers of orders, wordings, judges and seeds."""

from collections.abc import Sequence

from ..errors import UserError
from ..showing.columns import declared
from ..showing.document import Block, Document, Table, Text
from ..showing.values import Record, describe, finite, keys_of, of_group, percent, whole
from ..stats import ReliabilityError
from ..stats.crossing import Crossing, cheapest_dependable, cheapest_precise
from ..stats.disagreement import SEED
from .analysis import Analysis
from .row import valued
from .studies import Study

DEPENDABILITIES = (0.8, 0.9)

_COLUMNS = declared(
    "crossings", levels=lambda one: ", ".join(f"{name} {n}" for name, n in one["levels"].items())
)


def crossings(
    analysis: Analysis,
    dependabilities: Sequence[float] = DEPENDABILITIES,
    half_widths: Sequence[float] = (0.05, 0.1),
    assurance: float = 0.8,
) -> list[Record]:
    """The cheapest designs for every judge, and for all together, whose facets were varied.

    Returns:
        One record per study: `designs`, and what is not known. For a wanted dependability, calls,
        tokens and price are those of one question.

    Raises:
        UserError: No facet was varied.
    """
    if not (studies := [*analysis.alone, *analysis.together]):
        raise UserError(
            "No question was judged in several orders, wordings or by several judges, so what "
            "more of them would do is not known. Vary one, as in -T orders=2, or name its column "
            "with --facet NAME."
        )
    asked = dependabilities, half_widths, assurance
    return [of_group(study.keys, _plan(study, *asked)) for study in studies]


def crossings_document(found: Sequence[Record]) -> Document:
    """Each plan with its table and sentences."""
    blocks: list[Block] = []
    for plan in found:
        name = describe({"judge": "all judges"} | keys_of(plan))
        if plan["designs"]:
            blocks.append(Table.of(plan["designs"], _COLUMNS, name))
        if (most := plan["dependability_of_seeds_alone"]) is not None and most < 1:
            facets = ", ".join(plan["facets"])
            said = f"more seeds of one {facets} reach at most a dependability of {most:.2f}."
            blocks.append(Text(f"{name}: {said}"))
        unknown = plan["not_estimable"].items()
        blocks += [Text(f"{name}: {aim}: {reason}.") for aim, reason in unknown]
    wanted = percent(found[0]["assurance"])
    blocks.append(
        Text(
            f"The fewest calls that reach what is wanted with a probability of {wanted}, as far as "
            "these judgments show. Dependability: how far a question's mean verdict is its own, "
            "with calls, tokens and dollars of one question. Half-width: of the 95% interval of "
            "the mean score, or of the share of any verdict, for other questions, with those of "
            "the whole study."
        )
    )
    results = {"rows": found}
    sheet = [keys_of(plan) | design for plan in found for design in plan["designs"]]
    return Document("Which design is the cheapest?", blocks, results, sheet=sheet)


def _plan(
    study: Study, dependabilities: Sequence[float], half_widths: Sequence[float], assurance: float
) -> Record:
    found, existing, why = study.scored, study.existing, {}
    designs = []
    each = {name: _mean(study, name) for name in ("tokens", "cost")}
    for name, wanted, cheapest in (
        *(("dependability", one, cheapest_dependable) for one in dict.fromkeys(dependabilities)),
        *(("half-width", one, cheapest_precise) for one in dict.fromkeys(half_widths)),
    ):
        aim = f"{name} {wanted:g}"
        try:
            designs.append(_design(aim, cheapest(found, wanted, assurance, existing), each))
        except ReliabilityError as error:
            why[aim] = str(error)
    most = None
    if (SEED,) in found.component and not found.cells.exact:
        most = found.dependability(None, float("inf"), existing).value
    return {
        "n_questions": found.cells.n_clusters,
        "facets": found.levels,
        "all_levels_tried": [f for f, n in existing.items() if n == study.found.levels[f]],
        "designs": designs,
        "dependability_of_seeds_alone": most,
        "assurance": assurance,
        "not_estimable": why,
    }


def _design(aim: str, one: Crossing, each: dict[str, float | None]) -> Record:
    calls = one.calls * (one.n_questions or 1)
    cost = None if each["cost"] is None else calls * each["cost"]
    return {
        "wanted": aim,
        "n_questions": one.n_questions,
        "levels": dict(one.levels),
        "n_replications": whole(finite(one.n_replications)),
        **valued(dependability=one.dependability),
        "half_width": one.half_width,
        "calls": calls,
        "tokens": None if each["tokens"] is None else round(calls * each["tokens"]),
        "cost": cost,
    }


def _mean(study: Study, name: str) -> float | None:
    known = [value for value in study.judged.column(name) if value is not None]
    return sum(known) / len(known) if known else None
