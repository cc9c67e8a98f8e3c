"""A facet beside the judge's own noise, where both are known of the same questions."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from .chance import goes_with
from .disagreement import QUESTION, Disagreement, disagreement
from .estimate import Estimate
from .intervals import ROOT_SCALE
from .long import Flags, FloatArray, codes

ONE_VERDICT = "each cell has one verdict"
"""Why the noise of a judge is not known."""

_CHOSEN = 0.01
"""P-value below which questions that were judged again are no draw from all."""

_NEGLIGIBLE = 0.05
"""Share of questions without a second verdict up to which it does not matter which they are."""


class Move(NamedTuple):
    """How often two verdicts on a question differ.

    Attributes:
        across: With two levels of a facet and all else equal.
        within: With all equal, so that only the seed differs.
        above: The first less the second. Where it is known, all three are of the same cells.
        compared: The judgments that it comes from; None where it is not known.
        of_some: Whether it is not known because cells were judged again for their verdicts.
    """

    across: Estimate
    within: Estimate
    above: Estimate
    compared: Disagreement | None = None
    of_some: bool = False


def moved(found: Disagreement, facet: str) -> Move:
    """How far a facet moves verdicts, beside the judge's own noise.

    The two are compared on cells that were judged again, each beside another level that was, too:
    of independent draws, verdicts then differ at least as often across as within. There is no
    comparison where cells were judged again because of their verdicts. What shows it is that the
    facet moves the questions left out more or less than these, or that verdicts differ less often
    across than within.
    """
    across, within = (_less(one) for one in (found.agreement([facet]), found.agreement()))
    if across.value is None:
        apart = f"no question was judged at two levels of {facet} with all else equal"
        within = replace(within, reason=within.reason and ONE_VERDICT)
        return Move(replace(across, reason=apart), within, Estimate(reason=apart))

    def alone(why: str, of_some: bool = False) -> Move:
        return Move(across, Estimate(reason=why), Estimate(reason=why), None, of_some)

    if within.value is None:
        return alone(ONE_VERDICT)
    again = _paired(found, facet)
    if not again.any():
        return alone(f"no question was judged more than once at two levels of {facet}")
    same = found
    if not again.all():
        same = disagreement(found.cells.rows(again), found.level)
        if why := _chosen(found, facet, again):
            return alone(why, of_some=True)
    across, within = (_less(one) for one in (same.agreement([facet]), same.agreement()))
    above = same.flips(facet)
    # By chance an interval is below 0 in one of forty, one of twice the width hardly ever.
    if above.value is not None and above.high is not None and 2 * above.high < above.value:
        return alone(
            f"on {same.cells.n_clusters} questions verdicts differ in {across.value:.1%} of pairs "
            f"of another {facet} and in {within.value:.1%} of pairs that share it, which cannot be "
            "if each is a draw of its own: they were judged again for their verdicts, or share "
            "seeds",
            of_some=True,
        )
    return Move(across, within, above, same)


def moved_apart(found: Disagreement, facet: str, seed: str) -> Move:
    """The same where two levels share seeds, from pairs of different seeds alone.

    Draws of one seed are no two draws, and would look steadier across than within. `seed` is the
    facet whose levels are seeds.
    """
    kept = tuple(name for name in found.facets if name not in (facet, seed))
    return Move(
        _less(found.agreement([facet, seed])),
        _less(found.agreement([seed])),
        found.estimate(lambda d: d.of(kept) - d.of((*kept, facet)), ROOT_SCALE),
        found,
    )


def _paired(found: Disagreement, facet: str) -> Flags:
    """Cells with two verdicts that have another such cell in all but a facet."""
    cells = found.cells
    again = np.asarray(cells.replications > 1)
    others = [levels for name, levels in cells.facets.items() if name != facet]
    alike = codes(zip(cells.questions, *others, strict=True))
    return np.asarray(again & (np.bincount(alike, again)[alike] > 1))


def _chosen(found: Disagreement, facet: str, again: Flags) -> str | None:
    """Why questions judged again do not stand for all; None if they may."""
    cells = found.cells
    level = codes(zip(*cells.facets.values(), strict=True))
    # What was never judged again at some level of the facets shows nothing.
    tried = np.isin(level, level[again])
    asked, kept = (np.unique(cells.clusters[some]) for some in (tried, again))
    alike = disagreement(cells.rows(tried), found.level)
    across = alike.by_question(*(name for name in found.facets if name not in (facet, QUESTION)))
    known = ~np.isnan(across)
    across, twice = across[known], np.isin(asked, kept)[known]
    once = int((~twice).sum())
    p = goes_with(twice.astype(float), across)
    if p is None or p >= _CHOSEN or once <= _NEGLIGIBLE * len(twice):
        return None
    shares: list[FloatArray] = [across[twice].mean(), across[~twice].mean()]
    return (
        f"only {len(kept)} of {found.cells.n_clusters} questions were judged again, and not by "
        f"chance: pairs of another {facet} differ in {shares[0]:.1%} of cases on these, and in "
        f"{shares[1]:.1%} on {once} others"
    )


def _less(estimate: Estimate) -> Estimate:
    if estimate.value is None:
        return estimate
    low, high = (None if end is None else 1 - end for end in (estimate.high, estimate.low))
    return replace(estimate, value=1 - estimate.value, low=low, high=high)
