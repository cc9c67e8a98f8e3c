"""Whether a model is there at all: inspect would ask a server for hours."""

import logging
import socket
from typing import Any
from urllib.request import getproxies, proxy_bypass

from inspect_ai.model import Model

from ..errors import UserError, reason

logger = logging.getLogger(__name__)

_SECONDS = 5
"""To connect, at each of the two addresses that a name may have, and then to say anything."""


def reachable_model(model: Model) -> Model:
    """The model, loaded if it is one of `hf_seeded`, or if its server takes connections.

    A server that takes connections and says nothing may only be busy: that is a warning. A proxy is
    not asked, nor is an encrypted server asked for an answer. This works for providers whose
    `client` has a `base_url`, as those of the openai and anthropic packages.

    Raises:
        UserError: The model cannot be loaded, or nothing takes connections at the server's address
            within 10 seconds.
    """
    getattr(model.api, "ready", lambda: None)()
    url: Any = getattr(getattr(model.api, "client", None), "base_url", None)
    host, scheme = getattr(url, "host", None), getattr(url, "scheme", "")
    if not host or (scheme in getproxies() and not proxy_bypass(host)):
        return model
    try:
        port = url.port or (443 if scheme == "https" else 80)
        server = socket.create_connection((host, port), timeout=_SECONDS)
    except OSError as error:
        raise UserError(
            f"The server {url} does not answer: {reason(error)}. Start it, or check its address."
        ) from None
    with server:
        if scheme == "http" and not _says_anything(server, host):
            logger.warning(
                f"The server {url} takes connections, but has said nothing for {_SECONDS} seconds. "
                "If no verdict comes, restart it or check its address."
            )
    return model


def _says_anything(server: socket.socket, host: str) -> bool:
    try:
        server.sendall(f"HEAD / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        server.recv(1)
    except TimeoutError:
        return False
    except OSError:  # it ends what it does not understand
        pass
    return True
