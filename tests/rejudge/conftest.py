"""What inspect does beside a run is left out."""

import unwatched  # noqa: F401
