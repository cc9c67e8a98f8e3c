"""Nights that lack a check, in a series of checks at regular times."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median

from ..judgments.count import NUMBER
from .checks import Check

_FEWEST = 5
"""Checks that show a usual gap."""

_REGULAR = 0.6
"""Share of gaps that are usual ones, from which times are regular."""

_SPREAD = 0.25
"""How far a usual gap is from the median, as a share of it."""

_LONG = 1.5
"""Times the usual gap from which a check is missing."""

_HOUR, _DAY = (one.total_seconds() for one in (timedelta(hours=1), timedelta(days=1)))


def missing_checks(checks: Sequence[Check]) -> list[str]:
    """The times at which a check of a regular series is missing, as dates.

    A series is regular where most gaps are like their median, of an hour or more: checks made one
    after the other keep to no times. Days of the week that never have a check are none of a nightly
    series.
    """
    if len(checks) < _FEWEST or any(NUMBER.fullmatch(one.time) for one in checks):
        return []
    times = [one.when for one in checks]
    gaps = [after - before for before, after in pairwise(times)]
    usual = median(gaps)
    like = [gap for gap in gaps if abs(gap - usual) <= _SPREAD * usual]
    nightly = usual < _LONG * _DAY
    days = {_date(time).weekday() for time in times}
    if usual < _HOUR or len(like) < _REGULAR * len(gaps):
        return []
    found = [
        _date(before + k * gap / round(gap / usual))
        for before, gap in zip(times, gaps, strict=False)
        if gap > _LONG * usual
        for k in range(1, round(gap / usual))
    ]
    form = "%Y-%m-%d" if usual > _DAY / 2 else "%Y-%m-%d %H:%M"
    return [f"{one:{form}}" for one in found if not nightly or one.weekday() in days]


def _date(when: float) -> datetime:
    return datetime.fromtimestamp(when, UTC)
