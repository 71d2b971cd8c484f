"""Pages over HTTP."""

import asyncio

import pytest

from nodewright.app.pages import Page, serve_pages


async def fetch(port, request):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    answer = await reader.read()
    writer.close()
    return answer.partition(b"\r\n\r\n")


@pytest.mark.parametrize(
    ("request_line", "status", "body"),
    [
        (b"GET /metrics HTTP/1.1", b"200", b"up 1\n"),
        (b"GET /metrics?x=1 HTTP/1.1", b"200", b"up 1\n"),
        (b"HEAD /metrics HTTP/1.1", b"200", b""),
        (b"GET /else HTTP/1.1", b"404", b"there is /metrics\n"),
        (b"POST /metrics HTTP/1.1", b"405", b"only GET is answered here\n"),
    ],
)
async def test_a_page_is_rendered_for_each_who_asks(request_line, status, body):
    async with serve_pages({"/metrics": Page(lambda: b"up 1\n")}, 0, "127.0.0.1") as port:
        head, _, found = await fetch(port, request_line + b"\r\nHost: x\r\n\r\n")

    assert head.split()[1] == status
    assert found == body


async def test_somebody_who_speaks_no_http_hurts_nobody():
    async with serve_pages({"/metrics": Page(lambda: b"up 1\n")}, 0, "127.0.0.1") as port:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"\x16\x03\x01")
        writer.close()
        _, _, found = await fetch(port, b"GET /metrics HTTP/1.1\r\n\r\n")

    assert found == b"up 1\n"
