"""Does a judge go by the position of an answer, or by whose it is?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .cells import Cells
from .coefficients import brennan_prediger
from .errors import ReliabilityError
from .estimate import Estimate


@dataclass(frozen=True)
class ChoiceShares:
    """How often each option is chosen, tested against equal shares.

    Attributes:
        options: The L options: letters, or responders.
        shares: Share of each among all choices; None if nothing was chosen.
        standard_errors: Their standard errors over questions; None with fewer than two questions.
        p_value: Probability of shares at least as unequal if the true ones are equal; None if
            there is no test.
        design_effect: How many verdicts of one question tell as much as one independent verdict;
            None if there is no test.
        n_questions: Questions with a choice.
        n_choices: Choices; verdicts that chose none of the options are no choices. None of exact
            distributions.
        reason: Why there is no test; else None.
    """

    options: tuple[str, ...]
    shares: tuple[float, ...] | None = None
    standard_errors: tuple[float, ...] | None = None
    p_value: float | None = None
    design_effect: float | None = None
    n_questions: int = 0
    n_choices: int | None = None
    reason: str | None = None


def choice_shares(counts: Cells, options: Sequence[str]) -> ChoiceShares:
    """Shares of letters, or of responders, and whether they are equal.

    Questions are the sampling units: Pearson's chi-square is divided by its mean design effect,
    from the covariance of the shares over questions (linearised ratios), and referred to
    Satterthwaite's degrees of freedom, the second-order correction of Rao & Scott (1981, 1984).
    Letters and responders are told apart only where the order of options varies.

    Args:
        counts: Verdicts per question, by letter or by responder.
        options: The categories to choose from.

    Raises:
        ReliabilityError: Fewer than two options.
    """
    if len(options) < 2:
        raise ReliabilityError(f"A choice needs at least 2 options, not {len(options)}.")
    chosen = counts.columns(options)
    table = chosen.shares if counts.exact else chosen.table.astype(np.float64)
    chosen = table.sum(axis=1)
    total, n = float(chosen.sum()), int((chosen > 0).sum())
    number = None if counts.exact else round(total)
    reason = "no verdict chose any of the options"
    found = ChoiceShares(tuple(options), n_questions=n, n_choices=number, reason=reason)
    if total == 0:
        return found
    shares = table.sum(axis=0) / total
    reason = "the test needs at least 2 questions"
    found = replace(found, shares=tuple(shares.tolist()), reason=reason)
    if n < 2:
        return found
    deviations = (table - chosen[:, None] * shares) / total
    covariance = deviations.T @ deviations * n / (n - 1)
    errors = tuple(np.sqrt(np.diag(covariance)).tolist())
    # Relative to that of as many independent verdicts with equal shares.
    effects = covariance * total * len(options)
    trace, squared = np.trace(effects), (effects**2).sum()
    if trace < 1e-12:
        reason = "no test: every question has the same shares"
        return replace(found, standard_errors=errors, reason=reason)
    from scipy.special import chdtrc

    chi_square = total * len(options) * ((shares - 1 / len(options)) ** 2).sum()
    freedom = trace**2 / squared
    return replace(
        found,
        standard_errors=errors,
        p_value=float(chdtrc(freedom, chi_square / trace * freedom)),
        design_effect=float(trace / (len(options) - 1)),
        reason=None,
    )


@dataclass(frozen=True)
class PositionOrPreference:
    """What decides a choice when the order of options is reshuffled in every replication.

    Each part is a share of the way from pure chance (0) to certainty (1); with `chance` they sum
    to 1.

    Attributes:
        position: Part of the letter, with its interval.
        preference: Part of the answer, that is of the responder, with its interval.
        chance: What neither decides; None if a part is not estimable.
        reason: Why the two cannot be told apart; else None.
    """

    position: Estimate | None
    preference: Estimate | None
    chance: float | None
    reason: str | None


def position_or_preference(letters: Cells, responders: Cells) -> PositionOrPreference:
    """Split what decides a choice into the letter and the responder.

    Let the chance of an option be 1/L plus an effect of its letter plus one of its answer. With
    orders drawn at random, two replications then choose the same letter with probability 1/L + (sum
    of squared letter effects), and the same responder likewise: chance-corrected, Brennan and
    Prediger's (1981) coefficient, once of the letters and once of the responders.

    Args:
        letters: Choices per question, counted by letter; L categories, choices only.
        responders: The same choices, counted by the responder behind the letter.

    Raises:
        ReliabilityError: The two are not counts of the same choices.
    """
    same_choices = letters.questions == responders.questions and (
        letters.replications.tolist() == responders.replications.tolist()
    )
    if not same_choices or len(letters.categories) != len(responders.categories):
        raise ReliabilityError(
            "Letters and responders must count the same choices: the same questions in the same "
            "order, as many verdicts in each, and as many letters as responders."
        )
    if (np.sort(letters.table, axis=1) == np.sort(responders.table, axis=1)).all():
        # Each letter is one responder throughout a question: its order never changed.
        reason = "no question showed its options in two orders: letter and responder are one choice"
        return PositionOrPreference(None, None, None, reason)
    position, preference = brennan_prediger(letters), brennan_prediger(responders)
    if position.value is None or preference.value is None:
        return PositionOrPreference(position, preference, None, position.reason)
    return PositionOrPreference(
        position, preference, 1 - position.value - preference.value, reason=None
    )
