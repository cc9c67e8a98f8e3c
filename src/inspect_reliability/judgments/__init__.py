"""Judgments from wherever they are, as one table."""
