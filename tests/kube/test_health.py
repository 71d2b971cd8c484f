"""Probes answer what their checks say."""

import asyncio

import pytest

from nodewright.kube.health import say_fine, serve_probes


async def ask(port, request):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    answer = (await reader.read()).decode()
    writer.close()
    await writer.wait_closed()
    return answer


async def probe(checks, request):
    async with serve_probes(checks, 0, "127.0.0.1") as port:
        return await ask(port, request)


@pytest.mark.parametrize(
    ("request_line", "wanted"),
    [
        ("GET /healthz HTTP/1.1", ("200 OK", "ok\n")),
        ("GET /readyz?verbose HTTP/1.1", ("503 Service Unavailable", "pods are not listed\n")),
        ("HEAD /readyz/ HTTP/1.1", ("503 Service Unavailable", "")),
        ("GET /secrets HTTP/1.1", ("404 Not Found", "there is /healthz, /readyz\n")),
        ("POST /healthz HTTP/1.1", ("405 Method Not Allowed", "only GET is answered here\n")),
    ],
)
async def test_each_path_says_what_its_check_finds(request_line, wanted):
    checks = {"/healthz": say_fine, "/readyz": lambda: "pods are not listed"}
    answer = await probe(checks, f"{request_line}\r\nHost: x\r\n\r\n".encode())
    head, _, body = answer.partition("\r\n\r\n")

    assert (head.split("\r\n")[0].removeprefix("HTTP/1.1 "), body) == wanted


@pytest.mark.parametrize("garbage", [b"\r\n\r\n", b"\x16\x03\x01\r\n\r\n", b"x" * 20_000])
async def test_garbage_hurts_nobody(garbage):
    async with serve_probes({"/healthz": say_fine}, 0, "127.0.0.1") as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(garbage)
        writer.write_eof()
        await reader.read()
        writer.close()
        answer = await ask(port, b"GET /healthz HTTP/1.1\r\n\r\n")

    assert answer.startswith("HTTP/1.1 200")
