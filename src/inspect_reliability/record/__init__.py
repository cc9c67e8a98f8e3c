"""What a judgment is as written and read: its seeds, cells, replications and distributions."""


def same_model(one: str, other: str) -> bool:
    """Whether two names mean one model, with or without provider and organisation."""
    return one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}")
