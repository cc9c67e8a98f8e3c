"""The coefficients one at a time; `panel` gives them all and describes the arguments."""

from .counts import Counts
from .estimate import Estimate
from .panel import Interval, panel


def omega(
    counts: Counts, interval: Interval = "jackknife", level: float = 0.95, seed: int = 0
) -> Estimate:
    """How far a single verdict can be trusted to be the judge's own: omega, one replication."""
    return panel(counts, ["omega"], interval, level, seed)["omega"]


def omega_composite(
    counts: Counts, interval: Interval = "jackknife", level: float = 0.95, seed: int = 0
) -> Estimate:
    """Omega of all replications together: near 1 for many replications of any judge."""
    return panel(counts, ["omega_composite"], interval, level, seed)["omega_composite"]


def agreement(
    counts: Counts, interval: Interval = "jackknife", level: float = 0.95, seed: int = 0
) -> Estimate:
    """Share of pairs of replications that agree, P_o."""
    return panel(counts, ["agreement"], interval, level, seed)["agreement"]


def fleiss_kappa(
    counts: Counts, interval: Interval = "jackknife", level: float = 0.95, seed: int = 0
) -> Estimate:
    """Fleiss' kappa: agreement beyond that of the pooled shares."""
    return panel(counts, ["fleiss_kappa"], interval, level, seed)["fleiss_kappa"]


def krippendorff_alpha(
    counts: Counts, interval: Interval = "jackknife", level: float = 0.95, seed: int = 0
) -> Estimate:
    """Krippendorff's alpha for nominal data."""
    return panel(counts, ["krippendorff_alpha"], interval, level, seed)["krippendorff_alpha"]


def gwet_ac1(
    counts: Counts, interval: Interval = "jackknife", level: float = 0.95, seed: int = 0
) -> Estimate:
    """Gwet's AC1; depends on the number of declared categories."""
    return panel(counts, ["gwet_ac1"], interval, level, seed)["gwet_ac1"]


def brennan_prediger(
    counts: Counts, interval: Interval = "jackknife", level: float = 0.95, seed: int = 0
) -> Estimate:
    """Brennan and Prediger's kappa; depends on the number of declared categories."""
    return panel(counts, ["brennan_prediger"], interval, level, seed)["brennan_prediger"]


def modal_share(
    counts: Counts, interval: Interval = "jackknife", level: float = 0.95, seed: int = 0
) -> Estimate:
    """Share of each question's most frequent verdict; biased upwards."""
    return panel(counts, ["modal_share"], interval, level, seed)["modal_share"]


def modal_share_loo(
    counts: Counts, interval: Interval = "jackknife", level: float = 0.95, seed: int = 0
) -> Estimate:
    """Share of verdicts that equal the majority of the others; biased downwards."""
    return panel(counts, ["modal_share_loo"], interval, level, seed)["modal_share_loo"]


def normalised_entropy(
    counts: Counts, interval: Interval = "jackknife", level: float = 0.95, seed: int = 0
) -> Estimate:
    """Entropy of a question's verdicts over log K: 0 if they never differ."""
    return panel(counts, ["normalised_entropy"], interval, level, seed)["normalised_entropy"]
