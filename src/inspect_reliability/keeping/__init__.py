"""Which verdicts may be used: the rule that labels promise, its list and its cost."""

__all__: list[str] = []
