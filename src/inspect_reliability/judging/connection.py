"""Whether a model is there at all: inspect would ask a server for hours."""

import socket
from typing import Any
from urllib.request import getproxies, proxy_bypass

from inspect_ai.model import Model

from ..errors import UserError, reason

_SECONDS = 5
"""To connect, at each of the two addresses that a name may have."""


def reached(model: Model) -> Model:
    """The model, if its server takes connections.

    A proxy is not asked. This works for providers whose `client` has a `base_url`, as those of the
    openai and anthropic packages.

    Raises:
        UserError: Nothing takes connections at the server's address within 10 seconds.
    """
    url: Any = getattr(getattr(model.api, "client", None), "base_url", None)
    host, scheme = getattr(url, "host", None), getattr(url, "scheme", "")
    if not host or (scheme in getproxies() and not proxy_bypass(host)):
        return model
    try:
        port = url.port or (443 if scheme == "https" else 80)
        socket.create_connection((host, port), timeout=_SECONDS).close()
    except OSError as error:
        raise UserError(
            f"The server {url} does not answer: {reason(error)}. Start it, or check its address."
        ) from None
    return model
