"""The stand-in as a server on loopback: in a thread of this process, or as a program of its own.

`Server` is for tests, which then have the `Account` in their hands. The program is for a sandbox; it
is told its port and ends when it is told to. Either way clients need one setting, `AWS_ENDPOINT_URL`.
"""

import argparse
import threading
from types import TracebackType
from typing import Final, Self

from werkzeug.serving import WSGIRequestHandler, make_server

from nodewright.sandbox.aws.account import INSIDER_KEY, Account
from nodewright.sandbox.aws.front import Front
from nodewright.sandbox.iam.gate import guard
from nodewright.sandbox.loopback import HOST

_TICK_S: Final = 0.1


class _Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, type: str, message: str, *args: object) -> None:  # noqa: A002 - its name there.
        """Say nothing: the account has its own log of calls."""


class Server:
    """A stand-in that answers while the block lasts."""

    def __init__(self, account: Account, port: int = 0) -> None:
        guard(account)
        self.account = account
        self._http = make_server(HOST, port, Front(account), threaded=True, request_handler=_Quiet)
        self._http.daemon_threads = True  # type: ignore[attr-defined]
        self._stop = threading.Event()
        self._threads = (
            threading.Thread(target=self._http.serve_forever, args=(_TICK_S,), daemon=True),
            threading.Thread(target=self._tick, daemon=True),
        )

    @property
    def port(self) -> int:
        """The port on which it listens."""
        return int(self._http.server_port)

    @property
    def url(self) -> str:
        """Its address, for `AWS_ENDPOINT_URL`."""
        return f"http://{HOST}:{self.port}"

    def environment(self, access_key: str = "test", secret: str = "test") -> dict[str, str]:  # noqa: S107
        """Give the environment in which boto3 and aws-cli talk to it."""
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_REGION": self.account.region,
            "AWS_DEFAULT_REGION": self.account.region,
            "AWS_ACCESS_KEY_ID": access_key,
            "AWS_SECRET_ACCESS_KEY": secret,
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def insider_environment(self) -> dict[str, str]:
        """Give the environment of the stand-in's own parts, such as the kubelet."""
        return self.environment(INSIDER_KEY, INSIDER_KEY)

    def start(self) -> Self:
        """Begin to answer."""
        for thread in self._threads:
            thread.start()
        return self

    def stop(self) -> None:
        """Stop answering."""
        self._stop.set()
        self._http.shutdown()
        for thread in self._threads:
            thread.join()
        self._http.server_close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def wait(self) -> None:
        """Serve until the process is told to end."""
        self._stop.wait()

    def _tick(self) -> None:
        while not self._stop.wait(_TICK_S):
            self.account.advance()


def main() -> None:
    """Run the stand-in as a program."""
    parser = argparse.ArgumentParser(prog="nodewright-aws", description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--region", default="us-west-2")
    asked = parser.parse_args()
    with Server(Account(asked.region), asked.port) as server:
        print(server.url, flush=True)  # noqa: T201 - whoever started it reads the address.
        server.wait()


if __name__ == "__main__":
    main()
