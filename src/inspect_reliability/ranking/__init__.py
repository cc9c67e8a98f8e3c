"""Which system is ahead: verdicts on systems, their scores and leaderboards, what `rank` prints."""

__all__: list[str] = []
