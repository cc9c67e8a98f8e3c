"""What facets and changes of an answer do to verdicts, beyond the judge's own noise."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from .cells import Cells, Flags, FloatArray, codes
from .disagreement import QUESTION, Disagreement, disagreement
from .estimate import LEVEL, Estimate, ReliabilityError
from .interval_scales import Ends, share_ends
from .intervals import ROOT_SCALE
from .rates import by_question, goes_with, mean_difference, mean_share

ONE_VERDICT = "each cell has one verdict"
"""Why the noise of a judge is not known."""

_CHOSEN = 0.01
"""P-value below which questions that were judged again are no draw from all."""

_NEGLIGIBLE = 0.05
"""Share of questions without a second verdict up to which it does not matter which they are."""


class FacetEffect(NamedTuple):
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


def facet_effect(found: Disagreement, facet: str) -> FacetEffect:
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
        return FacetEffect(replace(across, reason=apart), within, Estimate(reason=apart))

    def alone(why: str, of_some: bool = False) -> FacetEffect:
        return FacetEffect(across, Estimate(reason=why), Estimate(reason=why), None, of_some)

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
    return FacetEffect(across, within, above, same)


def facet_effect_of_all(found: Disagreement, facet: str, seed: str) -> FacetEffect:
    """Return what a facet does where its levels share seeds, from pairs of different seeds alone.

    Draws of one seed are no two draws, and would look steadier across than within. `seed` is the
    facet whose levels are seeds.
    """
    kept = tuple(name for name in found.facets if name not in (facet, seed))
    return FacetEffect(
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


# What a change of an answer does to its verdicts: numpy alone, one question a row.


class ChangeEffect(NamedTuple):
    """How far verdicts go towards a changed answer, and how often they stay with it.

    Attributes:
        differences: The difference on each question, whose mean is `towards`.
        towards: Share of verdicts for the changed answer less the share for the same answer as it
            was; or the difference of its mean grades.
        stays: Share of verdicts for it as changed; or, of grades, of pairs of a grade of it as
            changed and one as it was in which the first is no lower.
    """

    differences: FloatArray
    towards: Estimate
    stays: Estimate


def change_effect(
    before: list[list[FloatArray]], after: list[list[FloatArray]], graded: bool
) -> ChangeEffect:
    """Compare verdicts on answers before and after a change, with intervals over questions.

    `towards` is how often a verdict moves towards the changed answer less how often it moves away
    from it: of a verdict on each side, drawn independently, the shares of both agree in what they
    have in common. It is 0 for a judge that the change does not move, whatever its noise.

    Args:
        before: For each question, one or more, for each of its answers that was changed, the
            verdicts on it as it was: 1 where they are for it and 0 where not, or grades.
        after: For each of these answers, the verdicts on it as changed.
        graded: Whether verdicts are grades.
    """
    differences, kept, number = [], [], 0
    for old, new in zip(before, after, strict=True):
        pairs = [*zip(old, new, strict=True)]
        number += sum(map(len, new))
        differences.append(np.mean([b.mean() - a.mean() for a, b in pairs]))
        stay = [(b[:, None] >= a).mean() if graded else b.mean() for a, b in pairs]
        kept.append(np.mean(stay))
    each, found = number / len(after), np.array(differences)
    return ChangeEffect(
        found, mean_difference(found, LEVEL, each), mean_share(np.array(kept), LEVEL, each)
    )


# Does a judge prefer a position, or a responder?


@dataclass(frozen=True)
class ChoiceShares:
    """How often each option is chosen, tested against equal shares.

    Attributes:
        shares: Share of each of the L options among all choices, with its interval over questions.
        p_value: Probability of shares at least as unequal if the true ones are equal.
        n_questions: Questions with a choice.
        n_choices: Verdicts that chose an option; None for exact distributions.
        reason: Why there is no test; else None.
    """

    shares: tuple[Estimate, ...]
    p_value: float | None = None
    n_questions: int = 0
    n_choices: int | None = None
    reason: str | None = None


def choice_shares(counts: Cells, options: Sequence[str]) -> ChoiceShares:
    """Shares of letters, or of responders, and a test that they are equal.

    Questions are the sampling units. Pearson's chi-square is divided by its mean design effect,
    from the covariance of the shares over questions (linearised ratios). F has Satterthwaite's
    degrees of freedom, and those times n - 1. This is the second-order correction of Rao & Scott
    (1981, 1984), with the reference of Thomas & Rao (1987). For two options it is the t test.
    Only varying orders tell letters from responders.

    Raises:
        ReliabilityError: There are fewer than two options.
    """
    if len(options) < 2:
        raise ReliabilityError(f"A choice needs at least 2 options, not {len(options)}.")
    given = counts.columns(options)
    each = given.shares if counts.exact else given.table.astype(np.float64)
    table = np.array([np.bincount(counts.clusters, one) for one in each.T]).T
    chosen = table.sum(axis=1)
    total, n = float(chosen.sum()), int((chosen > 0).sum())
    number = None if counts.exact else round(total)
    known = partial(ChoiceShares, n_questions=n, n_choices=number)
    if total == 0:
        return known((Estimate(),) * len(options), reason="no verdict chose any of the options")
    shares = table.sum(axis=0) / total
    alone = tuple(Estimate(share, n_questions=n) for share in shares.tolist())
    if n < 2:
        return known(alone, reason="the test needs at least 2 questions")
    deviations = (table - chosen[:, None] * shares) / total
    covariance = deviations.T @ deviations * n / (n - 1)
    asked = chosen > 0
    each, sizes = table[asked] / chosen[asked, None], chosen[asked] * n / total
    both = zip(alone, map(partial(_ends, sizes), each.T, shares), strict=True)
    known = partial(known, tuple(replace(one, low=low, high=high) for one, (low, high) in both))
    # Relative to that of as many independent verdicts with equal shares.
    effects = covariance * total * len(options)
    trace, squared = np.trace(effects), (effects**2).sum()
    if trace < 1e-12:
        return known(reason="no test: every question has the same shares")
    from scipy.special import fdtrc

    chi_square = total * len(options) * ((shares - 1 / len(options)) ** 2).sum()
    freedom = trace**2 / squared
    return known(p_value=float(fdtrc(freedom, freedom * (n - 1), chi_square / trace)))


def shares_over_levels(
    counts: Cells, options: Sequence[str], facet: str
) -> tuple[ChoiceShares, tuple[Estimate, ...]]:
    """Shares of options where the levels of a facet weigh the same, whatever was tried at each.

    Returns:
        Shares among all choices, with the test of `choice_shares`; and shares among all verdicts,
        the mean over questions. Questions that lack a level are left out.
    """
    given = counts.rows(counts.replications > 0)
    levels, at = np.unique(given.facets[facet], return_inverse=True)
    place = given.clusters * len(levels) + at
    means = np.full((given.n_clusters, len(levels), len(given.categories)), np.nan)
    means.reshape(-1, means.shape[2])[np.unique(place)] = by_question(given.shares, place)
    known = ~np.isnan(means[..., 0]).any(axis=1)
    if not known.any():
        return ChoiceShares((Estimate(),) * len(options)), (Estimate(),) * len(options)
    each = means[known].mean(axis=1)
    names = tuple(map(str, range(len(each))))
    found = choice_shares(Cells(each, names, given.categories, exact=True), options)
    columns = [given.categories.index(one) for one in options if one in given.categories]
    rows = given.rows(known[given.clusters])
    tries = float(rows.replications.sum() / len(each))
    of = {given.categories[k]: mean_share(each[:, k], LEVEL, tries) for k in columns}
    none = mean_share(np.zeros(len(each)), LEVEL, tries)
    number = None if counts.exact else int(rows.table[:, columns].sum())
    return replace(found, n_choices=number), tuple(of.get(one, none) for one in options)


def _ends(sizes: FloatArray, each: FloatArray, share: float) -> Ends:
    """The interval of a share that is a mean over questions of these sizes, N.

    They count for as many questions in all as the variance of that ratio says.
    """
    squares = (each - share) ** 2
    spread = sizes**2 @ squares
    worth = sizes @ squares / spread if spread > 0 else 1.0
    return share_ends(each, LEVEL, worth * sizes)
