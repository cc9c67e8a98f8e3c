"""How reliable is a judge? Coefficients of its verdicts, with numpy and scipy alone."""

from types import ModuleType

from .cells import Cells as Cells
from .cells import Counts as Counts
from .chance import Floor as Floor
from .chance import noise_floor as noise_floor
from .chance import stopped_by_verdicts as stopped_by_verdicts
from .coefficient import Coefficient as Coefficient
from .coefficients import COEFFICIENTS as COEFFICIENTS
from .coefficients import agreement as agreement
from .coefficients import brennan_prediger as brennan_prediger
from .coefficients import fleiss_kappa as fleiss_kappa
from .coefficients import gwet_ac1 as gwet_ac1
from .coefficients import icc as icc
from .coefficients import krippendorff_alpha as krippendorff_alpha
from .coefficients import krippendorff_alpha_numeric as krippendorff_alpha_numeric
from .coefficients import krippendorff_alpha_ordinal as krippendorff_alpha_ordinal
from .coefficients import of_scale as of_scale
from .coefficients import omega as omega
from .coefficients import panel as panel
from .comparison import Comparison as Comparison
from .comparison import compare_accuracy as compare_accuracy
from .comparison import compare_all as compare_all
from .corrected import Corrected as Corrected
from .corrected import Sample as Sample
from .corrected import ppi as ppi
from .corrected import rogan_gladen as rogan_gladen
from .crossing import Crossing as Crossing
from .crossing import cheapest_dependable as cheapest_dependable
from .crossing import cheapest_precise as cheapest_precise
from .decisions import FAILS as FAILS
from .decisions import OPEN as OPEN
from .decisions import PASSES as PASSES
from .decisions import Decision as Decision
from .decisions import anytime_omega as anytime_omega
from .decisions import anytime_share as anytime_share
from .decisions import questions_to_decide as questions_to_decide
from .decisions import questions_to_decide_rate as questions_to_decide_rate
from .decisions import within_limit as within_limit
from .disagreement import Differences as Differences
from .disagreement import Disagreement as Disagreement
from .disagreement import disagreement as disagreement
from .errors import NoJudgmentsError as NoJudgmentsError
from .errors import ReliabilityError as ReliabilityError
from .errors import ShapeError as ShapeError
from .errors import UnknownCategoryError as UnknownCategoryError
from .errors import UnknownCoefficientError as UnknownCoefficientError
from .estimate import Estimate as Estimate
from .majority import stable_majority as stable_majority
from .panels import NothingSharedError as NothingSharedError
from .panels import agreement_between as agreement_between
from .panels import effective_number as effective_number
from .planning import Design as Design
from .planning import Precision as Precision
from .planning import precision as precision
from .pooled import Pooled as Pooled
from .pooled import pooled_omega as pooled_omega
from .position import ChoiceShares as ChoiceShares
from .position import choice_shares as choice_shares
from .rates import Shift as Shift
from .rates import gini_mean_difference as gini_mean_difference
from .rates import mean_difference as mean_difference
from .rates import question_rates as question_rates
from .rates import rate as rate
from .rates import shifts as shifts
from .rates import standard_error as standard_error
from .score_variance import Decomposition as Decomposition
from .score_variance import decompose as decompose
from .validity import KINDS as KINDS
from .validity import Labelled as Labelled

__all__ = sorted(
    name
    for name, thing in globals().items()
    if not name.startswith("_") and thing is not ModuleType and not isinstance(thing, ModuleType)
)
