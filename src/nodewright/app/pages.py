"""A page over HTTP, rendered anew for each who asks: the metrics."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager

import msgspec

from nodewright.serving.server import Reply, Request, serve


class Page(msgspec.Struct, frozen=True):
    """What is served under a path."""

    render: Callable[[], bytes]
    content_type: str = "text/plain; version=0.0.4; charset=utf-8"


def serve_pages(
    pages: Mapping[str, Page], port: int, host: str | None = None
) -> AbstractAsyncContextManager[int]:
    """Answer each path with its page; give the port that is listened on."""

    async def answer(request: Request) -> Reply:
        page = pages.get(request.path)
        if page is None:
            return Reply("404 Not Found", f"there is {', '.join(sorted(pages))}\n".encode())
        return Reply("200 OK", page.render(), page.content_type)

    return serve(answer, port, host)
