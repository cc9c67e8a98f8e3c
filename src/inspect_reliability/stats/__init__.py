"""How reliable is a judge? Coefficients of its verdicts, from numpy and scipy alone."""

from .accuracy import Accuracy, accuracy
from .between_judges import VarianceComponents, agreement_between, variance_components
from .coefficient import Coefficient
from .coefficients import (
    COEFFICIENTS,
    agreement,
    brennan_prediger,
    cronbach_alpha,
    fleiss_kappa,
    gwet_ac1,
    icc,
    icc_composite,
    krippendorff_alpha,
    krippendorff_alpha_numeric,
    krippendorff_alpha_ordinal,
    modal_share,
    modal_share_loo,
    normalised_entropy,
    of_scale,
    omega,
    omega_composite,
    panel,
)
from .comparison import Comparison, Driver, compare
from .counts import Counts
from .decomposition import Decomposition, decompose
from .errors import (
    NoJudgmentsError,
    ReliabilityError,
    ShapeError,
    UnknownCategoryError,
    UnknownCoefficientError,
)
from .estimate import Estimate, LeftOut
from .majority import StableMajority, Unsettled, stable_majority
from .noise_floor import Floor, noise_floor
from .non_response import handle_non_response, non_response_rate
from .numbers import Numbers
from .planning import Design, Precision, precision
from .position import ChoiceShares, PositionOrPreference, choice_shares, position_or_preference
from .shared import NothingSharedError

__all__ = [
    "COEFFICIENTS",
    "Accuracy",
    "ChoiceShares",
    "Coefficient",
    "Comparison",
    "Counts",
    "Decomposition",
    "Design",
    "Driver",
    "Estimate",
    "Floor",
    "LeftOut",
    "NoJudgmentsError",
    "NothingSharedError",
    "Numbers",
    "PositionOrPreference",
    "Precision",
    "ReliabilityError",
    "ShapeError",
    "StableMajority",
    "UnknownCategoryError",
    "UnknownCoefficientError",
    "Unsettled",
    "VarianceComponents",
    "accuracy",
    "agreement",
    "agreement_between",
    "brennan_prediger",
    "choice_shares",
    "compare",
    "cronbach_alpha",
    "decompose",
    "fleiss_kappa",
    "gwet_ac1",
    "handle_non_response",
    "icc",
    "icc_composite",
    "krippendorff_alpha",
    "krippendorff_alpha_numeric",
    "krippendorff_alpha_ordinal",
    "modal_share",
    "modal_share_loo",
    "noise_floor",
    "non_response_rate",
    "normalised_entropy",
    "of_scale",
    "omega",
    "omega_composite",
    "panel",
    "position_or_preference",
    "precision",
    "stable_majority",
    "variance_components",
]
