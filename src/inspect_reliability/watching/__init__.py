"""Who changed, the judge or the system: checks of one judge by time, and a bet that nothing did."""

__all__: list[str] = []
