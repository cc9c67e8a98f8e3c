"""The formulas, each a function of sums over questions; NaN where a coefficient has no value.

Unequal replications: agreement is the mean over questions, shares are those of all verdicts
(AC1: the mean of the questions' shares, as Gwet defines it), omega is the one-way analysis of
variance with its average number of replications n0, and Krippendorff's alpha weights each
question by its verdicts, as he defines it. A single declared category leaves nothing to chance.
"""

import numpy as np

from .sums import FloatArray, Sums


def agreement(s: Sums) -> FloatArray:
    """P_o: the share of agreeing pairs of replications, mean over questions (Fleiss 1971)."""
    return s.agreement / s.questions


def omega(s: Sums) -> FloatArray:
    """Reliability of one verdict: (MSB - MSW) / (MSB + (n0 - 1) MSW) = 1 - W / T.

    Traces of the one-way analysis of variance of the verdicts coded one-hot (Light & Margolin
    1971; Janson & Olsson 2001), in the form of ICC(1) (Shrout & Fleiss 1979). With parallel
    replications this is McDonald's omega of one replication (McDonald 1999).
    """
    between, within, n0 = _mean_squares(s)
    return ratio(between - within, between + (n0 - 1) * within)


def omega_composite(s: Sums) -> FloatArray:
    """Reliability of all replications together: 1 - MSW / MSB (McDonald's omega).

    Equals n0 w / (1 + (n0 - 1) w) of omega w (Spearman-Brown).
    """
    between, within, _ = _mean_squares(s)
    return 1 - ratio(within, between)


def fleiss_kappa(s: Sums) -> FloatArray:
    """(P_o - P_e) / (1 - P_e) with P_e from the shares of all verdicts (Fleiss 1971)."""
    return 1 - ratio(1 - agreement(s), 1 - _chance(s))


def krippendorff_alpha(s: Sums) -> FloatArray:
    """1 - D_o / D_e for nominal data, over all pairable verdicts (Krippendorff 2019)."""
    observed = 1 - s.weighted_agreement / s.verdicts
    expected = (1 - _chance(s)) * s.verdicts / (s.verdicts - 1)
    return 1 - ratio(observed, expected)


def gwet_ac1(s: Sums) -> FloatArray:
    """(P_o - P_e) / (1 - P_e) with P_e = sum p(1 - p) / (K - 1) (Gwet 2008)."""
    shares = s.shares / s.questions[..., None]
    chance = (shares * (1 - shares)).sum(axis=-1) / max(s.categories - 1, 1)
    return 1 - ratio(1 - agreement(s), 1 - chance)


def brennan_prediger(s: Sums) -> FloatArray:
    """(P_o - 1/K) / (1 - 1/K) (Brennan & Prediger 1981)."""
    return 1 - (1 - agreement(s)) * s.categories / max(s.categories - 1, 1)


def modal_share(s: Sums) -> FloatArray:
    """Share of the most frequent verdict, mean over questions; biased upwards."""
    return s.modal / s.questions


def modal_share_loo(s: Sums) -> FloatArray:
    """Share of verdicts that equal the majority of the others; biased downwards."""
    return s.modal_loo / s.questions


def normalised_entropy(s: Sums) -> FloatArray:
    """Entropy of the verdicts over log K, mean over questions: 0 if they never differ."""
    most: float = np.log(max(s.categories, 2))
    return s.entropy / s.questions / most


def least_share(s: Sums) -> FloatArray:
    """0, of a share; and where chance is, below which no true composite lies.

    The composite itself has no least value: the less questions differ, the lower it is.
    """
    return np.zeros_like(s.questions)


def least_over_replications(s: Sums) -> FloatArray:
    """-1 / (n0 - 1): omega, kappa and alpha of questions that do not differ at all."""
    _, _, n0 = _mean_squares(s)
    return -1 / (n0 - 1)


def least_over_categories(s: Sums) -> FloatArray:
    """-1 / (K - 1): AC1 and Brennan-Prediger of verdicts that never agree."""
    return np.full_like(s.questions, -1 / max(s.categories - 1, 1))


def _chance(s: Sums) -> FloatArray:
    """P_e: the sum of squared shares of all verdicts."""
    return s.pooled_squares / s.verdicts**2


def _mean_squares(s: Sums) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Traces of the mean squares between and within questions, and n0 (Brennan 2001)."""
    within = s.verdicts - s.questions - s.weighted_agreement + s.agreement
    between = s.verdicts * (1 - _chance(s)) - within
    # Where all questions have the same verdicts only rounding is left of it.
    between = np.where(between > 1e-12 * s.verdicts, between, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        n0 = (s.verdicts - s.squared_verdicts / s.verdicts) / (s.questions - 1)
        return between / (s.questions - 1), within / (s.verdicts - s.questions), n0


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Their quotient, NaN where the denominator is not positive."""
    positive = denominator > 0
    return np.where(positive, numerator / np.where(positive, denominator, 1.0), np.nan)
