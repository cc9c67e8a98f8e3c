"""How reliable is a judge? Coefficients of its verdicts, reduced to counts."""

from .coefficients import (
    agreement,
    brennan_prediger,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    modal_share,
    modal_share_loo,
    normalised_entropy,
    omega,
    omega_composite,
)
from .counts import Counts
from .errors import NoJudgmentsError, ReliabilityError, ShapeError, UnknownCategoryError
from .estimate import Estimate, LeftOut
from .panel import panel

__all__ = [
    "Counts",
    "Estimate",
    "LeftOut",
    "NoJudgmentsError",
    "ReliabilityError",
    "ShapeError",
    "UnknownCategoryError",
    "agreement",
    "brennan_prediger",
    "fleiss_kappa",
    "gwet_ac1",
    "krippendorff_alpha",
    "modal_share",
    "modal_share_loo",
    "normalised_entropy",
    "omega",
    "omega_composite",
    "panel",
]
