"""A judge's output read as a verdict."""
