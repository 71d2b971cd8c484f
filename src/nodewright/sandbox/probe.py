"""Ask a program of a sandbox whether it is ready."""

import http.client
import ssl
from pathlib import Path
from urllib.parse import urlsplit

_TIMEOUT_S = 5.0


class Prober:
    """Asks with the certificate of the sandbox's administrator."""

    def __init__(self, certificates: Path) -> None:
        self._tls = ssl.create_default_context(cafile=str(certificates / "authority.crt"))
        self._tls.load_cert_chain(certificates / "admin.crt", certificates / "admin.key")

    def is_ready(self, url: str) -> bool:
        """Tell whether the address answers and its answer is 200."""
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        connection = (
            http.client.HTTPSConnection(host, port, timeout=_TIMEOUT_S, context=self._tls)
            if parts.scheme == "https"
            else http.client.HTTPConnection(host, port, timeout=_TIMEOUT_S)
        )
        try:
            connection.request("GET", parts.path)
            return connection.getresponse().status == http.HTTPStatus.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()
