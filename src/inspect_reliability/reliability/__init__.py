"""How reliable is a judge? Coefficients of its verdicts, reduced to counts."""

from .as_published import CORRECTNESS_CODES, LETTER_CODES, AsPublished, as_published, encode
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
from .integer_coded import integer_coded
from .inter_rater import InterRater, inter_rater
from .noise_floor import Floor, noise_floor
from .non_response import handle_non_response
from .ordered import krippendorff_alpha_interval, krippendorff_alpha_ordinal
from .panel import COEFFICIENTS, panel

__all__ = [
    "COEFFICIENTS",
    "CORRECTNESS_CODES",
    "LETTER_CODES",
    "AsPublished",
    "Counts",
    "Estimate",
    "Floor",
    "InterRater",
    "LeftOut",
    "NoJudgmentsError",
    "ReliabilityError",
    "ShapeError",
    "UnknownCategoryError",
    "agreement",
    "as_published",
    "brennan_prediger",
    "encode",
    "fleiss_kappa",
    "gwet_ac1",
    "handle_non_response",
    "integer_coded",
    "inter_rater",
    "krippendorff_alpha",
    "krippendorff_alpha_interval",
    "krippendorff_alpha_ordinal",
    "modal_share",
    "modal_share_loo",
    "noise_floor",
    "normalised_entropy",
    "omega",
    "omega_composite",
    "panel",
]
