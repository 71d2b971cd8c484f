"""One request, one reply; nothing that is sent hurts the server."""

import asyncio

import pytest

from nodewright.serving.server import Reply, Request, serve


async def echo(request: Request) -> Reply:
    return Reply("200 OK", f"{request.path} {request.target} {request.host}\n".encode())


async def send(*parts, limit_s=30.0):
    """Send bytes to a server, and give all that comes back."""
    async with serve(echo, 0, "127.0.0.1", limit_s) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"".join(parts))
        try:
            answer = await reader.read()
        except ConnectionResetError:
            # It hung up on what it had not read: that is no answer either.
            answer = b""
        writer.close()
    return answer


def test_the_target_and_the_name_are_told_apart():
    answer = asyncio.run(send(b"GET /a/?b=c HTTP/1.1\r\nHost: [::1]:8082\r\n\r\n"))

    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert answer.endswith(b"/a /a/?b=c [::1]\n")


def test_the_head_of_an_answer_can_be_asked_for_alone():
    head = asyncio.run(send(b"HEAD / HTTP/1.1\r\n\r\n"))

    assert b"Content-Length: 5\r\n" in head
    assert head.endswith(b"\r\n\r\n")


def test_nothing_can_be_written():
    assert asyncio.run(send(b"DELETE / HTTP/1.1\r\n\r\n")).startswith(b"HTTP/1.1 405 ")


@pytest.mark.parametrize("noise", [b"GET /", b"x" * 20_000, b""], ids=["half", "long", "silent"])
def test_who_speaks_no_http_gets_no_answer(noise):
    assert asyncio.run(send(noise, limit_s=0.2)) == b""
