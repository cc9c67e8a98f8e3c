"""How reliable is a judge? Coefficients of its verdicts, from numpy and scipy alone."""

from .accuracy import Accuracy, accuracy
from .between_judges import VarianceComponents, agreement_between, variance_components
from .bounds import bounds
from .cells import Cells, Counts
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
from .comparison import Comparison, Driver, compare, compare_all, compare_pooled
from .decisions import (
    FAILS,
    OPEN,
    PASSES,
    Decision,
    anytime_omega,
    anytime_rate,
    look_level,
    questions_to_decide,
    questions_to_decide_rate,
    within_limit,
)
from .decomposition import Decomposition, decompose
from .disagreement import Differences, Disagreement, disagreement
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
from .planning import Design, Precision, precision
from .pooled import Pooled, pooled_omega
from .position import ChoiceShares, PositionOrPreference, choice_shares, position_or_preference
from .rates import handle_non_response, rate
from .shared import NothingSharedError
from .stopping import stopped_by_verdicts

__all__ = [
    "COEFFICIENTS",
    "FAILS",
    "OPEN",
    "PASSES",
    "Accuracy",
    "Cells",
    "ChoiceShares",
    "Coefficient",
    "Comparison",
    "Counts",
    "Decision",
    "Decomposition",
    "Design",
    "Differences",
    "Disagreement",
    "Driver",
    "Estimate",
    "Floor",
    "LeftOut",
    "NoJudgmentsError",
    "NothingSharedError",
    "Pooled",
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
    "anytime_omega",
    "anytime_rate",
    "bounds",
    "brennan_prediger",
    "choice_shares",
    "compare",
    "compare_all",
    "compare_pooled",
    "cronbach_alpha",
    "decompose",
    "disagreement",
    "fleiss_kappa",
    "gwet_ac1",
    "handle_non_response",
    "icc",
    "icc_composite",
    "krippendorff_alpha",
    "krippendorff_alpha_numeric",
    "krippendorff_alpha_ordinal",
    "look_level",
    "modal_share",
    "modal_share_loo",
    "noise_floor",
    "normalised_entropy",
    "of_scale",
    "omega",
    "omega_composite",
    "panel",
    "pooled_omega",
    "position_or_preference",
    "precision",
    "questions_to_decide",
    "questions_to_decide_rate",
    "rate",
    "stable_majority",
    "stopped_by_verdicts",
    "variance_components",
    "within_limit",
]
