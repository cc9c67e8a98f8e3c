"""Reliability coefficients as inspect metrics over un-reduced scores."""

from .coefficients import (
    agreement,
    best_rate,
    brennan_prediger,
    fleiss_kappa,
    gwet_ac1,
    invalid_rate,
    krippendorff_alpha,
    modal_share,
    non_response_rate,
    normalised_entropy,
    omega,
    omega_composite,
)
from .reliability import reliability

__all__ = [
    "agreement",
    "best_rate",
    "brennan_prediger",
    "fleiss_kappa",
    "gwet_ac1",
    "invalid_rate",
    "krippendorff_alpha",
    "modal_share",
    "non_response_rate",
    "normalised_entropy",
    "omega",
    "omega_composite",
    "reliability",
]
