"""How reliable is a judge? Coefficients of its verdicts, with numpy and scipy alone.

These are the names that most need. What one command needs is in a module of its own: `comparison`,
`planning`, `majority`, `selective`, `facet_effects` and others.
"""

from types import ModuleType

from .cells import Cells as Cells
from .cells import Counts as Counts
from .coefficients import COEFFICIENTS as COEFFICIENTS
from .coefficients import Coefficient as Coefficient
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
from .comparison import NothingSharedError as NothingSharedError
from .comparison import agreement_between as agreement_between
from .comparison import effective_number as effective_number
from .disagreement import Differences as Differences
from .disagreement import Disagreement as Disagreement
from .disagreement import disagreement as disagreement
from .estimate import Estimate as Estimate
from .estimate import NoJudgmentsError as NoJudgmentsError
from .estimate import Reason as Reason
from .estimate import ReliabilityError as ReliabilityError
from .estimate import ShapeError as ShapeError
from .estimate import Unknown as Unknown
from .estimate import UnknownCategoryError as UnknownCategoryError
from .estimate import UnknownCoefficientError as UnknownCoefficientError
from .estimate import code_of as code_of
from .labelled import KINDS as KINDS
from .labelled import SHARES as SHARES
from .labelled import Labelled as Labelled
from .rates import Floor as Floor
from .rates import Shift as Shift
from .rates import gini_mean_difference as gini_mean_difference
from .rates import mean_difference as mean_difference
from .rates import mean_shift as mean_shift
from .rates import noise_floor as noise_floor
from .rates import question_rates as question_rates
from .rates import rate as rate
from .rates import shifts as shifts
from .rates import standard_error as standard_error
from .rates import stopped_by_verdicts as stopped_by_verdicts

__all__ = sorted(
    name
    for name, thing in globals().items()
    if not name.startswith("_") and thing is not ModuleType and not isinstance(thing, ModuleType)
)
