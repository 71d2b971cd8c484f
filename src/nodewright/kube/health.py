"""Probes: `/healthz` says that the process lives, `/readyz` that it knows the cluster.

A check gives the empty text when all is well, else what is not. Liveness does not ask whether the
API server can be reached: a restart would not mend that, and would lose what the mirror holds.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Final

from nodewright.serving.server import Reply, Request, serve

_REQUEST_LIMIT_S: Final = 5.0

type Check = Callable[[], str]


def say_fine() -> str:
    """Find nothing wrong; that this can be asked at all shows that the process lives."""
    return ""


def serve_probes(
    checks: Mapping[str, Check], port: int, host: str | None = None
) -> AbstractAsyncContextManager[int]:
    """Answer each path with what its check says; give the port that is listened on."""

    async def answer(request: Request) -> Reply:
        check = checks.get(request.path)
        if check is None:
            return Reply("404 Not Found", f"there is {', '.join(sorted(checks))}\n".encode())
        problem = check()
        if problem:
            return Reply("503 Service Unavailable", f"{problem}\n".encode())
        return Reply("200 OK", b"ok\n")

    return serve(answer, port, host, _REQUEST_LIMIT_S)
