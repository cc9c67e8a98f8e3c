"""How reliable is a judge? Coefficients of its verdicts, reduced to counts."""

from .alignment import NothingSharedError
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
from .comparison import Comparison, Driver, compare
from .counts import Counts
from .decomposition import Decomposition, decompose
from .errors import NoJudgmentsError, ReliabilityError, ShapeError, UnknownCategoryError
from .estimate import Estimate, LeftOut
from .head_to_tail import HeadToTail, head_to_tail
from .integer_coded import integer_coded
from .inter_rater import InterRater, inter_rater
from .majority import StableMajority, Unsettled, stable_majority
from .noise_floor import Floor, noise_floor
from .non_response import handle_non_response, non_response_rate
from .numeric import NUMERIC, numeric
from .ordered import krippendorff_alpha_interval, krippendorff_alpha_ordinal
from .panel import COEFFICIENTS, panel
from .planning import PLANNABLE, Design, Precision, precision
from .position import ChoiceShares, PositionOrPreference, choice_shares, position_or_preference
from .variance import VarianceComponents, variance_components

__all__ = [
    "COEFFICIENTS",
    "NUMERIC",
    "PLANNABLE",
    "ChoiceShares",
    "Comparison",
    "Counts",
    "Decomposition",
    "Design",
    "Driver",
    "Estimate",
    "Floor",
    "HeadToTail",
    "InterRater",
    "LeftOut",
    "NoJudgmentsError",
    "NothingSharedError",
    "PositionOrPreference",
    "Precision",
    "ReliabilityError",
    "ShapeError",
    "StableMajority",
    "UnknownCategoryError",
    "Unsettled",
    "VarianceComponents",
    "agreement",
    "brennan_prediger",
    "choice_shares",
    "compare",
    "decompose",
    "fleiss_kappa",
    "gwet_ac1",
    "handle_non_response",
    "head_to_tail",
    "integer_coded",
    "inter_rater",
    "krippendorff_alpha",
    "krippendorff_alpha_interval",
    "krippendorff_alpha_ordinal",
    "modal_share",
    "modal_share_loo",
    "noise_floor",
    "non_response_rate",
    "normalised_entropy",
    "numeric",
    "omega",
    "omega_composite",
    "panel",
    "position_or_preference",
    "precision",
    "stable_majority",
    "variance_components",
]
